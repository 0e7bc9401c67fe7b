"""Agents with a blueprint per seat: whose half is played, packing, endgames, recipes."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from typer.testing import CliRunner

import counterpoise as cp
from counterpoise.abstraction.config import parse_name
from counterpoise.agents import make_agent
from counterpoise.agents.base import AGENTS
from counterpoise.agents.claudico import EndgameStrategy
from counterpoise.agents.recipes import BlueprintRecipe, trained_agents
from counterpoise.agents.settings import agent_settings
from counterpoise.blueprint import Blueprint, PackedBlueprint
from counterpoise.cards import Deck
from counterpoise.cli import app
from counterpoise.errors import InputError
from counterpoise.sampling import TableLayout, build_betting_tree
from tests.agents.off_tree import RiverResponse, river_histories
from tests.agents.test_blueprint_agent import AnyBet

HALVES = ("baby-tartanian8", "claudico", "tartanian7")
TABLE = "no_limit_holdem(ranks=6, stack=20)"
RIVER = ("b300", "c", "AsKhTd", "c", "c", "9c", "c", "c", "Jh")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two random halves with menus as the recipe of Baby Tartanian8 has them, in few buckets."""
    place, random = tmp_path_factory.mktemp("halves"), np.random.default_rng(0)
    cards = cp.abstraction(
        "IR-PHS-PHS", (6, 3, 3, 3), deck=Deck(ranks=6), public=2, cache=tmp_path_factory.mktemp("c"), progress=False
    )
    for half in BlueprintRecipe.read("baby-tartanian8").halves():
        empty = Blueprint.uniform(half.game, cards)
        weights = random.random(empty.layout.size).astype(np.float32)
        Blueprint(half.game, cards, weights, tree=empty.tree).save(place / half.file)
    return place


def seated(name: str, seat: int) -> Any:
    return make_agent(name).sit(cp.load(TABLE), seat, Random(0))


@pytest.mark.slow
def test_the_opponent_has_more_bets_in_each_half(folder: Path) -> None:
    """Two solves; in each the agent's own seat has the smaller menu, and each seat plays its own half."""
    agents = [seated(f"baby-tartanian8:{folder}", seat) for seat in range(2)]
    for seat, one in enumerate(agents):
        tree = one.blueprint.tree
        widths = [tree.arrays.actions[tree.decisions & (tree.arrays.player == player)].max() for player in range(2)]
        assert widths[seat] < widths[1 - seat]
        assert one.blueprint is one.halves[seat]
    pure = [cp.load_blueprint(folder / f"seat-{seat}.cpz").purified(1) for seat in range(2)]
    for seat, public in ((1, ()), (0, ("b300",)), (0, ("c", "c", "AsKhTd")), (1, ("c", "c", "AsKhTd", "c"))):
        expected = pure[seat].probabilities(public)
        found = agents[seat].probabilities(public)
        columns = [found.actions.index(action) for action in expected.actions]
        np.testing.assert_allclose(found.table[:, columns], expected.table, atol=1e-12)


def test_the_packed_store_is_what_is_played(folder: Path) -> None:
    """After the first round every hand has one certain action, looked up in packed bits; before, it mixes."""
    agent = seated(f"baby-tartanian8:{folder}", 1)
    assert isinstance(agent.blueprint, PackedBlueprint)
    assert agent.blueprint.packed_choices.nbytes < cp.load_blueprint(folder / "seat-1.cpz").table.nbytes / 10
    first, later = agent.probabilities(()).table, agent.probabilities(("c", "c", "AsKhTd", "c")).table
    assert (first.max(axis=1) < 1).any()
    assert set(np.unique(later)) == {0.0, 1.0}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tartanian7", "baby-tartanian8", "claudico"])
def test_any_legal_bet_is_answered_legally(folder: Path, name: str) -> None:
    found = cp.match(TABLE, [f"{name}:{folder}", AnyBet()], 40, seed=7, duplicate=True, progress=False)
    assert not any(sum(agent.forfeits.values()) for agent in found.agents), found.agents[0].first_fault


def test_claudico_solves_the_river_once(folder: Path) -> None:
    """On entering the last round one solve with the blueprint's ranges and buckets; later bets are translated."""
    agent = seated(f"claudico:{folder}(fast=True)", 0)
    agent.probabilities(RIVER[:-1][:3])
    assert not agent.searches
    begins = agent.belief(RIVER)
    assert isinstance(begins.strategy, EndgameStrategy)
    np.testing.assert_allclose(begins.ranges, np.where(agent.game.deck.live_hands(_board()), _before(agent), 0))
    behaviour = agent.probabilities(RIVER)
    live = behaviour.table.sum(axis=1) > 0
    assert behaviour.actions == ("c", "b900", "b2000")
    np.testing.assert_allclose(behaviour.table[live].sum(axis=1), 1)
    buckets = agent.blueprint.buckets_after(RIVER, 0)
    for bucket in np.unique(buckets[live]):
        assert len(np.unique(behaviour.table[live & (buckets == bucket)].round(12), axis=0)) == 1
    answer = agent.belief((*RIVER, "c", "b700"))  # between half the pot and the pot
    assert answer.strategy is begins.strategy
    assert not answer.exact
    assert len(agent.searches) == 1
    again = seated(f"claudico:{folder}(fast=True)", 0)
    np.testing.assert_array_equal(again.probabilities(RIVER).table, behaviour.table)
    plain = seated(f"claudico:{folder}(endgames=False)", 0)
    assert not isinstance(plain.belief(RIVER).strategy, EndgameStrategy)


def _board() -> list[int]:
    from counterpoise.games.known import public_cards

    return list(public_cards(RIVER))


def _before(agent: Any) -> Any:
    return agent.belief(RIVER[:-1]).ranges


def test_files_and_copies(folder: Path, tmp_path: Path) -> None:
    agent = make_agent(f"tartanian7:{folder}")
    assert agent.home == cp.load(TABLE).name
    assert pickle.loads(pickle.dumps(agent)).strategy_id == agent.strategy_id
    one = make_agent(f"tartanian7:{folder / 'seat-0.cpz'}")
    assert one.home == cp.load_blueprint(folder / "seat-0.cpz").game.name
    assert one.strategy_id.split("@")[1] != agent.strategy_id.split("@")[1]
    for name, words in (("tartanian7", "train-agent tartanian7"), (f"claudico:{tmp_path}", "seat-0.cpz")):
        with pytest.raises(InputError, match=words):
            make_agent(name)
    with pytest.raises(InputError, match="has a blueprint for"):
        agent.sit(cp.load("no_limit_holdem(ranks=6, stack=30)"), 0, Random(0))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The agents with a blueprint per seat, tier smoke."""
    place = tmp_path_factory.mktemp("trained")
    for name in HALVES:
        AGENTS[name].train(place / name, "smoke", False, cache=place / "cache")
    return place


def test_regret_based_sampling_lasts_as_long_as_published() -> None:
    """Brown 2020: Libratus sampled by regret in the second half (6.4), Baby Tartanian8 until the final 5 days of
    600 hours (6.3)."""
    for tier, hands in BlueprintRecipe.read("baby-tartanian8").iterations.items():
        skipping = BlueprintRecipe.read("baby-tartanian8").train_settings(tier).skipping
        assert (skipping.kind, skipping.after, skipping.until) == ("regret", 0, hands * (600 - 5 * 24) // 600)
    for tier, hands in BlueprintRecipe.read("libratus").iterations.items():
        skipping = BlueprintRecipe.read("libratus").train_settings(tier).skipping
        assert (skipping.kind, skipping.after, skipping.until) == ("regret", hands // 2, None)


def test_libratus_has_no_buckets_on_the_flop() -> None:
    """Brown 2020, section 6.4: no card abstraction on the first two rounds, where tables stay below a gigabyte."""
    recipe = BlueprintRecipe.read("libratus")
    (half,) = recipe.halves()
    tree = build_betting_tree(half.game)
    for tier, flops in (("smoke", 200), ("mini", 21_150), ("full-mini", 21_150)):
        config = parse_name(*recipe.abstraction(half, cast(Any, tier)), deck=half.game.deck)
        exact = [street.method == "C" for street in config.streets]
        hands = [config.cards.classes(k) if exact[k] else config.streets[k].buckets for k in range(4)]
        assert hands == [36, flops, 200, 200]
        assert 8 * TableLayout.of(tree, hands).size < 1e9
    assert tree.game.deck.size == 24


@pytest.mark.long
def test_smoke_recipes(trained: Path) -> None:
    """Every recipe of the smallest size trains what its agent needs, which then plays; a second call finds it done."""
    assert set(HALVES) < set(trained_agents())
    for name in HALVES:
        first = make_agent(f"{name}:{trained / name}")
        assert (trained / name / "agent.txt").read_text().strip() == name
        found = cp.match(TABLE, [first, "always-call"], 100, seed=3, duplicate=True, progress=False)
        assert not any(sum(agent.forfeits.values()) for agent in found.agents)
        assert found.agents[0].mean > 0
    AGENTS[name].train(trained / name, "smoke", False)
    assert make_agent(f"{name}:{trained / name}").strategy_id == first.strategy_id
    _change_seed(trained / name)
    with pytest.raises(InputError, match="another recipe or tier"):
        AGENTS[name].train(trained / name, "smoke", False)


@pytest.mark.long
def test_claudico_loses_more_to_bets_that_it_lacks_than_nested_search(trained: Path) -> None:
    """A best response on the river that bets 25 %, 75 % or twice the pot, none of which Claudico's blueprints have,
    wins more from it than from nested search on the same blueprints: lower 95 % bound above 0, over 80 rivers."""
    lost = []
    for seat in range(2):
        file = trained / "claudico" / f"seat-{1 - seat}.cpz"
        modes = [make_agent(f"claudico:{file}"), make_agent(f"libratus:{file}(first_round=3)")]
        seated_modes = [one.sit(cp.load(TABLE), 1 - seat, Random(0)) for one in modes]
        blueprint = cp.load_blueprint(file)
        for public in river_histories(blueprint.game, blueprint, seat, 40, seed=1):
            lost.append([RiverResponse(one, public, ("25%", "75%", "200%")).value() for one in seated_modes])
    claudico, nested = np.array(lost).T
    more = claudico - nested
    assert more.mean() - 1.96 * more.std(ddof=1) / np.sqrt(len(more)) > 0, f"{more.mean():.1f} chips per river"


def _change_seed(place: Path) -> None:
    from counterpoise.store.cpz import read_cpz, write_cpz

    file = next(iter(sorted(place.glob("*.training.cpz"))))
    header, arrays = read_cpz(file, "training")
    settings = dict(header["settings"]) | {"seed": 99}
    write_cpz(file, "training", {**header, "settings": settings}, arrays)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["random", "--out", "x"], "AGENT must be one with a recipe, baby-tartanian8, claudico, libratus"),
        (["tartanian7"], "--out is missing: name a folder"),
        (["tartanian7", "--tier", "huge", "--out", "x"], "huge"),
        (["tartanian7", "--out", __file__], "--out must name a folder"),
    ],
)
def test_wrong_commands(words: list[str], sentence: str) -> None:
    found = CliRunner().invoke(app, ["train-agent", *words])
    assert found.exit_code == 2
    assert sentence in found.output


@pytest.mark.long
def test_command_trains_and_says_what_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command calls the recipe; here one of a tiny game, so that it takes a second."""
    from counterpoise.agents import recipes

    tiny = agent_settings("tartanian7") | {
        "game": "no_limit_holdem(ranks=4, stack=3)",
        "clusters": 2,
        "buckets": (3, 3),
        "iterations": {"smoke": 6},
    }
    monkeypatch.setattr(recipes, "frozen_settings", lambda name: tiny)
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "cache"))
    found = CliRunner().invoke(app, ["train-agent", "tartanian7", "--out", str(tmp_path / "t"), "--json"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert list(told["files"]) == ["blueprint.cpz"]
    assert cp.load_blueprint(tmp_path / "t" / "blueprint.cpz").made["iterations"] == 6
    again = CliRunner().invoke(app, ["train-agent", "tartanian7", "--out", str(tmp_path / "t")])
    assert f"tartanian7:{tmp_path / 't'}"[:20] in again.output
