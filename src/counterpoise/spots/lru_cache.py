"""A cache of values that take time to make: each is made once, even if several threads ask at the same time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LruCache(Generic[Value]):
    """The `most` values that were asked for last, by key.

    >>> squares = LruCache[int](most=100)
    >>> squares.get(3, lambda: 9), squares.has(3), squares.has(4)
    (9, True, False)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock, self._kept = threading.Lock(), OrderedDict[Hashable, Future[Value]]()

    def __reduce__(self) -> tuple[type[LruCache[Value]], tuple[int]]:
        """Return how to copy it for another process: empty."""
        return type(self), (self.most,)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; the first caller makes it, others wait until it is made."""
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
        """Return whether the value of a key is there without waiting."""
        with self._lock:
            return key in self._kept and self._kept[key].done()
