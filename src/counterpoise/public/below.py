"""What a node is worth if the players arrive there with any reach, by the strategies of a profile below it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.game import FloatArray
from counterpoise.public.node import PublicNode, traverser_of
from counterpoise.public.profile import Profile
from counterpoise.public.traverser import Traverser


class BelowNode:
    """The values below a decision or deal. What the profile does above it plays no part."""

    def __init__(self, node: PublicNode, profile: Profile, traverser: Traverser | None = None) -> None:
        if node.kind not in ("decision", "deal"):
            raise InputError(f"nothing follows {node}")
        self.node, self.profile, self._traverser = node, profile, traverser or traverser_of(node.game)
        if node.kind == "decision":
            self.profile = profile.copy()
            for number, action in node.street_tree.way_to(node.at):
                here = PublicNode(node.game, node.tree, ("decision", number), node.dealt)
                taken = np.array([[float(action == other)] for other in here.actions])
                held = int(node.game.boards.held[here.player, node.board])
                self.profile.set_strategy(node.tree, number, node.board, taken * np.ones(held))
        self._places = [node.game.row_places(player, node.located) for player in range(2)]

    def values(
        self, player: int, reach: NDArray[Any], drawn: tuple[NDArray[np.int64], FloatArray] | None = None
    ) -> FloatArray:
        """Return what the node is worth to each hand of a player, counterfactual, for the other's reach by hand.

        With `drawn` (see `Traverser.deal_rows`) only some of the boards count that may be dealt next.
        """
        node, game = self.node, self.node.game
        rows = np.zeros((2, int(game.boards.stride[:, node.board].max())), dtype=np.float32)
        alive = self._places[1 - player] >= 0
        rows[1 - player, self._places[1 - player][alive]] = np.asarray(reach)[alive]
        where = node.tree, node.at[1], node.board
        if node.kind == "deal":
            held = int(game.boards.held[1 - player, node.board])
            found = self._traverser.deal_rows(self.profile, player, where, rows[1 - player, :held], drawn)
        else:
            found = self._traverser.decision_rows(self.profile, player, where, rows)
            if node.player == player:
                found = found * self.profile.strategy(*where)
            found = found.sum(axis=0)
        return game.from_rows(player, found, node.located)
