"""Solutions and searches that are open: read once, kept while memory allows, the oldest let go first.

In a large tree the EV of a node on the first street takes a walk through all of it. When such a solution is opened, the
first street is computed in the background, so that it is there when it is opened.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from pathlib import Path

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.spots import Deal, Decision, Solution, SpotSearch, load_searchable
from counterpoise.spots.lru_cache import LruCache
from counterpoise.web.library import Library
from counterpoise.web.views.node import ActionView, NodeView, actions_of, add_values, view_node

MOST_NODES, MOST_VIEWS = 128, 64
"""Nodes of one solution, and what is shown of them, that are kept."""
LARGE_MB, MOST_WARMED = 150.0, 40
"""From which size on the first street is computed beforehand, and how many of its nodes at most."""


@dataclass(eq=False)
class OpenSolution:
    """One open file: its strategies, and the nodes that were looked at lately."""

    name: str
    mark: tuple[int, int]
    """When the file was written, and its size: a file that has changed is read again."""
    solved: Solution | SpotSearch
    closed: bool = False
    _nodes: LruCache[Decision | Deal] = field(default_factory=lambda: LruCache(MOST_NODES))
    _views: LruCache[NodeView] = field(default_factory=lambda: LruCache(MOST_VIEWS))

    def node(self, id: str = "") -> Decision | Deal:
        """Return a node, by default the first: the same object while it is kept, so that nothing is computed twice."""
        wanted = id or self.solved.first
        return self._nodes.get(wanted, lambda: self.solved.node(wanted))

    def decision(self, id: str = "") -> Decision:
        """Return a node where a player acts; refused where a card is dealt."""
        node = self.node(id)
        if not isinstance(node, Decision):
            raise InputError(f"node {shown(node.id)} deals a card: nobody acts there")
        return node

    def view(self, id: str = "", *, values: bool = True) -> NodeView:
        """Return what a node shows, by default the first; without `values`, no EV and no equity."""
        node = self.node(id)
        plain = self._views.get((node.id, False), lambda: view_node(node))
        return self._views.get((node.id, True), lambda: add_values(plain, node)) if values else plain

    def actions(self, id: str) -> list[ActionView]:
        """Return the actions of a decision, without their EV; those of its view if it is kept."""
        node = self.decision(id)
        return self.view(id, values=False).actions if self._views.has((node.id, False)) else actions_of(node)

    def valued(self, id: str = "") -> bool:
        """Return whether EV and equity of a node are cached, as those of recently viewed nodes are."""
        return self._views.has((id or self.solved.first, True))

    def warm(self) -> None:
        """Compute EV and equity of the decisions of the first street, breadth first."""
        waiting, done = deque([self.solved.first]), 0
        while waiting and done < MOST_WARMED and not self.closed:
            node = self.decision(waiting.popleft())
            _ = node.evs, node.equities
            done += 1
            for child in node.children():
                try:
                    after = self.node(child)
                except InputError:  # the end of the hand
                    continue
                if isinstance(after, Decision):
                    waiting.append(child)


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
