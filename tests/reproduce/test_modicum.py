"""Modicum in small: matches against a finer blueprint and bets that its blueprint lacks."""

from __future__ import annotations

from typing import Any

import pytest

from counterpoise.reproduce.harness.verdicts import Reason


@pytest.mark.long
def test_every_claim_is_measured(perform: Any) -> None:
    """With few hands: which of the claims hold takes far more of them."""
    report = perform("brown-5.5-modicum", trained=20_000, hands=4, deals=4, boards=30, responses=20, values=2)
    for claim in ("multi-single", "single-blueprint", "multi-blueprint", "off-tree", "lbr-1", "lbr-2"):
        assert report.claim(claim).reason in (None, Reason.ACROSS)
    published = {tuple(row[:2]): row[4:] for row in report.tables[1].rows}
    assert published["lbr-1", "multi"] == ["-570", "42"]
    assert published["lbr-2", "multi"] == ["-1,377", "115"]
