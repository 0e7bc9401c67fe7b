"""The command `counterpoise lbr`."""

from collections.abc import Callable
from typing import Any

from typer.testing import Result


def test_lbr_json(ask: Callable[..., dict[str, Any]]) -> None:
    """A lower bound in mbb per hand, with what it was found by."""
    found = ask("lbr", "always-fold", "--game", "limit_holdem(ranks=4)", "--hands", 5, "--actions", "pot")
    assert found["mean"] == found["money"] == 750
    assert found["unit"] == "mbb"
    assert (found["hands"], found["actions"], found["agent"]) == (5, "pot", "always-fold")


def test_lbr_refuses(refuse: Callable[..., str]) -> None:
    """One sentence, exit code 2."""
    assert "plays whole hands of hold'em, not leduc_poker" in refuse("lbr", "random", "--game", "leduc_poker")
    assert "'half' is not a bet size" in refuse("lbr", "random", "--actions", "f,half")


def test_lbr_for_people(call: Callable[..., Result]) -> None:
    """Figures are never in scientific notation, and a bound below 0 is no bound."""
    words = ("lbr", "random", "--game", "no_limit_holdem(ranks=4)", "--hands", 3, "--actions", "c")
    found = " ".join(call(*words).stdout.split())
    assert "exploitable by at least nothing is shown" in found
    assert "e+0" not in found
