"""A person at the terminal: sees what its seat sees, in words, and types what to do.

Amounts are what players say at a table: "raise 300" makes it 300 chips in this betting round, blinds included, antes
not. (Labels of actions in logs, "b500", count all chips since the start of the hand.)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TextIO

from counterpoise.agents.base import Agent, LeaveTable, agent
from counterpoise.agents.small_poker import SmallPoker, figure, small_table
from counterpoise.agents.table_words import Words
from counterpoise.betting.rules import CALL, FOLD, BetAction, BettingState
from counterpoise.betting.sizes import STREETS, label, parse_size, read_label
from counterpoise.betting.words import describe
from counterpoise.cards.deck import split_cards
from counterpoise.errors import InputError
from counterpoise.games.base import Action, Observation
from counterpoise.games.events import ActionEvent, DealEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.names import suggest
from counterpoise.parameters import shown

QUIT, HELP = ("q", "quit", "exit"), ("h", "help", "?")
FOLD_WORDS, CALL_WORDS, CHECK_WORDS = ("f", "fold"), ("c", "call"), ("check", "k", "x")
ALL_IN_WORDS = ("allin", "all-in", "all in", "a", "shove")
BET_WORDS = ("b", "r", "bet", "raise")
_AMOUNT = re.compile(
    r"(?:b|r|bet|raise)?\s*(?:to)?\s*(\d[\d,_]{0,20}|(?:half\s*)?pot|half|min|[\d.]{1,20}\s*(?:%|x|bb))(?:\s*chips)?",
    re.ASCII,
)
_SHARES = {"pot": "100%", "halfpot": "50%", "half": "50%"}
_CHIPS = re.compile(r"\d[\d,_]*", re.ASCII)


@agent("human")
@dataclass
class Human(Agent):
    """You, at this terminal: it shows what your seat sees and reads what you type; h explains, q leaves the table."""

    source: TextIO | None = None
    """Where input is read from; by default standard input."""
    out: TextIO | None = None
    """Where the table is shown; by default standard error."""
    names: Sequence[str] = ()
    """The names of the seats."""

    outside = True

    def __post_init__(self) -> None:
        self._told_ranges = False

    @property
    def name(self) -> str:
        """The name of a person."""
        return "human"

    def act(self, observation: Observation) -> Action:
        """Show the table, then ask until the answer is an action."""
        game = self.game
        betting = game.betting_after(observation.public) if isinstance(game, Holdem) else None
        self.tell("\n".join(self._table(observation, betting)))
        while True:
            self.tell(self._prompt(observation, betting), end="")
            source = self.source or sys.stdin
            line = source.readline()
            text = line.strip().lower()
            if line and not source.isatty():
                self.tell(line.strip())  # a terminal shows what is typed
            if not line or text in QUIT:
                self.tell("")
                raise LeaveTable("you left the table")
            if text in HELP:
                self.tell(self._help(observation, betting))
                continue
            try:
                if isinstance(game, Holdem) and betting is not None:
                    return label(read_bet(game, betting, text))
                return _read_label(text, line.strip(), self._choices(observation))
            except InputError as error:
                self.tell(f"  {error}")

    def hand_over(self, observation: Observation, payoff: float) -> None:
        """Show how the hand ended."""
        game = self.game
        lines = []
        if isinstance(game, Holdem):
            lines += [line for line in _story(game, observation.public, self._seat_name) if line]
            for event in observation.public:
                if " shows " in event:
                    seat, cards = int(event.split()[1]), event.split()[-1]
                    verb = "show" if seat == self.seat else "shows"
                    lines.append(f"  {self._seat_name(seat)} {verb} {' '.join(split_cards(cards))}")
        else:
            lines += self._small(observation, "had")
        amount = figure(abs(payoff)) + (" chips" if isinstance(game, Holdem) else "")
        lines.append(f"  you {'win' if payoff > 0 else 'lose'} {amount}" if payoff else "  you break even")
        self.tell("\n".join(lines))

    def positions(self) -> str:
        """Return who sits where: the button and the blinds of hold'em, else the number of the seat."""
        game = self.game
        if isinstance(game, SmallPoker):
            names = [self._seat_name(seat) for seat in range(game.players)]
            verb = "act" if self.seat == 0 else "acts"
            return f"{names[0]} {verb} first, then {', '.join(names[1:])}; everybody antes 1"
        if not isinstance(game, Holdem):
            return self._words().opening()
        rules = game.betting
        if isinstance(game, HoldemSpot):
            place = ("out of position", "in position")[self.seat]
            where = f"you are {place}; the pot is {game.pot:,}, half of it yours"
            if self._told_ranges:
                return where
            self._told_ranges = True
            own, other = (game.oop, game.ip) if self.seat == 0 else (game.ip, game.oop)
            return f"{where}\n  your range: {own}\n  {self._seat_name(1 - self.seat)}: {other}"
        duties: dict[int, list[str]] = {rules.button: ["the button"]}
        first = (rules.button + (rules.players > 2)) % rules.players  # heads-up the button posts the small blind
        for seat, name, blind in zip((first, (first + 1) % rules.players), ("small", "big"), rules.blinds, strict=True):
            if blind:
                duties.setdefault(seat, []).append(f"the {name} blind of {blind:,}")
        told = [
            f"{self._seat_name(seat)} {'have' if seat == self.seat else 'has'} {' and '.join(own)}"
            for seat, own in duties.items()
        ]
        return ", ".join([*told, *([f"everybody antes {rules.ante:,}"] if rules.ante else [])])

    def _table(self, seen: Observation, betting: BettingState | None) -> list[str]:
        """Return what the seat sees, line by line."""
        game = self.game
        if not isinstance(game, Holdem) or betting is None:
            return ["", *self._small(seen, "have")]
        rules = game.betting
        deals = [event for event in seen.public if isinstance(read_event(event), DealEvent)]
        board = [card for event in deals for card in split_cards(event)]
        stacks = [
            f"{self._seat_name(seat)} {rules.behind(betting, seat):,}" + ("" if seat in betting.live else " (folded)")
            for seat in range(rules.players)
        ]
        return [
            "",
            *_story(game, seen.public, self._seat_name),
            f"  board {' '.join(board) or '-'}   pot {rules.total_pot(betting):,}   stacks: {', '.join(stacks)}",
            f"  your hand {' '.join(split_cards(seen.private))}",
        ]

    def _small(self, seen: Observation, verb: str) -> list[str]:
        """Return what the seat sees in a game other than hold'em."""
        if not isinstance(self.game, SmallPoker):
            return self._words().table(seen, over=verb == "had")
        table = small_table(self.game, seen.public, self._seat_name)
        board = f"   public card {table.board}" if table.board else ""
        own = f"you {verb} {seen.private}{board}   pot {figure(table.pot)}"
        return [f"  {line}" for line in (*table.rounds, own)]

    def _choices(self, seen: Observation) -> dict[Action, str]:
        """Return what each action means, in small poker games; elsewhere an action means itself."""
        if isinstance(self.game, SmallPoker):
            return small_table(self.game, seen.public, self._seat_name).choices
        return {action: action for action in seen.actions}

    def _prompt(self, seen: Observation, betting: BettingState | None) -> str:
        if betting is None and not isinstance(self.game, SmallPoker):
            return f"  {self._words().prompt(seen)} > "
        if betting is None:
            choices = self._choices(seen).items()
            return f"  {', '.join(one if one == word else f'{one} = {word}' for one, word in choices)} > "
        words = [f"[f]old, [c]all {betting.to_call:,}"] if betting.to_call else ["[c]heck"]
        if betting.max_raise:
            low, high = (total - betting.round_stake for total in (betting.min_raise, betting.max_raise))
            if betting.bets:
                span = f"{low:,}" if low == high else f"a total between {low:,} and {high:,}"
                words.append(f"[r]aise to {span}")
            else:
                words.append(f"[b]et {low:,}" if low == high else f"[b]et between {low:,} and {high:,}")
        return f"  {', '.join(words)} > "

    def _help(self, seen: Observation, betting: BettingState | None) -> str:
        if betting is None:
            return f"  type one of {', '.join(seen.actions)}; q leaves the table, your score is kept"
        return (
            "  f folds, c checks or calls; b300, raise 300 or just 300 bets or raises to 300 chips in this round,\n"
            "  3bb to three big blinds; 50%, half pot or pot bets that share of the pot, or adds it to the call;\n"
            "  2.5x raises to 2.5 times the bet that you face; min bets or raises the least; allin bets everything;\n"
            "  q leaves the table, your score is kept"
        )

    def _words(self) -> Words:
        return Words(self.game, self.seat, self._seat_name)

    def _seat_name(self, seat: int) -> str:
        if seat == self.seat:
            return "you"
        return self.names[seat] if self.names else f"seat {seat}"

    def tell(self, text: str, end: str = "\n") -> None:
        """Show a text."""
        print(text, end=end, file=self.out or sys.stderr, flush=True)


def read_bet(game: Holdem, betting: BettingState, text: str) -> BetAction:
    """Return the action that a player means at a decision of hold'em; amounts are chips of this round.

    >>> game = __import__("counterpoise").load("no_limit_holdem")
    >>> read_bet(game, game.betting_after(()), "raise 300"), read_bet(game, game.betting_after(()), "c")
    (300, 0)
    """
    high = betting.max_raise
    if text in FOLD_WORDS:
        if not betting.to_call:
            raise InputError("you cannot fold: nothing is owed, so check (c)")
        return FOLD
    if text in CHECK_WORDS and betting.to_call:
        raise InputError(f"you cannot check: {betting.to_call:,} are to call (c), or fold (f)")
    if text in CALL_WORDS or text in CHECK_WORDS:
        return CALL
    if text in ALL_IN_WORDS and not high and betting.to_call:
        return CALL
    if text in BET_WORDS and high and betting.min_raise == high:
        return high  # limit poker has one size
    if text in BET_WORDS:
        raise InputError("say how much, such as b300, 3bb, 50% or allin")
    if text not in ALL_IN_WORDS and not _AMOUNT.fullmatch(text):
        raise InputError(
            f"{shown(text)} is no action: type f, c, an amount such as 300, 3bb, 50%, pot, 2.5x or min, allin, "
            "h for help or q to leave"
        )
    return read_amount(game, betting, text)


def read_amount(game: Holdem, betting: BettingState, text: str) -> BetAction:
    """Return the bet or raise that a player means by an amount: chips of this round, 3bb, 50%, pot, 2.5x, min or allin.

    A share of the pot or a multiple past the stack is all-in; an amount below the legal minimum is refused.

    >>> game = __import__("counterpoise").load("no_limit_holdem")
    >>> [read_amount(game, game.betting_after(()), text) for text in ("300", "3bb", "2.5x", "pot", "min", "allin")]
    [300, 300, 250, 300, 200, 20000]
    """
    low, high, before = betting.min_raise, betting.max_raise, betting.round_stake
    found = _AMOUNT.fullmatch(text)
    if found is None and text not in ALL_IN_WORDS:
        raise InputError(f"{shown(text)} is no amount: type chips such as 300, 3bb, 50%, pot, 2.5x or allin")
    if not high:
        raise InputError("you cannot bet or raise here: " + ("call or fold" if betting.to_call else "check"))
    if found is None:
        return high
    word = found[1]
    if word == "min":
        return low
    if _CHIPS.fullmatch(word):
        total = before + int(re.sub(r"[,_]", "", word))
    elif word.endswith("bb"):
        total = before + _big_blinds(game, word)
    else:
        if word.endswith("x") and betting.stake == before:
            raise InputError(f"{word} multiplies a bet, and nobody has bet in this round: type chips, 3bb, 50% or pot")
        size = _SHARES.get(word.replace(" ", ""), word.replace(" ", ""))
        total = min(parse_size(size, "bet", raising=True).total(game.betting, betting), high)
    if not low <= total <= high:
        least, most, asked = (chips - before for chips in (low, high, total))
        allowed = f"it must be {least:,}" if least == most else f"it must be between {least:,} and {most:,}"
        raise InputError(f"you cannot {'raise to' if betting.bets else 'bet'} {asked:,} chips: {allowed}")
    return total


def _big_blinds(game: Holdem, word: str) -> int:
    """Return how many chips a number of big blinds is."""
    blind = max(game.betting.blinds, default=0)
    if not blind:
        raise InputError(f"{word} counts big blinds, and this game has none: type chips, 50% or pot")
    try:
        chips = Fraction(word.removesuffix("bb").strip()) * blind
    except ValueError:
        raise InputError(f"{shown(word)} is no number of big blinds: write 3bb or 2.5bb") from None
    if chips.denominator > 1:
        raise InputError(f"{word} is no whole number of chips: a big blind is {blind:,}")
    return int(chips)


def _read_label(text: str, typed: str, choices: Mapping[Action, str]) -> Action:
    """Return the action of a label in upper or lower case, or of the only label or word that begins so."""
    actions = tuple(choices)
    exact = [action for action in actions if action == typed] or [one for one in actions if one.lower() == text]
    if exact:
        return exact[0]
    begins = [action for action in actions if text and action.lower().startswith(text)]
    begins = begins or [action for action, word in choices.items() if text and word.startswith(text)]
    if len(begins) == 1:
        return begins[0]
    raise InputError(f"{shown(typed)} is no action here: {suggest(typed, actions)}")


def _story(game: Holdem, public: Sequence[str], name_of: object) -> list[str]:
    """Return what has happened, one line per betting round."""
    rules, lines, words = game.betting, [], list[str]()
    after = game.betting_after(())
    begun, events = after.round, list(public)

    def heading(number: int, cards: str = "") -> str:
        street = STREETS[number] if len(game.board) <= len(STREETS) else f"round {number + 1}"
        return " ".join([street, *split_cards(cards)])

    def line() -> str:
        return f"  {told}: {', '.join(words)}" if words else f"  {told}"

    told = heading(begun, events.pop(0) if begun and events else "")  # a spot begins with its board
    for event in events:
        if " shows " in event:
            break
        before, after = after, game.betting_next(after, event)
        if isinstance(read_event(event), ActionEvent):
            who = name_of(before.to_act)  # type: ignore[operator]
            words.append(f"{who}: {describe(read_label(event), before, rules)}")
        else:
            lines.append(line())
            words = []
            told = heading(begun + len(lines), event)
    return [*lines, line()] if words or lines or begun else []
