"""Every result knows its JSON, plain types only and the same keys as ever, and can be saved."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.solvers.race import race
from counterpoise.store.json import plain_json
from counterpoise.tree.evaluation import evaluate_strategy
from tests.spots.conftest import TURN

RUN = (
    "algorithm caveat cpu_seconds exploitability game guarantee histories infosets interrupted iterations memory_bytes "
    "nash_conv nodes_touched players reached seconds seed target trace value warm_start"
)
RACE = "game histories infosets interrupted players results seed target"
RACED = (
    "algorithm cpu_seconds exploitability interrupted iterations nash_conv nodes_touched reached seconds trace value"
)
EVALUATION = "best_response_value exploitability file game infosets nash_conv players value"
ESTIMATE = "available_mb bits cpu_seconds iterations memory_mb name nodes target"
SOLUTION = (
    "algorithm bits board cpu_seconds ev exploitability_pct interrupted iterations memory_mb name nodes reached root "
    "seconds target trace warm_iterations"
)
SEARCH = (
    "algorithm bits cost cost_before cost_pct cpu_seconds ev_after ev_before exploitability_pct facing "
    "frequencies_before gain_pct gift_scale gifts guarantee guarantee_pct hands id interrupted iterations loss "
    "loss_pct mean_gift mean_loss mean_loss_pct mean_margin memory_mb method name nodes pot reached safe searcher "
    "seconds shortfall shortfall_pct sizes smallest_margin spread start target trace verdict"
)
DECISION = "actions board equity ev frequencies hands id player pot reached"
DEAL = "board cards ev id player pot reached"


def check(answer: dict[str, Any], keys: str) -> None:
    """The keys are these, and everything is of a type that JSON has."""
    assert sorted(answer) == keys.split()
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def test_runs(tmp_path: Path) -> None:
    run = cp.solve("kuhn_poker", "cfr", iterations=5, warm_start=cp.solve("kuhn_poker", "cfr+", iterations=9))
    check(run.to_json(), RUN)
    run.save(tmp_path / "run.cpz")
    loaded = cp.load_run(tmp_path / "run.cpz")
    assert loaded.to_json() == run.to_json()
    evaluation = evaluate_strategy(tmp_path / "run.cpz")
    check(evaluation.to_json(), EVALUATION)
    assert evaluation.to_json() == evaluate_strategy(run.strategy).to_json() | {"file": str(tmp_path / "run.cpz")}


def test_races(tmp_path: Path) -> None:
    found = race("kuhn_poker", ["cfr", "cfr+"], iterations=9, target=1e-9)
    check(found.to_json(), RACE)
    for result in found.to_json()["results"]:
        check(result, RACED)
    found.save(tmp_path / "race.json")
    assert json.loads((tmp_path / "race.json").read_text()) == found.to_json()
    with pytest.raises(cp.InputError, match=r"race\.cpz: these figures are kept as JSON"):
        found.save(tmp_path / "race.cpz")
    assert found.plot(tmp_path / "race.png").exists()
    assert [run.algorithm for run in found.runs] == ["cfr+", "cfr"]
    assert not any(run.reached for run in found.runs)


def test_games(tmp_path: Path) -> None:
    report = cp.check_game(cp.load("kuhn_poker"))
    answer = report.to_json()
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert (answer["game"], answer["nodes"], answer["infosets"]) == ("kuhn_poker", 55, [6, 6])
    report.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text()) == answer


def test_spots(tmp_path: Path) -> None:
    spot = cp.Spot(**TURN)
    estimate = cp.estimate(spot)
    check(estimate.to_json(), ESTIMATE)
    estimate.save(tmp_path / "estimate.json")
    solution = cp.solve_spot(spot, target=5, threads=1)
    check(solution.to_json(), SOLUTION)
    assert solution.to_json()["target"] == 5
    check(solution.root.to_json(), DECISION)
    check(solution.node("r:0:c:c").to_json(), DEAL)
    found = cp.search_spot(solution, "r:0:c", iterations=3, threads=1)
    check(found.to_json(), SEARCH)
    found.save(tmp_path / "search.cpz")
    assert cp.load_search(tmp_path / "search.cpz").to_json() == found.to_json()


def test_searches_and_experiments(tmp_path: Path) -> None:
    import numpy as np

    from counterpoise.public import Profile, build_dense
    from counterpoise.reproduce.harness.report import Report
    from counterpoise.search.search import SearchResult

    game = build_dense("kuhn_poker")
    subgame: Any = SimpleNamespace(game=game, root_values=lambda average, best=False: np.full(2, float(best)))
    found = SearchResult(subgame, Profile(game), np.array([1.5, np.nan]), None, 7)
    keys = "alternative best_values entry game iterations margins strategies values"
    check(found.to_json(), keys)
    assert found.to_json()["margins"] == [0.5, None]
    found.save(tmp_path / "search.json")
    report = Report("x", "X", data={"a": np.array([1.0, np.inf]), 3: np.float32(0.5)})
    assert report.to_json()["data"] == {"a": [1.0, "inf"], "3": 0.5}
    report.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text()) == report.to_json()


def same_in_a_file(found: Any, path: Path, keys: str) -> Any:
    """What a result says of itself, which is what its file holds."""
    answer = found.to_json()
    check(answer, keys)
    found.save(path)
    assert json.loads(path.read_text()) == answer
    return answer


def test_results_of_search_hold_their_strategies(tmp_path: Path) -> None:
    from counterpoise import search

    rules = "one_card_poker(ranks=3, fractions=((0.5, 0.75), (0.5, 0.75)), max_bets=(1, 1))"
    whole, small = search.build_pair(rules, ["r0.75"])
    known = small.profile(cp.solve(small.rules, "cfr+", iterations=5, progress=False).strategy)
    settings = search.NestedSearch(iterations=3)
    play = search.play_nested(whole, known, 1, settings)
    said = same_in_a_file(play, tmp_path / "play.json", "game searcher searches strategies")
    assert {entry["player"] for entry in said["strategies"]} == {1}
    faced = next(entry for entry in said["strategies"] if entry["history"] == ["r0.75"])
    for label, probabilities in faced["probabilities"].items():
        expected = play.strategy[1, label]
        assert dict(zip(faced["actions"], probabilities, strict=True)) == pytest.approx(expected, abs=1e-6)
    found = search.answer(small.root, known, "r0.75", settings)
    said = same_in_a_file(found, tmp_path / "answer.json", "history result")
    assert said["history"] == ["r0.75"]
    assert next(entry["history"] for entry in said["result"]["strategies"]) == ["r0.75"]
    whole_profile = whole.profile(cp.Strategy.uniform(cp.enumerate_game(rules)))
    judged = search.SearchEverywhere(whole, whole_profile, [["c"]]).judge()
    said = same_in_a_file(judged, tmp_path / "judged.json", "exploitability game losses strategies")
    assert said["losses"] == list(judged.losses)
    generated = search.self_generated(whole, whole_profile, 0, 2, iterations=2)
    said = same_in_a_file(generated, tmp_path / "generated.json", "continuations game won")
    assert [len(own) for own in said["continuations"]] == [1, 2]


def test_strategies_in_holdem_are_named_by_cards(tmp_path: Path) -> None:
    from counterpoise.public import FlopHoldem, Profile
    from counterpoise.search.everywhere import JudgedProfile

    game = FlopHoldem(ranks=2, preflop=("100%",), flop=("100%",), max_bets=(1, 1)).game()
    said = same_in_a_file(
        JudgedProfile(Profile(game), (0.0, 0.0)), tmp_path / "judged.json", "exploitability game losses strategies"
    )
    dealt = next(entry for entry in said["strategies"] if len(entry["history"]) > 2)
    flop = next(step for step in dealt["history"] if " " in step).split()
    assert len(flop) == 3
    assert not any(card in hand for card in flop for hand in dealt["probabilities"])
    assert all(sum(chosen) == pytest.approx(1) for chosen in dealt["probabilities"].values())


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), float("nan"), {1: (2,)}, Path("x"), None, True, "x"])
def test_plain_types(value: Any) -> None:
    json.dumps(plain_json([value]), allow_nan=False)
