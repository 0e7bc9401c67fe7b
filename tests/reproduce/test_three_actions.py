import pytest

from counterpoise.reproduce import Lab
from counterpoise.reproduce.brown.variants import first_certain


def test_first_certain_iterations(perform):
    """471,407 exactly for CFR and CFR+, LCFR 972 +- 2, DCFR 52,127 +- 5 (Brown 2020, section 3.1.2)."""
    report = perform("three-actions")
    found = report.data["first_iteration"]
    assert found["CFR"] == found["CFR+"] == 471_407
    assert abs(found["LCFR"] - 972) <= 2
    assert abs(found["DCFR(3/2,0,2)"] - 52_127) <= 5
    assert all(claim.holds for claim in report.claims)


@pytest.mark.parametrize("beta", ["-inf", "0.5"])
def test_dcfr_remembers_as_long_whatever_becomes_of_negative_regrets(beta):
    """With any beta: only positive regrets matter here."""
    assert abs(first_certain(f"dcfr(beta={beta})", Lab()) - 52_127) <= 5
