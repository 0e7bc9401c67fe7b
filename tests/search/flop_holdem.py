"""Flop hold'em for tests of search: a blueprint, the game in which the searcher lacks bets, and ways through both."""

from functools import cache
from itertools import pairwise

import numpy as np

from counterpoise.public import Traverser
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.search import NestedSearch
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm

KNOWN, ALL = ("50%", "100%"), ("50%", "75%", "100%")
SMALL = (1, 2)  # no bet before the flop, where the big blind is not even asked; two on it
METHODS = {
    "resolve": NestedSearch(method="resolve"),
    "maxmargin": NestedSearch(method="maxmargin"),
    "reach": NestedSearch(method="maxmargin", gifts=True),
    "unsafe": NestedSearch(method="unsafe", start="before"),
    "expensive": NestedSearch(method="maxmargin", gifts=True, start="before"),
    "expected": NestedSearch(method="resolve", expected=True),
}


def game(words, max_bets=(2, 3), ranks=2):
    return FlopHoldem(ranks, preflop=words, flop=words, max_bets=max_bets)


def judged(searcher, max_bets=(2, 3), ranks=2):
    """The game in which the searcher lacks bets of 3/4."""
    return game((KNOWN, ALL) if searcher == 0 else (ALL, KNOWN), max_bets, ranks).game()


def iterate(game, iterations=300):
    """The average strategies after some iterations."""
    solver = PublicSolver(make_algorithm("dcfr"), game)
    solver.step(iterations)
    return solver.average


@cache
def blueprint(max_bets=(2, 3), ranks=2):
    return iterate(game(KNOWN, max_bets, ranks).game())


def best_responses(profile):
    return Traverser(profile.game).best_response_values(profile)


def settings(name, iterations=100):
    chosen = METHODS[name]
    return NestedSearch(**{**chosen.__dict__, "algorithm": "dcfr", "iterations": iterations})


def decisions(game, player):
    """All decisions of a player on all expanded boards."""
    return [node for node in game.root.decisions_below() if node.player == player]


def flop(game, number):
    """The cards of an expanded board."""
    return game.board_nodes[number].cards


def follow(game, *actions, cards=()):
    """The node after actions, the flop being dealt where it is due."""
    node = game.root
    for action in actions:
        node = node.child(action)
        if node.kind == "deal":
            node = node.deal(cards)
    return node


def deck_reach(node, profile, player):
    return node.game.scatter_to_deck(player, node.reach(profile)[player])


def on_the_deck(found, player):
    """A player's reach where play goes on after an answer, by hand of the deck."""
    return deck_reach(found.node, found.profile, player)


def same_strategies(profile, other, player):
    for node in decisions(profile.game, player):
        mirror = other.game.root
        for above, after in pairwise(node.path()):
            if above.kind == "deal":
                mirror = mirror.deal(after.dealt[len(above.dealt) :])
            else:
                mirror = mirror.child(next(action for action, child in above.children() if child == after))
        np.testing.assert_allclose(node.strategy(profile), mirror.strategy(other), atol=1e-6)
