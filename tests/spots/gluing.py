"""Searches put into the trees they come from, so that exact best responses judge the whole."""

from __future__ import annotations

import numpy as np

import counterpoise as cp
from counterpoise.public import Traverser
from counterpoise.spots.paths import next_cards


def at_random(spot, seed):
    """A solution whose strategies are drawn at random, on every board."""
    generator = np.random.default_rng(seed)
    solution = cp.solve_spot(cp.Spot(**spot), iterations=1, progress=False, threads=1)
    game = solution.game
    for board, street in enumerate(game.street_of):
        for number, tree in enumerate(game.street_trees):
            for place, decision in enumerate(tree.decisions):
                if tree.street == street:
                    held = int(game.boards.held[decision.player, board])
                    rows = generator.dirichlet(np.ones(len(decision.actions)), held).T
                    solution.stored.average.set_strategy(number, place, board, rows)
    return solution


def rough(spot):
    return cp.solve_spot(cp.Spot(**spot), iterations=10, progress=False, threads=1)


def searched(solution, node=None, **options):
    return cp.search_spot(solution, node, **{"threads": 1, "progress": False, "target": 0.02, **options})


def glued(solution, *searches):
    """What a best response of the searcher's opponent wins once the new strategies are in the place of the old ones.

    Searches for one player, each within the one before. The searcher may have dropped bets of the solution, which it
    then never makes, and the opponent may have got new ones, which the solution's tree does not have.
    """
    seat, profile = ("oop", "ip").index(searches[0].searcher), solution.stored.average.copy()
    assert all(found.searcher == searches[0].searcher for found in searches)
    for found in searches:
        _glue(solution, profile, found, seat)
    return best_responses(profile)[1 - seat]


def best_responses(profile):
    """What best responses of both players win."""
    return Traverser(profile.game).best_response_values(profile)


def _glue(solution, profile, found, seat):
    game, new_game = solution.game, found.game
    stack = [(new_game.root, solution.node(found.first).at)]
    while stack:
        new, old = stack.pop()
        if old.kind == "deal":
            stack += [(new.deal(card), old.deal(card)) for card in next_cards(solution.spot, old.dealt)]
        if old.kind != "decision":
            continue
        assert (old.located.renamed == np.arange(52)).all()  # else the hands of this board would be another's
        fewer, more = (new.actions, old.actions) if old.player == seat else (old.actions, new.actions)
        assert set(fewer) <= set(more)
        if old.player == seat:
            rows = np.zeros((len(old.actions), game.hand_counts[seat]))
            chosen = game.from_hands_of(new_game, seat, new.strategy(found.stored.average))
            rows[[old.actions.index(action) for action in new.actions]] = chosen
            old.set_strategy(profile, rows)
        stack += [(new.child(action), old.child(action)) for action in fewer]
