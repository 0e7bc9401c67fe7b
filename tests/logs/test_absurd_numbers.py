"""Numbers that no hand has, wherever a number stands in a log: refused in a sentence, unless the rules allow them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.logs.files import read_log

ABSURD = (
    *(
        "9" * 400,
        "-" + "9" * 400,
        "9" * 5000,
        "1e999",
        "-1e999",
        "1e308",
        "NaN",
        "Infinity",
        "-1",
        "0",
        "1.5",
        "5e-324",
    ),
    *("true", "null", '"x"', "[]", "{}", "1_000", "0x10", "", ".5", "2147483648", "9223372036854775808"),
)
PLACES = 12
"""Places of a file that are tried, spread over all of it."""
SENTENCE = 1000


def _match(game: str, **files: Any) -> cp.MatchResult:
    return cp.match(game, ["random", "random"], 3, seed=1, progress=False, **files)


def _continue(path: Path) -> None:
    _match("leduc_poker", resume=path).to_json()


FILES: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "hands.log": (lambda path: _match("no_limit_holdem", log=path), read_log),
    "hands.phhs": (lambda path: _match("no_limit_holdem", log=path), read_log),
    "hands.jsonl": (lambda path: _match("leduc_poker", log=path), read_log),
    "match.results": (lambda path: _match("leduc_poker", resume=path), _continue),
}
"""What writes a file of each kind, and what reads it."""


@pytest.mark.parametrize("name", FILES)
def test_absurd_numbers_are_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    write, read = FILES[name]
    write(tmp_path / name)
    text = (tmp_path / name).read_text()
    found = list(re.finditer(r"-?\d+(\.\d+)?", text))
    sentences = []
    for number, place in enumerate(found[:: max(len(found) // PLACES, 1)]):
        for absurd in ABSURD[number % 2 :: 2]:
            (tmp_path / name).write_text(text[: place.start()] + absurd + text[place.end() :])
            try:
                read(tmp_path / name)
            except cp.InputError as error:
                sentences.append(str(error))
    assert len(sentences) > PLACES
    assert max(map(len, sentences)) < SENTENCE


@pytest.mark.parametrize("payoff", ["9" * 400, "1e999", "NaN"])
def test_a_payoff_of_400_digits_is_a_sentence(payoff: str, tmp_path: Path) -> None:
    """Such as `judge` reads it."""
    log = tmp_path / "hands.jsonl"
    _match("leduc_poker", log=log)
    first, hand, *rest = log.read_text().splitlines()
    log.write_text("\n".join((first, re.sub(r'"payoffs": \[[^,]*', f'"payoffs": [{payoff}', hand), *rest)))
    with pytest.raises(cp.InputError, match="line 2: payoffs must be a list of numbers, not"):
        read_log(log)
