"""One contract for all algorithms: `Algorithm.on(problem)`, and refusals in a sentence."""

import dataclasses

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.descriptions import describe
from counterpoise.public import Profile, build_dense
from counterpoise.public.mini_holdem import mini_holdem
from counterpoise.solvers import ALGORITHMS, MODIFIERS, TreeSolver, make_algorithm
from counterpoise.solvers.matching.shared import SharedCFRPlus
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.tree import enumerate_game

from ..sampling.boards.test_external import river

SETTINGS = {"hedge": "hedge(rate=theory)"}  # where public trees allow some settings only


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_an_algorithm_runs_where_it_says_and_refuses_the_rest_in_a_sentence(name):
    settings = make_algorithm(SETTINGS.get(name, name))
    problems = {"enumerated": enumerate_game("kuhn_poker"), "public": build_dense("kuhn_poker")}
    assert settings.representations()
    for representation, problem in problems.items():
        if representation not in settings.representations():
            with pytest.raises(cp.InputError, match=f"^{name}.* does not run on .*: ") as refusal:
                settings.on(problem)
            assert "\n" not in str(refusal.value)
        elif "es-mccfr" not in name or representation == "enumerated":  # single hands are drawn on hold'em trees only
            solver = settings.on(problem, seed=3)
            assert solver.settings is settings
            assert solver.iteration == solver.nodes_touched == 0
            solver.step(2)
            assert solver.iteration == 2
            assert solver.nodes_touched > 0


PUBLIC = [SETTINGS.get(name, name) for name in sorted(ALGORITHMS) if "public" in make_algorithm(name).representations()]


@pytest.mark.parametrize("name", [*PUBLIC, "cfr-br(output=current)", "pcs(output=current)"])
def test_public_solvers_have_an_average_a_current_strategy_and_a_result(name):
    """Profiles of the game, which looking does not change; the result is the one that the settings ask for."""
    game = river() if "es-mccfr" in name else build_dense("kuhn_poker")
    solver = make_algorithm(name).on(game, seed=3)
    assert isinstance(solver, PublicGameSolver)
    solver.step(3)
    before = solver.state()
    average, current, result = solver.average, solver.current, solver.result()
    for profile in (average, current, result):
        assert isinstance(profile, Profile)
        assert profile.game is game
        np.testing.assert_allclose(game.root.strategy(profile).sum(axis=0), 1.0)
    wanted = current if getattr(solver.settings, "output", "average") == "current" else average
    assert np.array_equal(result.numbers, wanted.numbers)
    assert all(np.array_equal(array, before[part]) for part, array in solver.state().items())


def test_settings_that_no_string_builds_are_not_called_by_the_name_of_others():
    tree = enumerate_game("kuhn_poker")
    shared = SharedCFRPlus(tree, np.arange(tree.infosets))
    assert shared.settings.name == "cfr+ with shared information sets"
    with pytest.raises(cp.InputError, match="is made by SharedCFRPlus, which is told the groups"):
        shared.settings.on(tree)
    hybrid = make_algorithm("cfr-br(sampled=True)")
    assert hybrid.on(mini_holdem(3, (1, 1))).settings is hybrid
    with pytest.raises(cp.InputError, match="sampled must be False in enumerated games"):
        hybrid.on(tree)


def test_measuring_an_enumerated_game_agrees_with_evaluating_the_strategy():
    solver = make_algorithm("cfr+").on(enumerate_game("leduc_poker"))
    assert isinstance(solver, TreeSolver)
    solver.step(20)
    assert solver.exploitability() == cp.exploitability("leduc_poker", solver.strategy)
    assert np.array_equal(solver.values(), cp.expected_value("leduc_poker", solver.strategy))


def test_what_is_no_problem_is_refused():
    with pytest.raises(cp.InputError, match="cfr runs on an enumerated game or on a public game, not on 'kuhn_poker'"):
        make_algorithm("cfr").on("kuhn_poker")
    with pytest.raises(cp.InputError, match="threads must be a whole number of at least 1, not 0"):
        make_algorithm("cfr").on(enumerate_game("kuhn_poker"), threads=0)
    with pytest.raises(cp.InputError, match="cfr/partial-pruning does not run on public trees"):
        make_algorithm("cfr/partial-pruning").on(build_dense("kuhn_poker"))


@pytest.mark.parametrize("catalogue", [ALGORITHMS, MODIFIERS], ids=["algorithms", "modifiers"])
def test_every_setting_explains_itself(catalogue):
    for name in catalogue:
        settings = describe(name, catalogue[name])["parameters"]
        assert list(settings) == [field.name for field in dataclasses.fields(catalogue[name])]
        for setting, told in settings.items():
            assert told["meaning"].endswith("."), (name, setting)


def test_what_a_setting_says():
    settings = describe("dcfr", ALGORITHMS["dcfr"])["parameters"]
    assert settings["alpha"] == {
        "default": 1.5, "meaning": "Positive sums are multiplied by t^alpha / (t^alpha + 1)."
    }  # fmt: skip
    assert next(iter(settings)) == "updates"
    assert settings["updates"]["allowed"] == ["alternating", "simultaneous"]
    assert settings["updates"]["default"] == "alternating"


def test_a_tree_prints_as_one_line():
    expected = "<Tree of kuhn_poker: 55 histories, 12 infosets, 2 players>"
    assert repr(enumerate_game("kuhn_poker")) == expected
