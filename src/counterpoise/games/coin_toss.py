"""Coin Toss, the running example of safe search, and its form with two subgames (Brown 2020, section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterpoise.games.base import CHANCE, TERMINAL, RuleBook, register
from counterpoise.parameters import require_choice

History = tuple[str, ...]

_COIN = ("heads", "tails")


class _CoinTossRules(RuleBook):
    """Coin, sell or play, then (perhaps after a public chance event) the guess."""

    players = 2
    subgames: tuple[str, ...] = ()
    guesses: tuple[str, ...] = _COIN

    def sell_values(self) -> tuple[float, float]:
        """Return what selling pays the first player after heads and after tails."""
        return (0.5, -0.5)

    def initial(self) -> History:
        return ()

    def player(self, state: History) -> int:
        if not state:
            return CHANCE
        if len(state) == 1:
            return 0
        if state[1] == "sell" or state[-1] in self.guesses:
            return TERMINAL
        return CHANCE if self.subgames and len(state) == 2 else 1

    def chance(self, state: History) -> Sequence[tuple[str, float]]:
        return [(outcome, 0.5) for outcome in (self.subgames if state else _COIN)]

    def actions(self, state: History) -> tuple[str, ...]:
        return ("sell", "play") if len(state) == 1 else self.guesses

    def next(self, state: History, action: str) -> History:
        return (*state, action)

    def infoset(self, state: History) -> str:
        return f"P1:{state[0]}" if len(state) == 1 else f"P2:{state[-1]}"

    def public(self, state: History) -> tuple[str, ...]:
        return state[1:]

    def private(self, state: History, seat: int) -> str:
        """Return the coin, which only the first player sees."""
        return state[0] if state and seat == 0 else ""

    def payoffs(self, state: History) -> tuple[float, float]:
        coin, *_, last = state
        value = self.sell_values()[_COIN.index(coin)] if last == "sell" else -1.0 if last == coin else 1.0
        return (value, -value)


@register("coin_toss")
@dataclass(frozen=True)
class CoinToss(_CoinTossRules):
    """A coin only the first player sees: sell it, or play and let the second guess; unit: $. Brown 2020, section 5.1.1.

    Selling pays the first player +0.5 after heads and -0.5 after tails (`variant="mirror"`: the other way
    round). After "play" the second guesses "heads" or "tails", right -1 and wrong +1 to the first, or
    forfeits, +1 to the first. The value is 0; the second must guess heads with 1/4 (mirror: 3/4) and never
    forfeit. Infosets: "P1:heads", "P1:tails", "P2:play".
    """

    variant: str = "base"

    guesses = (*_COIN, "forfeit")

    def __post_init__(self) -> None:
        require_choice("coin_toss: variant", self.variant, ("base", "mirror"))

    def sell_values(self) -> tuple[float, float]:
        return (-0.5, 0.5) if self.variant == "mirror" else (0.5, -0.5)


@register("coin_toss_two_subgames")
@dataclass(frozen=True)
class CoinTossTwoSubgames(_CoinTossRules):
    """Coin Toss without forfeit in which a public fair coin picks subgame S1 or S2 after "play".

    Both subgames are alike, so gifts must be split between them (Brown 2020, section 5.1.3, figure 5.4). Infosets:
    "P1:heads", "P1:tails", "P2:S1", "P2:S2"; unit: $.
    """

    subgames = ("S1", "S2")
