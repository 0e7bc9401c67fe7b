"""Abstractions that grow: the rule, scorers, runs that are kept, continued and stopped."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.saef import (
    AbstractionGrower,
    BestResponseBound,
    ContinuousLeduc,
    GrowingCFR,
    Growth,
    ObservedBets,
    Proposals,
    RegretEstimate,
    exploitability,
    grow_abstraction,
    load_growth,
)
from counterpoise.solvers.saef.proposals import worth_adding


@pytest.fixture(scope="module")
def grown():
    return grow_abstraction(nodes=800_000, progress=False)


def test_grows_and_improves(grown):
    fixed = grow_abstraction(settings=Growth(variant="fixed"), nodes=800_000, progress=False)
    assert (fixed.size, fixed.additions) == (1_560, 0)
    assert grown.size == 1_560 + sum(change.nodes for change in grown.changes)
    assert grown.exploitability < fixed.exploitability
    assert grown.worth < grown.iterations
    assert [point.nodes_touched >= mark for point, mark in zip(grown.trace, (1e5, 2e5, 4e5, 8e5), strict=True)] == [
        True
    ] * 4


@pytest.mark.slow
def test_the_abstraction_is_a_game_like_others(grown):
    """The judge of general games finds the exploitability in the abstraction that one walk of the public tree does."""
    judged = cp.exploitability(grown.rules, grown.strategy)
    assert grown.exploitability_in("abstract") == pytest.approx(judged, abs=1e-12)
    assert grown.exploitability_in("abstract") <= grown.exploitability_in("hidden") <= grown.exploitability
    added = {change.history for change in grown.changes}
    assert len(added) == grown.additions == len(grown.changes)


def test_a_run_continues_bit_for_bit_from_its_file(grown, tmp_path):
    short = grow_abstraction(nodes=300_000, progress=False)
    short.save(tmp_path / "short.cpz")
    resumed = grow_abstraction(resume=tmp_path / "short.cpz", nodes=800_000, progress=False)
    for mine, other in zip(resumed.grower.cfr.tables[:7], grown.grower.cfr.tables[:7], strict=True):
        count = grown.grower.cfr.tree.count
        np.testing.assert_array_equal(mine[:count], other[:count])
    assert (resumed.changes, resumed.nodes_touched) == (grown.changes, grown.nodes_touched)
    assert resumed.exploitability == grown.exploitability
    assert load_growth(tmp_path / "short.cpz").to_json() == short.to_json()


def test_json_and_picture(grown, tmp_path):
    answer = grown.to_json()
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    keys = (
        "additions changes cpu_seconds exploitability failure game infosets interrupted iterations mode nodes_touched "
        "seconds settings size trace worth"
    )
    assert sorted(answer) == keys.split()
    assert answer["changes"][0]["history"] == grown.changes[0].history
    assert grown.plot(tmp_path / "grown.png").exists()


def test_damaged_files(grown, tmp_path):
    grown.save(tmp_path / "grown.cpz")
    raw, arrays = cp.store.read_cpz(tmp_path / "grown.cpz", "growth")
    for name, value in (("tree.next", 1), ("tree.parent", 10**6), ("sums.regrets", np.nan), ("tree.kind", 9)):
        broken = arrays | {name: np.full_like(arrays[name], value)}
        cp.store.write_cpz(tmp_path / "broken.cpz", "growth", raw, broken)
        with pytest.raises(cp.InputError, match="is damaged"):
            load_growth(tmp_path / "broken.cpz")
    with pytest.raises(cp.InputError, match="does not exist"):
        grow_abstraction(resume=tmp_path / "none.cpz", progress=False)


def test_stops_without_loss():
    token = cp.CancelToken()

    class StopSoon(cp.SilentProgress):
        def show(self, fraction, figure):
            token.cancel()

    found = grow_abstraction(nodes=10**9, progress=StopSoon(), cancel=token)
    assert found.interrupted
    assert found.iterations > 0
    assert found.trace[-1].exploitability == found.exploitability > 0
    with pytest.raises(cp.InputError, match="mode cannot be given with resume: that of the earlier run stays"):
        grow_abstraction(resume=found, mode="hidden", nodes=1)
    before = found.exploitability_in("revealed")
    later = grow_abstraction(resume=found, iterations=found.iterations + 10, progress=False)
    assert later.iterations == found.iterations + 10
    assert found.exploitability_in("revealed") == before == found.exploitability
    assert (found.size, len(found.changes)) == (found.grower.cfr.tree.live, found.additions)


def test_at_most_one_bet_per_decision_and_only_worthwhile_ones(branch2):
    found = RegretEstimate()(branch2)
    assert len(set(found.nodes)) == len(found.nodes) > 100
    assert all(branch2.tree.may_bet(int(node)) for node in found.nodes)
    assert ((found.sizes > 0.01) & (found.sizes < 1)).all()
    raw = RegretEstimate(excess=False)(branch2)
    assert set(found.nodes) <= set(raw.nodes)
    assert raw.gains.sum() > found.gains.sum()


def test_best_responses_bound_the_estimate(branch2):
    """What play so far was worth, and what the best play would have been: the bound is larger where both propose."""
    estimate, bound = RegretEstimate()(branch2), BestResponseBound()(branch2)
    assert len(bound.nodes) > len(estimate.nodes)
    assert bound.gains.sum() > estimate.gains.sum()
    grower = AbstractionGrower.start(settings=Growth(most=1), scorer=BestResponseBound())
    for _ in range(20):
        grower.step()
    assert grower.additions == 4


def test_the_rule_of_proposition_2():
    """Regret per node must fall faster with the bet: twice its regret has to outweigh its nodes."""
    assert not worth_adding(1.0, 100.0, 1000, 0.14, 3, 1e9)  # 2 * 0.14 < 100 * 3 / 1000
    assert worth_adding(1.0, 100.0, 1000, 0.16, 3, 1e9)
    assert not worth_adding(1.01, 100.0, 1000, 0.16, 3, 1e9)
    assert not worth_adding(1.0, 100.0, 1000, 0.16, 3, 1.0)


def test_scorers_can_be_exchanged():
    """Libratus's rule: the widest miss of what has been seen is filled in the middle, the best three at a time."""
    observed = ObservedBets({"": [0.4, 0.5, 0.02], "r1c/K:": [0.2], "cr1": [], "c": [1.0]})
    settings = Growth(threshold=None, most=1)
    grower = AbstractionGrower.start(settings=settings, scorer=observed)
    grower.cfr.step(20)
    found = observed(grower.cfr)
    assert dict(zip(found.nodes.tolist(), found.gains.tolist(), strict=True)) == pytest.approx(
        {
            0: 0.39 + 0.49 + 0.01,
            grower.cfr.tree.find("r1c/K:"): 0.19,
            grower.cfr.tree.find("cr1"): 0,
            grower.cfr.tree.find("c"): 0,
        }
    )
    assert grower.grow() == 1
    assert [change.history for change in grower.changes] == ["r0.342193"]


@pytest.mark.parametrize("settings", [Growth(variant="transfer"), Growth(weight="largest"), Growth(remove=1.0)])
def test_other_settings(settings, tmp_path):
    found = grow_abstraction(ContinuousLeduc(ranks=2), settings=settings, nodes=200_000, progress=False)
    assert found.additions > 5
    removed = [change for change in found.changes if change.nodes < 0]
    assert bool(removed) == (settings.remove > 0)
    assert found.size == len(found.grower.cfr.tree.below(0))
    assert found.exploitability < 1.5
    found.save(tmp_path / "grown.cpz")
    longer = [
        grow_abstraction(resume=before, iterations=found.iterations + 10, progress=False).exploitability
        for before in (tmp_path / "grown.cpz", found)
    ]
    assert longer[0] == longer[1]


def test_archive_changes_nothing_while_the_abstraction_grows():
    """With additions: walks leave out what nobody reaches; discounts round what is visited once more."""
    runs = [
        grow_abstraction(settings=Growth(archive=archive), iterations=60, progress=False) for archive in (True, False)
    ]
    assert runs[0].exploitability == pytest.approx(runs[1].exploitability, rel=1e-9)
    assert runs[0].nodes_touched < runs[1].nodes_touched


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (lambda: Growth(variant="magic"), "variant must be recovery, transfer or fixed, not 'magic'"),
        (lambda: Growth(threshold=-1), "threshold must be a number of at least 0, not -1"),
        (lambda: Growth(every=0), "every must be a whole number of at least 1, not 0"),
        (lambda: Growth(most_recovery=10), "most_recovery must be a whole number of at least 200, not 10"),
        (lambda: grow_abstraction(nodes=0), "nodes must be a whole number of at least 1, not 0"),
        (lambda: grow_abstraction(seconds=-1), "seconds must be a positive number, not -1"),
        (
            lambda: grow_abstraction(mode="exact"),
            "mode must be abstract, hidden, revealed or deterministic, not 'exact'",
        ),
        (lambda: grow_abstraction(at=[0]), r"at must be a list of numbers of nodes, not \[0\]"),
        (lambda: grow_abstraction("leduc_poker"), "game must be a ContinuousLeduc, not 'leduc_poker'"),
        (lambda: grow_abstraction(scorer=3), "scorer must be a function of a running CFR, not 3"),
        (lambda: grow_abstraction(resume=5), "resume must be a file or a GrownAbstraction, not 5"),
        (lambda: RegretEstimate(excess="x"), "excess must be True or False, not 'x'"),
        (lambda: ObservedBets({"": ["x"]}), r"observed\[''\] must be numbers, not \['x'\]"),
        (lambda: ObservedBets({"": 5}), r"observed\[''\] must be a list of fractions of the pot, not 5"),
        (lambda: ObservedBets({"": [np.nan]}), r"observed\[''\] must be a list of fractions of the pot, not \[nan\]"),
        (lambda: ObservedBets({5: [0.5]}), "observed must map histories to sizes, not 5"),
        (lambda: grow_abstraction(sizes=(0.01, 2)), "sizes must be fractions of the pot from 0.01 to 1, not 2"),
    ],
)
def test_wrong_input(request_, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        request_()


@pytest.mark.parametrize(
    ("proposed", "sentence"),
    [
        (None, "it must return Proposals, not None"),
        (([0, 1], [0.5], [1.0]), "nodes, sizes and gains of one length"),
        (([0.5], [0.5], [1.0]), "nodes must be whole numbers"),
        (([10**6], [0.5], [1.0]), r"bets where one is allowed, not at nodes \[1000000\]"),
        (([0, 0], [0.4, 0.5], [1.0, 1.0]), "one bet per decision"),
        (([0], [1.5], [1.0]), "sizes must be from 0.01 to 1 of the pot"),
        (([0], [0.5], [np.nan]), "gains must be finite"),
        (([0], [0.5], ["x"]), "gains must be numbers"),
    ],
)
def test_wrong_proposals(proposed, sentence):
    """A scorer that is wrong from its first look on is refused."""
    with pytest.raises(cp.InputError, match=f"the scorer failed: .*{sentence}"):
        grow_abstraction(iterations=5, scorer=lambda cfr: proposed and Proposals(*proposed), progress=False)


@pytest.mark.parametrize("variant", ["recovery", "transfer"])
def test_bets_that_are_there_are_not_added_again(variant):
    settings = Growth(threshold=None, variant=variant)
    found = grow_abstraction(
        iterations=20, settings=settings, scorer=lambda cfr: Proposals([0], [0.5], [1.0]), progress=False
    )
    assert [change.history for change in found.changes] == ["r0.5"]
    with pytest.raises(cp.InputError, match=r"a new bet after '' must be from 0.01 to 1 of the pot and none of"):
        found.grower.add(0, 0.5)


def test_a_scorer_that_fails_later_does_not_lose_the_run(tmp_path):
    def scorer(cfr):
        if cfr.iterations > 20:
            raise KeyError("x")
        return RegretEstimate()(cfr)

    found = grow_abstraction(iterations=100, scorer=scorer, progress=False)
    assert (found.iterations, found.failure) == (25, "the scorer failed: KeyError: 'x'")
    found.save(tmp_path / "kept.cpz")
    assert grow_abstraction(resume=tmp_path / "kept.cpz", iterations=40, progress=False).failure is None


def test_three_bets_per_round_are_judged_too():
    """More bets per round mean more places where a translating opponent may believe to be."""
    cfr = GrowingCFR(ContinuousLeduc(ranks=2, max_bets=3, rounds=1))
    cfr.step(50)
    rows = cfr.average_strategy()
    found = [exploitability(cfr.tree, rows, mode) for mode in ("abstract", "hidden", "revealed")]
    assert found == sorted(found)
    assert exploitability(cfr.tree, rows, "hidden", grid=0) == pytest.approx(found[0], abs=1e-12)


PROGRAM = """
import json, sys
import counterpoise as cp
game, found = cp.ContinuousLeduc(ranks=2, rounds=1), []
for variant in ("recovery", "transfer"):
    settings = cp.Growth(variant=variant, remove=1.0, least_recovery=5)
    run = cp.grow_abstraction(game, settings=settings, iterations=30, progress=False)
    modes = ("abstract", "hidden", "revealed", "deterministic")
    found.append([run.nodes_touched, run.additions, *(run.exploitability_in(mode, 5) for mode in modes)])
print(json.dumps(found))
"""


@pytest.mark.slow
def test_runs_alike_without_the_jit():
    """Warnings of NumPy's scalars are errors here, because a newcomer who steps through would see them."""
    found = []
    for off in ("0", "1"):
        command = [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM]
        environment = os.environ | {"NUMBA_DISABLE_JIT": off}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        found.append(np.ravel(json.loads(done.stdout)))
    np.testing.assert_allclose(*found, atol=1e-12)
