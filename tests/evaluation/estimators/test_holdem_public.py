"""AIVAT with the ranges of both seats: no bias by exact enumeration, whatever the values, and small spread."""

from __future__ import annotations

import zlib
from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.evaluation.estimators import holdem_public
from counterpoise.evaluation.estimators.holdem_aivat import HoldemAivat

from .leduc import hands_of
from .test_holdem_hands import Follower, histories, record_of, sharp

ONE_CARD = "limit_holdem(ranks=7, suits=1, board=[0, 1, 2], max_bets=[1, 0, 0])"
"""One public card and then two, without betting after the first."""
SUITS = 'no_limit_holdem(ranks=2, suits=4, board=[0, 3], stack=3, sizes=[["allin"], ["allin"]])'
"""Boards that differ by their suits alone are alike."""


class NoisyValues:
    """Values that have nothing to do with the hands, but depend on all that a guess may depend on."""

    def pot_shares(self, game, line, boards, ranges, betting=True):
        found = []
        for board, both in zip(boards, ranges, strict=True):
            seed = zlib.crc32(repr((line, tuple(sorted(board)), betting)).encode())
            found.append((np.random.default_rng(seed).uniform(-1, 1, both.shape) * both).sum())
        return np.array(found)


class Valued(Follower):
    """A known player that has values of hands."""

    hand_values = NoisyValues()


@cache
def chances(game: str) -> tuple[np.ndarray, float]:
    """Return how likely each end is under `sharp` play, and what seat 0 wins."""
    hands, flat = hands_of(game), sharp(game)
    return hands.reach(hands.steps(flat))[hands.ends], float(hands.values(flat)[0, 0])


@pytest.mark.slow
@pytest.mark.parametrize(("game", "few"), [(ONE_CARD, 100), (ONE_CARD, 0), (SUITS, 0)])
def test_no_bias_over_all_hands(game, few, monkeypatch):
    """Every hand with its probability, by values that are mere noise; boards one by one, and all that are alike."""
    monkeypatch.setattr(holdem_public, "FEW_BOARDS", few)
    chance, truth = chances(game)
    players = [Valued(game, sharp(game), seat) for seat in (0, 1)]
    aivat = HoldemAivat(hands_of(game).tree.game)
    seen = dict[tuple[str, ...], np.ndarray]()  # the same for all hands that look alike to everybody
    for row in range(len(chance)):
        public = histories(game)[row][2:]
        if public not in seen:
            seen[public] = aivat.hand(record_of(game, row), players)
    won = np.array([seen[history[2:]] for history in histories(game)])
    np.testing.assert_allclose(won.sum(axis=1), 0, atol=1e-12)
    assert np.ptp(won[:, 0]) > 0.5
    assert chance @ won[:, 0] == pytest.approx(truth, abs=1e-9)


def test_the_cards_that_were_held_do_not_matter():
    game = ONE_CARD
    players = [Valued(game, sharp(game), seat) for seat in (0, 1)]
    aivat, by_public = HoldemAivat(hands_of(game).tree.game), dict[tuple[str, ...], list[float]]()
    for row in range(0, len(histories(game)), 3):
        won = aivat.hand(record_of(game, row), players)
        by_public.setdefault(histories(game)[row][2:], []).append(float(won[0]))
    assert max(map(len, by_public.values())) > 1
    for found in by_public.values():
        assert np.ptp(found) == 0


def test_one_known_player_is_judged_by_equity():
    """Values stand for ranges; where one seat is not known its hand is, and equity knows more about it."""
    game, rules = ONE_CARD, hands_of(ONE_CARD).tree.game
    players = [Valued(game, sharp(game), 0), None]
    for row in (3, 300, 600):
        own, equity = (HoldemAivat(rules, guess).hand(record_of(game, row), players) for guess in ("own", "equity"))
        np.testing.assert_array_equal(own, equity)


@pytest.mark.long
def test_whole_holdem_between_copies_of_a_blueprint():
    """What copies win from each other is 0 on average, and the spread is a small part of that of money."""
    agents = ["blueprint", "blueprint"]
    found = cp.match("no_limit_holdem", agents, 100, seed=3, duplicate=True, aivat=True, progress=False)
    agent = found.agents[0]
    assert abs(agent.aivat_mean) <= 4 * agent.aivat_deviation / np.sqrt(100)
    assert agent.aivat_deviation < agent.deviation / 2
