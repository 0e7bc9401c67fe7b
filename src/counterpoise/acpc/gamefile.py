"""Game definitions of the competition (`.game` files), read as rules of hold'em and written from them.

A file has one key per line, in any case, with or without "=": limit or nolimit, numPlayers, numRounds, stack, blind,
raiseSize, firstPlayer, maxRaises, numSuits, numRanks, numHoleCards, numBoardCards; "#" begins a comment. Positions
count from the first seat after the button, as seats do here. What is different there:

1. maxRaises does not count the big blind, `max_bets` does. Without maxRaises a round has any number of raises.
2. Without a stack no seat can run out of chips. Limit games then get the usual stacks here if these are deep enough.
3. The blind of a position includes an ante. In limit games with three or more seats what the last position pays is
   the ante of all; no-limit games with antes are refused, since there the ante counts in the smallest raise.

A file whose rules are not those of `limit_holdem` and `no_limit_holdem` is refused, never approximated.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.games.base import game_name
from counterpoise.games.holdem import HOLE_CARDS, Holdem, LimitHoldem, NoLimitHoldem
from counterpoise.logs.base import is_count
from counterpoise.names import suggest
from counterpoise.parameters import require, shown
from counterpoise.store.files import read_text

ENDING = ".game"
ENDLESS = 2**31 - 1
"""The stack of a player without one."""
MANY_RAISES = 255
"""More raises than any round has."""
MOST_ROUNDS = 4
MOST_BYTES = 2**20
_LISTS = {
    "stack": "stack",
    "blind": "blind",
    "raisesize": "raiseSize",
    "firstplayer": "firstPlayer",
    "maxraises": "maxRaises",
    "numboardcards": "numBoardCards",
}
_NUMBERS = {
    "numplayers": "numPlayers",
    "numrounds": "numRounds",
    "numsuits": "numSuits",
    "numranks": "numRanks",
    "numholecards": "numHoleCards",
}
_KINDS = {"limit": "limit", "nolimit": "nolimit"}
_FRAME = {"gamedef": "GAMEDEF", "end": "END GAMEDEF"}


def load_rules(source: Game | str | os.PathLike[str]) -> Holdem:
    """Return the rules that a user means: a `.game` file by its path, or hold'em by its name in the registry."""
    if isinstance(source, str | os.PathLike) and str(source).lower().endswith(ENDING):
        path = Path(source)
        text = read_text(path, "a game definition", MOST_BYTES)
        try:
            return parse_game(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    game = as_game(source)  # type: ignore[arg-type]
    if not isinstance(game, Holdem):
        raise InputError(f"ACPC is played here with hold'em, not with {game_name(game)}")
    return game


def parse_game(text: str) -> Holdem:
    """Return the rules in a game definition.

    >>> parse_game("nolimit\\nnumPlayers = 2\\nnumRounds = 4")
    Traceback (most recent call last):
        ...
    counterpoise.errors.InputError: numSuits is missing
    """
    found = _read_keys(text)
    seats, rounds = found["numPlayers"], found["numRounds"]
    limit = "nolimit" not in found
    require(2 <= seats <= 10, f"numPlayers must be 2 to 10, not {seats}")
    require(1 <= rounds <= MOST_ROUNDS, f"numRounds must be 1 to {MOST_ROUNDS}, not {rounds}")
    require(
        found["numHoleCards"] == HOLE_CARDS,
        f"numHoleCards must be {HOLE_CARDS}, as in hold'em, not {found['numHoleCards']}",
    )
    small, big, ante = _read_blinds(_listed(found, "blind", seats), limit)
    board = _listed(found, "numBoardCards", rounds)
    shared: dict[str, Any] = {
        "seats": seats,
        "blinds": (small, big),
        "ante": ante,
        "board": tuple(board),
        "ranks": found["numRanks"],
        "suits": found["numSuits"],
    }
    raises = _listed(found, "maxRaises", rounds, default=MANY_RAISES)
    require(min(raises) > 0, f"maxRaises must be at least 1 in every round, not {shown(raises)}")
    most = tuple([count + (1 if big and not place else 0) for place, count in enumerate(raises)])
    if limit:
        sizes = tuple(_listed(found, "raiseSize", rounds))
        require(min(sizes) > 0, f"raiseSize must be at least 1 in every round, not {shown(sizes)}")
        shared |= {"bets": sizes, "max_bets": most[0] if len(set(most)) == 1 else most}
        deepest = ante + big + sum(size * count for size, count in zip(sizes, most, strict=True))
    else:
        deepest = ENDLESS
        shared |= {"max_bets": None if min(raises) >= MANY_RAISES else most}
    shared |= _read_stacks(found, seats, max(big, 1), deepest)
    for blind, stack in zip(found["blind"], shared.get("stacks", ()), strict=False):
        require(blind <= stack, f"blind must be at most the stack of the player, not {blind} of {stack}")
    rules: Holdem = _plain(LimitHoldem if limit else NoLimitHoldem, shared)
    _check_first_players(found, rules, rounds)
    return rules


def format_game(game: Holdem) -> str:
    """Return the game definition of rules, or refuse rules that it cannot hold.

    >>> from counterpoise.games import load
    >>> print(format_game(load("limit_holdem(blinds=[5, 10])")), end="")
    GAMEDEF
    limit
    numPlayers = 2
    numRounds = 4
    blind = 10 5
    raiseSize = 10 10 20 20
    firstPlayer = 2 1 1 1
    maxRaises = 3 4 4 4
    numSuits = 4
    numRanks = 13
    numHoleCards = 2
    numBoardCards = 0 3 1 1
    END GAMEDEF
    """
    betting, rounds = game.betting, len(game.board)
    big = game.blinds[1]
    limit = betting.limit
    most = betting.max_bets or (MANY_RAISES + 1,) * rounds
    raises = [count - (1 if big and not place else 0) for place, count in enumerate(most)]
    for wrong, what in (
        (rounds > MOST_ROUNDS, f"{rounds} rounds"),
        (game.ranking != "standard", f"the {game.ranking} ranking of hands"),
        (bool(game.rake), "rake"),
        (game.whole_chips, "odd chips of split pots"),
        (bool(game.ante) and limit is None, "antes in no-limit"),
        (bool(game.ante) and game.seats == 2 and bool(big), "antes and blinds of two players"),
        (min(raises) < 1, "rounds without raises"),
        (len(set(betting.stacks)) > 1 and game.seats > 2, "unequal stacks of three or more players"),
    ):
        require(not wrong, f"a .game file cannot say {what}, which {game.name} has")
    paid = betting.initial().paid
    lines = ["GAMEDEF", "nolimit" if limit is None else "limit", f"numPlayers = {game.seats}", f"numRounds = {rounds}"]
    deepest = (
        ENDLESS
        if limit is None
        else game.ante + big + sum(size * count for size, count in zip(limit, most, strict=True))
    )
    if min(betting.stacks) < deepest:
        lines.append(f"stack = {_spaced(betting.stacks)}")
    lines.append(f"blind = {_spaced(paid)}")
    if limit is not None:
        lines.append(f"raiseSize = {_spaced(limit)}")
    lines.append(f"firstPlayer = {_spaced(_first_players(game, rounds))}")
    if min(raises) < MANY_RAISES:
        lines.append(f"maxRaises = {_spaced([min(count, MANY_RAISES) for count in raises])}")
    lines += [f"numSuits = {game.suits}", f"numRanks = {game.ranks}", f"numHoleCards = {HOLE_CARDS}"]
    lines += [f"numBoardCards = {_spaced(game.board)}", "END GAMEDEF", ""]
    return "\n".join(lines)


def _read_keys(text: str) -> dict[str, Any]:
    """Return the keys of a definition with their numbers, and "limit" or "nolimit" with True."""
    found: dict[str, Any] = {}
    known = {**_LISTS, **_NUMBERS, **_KINDS, **_FRAME}
    for line, content in enumerate(text.splitlines(), start=1):
        words = content.partition("#")[0].replace("=", " ").split()
        if not words:
            continue
        word = re.match(r"[a-z]*", words[0].lower())[0]  # type: ignore[index]
        if word not in known:
            raise InputError(f"line {line}: unknown key {shown(words[0])}: {suggest(words[0], known.values())}")
        if word == "end":
            break
        if word == "gamedef":
            continue
        name = known[word]
        require(name not in found, f"line {line}: {name} is there twice")
        if word in _KINDS:
            other = "limit" if word == "nolimit" else "nolimit"
            require(other not in found, f"line {line}: a game is limit or nolimit, not both")
            found[name] = True
            continue
        numbers = words[1:]
        require(
            bool(numbers) and all(is_count(number) for number in numbers),
            f"line {line}: {name} must be whole numbers of at least 0, not {shown(' '.join(numbers))}",
        )
        values = [int(number) for number in numbers]
        require(
            max(values) <= ENDLESS, f"line {line}: {name} must be at most {ENDLESS}, not {shown(' '.join(numbers))}"
        )
        require(word in _LISTS or len(values) == 1, f"line {line}: {name} must be one number, not {shown(values)}")
        found[name] = values if word in _LISTS else values[0]
    for name in (*_NUMBERS.values(), "blind", "numBoardCards"):
        require(name in found, f"{name} is missing")
    return found


def _listed(found: Mapping[str, Any], name: str, count: int, default: int | None = None) -> list[int]:
    """Return one number per round or player; a list that is longer is cut, as the competition's programs do."""
    values: list[int] | None = found.get(name)
    if values is None:
        require(default is not None, f"{name} is missing")
        return [default] * count  # type: ignore[list-item]
    require(len(values) >= count, f"{name} must have {count} numbers, not {len(values)}")
    return values[:count]


def _read_blinds(blind: Sequence[int], limit: bool) -> tuple[int, int, int]:
    """Return small blind, big blind and ante."""
    if len(blind) == 2:
        big, small = blind
        ante = 0
        if big == small:
            big, small, ante = 0, 0, big
    else:
        small, big, *others = blind
        ante = others[-1]
        require(
            all(one == ante for one in others) and ante <= small,
            f"blind must be a small blind, a big blind and the same ante for all others, not {shown(list(blind))}",
        )
        big, small = big - ante, small - ante
    require(
        0 <= small <= big,
        f"blind must be a big and a small blind for two players, a small and a big one for more, not {shown(blind)}",
    )
    require(not ante or limit, f"blind: no-limit games with antes are not played here: {shown(list(blind))}")
    return small, big, ante


def _read_stacks(found: Mapping[str, Any], seats: int, big: int, deepest: int) -> dict[str, Any]:
    """Return the fields of the rules that say what each seat has."""
    usual = LimitHoldem.stack * big
    if "stack" not in found:
        return {"stack": LimitHoldem.stack} if deepest <= usual else {"stacks": (ENDLESS,) * seats}
    stacks = _listed(found, "stack", seats)
    require(min(stacks) > 0, f"stack must be at least 1 for every player, not {shown(stacks)}")
    if len(set(stacks)) == 1:
        return {"stacks": tuple(stacks)} if stacks[0] % big else {"stack": stacks[0] // big}
    require(seats == 2, f"stack must be the same for all of three or more players, not {shown(stacks)}")
    return {"stacks": tuple(stacks)}


def _plain(kind: type[Holdem], values: dict[str, Any]) -> Any:
    """Return the rules without the bets and caps that are the usual ones anyway."""
    plain = {name: value for name, value in values.items() if name not in ("bets", "max_bets")}
    usual = kind(**plain)
    return usual if usual.betting == kind(**values).betting else kind(**values)


def _first_players(game: Holdem, rounds: int) -> list[int]:
    """Return the position that acts first in each round, counted from 1."""
    first = game.betting.initial().to_act
    return [max(first, 0) + 1] + [1] * (rounds - 1)


def _check_first_players(found: Mapping[str, Any], rules: Holdem, rounds: int) -> None:
    first, usual = _listed(found, "firstPlayer", rounds, default=1), _first_players(rules, rounds)
    require(first == usual, f"firstPlayer must be {_spaced(usual)} with these blinds, not {_spaced(first)}")


def _spaced(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))
