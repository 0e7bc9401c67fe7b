"""Figures 4.2 to 4.4 in very small: everything runs and every claim is judged."""

from __future__ import annotations

import pytest

from counterpoise.reproduce import EXPERIMENTS


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "sizes"),
    [
        ("brown-4.2-leduc", {"nodes": 5000, "traversals": 50, "steps": 20, "policy_steps": 20}),
        ("brown-4.2-flop", {"nodes": 4000, "traversals": 50, "steps": 4, "batch": 64, "policy_steps": 4}),
        ("brown-4.3", {"iterations": 2, "seeds": 1}),
        ("brown-4.4", {"iterations": 2, "seeds": 1}),
    ],
)
def test_all_claims_are_judged(perform, id, sizes):
    report = perform(id, **sizes)
    assert {claim.id for claim in report.claims} == set(EXPERIMENTS[id].claims)
    assert all(claim.holds is not None for claim in report.claims)
