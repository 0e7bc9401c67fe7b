"""Walks by public clusters of flops: exact expectation over all boards, processes, their end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.errors import InputError
from counterpoise.jobs.processes import other_workers
from counterpoise.sampling import build_betting_tree, cluster_owners
from counterpoise.sampling.cluster_walks import Walk
from counterpoise.sampling.clusters import ClusterSampling
from counterpoise.sampling.external import SkippedActions
from counterpoise.sampling.kernels.vectors import arrange_hands
from counterpoise.sampling.lookup import bucket_lookup
from tests.sampling.oracle import Oracle, random_strategy
from tests.sampling.test_vectors import ALL_IN

FOUR_ROUNDS = "no_limit_holdem(ranks=4, stack=4)"


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> CardAbstraction:
    """Three clusters of flops of 16 cards with four buckets in each."""
    deck, cache = cp.load(FOUR_ROUNDS).deck, tmp_path_factory.mktemp("cache")
    return cp.abstraction("IR-PHS-PHS", (8, 4, 4, 4), deck=deck, public=3, cache=cache, progress=False)


def children() -> list[Any]:
    """Workers that are alive; not, say, the tracker that `multiprocessing` keeps beside spawned processes."""
    return multiprocessing.active_children()


@pytest.mark.slow
def test_iterations_of_all_boards_are_full_width_cfr(tmp_path: Path) -> None:
    """The mean over the flops of every cluster of what an iteration adds is that over all deals, and own reach."""
    tree = build_betting_tree(cp.load(ALL_IN))
    made = cp.abstraction("IR-PHS-PHS", (5, 2), deck=tree.game.deck, public=3, cache=tmp_path, progress=False)
    layout, cards = layout_of(tree, [made]), bucket_lookup(tree, [made])
    strategy = random_strategy(tree, layout, np.random.default_rng(1), lambda owner: False)
    sampling = ClusterSampling(tree, layout, cards, [made])
    assert [len(one.flops) for one in sampling.clusters] != [35, 0, 0]
    oracle, deck = Oracle(tree, layout, made, strategy), tree.game.deck.cards.tolist()
    for seat in range(2):
        sampling.put(1024 * strategy, np.zeros(layout.size))
        before, found = sampling.regrets(), np.zeros((2, layout.size))
        sampling.collect(seat)
        means = np.zeros(sampling.values.shape)
        for own in sampling.clusters:
            for flop in own.flops.tolist():
                sampling.put(1024 * strategy, np.zeros(layout.size))
                own._dealt.board[0, :3] = flop
                arrange_hands(cards, own._dealt, own._hands)
                _, sampling.values[own.number] = own.walk_dealt(seat, sampling.reach)
                means[own.number] += sampling.values[own.number] / len(own.flops)
                found += np.stack([sampling.regrets() - before, sampling.averages()]) / len(own.flops)
        sampling.put(1024 * strategy, np.zeros(layout.size))
        sampling.values[:] = means
        sampling.finish(seat)
        found += np.stack([sampling.regrets() - before, sampling.averages()])
        expected, deals = np.zeros((2, layout.size)), 0
        for board in combinations(deck, 3):
            left = [card for card in deck if card not in board]
            for one in combinations(left, 2):
                for other in combinations([card for card in left if card not in one], 2):
                    expected += oracle.deal((one, other), board, seat)[0], oracle.deal((one, other), board, 1 - seat)[1]
                    deals += 1
        np.testing.assert_allclose(found, expected / deals, atol=2e-4)
        assert np.count_nonzero(expected[:, : layout.round_start[1]]) > 10
        assert np.count_nonzero(expected[:, layout.round_start[1] :]) > 40


@pytest.mark.slow
def test_distributed_tables_are_those_of_one_process(clustered: CardAbstraction, tmp_path: Path) -> None:
    """With the same seed two worker processes, seven, and two threads write the same bytes as one, also if they
    are stopped and resumed on other processes; and no worker outlives its training."""
    options: dict[str, Any] = {"method": "clusters", "seed": 2, "progress": False}
    serial = cp.train(FOUR_ROUNDS, clustered, iterations=21, threads=1, **options)
    threads = cp.train(FOUR_ROUNDS, clustered, iterations=21, threads=2, **options)
    workers = cp.train(FOUR_ROUNDS, clustered, iterations=21, processes=2, **options)
    out = tmp_path / "c.cpz"
    cp.train(FOUR_ROUNDS, clustered, iterations=10, processes=7, out=out, **options)
    resumed = cp.train(resume=out, iterations=21, processes=2, progress=False)
    assert np.abs(np.asarray(serial.blueprint.table)).sum() > 0
    for other in (threads, workers, resumed):
        assert other.blueprint.digest == serial.blueprint.digest
        assert other.nodes == serial.nodes
    assert workers.cpu_seconds > 0
    assert not children()
    skipping = {"skipping": SkippedActions("regret", 1e-3, 1e-3, after=4, until=9)}
    skipped = [cp.train(FOUR_ROUNDS, clustered, iterations=12, processes=k, **options, **skipping) for k in (1, 2)]
    plain = cp.train(FOUR_ROUNDS, clustered, iterations=12, **options)
    assert skipped[0].blueprint.digest == skipped[1].blueprint.digest != plain.blueprint.digest
    assert skipped[0].nodes == skipped[1].nodes
    tilted = cp.train(FOUR_ROUNDS, clustered, iterations=21, tilt=PayoffTilt(10, 0, 0, 0), **options)
    assert tilted.blueprint.digest != serial.blueprint.digest


def test_each_bucket_explores_very_bad_actions_by_itself(clustered: CardAbstraction) -> None:
    """What is explored gains exactly what it gains in a walk of all actions; the share is K / (K + C - R); averages
    stay, and fewer nodes are touched."""
    tree = build_betting_tree(cp.load(FOUR_ROUNDS))
    layout, cards = layout_of(tree, [clustered]), bucket_lookup(tree, [clustered])
    sampling = ClusterSampling(tree, layout, cards, [clustered])
    regrets = np.random.default_rng(3).choice([-15.0, -5.0, 1.0], layout.size, p=[0.6, 0.1, 0.3])
    own, reach, trials = sampling.clusters[0], np.ones_like(sampling.reach), 200
    own.walk(Walk(0, 0, None), reach)  # deals the board

    def walked(sampled: tuple[float, float] | None) -> tuple[Any, Any, int]:
        sampling.put(regrets, np.zeros(layout.size))
        before = sampling.regrets()
        touched, _ = own.walk_dealt(0, reach, sampled)
        return sampling.regrets() - before, sampling.averages(), touched

    gains, averages, touched = walked(None)
    explored = np.zeros(layout.size)
    for _ in range(trials):
        some, theirs, _ = walked((-5.0, 10.0))
        np.testing.assert_array_equal(some[some != 0], gains[some != 0])
        np.testing.assert_array_equal(theirs, averages)
        explored += some != 0
    first = tree.decisions & (tree.arrays.round == 1) & (tree.arrays.player == 0)
    seen = set()
    for node in np.flatnonzero(first & (tree.arrays.round[tree.parent] == 0)).tolist():
        block, gained, share = (layout.block(tree, node, one) for one in (regrets, gains, explored / trials))
        for row, action in zip(*np.nonzero(gained), strict=True):
            expected = 0.5 if block[row, action] == -15.0 and block[row].max() > 0 else 1.0
            assert abs(share[row, action] - expected) <= 5 * np.sqrt(expected * (1 - expected) / trials)
            seen.add(expected)
    assert seen == {0.5, 1.0}
    for node in np.flatnonzero(tree.decisions).tolist():  # now all buckets agree on what is bad
        layout.block(tree, node, regrets)[:] = np.arange(int(tree.arrays.actions[node])) * -15.0 + 1.0
    assert walked((-5.0, 1e-9))[2] < 0.5 * touched


def test_stopped_training_keeps_what_it_has(clustered: CardAbstraction, tmp_path: Path) -> None:
    cancel = cp.CancelToken()

    class Stopper(cp.SilentProgress):
        def show(self, fraction: float | None, figure: str) -> None:
            if "per CPU s" in figure:
                assert len(children()) == 2
                cancel.cancel()

    found = cp.train(
        FOUR_ROUNDS,
        clustered,
        minutes=1,
        method="clusters",
        processes=2,
        progress=Stopper(),
        cancel=cancel,
        out=tmp_path / "s.cpz",
    )
    assert found.interrupted
    assert cp.load_blueprint(tmp_path / "s.cpz").made["iterations"] == found.iterations > 0
    assert not children()


@pytest.mark.slow
def test_killing_workers_changes_nothing(clustered: CardAbstraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that takes the place of a dead one repeats what that one has done since the head's last copy."""
    monkeypatch.setattr(cluster_owners, "START_AFTER", 4)
    tree = build_betting_tree(cp.load(FOUR_ROUNDS))
    layout, cards = layout_of(tree, [clustered]), bucket_lookup(tree, [clustered])
    serial = ClusterSampling(tree, layout, cards, [clustered])
    with other_workers(2) as workers:
        parted = ClusterSampling(tree, layout, cards, [clustered], workers=workers)
        for count in (1, 1, 3, 7):
            for one in (serial, parted):
                one.run(count)
                one.discount(0.75)
            children()[-1].kill()
        np.testing.assert_array_equal(parted.arrays()["table"], serial.arrays()["table"])
        kept = {name: array.copy() for name, array in parted.arrays().items()}
        parted.run(2)
        parted.restore(kept)
        for one in (serial, parted):
            one.run(3)
        np.testing.assert_array_equal(parted.arrays()["table"], serial.arrays()["table"])
        assert parted.nodes_touched == serial.nodes_touched


PROGRAM = """
import sys
import counterpoise as cp
table = cp.CardAbstraction.load(sys.argv[1])
print("begins", flush=True)
cp.train("no_limit_holdem(ranks=4, stack=4)", table, iterations=10**9, method="clusters", processes=2, progress=False)
"""


@pytest.mark.long
def test_workers_end_with_a_killed_head(clustered: CardAbstraction, tmp_path: Path) -> None:
    clustered.save(tmp_path / "a.cpz")
    head = subprocess.Popen([sys.executable, "-c", PROGRAM, tmp_path / "a.cpz"], stdout=subprocess.PIPE)
    assert head.stdout is not None
    head.stdout.readline()
    watched, workers, end = psutil.Process(head.pid), [], time.monotonic() + 60
    while len(workers) < 2 and time.monotonic() < end:
        workers = watched.children()
        time.sleep(0.05)
    assert len(workers) == 2
    os.kill(head.pid, signal.SIGKILL)
    head.wait()
    assert not psutil.wait_procs(workers, timeout=10)[1]


def test_what_has_no_clusters_is_refused(clustered: CardAbstraction, tmp_path: Path) -> None:
    deck = clustered.deck
    plain = cp.abstraction("IR-PHS-PHS", (8, 4, 4, 4), deck=deck, cache=tmp_path, progress=False)
    other = cp.abstraction("IR-PHS-PHS", (8, 4, 4, 4), deck=deck, public=2, cache=tmp_path, progress=False)
    options: dict[str, Any] = {"iterations": 1, "method": "clusters", "progress": False}
    with pytest.raises(InputError, match="public buckets of flops"):
        cp.train(FOUR_ROUNDS, plain, **options)
    with pytest.raises(InputError, match="same public buckets"):
        cp.train(FOUR_ROUNDS, (clustered, other), **options)
    with pytest.raises(InputError, match="flop after the first round"):
        cp.train("no_limit_holdem(ranks=4, stack=4, board=[0, 0, 3])", other, **options)
    with pytest.raises(InputError, match="two seats"):
        cp.train("no_limit_holdem(ranks=4, stack=4, seats=3)", other, **options)
    with pytest.raises(InputError, match="method vector runs in one process"):
        cp.train(FOUR_ROUNDS, plain, method="vector", iterations=1, processes=2, progress=False)
