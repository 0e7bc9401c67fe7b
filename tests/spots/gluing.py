"""Searches put into the trees they come from, so that exact best responses judge the whole."""

from __future__ import annotations

import numpy as np

import counterpoise as cp
from counterpoise.cards import format_card
from counterpoise.spots.paths import DEALING, after, next_cards


def at_random(spot, seed):
    """A solution whose strategies are drawn at random, on every board."""
    generator = np.random.default_rng(seed)
    solution = cp.solve_spot(cp.Spot(**spot), iterations=1, progress=False, threads=1)
    tree = solution.tree
    for board, table in enumerate(tree.tables_of):
        for number, line in enumerate(tree.lines):
            for place, decision in enumerate(line.decisions):
                if line.street == table.street:
                    held = len(table.hands[decision.player])
                    tree.set_average(number, place, board, generator.dirichlet(np.ones(len(decision.actions)), held).T)
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
    tree, seat = solution.tree, ("oop", "ip").index(searches[0].searcher)
    assert all(found.searcher == searches[0].searcher for found in searches)
    kept = {name: array.copy() for name, array in tree.arrays().items()}
    try:
        for found in searches:
            _glue(solution, found, seat)
        return float(tree.best_response_values()[1 - seat])
    finally:
        for name, array in tree.arrays().items():
            array[...] = kept[name]


def _glue(solution, found, seat):
    tree, known = solution.tree, found.tree.deck.hand_table

    def both(new, old, step):
        pairs = ((found, new), (solution, old))
        return tuple(after(solution.spot, part.tree.lines, place, step, found.first) for part, place in pairs)

    stack = [(found.start._replace(line=0, decision=0), solution.places(found.first)[-1])]
    while stack:
        new, old = stack.pop()
        board, renamed = tree.find(old.cards)
        assert (renamed == np.arange(52)).all()  # else the hands of this board would be another's
        if new.decision == DEALING:
            for card in next_cards(solution.spot, old.cards):
                stack.append(both(new, old, format_card(card)))
            continue
        actions = tree.lines[old.line].decisions[old.decision].actions
        found_actions = found.tree.lines[new.line].decisions[new.decision].actions
        fewer, more = (found_actions, actions) if old.state.to_act == seat else (actions, found_actions)
        assert set(fewer) <= set(more)
        if old.state.to_act == seat:
            by_hand = np.zeros((len(actions), found.tree.deck.hand_count))
            for action, row in zip(found_actions, found.tree.behaviour(new.line, new.decision, new.cards), strict=True):
                by_hand[actions.index(action), known[found.tree.hands[seat][:, 0], found.tree.hands[seat][:, 1]]] = row
            own = tree.hands[seat][tree.tables_of[board].hands[seat]]
            tree.set_average(old.line, old.decision, board, by_hand[:, known[own[:, 0], own[:, 1]]])
        for action in fewer:
            if solution.spot.betting.apply(old.state, action).to_act != cp.TERMINAL:
                stack.append(both(new, old, action))
