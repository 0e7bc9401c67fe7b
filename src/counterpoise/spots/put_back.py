"""Put a search back into the solution that it was made in: the searcher plays the new strategies, the rest stays.

The guarantee is that of the search: in the whole spot the opponent can win at most `guarantee_in` chips more against
the searcher than before. A search on one card is put in on all isomorphic cards, so its cost counts once for each of
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from counterpoise.betting.sizes import label
from counterpoise.betting.words import seat_of
from counterpoise.errors import InputError
from counterpoise.public import Profile, PublicNode
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots.engine import make_solver
from counterpoise.spots.paths import next_cards
from counterpoise.spots.rivers import StoredStrategies
from counterpoise.spots.search.result import SpotSearch
from counterpoise.spots.solution import Solution, share_of_pot

ROUNDING = 1e-3
"""The largest difference between the ranges at the node and those that were searched: files hold rounded numbers."""


def put_into(found: SpotSearch, solution: Solution) -> Solution:
    """Return the solution with the new strategy of the searcher in place of the old one; nothing else changes.

    It can be saved and walked like any other, and its exploitability and EV are measured anew. Resuming it continues to
    solve the whole spot, and averages the search away.
    """
    seat, at = seat_of(found.searcher), _require_fit(found, solution)
    solver = solution.solver
    assert isinstance(solver, PublicSolver)
    pairs = list(_pairs(found, solution, at, seat))
    changed = make_solver(solver.settings, solution.game, 1, solution.bits)
    assert isinstance(changed, PublicSolver)
    changed.restore(solver.state())
    for old, new in pairs:
        old.set_strategy(changed.average, _rows(old, new, found.stored.average, seat))
    return replace(
        solution,
        ev=share_of_pot(changed.values(), solution.spot.pot),
        exploitability_pct=100 * changed.exploitability() / solution.spot.pot,
        stored=StoredStrategies(solution.game, changed.average),
        solver=changed,
    )


def guarantee_in(found: SpotSearch, solution: Solution) -> float:
    """Return the most that the opponent can gain in the whole spot by the search in it, in chips; nan if unknown."""
    return found.cost_before + solution.game.deals_alike(found.start.cards) * found.cost


def _require_fit(found: SpotSearch, solution: Solution) -> PublicNode:
    """Return the node of the solution at which the search was made, if the search can be put there."""
    if found.facing is not None:
        raise InputError(
            f"the tree of the solution has no {found.facing_name} at node {found.id!r}: an answer to it cannot be put "
            "in, keep it as a file of its own"
        )
    if found.spot.to_dict() != solution.spot.to_dict():
        raise InputError("the search is of another spot than the solution, and cannot be put into it")
    if not isinstance(solution.solver, PublicSolver):
        raise InputError(
            "a search can be put only into a solution that was saved with its rivers, and that a variant of CFR made"
        )
    node, seat = solution.node(found.first), seat_of(found.searcher)
    arriving = found.game.from_hands_of(solution.game, seat, node.reaches[seat])
    if not np.allclose(arriving, found.game.weights[seat], rtol=ROUNDING, atol=ROUNDING):
        raise InputError(
            f"the search was made in another solution of this spot: {found.searcher} arrives at {found.first} with "
            "another range"
        )
    return node.at


def _pairs(found: SpotSearch, solution: Solution, at: PublicNode, seat: int) -> Iterator[tuple[PublicNode, PublicNode]]:
    """Yield the searcher's decisions in the solution, each with that of the search; refused if bets do not fit."""
    stack = [(at, found.game.root)]
    while stack:
        old, new = stack.pop()
        if old.kind == "deal":
            stack += [(old.deal(card), new.deal(card)) for card in next_cards(solution.spot, old.dealt)]
        if old.kind != "decision":
            continue
        fewer, more = (new.actions, old.actions) if old.player == seat else (old.actions, new.actions)
        if not set(fewer) <= set(more):
            bets = ", ".join(label(action) for action in fewer if action not in more)
            raise InputError(
                f"the search has other bets than the solution ({bets}): solve the spot with them before a search is "
                "put in"
            )
        if old.player == seat:
            yield old, new
        stack += [(old.child(action), new.child(action)) for action in fewer]


def _rows(old: PublicNode, new: PublicNode, average: Profile, seat: int) -> np.ndarray:
    """Return the searcher's new strategy at a decision of the solution, [action, hand]; bets it has dropped get 0."""
    found = np.zeros((len(old.actions), old.game.hand_counts[seat]))
    chosen = old.game.from_hands_of(new.game, seat, new.strategy(average))
    found[[old.actions.index(action) for action in new.actions]] = chosen
    return found
