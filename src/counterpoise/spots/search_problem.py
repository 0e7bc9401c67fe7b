"""What a search in a solved spot is about: a node, a searcher, bet sizes, perhaps a bet the solution does not know.

Checked before anything is built; then the tree to solve and the alternatives of the opponent's hands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games.bet_sizes import STREETS, BetSizes, node_id, read_node
from counterpoise.games.betting import Action, BettingState
from counterpoise.public import HoldemTree, Start
from counterpoise.public.lines import Line, build_lines
from counterpoise.spots.actions import PLAYERS, seat_of
from counterpoise.spots.estimate import free_memory_mb
from counterpoise.spots.node import NEVER, Decision, Reaches
from counterpoise.spots.paths import DEALING, Place, after, find
from counterpoise.spots.rivers import RiverlessTree
from counterpoise.spots.solution import Solution
from counterpoise.spots.spot import SizeTable, Spot
from counterpoise.spots.tree_count import count_betting

METHODS = ("resolve", "maxmargin", "unsafe")
LEAST = 1e-5
"""The share of the searcher's range that a hand must meet to count: less is lost in the rounding of the tables."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """What is searched: a node of a solution, by whom, with which sizes, perhaps after a bet that is not known."""

    at: Decision
    start: Place
    searcher: int
    tables: dict[str, SizeTable]
    """Of bet sizes, by street."""
    method: str

    def find_place(self, id: str) -> Place:
        """A node at or below the start, before anything is solved; refused if there is none."""
        spot = self.at.spot
        sizes = BetSizes.read(self.tables, spot.first_round)
        return find_below(spot, self.start, build_lines(spot.betting, sizes, self.start.state), id)[-1]

    def tree(self, bits: int | None, memory_mb: float | None) -> HoldemTree:
        """The tree to solve, if it fits into memory."""
        at, deck = self.at, self.at.spot.card_deck
        reach = [np.zeros(deck.hand_count), np.zeros(deck.hand_count)]
        for seat, hands in enumerate(at.tree.hands):
            reach[seat][deck.hand_table[hands[:, 0], hands[:, 1]]] = at.reaches[seat]
        return build_part(at.spot, self.start, self.tables, (reach[0], reach[1]), bits, memory_mb)

    def alternatives(self, tree: HoldemTree) -> Numbers:
        """What each hand of the opponent can win at the node against the solution, in the order of the tree's rows."""
        return self._in_rows(tree, self._best)

    def named(self, tree: HoldemTree) -> tuple[list[str], Numbers]:
        """The opponent's hands and what of them arrives under the solution, in the order of the tree's rows."""
        opponent = 1 - self.searcher
        names = np.array(self.at.hand_names[opponent], dtype=object)
        return self._in_rows(tree, names).tolist(), self._in_rows(tree, self.at.reaches[opponent])

    @cached_property
    def _best(self) -> Numbers:
        opponent, place = 1 - self.searcher, self.at.place
        best = self.at.tree.best_values(opponent, place.line, place.decision, place.cards)
        mass = self.at.masses[opponent]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(mass > 0, best / mass, np.nan)

    def _in_rows(self, tree: HoldemTree, by_hand: NDArray[Any]) -> NDArray[Any]:
        """Figures of the solution's hands of the opponent, as the rows at the root of the new tree have them."""
        opponent = 1 - self.searcher
        hands = self.at.spot.card_deck.hand_table
        known, wanted = (hands[own[:, 0], own[:, 1]] for own in (self.at.tree.hands[opponent], tree.hands[opponent]))
        return by_hand[np.searchsorted(known, wanted)][tree.tables_of[0].hands[opponent]]


def build_part(
    spot: Spot,
    start: Place,
    tables: Mapping[str, SizeTable],
    reach: Reaches,
    bits: int | None = None,
    memory_mb: float | None = None,
) -> HoldemTree:
    """The tree of a spot from a place on, for what of each hand of the deck arrives there; refused if too large."""
    sizes = BetSizes.read(tables, spot.first_round)
    begin = Start(start.state, (1,) * (len(start.cards) - len(spot.cards)), reach)
    rules = (start.cards, spot.ranges, spot.betting, sizes, spot.card_deck)
    size = HoldemTree.size(*rules, start=begin)
    free = free_memory_mb() if memory_mb is None else memory_mb
    choices = (32, 16) if bits is None else (bits,)
    fitting = [choice for choice in choices if size.megabytes[choice] <= free]
    if not fitting:
        raise InputError(
            f"the search needs {size.megabytes[choices[-1]]:,.0f} MB of memory with {choices[-1]} bits, and "
            f"{free:,.0f} MB may be used: give fewer bet sizes"
        )
    return HoldemTree(*rules, bits=fitting[0], start=begin)


def make_problem(
    solution: Solution,
    node: str,
    searcher: str | None,
    facing: int | str | None,
    sizes: Mapping[str, Mapping[str, Any]] | None,
    method: str,
    *,
    known: bool = False,
) -> Problem:
    """What to search, checked; `known` allows to face a bet as though the solution did not know it."""
    spot = solution.spot
    if method not in METHODS:
        raise InputError(f"method must be {', '.join(METHODS[:-1])} or {METHODS[-1]}, not {method!r}")
    if isinstance(solution.tree, RiverlessTree):
        raise InputError("the solution has no river strategies to search against: save it whole")
    if spot.lock:
        raise InputError("the spot has locked strategies, which search cannot keep: solve it without them first")
    place = find(spot, solution.tree.lines, node)[-1]
    if place.decision == DEALING:
        raise InputError(f"node {node!r} deals a card: search begins where somebody acts")
    at = solution.node(node)
    assert isinstance(at, Decision)
    actor = place.state.to_act
    seat = actor if searcher is None else seat_of(searcher)
    start = at.place
    if facing is not None:
        if searcher is not None and seat == actor:
            raise InputError(f"{searcher} makes the bet that is faced at node {node!r}: the searcher is the other")
        if method == "unsafe":
            raise InputError(
                "unsafe needs the range that makes the bet, and the solution does not know it: use resolve"
            )
        seat = 1 - actor
        action = _faced(at, facing, known)
        start = extend(spot, place, action)
    whole = [float(own.weights.sum()) for own in spot.ranges]
    if at.reaches[seat].sum() <= NEVER * whole[seat]:
        raise InputError(f"node {node!r} is never reached by {PLAYERS[seat]} under the solution: nothing to search")
    if method == "unsafe" and not at.reached:
        raise InputError(f"node {node!r} is never reached under the solution: unsafe has no ranges, use resolve")
    if not (at.masses[1 - seat] > LEAST * at.reaches[seat].sum()).any():
        raise InputError(f"node {node!r}: no hand of {PLAYERS[1 - seat]} can meet the range of {PLAYERS[seat]} there")
    tables = _tables(spot, place.state, sizes)
    count_betting(spot.betting, BetSizes.read(tables, spot.first_round), start.state)
    return Problem(at, start, seat, tables, method)


def _tables(spot: Spot, state: BettingState, given: Mapping[str, Mapping[str, Any]] | None) -> dict[str, SizeTable]:
    """The spot's sizes with those of some streets exchanged."""
    tables = dict(spot.size_tables)
    for street, table in (given or {}).items():
        if street not in STREETS[state.round :]:
            raise InputError(f"sizes: {street!r} is no street from here on: {', '.join(STREETS[state.round :])}")
        tables[street] = dict(table) if isinstance(table, Mapping) else table
    return tables


def _faced(at: Decision, facing: int | str, known: bool) -> Action:
    """The bet that is faced as a total since the root, legal and (unless `known`) not in the tree."""
    state, betting = at.place.state, at.spot.betting
    if isinstance(facing, str) and facing.startswith("b") and facing[1:].isdecimal():
        total = int(facing[1:])
    elif isinstance(facing, int) and not isinstance(facing, bool):
        total = state.round_stake + facing
    else:
        raise InputError(f"facing must be whole chips such as 40, or a total such as 'b90', not {facing!r}")
    low, high = state.min_raise - state.round_stake, min(state.max_raise, betting.reachable(state)) - state.round_stake
    chips = total - state.round_stake
    if not state.max_raise:
        raise InputError(f"facing {chips}: {at.player} cannot bet or raise at node {at.id!r}")
    if not low <= chips <= high:
        verb = "raise to" if state.bets else "bet"
        raise InputError(f"facing {chips}: {at.player} may {verb} {low:,} to {high:,} chips at node {at.id!r}")
    if total in at.raw_actions and not known:
        raise InputError(f"facing {chips}: this bet is in the tree, search node {node_id((*at.place.steps, total))}")
    return total


def extend(spot: Spot, place: Place, action: Action) -> Place:
    """Where the other player acts after a bet that the tree of `place` need not have."""
    return Place(0, 0, place.cards, spot.betting.apply(place.state, action), (*place.steps, action))


def find_below(spot: Spot, start: Place, lines: Sequence[Line], id: str) -> list[Place]:
    """The places on the way from where a search begins to a node."""
    if not isinstance(id, str):
        raise InputError(f"a node is named by its id, such as 'r:0:b50', not {id!r}")
    found = read_node(spot.betting, id)
    if found.steps[: len(start.steps)] != start.steps:
        raise InputError(f"node {id!r} is not below {start.id}, where the search begins")
    places = [start._replace(line=0, decision=0)]
    for step in found.steps[len(start.steps) :]:
        places.append(after(spot, lines, places[-1], step, id))
    return places
