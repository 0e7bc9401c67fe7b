"""Johanson 2016, sections 10.2.2 and 11.4: portfolios with online selection and pooled populations, in Leduc."""

import pytest

from counterpoise.reproduce.johanson.implicit import GREEDY


@pytest.mark.long
def test_the_demonstration_of_section_3_4(perform):
    """Above an equilibrium against three of four types after 3,000 hands, in at least 9 of 10 seeds.

    And never below minus the largest exploitability of a member.
    """
    found = perform("johanson-7-implicit", seeds=10, rules=(GREEDY,))
    assert found.claim("above-equilibrium").holds
    assert found.claim("never-below-risk").holds
    assert len(found.data["figures"]) == 40
    assert len(found.tables[0].rows) == 5


@pytest.mark.slow
def test_a_short_demonstration(perform):
    """A few hundred hands are played with every rule, and nothing is lost on the way."""
    found = perform("johanson-7-implicit", seeds=1, hands=150, iterations=100)
    assert found.claim("never-below-risk").holds
    assert {claim.id for claim in found.claims} == {"above-equilibrium", "never-below-risk", "estimates-help"}
    assert len(found.tables[1].rows) == 12


def test_a_pooled_population_is_beaten(perform):
    """DBR (0-10 Linear, 0.9) to pooled hands wins more from the pool than an equilibrium does."""
    for seed in range(3):
        found = perform("johanson-11.5-pool", players=5 + seed, hands=2000, iterations=300, seed=seed)
        assert all(claim.holds for claim in found.claims)
