"""Modicum in small: matches against a finer blueprint and bets that its blueprint lacks."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.long
def test_every_claim_is_measured(perform: Any) -> None:
    """With few hands: which of the claims hold takes far more of them."""
    report = perform("brown-5.5-modicum", trained=20_000, hands=4, deals=8, boards=30, responses=20, values=2)
    for claim in ("multi-single", "single-blueprint", "multi-blueprint", "off-tree"):
        assert report.claim(claim).holds is not None
