"""Gaps between the bets of a blueprint, scored by the bets that opponents made in a day's hands.

Only the first round counts, and sizes are fractions of the pot after a call (Brown 2020, section 6.4). A *situation* is
the line of betting before a bet, in the blueprint's own bets: an earlier bet that it lacks counts as the one that it is
translated to. A *gap* is two neighbouring sizes A < B of a situation, 0 being a check or a call; a bet x inside adds
min(x - A, B - x) to its score.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from counterpoise.abstraction.translation import midpoint, translate
from counterpoise.betting.rules import CALL, FOLD, BetAction, BettingState
from counterpoise.betting.sizes import label
from counterpoise.errors import InputError
from counterpoise.games.base import Action
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem, NoLimitHoldem
from counterpoise.logs import Log
from counterpoise.search.action_translation import pot_share

LAST_BETS = 8
"""Bets of one size in a row, in one situation, before the offensive answer to it is used (Brown 2020, section 6.4)."""
DIGITS = 3
"""Two sizes are the same if they agree to this many digits: bets are whole chips."""

Situation = tuple[Action, ...]
Sizes = Mapping[Situation, Collection[float]]
"""Sizes beside the menu's, by situation."""


class Bet(NamedTuple):
    """A bet in the first round."""

    situation: Situation
    size: float
    """The size as a fraction of the pot after a call."""


class SizeGap(NamedTuple):
    """Two neighbouring sizes of a situation, and the sum of the distances of bets between them from the nearer one."""

    situation: Situation
    low: float
    high: float
    score: float

    @property
    def midpoint(self) -> float:
        """The size that is translated to either neighbour equally often: (A + B + 2AB) / (A + B + 2)."""
        return midpoint(self.low, self.high)


def score_gaps(bets: Sequence[Bet], game: Holdem, more: Sizes | None = None) -> list[SizeGap]:
    """Return the gaps in which bets were made, the highest score first; `more` are sizes beside the game's menu."""
    scores: dict[tuple[Situation, float, float], float] = defaultdict(float)
    for bet in bets:
        sizes = sorted({*menu_sizes(game, bet.situation), *(more or {}).get(bet.situation, ())})
        between = neighbours(bet.size, sizes)
        if between is not None:
            low, high = between
            scores[bet.situation, low, high] += min(bet.size - low, high - bet.size)
    gaps = [SizeGap(*where, score) for where, score in scores.items()]
    return sorted(gaps, key=lambda gap: (-gap.score, gap[:3]))


def neighbours(size: float, sizes: Sequence[float]) -> tuple[float, float] | None:
    """Return the two sizes, of some in rising order, between which a bet lies; None if it is one of them or beyond all.

    >>> neighbours(0.6, [0, 0.5, 1]), neighbours(0.5, [0, 0.5, 1]), neighbours(2, [0, 0.5, 1])
    ((0.5, 1), None, None)
    """
    if any(same_size(size, one) for one in sizes):
        return None
    place = bisect_left(sizes, size)
    return (sizes[place - 1], sizes[place]) if 0 < place < len(sizes) else None


def same_size(size: float, other: float) -> bool:
    """Return whether two sizes are the same but for rounding to chips."""
    return round(size, DIGITS) == round(other, DIGITS)


def most_common_bet(bets: Sequence[Bet]) -> Bet | None:
    """Return the bet that was made most often in one situation; the first of those made equally often."""
    counts = Counter(Bet(bet.situation, round(bet.size, DIGITS)) for bet in bets)
    return max(counts, key=lambda bet: counts[bet]) if counts else None


class Trigger:
    """Remembers the last bets of each situation and says whether all were of one size."""

    def __init__(self, length: int = LAST_BETS) -> None:
        self.length = length
        self._last: dict[Situation, list[float]] = defaultdict(list)

    def add(self, bet: Bet) -> None:
        """Count one more bet."""
        last = self._last[bet.situation]
        last.append(round(bet.size, DIGITS))
        del last[: -self.length]

    def holds(self, bet: Bet) -> bool:
        """Return whether each of the last bets in the situation was of this size, and there were enough of them."""
        last = self._last[bet.situation]
        return len(last) == self.length and set(last) == {round(bet.size, DIGITS)}


def menu_sizes(game: Holdem, situation: Situation) -> dict[float, BetAction]:
    """Return the sizes of the game's menu in a situation with their actions; 0 is a check or a call."""
    state = game.betting_after(situation)
    return {pot_share(game.betting, state, one): one for one in game.menu(state) if one != FOLD}


def first_round_bets(log: Log, game: Holdem, ours: Collection[str]) -> list[Bet]:
    """Return the bets in the first round of all agents but our own, in the order of hands."""
    table = log.game
    if not (isinstance(table, NoLimitHoldem) and isinstance(game, NoLimitHoldem) and _same_rules(table, game)):
        raise InputError(f"the log is of {getattr(table, 'name', table)}, the blueprint of {game.name}")
    found = []
    for record in log.records:
        for seat, bet in _bets(record.history[table.seats :], table, game):
            if record.agents[seat] not in ours:
                found.append(bet)
    return found


def _same_rules(table: NoLimitHoldem, game: NoLimitHoldem) -> bool:
    """Return whether two games differ only in their menus."""
    return replace(table, sizes=game.sizes, max_bets=game.max_bets) == game


def _bets(events: Sequence[str], table: Holdem, game: Holdem) -> Iterator[tuple[int, Bet]]:
    """Yield the bets of the first round with their seats; stop where the blueprint's hand would be over."""
    real = table.betting_after(())
    line: Situation = ()
    for event in events:
        state = game.betting_after(line)
        event = read_event(event)
        if not isinstance(event, ActionEvent) or state.to_act != real.to_act:
            return
        action = event.bet
        if action > CALL:
            yield real.to_act, Bet(line, pot_share(table.betting, real, action))
        line = (*line, believed_action(game, state, pot_share(table.betting, real, action), action))
        real = table.betting_next(real, event)


def believed_action(game: Holdem, state: BettingState, size: float, action: BetAction) -> Action:
    """Return the action of the menu that an action of some size is translated to."""
    menu = game.menu(state)
    if action == FOLD:
        return label(FOLD if FOLD in menu else CALL)
    sizes = {pot_share(game.betting, state, one): label(one) for one in menu if one != FOLD}
    nearest = next((one for one in sizes if same_size(one, size)), None)
    if nearest is None:
        (nearest,) = translate(size, sizes, "midpoint")
    return sizes[nearest]
