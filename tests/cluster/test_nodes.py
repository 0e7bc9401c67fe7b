"""Two Ray nodes on this machine: a folder of spots is solved the same where one of them, or the head, is killed."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.cluster import connect
from counterpoise.jobs.processes import map_in_order
from counterpoise.progress import CancelToken
from counterpoise.spots.folder import SolvedFile, solve_files
from counterpoise.store import read_cpz

SPOT = {"pot": 10, "stack": 10, "oop": "AhKh,9d8d,7c7s:0.5", "ip": "KdQd,JhTh,AdQc", "river": {"bet": ["50%"]}}
RIVERS = tuple(rank + suit for rank in "23568" for suit in "shdc")
"""More than the workers of two processors are given at a time, so that some are left when a node dies."""


@pytest.fixture
def nodes() -> Iterator[Any]:
    from ray.cluster_utils import Cluster as Nodes

    found = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        found.add_node(num_cpus=1)
        yield found
    finally:
        found.shutdown()


def figures(found: SolvedFile | cp.InputError) -> tuple[Any, ...]:
    assert isinstance(found, SolvedFile)
    return tuple(found.figures[name] for name in ("name", "ev", "exploitability_pct", "iterations", "bits", "root"))


def held(folder: str, doomed: str) -> Callable[[int], int]:
    """Return work that is never finished on one node, and on the others only after that one has begun a piece."""
    import ray

    mark, here = Path(folder) / "begun", ray.get_runtime_context().get_node_id()

    def work(number: int) -> int:
        if here == doomed:
            mark.write_text("x")
            time.sleep(600)
        while not mark.exists():
            time.sleep(0.01)
        return number * number

    return work


@pytest.mark.long
def test_pieces_of_a_dead_node_are_done_by_another(nodes, tmp_path: Path):
    (node,) = nodes.worker_nodes
    make = functools.partial(held, str(tmp_path), node.node_id)

    def kill_when_begun() -> None:
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        nodes.remove_node(node, allow_graceful=False)

    killing = threading.Thread(target=kill_when_begun, daemon=True)
    with connect(nodes.address) as cluster:
        killing.start()
        found = list(map_in_order(make, abs, ((k,) for k in range(12)), cluster, CancelToken()))
        killing.join()
        assert found == [k * k for k in range(12)]
        assert cluster.lost >= 1  # a replacement may be put on the dead node before Ray notices


@pytest.mark.long
def test_a_node_and_then_the_head_die_amid_a_folder_of_spots(nodes, tmp_path: Path):
    paths = []
    for river in RIVERS:
        paths.append(tmp_path / f"{river}.json")
        cp.Spot(board=f"Ks 7d 4c Jd {river}", **SPOT).save(paths[-1])
    options = {"iterations": 20, "progress": False}
    expected = [figures(found) for _, found in solve_files(paths, **options)]
    out = tmp_path / "out"
    out.mkdir()
    with connect(nodes.address) as cluster:
        assert cluster.count == 2
        found = []
        for _, one in solve_files(paths, processes=cluster, out=out, **options):
            found.append(figures(one))
            if len(found) == 2:
                nodes.remove_node(next(iter(nodes.worker_nodes)), allow_graceful=False)
        assert found == expected
        first = paths[0].name
        before = read_cpz(out / f"{first}.cpz")[1]
        for path in paths[1:]:
            (out / f"{path.name}.cpz").unlink()
        solving = solve_files(paths, processes=cluster, out=out, resume=out, **options)
        next(solving)
        nodes.head_node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)
        with pytest.raises(cp.InputError, match="the cluster has gone away; what was finished is kept"):
            list(solving)
    assert (out / f"{first}.cpz").exists()
    resumed = [figures(one) for _, one in solve_files(paths, out=out, resume=out, **options)]
    assert resumed == expected
    after = read_cpz(out / f"{first}.cpz")[1]
    assert all((before[name] == after[name]).all() for name in before)
