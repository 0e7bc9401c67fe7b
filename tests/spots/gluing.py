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


def glued(solution, found):
    """What a best response of the searcher's opponent wins once the new strategy is in the place of the old one."""
    tree, seat = solution.tree, ("oop", "ip").index(found.searcher)

    def both(new, old, step):
        pairs = ((found, new), (solution, old))
        return tuple(after(solution.spot, part.tree.lines, place, step, found.first) for part, place in pairs)

    kept = {name: array.copy() for name, array in tree.arrays().items()}
    stack = [(found.start._replace(line=0, decision=0), solution.places(found.first)[-1])]
    try:
        while stack:
            new, old = stack.pop()
            board, _ = tree.find(old.cards)
            if new.decision == DEALING:
                for card in next_cards(solution.spot, old.cards):
                    stack.append(both(new, old, format_card(card)))
                continue
            decision = tree.lines[old.line].decisions[old.decision]
            assert decision.actions == found.tree.lines[new.line].decisions[new.decision].actions
            if decision.player == seat:
                known = found.tree.deck.hand_table
                rows = found.tree.behaviour(new.line, new.decision, new.cards)
                by_hand = np.zeros((len(rows), found.tree.deck.hand_count))
                by_hand[:, known[found.tree.hands[seat][:, 0], found.tree.hands[seat][:, 1]]] = rows
                own = tree.hands[seat][tree.tables_of[board].hands[seat]]
                tree.set_average(old.line, old.decision, board, by_hand[:, known[own[:, 0], own[:, 1]]])
            for action in decision.actions:
                if solution.spot.betting.apply(old.state, action).to_act != cp.TERMINAL:
                    stack.append(both(new, old, action))
        return float(tree.best_response_values()[1 - seat])
    finally:
        for name, array in tree.arrays().items():
            array[...] = kept[name]
