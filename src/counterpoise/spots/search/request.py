"""The request of a search in a solved spot: a node, a searcher, bet sizes and perhaps a bet the solution lacks.

It is checked before anything is built, and then makes the game to solve and the alternatives of the opponent's hands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, get_args

import numpy as np

from counterpoise.betting.rules import BetAction
from counterpoise.betting.sizes import BetSizes, node_id
from counterpoise.betting.tree_count import count_betting
from counterpoise.betting.words import PLAYERS, seat_of
from counterpoise.cards import compatible_mass, parse_card
from counterpoise.errors import InputError
from counterpoise.jobs import chosen_for
from counterpoise.parameters import is_number, require_choice, shown
from counterpoise.public import HoldemGame, HoldemRules, Start, build_holdem
from counterpoise.public.thresholds import LEAST_ARRIVING, LEAST_MET
from counterpoise.search.alternatives import value_at
from counterpoise.search.gadget import MethodName
from counterpoise.search.gifts import GiftKind, gifts_on_the_way
from counterpoise.search.subgame import Subgame
from counterpoise.spots.estimate import free_memory_mb, table_megabytes
from counterpoise.spots.node import Decision, Numbers, Reaches
from counterpoise.spots.paths import SpotPlace, extend, find_below
from counterpoise.spots.rivers import LazyRivers
from counterpoise.spots.search.keywords import SearchKeywords
from counterpoise.spots.search.sizes import search_sizes
from counterpoise.spots.spot import MOST_CHIPS, SizeTable, Spot
from counterpoise.spots.strategies import SpotStrategies

FACED = re.compile(r"(b?)(\d{1,10})", re.ASCII)


@dataclass(frozen=True)
class SearchMethod:
    """The method by which a node is solved again; missing or useless settings are refused."""

    name: MethodName
    spread: float | None = None
    """The spread of distributional alternatives, in per cent of the pot."""
    gifts: GiftKind = "none"
    gift_scale: float = 1.0

    def __post_init__(self) -> None:
        require_choice("method", self.name, get_args(MethodName))
        spread, gifts, scale = self.spread, self.gifts, self.gift_scale
        if self.name == "distributional":
            if spread is None:
                raise InputError("distributional needs a spread, in per cent of the pot, such as 2")
            if not is_number(spread) or not spread > 0:
                raise InputError(f"distributional needs a spread above 0, in per cent of the pot, not {shown(spread)}")
        elif spread is not None:
            raise InputError(f"spread ({spread!r}) is for the method distributional, not for {self.name}")
        require_choice("gifts", gifts, get_args(GiftKind))
        if gifts != "none" and self.name == "unsafe":
            raise InputError(
                f"gifts ({gifts}) are added to alternatives, and unsafe has none: use resolve or maxmargin"
            )
        if not is_number(scale) or scale < 0:
            raise InputError(f"gift_scale must be a number of at least 0, not {shown(scale)}")
        if scale != 1 and gifts == "none":
            raise InputError(f"gift_scale ({scale:g}) needs gifts: lower or exact")

    @classmethod
    def of(cls, options: SearchKeywords) -> Self:
        """Return the method that a user's keywords name, by default `resolve`."""
        name = options.get("method")
        return cls("resolve" if name is None else name, **chosen_for(cls, options))


@dataclass(frozen=True, eq=False)
class SearchRequest:
    """A search to be made: the node of a solution, the searcher, the sizes, and perhaps a bet that is not known."""

    at: Decision
    start: SpotPlace
    searcher: int
    sizes: dict[str, SizeTable]
    """Tables by street."""
    bet_sizes: BetSizes
    """The sizes in those tables."""
    method: SearchMethod
    cost_before: float
    """The most that the searches above cost the searcher's strategy; nan if that is not known."""

    @property
    def opponent(self) -> int:
        """The seat of the other player."""
        return 1 - self.searcher

    def find_place(self, id: str) -> SpotPlace:
        """Return a node at or below the start, before anything is solved; refused if there is none."""
        return find_below(self.at.spot, self.start, id, self.bet_sizes)[-1]

    def subgame(self, game: HoldemGame) -> Subgame:
        """Return the subgame of the searcher, whose game `build` has made."""
        return Subgame(game, self.searcher, (self.start.id,), game.least_met)

    def build(self, bits: int | None, memory_mb: float | None, tables: int) -> tuple[HoldemGame, int]:
        """Return the game to solve and the bits per number with which a number of tables fit into memory."""
        at = self.at
        reach = at.game.scatter_to_deck(0, at.reaches[0]), at.game.scatter_to_deck(1, at.reaches[1])
        rules = part_rules(at.spot, self.start, self.bet_sizes, reach)
        found = fitting_bits(rules, bits, memory_mb, tables)
        shared = at.game if at.game.first_deal == self.start.cards else None
        return build_holdem(rules, share_boards_with=shared), found

    @cached_property
    def alternatives(self) -> Numbers:
        """What each hand of the opponent can win at the node against the solution, by hand of the solution."""
        return value_at(self.at.at, self.opponent, self.at.stored.below(self.at.at))

    @cached_property
    def gifts(self) -> Numbers:
        """What each hand of the opponent has given up on its path, not scaled, by hand of the solution."""
        return gifts_on_the_way(self.at.at, self.opponent, self.at.stored.average, self.method.gifts)

    @property
    def spread_chips(self) -> float:
        """The spread of the alternatives in chips; 0 if they are fixed."""
        return (self.method.spread or 0.0) / 100 * self.at.pot

    @cached_property
    def chances(self) -> Numbers:
        """The joint probability of each hand of the opponent and the node in the whole spot, if the opponent always
        plays to it.

        By hand of the solution.
        """
        spot, opponent, deck = self.at.spot, self.opponent, self.at.spot.card_deck
        ranges = [own.live(spot.cards).weights for own in spot.ranges]
        pairs = float(ranges[opponent] @ compatible_mass(deck.hands, deck.hands, ranges[1 - opponent]))
        dealt = range(len(spot.cards), len(self.start.cards))
        boards = math.prod(deck.size - before - 4 for before in dealt)
        own = self.at.game.gather_from_deck(opponent, ranges[opponent])
        return np.asarray(own * self.at.masses[opponent] / (pairs * boards))


def part_rules(spot: Spot, start: SpotPlace, sizes: BetSizes, reach: Reaches) -> HoldemRules:
    """Return the rules of a spot from a place on, for the reach of each hand of the deck there."""
    history = tuple((parse_card(step, spot.card_deck),) if isinstance(step, str) else step for step in start.steps)
    begin = Start(start.state, (1,) * (len(start.cards) - len(spot.cards)), reach, history)
    return HoldemRules(start.cards, spot.ranges, spot.betting, sizes, spot.card_deck, start=begin)


def fitting_bits(rules: HoldemRules, bits: int | None = None, memory_mb: float | None = None, tables: int = 2) -> int:
    """Return the bits per number that fit into memory with a number of tables; refused if none do."""
    if memory_mb is not None and not is_number(memory_mb):
        raise InputError(f"memory_mb must be a number of megabytes, not {shown(memory_mb)}")
    megabytes = table_megabytes(rules.size(), tables)
    free = free_memory_mb() if memory_mb is None else memory_mb
    choices = (32, 16) if bits is None else (bits,)
    fitting = [choice for choice in choices if megabytes[choice] <= free]
    if not fitting:
        raise InputError(
            f"the search needs {megabytes[choices[-1]]:,.0f} MB of memory with {choices[-1]} bits, and "
            f"{free:,.0f} MB may be used: give fewer bet sizes"
        )
    return fitting[0]


def make_request(
    solution: SpotStrategies,
    node: str | None,
    method: SearchMethod,
    *,
    searcher: str | None = None,
    facing: int | str | None = None,
    sizes: Mapping[str, Mapping[str, Any]] | None = None,
) -> SearchRequest:
    """Return what to search, checked; the parameters are those of `search_spot`."""
    if not isinstance(solution, SpotStrategies):
        raise InputError(f"search needs a solution, an earlier search, or the file of one, not {shown(solution)}")
    spot = solution.spot
    if isinstance(solution.stored, LazyRivers):
        raise InputError("the solution has no river strategies to search against: save it whole")
    if spot.lock:
        raise InputError("the spot has locked strategies, which search cannot keep: solve it without them first")
    node = solution.first if node is None else node
    at = solution.node(node)
    if not isinstance(at, Decision):
        raise InputError(f"node {node!r} deals a card: search begins where somebody acts")
    place = at.place
    actor = place.state.to_act
    seat = actor if searcher is None else seat_of(searcher)
    start = at.place
    if facing is not None:
        if searcher is not None and seat == actor:
            raise InputError(f"{searcher} makes the bet that is faced at node {node!r}: the searcher is the other")
        if method.name == "unsafe":
            raise InputError(
                "unsafe needs the range that makes the bet, and the solution does not know it: use resolve"
            )
        seat = 1 - actor
        start = extend(spot, place, _parse_facing(at, facing))
    whole = [float(own.weights.sum()) for own in spot.ranges]
    if at.reaches[seat].sum() <= LEAST_ARRIVING * whole[seat]:
        raise InputError(f"node {node!r} is never reached by {PLAYERS[seat]} under the solution: nothing to search")
    if method.name == "unsafe" and not at.reached:
        raise InputError(f"node {node!r} is never reached under the solution: unsafe has no ranges, use resolve")
    if not (at.masses[1 - seat] > LEAST_MET * at.reaches[seat].sum()).any():
        raise InputError(f"node {node!r}: no hand of {PLAYERS[1 - seat]} can meet the range of {PLAYERS[seat]} there")
    if sizes and start.state.stake >= min(spot.betting.stacks):
        raise InputError(f"sizes cannot change anything at node {start.id!r}: all chips are in, and nobody can bet")
    found = search_sizes(solution.size_tables, sizes, place.state.round, seat)
    bet_sizes = BetSizes.read(found, spot.first_round)
    counted = count_betting(spot.betting, bet_sizes, start.state)
    if not counted.actions[:, seat].any():
        raise InputError(f"{PLAYERS[seat]} has nothing left to decide after node {start.id!r}")
    before = solution.cost_so_far(PLAYERS[seat])
    return SearchRequest(at, start, seat, found, bet_sizes, method, before)


def _parse_facing(at: Decision, facing: int | str) -> BetAction:
    """Return the bet that is faced as a total since the root, legal and not in the tree."""
    state, betting = at.place.state, at.spot.betting
    total = _total_faced(facing, state.round_stake)
    low, high = state.min_raise - state.round_stake, min(state.max_raise, betting.reachable(state)) - state.round_stake
    chips = total - state.round_stake
    if not state.max_raise:
        raise InputError(f"facing {chips}: {at.player} cannot bet or raise at node {at.id!r}")
    if not low <= chips <= high:
        verb = "raise to" if state.bets else "bet"
        allowed = f"only {verb} {low:,}" if low == high else f"{verb} {low:,} to {high:,}"
        raise InputError(f"facing {chips}: {at.player} may {allowed} chips at node {at.id!r}")
    if total in at.raw_actions:
        raise InputError(f"facing {chips}: this bet is in the tree, search node {node_id((*at.place.steps, total))}")
    return total


def _total_faced(facing: int | str, round_stake: int) -> int:
    """Return the total since the root that chips on this street, or a word of a node id, stand for."""
    if isinstance(facing, int) and not isinstance(facing, bool):
        if abs(facing) > MOST_CHIPS:
            raise InputError(f"facing must be at most {MOST_CHIPS:,} chips")
        return round_stake + facing
    if isinstance(facing, str) and (found := FACED.fullmatch(facing)):
        return int(found[2]) + (0 if found[1] else round_stake)
    raise InputError(f"facing must be whole chips such as 40, or a total such as 'b90', not {facing!r:.60}")
