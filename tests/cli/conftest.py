"""Run commands inside the test process; `refuse` is for wrong input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from counterpoise.cli import app

Command = Callable[..., Result]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("COLUMNS", "FORCE_COLOR", "COUNTERPOISE_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def call() -> Command:
    def run(*words: object) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False, prog_name="counterpoise")

    return run


@pytest.fixture
def ask(call: Command) -> Callable[..., dict[str, Any]]:
    """The JSON answer of a command that succeeds."""

    def run(*words: object) -> dict[str, Any]:
        result = call(*words, "--json")
        assert result.exit_code == 0, result.stderr
        answer = json.loads(result.stdout)
        assert isinstance(answer, dict)
        return answer

    return run


@pytest.fixture
def refuse(call: Command, tmp_path: Path) -> Callable[..., str]:
    """The one sentence that answers wrong input; nothing is printed, nothing is written."""

    def run(*words: object) -> str:
        before = _content(tmp_path)
        result = call(*words)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("error: ")
        assert _content(tmp_path) == before
        return lines[0].removeprefix("error: ")

    return run


def _content(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
