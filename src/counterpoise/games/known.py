"""Players whose strategy is known: what a seat does after a public history with every hand that it could hold.

A player that answers `probabilities(public)` can be judged with little luck (AIVAT, imaginary observations), tracked by
its range, answered by a best response and searched against. Agents, saved strategies and blueprints do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from counterpoise.betting.sizes import label
from counterpoise.cards.deck import split_cards
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Action, Game, Observation, game_name, is_observed
from counterpoise.games.holdem import Holdem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


class Behaviour(NamedTuple):
    """What a seat does after a public history, hand by hand."""

    hands: tuple[str, ...]
    """The private strings of the seat; in hold'em all hands of the deck, in its order."""
    actions: tuple[Action, ...]
    """What it does with any of them."""
    table: FloatArray
    """Probabilities, [hand, action]; rows of 0 for hands that the public cards rule out."""


class KnownPlayer(Protocol):
    """A player at a seat of a game whose probabilities are known for every hand."""

    @property
    def seat(self) -> int:
        """The seat it plays."""

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history, after which it is to act, with every hand that it could hold."""


def possible_observations(game: Game, seat: int, public: tuple[str, ...]) -> dict[str, Observation | None]:
    """Return what a seat that is to act after a public history sees with each hand; None if it cannot hold the hand.

    In hold'em the hands are those of the deck, in its order; in other games they are found by walking through all
    histories that look like this to everybody.
    """
    if isinstance(game, Holdem):
        return _holdem_observations(game, seat, public)
    if not is_observed(game):
        raise InputError(f"{game_name(game)} does not say what is public and what is private")
    found: dict[str, Observation | None] = {}
    stack = [game.initial()]
    while stack:
        state = stack.pop()
        events, mover = tuple(game.public(state)), game.player(state)
        if mover == TERMINAL or events != public[: len(events)]:
            continue
        if mover == seat and events == public:
            seen = game.observation(state, seat)
            found.setdefault(seen.private, seen)
        steps = [outcome for outcome, _ in game.chance(state)] if mover == CHANCE else game.actions(state)
        stack += [game.next(state, step) for step in reversed(steps)]
    if not found:
        raise InputError(f"seat {seat} of {game_name(game)} is not to act after {':'.join(public) or 'the deal'}")
    return dict(sorted(found.items()))


def _holdem_observations(game: Holdem, seat: int, public: tuple[str, ...]) -> dict[str, Observation | None]:
    betting = game.betting_after(public)
    if betting.to_act != seat:
        raise InputError(f"seat {seat} of {game.name} is not to act after {':'.join(public) or 'the deal'}")
    actions = tuple([label(action) for action in game.menu(betting)])
    board = {card for event in public if event[:1] not in ("f", "c", "b") for card in split_cards(event)}
    line = ":".join(public)
    return {
        hand: None
        if board.intersection(split_cards(hand))
        else Observation(seat, public, hand, actions, f"{hand}:{line}")
        for hand in game.deck.hand_names
    }
