"""What a person at the table sees: seats, chips, board, what happened in words, and what may be done."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.agents.human import read_amount
from counterpoise.betting.sizes import STREETS
from counterpoise.betting.words import describe
from counterpoise.cards.deck import format_card, split_cards
from counterpoise.errors import InputError
from counterpoise.games.base import Game, Observation
from counterpoise.games.events import (
    ActionEvent,
    DealEvent,
    public_cards,
    read_action,
    read_event,
    shown_hands,
    without_shown,
)
from counterpoise.games.holdem import Holdem
from counterpoise.parameters import shown
from counterpoise.web.play.models import YOU, Answer, Menu, Seat, TableView

STREET_OF_CARDS = {3: STREETS[1], 4: STREETS[2], 5: STREETS[3]}
Holder = dict[int, str]
"""Cards that are known to the person, by seat."""


def seats_of(game: Game, names: Sequence[str], you: int, public: Sequence[str], cards: Holder) -> list[Seat]:
    """Return the seats, with their chips in hold'em."""
    found = [Seat(name=name, you=seat == you, cards=cards.get(seat)) for seat, name in enumerate(names)]
    if isinstance(game, Holdem):
        rules, state = game.betting, game.betting_after(without_shown(public))
        for seat, one in enumerate(found):
            one.behind = rules.behind(state, seat)
            one.bet = max(0, state.paid[seat] - state.round_stake)
            one.folded = seat not in state.live
            one.button = seat == rules.button
    return found


def show(view: TableView, game: Game, names: Sequence[str], seen: Observation, acting: bool) -> None:
    """Write what a seat sees into a view; `acting` says whether it is asked what to do."""
    view.events, view.cards, view.menu = list(seen.public), seen.private, []
    view.least_bet = view.most_bet = view.to_call = None
    known = {seen.seat: seen.private} | shown_hands(seen.public)
    view.seats = seats_of(game, names, seen.seat, seen.public, known)
    if not isinstance(game, Holdem):
        view.story = list(seen.public)
        view.menu = [Menu(action=action, words=action) for action in seen.actions] if acting else []
        return
    betting, state = game.betting, game.betting_after(without_shown(seen.public))
    view.board = " ".join(map(format_card, public_cards(seen.public)))
    view.pot = betting.total_pot(state)
    view.story = story(game, names, seen.public)
    if acting:
        view.menu = [
            Menu(action=action, words=describe(read_action(action).bet, state, betting)) for action in seen.actions
        ]
        view.to_call = state.to_call
        if state.max_raise:
            view.least_bet, view.most_bet = state.min_raise - state.round_stake, state.max_raise - state.round_stake


def story(game: Holdem, names: Sequence[str], public: Sequence[str]) -> list[str]:
    """Return what happened, one line per event."""
    lines, state, dealt = [], game.betting_after(()), 0
    for number, event in enumerate(map(read_event, without_shown(public))):
        before, state = state, game.betting_next(state, event) if number or isinstance(event, ActionEvent) else state
        if isinstance(event, DealEvent):
            dealt += len(event.cards)
            lines.append(f"{STREET_OF_CARDS.get(dealt, 'board')}: {' '.join(split_cards(event))}")
        elif isinstance(event, ActionEvent):
            lines.append(f"{names[before.to_act]}: {describe(event.bet, before, game.betting)}")
    for seat, hand in shown_hands(public).items():
        lines.append(f"{names[seat]} {'show' if names[seat] == YOU else 'shows'} {' '.join(split_cards(hand))}")
    return lines


def read_answer(game: Game, seen: Observation, answer: Answer) -> str:
    """Return the label of what a person does; refused in a sentence if it is not possible."""
    if (answer.action is None) == (answer.amount is None):
        raise InputError("give either an action of the menu or an amount")
    if answer.action is not None:
        if answer.action not in seen.actions:
            raise InputError(f"{shown(answer.action)} is not possible: {', '.join(seen.actions)}")
        return answer.action
    if not isinstance(game, Holdem) or answer.amount is None:
        raise InputError("there are no amounts in this game: name an action of the menu")
    state = game.betting_after(without_shown(seen.public))
    return ActionEvent(read_amount(game, state, str(answer.amount).strip().lower()))
