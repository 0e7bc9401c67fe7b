"""Enumeration: sizes, layout, and refusals."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.tree import Strategy, enumerate_game, estimate_nodes

SIZES = [  # name, histories, terminals, infosets, sequences per player (BROWN 2.4 and recounts)
    ("kuhn_poker", 55, 30, 12, (13, 13)),
    ("leduc_poker", 1_936, 1_116, 288, (337, 337)),
    ("leduc_poker(merge_suits=False)", 9_451, 5_520, 936, (1_093, 1_093)),
    ("goofspiel(cards=3)", 139, 36, 92, (58, 58)),
    ("goofspiel(cards=4)", 2_229, 576, 1_474, (917, 917)),
    ("goofspiel", 55_731, 14_400, 36_852, (22_906, 22_906)),
    ("liars_dice(dice=1, faces=4)", 8_177, 4_080, 1_024, (1_021, 1_021)),
    ("liars_dice(dice=1, faces=5)", 51_176, 25_575, 5_120, (5_116, 5_116)),
    ("leduc5", 269_560, 177_684, 34_224, (50_233, 50_233)),
    ("liars_dice(dice=1, faces=6)", 294_877, 147_420, 24_576, (24_571, 24_571)),
]


@pytest.mark.parametrize(("name", "nodes", "terminals", "infosets", "sequences"), SIZES)
def test_sizes(name, nodes, terminals, infosets, sequences):
    """Check 1: published and recounted sizes, exactly."""
    tree = enumerate_game(cp.load(name))
    assert (tree.nodes, tree.terminals, tree.infosets) == (nodes, terminals, infosets)
    assert tuple(tree.sequences) == sequences


@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker"])
def test_layout(name):
    """Parents before children, children together, probabilities of a chance node's children sum to 1."""
    tree = enumerate_game(cp.load(name))
    h = tree.histories
    assert (h.parent[1:] < np.arange(1, tree.nodes)).all()
    for node in np.flatnonzero(h.player != TERMINAL):
        children = np.arange(h.first_child[node], h.first_child[node] + h.children[node])
        assert (h.parent[children] == node).all()
        if h.player[node] == CHANCE:
            assert h.probability[children].sum() == pytest.approx(1)
        else:
            assert h.children[node] == len(tree.table.actions[h.infoset[node]])
            assert h.player[node] == tree.table.owner[h.infoset[node]]
    assert (tree.form.parent < tree.form.start).all()
    assert (tree.table.start == tree.form.start).all()
    assert tree.table.size == tree.sequences.sum()


def test_payoff_table_reproduces_uniform_play():
    """The expected value under uniform play equals a walk over the rules themselves."""
    game = cp.load("leduc_poker")

    def walk(state):
        who = game.player(state)
        if who == TERMINAL:
            return game.payoffs(state)[0]
        if who == CHANCE:
            return sum(p * walk(game.next(state, outcome)) for outcome, p in game.chance(state))
        actions = game.actions(state)
        return sum(walk(game.next(state, action)) for action in actions) / len(actions)

    uniform = Strategy.uniform(enumerate_game(game))
    assert cp.expected_value(game, uniform)[0] == pytest.approx(walk(game.initial()), abs=1e-12)


def test_size_estimate_is_close():
    estimate = estimate_nodes(cp.load("leduc_poker"), probes=2000)
    assert abs(estimate.nodes - 1_936) < 4 * estimate.error < 500


def test_refuses_what_does_not_fit():
    """The refusal names the size, the memory it needs and the memory there is, before that memory is taken."""
    with pytest.raises(cp.InputError, match=r"too large to enumerate: about .* histories need .* 2.0 MB may be used"):
        enumerate_game(cp.load("liars_dice(dice=1, faces=7)"), memory_limit=2_000_000)
    with pytest.raises(cp.InputError, match="too large to enumerate"):
        enumerate_game(cp.load("goofspiel(cards=8)"))


def test_progress_is_reported():
    seen = []
    enumerate_game(
        cp.load("goofspiel(cards=5, order=descending)"), progress=lambda n, expected: seen.append((n, expected))
    )
    assert seen
    assert all(nodes <= expected for nodes, expected in seen)


class _Broken:
    """A coin game with one fault, chosen by name."""

    players = 2

    def __init__(self, fault):
        self.fault = fault

    def initial(self):
        return ""

    def player(self, state):
        if not state:
            return CHANCE
        return TERMINAL if len(state) == 3 else 7 if self.fault == "player" else 0

    def chance(self, state):
        return [("h", 0.5), ("t", 0.4 if self.fault == "chance" else 0.5)]

    def actions(self, state):
        if self.fault == "actions" and state.startswith("t"):
            return ("a", "c")
        return () if self.fault == "none" else ("a", "b")

    def next(self, state, action):
        return state + action

    def infoset(self, state):
        if self.fault == "recall":
            return "same"
        return f"after {state[1:]}" if self.fault == "actions" else state

    def payoffs(self, state):
        return (float("nan"), 0.0) if self.fault == "payoffs" else (1.0, -1.0)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("chance", "chance probabilities sum to 0.9 instead of 1"),
        ("recall", "imperfect recall: player 0 reaches infoset 'same'"),
        ("actions", "has actions"),
        ("none", "has no action"),
        ("payoffs", "payoffs must be 2 finite numbers"),
        ("player", "player 7 is neither a seat"),
    ],
)
def test_faulty_games_are_refused(fault, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        enumerate_game(_Broken(fault))
    enumerate_game(_Broken("nothing"))
