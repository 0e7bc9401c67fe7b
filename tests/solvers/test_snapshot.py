"""Regrets, current and average strategy by information set: checked against OpenSpiel's CFR, shown, and refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import counterpoise as cp


def test_regrets_and_strategies_are_those_of_openspiel() -> None:
    """OpenSpiel's CFR also updates the players in turn; its tables have the same labels."""
    pytest.importorskip("pyspiel")
    import pyspiel
    from open_spiel.python.algorithms.cfr import CFRSolver

    theirs = CFRSolver(pyspiel.load_game("kuhn_poker"))
    ours = cp.solver("openspiel:kuhn_poker", "cfr")
    for point in ours:
        theirs.evaluate_and_update_policy()
        seen = ours.snapshot()
        assert seen.iteration == point.iteration
        assert len(seen["regrets"]) == 12
        for label, node in theirs._info_state_nodes.items():
            wanted = [node.cumulative_regret[action] for action in node.legal_actions]
            np.testing.assert_allclose(list(seen["regrets"][label].values()), wanted, atol=1e-12)
            average = theirs.average_policy().policy_for_key(label)
            np.testing.assert_allclose(list(seen["average"][label].values()), average, atol=1e-12)
            current = theirs.current_policy().policy_for_key(label)
            np.testing.assert_allclose(list(seen["current"][label].values()), current, atol=1e-12)
        if point.iteration == 4:
            break


@pytest.mark.parametrize("algorithm", ["cfr", "cfr/total-rbp", "es-mccfr(lazy=True)", "pcs"])
def test_the_current_strategy_matches_the_regrets(algorithm: str) -> None:
    """Tables of every layout are labelled alike: where a regret is positive, play is in proportion to them."""
    solver = cp.solver("leduc_poker", algorithm)
    solver.step(5)
    seen = solver.snapshot()
    found = 0
    for key, regrets in seen["regrets"].items():
        positive = np.maximum(list(regrets.values()), 0)
        if positive.sum() > 0:
            found += 1
            np.testing.assert_allclose(list(seen["current"][key].values()), positive / positive.sum(), atol=1e-9)
    assert found > 20


def test_a_snapshot_is_shown_on_one_screen_and_handed_on_whole() -> None:
    solver = cp.solver("leduc_poker", "cfr")
    solver.step(2)
    seen = solver.snapshot()
    lines = str(seen).splitlines()
    assert lines[0] == "leduc_poker · cfr · iteration 2"
    assert lines[1].split() == ["player", "infoset", "action", "regrets", "current", "average"]
    assert lines[-1] == "... and 278 of 288 information sets more"
    assert len(lines) <= 40
    frame = seen.to_frame()
    assert len(frame) == seen["average"].table.size - 2
    row = frame[(frame.infoset == "K:cr") & (frame.action == "r")].iloc[0]
    assert row.regrets == seen["regrets"]["K:cr"]["r"]
    answer = seen.to_json()
    assert json.loads(json.dumps(answer)) == answer
    entry = next(one for one in answer["infosets"] if one["infoset"] == "K:cr")
    assert dict(zip(entry["actions"], entry["current"], strict=True)) == seen["current"]["K:cr"]
    assert "<td" in seen._repr_html_()


def test_what_is_not_there_is_refused() -> None:
    solver = cp.solver("kuhn_poker", "egt")
    assert list(solver.snapshot().columns) == ["current", "average"]
    with pytest.raises(cp.InputError, match="egt keeps no regrets by information set"):
        solver.snapshot("regrets")
    with pytest.raises(cp.InputError, match="did you mean regrets"):
        solver.snapshot("regret")
    with pytest.raises(cp.InputError, match="this snapshot has no 'regrets'"):
        solver.snapshot()["regrets"]
