"""Estimates from some of the first deals: exact where nothing is left out, unbiased before the answer is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.evaluation.best_response.answer import WalkPlan, answer_players
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.sample import draw_deals, judge_sample
from counterpoise.evaluation.best_response.walk import BestResponseWalk
from counterpoise.store.cpz import read_header

from .players import Alike

GAME = "limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=2)"


class ByRank(Alike):
    """Plays a third of the hands differently in every line."""

    def play_on_boards(self, lines: Any) -> Any:
        alike = super().play_on_boards(lines)(())
        table = np.concatenate([alike.table, np.roll(alike.table, 1, axis=0), 0.5 * alike.table], axis=1)
        table[:, 2, 0] += 0.5  # the first action is legal everywhere
        group = (self.game.deck.hands // self.game.deck.suits).sum(axis=1) % 3
        table[:, 1] = table[:, 2]
        return lambda board: alike._replace(group=group.astype(np.int64), table=table)


def seated(game: Any) -> tuple[ByRank, ByRank]:
    return ByRank("always-raise", game, 0), ByRank("always-raise", game, 1)


def answered(**settings: Any) -> Any:
    game = cp.load(GAME)
    plan = WalkPlan(**{name: settings.pop(name) for name in WalkPlan._fields if name in settings})
    return answer_players(game, seated(game), "test", progress=False, plan=plan, **settings)


@pytest.fixture(scope="module")
def walk() -> BestResponseWalk:
    game: Any = cp.load(GAME)
    return BestResponseWalk(LimitBetting.of(game), seated(game))


@pytest.mark.slow
def test_all_samples_together(walk: BestResponseWalk) -> None:
    """The mean over draws is at most the exact value, and near it; most intervals hold it.

    Pairs leave nothing out, so that what is found is exactly what an answer wins that half of the deals made.
    """
    values = {number: walk.unit(number, cp.CancelToken()) for number in range(len(walk.deals))}
    exact = walk.total(tuple(np.sum([values[number][seat] for number in values], axis=0) for seat in range(2)))
    found = [judge_sample(walk, draw_deals(walk, 14, seed), values) for seed in range(20)]
    means = np.array([one.best.mean() for one in found])
    widths = np.array([one.half_width for one in found])
    error = means.std(ddof=1) / np.sqrt(len(means))
    assert means.mean() <= exact.mean() + 3 * error
    assert means.mean() >= exact.mean() - 0.1 * abs(exact.mean()) - 3 * error
    assert (np.abs(means - exact.mean()) <= widths).mean() > 0.8
    pairs = judge_sample(walk, draw_deals(walk, 28, 0), values)
    assert (0.9 * exact < pairs.best).all()
    assert (pairs.best <= exact).all()
    assert pairs.half_width == 0


@pytest.mark.slow
def test_a_sample_becomes_a_whole_walk(tmp_path: Path) -> None:
    """What a sample has walked is kept, and a walk over all continues from it to the same figure."""
    file, whole = tmp_path / "walk.cpz", answered()
    some = answered(flops=8, seed=3, resume=file)
    assert (some.flops, some.finished, some.value_bracket) == (8, 1, None)
    assert some.half_width > 0
    assert read_header(file)["summed"] == 0
    again = answered(flops=8, seed=3, threads=2)
    assert (again.best_response_value, again.half_width) == (some.best_response_value, some.half_width)
    all_of_them = answered(resume=file)
    assert all_of_them.best_response_value == whole.best_response_value == answered(flops=28).best_response_value
    assert whole.half_width is None
    with pytest.raises(cp.InputError, match="continue it without flops"):
        answered(flops=8, resume=file)


@pytest.mark.parametrize(
    ("flops", "sentence"), [(2, "flops must be a whole number from 4 to 28"), (7, "flops must be even, not 7")]
)
def test_wrong_numbers_of_flops(walk: BestResponseWalk, flops: int, sentence: str) -> None:
    with pytest.raises(cp.InputError, match=sentence):
        draw_deals(walk, flops, 0)


def test_only_walks_are_sampled() -> None:
    with pytest.raises(cp.InputError, match="flops must be left out here: the game is enumerated"):
        cp.best_response_to("kuhn_poker", "always-call", flops=4, progress=False)
