"""Games in which every player chooses once: two players with a payoff matrix, and a bandit with one player.

The choices are made in seat order, and nobody sees another's before the end: every seat has the one infoset "P1",
"P2", ...
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from counterpoise.games.base import TERMINAL, RuleBook, register
from counterpoise.parameters import is_list, is_number, require, shown

Table = tuple[tuple[float, ...], ...]
Choices = tuple[str, ...]


class OneShot(RuleBook):
    """Base of the one-shot rule books; a subclass says the choices of each seat and the payoffs."""

    players: int

    @abstractmethod
    def choices(self, seat: int) -> Sequence[str]:
        """Return what `seat` may choose."""

    def initial(self) -> Choices:
        return ()

    def player(self, state: Choices) -> int:
        return len(state) if len(state) < self.players else TERMINAL

    def actions(self, state: Choices) -> Sequence[str]:
        return self.choices(len(state))

    def chance(self, state: Choices) -> Sequence[tuple[str, float]]:
        return ()

    def next(self, state: Choices, action: str) -> Choices:
        return (*state, action)

    def infoset(self, state: Choices) -> str:
        return f"P{len(state) + 1}"

    def public(self, state: Choices) -> tuple[str, ...]:
        """Return all choices once everybody has made one."""
        return tuple(state) if len(state) == self.players else ()

    def private(self, state: Choices, seat: int) -> str:
        return state[seat] if seat < len(state) else ""


class _NamedMatrix(OneShot):
    """A zero-sum matrix game in which both players choose among the same named actions."""

    players = 2
    names: tuple[str, ...]
    table: Table  # what the row player receives

    def choices(self, seat: int) -> tuple[str, ...]:
        return self.names

    def payoffs(self, state: Choices) -> tuple[float, float]:
        row, column = (self.names.index(name) for name in state)
        value = float(self.table[row][column])
        return (value, -value)


@register("matching_pennies")
@dataclass(frozen=True)
class MatchingPennies(_NamedMatrix):
    """Two pennies: the first player wins 1 if they match, the second if not. Infosets "P1", "P2"."""

    names = ("heads", "tails")
    table = ((1, -1), (-1, 1))


@register("rock_paper_scissors")
@dataclass(frozen=True)
class RockPaperScissors(_NamedMatrix):
    """Rock, Paper, Scissors (R, P, S) for 1 point. Infosets "P1", "P2"."""

    names = ("R", "P", "S")
    table = ((0, -1, 1), (1, 0, -1), (-1, 1, 0))


@register("rps_plus")
@dataclass(frozen=True)
class RockPaperScissorsPlus(_NamedMatrix):
    """RPS+: Rock, Paper, Scissors in which a win or loss that involves Scissors counts 2 (Brown 2020, section 5.2.1).

    The second player does not see the first one's move: infosets "P1", "P2". Both play R and P with 0.4 and S
    with 0.2 in equilibrium; the value is 0.
    """

    names = ("R", "P", "S")
    table = ((0, -1, 2), (1, 0, -2), (-2, 2, 0))


@register("matrix")
@dataclass(frozen=True)
class Matrix(OneShot):
    """Any two-player game in normal form: `row_payoffs[row][column]` to the row player, in your own unit.

    `column_payoffs` is the same for the other player; without it the game is zero-sum. Rows are "r1", "r2",
    ..., columns "c1", "c2", ...; infosets "P1" and "P2". The default [[1, 0.9], [-0.7, 1]] is the example of
    Brown 2020, section 2.3.7 on which CFR+ converges more slowly than 1/T; its value is 163/180.
    """

    row_payoffs: Table = ((1, 0.9), (-0.7, 1))
    column_payoffs: Table | None = None

    players = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "row_payoffs", _table("row_payoffs", self.row_payoffs))
        if self.column_payoffs is None:
            return
        object.__setattr__(self, "column_payoffs", _table("column_payoffs", self.column_payoffs))
        shape, other = _shape(self.row_payoffs), _shape(self.column_payoffs)
        require(
            shape == other,
            f"matrix: column_payoffs must be {shape} as row_payoffs, not {other} (rows x columns)",
        )

    def choices(self, seat: int) -> tuple[str, ...]:
        return self._names[seat]

    def payoffs(self, state: Choices) -> tuple[float, float]:
        row, column = (int(name[1:]) - 1 for name in state)
        value = float(self.row_payoffs[row][column])
        other = -value if self.column_payoffs is None else float(self.column_payoffs[row][column])
        return (value, other)

    @cached_property
    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        rows, columns = len(self.row_payoffs), len(self.row_payoffs[0])
        return tuple(f"r{i + 1}" for i in range(rows)), tuple(f"c{i + 1}" for i in range(columns))


@register("three_action_bandit")
@dataclass(frozen=True)
class ThreeActionBandit(OneShot):
    """One player, three actions worth 0, 1 and -1,000,000; unit: reward. Brown 2020, section 3.1.2.

    After one uniform step regret matching plays "a2" alone only from iteration 471,407 on. Infoset "P1".
    """

    players = 1

    def choices(self, seat: int) -> tuple[str, ...]:
        return ("a1", "a2", "a3")

    def payoffs(self, state: Choices) -> tuple[float]:
        return ({"a1": 0.0, "a2": 1.0, "a3": -1_000_000.0}[state[0]],)


def _table(field: str, values: Any) -> Table:
    """Return the matrix as nested tuples; arrays are welcome."""
    rows = values.tolist() if hasattr(values, "tolist") else values
    require(
        is_list(rows)
        and len(rows) > 0
        and all(is_list(row) and len(row) == len(rows[0]) > 0 for row in rows)
        and all(is_number(value) for row in rows for value in row),
        f"matrix: {field} must be a list of rows of equally many numbers, not {shown(values)}",
    )
    return tuple(tuple(row) for row in rows)


def _shape(table: Table) -> str:
    return f"{len(table)} x {len(table[0])}"
