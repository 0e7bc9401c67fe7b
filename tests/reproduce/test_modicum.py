"""Modicum in small: matches against a finer blueprint and bets that its blueprint lacks (agents B3, search E5, E6)."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.long
def test_search_loses_less_to_bets_that_the_blueprint_lacks(perform: Any) -> None:
    """E6 at a tenth of the size; the order of the matches needs far more hands, so it is only measured."""
    report = perform("brown-5.5-modicum", trained=20_000, hands=4, deals=8, boards=30, responses=20, values=2)
    for claim in ("multi-single", "single-blueprint", "multi-blueprint", "off-tree"):
        assert report.claim(claim).holds is not None
