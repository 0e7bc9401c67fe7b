"""The self-improver: situations that are solved, branches, and gaps that close night after night."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.abstraction.strength import HoldemCards
from counterpoise.betting.rules import CALL, FOLD, BetAction, BettingState
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.blueprint.branches import BlueprintBranches, Branch, load_branches
from counterpoise.blueprint.exact import tabulate
from counterpoise.blueprint.gaps import Bet
from counterpoise.blueprint.self_improver import (
    BranchSolver,
    ImproverSettings,
    given_regrets,
    improve,
    most_played_bet,
)
from counterpoise.blueprint.settings import TrainSettings
from counterpoise.blueprint.train import TrainingRun
from counterpoise.games.holdem import NoLimitHoldem
from counterpoise.jobs.pieces import Work
from counterpoise.sampling.situations import SituationRules, SituationTree
from counterpoise.tree.evaluation import evaluate
from tests.blueprint.improving import HUNL_24, OneSize

TINY: dict[str, Any] = {"board": (0, 3), "ranks": 7, "suits": 1, "stack": 6, "sizes": ("100%",)}
"""210 deals; with one size in the menu betting after a control is as fine as elsewhere."""


class OtherBets(NoLimitHoldem):
    """The tiny game with other bets at the first action: the rules of a situation as a game of its own."""

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        return (FOLD, 250, 300) if betting == self.betting.initial() else super().menu(betting)


class AfterACall(NoLimitHoldem):
    """The tiny game in which the small blind always calls, and the big blind checks or bets 250 chips."""

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        start = self.betting.initial()
        if betting == start:
            return (CALL,)
        return (CALL, 250) if betting == self.betting.apply(start, CALL) else super().menu(betting)


@pytest.fixture(scope="module")
def lossless(tmp_path_factory: pytest.TempPathFactory) -> CardAbstraction:
    game = NoLimitHoldem(**TINY)
    cards = HoldemCards(game.deck, 2)
    sizes, folder = [cards.classes(street) for street in range(2)], tmp_path_factory.mktemp("lossless")
    return cp.abstraction("IR-C-C", buckets=sizes, deck=game.deck, cache=folder, progress=False)


def trained(blueprint: Blueprint, rules: SituationRules, hands: int) -> Blueprint:
    """Return the averages of a situation's whole tree."""
    tree = SituationTree(rules)
    run = TrainingRun(tree, blueprint.abstractions, TrainSettings(), Work(1))
    run.walks.put(given_regrets(blueprint, tree))
    run.walk_until(hands)
    return Blueprint(rules.game, blueprint.abstractions, run.walks.averages(), tree=tree)


@pytest.mark.slow
@pytest.mark.parametrize("situation", [(), ("c",)])
def test_a_situation_is_solved_as_the_game_it_is(lossless: CardAbstraction, situation: tuple[str, ...]) -> None:
    """Exact exploitability in a game whose rules are those of the situation, enumerated by itself.

    After a call the way there is played by the blueprint, here one that always calls, so that its range is everything.
    """
    home = NoLimitHoldem(**TINY)
    blueprint = Blueprint.uniform(home, lossless)
    blueprint.layout.block(blueprint.tree, 0, blueprint.table)[:] = np.array([0, 1, 0], dtype=np.uint8)
    rules = SituationRules(home, situation, (250,) if situation else (250, 300), () if situation else (300,))
    game = AfterACall(**TINY) if situation else OtherBets(**TINY)
    tree = cp.enumerate_game(game)
    figures = [
        evaluate(tree, tabulate(trained(blueprint, rules, hands), tree)).exploitability for hands in (50, 40_000)
    ]
    assert figures[1] < 6  # chips, of stacks of 600
    assert figures[1] < figures[0] / 10


def test_the_way_to_a_situation_is_the_blueprints(lossless: CardAbstraction) -> None:
    """Whatever walks find, both seats come to the situation as the blueprint has it."""
    home = NoLimitHoldem(**TINY)
    random = np.random.default_rng(0)
    weights = random.random(Blueprint.uniform(home, lossless).layout.size).astype(np.float32)
    blueprint = Blueprint(home, lossless, weights)
    found = trained(blueprint, SituationRules(home, ("c", "b300"), (500,)), 4000)
    for line in ((), ("c",)):
        np.testing.assert_allclose(found.probabilities(line).table, blueprint.probabilities(line).table, atol=1e-5)
    tree = found.tree
    assert tree.labels(tree.node_after(("c", "b300"))) == ("f", "c", "b500")
    assert not tree.decisions[tree.node_after(("c", "c"))]  # what is beside the line is left out
    assert (tree.ends.base[tree.arrays.end[tree.node_after(("f",))]] == 0).all()


def test_what_follows_a_control_is_coarse() -> None:
    """At the first action nobody calls; after the control each decision has one bet, the nearest to the pot."""
    game = cp.load(HUNL_24)
    tree = SituationTree(SituationRules(game, (), (243, 300), (300,)))
    assert tree.labels(0) == ("f", "b243", "b300")
    assert tree.labels(tree.node_after(("b243",))) == ("f", "c", "b486", "b729", "b2000")
    assert tree.labels(tree.node_after(("b300",))) == ("f", "c", "b900")
    assert tree.labels(tree.node_after(("b300", "c"))) == ("c", "b900")
    for wrong, sentence in (
        (((), (150,)), "a bet after the deal must be 200 to 2000 chips, not 150"),
        ((("c", "c"), (300,)), "nobody is to act in the first round after c:c"),
        (((), (300,), (400,)), "controls must be among the bets"),
    ):
        with pytest.raises(cp.InputError, match=sentence):
            SituationRules(game, *wrong)  # type: ignore[arg-type]


def branch_of(blueprint: Blueprint, kind: Any, line: tuple[str, ...], total: int, armed: bool = False) -> Branch:
    """Return a branch that plays evenly."""
    tree = SituationTree(SituationRules(blueprint.game, line, (total,)))
    table = np.zeros(layout_of(tree, blueprint.abstractions).size, dtype=np.uint8)
    return Branch(kind, Blueprint(blueprint.game, blueprint.abstractions, table, tree=tree), 300, armed, 7)


@pytest.fixture(scope="module")
def uniform(few_buckets: CardAbstraction) -> Blueprint:
    return Blueprint.uniform(cp.load(HUNL_24), few_buckets)


def test_branches_answer_what_is_close(uniform: Blueprint, tmp_path: Path) -> None:
    """Defensive: nearer than any other size. Offensive: only its own size, and only if it is armed."""
    branches = BlueprintBranches(
        uniform,
        (branch_of(uniform, "defensive", (), 243), branch_of(uniform, "offensive", (), 260, armed=True)),
    )
    middle, repeated = branches.every
    assert middle.size == pytest.approx(0.715)
    for size, found in ((0.5, None), (0.52, None), (0.65, middle), (0.715, middle), (0.8, repeated), (0.81, middle)):
        assert branches.find(Bet((), size)) is found, size
    assert branches.find(Bet((), 0.95)) is None
    assert branches.find(Bet(("b200",), 0.715)) is None
    unarmed = BlueprintBranches(uniform, (middle, replace(repeated, armed=False)))
    assert unarmed.find(Bet((), 0.8)) is middle
    assert branches.sizes() == {(): [middle.size]}
    branches.save(tmp_path / "b.cpz")
    again = load_branches(tmp_path / "b.cpz", uniform)
    assert [one.to_json() for one in again.every] == [one.to_json() for one in branches.every]
    line = ("b243", "c", "AsKsQh")
    np.testing.assert_array_equal(again.every[0].behaviour(line).table, middle.behaviour(line).table)
    other = Blueprint(uniform.game, uniform.abstractions, uniform.table + np.uint8(1))
    with pytest.raises(cp.InputError, match="has branches of another blueprint"):
        load_branches(tmp_path / "b.cpz", other)
    uniform.save(tmp_path / "u.cpz")
    with pytest.raises(cp.InputError, match="holds a blueprint, not a branch set"):
        load_branches(tmp_path / "u.cpz", uniform)


def test_defence_has_a_control_and_offence_has_none(uniform: Blueprint) -> None:
    """Without a control it would be assumed that every hand uses the new size."""
    settings = ImproverSettings(hands=200)
    solver = BranchSolver(uniform, settings, Work(1))
    defence, offence = (solver.solve(kind, Bet((), 0.715)) for kind in ("defensive", "offensive"))  # type: ignore[arg-type]
    assert defence is not None
    assert offence is not None
    assert defence.control == most_played_bet(uniform, ()) in (200, 300, 2000)
    assert offence.control is None
    for one in (defence, offence):
        assert one.strategy.tree.labels(0) == ("f", "b243")
        assert one.hands >= 200
    assert solver.solve("defensive", Bet((), 0.5)) is None  # the menu has it
    weights = uniform.table.astype(np.float32)
    node = uniform.tree.node_after(("b200",))
    uniform.layout.block(uniform.tree, node, weights)[:] = np.array([1, 1, 1, 5, 1], dtype=np.float32)
    assert most_played_bet(Blueprint(uniform.game, uniform.abstractions, weights), ("b200",)) == 600


def test_the_range_of_a_branch_is_what_bets_the_new_size_beside_the_control(uniform: Blueprint) -> None:
    """A hand that bets the control nine times in ten has a tenth of its weight in the range of the new size."""
    solver = BranchSolver(uniform, ImproverSettings(hands=500), Work(1))
    for line in ((), ("c",)):
        found = solver.solve("defensive", Bet(line, 0.715))
        assert found is not None
        assert found.control is not None
        bets = tuple(sorted((found.total, found.control)))
        whole = trained(uniform, SituationRules(uniform.game, line, bets, (found.control,)), found.hands)
        known, expected = found.behaviour(line), whole.probabilities(line)
        bet = f"b{found.total}"
        own = known.table[:, known.actions.index(bet)]
        np.testing.assert_allclose(own, expected.table[:, expected.actions.index(bet)], atol=1e-6)
        assert own.max() < 0.999


@pytest.mark.long
def test_gaps_close_night_after_night(few_buckets: CardAbstraction, tmp_path: Path) -> None:
    """An opponent that always bets one size that the blueprint lacks is nearer to a known size every day."""
    game = cp.load(HUNL_24)
    blueprint = cp.train(game, few_buckets, iterations=20_000, progress=False, duels=False).blueprint
    table = replace(game, sizes="any")
    branches, distances = BlueprintBranches(blueprint), []
    for day in range(3):
        log = tmp_path / f"day{day}.jsonl"
        cp.match(table, [blueprint, OneSize(0.8)], 100, seed=day, log=log, progress=False)
        night = improve(
            blueprint, [log], branches=branches, settings=ImproverSettings(hands=5000), threads=1, progress=False
        )
        distances.append(night.distance / night.bets)
        assert night.distance_after < night.distance
        assert [one.kind for one in night.solved].count("defensive") == 2
        assert all(one.control is not None for one in night.solved if one.kind == "defensive")
        branches = night.branches
        assert set(night.solved) <= set(branches.every)  # with what the day has armed
    assert distances[0] > distances[1] > distances[2] > 0
    # Every bet is of one size, so that the offensive answer to the most common one is armed after the first day.
    (offence, *_) = [one for one in branches.every if one.kind == "offensive"]
    assert offence.size == pytest.approx(0.8, abs=0.003)
    assert offence.armed
    assert branches.find(Bet(offence.line, 0.8)) is offence


def test_wrong_input(uniform: Blueprint, tmp_path: Path) -> None:
    log = tmp_path / "hands.jsonl"
    cp.match(uniform.game, ["random", "always-call"], 4, log=log, progress=False)
    limit = Blueprint.uniform(cp.load("limit_holdem(ranks=6)"), uniform.abstractions)
    for call, sentence in (
        (lambda: improve(uniform, [log], progress=False), "nobody in the log followed this blueprint: say which of"),
        (lambda: improve(uniform, [], progress=False), "logs must name at least one file"),
        (lambda: improve(limit, [log], progress=False), "only blueprints of no-limit hold'em for two seats"),
        (lambda: ImproverSettings(hands=0), "hands must be a whole number"),
    ):
        with pytest.raises(cp.InputError, match=sentence):
            call()
    night = improve(uniform, [log], ours=["random"], progress=False)
    assert (night.bets, night.solved, night.distance) == (0, [], 0)
