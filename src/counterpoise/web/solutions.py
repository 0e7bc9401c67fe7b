"""Solutions and searches that are open: read once, kept while memory allows, the oldest let go first.

In a large tree the EV of a node on the first street takes a walk through all of it. When such a solution is opened,
the nodes of its first street are computed in the background, so that they are there when somebody looks.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.spots import Deal, Decision, Solution, SpotSearch, load_searchable
from counterpoise.web.library import Library

MOST_NODES = 128
"""Nodes of one solution that are kept with what was computed of them."""
LARGE_MB, MOST_WARMED = 150.0, 40
"""From which size on the first street is computed beforehand, and how many of its nodes at most."""
LONGEST_PAUSE = 1.0
"""Seconds; between two nodes that nobody has asked for, as long a pause as the last one took leaves time for others."""


@dataclass(eq=False)
class OpenSolution:
    """One open file: its strategies, and the nodes that were looked at lately."""

    name: str
    mark: tuple[int, int]
    """When the file was written, and its size: a file that has changed is read again."""
    solved: Solution | SpotSearch
    lock: threading.RLock = field(default_factory=threading.RLock)
    """For those who look at several nodes together; `look` holds a single one."""
    closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _nodes: OrderedDict[str, tuple[Decision | Deal, threading.RLock]] = field(default_factory=OrderedDict)

    def node(self, id: str) -> Decision | Deal:
        """Return a node, the same object while it is kept, so that nothing is computed twice."""
        return self._kept(id)[0]

    def decision(self, id: str) -> Decision:
        """Return a node where a player acts; refused where a card is dealt."""
        with self.decide(id) as node:
            return node

    @contextmanager
    def look(self, id: str = "") -> Iterator[Decision | Deal]:
        """Hold a node, by default the first, while something of it is computed: two who ask compute it once."""
        node, lock = self._kept(id or self.solved.first)
        with lock:
            yield node

    @contextmanager
    def decide(self, id: str = "") -> Iterator[Decision]:
        """Hold a node where a player acts; refused where a card is dealt."""
        with self.look(id) as node:
            if not isinstance(node, Decision):
                raise InputError(f"node {shown(node.id)} deals a card: nobody acts there")
            yield node

    def warm(self) -> None:
        """Compute EV and equity of the decisions of the first street, breadth first."""
        waiting, done = deque([self.solved.first]), 0
        while waiting and done < MOST_WARMED and not self.closed:
            begun = time.monotonic()
            with self.decide(waiting.popleft()) as node:
                _ = node.evs, node.equities
                done += 1
                for child in node.children():
                    try:
                        after = self.node(child)
                    except InputError:  # the end of the hand
                        continue
                    if isinstance(after, Decision):
                        waiting.append(child)
            time.sleep(min(time.monotonic() - begun, LONGEST_PAUSE))

    def _kept(self, id: str) -> tuple[Decision | Deal, threading.RLock]:
        with self._lock:
            if id in self._nodes:
                self._nodes.move_to_end(id)
                return self._nodes[id]
        found = self.solved.node(id)
        with self._lock:
            kept = self._nodes.setdefault(id, (found, threading.RLock()))
            while len(self._nodes) > MOST_NODES:
                self._nodes.popitem(last=False)
            return kept


class Solutions:
    """All that are open, by their names in the library."""

    def __init__(self, library: Library, most_mb: float) -> None:
        self.library, self.most_mb = library, most_mb
        self._open: OrderedDict[Path, OpenSolution] = OrderedDict()
        self._lock, self._reading = threading.Lock(), dict[Path, threading.Lock]()

    def path(self, name: str) -> Path:
        """Return the file of a solution or search, named as in the library or by the id of its job."""
        return self.library.path(name if "/" in name else f"jobs/{name}/result.cpz")

    def open(self, name: str) -> OpenSolution:
        """Return the solution or search of a name in the library, or of a job by its id; it takes some time once."""
        path = self.path(name)
        with self._lock:
            reading = self._reading.setdefault(path, threading.Lock())
        with reading:
            status = path.stat()
            mark = status.st_mtime_ns, status.st_size
            with self._lock:
                found = self._open.get(path)
                if found is not None and found.mark == mark:
                    self._open.move_to_end(path)
                    return found
                if found is not None:
                    self._drop(path)
            found = OpenSolution(name, mark, load_searchable(path))
            if found.solved.memory_mb >= LARGE_MB:
                threading.Thread(target=found.warm, daemon=True).start()
            with self._lock:
                self._open[path] = found
                while len(self._open) > 1 and self._megabytes() > self.most_mb:
                    self._drop(next(iter(self._open)))
            return found

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            for path in list(self._open):
                self._drop(path)

    def _drop(self, path: Path) -> None:
        self._open.pop(path).closed = True

    def _megabytes(self) -> float:
        return sum(one.solved.memory_mb for one in self._open.values())
