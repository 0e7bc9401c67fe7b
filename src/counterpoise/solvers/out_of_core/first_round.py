"""The strategies of a run before the flop: grids by kind of hand, and how often the dealer limps and caps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoise.betting.rules import CALL
from counterpoise.betting.sizes import label
from counterpoise.cards import format_cards
from counterpoise.public import HoldemGame, Profile, PublicNode

Grid = dict[str, dict[str, float]]
"""The probability of each action by kind of hand ("AA", "AKs", "AKo"), 169 of them in a whole deck."""


@dataclass(frozen=True)
class FirstRound:
    """The strategies of the trunk."""

    trunk: HoldemGame
    regrets: Profile

    @cached_property
    def grids(self) -> dict[str, Grid]:
        """The grid of each decision, by its line: "" is the dealer's first one, "b4" the other seat's after a raise."""
        return {":".join(map(label, node.steps)): self._grid(node) for node in self._decisions()}

    @property
    def limps(self) -> float:
        """The share of hands in which the dealer's first action is a call."""
        root = self.trunk.root
        return self._share(root, root.actions.index(CALL)) if CALL in root.actions else 0.0

    @property
    def caps(self) -> float:
        """The share of all hands in which the dealer makes the last bet that the first round allows."""
        dealer, total = self.trunk.root.player, 0.0
        for node in self._decisions():
            for number, (action, after) in enumerate(node.children()):
                last = after.kind == "decision" and all(other <= CALL for other in after.actions)
                if node.player == dealer and action > CALL and last:
                    total += self._share(node, number)
        return total

    @cached_property
    def _kinds(self) -> list[dict[str, list[int]]]:
        """Per seat the hands of each kind."""
        found: list[dict[str, list[int]]] = [{}, {}]
        for seat, kinds in enumerate(found):
            for number, cards in enumerate(self.trunk.hands[seat].tolist()):
                high, low = (format_cards([card], separator="") for card in sorted(cards, reverse=True))
                suited = "" if high[0] == low[0] else "s" if high[1] == low[1] else "o"
                kinds.setdefault(f"{high[0]}{low[0]}{suited}", []).append(number)
        return found

    def _decisions(self) -> Iterator[PublicNode]:
        return self.trunk.root.decisions_below()

    def _grid(self, node: PublicNode) -> Grid:
        actions, rows = [label(action) for action in node.actions], node.strategy(self.regrets)
        return {
            kind: dict(zip(actions, np.asarray(rows)[:, hands].mean(axis=1).tolist(), strict=True))
            for kind, hands in self._kinds[node.player].items()
        }

    def _share(self, node: PublicNode, action: int) -> float:
        """Return the share of all deals in which play comes to a node and takes an action there."""
        reach = node.reach(self.regrets)
        met = node.mass(node.player, reach[1 - node.player])
        return float((reach[node.player] * met) @ node.strategy(self.regrets)[action]) / self.trunk.pair_mass
