"""Families of games: one game for every point of some parameters, such as bet sizes.

A family is any object with the `names` of its parameters and a method ``at(theta)``. `make_family` makes one of a
registered game whose fields hold numbers ("bets[1]" is the second entry of the field `bets`), or of a function that
takes the parameters by name and returns a game.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game, game_name
from counterpoise.names import suggest
from counterpoise.parameters import is_list, is_number, shown

PATH = re.compile(r"([A-Za-z_]\w*)((?:\[\d+\])*)")


@runtime_checkable
class Family(Protocol):
    """Games of the same structure, told apart by parameters."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the parameters."""

    def at(self, theta: Sequence[float]) -> Game:
        """Return the game at a point: one number per parameter, in the order of their names."""


@dataclass(frozen=True)
class FieldFamily:
    """A rule book whose fields, or entries of them, are the parameters."""

    game: Any
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in self.names:
            if not is_number(read_entry(self.game, name)):
                raise InputError(f"{game_name(self.game)}: {name} must hold a number{_entries(self.game, name)}")

    def at(self, theta: Sequence[float]) -> Game:
        """Return the rule book with these numbers in the fields."""
        changed: dict[str, Any] = {}
        for name, number in zip(self.names, theta, strict=True):
            field, steps = split_path(name)
            whole = changed.get(field, getattr(self.game, field))
            changed[field] = _replaced(whole, steps, float(number))
        game: Game = dataclasses.replace(self.game, **changed)
        return game

    def without_stacks(self) -> tuple[FieldFamily, float]:
        """Return the family without the limit that a field `stack` holds, and the limit; inf if there is none."""
        stack = getattr(self.game, "stack", None)
        if stack is None or not is_number(stack) or "stack" in self.names:
            return self, math.inf
        return FieldFamily(dataclasses.replace(self.game, stack=None), self.names), float(stack)


@dataclass(frozen=True)
class FunctionFamily:
    """A function from parameters, given by name, to a game."""

    function: Callable[..., Game]
    names: tuple[str, ...]

    def at(self, theta: Sequence[float]) -> Game:
        """Return what the function makes of the point."""
        numbers = map(float, theta)
        return as_game(self.function(**dict(zip(self.names, numbers, strict=True))))


def make_family(game: Game | Family | Callable[..., Game] | str, names: Sequence[str]) -> Family:
    """Return the family that a caller means, with `names` as its parameters.

    >>> str(make_family("leduc_poker", ["bets[1]"]).at([9.75]))
    'leduc_poker(bets=[2, 9.75])'
    """
    if not names:
        raise InputError("parameters must name at least one parameter of the game")
    if isinstance(game, Family):
        if set(game.names) != set(names):
            raise InputError(
                f"parameters must be those of the family ({', '.join(game.names)}), not {', '.join(names)}"
            )
        return game
    if callable(game) and not isinstance(game, Game):
        return FunctionFamily(game, tuple(names))
    rules = as_game(game)
    if not dataclasses.is_dataclass(rules):
        raise InputError(
            f"{game_name(rules)} is no dataclass whose fields could change: give a function that takes the parameters"
            " by name and returns a game"
        )
    return FieldFamily(rules, tuple(names))


def read_entry(game: Any, name: str) -> Any:
    """Return what a field of a game, or an entry of one such as "bets[1]", holds; refuse what is not there."""
    field, steps = split_path(name)
    known = [entry.name for entry in dataclasses.fields(game) if entry.init]
    if field not in known:
        hint = suggest(field, known) if known else "it takes no parameters"
        raise InputError(f"{game_name(game)} has no parameter {shown(name)}: {hint}")
    found = getattr(game, field)
    for step in steps:
        if not is_list(found) or step >= len(found):
            raise InputError(f"{game_name(game)} has no parameter {shown(name)}{_entries(game, field)}")
        found = found[step]
    return found


def split_path(name: str) -> tuple[str, list[int]]:
    """Split the name of an entry into its field and the positions in it.

    >>> split_path("fractions[0][1]")
    ('fractions', [0, 1])
    """
    found = PATH.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        raise InputError(f"a parameter is named like bets or bets[1], not {shown(name)}")
    return found[1], [int(step) for step in re.findall(r"\d+", found[2])]


def _entries(game: Any, name: str) -> str:
    """Return a clause that names the entries of a list."""
    found = read_entry(game, name)
    if not is_list(found):
        return f", not {shown(found)}"
    return f": name one of {', '.join(f'{name}[{k}]' for k in range(len(found)))}"


def _replaced(whole: Any, steps: Sequence[int], number: float) -> Any:
    """Return a nested tuple with one number replaced."""
    if not steps:
        return number
    first, *rest = steps
    return tuple(_replaced(part, rest, number) if k == first else part for k, part in enumerate(whole))
