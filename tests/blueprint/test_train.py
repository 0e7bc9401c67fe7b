"""Training: exact judgement on small games, resuming, files, bad input."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction, HoldemCards
from counterpoise.blueprint.checkpoint import read_checkpoint
from counterpoise.blueprint.exact import exact_exploitability, is_small, tabulate
from counterpoise.blueprint.settings import TrainSettings, fitting_layout, training_game
from counterpoise.errors import InputError
from counterpoise.progress import SilentProgress
from counterpoise.sampling import build_betting_tree
from counterpoise.sampling.external import SkippedActions
from counterpoise.sampling.kernels.external import NOWHERE
from counterpoise.sampling.tables import TableLayout
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import checkpoint_of
from tests.blueprint.conftest import SMALL

LONGER = "limit_holdem(board=[0, 3], ranks=4, max_bets=2)"


@pytest.fixture(scope="session")
def buckets(tmp_path_factory: pytest.TempPathFactory) -> CardAbstraction:
    """Some buckets for the deck of `LONGER`."""
    deck = cp.load(LONGER).deck
    folder = tmp_path_factory.mktemp("b")
    return cp.abstraction("IR-PHS-PHS", buckets=(8, 10), deck=deck, cache=folder, progress=False)


@pytest.mark.long
@pytest.mark.parametrize(("method", "iterations", "bound"), [("external", 100_000, 0.15), ("vector", 3_000, 0.06)])
def test_both_walkers_approach_equilibrium(
    lossless: CardAbstraction, method: str, iterations: int, bound: float
) -> None:
    """External sampling and vectors of hands have the same limit: exact exploitability falls below the same bounds."""
    found = cp.train(SMALL, lossless, iterations=iterations, method=method, progress=False)
    assert found.exploitability is not None
    assert found.exploitability < bound
    uniform = exact_exploitability(cp.Blueprint.uniform(cp.load(SMALL), lossless))
    assert found.exploitability < uniform / 20


def test_exploitability_is_that_of_the_enumerated_game(
    blueprint: cp.Blueprint, solved: cp.Run, lossless: CardAbstraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blueprint of a solved game is as exploitable as the run that solved it, enumerated or as a public tree."""
    tree = cp.enumerate_game(SMALL)
    assert np.abs(tabulate(blueprint, tree) - solved.strategy.on(tree)).max() < 1e-3
    uniform = cp.Blueprint.uniform(cp.load(SMALL), lossless)
    of_trees = []
    for most in (0, 10**9):
        monkeypatch.setattr("counterpoise.blueprint.exact.MOST_ENUMERATED", most)
        assert exact_exploitability(blueprint) == pytest.approx(solved.exploitability, abs=1e-3)
        of_trees.append(exact_exploitability(uniform))
    assert of_trees[0] == pytest.approx(of_trees[1], rel=1e-6)


def test_killed_and_resumed_ends_with_the_same_bytes(buckets: CardAbstraction, tmp_path: Path) -> None:
    """A training that continues from its checkpoint writes the same blueprint as one that was never stopped."""
    whole, parts = tmp_path / "whole.cpz", tmp_path / "parts.cpz"
    options: dict[str, Any] = {"seed": 3, "batch": 10, "period": 100, "progress": False, "threads": 1}
    cp.train(LONGER, buckets, iterations=1000, out=whole, **options)
    begun = cp.train(LONGER, buckets, iterations=450, out=parts, **options)
    kept = read_checkpoint(checkpoint_of(parts)).spent
    assert 0 < kept["seconds"] <= begun.seconds
    resumed = cp.train(resume=parts, iterations=1000, out=parts, progress=False, threads=2)
    assert resumed.iterations == 1000
    assert resumed.seconds > kept["seconds"]
    assert resumed.cpu_seconds > kept["cpu_seconds"]
    assert cp.load_blueprint(parts).table.tobytes() == cp.load_blueprint(whole).table.tobytes()
    assert checkpoint_of(parts).is_file()
    other = cp.train(LONGER, buckets, iterations=1000, **options | {"seed": 4})
    assert other.blueprint.digest != resumed.blueprint.digest


@pytest.mark.slow
def test_processes_write_the_same_bytes(buckets: CardAbstraction, tmp_path: Path) -> None:
    """Two and seven processes, one of which is killed on the way, walk as one does, from a checkpoint too."""
    options: dict[str, Any] = {"seed": 3, "batch": 50, "period": 200, "progress": False}

    class Killer(cp.SilentProgress):
        killed = 0

        def show(self, fraction: float | None, figure: str) -> None:
            if "hands" in figure and not self.killed:
                multiprocessing.active_children()[0].kill()
                self.killed = 1

    alone = cp.train(LONGER, buckets, iterations=600, threads=1, **options)
    begun = cp.train(LONGER, buckets, iterations=300, processes=2, out=tmp_path / "a.cpz", **options)
    resumed = cp.train(resume=begun.checkpoint, iterations=600, processes=7, progress=False)
    killer = Killer()
    killed = cp.train(LONGER, buckets, iterations=600, processes=2, **options | {"progress": killer})
    skipping = {"skipping": SkippedActions("regret", 1e-3, 1e-3, after=100)}
    skipped = [cp.train(LONGER, buckets, iterations=300, processes=k, **options, **skipping) for k in (1, 2)]
    assert killer.killed
    assert resumed.blueprint.digest == killed.blueprint.digest == alone.blueprint.digest
    assert resumed.nodes == killed.nodes == alone.nodes
    assert skipped[0].blueprint.digest == skipped[1].blueprint.digest
    assert skipped[0].nodes < alone.nodes / 2
    assert not multiprocessing.active_children()


def test_vectors_resume_too(buckets: CardAbstraction, tmp_path: Path) -> None:
    whole = cp.train(LONGER, buckets, iterations=30, method="vector", progress=False)
    cp.train(LONGER, buckets, iterations=12, method="vector", progress=False, out=tmp_path / "v.cpz")
    resumed = cp.train(LONGER, resume=tmp_path / "v.training.cpz", iterations=30, progress=False, threads=2)
    assert resumed.blueprint.digest == whole.blueprint.digest


def test_cancelled_training_keeps_what_it_has(buckets: CardAbstraction, tmp_path: Path) -> None:
    cancel = cp.CancelToken()

    class Stopper(cp.SilentProgress):
        def show(self, fraction: float | None, figure: str) -> None:
            if "hands" in figure:
                cancel.cancel()

    found = cp.train(
        LONGER, buckets, iterations=10**9, progress=Stopper(), cancel=cancel, out=tmp_path / "c.cpz", batch=10
    )
    assert found.interrupted
    assert 0 < found.iterations < 10**9
    assert cp.load_blueprint(tmp_path / "c.cpz").made["iterations"] == found.iterations
    json.dumps(found.to_json())


def test_linear_discount_is_a_weight_per_block(buckets: CardAbstraction) -> None:
    """After blocks of equal length regrets are the sum of n times those of block n, over the number of blocks."""
    plain = cp.train(LONGER, buckets, iterations=100, discount="none", batch=100, progress=False)
    once = cp.train(LONGER, buckets, iterations=100, discount="linear", period=100, batch=100, progress=False)
    np.testing.assert_allclose(once.blueprint.table, plain.blueprint.table / 2, rtol=1e-6)
    # Half of the regrets play alike, so the second block adds the same to both: (A + B, then (A + 2 B) / 3).
    later = [
        cp.train(LONGER, buckets, iterations=200, discount=discount, period=100, batch=100, progress=False)
        for discount in ("none", "linear")
    ]
    expected = (2 * later[0].blueprint.table - plain.blueprint.table) / 3
    np.testing.assert_allclose(later[1].blueprint.table, expected, rtol=1e-5, atol=1e-6)


def test_checkpoints_are_measured_against_the_last(buckets: CardAbstraction, tmp_path: Path) -> None:
    """Progress on a schedule: the strategy plays the one of the checkpoint before, on the same cards."""
    found = cp.train(
        LONGER, buckets, minutes=0.03, checkpoint_minutes=0.005, progress=False, out=tmp_path / "d.cpz", seed=1
    )
    assert found.duels
    assert all(np.isfinite(one.won) and one.ci95 > 0 for one in found.duels)


@pytest.mark.long
def test_linear_is_below_plain_after_few_iterations(lossless: CardAbstraction) -> None:
    """Linear weights are ahead early; mean of ten seeds, exact exploitability."""
    means = {}
    for discount in ("linear", "none"):
        runs = [
            cp.train(SMALL, lossless, iterations=3000, period=100, discount=discount, seed=seed, progress=False)
            for seed in range(10)
        ]
        means[discount] = np.mean([run.exploitability for run in runs])
    assert means["linear"] < means["none"]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["hand", "regret"])
def test_skipping_costs_little_and_visits_less(lossless: CardAbstraction, kind: Any) -> None:
    """With a threshold of 100 largest payoffs exploitability is within 15 % of plain, visits are not more."""
    figures = {}
    for name, skipping in (
        ("plain", SkippedActions()),
        ("skip", SkippedActions(kind=kind, threshold=100, after=10_000)),
    ):
        runs = [
            cp.train(SMALL, lossless, iterations=100_000, discount="none", skipping=skipping, seed=seed, progress=False)
            for seed in range(3)
        ]
        figures[name] = np.mean([run.exploitability for run in runs]), np.mean([run.nodes for run in runs])
    assert figures["skip"][0] < 1.15 * figures["plain"][0]
    assert figures["skip"][1] <= figures["plain"][1]


def test_walks_of_any_number_of_seats_solve_two(tmp_path: Path) -> None:
    """With two seats linear external sampling is below 0.05 chips in 100,000 hands, by exact best responses."""
    game = cp.load("limit_holdem(board=[0, 3], ranks=7, suits=1, max_bets=2)")
    cards = HoldemCards(game.deck, 2)
    sizes = [cards.classes(street) for street in range(2)]
    lossless = cp.abstraction("IR-C-C", buckets=sizes, deck=game.deck, cache=tmp_path, progress=False)
    found = cp.train(game, lossless, iterations=100_000, period=1000, progress=False)
    assert found.exploitability is not None
    assert found.exploitability < 0.05


def test_utilities_sum_to_zero() -> None:
    """At every end, with any strengths, what seats win sums to zero (minus the rake)."""
    from counterpoise.sampling.kernels.ends import end_value
    from counterpoise.sampling.tabular import walk_tree

    tree = build_betting_tree(cp.load("no_limit_holdem(seats=4, stacks=[300, 200, 700, 450], sizes=['allin'])"))
    walks = walk_tree(tree, TableLayout.of(tree, [1, 1, 1, 1]))
    random = np.random.default_rng(0)
    for node in np.flatnonzero(~tree.decisions).tolist():
        strengths = random.integers(1, 4, 4).astype(np.uint16)
        won = [end_value(walks, strengths, node, seat) for seat in range(4)]
        assert sum(won) == pytest.approx(0.0, abs=1e-9)


def test_default_menus() -> None:
    """No-limit games without sizes get a menu that two gigabytes hold; games with a menu keep it."""
    assert "50%" in training_game(cp.load("no_limit_holdem")).name
    own = cp.load("no_limit_holdem(sizes=['75%'])")
    assert training_game(own) is own
    six = training_game(cp.load("no_limit_holdem(seats=6, ranks=6, stack=50)"))
    assert six.betting.max_bets == (3, 1, 1, 1)
    tree = build_betting_tree(training_game(cp.load("no_limit_holdem(seats=3, ranks=6, stack=50)")))
    layout = TableLayout.of(tree, [36, 50, 50, 50])
    first, *later = fitting_layout(layout, 4.0 * layout.size)
    assert first == 36
    assert 0 < sum(later) < 150


def test_small_games() -> None:
    assert is_small(cp.load(SMALL), build_betting_tree(cp.load(SMALL)))
    assert not is_small(cp.load("limit_holdem"), build_betting_tree(cp.load("limit_holdem(max_bets=1)")))


def test_what_costs_more_than_the_training_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a fresh machine, before each package of kernels and each stage; a game too large for it is not judged."""

    class Told(SilentProgress):
        def __init__(self) -> None:
            self.lines: list[str] = []

        def begin(self, job: str) -> None:
            self.lines.append(job)

        def show(self, fraction: float | None, figure: str) -> None:
            self.lines.append(figure)

        def note(self, sentence: str) -> None:
            self.lines.append(sentence)

    few = "limit_holdem(board=[0, 3], ranks=5, suits=2, max_bets=2)"
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path))
    monkeypatch.setattr("counterpoise.jobs.driver.needs_compiling", lambda kernels: True)
    told = Told()
    found = cp.train(few, iterations=100, threads=1, progress=told)
    assert found.exploitability is not None
    compiling = "compiling kernels, the first time only: about"
    expected = ["betting tree", compiling, "buckets", compiling, f"training {few}", "exact best responses", compiling]
    places = iter(told.lines)
    assert all(any(line.startswith(word) for line in places) for word in expected), told.lines
    monkeypatch.setattr("counterpoise.blueprint.exact.MOST_HISTORIES", 1000)
    told = Told()
    assert cp.train(few, iterations=100, threads=1, progress=told).exploitability is None
    assert not any("exact best responses" in line for line in told.lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "minutes or iterations"),
        ({"iterations": 0}, "iterations must be"),
        ({"minutes": -1}, "minutes must be above 0"),
        ({"iterations": 10, "method": "magic"}, "external, vector, clusters or cfr-br"),
        ({"iterations": 10, "method": "vector", "skipping": SkippedActions(kind="hand")}, "method external"),
        ({"iterations": 10, "discount": "sometimes"}, "linear or none"),
        ({"iterations": 10, "threads": 0}, "threads must be"),
        ({"iterations": 10, "checkpoint_minutes": -1}, "checkpoint_minutes must be above 0"),
        ({"iterations": 10, "out": "a.training.cpz"}, "out must not end in .training.cpz"),
    ],
)
def test_bad_settings(buckets: CardAbstraction, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        cp.train(LONGER, buckets, progress=False, **arguments)


def test_bad_games_and_files(buckets: CardAbstraction, lossless: CardAbstraction, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hold'em"):
        cp.train("leduc_poker", iterations=10, progress=False)
    with pytest.raises(InputError, match="deck of"):
        cp.train(LONGER, lossless, iterations=10, progress=False)
    buckets.save(tmp_path / "a.cpz")
    with pytest.raises(InputError, match="no checkpoint beside it"):
        cp.train(resume=tmp_path / "a.cpz", iterations=10, progress=False)
    with pytest.raises(InputError, match="game is missing"):
        cp.train(iterations=10, progress=False)
    cp.train(LONGER, buckets, iterations=10, out=tmp_path / "b.cpz", progress=False)
    with pytest.raises(InputError, match="is a training of"):
        cp.train(SMALL, resume=tmp_path / "b.cpz", iterations=20, progress=False)
    with pytest.raises(InputError, match="left out with resume"):
        cp.train(resume=tmp_path / "b.cpz", seed=2, iterations=20, progress=False)


def test_too_little_memory_is_told_first(buckets: CardAbstraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would not fit is refused before it is allocated, with buckets that would fit."""

    class Machine:
        available = 30_000

    monkeypatch.setattr("psutil.virtual_memory", Machine)
    with pytest.raises(InputError, match=r"are free: an abstraction of at most 8, \d+ buckets would fit"):
        cp.train("limit_holdem(board=[0, 3], ranks=4)", buckets, iterations=10, progress=False)


def test_settings_survive_json() -> None:
    settings = TrainSettings(skipping=SkippedActions(kind="regret", weighted=True), seed=5, period=7)
    assert TrainSettings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


def test_full_disk_loses_nothing(buckets: CardAbstraction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be written ends no training: the result is returned, and says why it was not saved."""

    def full(*arguments: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("counterpoise.blueprint.checkpoint.write_checkpoint", full)
    found = cp.train(LONGER, buckets, iterations=50, progress=False, out=tmp_path / "f.cpz")
    assert (found.iterations, found.checkpoint) == (50, None)
    assert "No space" in str(found.unsaved)


PROGRAM = """
import counterpoise as cp
from counterpoise.sampling.external import SkippedActions
game = "limit_holdem(board=[0, 3], ranks=7, suits=1, max_bets=1)"
skipping = SkippedActions(kind="regret", threshold=0.5)
print(cp.train(game, iterations=20, progress=False, seed=2, batch=5, skipping=skipping).blueprint.digest)
print(cp.train(game, iterations=2, progress=False, seed=2, method="vector").blueprint.digest)
"""


@pytest.mark.long
def test_training_without_jit(tmp_path: Path) -> None:
    """With Numba's compiler switched off both walkers write the same bytes."""
    found = []
    for off in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": off, "COUNTERPOISE_CACHE": str(tmp_path)}
        command = [sys.executable, "-W", "error", "-c", PROGRAM]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.split())
    assert found[0] == found[1]


@pytest.mark.parametrize("method", ["external", "vector", "cfr-br"])
def test_damaged_checkpoints_are_refused(buckets: CardAbstraction, method: Any, tmp_path: Path) -> None:
    """Whatever stands in a checkpoint, no walk reads or writes outside of its table."""
    file = checkpoint_of(tmp_path / "a.cpz")
    cp.train(LONGER, buckets, iterations=20, method=method, out=tmp_path / "a.cpz", progress=False)
    header, arrays = read_cpz(file, "training")
    place, table, counts = (arrays[f"walks_{name}"] for name in ("place", "table", "counts"))
    met = np.flatnonzero(place != NOWHERE)
    outside, twice, unknown, poisoned = place.copy(), place.copy(), place.copy(), table.copy()
    outside[met[-1]] = len(table) - 1
    twice[met[-1]] = place[met[0]]
    unknown[met[-1]] = NOWHERE
    poisoned[5] = np.nan
    wrong: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"walks_place": outside}, {}, "do not fill its table"),
        ({"walks_place": twice}, {}, "do not fill its table"),
        ({"walks_place": unknown}, {}, "do not fill its table"),
        ({"walks_place": np.zeros_like(place)}, {}, "do not fill its table"),
        ({"walks_table": poisoned}, {}, "not finite"),
        ({"walks_table": table.astype(np.float64)}, {}, "must hold float32"),
        ({"walks_counts": counts.astype(np.float64)}, {}, "must hold int64"),
        ({"walks_counts": counts - counts - 1}, {}, "holds -1"),
        ({}, {"spent": {}}, "header is incomplete .spent"),
        ({}, {"duels": [{"iteration": 1}]}, "header is incomplete .duels"),
    ]
    for changed, said, words in wrong:
        write_cpz(file, "training", {**header, **said}, arrays | changed)
        with pytest.raises(InputError, match=words):
            cp.train(resume=file, iterations=40, progress=False)
    write_cpz(file, "training", header, {name: one for name, one in arrays.items() if name != "walks_table"})
    with pytest.raises(InputError, match="'walks_table' is missing"):
        cp.train(resume=file, iterations=40, progress=False)
