"""Training with tilted payoffs: what is trained is the tilted game, what is measured the true one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.blueprint.exact import tabulate
from counterpoise.blueprint.settings import TrainSettings
from counterpoise.errors import InputError
from counterpoise.exploit.tilt import Tilt, tilted
from counterpoise.sampling import build_betting_tree
from counterpoise.sampling.kernels.ends import end_value, tilted as tilted_value
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import walk_tree
from counterpoise.sampling.vectors import paid_by_result
from counterpoise.tree.evaluation import evaluate
from tests.blueprint.conftest import SMALL

TILT = PayoffTilt(50, -20, 10, 30)
STRONG = PayoffTilt(200, -50, 40, 60)


def test_ends_pay_what_the_tilt_says() -> None:
    """Each way to end a hand has its percentage, by the rule that other tilted games use."""
    tree = build_betting_tree(cp.load("limit_holdem(ranks=6)"))
    walks = walk_tree(tree, TableLayout.of(tree, [1, 1, 1, 1]), TILT)
    paid, shown = paid_by_result(tree, TILT)
    random = np.random.default_rng(0)
    for node in random.choice(np.flatnonzero(~tree.decisions), 300, replace=False).tolist():
        row = int(tree.arrays.end[node])
        for outcome, strengths in enumerate(([0, 1], [1, 1], [1, 0])):
            hands = np.array(strengths, dtype=np.uint16)
            for seat in range(2):
                won = end_value(walks, hands, node, seat)
                expected = TILT.apply(won, folded=not shown[row])
                assert tilted_value(walks, node, seat, won) == pytest.approx(expected)
                assert paid[row, seat, outcome if seat == 0 else 2 - outcome] == pytest.approx(expected)


def test_with_three_seats_a_folder_pays_its_own_percentage() -> None:
    """A seat that folds loses by folding, also where the others show their hands."""
    tree = build_betting_tree(cp.load("no_limit_holdem(seats=3, stack=3, sizes=['allin'])"))
    walks = walk_tree(tree, TableLayout.of(tree, [1, 1, 1, 1]), TILT)
    node = tree.node_after(("f", "b300", "c"))
    hands = np.array([3, 2, 1], dtype=np.uint16)
    won = [end_value(walks, hands, node, seat) for seat in range(3)]
    assert won == [300.0, -300.0, 0.0]
    assert [tilted_value(walks, node, seat, won[seat]) for seat in range(2)] == [450.0, -240.0]
    over = tree.node_after(("b300", "f", "f"))
    won = [end_value(walks, hands, over, seat) for seat in range(3)]
    assert won == [-50.0, -100.0, 150.0]
    assert [tilted_value(walks, over, seat, won[seat]) for seat in range(3)] == pytest.approx([-55.0, -110.0, 195.0])


@pytest.mark.long
@pytest.mark.parametrize(("method", "iterations"), [("external", 30_000), ("vector", 500)])
def test_it_solves_the_tilted_game(lossless: CardAbstraction, method: str, iterations: int) -> None:
    """NashConv of the tilted rules, enumerated, is far smaller than that of what is trained for the true game."""
    options: dict[str, Any] = {"iterations": iterations, "method": method, "progress": False}
    true = cp.train(SMALL, lossless, **options)
    other = cp.train(SMALL, lossless, tilt=STRONG, **options)
    tree, plain = cp.enumerate_game(tilted(SMALL, Tilt(**STRONG._asdict()))), cp.enumerate_game(SMALL)
    found = {}
    for name, run in (("true", true), ("tilted", other)):
        found[name] = evaluate(tree, tabulate(run.blueprint, plain)).nash_conv
    assert found["tilted"] < found["true"] / 3
    assert other.exploitability is not None
    assert true.exploitability is not None
    assert other.exploitability > 2 * true.exploitability  # judged in the true game


def test_settings_are_checked_and_kept() -> None:
    settings = TrainSettings(tilt=TILT)
    assert TrainSettings.from_json(settings.to_json()) == settings
    old = TrainSettings().to_json()
    del old["tilt"]
    assert TrainSettings.from_json(old) == TrainSettings()
    with pytest.raises(InputError, match=r"tilt: win_fold must be a number from -100 to 1000, not 2000"):
        TrainSettings(tilt=PayoffTilt(win_fold=2000))
