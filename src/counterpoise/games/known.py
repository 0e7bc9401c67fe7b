"""Players whose strategy is known: what a seat does after a public history with every hand that it could hold.

A player that answers `probabilities(public)` can be judged with little luck (AIVAT, imaginary observations), tracked by
its range, answered by a best response and searched against. Agents, saved strategies and blueprints do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from counterpoise.betting.sizes import label
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Action, Game, Observation, game_name, is_observed
from counterpoise.games.events import ActionEvent, public_cards as public_cards, read_event
from counterpoise.games.holdem import Holdem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


Line = tuple[tuple[str, ...], ...]
"""A line of betting in hold'em: the actions of each round so far, (("b4", "c"), ("c",))."""


class Behaviour(NamedTuple):
    """What a seat does after a public history, hand by hand."""

    hands: tuple[str, ...]
    """The private strings of the seat; in hold'em all hands of the deck, in its order."""
    actions: tuple[Action, ...]
    """What it does with any of them."""
    table: FloatArray
    """Probabilities, [hand, action]; rows of 0 for hands that the public cards rule out."""

    def of_hand(self, hand: str) -> dict[Action, float]:
        """Return the probabilities of one hand; the two cards of a hand of hold'em may come in any order."""
        known = hand if hand in self.hands else hand[2:] + hand[:2]
        return dict(zip(self.actions, self.table[self.hands.index(known)].tolist(), strict=True))


class BoardPlay(NamedTuple):
    """What a seat of hold'em does at many decisions of one round on one board, hands that play alike gathered."""

    group: NDArray[np.int64]
    """The group of each hand of the deck; any number for hands that the board rules out."""
    table: FloatArray
    """Probabilities, [decision, group, action]: the actions of the game's menu at each decision, then zeros.

    If it is the same array for several boards, as with the buckets of an abstraction, it is read only once."""


class PlaysOnBoards(Protocol):
    """A player of hold'em that answers for many lines of betting at once; a whole game is walked through with it."""

    def play_on_boards(self, lines: tuple[Line, ...]) -> Callable[[tuple[int, ...]], BoardPlay] | None:
        """Return a function from the public cards, in the order of the deal, to what the seat does in these lines.

        All lines lead to decisions of this seat in the same round. None says that it must be asked one by one.
        """


class ValuesOfHands(Protocol):
    """Guesses of what hands of two seats are worth in hold'em, the same for whoever asks."""

    def pot_shares(
        self,
        game: Holdem,
        line: Line,
        boards: Sequence[tuple[int, ...]],
        ranges: FloatArray,
        betting: bool = True,
    ) -> FloatArray:
        """Return the share of the pot that seat 0 gets on average after a line of betting, for each of some boards.

        `ranges` are how likely each seat's hands are, [board, seat, hand]. Boards may lack the cards of the last round.
        Without `betting` no more chips go in.
        """


class KnownPlayer(Protocol):
    """A player at a seat of a game whose probabilities are known for every hand."""

    @property
    def seat(self) -> int:
        """The seat it plays."""

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history, after which it is to act, with every hand that it could hold."""


def hand_values_of(player: KnownPlayer | None) -> ValuesOfHands | None:
    """Return the values of hands that a player has, such as those of the blueprint that it follows."""
    found: ValuesOfHands | None = getattr(player, "hand_values", None)
    return found


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


def line_menu(game: Holdem, line: Line) -> tuple[Action, ...]:
    """Return the actions of the decision after a line of betting, in the order of the menu.

    >>> from counterpoise.games import load
    >>> line_menu(load("limit_holdem"), (("b4", "c"), ("c",)))
    ('c', 'b6')
    """
    return tuple([label(action) for action in game.menu(game.betting_after(events_of(line)))])


def events_of(line: Line) -> tuple[str, ...]:
    """Return the public events of a line of betting, with "" for the cards of a round.

    >>> events_of((("b4", "c"), ("c",)))
    ('b4', 'c', '', 'c')
    """
    return tuple([event for actions in line for event in ("", *actions)][1:])


def line_of(public: Sequence[str]) -> Line:
    """Return the line of betting of public events, whatever the cards.

    >>> line_of(("b4", "c", "QsJh2d"))
    (('b4', 'c'), ())
    """
    rounds: list[list[str]] = [[]]
    for event in map(read_event, public):
        if isinstance(event, ActionEvent):
            rounds[-1].append(event)
        else:
            rounds.append([])
    return tuple(map(tuple, rounds))


def holdem_observation(game: Holdem, seat: int, public: tuple[str, ...], hand: str) -> Observation:
    """Return what a seat of hold'em that is to act after a public history sees with a hand."""
    betting = game.betting_after(public)
    if betting.to_act != seat:
        raise InputError(f"seat {seat} of {game.name} is not to act after {':'.join(public) or 'the deal'}")
    actions = tuple([label(action) for action in game.menu(betting)])
    return Observation(seat, public, hand, actions, f"{hand}:{':'.join(public)}")


def _holdem_observations(game: Holdem, seat: int, public: tuple[str, ...]) -> dict[str, Observation | None]:
    hands = game.deck.hand_names
    any_hand = holdem_observation(game, seat, public, hands[0])
    line = any_hand.infoset.removeprefix(hands[0])
    live = game.possible_hands(seat, public_cards(public)).tolist()
    return {
        hand: Observation(seat, public, hand, any_hand.actions, hand + line) if may_hold else None
        for hand, may_hold in zip(hands, live, strict=True)
    }
