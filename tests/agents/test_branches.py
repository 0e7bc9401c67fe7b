"""Playing by branches of the self-improver: which bets lead into one, and what is done there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents import make_agent
from counterpoise.agents.branches import BranchAnswers
from counterpoise.agents.libratus import Libratus
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.blueprint.branches import BlueprintBranches, Branch
from counterpoise.sampling.situations import SituationRules, SituationTree
from tests.blueprint.conftest import few_buckets  # noqa: F401
from tests.blueprint.improving import HUNL_24, OneSize

TABLE = cp.load("no_limit_holdem(ranks=6, stack=20, sizes=any)")


@pytest.fixture(scope="module")
def branches(few_buckets) -> BlueprintBranches:  # noqa: F811
    """One branch: to 243 chips, 0.715 of the pot, of the small blind; it is bet with the best bucket only, and the
    answers are 1 to 5 in proportion."""
    blueprint = Blueprint.uniform(cp.load(HUNL_24), few_buckets)
    tree = SituationTree(SituationRules(blueprint.game, (), (243,)))
    table = np.zeros(layout_of(tree, blueprint.abstractions).size, dtype=np.uint8)
    strategy = Blueprint(blueprint.game, blueprint.abstractions, table, tree=tree)
    strategy.layout.block(tree, 0, table)[:] = [255, 0]
    strategy.layout.block(tree, 0, table)[-1] = [0, 255]
    strategy.layout.block(tree, tree.node_after(("b243",)), table)[:] = [10, 20, 30, 40, 50]
    return BlueprintBranches(blueprint, (Branch("defensive", strategy, 300),))


def test_a_close_bet_is_answered_by_the_branch(branches: BlueprintBranches) -> None:
    """Its bets are made as the same share of the real pot; the opponent's range is that of the branch."""
    found = BranchAnswers(TABLE, branches).answer(("b240",))
    assert found is not None
    assert found.actions == ("f", "c", "b480", "b720", "b2000")
    np.testing.assert_allclose(found.table, np.tile(np.arange(1, 6) / 15, (276, 1)), atol=1e-12)
    assert BranchAnswers(TABLE, branches).answer(("b210",)) is None  # nearer to 200
    assert BranchAnswers(TABLE, branches).answer(("b300",)) is None
    assert BranchAnswers(TABLE, branches).answer(("c", "b250")) is None  # another situation
    assert BranchAnswers(TABLE, branches).answer(("b240", "b600")) is None  # now the one who bet it is to act
    later = BranchAnswers(TABLE, branches).answer(("b240", "c", "AsKsQh"))
    assert later is not None
    assert set(later.actions) == {"c", "b480", "b720", "b2000"}
    blocked = [name for name in later.hands if {"As", "Ks", "Qh"} & {name[:2], name[2:]}]
    assert all(later.table[later.hands.index(name)].sum() == 0 for name in blocked)


@pytest.mark.slow
def test_libratus_plays_branches(branches: BlueprintBranches, tmp_path: Path) -> None:
    """Without a fault, the same again, and with the ranges of the branch when it searches."""
    blueprint, file = tmp_path / "b.cpz", tmp_path / "branches.cpz"
    branches.blueprint.save(blueprint)
    branches.save(file)
    agent = make_agent(f"libratus:{blueprint}(branches='{file}', fast=True)")
    assert isinstance(agent, Libratus)
    seated = agent.sit(TABLE, 0, None)
    np.testing.assert_allclose(
        seated.probabilities(("b240",)).table, BranchAnswers(TABLE, branches).answer(("b240",)).table
    )
    belief = seated.belief(("b240",))
    best = branches.blueprint.buckets_after((), 1) == branches.blueprint.layout.buckets[1, 0] - 1
    np.testing.assert_array_equal(belief.ranges[1] > 0, best)
    plain = Libratus(str(blueprint), fast=True).sit(TABLE, 0, None)
    assert plain.probabilities(("b240",)).actions != ()
    assert not isinstance(plain.belief(("b240",)).strategy, Branch)
    found = cp.match(TABLE, [agent, OneSize(0.7)], 6, seed=1, progress=False)
    assert not any(found.agents[0].forfeits.values())
