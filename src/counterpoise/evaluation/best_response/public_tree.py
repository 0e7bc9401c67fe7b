"""Exact best responses to players of small two-seat hold'em who may bet any size and may search."""

from __future__ import annotations

from collections.abc import Sequence, Set

from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.betting import refusal
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import KnownPlayer
from counterpoise.progress import CancelToken, Progress
from counterpoise.public import HoldemRules
from counterpoise.search.tabulated_players import (
    ExtraBet as ExtraBet,
    TabulatedPlayers,
    has_public_tree as has_public_tree,
    small_rules,
    tabulate_on,
)


def require_small(game: Holdem, suits_alike: bool = True) -> HoldemRules:
    """Return the rules of the public tree of a game; refuse one that is too large to be walked through."""
    rules = small_rules(game, suits_alike)
    if rules is None:
        raise InputError(f"{game.name}: {refusal(game)}")
    return rules


def tabulate_players(
    game: Holdem,
    players: Sequence[KnownPlayer],
    suits_alike: bool,
    progress: Progress,
    cancel: CancelToken,
    extra_bets: Set[ExtraBet] = frozenset(),
) -> TabulatedPlayers:
    """Return the strategies of two players wherever each of them may arrive in a game with some bets more."""
    return tabulate_on(require_small(game, suits_alike), game, players, progress, cancel, extra_bets)
