"""Log files: which form a name means, and reading with every hand checked."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.logs.base import MOST_DIGITS, Heading, Log, LogFormat, ReadRecord
from counterpoise.logs.record import check_record
from counterpoise.parameters import either, require, shown
from counterpoise.store.files import read_text

FORMS = {
    ".log": "counterpoise.logs.acpc:AcpcLog",
    ".phhs": "counterpoise.logs.phh:PhhLog",
    ".jsonl": "counterpoise.logs.jsonl:JsonLog",
}
"""The form of logs with each ending; imported when such a log is named."""


def log_format(path: str | os.PathLike[str]) -> LogFormat:
    """Return the form that the ending of a file's name means."""
    ending = Path(path).suffix.lower()
    if ending not in FORMS:
        raise InputError(f"log must name a file ending in {either(list(FORMS))}, not {os.fspath(path)}")
    module, form = FORMS[ending].split(":")
    found: LogFormat = getattr(import_module(module), form)()
    return found


def read_log(path: str | os.PathLike[str], game: Game | str | None = None) -> Log:
    """Return the hands of a log, each of them replayed by the rules.

    The game is the one that the log's heading names; logs of other programs have none, so name it. A hand that is
    missing before another one or there twice, an impossible card or action, and payoffs other than those of the rules
    raise `InputError` with the number of the line.
    """
    form, text, heading = _open(path)
    if game is None and heading is None:
        raise InputError(f"{path} does not say which game it is of: name it")
    rules = as_game(heading.game if game is None and heading is not None else game)  # type: ignore[arg-type]
    records = []
    expected = None if heading is None else 0  # logs of other programs may begin with any hand
    try:
        for found in form.parse(text, rules, heading or Heading(str(rules))):
            _check(rules, found, expected)
            expected = found.number + 1
            records.append(found.record)
    except InputError as error:
        raise InputError(f"{path}, {error}") from None
    return Log(heading or Heading(str(rules)), rules, records)


def read_heading(path: str | os.PathLike[str]) -> Heading | None:
    """Return what a log says that it is of; None if it says nothing, as logs of other programs."""
    return _open(path)[2]


def _open(path: str | os.PathLike[str]) -> tuple[LogFormat, str, Heading | None]:
    """Return the form of a log, its text and its heading."""
    form = log_format(path)
    text = read_text(path, "a log")
    try:
        return form, text, form.find_heading(text)
    except InputError as error:
        raise InputError(f"{path}, {error}") from None


def _check(game: Game, found: ReadRecord, expected: int | None) -> None:
    """Refuse a hand out of order, and one that the rules do not allow."""
    if expected is not None and found.number != expected:
        wrong = f"hand {expected} is missing" if found.number > expected else f"hand {found.number} is there twice"
        raise InputError(f"line {found.line}: {wrong}")
    try:
        for name in ("hand", "room"):
            number = getattr(found.record, name)
            proper = 0 <= number < 10**MOST_DIGITS
            require(proper, f"{name} must be a number from 0, of at most {MOST_DIGITS} digits, not {shown(number)}")
        check_record(game, found.record)
    except InputError as error:
        raise InputError(f"line {found.line}: {error}") from None
