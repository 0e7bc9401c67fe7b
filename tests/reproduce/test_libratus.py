"""Libratus in small: its blueprints, its matches and its turn subgames."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.long
def test_search_loses_less_in_turn_subgames(perform: Any) -> None:
    """At a tenth of the size: the ranges at the root are fixed, and the blueprint knows few hands apart."""
    report = perform("brown-6.4-libratus", trained=20_000, hands=4, turns=8, iterations=60)
    assert report.claim("loses-less").holds
    assert report.claim("beats-weak").holds is not None
