"""The opponent's actions so far, across the solutions in which they were answered, and what it gave up by them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoise.public import (
    Profile,
    PublicNode,
    Step,
)
from counterpoise.search.gifts import gift_at
from counterpoise.search.nested_problem import Answer
from counterpoise.search.subgame import FloatArray


@dataclass(frozen=True, eq=False)
class OpponentPath:
    """The opponent's actions so far: the last one, where it was taken and, if search has answered it, the answer."""

    before: OpponentPath | None
    node: PublicNode
    profile: Profile
    action: Step
    answered: Answer | None

    @cached_property
    def gifts(self) -> FloatArray:
        """What each hand of the opponent has given up in all, in the order of the hands of `node`."""
        new = None if self.answered is None else (self.answered.node, self.answered.profile)
        known = self.action in self.node.actions
        given = gift_at(self.node, self.action, self.profile, led_to=None if known else new)
        return given if self.before is None else given + self.before.gifts_in(self.node)

    def gifts_in(self, node: PublicNode) -> FloatArray:
        """Return the gifts in the order of the hands of another node's game."""
        return node.game.from_hands_of(self.node.game, self.node.player, self.gifts)


def gifts_of_path(way: OpponentPath | None, node: PublicNode) -> FloatArray:
    """Return what each hand of the player to act at a node has given up on its way; nothing if it has not acted yet."""
    return np.zeros(node.game.hand_counts[node.player]) if way is None else way.gifts_in(node)
