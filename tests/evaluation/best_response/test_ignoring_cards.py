"""Best responses to players who ignore their cards: [2-4] hold'em, and enumerated trees of small games.

The whole game is in tests/reproduce/test_trivial_agents.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents.simple import PokerAgent
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.ignoring_cards import answer_players_without_cards
from counterpoise.games.known import Behaviour
from counterpoise.jobs.pieces import Work
from counterpoise.tree.evaluation import evaluate

TRIVIAL = ("always-fold", "always-call", "always-raise", "probe")


def answers(game, names, threads=1):
    """The best responses to several agents by seat, in mbb."""
    rules = cp.load(game)
    players = [tuple(cp.make_agent(name).sit(rules, seat, Random(0)) for seat in range(2)) for name in names]
    found = answer_players_without_cards(LimitBetting.of(rules), players, Work(threads))
    return dict(zip(names, found * 1000 / rules.blinds[1], strict=True))


def test_two_rounds():
    """[2-4] hold'em of 52 cards."""
    found = answers("limit_holdem(board=[0, 3])", ("always-call", "always-raise"))
    np.testing.assert_allclose(found["always-call"], 645.472, atol=1e-3)
    np.testing.assert_allclose(found["always-raise"], 2072.281, atol=1e-3)


SMALL = [
    "board=[0, 3], ranks=4, suits=2, bets=[1, 3], max_bets=[3, 1], ante=1",
    "board=[3, 1], ranks=4, suits=2, max_bets=1",
    "board=[0, 0, 3], ranks=4, suits=2, max_bets=[1, 1, 1]",
    "board=[0, 2, 1, 1], ranks=8, suits=1, max_bets=[1, 1, 0, 1]",
    "board=[0, 3, 1], ranks=4, suits=2, stack=2, max_bets=[2, 1, 1]",
    "board=[4], ranks=4, suits=2, max_bets=2",
    "board=[0, 4], ranks=4, suits=2, rake=5, rake_cap=1, max_bets=[2, 1]",
]


@pytest.mark.long
@pytest.mark.parametrize("fields", SMALL)
def test_like_the_enumerated_tree(fields):
    game = f"limit_holdem({fields})"
    tree = cp.enumerate_game(game)
    names = (*TRIVIAL, "random")
    found = answers(game, names)
    for name in names:
        best = evaluate(tree, cp.make_agent(name).tabulate(tree)).best
        np.testing.assert_allclose(found[name], best * 1000 / tree.game.blinds[1], rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.long
def test_four_rounds_like_the_enumerated_tree():
    game = "limit_holdem(ranks=3, suits=3, max_bets=[1, 0, 0, 1])"
    tree = cp.enumerate_game(game)
    best = evaluate(tree, cp.make_agent("probe").tabulate(tree)).best
    np.testing.assert_allclose(answers(game, ["probe"])["probe"], best * 500, atol=1e-9)


def test_threads_change_nothing():
    one, two = (answers("limit_holdem(board=[0, 3, 1], ranks=6)", ["probe"], threads)["probe"] for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


@dataclass
class Pretender(PokerAgent):
    """Says that it ignores its cards, and folds one hand."""

    def weigh(self, game, actions, infoset):
        return {"c": 1.0}

    def probabilities(self, public):
        found = super().probabilities(public)
        table = np.hstack([found.table, np.zeros((len(found.table), 1))])
        table[-1] = [0, 1]
        return Behaviour(found.hands, ("c", "f"), table)


def test_who_says_so_and_does_not_ignore_cards_is_refused():
    rules = cp.load("limit_holdem(board=[0, 3], ranks=4)")
    players = tuple(Pretender().sit(rules, seat, Random(0)) for seat in range(2))
    with pytest.raises(cp.InputError, match="says that it ignores its cards, but plays hands differently after"):
        answer_players_without_cards(LimitBetting.of(rules), [players], Work(1))
