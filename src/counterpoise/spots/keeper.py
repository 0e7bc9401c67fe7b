"""Things that take time to make, kept while there is room: made once, whoever asks for them at the same time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Keeper(Generic[Thing]):
    """The things that were asked for last, by key, at most so many.

    >>> squares = Keeper[int](most=100)
    >>> squares.get(3, lambda: 9), squares.has(3), squares.has(4)
    (9, True, False)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock, self._kept = threading.Lock(), OrderedDict[Hashable, Future[Thing]]()

    def __reduce__(self) -> tuple[type[Keeper[Thing]], tuple[int]]:
        """Copies, as processes get them, keep nothing yet."""
        return type(self), (self.most,)

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """Return the thing of a key. The first who asks makes it; those who ask meanwhile wait for that."""
        with self._lock:
            first = key not in self._kept
            found = self._kept.setdefault(key, Future())
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
        if first:
            try:
                found.set_result(make())
            except BaseException as error:  # whoever asks next tries again
                with self._lock:
                    if self._kept.get(key) is found:
                        del self._kept[key]
                found.set_exception(error)
        return found.result()

    def has(self, key: Hashable) -> bool:
        """Return whether the thing of a key is there without waiting."""
        with self._lock:
            return key in self._kept and self._kept[key].done()
