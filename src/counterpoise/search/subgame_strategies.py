"""Strategies of a part of a game: put into a strategy of the whole game, and listed for JSON.

`write_part` copies between profiles, node by node, in small games and in hold'em; `with_part` between strategies by
infoset, which users of small games have.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.parameters import require_seat
from counterpoise.public import HoldemGame, Profile, PublicNode
from counterpoise.search.subgame import as_dense
from counterpoise.tree import Strategy


def write_part(profile: Profile, place: PublicNode, part: Profile, player: int) -> None:
    """Write a player's strategies of a part of a game, which begins at `place`, into a profile of the whole game.

    The part may stop before the whole game does (`depth_limited`): below its leaves the profile stays as it is. Actions
    of the player that the part lacks get probability 0, and actions of the other that only the part has are left out;
    otherwise both must have the same actions.
    """
    require_seat("player", player)
    stack = [(place, part.game.root)]
    while stack:
        at, new = stack.pop()
        if at.kind == new.kind == "deal":
            stack += [(node, new.deal(node.game.last_deal(node.dealt))) for node in at.deals()]
        if at.kind != "decision" or new.kind != "decision" or new.decision.choice:
            continue
        common, needed = (new.actions, at.actions) if at.player == player else (at.actions, new.actions)
        unknown = [action for action in common if action not in needed]
        if unknown:
            raise InputError(f"the actions of the part must be those of {at.game.name}: {unknown[0]!r} is not in both")
        if at.player == player:
            rows = np.zeros((len(at.actions), at.game.hand_counts[player]))
            chosen = at.game.from_hands_of(new.game, player, new.strategy(part))
            rows[[at.actions.index(action) for action in new.actions]] = chosen
            at.set_strategy(profile, rows)
        stack += [(at.child(action), new.child(action)) for action in common]


def with_part(whole: Strategy, part: Strategy, player: int) -> Strategy:
    """Return a strategy of the whole game that follows `part` at all infosets of a player that both know.

    It turns what search has found (``result.strategy``, of the searcher) into a strategy that ``cp.exploitability`` can
    judge.
    """
    require_seat("player", player)
    probabilities = whole.probabilities.copy()
    places = zip(part.table, part.table.start.tolist(), part.table.actions, strict=True)
    for (owner, label), start, actions in places:
        if owner == player and (player, label) in whole:  # not if the hand cannot be there
            infoset = whole.table.find((player, label))
            if whole.table.actions[infoset] != actions:
                raise InputError(f"the actions at {label!r} are {actions!r}, not {whole.table.actions[infoset]!r}")
            at = int(whole.table.start[infoset])
            probabilities[at : at + len(actions)] = part.probabilities[start : start + len(actions)]
    return Strategy(whole.game, whole.table, probabilities)


def list_strategies(profile: Profile, seats: Collection[int] = (0, 1)) -> list[dict[str, Any]]:
    """Return what seats do at each of their decisions on every expanded board, in the types of JSON.

    ``probabilities[hand]`` has one number per action; hands are named by their cards in hold'em, by their infoset
    elsewhere. Choices among continuations are left out.
    """
    found = []
    for node in dict.fromkeys(
        profile.game.root.decisions_below()
    ):  # several ways may lead to one where moves are hidden
        if node.player in seats and not node.decision.choice:
            rows = node.strategy(profile).T.tolist()
            found.append(
                {
                    "player": node.player,
                    "history": name_steps(node),
                    "actions": [str(action) for action in node.actions],
                    "probabilities": {name: rows[hand] for hand, name in _hand_names(node).items()},
                }
            )
    return found


def name_steps(node: PublicNode) -> list[str]:
    """Return the actions and deals that lead to a node, those before the root of its game included, in words."""
    history = node.game.history(node)
    return [format_cards(step) if isinstance(step, tuple) else str(step) for step in history]


def _hand_names(node: PublicNode) -> dict[int, str]:
    """Return the names of the hands that may arrive at a decision."""
    game, player = node.game, node.player
    if game.has_infosets:
        return as_dense(game).labels(node)
    assert isinstance(game, HoldemGame)
    alive = np.flatnonzero(game.row_places(player, node.located) >= 0)
    return {int(hand): format_cards(game.hands[player][hand][::-1].tolist(), "") for hand in alive}
