"""Libratus: the blueprint before the turn, unsafe search there, then nested Reach-Maxmargin search."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents import make_agent
from counterpoise.agents.libratus import Libratus
from counterpoise.agents.searching import Deadline
from counterpoise.agents.subgames import (
    Budget,
    Menu,
    SolvedStrategy,
    affordable,
    answer_action,
    open_subgame,
    solve_last_call,
    solve_unsafe,
)
from counterpoise.cards import board_strengths
from counterpoise.games.known import public_cards
from counterpoise.public import Profile, Traverser, build_holdem
from counterpoise.search.nested_settings import NestedSearch
from tests.agents.conftest import HUNL_24
from tests.agents.test_blueprint_agent import AnyBet

TURN = ("b300", "c", "AsKhQd", "c", "c", "9h")
"""Three big blinds each in the pot, seat 0 to act on the turn."""


def seated(file: Path, seat: int, **settings: Any) -> Libratus:
    found = Libratus(str(file), fast=True, **settings).sit(cp.load(HUNL_24), seat, Random(0))
    assert isinstance(found, Libratus)
    return found


def test_it_searches_with_antes_rake_and_other_blinds(trained_file: Path) -> None:
    """The turn of a table that its blueprint was not trained for is solved by the table's own rules, and again after
    an action of the opponent."""
    game: Any = cp.load("no_limit_holdem(ranks=6, stack=20, blinds=[5, 10], ante=2, rake=5)")
    agent = Libratus(str(trained_file), fast=True).sit(game, 1, Random(0))
    public = ("b32", "c", "AsKhQd", "c", "c", "9h")
    belief = agent.belief((*public, "b50"))
    assert [(note.method, note.failed) for note in agent.searches] == [("unsafe", ""), ("maxmargin", "")]
    assert isinstance(belief.strategy, SolvedStrategy)
    assert belief.strategy.holdem.betting.rake.percent == 5
    known = belief.behaviour()
    live = game.deck.live_hands(public_cards(public))
    np.testing.assert_allclose(known.table.sum(axis=1), live, atol=1e-6)


def test_before_the_turn_it_follows_the_blueprint(trained_file: Path) -> None:
    agent = seated(trained_file, 0)
    public = ("b300", "c", "AsKhQd")
    known = agent.probabilities(public)
    expected = agent.blueprint.probabilities(public)
    assert known.actions == expected.actions
    np.testing.assert_allclose(known.table, expected.table, rtol=1e-12)
    assert not agent.searches


def test_the_turn_is_solved_once_and_every_action_of_the_opponent_again(trained_file: Path) -> None:
    agent = seated(trained_file, 1)
    belief = agent.belief(TURN)
    assert isinstance(belief.strategy, SolvedStrategy)
    assert [note.method for note in agent.searches] == ["unsafe"]
    public = (*TURN, "b455")  # no size of any menu
    belief = agent.belief(public)
    assert belief.exact
    assert [note.method for note in agent.searches] == ["unsafe", "maxmargin"]
    margin = agent.searches[-1].margin
    assert margin is not None
    assert margin > -20  # chips: no hand gets much more than it had before, in 40 iterations
    action = next(one for one in belief.behaviour().actions if one == "c")
    river = (*public, action, "Jc", "b1000")
    after = agent.belief(river)
    assert [note.method for note in agent.searches] == ["unsafe", "maxmargin", "maxmargin"]
    assert after.exact
    np.testing.assert_allclose(
        after.behaviour().table.sum(axis=1), agent.blueprint.game.deck.live_hands(public_cards(river))
    )


@pytest.mark.long
def test_what_it_does_follows_from_the_public_history_alone(trained_file: Path) -> None:
    public = (*TURN, "b455")
    first, second = (seated(trained_file, 1).probabilities(public) for _ in range(2))
    assert first.actions == second.actions
    np.testing.assert_array_equal(first.table, second.table)
    other = seated(trained_file, 1, seed=1).probabilities(public)  # another jitter, other sizes
    assert first.actions != other.actions


def test_no_hand_likes_the_last_call_better_than_the_blueprint(trained_file: Path) -> None:
    """All-in on the turn: what each hand of the opponent wins, by enumeration of the rivers, not more than before."""
    agent = seated(trained_file, 1, first_round=3)
    public = (*TURN, "b2000")
    belief = agent.belief(TURN[:-1])
    for event in public[len(TURN) - 1 :]:
        belief = belief.after(event)
    plan, note = solve_last_call(belief, 1, Budget(1e8, 100, 200), Deadline(60))
    assert note.method == "maxmargin"
    assert [one.method for one in agent.searches] == []
    assert isinstance(agent.belief(public).strategy, SolvedStrategy)  # it searches so by default
    deck, board = agent.blueprint.game.deck, public_cards(public)
    won, dealt = np.zeros((2, deck.hand_count)), np.zeros(deck.hand_count)
    apart = ~(deck.hands[:, None, :, None] == deck.hands[None, :, None, :]).any(axis=(2, 3))
    calls = [known.table[:, known.actions.index("c")] for known in (belief.behaviour(), plan.behaviour(public))]
    for river in set(deck.cards.tolist()) - set(board):
        live = deck.live_hands([*board, river])
        strength = board_strengths([(*board, river)], deck=deck)[0].astype(np.int64)
        weight = np.outer(live, live * belief.ranges[1]) * apart
        dealt += weight.sum(axis=1)
        for number, call in enumerate(calls):  # 2,000 chips each if called, else the 300 of the caller
            won[number] += (weight * (call * 2000 * np.sign(strength[:, None] - strength) + (1 - call) * 300)).sum(
                axis=1
            )
    gain = np.divide(won[1] - won[0], dealt, out=np.zeros_like(dealt), where=dealt > 0)
    assert gain.max() < 5  # chips of 2,000
    assert gain.min() < -5
    assert note.margin == pytest.approx(-gain[dealt > 0].max(), abs=1.0)


def test_jitter_scales_own_sizes_only() -> None:
    """Own bets of 50 % become 54 %, those of the opponent stay, all-in stays."""
    sizes = Menu(("50%", "allin"), ("100%",)).sizes(4, own=1, jitter=0.08)
    usual, own = sizes.streets[3]  # type: ignore[misc]
    assert [(size.kind, size.numerator / size.denominator) for size in usual.bets] == [("%", 0.5), ("allin", 0.0)]
    assert [(size.kind, size.numerator / size.denominator) for size in own.bets] == [("%", 0.54), ("allin", 0.0)]
    assert own.raises[0].numerator / own.raises[0].denominator == 1.08


def test_the_budget_chooses_the_menu(trained_file: Path) -> None:
    agent = seated(trained_file, 1)
    belief = agent.belief(TURN[:-1]).after(TURN[-1])
    menus = [Menu(("33%", "75%", "allin"), ("75%", "allin")).sizes(4), Menu(("75%",), ()).sizes(4)]
    rich, poor = (open_subgame(belief, sizes).size().effort for sizes in menus)
    for work, expected in ((rich * 10.1, rich), (rich * 9.9, poor), (1.0, poor)):
        rules = affordable(belief, menus, Budget(work, 10, 100))
        assert rules.size().effort == expected
    found, _ = solve_unsafe(belief, rules, 1, Budget(1e6, 10, 100), Deadline(60))
    settings = NestedSearch(method="maxmargin", gifts=True, always=True)
    for work, sizes in ((rich * 10, menus[0]), (1.0, menus[1])):  # a smaller game may have more bets than before
        answer, _ = answer_action(found, TURN, "b455", menus, settings, Budget(work, 10, 100), Deadline(60))
        assert answer.holdem.sizes == sizes
    assert Budget(1000.0, 10, 100).iterations(50) == 20
    assert Budget(1000.0, 10, 100).iterations(1000) == 10
    assert Budget(1000.0, 10, 100).iterations(1) == 100


def test_a_subgame_at_the_table_is_worth_what_the_game_pays(trained_file: Path) -> None:
    """On the river, both check or call: the values of the public tree are showdowns settled by the rules."""
    agent = seated(trained_file, 1)
    public = (*TURN, "c", "c", "Jc")
    belief = agent.belief(TURN[:-1])
    for event in public[len(TURN) - 1 :]:
        belief = belief.after(event)
    game: Any = belief.game
    public_game = build_holdem(open_subgame(belief, Menu((), ()).sizes(4), np.ones((2, 276))))
    values = Traverser(public_game).root_values(Profile(public_game))
    names, random = game.deck.hand_names, Random(0)
    live = np.flatnonzero(game.deck.live_hands(public_cards(public)))
    exact: list[Any] = []
    for _ in range(4000):
        hands = [names[random.choice(live)] for _ in range(2)]
        if len({hands[0][:2], hands[0][2:], hands[1][:2], hands[1][2:]}) < 4:
            continue
        state = game.initial()
        for event in (*hands, *public, "c", "c"):
            state = game.next(state, event)
        exact.append(game.payoffs(state)[0])
    assert abs(np.mean(exact) - values[0]) < 4 * np.std(exact) / np.sqrt(len(exact))


def test_a_search_that_runs_out_of_time_plays_what_it_has(trained_file: Path) -> None:
    agent = seated(trained_file, 1)
    belief = agent.belief(TURN[:-1]).after(TURN[-1])
    rules = open_subgame(belief, Menu(("75%",), ("allin",)).sizes(4))
    plan, note = solve_unsafe(belief, rules, 1, Budget(1e12, 1000, 100_000), Deadline(0.3))
    assert note.cut_short
    assert 1 <= note.iterations < 100_000
    table = plan.behaviour(TURN).table
    np.testing.assert_allclose(table.sum(axis=1), belief.game.deck.live_hands(public_cards(TURN)))


@pytest.mark.long
def test_any_bet_is_answered_in_time_and_legally(trained_file: Path) -> None:
    """With 24 cards, no illegal action against bets of any size."""
    agent = make_agent(f"libratus:{trained_file}(fast=True)")
    found = cp.match(HUNL_24, [agent, AnyBet()], hands=30, duplicate=True, decision_seconds=60, progress=False)
    assert not any(found.agents[0].forfeits.values()), found.agents[0].first_fault
    assert found.agents[0].decisions > 60


def test_a_lack_of_time_is_logged_once(trained_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    agent = seated(trained_file, 1, seconds=0.01)
    agent.probabilities((*TURN, "b455"))
    assert all(note.cut_short for note in agent.searches)
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warned) == 1
    assert warned[0].startswith("libratus: unsafe search after b300:c:AsKhQd:c:c:9h: ")
    assert warned[0].endswith("cut short by the limit of time")


def test_a_folder_that_was_made_for_another_agent_is_told(trained_file: Path, tmp_path: Path) -> None:
    """Any blueprint will do, but nobody should search with another one by mistake."""
    (tmp_path / "blueprint.cpz").write_bytes(trained_file.read_bytes())
    agent = seated(tmp_path, 1)
    assert agent.remark() == ""
    (tmp_path / "agent.txt").write_text("libratus\n")
    assert agent.remark() == ""
    (tmp_path / "agent.txt").write_text("pluribus\n")
    assert agent.remark().endswith("follows a blueprint that was trained for pluribus")


def test_wrong_tables_are_refused(trained_file: Path) -> None:
    with pytest.raises(cp.InputError, match="blueprint for no_limit_holdem"):
        Libratus(str(trained_file)).sit(cp.load("no_limit_holdem(ranks=6, stack=50)"), 0, Random(0))
    with pytest.raises(cp.InputError, match="seconds"):
        Libratus(str(trained_file), seconds=0)
