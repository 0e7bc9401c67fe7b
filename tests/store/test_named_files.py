"""Whatever a user names by mistake instead of a file: a sentence, at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from counterpoise.cli import app
from counterpoise.errors import InputError
from counterpoise.store.files import read_content, read_text

COMMANDS = {
    ".jsonl": ["judge", "FILE"],
    ".game": ["acpc", "game", "FILE"],
    ".efg": ["solve", "FILE", "-n", "1"],
    ".toml": ["abstraction", "FILE"],
    ".json": ["reproduce", "--list", "--keep", "FILE"],
    ".py": ["games", "--load", "FILE"],
}
WRONG: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path),
    "no text": lambda path: path.write_bytes(bytes(range(256))),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("ending", COMMANDS)
def test_commands_refuse_it(ending: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / f"named{ending}"
    WRONG[wrong](path)
    words = [str(path) if word == "FILE" else word for word in COMMANDS[ending]]
    result = CliRunner().invoke(app, words, prog_name="counterpoise", catch_exceptions=False)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1


def test_texts_and_their_ends_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_bytes("one\r\nzwölf\rthree\n".encode())
    assert read_text(path, "a text", 100) == path.read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"some\.txt is larger than .* MB: too large for a text"):
        read_content(path, "a text", 10)


def test_names_that_are_too_long_are_wrong_input() -> None:
    result = CliRunner().invoke(app, ["evaluate", "x" * 300 + ".cpz"], prog_name="counterpoise", catch_exceptions=False)
    assert result.exit_code == 2
    assert "File name too long" in result.stderr
