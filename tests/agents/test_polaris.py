"""Polaris 2007 and 2008: trained folders, matches without faults, what logs say, and that switching reacts."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.agents import AGENTS, make_agent
from counterpoise.agents.colours import Recipe, recipe, train_colours
from counterpoise.agents.polaris_2007 import Polaris2007
from counterpoise.agents.polaris_2008 import Polaris2008
from counterpoise.blueprint import load_blueprint
from counterpoise.errors import InputError
from counterpoise.play.table import MatchTable
from counterpoise.progress import CancelToken, SilentProgress

TINY = "limit_holdem(ranks=4, board=[0, 3], max_bets=2)"
COLOURS = ("pink", "orange", "peach", "red", "green")


def tiny(**changes: Any) -> Recipe:
    how = Recipe(
        game=TINY,
        abstraction="IR-PHS-PHS",
        public=2,
        buckets=dict.fromkeys(COLOURS, (8, 5)),
        hands=3000,
        tilts=recipe("polaris-2008", "smoke").tilts,
    )
    return replace(how, **changes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("polaris")
    train_colours(place, tiny(), progress=False)
    return place


def test_recipes_are_those_of_the_text() -> None:
    """Johanson 2016, chapter 8: tilts of the five colours; perfect recall with 12 and 8 buckets; textures in imperfect
    recall.
    """
    wanted = {"pink": [0, 0, 0, 0], "orange": [7, 0, 0, 7], "peach": [0, 0, 0, 7], "red": [0, -7, 0, 0]}
    old = {name: wanted[name] for name in ("pink", "orange")}, "PR-PHS-PHS", False
    new = wanted | {"green": [0, -7, 0, -7]}, "IR-PHS-PHS", True
    for name, expected in (("polaris-2007", old), ("polaris-2008", new)):
        for tier in ("smoke", "mini", "full-mini", "full"):
            how = recipe(name, tier)
            assert (how.tilts, how.abstraction, how.public > 0) == expected
            assert how.buckets.keys() == how.tilts.keys()
        assert recipe(name, "full").game == "limit_holdem"
    for tier in ("full-mini", "full"):
        full = recipe("polaris-2007", tier)
        assert (full.buckets["pink"], full.buckets["orange"]) == ([12] * 4, [8] * 4)


def test_only_polaris_has_the_published_size(tmp_path: Path) -> None:
    """Agents without a recipe of a tier say which they have."""
    with pytest.raises(InputError, match="the tier of libratus must be smoke, mini or full-mini"):
        AGENTS["libratus"].train(tmp_path, "full", progress=False)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_stopped_training_continues(tmp_path: Path) -> None:
    """A strategy that was begun is continued from its checkpoint, and ends as if it had never been stopped."""

    class Stops(SilentProgress):
        def show(self, fraction: float | None, figure: str) -> None:
            if "hands" in figure:
                token.cancel()

    token, how = CancelToken(), tiny(hands=30_000, tilts={"pink": (0, 0, 0, 0)})
    assert train_colours(tmp_path / "parts", how, Stops(), cancel=token) == {}
    begun = load_blueprint(tmp_path / "parts" / "pink.cpz")
    assert 0 < begun.made["iterations"] < 30_000
    with pytest.raises(InputError, match="another recipe or tier"):
        train_colours(tmp_path / "parts", replace(how, seed=1), progress=False)
    found = [train_colours(tmp_path / name, how, progress=False)["pink"] for name in ("parts", "whole")]
    assert load_blueprint(found[0]).digest == load_blueprint(found[1]).digest
    assert sorted(file.name for file in (tmp_path / "parts").iterdir()) == ["pink.cpz"]


@pytest.mark.slow
def test_one_strategy_for_a_match(folder: Path, tmp_path: Path) -> None:
    """2007: the colour is a setting; the agent is its strategy and known."""
    agent = make_agent(f"polaris-2007:{folder}(colour=orange)")
    assert isinstance(agent, Polaris2007)
    assert make_agent(agent.name) == agent
    assert (agent.home, agent.learns) == (cp.load(TINY).name, False)
    plain = make_agent(f"blueprint:{folder / 'orange.cpz'}")
    found = [
        cp.match(agent.home, [one, "probe"], 500, seed=1, duplicate=True, progress=False) for one in (agent, plain)
    ]
    assert found[0].agents[0].mean == found[1].agents[0].mean
    log = tmp_path / "hands.jsonl"
    cp.match(agent.home, [agent, "probe"], 30, seed=1, log=log, progress=False)
    judged = cp.judge(log, progress=False)
    assert {"ac", "aivat"} <= {estimate.name for estimate in judged[agent.name].estimates}
    assert "orange.cpz" in str(judged[agent.name].strategy)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["polaris-2007:{}(colour=switching)", "polaris-2008:{}"])
def test_each_hand_says_which_strategy_played_it(folder: Path, tmp_path: Path, name: str) -> None:
    """Without it a match cannot be analysed; judge reads the log, strategy by strategy."""
    agent, log = make_agent(name.format(folder)), tmp_path / "hands.jsonl"
    found = cp.match(agent.home, [agent, "always-raise"], 25, seed=2, duplicate=True, log=log, progress=False)
    assert not any(found.agents[0].forfeits.values())
    followed = [record.strategies[record.agents.index(agent.name)] for record in cp.read_log(log).records]
    played = {one.partition("@")[0] for one in followed}
    assert len(played) > 1
    assert played <= {f"blueprint:{folder / colour}.cpz" for colour in COLOURS}
    judged = cp.judge(log, progress=False)
    assert {"ac", "aivat"} <= {estimate.name for estimate in judged[agent.name].estimates}
    again = cp.match(agent.home, [make_agent(agent.name), "always-raise"], 25, seed=2, duplicate=True, progress=False)
    assert again.agents[0].mean == found.agents[0].mean  # rooms learn by themselves, and the agent stays as it was


@pytest.mark.long
def test_switching_reacts_to_an_opponent_that_always_raises(tmp_path: Path) -> None:
    """The strategy that wins most from the opponent, measured apart, plays most hands in the end.

    Green is here the only one that is not afraid of showdowns.
    """
    tilts = dict.fromkeys(COLOURS, (0, 300, 0, 0)) | {"green": (0, -50, 0, 0)}
    train_colours(tmp_path, tiny(hands=10_000, tilts=tilts), progress=False)
    game = cp.load(TINY)
    alone = {
        colour: cp.match(
            game, [f"blueprint:{tmp_path / colour}.cpz", "always-raise"], 20_000, duplicate=True, progress=False
        )
        .agents[0]
        .mean
        for colour in COLOURS
    }
    assert max(alone, key=lambda colour: alone[colour]) == "green"
    agent, villain, names = Polaris2008(str(tmp_path)), make_agent("always-raise"), ("polaris", "villain")
    tables = [
        MatchTable(game, [agent, villain], names, seed=3),
        MatchTable(game, [villain, agent], names[::-1], seed=3),
    ]
    for hand in range(200):
        tables[hand % 2].play(hand)
    played = [hand.member for hand in agent.memory.hands]
    assert played[:20].count("pink") > 12
    assert played[-100:].count("green") > 60


@pytest.mark.long
@pytest.mark.parametrize("kind", [Polaris2007, Polaris2008])
def test_the_smoke_tier_trains_in_a_minute(kind: Any, tmp_path: Path) -> None:
    """Whole limit hold'em on 20 cards: four rounds, all colours; called again, nothing is trained again."""
    begin = time.process_time()
    kind.train(tmp_path, "smoke", progress=False)
    assert time.process_time() - begin < 120  # CPU of two cores
    assert {file.stem for file in tmp_path.iterdir()} == set(COLOURS if kind is Polaris2008 else COLOURS[:2])
    stamps = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    kind.train(tmp_path, "smoke", progress=False)
    assert stamps == {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    agent = kind(str(tmp_path))
    found = cp.match(agent.home, [agent, "probe"], 60, seed=1, duplicate=True, progress=False)
    assert not any(found.agents[0].forfeits.values())


def test_wrong_input(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pink.cpz").write_bytes((folder / "pink.cpz").read_bytes())
    for call, sentence in (
        (lambda: make_agent("polaris-2007"), "polaris-2007: name the folder with its strategies after a colon"),
        (lambda: make_agent(f"polaris-2008:{tmp_path}"), r"polaris-2008: there is no strategy orange.cpz in"),
        (lambda: make_agent(f"polaris-2007:{folder}(colour=blue)"), "polaris-2007: colour must be .*, not 'blue'"),
        (lambda: make_agent(f"polaris-2008:{folder}(estimator=money)"), "polaris-2008: estimator must be"),
        (
            lambda: Polaris2007.train(tmp_path, "huge"),
            "polaris-2007 must be smoke, mini, full-mini or full, not 'huge'",
        ),
        (lambda: cp.match("kuhn_poker", [f"polaris-2008:{folder}", "random"], 5), "not for kuhn_poker"),
    ):
        with pytest.raises(cp.InputError, match=sentence):
            call()
