"""A run of limit hold'em past memory on Ray: the same bytes with seven workers that are killed, and where nodes are."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import psutil
import pytest

import counterpoise as cp
from counterpoise.cluster import connect
from counterpoise.solvers.out_of_core.run import OutOfCoreJob
from tests.solvers.out_of_core.small import digest, run, solved

KILLS = 20
"""Workers that a test kills."""


def ray_workers() -> list[psutil.Process]:
    """The processes of this one's clusters in which actors live."""
    below = psutil.Process().children(recursive=True)
    return [one for one in below if one.is_running() and one.name().startswith("ray::Actor")]


@pytest.mark.long
def test_killed_workers_of_ray_end_in_the_same_bytes(tmp_path, monkeypatch):
    """Seven workers, of which one is killed again and again while the others are at work."""
    random, killed, part_done = Random(4), set(), OutOfCoreJob._part_done

    def kill(self, answer, done):
        living = [one for one in ray_workers() if one.pid not in killed]
        if living and len(killed) < KILLS and random.random() < 0.4:
            killed.add((chosen := random.choice(living)).pid)
            chosen.kill()
        part_done(self, answer, done)

    monkeypatch.setattr(OutOfCoreJob, "_part_done", kill)
    with connect("local:7") as cluster:
        for number in range(KILLS):
            folder = tmp_path / str(number)
            found = run(folder, 6, workers=cluster)
            assert digest(folder) == digest(solved()[0])
            assert found.exploitability == solved()[1].exploitability
            if len(killed) >= KILLS:
                break
        assert len(killed) == KILLS


@pytest.fixture
def nodes() -> Iterator[Any]:
    from ray.cluster_utils import Cluster as Nodes

    found = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _ in range(2):
            found.add_node(num_cpus=1)
        yield found
    finally:
        found.shutdown()


@pytest.mark.long
def test_a_cluster_that_goes_away_stops_the_run_in_a_sentence(nodes, tmp_path):
    """A node dies, then the head; the run is ended by this process."""
    import ray

    told = []

    def change(point):
        told.append(point.iteration)
        if point.iteration == 2:
            own = ray.get_runtime_context().get_node_id()  # where this process has its objects
            nodes.remove_node(next(one for one in nodes.worker_nodes if one.node_id != own), allow_graceful=False)
        if point.iteration == 4:
            nodes.head_node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)

    gone = pytest.raises(cp.InputError, match="the cluster has gone away; what was finished is kept")
    with connect(nodes.address) as cluster, gone:
        run(tmp_path, 6, workers=cluster, measure_at=[2, 4, 6], on_point=change)
    assert told == [2, 4]
    run(tmp_path, 6)
    assert digest(tmp_path) == digest(solved()[0])
