"""The tree that commands look into: the solution as it stands, strategies that are locked, and every kind of node."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import label, node_id, read_node
from counterpoise.betting.words import PLAYERS
from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.public import Traverser
from counterpoise.public.showdowns import showdown_equities
from counterpoise.seats import CHANCE, TERMINAL
from counterpoise.spots.locks import check_dealt
from counterpoise.spots.node import Deal, Decision, known_mass
from counterpoise.spots.paths import LONGEST_ID, next_cards
from counterpoise.spots.rivers import StoredStrategies
from counterpoise.spots.solution import Solution
from counterpoise.spots.spot import Spot
from counterpoise.upi.hand_order import in_upi_order

Numbers = NDArray[np.float64]
HandStrategy = dict[str, dict[str, float]]
"""For single hands a probability per action, as spots write locks."""

ROOT, FIRST = "r", "r:0"
"""UPI's node before the first decision, and the first decision."""


class SolvedTree:
    """A solution, and the locks that the next run is to keep."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.locks: dict[str, HandStrategy] = {lock.node: dict(lock.strategy) for lock in solution.spot.lock}

    @property
    def spot(self) -> Spot:
        """The spot that was solved, with the locks of that run."""
        return self.solution.spot

    @property
    def iterations(self) -> int:
        """The iterations so far, those of a run that is resting included."""
        solver = self.solution.solver
        return self.solution.iterations if solver is None else int(solver.iteration)

    def locked_spot(self) -> Spot:
        """Return the spot with the locks that stand now."""
        return self.spot.with_only_locks(
            [{"node": node, "strategy": strategy} for node, strategy in self.locks.items()]
        )

    @property
    def starts_anew(self) -> bool:
        """Whether the next run needs tables of its own: of a tree that was rebuilt, or with other locks."""
        return self.solution.solver is None or self.locks_changed

    @property
    def locks_changed(self) -> bool:
        """Whether locks have been set or opened since the last run."""
        return self.locks != {lock.node: dict(lock.strategy) for lock in self.spot.lock}

    def rebuild(self) -> None:
        """Solve all rivers of a tree that was saved without them; the next run starts warm from there."""
        solution = self.solution
        if not solution.whole:
            average = solution.stored.below(solution.root.at)
            self.solution = replace(solution, stored=StoredStrategies(solution.game, average))

    def node(self, id: str) -> TreeNode:
        """Return a node of any kind by its id; `r` is the one before the first decision."""
        if len(id) > LONGEST_ID:
            raise InputError(f"a node id may have {LONGEST_ID} letters, not {len(id):,}")
        spot = self.spot
        if id == ROOT:
            return TreeNode.at_root(self.solution)
        found = read_node(spot.betting, id, spot.sizes)
        if found.state.to_act == TERMINAL and isinstance(found.steps[-1], str):
            raise InputError(f"node {shown(id)} is not in the tree: nobody acts after an all-in that is called")
        cards = check_dealt(id, found.cards, spot.cards, spot.ranges[0])
        return TreeNode(self.solution, id, cards, found.state, found.steps)

    def decision(self, id: str) -> TreeNode:
        """Return a node where somebody acts."""
        node = self.node(id)
        if node.player is None:
            raise InputError(f"nobody acts at node {shown(id)}")
        return node

    def results(self) -> dict[str, float]:
        """Return what both strategies and both best responses win of the pot in chips, and the exploitability."""
        solution = self.solution
        profile, judge = solution.stored.below(solution.root.at), Traverser(solution.game)
        half = self.spot.pot / 2
        values, best = judge.root_values(profile), judge.best_response_values(profile)
        return named_results(solution.seconds, values + half, best + half)


def named_results(seconds: float, values: Numbers, best: Numbers) -> dict[str, float]:
    """Return the figures of `calc_results` under UPI's names; seconds and chips."""
    return {
        "running time": seconds,
        "EV OOP": float(values[0]),
        "EV IP": float(values[1]),
        "OOP's MES": float(best[0]),
        "IP's MES": float(best[1]),
        "Exploitable for": float((best - values).sum() / 2),
    }


class TreeNode:
    """A node of a solved tree as UPI sees it: root, decision, deal or end, with what both players bring there."""

    def __init__(
        self,
        solution: Solution,
        id: str,
        cards: tuple[int, ...],
        state: BettingState,
        steps: tuple[BetAction | str, ...] = (),
    ) -> None:
        self.solution, self.id, self.cards, self.state, self.steps = solution, id, cards, state, steps
        self.game = solution.game

    @cached_property
    def base(self) -> Decision | Deal:
        """The node itself; at the root the first decision, at an end the decision whose action led there."""
        return self.solution.node(node_id(self.steps[:-1] if self.kind == "END_NODE" else self.steps))

    @property
    def kind(self) -> str:
        """The type of node: ROOT, OOP_DEC, IP_DEC, SPLIT_NODE (a card is dealt) or END_NODE."""
        if self.id == ROOT:
            return "ROOT"
        if self.state.to_act == CHANCE:
            return "SPLIT_NODE"
        return "END_NODE" if self.player is None else f"{PLAYERS[self.player].upper()}_DEC"

    @property
    def player(self) -> int | None:
        """The seat to act; None at deals and at the end of the hand."""
        return None if self.id == ROOT or self.state.to_act < 0 else self.state.to_act

    def children(self) -> list[str]:
        """Return the ids of what may follow: bets from the largest to the smallest, then call or check, then fold."""
        if self.id == ROOT:
            return [FIRST]
        return [f"{self.id}:{step}" for step in self.labels] if self.kind != "END_NODE" else []

    @property
    def labels(self) -> list[str]:
        """The last part of the ids of what may follow."""
        spot = self.solution.spot
        if self.state.to_act == CHANCE:
            return [format_cards([card]) for card in next_cards(spot, self.cards)]
        return [label(action) for action in reversed(spot.sizes.actions(spot.betting, self.state))]

    def description(self) -> list[str]:
        """Return the six lines of `show_node`."""
        start = self.solution.spot.pot
        paid = " ".join(str(chips) for chips in (*self.state.paid, start))
        return [
            self.id,
            self.kind,
            format_cards(self.cards),
            paid,
            f"{len(self.children())} children",
            " ".join(["flags:", *self._flags()]),
        ]

    def _flags(self) -> list[str]:
        found = []
        if self.id == ROOT:
            if not self.solution.whole:
                found.append("INCOMPLETE_TREE")
            if self.game.rules.isomorphism:
                found.append("ISOMORPHISM_ON")
            if self.solution.spot.rake.percent:
                found.append("RAKE_ON")
        if self.player is not None:
            found.append("PIO_ALG")
            if self.id in {lock.node for lock in self.solution.spot.lock}:
                found.append("LOCKED")
        return found

    @cached_property
    def reaches(self) -> tuple[Numbers, Numbers]:
        """What of each hand of both players arrives, in the order of the game's hands."""
        if self.kind != "END_NODE":
            return self.base.reaches
        assert isinstance(self.base, Decision)
        seat = self.base.place.state.to_act
        taken = self.base.probabilities[self.base.actions.index(self.id.rpartition(":")[2])]
        own = self.base.reaches[seat] * taken
        other = self.base.reaches[1 - seat]
        return (own, other) if seat == 0 else (other, own)

    def mass(self, seat: int) -> Numbers:
        """Return how much of the opponent's range each hand of a player can meet here."""
        return known_mass(self.base.at, seat, self.reaches[1 - seat])

    def matchups(self, seat: int) -> Numbers:
        """Return the weight of each hand: what of it arrives, times what it can meet."""
        return self.reaches[seat] * self.mass(seat)

    @property
    def pair_mass(self) -> float:
        """The weight of all pairs of hands that meet here."""
        return float(self.matchups(0).sum())

    def strategy(self) -> Numbers:
        """Return the probability of each action, [child, hand of the player to act]."""
        assert isinstance(self.base, Decision)
        return self.base.probabilities[::-1]

    def equities(self, seat: int) -> Numbers:
        """Return the share of the pot that each hand wins if no more chips go in; nan if it meets no hand."""
        return showdown_equities(self.game, self.cards, self.reaches)[seat]

    def evs(self, seat: int) -> Numbers:
        """Return what each hand wins from the root on, what it has put in since then taken off; nan if it meets none.

        Folding 50 chips after they have been bet is worth -50: UPI counts from the root, spots from the node.
        """
        spot, met = self.solution.spot, self.mass(seat) > 0
        if self.kind == "END_NODE":
            paid, pots = spot.betting.awards(self.state)
            won = sum(amount for amount, _ in pots)
            share = self.equities(seat) if len(self.state.live) > 1 else float(seat in self.state.live)
            return np.where(met, paid[seat] + won * share, np.nan)
        return self.base.evs[seat] - self.base.place.state.paid[seat]

    def in_order(self, seat: int, values: Numbers, missing: float = 0.0) -> Numbers:
        """Return figures by hand of a player (last axis) for all 1,326 hands in the order of UPI."""
        found: NDArray[Any] = np.full((*values.shape[:-1], self.game.deck.hand_count), missing)
        found[..., self.game.hand_numbers[seat]] = values
        return in_upi_order(found)

    def frequency(self) -> float:
        """Return how often play comes here, the cards dealt included."""
        dealt = self.cards[len(self.solution.spot.cards) :]
        left = self.game.deck.size - len(self.solution.spot.cards) - 4  # both players hold two cards
        chance = 1.0
        for number in range(len(dealt)):
            chance /= left - number
        return self.pair_mass * chance / self.solution.root.pair_mass

    @classmethod
    def at_root(cls, solution: Solution) -> TreeNode:
        """Return the node before the first decision."""
        spot = solution.spot
        return cls(solution, ROOT, spot.cards, spot.betting.initial())
