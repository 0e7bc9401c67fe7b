"""Agents by name: what they do, what is known of it, and that copies share nothing."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction.translation import translate
from counterpoise.agents import AGENTS, StrategyAgent, make_agent
from counterpoise.agents.make import distinct_names
from counterpoise.search import translated

# Table 7.5 of the text's Leduc counterparts: the mean of the two best-response values, in antes.
LEDUC = {"always-call": 22 / 15, "always-fold": 1.0, "always-raise": 71 / 30, "probe": 2.15, "random": 2.373611}


@pytest.mark.parametrize(("name", "exploitability"), LEDUC.items())
def test_trivial_agents_in_leduc(name: str, exploitability: float) -> None:
    """Exact exploitability of the trivial agents in Leduc, by best responses."""
    tree = cp.enumerate_game("leduc_poker")
    flat = make_agent(name).tabulate(tree)
    assert flat is not None
    found = cp.exploitability("leduc_poker", cp.Strategy("leduc_poker", tree.table, flat))
    assert found == pytest.approx(exploitability, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("always-call", {"b300": "c", "": "c"}),
        ("always-fold", {"b300": "f", "": "f", "c": "c"}),
        ("always-raise", {"": "b300", "b20000": "c"}),
        ("always-raise(size=largest)", {"": "b20000", "c": "b20000"}),
    ],
)
def test_answers_in_no_limit(name: str, answers: dict[str, str]) -> None:
    game = cp.load("no_limit_holdem")
    for line, answer in answers.items():
        public = tuple(filter(None, line.split(":")))
        seat = game.betting_after(public).to_act  # type: ignore[attr-defined]
        behaviour = make_agent(name).sit(game, seat, Random(0)).probabilities(public)
        assert behaviour.actions == (answer,)
        assert behaviour.hands == game.deck.hand_names  # type: ignore[attr-defined]
        assert (behaviour.table == 1).all()


def test_hands_that_the_board_rules_out_have_rows_of_0() -> None:
    game: Any = cp.load("limit_holdem")
    behaviour = make_agent("probe").sit(game, 0, Random(0)).probabilities(("c", "c", "AsKhQd"))
    assert behaviour.actions == ("c", "b4")
    blocked = np.array([any(card in hand for card in ("As", "Kh", "Qd")) for hand in behaviour.hands])
    assert blocked.sum() == 1326 - 49 * 48 // 2
    assert (behaviour.table[blocked] == 0).all()
    assert (behaviour.table[~blocked] == 0.5).all()


def test_kuhn_moves_mean_what_the_moves_before_make_of_them() -> None:
    game = cp.load("kuhn_poker")
    for name, moves in {"always-call": "pb", "always-fold": "pp", "always-raise": "bb"}.items():
        for public, move in zip([(), ("b",)], moves, strict=True):
            behaviour = make_agent(name).sit(game, len(public), Random(0)).probabilities(public)
            assert (behaviour.hands, behaviour.actions) == (("J", "K", "Q"), (move,))


def test_games_without_calls_are_refused() -> None:
    with pytest.raises(cp.InputError, match="always-call plays games with checks and calls; liars_dice has none"):
        make_agent("always-call").sit(cp.load("liars_dice"), 0, Random(0))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("always-cal", "unknown agent 'always-cal': did you mean always-call"),
        ("probe:file", "agent 'probe' takes no file"),
        ("probe(size=huge)", "probe: size must be smallest or largest"),
        ("strategy", "strategy: name its file after a colon"),
        ("blueprint:none.cpz", "none.cpz does not exist"),
        ("probe(speed=3)", "agent 'probe' has no parameter 'speed'"),
    ],
)
def test_wrong_names(text: str, sentence: str) -> None:
    with pytest.raises(cp.InputError, match=sentence.replace("(", "\\(").replace(")", "\\)")):
        make_agent(text)


def test_a_name_that_is_too_long_for_a_file_is_refused_in_a_sentence() -> None:
    """Agents with many settings have such names, and the arena tries to make them again."""
    with pytest.raises(cp.InputError):
        make_agent(f"strategy:none.cpz(translation={'x' * 5000})")


def test_names_make_the_agent_again(tmp_path: Path) -> None:
    for name in AGENTS:
        if name not in ("human", "acpc") and AGENTS[name].colon_field not in AGENTS[name].__dataclass_fields__:
            assert make_agent(make_agent(name).name) == make_agent(name)
    cp.solve("kuhn_poker", iterations=5, progress=False).save(tmp_path / "k.cpz")
    spelled = f"strategy:{tmp_path}/k.cpz(translation='nearest')"
    agent = make_agent(spelled)
    assert (agent.name, make_agent(agent.name)) == (spelled, agent)
    assert distinct_names([agent, agent])[1] == f"{spelled}#2"


def test_strategies_play_their_own_probabilities(tmp_path: Path) -> None:
    run = cp.solve("leduc_poker", iterations=20, progress=False)
    run.save(tmp_path / "leduc.cpz")
    agent = make_agent(f"strategy:{tmp_path}/leduc.cpz").sit(cp.load("leduc_poker"), 1, Random(1))
    behaviour = agent.probabilities(("r",))
    assert behaviour.hands == ("J", "K", "Q")
    for hand, row in zip(behaviour.hands, behaviour.table, strict=True):
        assert dict(zip(behaviour.actions, row, strict=True)) == pytest.approx(run.strategy[f"{hand}:r"])
    seen = cp.Observation(1, ("r",), "K", ("f", "c", "r"), "K:r")
    drawn = [agent.act(seen) for _ in range(4000)]
    for action, probability in run.strategy["K:r"].items():
        assert drawn.count(action) / 4000 == pytest.approx(probability, abs=0.03)
    with pytest.raises(cp.InputError, match="strategy is for leduc_poker, not for kuhn_poker"):
        make_agent(f"strategy:{tmp_path}/leduc.cpz").sit(cp.load("kuhn_poker"), 0, Random(0))
    with pytest.raises(cp.InputError, match="is not to act after r"):
        agent.probabilities(("r", "c", "r", "r"))


SMALL = {"board": (0, 3), "ranks": 2, "stack": 8, "blinds": (1, 2)}


@pytest.fixture(scope="module")
def small_run() -> cp.Run:
    return cp.solve(
        cp.load("no_limit_holdem", **SMALL, sizes=("100%", "allin"), max_bets=(2, 0)), iterations=3, progress=False
    )


def test_bets_outside_the_menu_are_translated(small_run: cp.Run) -> None:
    """After a raise between two known ones a hand plays the mixture of its answers to both, by the mapping."""
    game = cp.load("no_limit_holdem", **SMALL, sizes="any", max_bets=(2, 0))
    strategy = small_run.strategy
    agent = StrategyAgent.of(strategy).sit(game, 0, Random(0))
    for hand in ("AhAs", "AsKs"):
        menu = strategy[1, f"{hand}:"]
        assert list(menu) == ["f", "c", "b6", "b16"]  # the pot after a call is 4
        shares = translate((9 - 2) / 4, [(6 - 2) / 4, (16 - 2) / 4])
        low, high = (strategy[0, f"{hand}:{bet}"] for bet in ("b6", "b16"))
        expected = {
            action: sum(
                share * answers.get(action, 0.0) for share, answers in zip(shares.values(), (low, high), strict=True)
            )
            for action in ("f", "c")
        }
        found = agent.mixed(cp.Observation(0, ("b9",), hand, ("f", "c"), f"{hand}:b9"))
        assert {action: found[action] for action in ("f", "c")} == pytest.approx(expected)
        assert sum(found.values()) == pytest.approx(1)
        assert all(action in ("f", "c") or int(action[1:]) in range(16, 17) for action in found)
    behaviour = agent.probabilities(("b9",))
    assert behaviour.table.sum(axis=1) == pytest.approx(np.ones(28))


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_translation_is_that_of_public_trees(small_run: cp.Run, player: int) -> None:
    """In every information set, as `search.translated` finds it in a public tree, with all hands at once."""
    whole = cp.load("no_limit_holdem", **SMALL, sizes=("60%", "100%", "200%", "allin"), max_bets=(2, 0))

    def size_of(action: str) -> float | None:
        return None if action == "f" else 0.0 if action == "c" else (int(action[1:]) - 2) / 4  # of a pot of 4

    small = cp.load(small_run.game)
    expected = translated(
        whole, small, {key: small_run.strategy[key] for key in small_run.strategy.table}, player, size_of=size_of
    )
    agent = StrategyAgent.of(small_run.strategy).sit(whole, player, Random(0))
    checked = 0
    for (_, label), row in expected.items():
        hand, *public = label.split(":")
        found = agent.mixed(cp.Observation(player, tuple(filter(None, public)), hand, tuple(row), label))
        assert {action: found.get(action, 0.0) for action in row} == pytest.approx(row, abs=1e-6), label
        checked += label.count(":b4") + label.count(":b10")
    assert checked > 20 * (player == 0)


def test_a_known_line_needs_no_translation(small_run: cp.Run) -> None:
    game = cp.load("no_limit_holdem", **SMALL, sizes="any", max_bets=(2, 0))
    agent = StrategyAgent.of(small_run.strategy).sit(game, 0, Random(0))
    found = agent.mixed(cp.Observation(0, ("b6",), "AsKs", ("f", "c"), "AsKs:b6"))
    assert found == small_run.strategy[0, "AsKs:b6"]
    # translation through the same line says the same
    assert agent._translator is not None
    mixed = agent._translator.mixture(("b6",), "AsKs")
    assert mixed == pytest.approx({action: share for action, share in found.items() if share > 0})


def test_a_translated_line_is_followed_to_the_end(small_run: cp.Run) -> None:
    """Whatever is bet, the agent answers legally to the end of the hand."""
    game = cp.load("no_limit_holdem", **SMALL, sizes="any", max_bets=(2, 0))
    found = cp.match(game, [StrategyAgent.of(small_run.strategy), "random"], 150, duplicate=True, progress=False)
    assert not any(sum(agent.forfeits.values()) for agent in found.agents), found.agents
