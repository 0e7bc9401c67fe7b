"""A solved spot at the table: exact values of its agent, matches within their intervals, translation, refusals."""

import io

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents import make_agent
from counterpoise.agents.base import KnownAgent
from counterpoise.games import load
from counterpoise.play.chance import HandRandom
from counterpoise.play.session import play_session
from counterpoise.spots import Spot
from counterpoise.spots.table.agent import SpotAgent
from counterpoise.tree import Strategy, enumerate_game, evaluate

RIVER = Spot(
    board="Ks 7d 4c Jd 2s",
    pot=100,
    stack=300,
    oop="AA,KQs,JTs,98s,T9s",
    ip="QQ,KJs,T9s,AKo,77:0.5",
    river={"bet": ["75%"], "raise": ["allin"]},
)


@pytest.fixture(scope="module")
def river():
    return cp.solve_spot(RIVER, iterations=200, progress=False)


@pytest.fixture(scope="module")
def saved(river, tmp_path_factory):
    file = tmp_path_factory.mktemp("spot") / "river.cpz"
    river.save(file)
    return file


def tabulated(tree, seats):
    """The strategies of seated agents in an enumerated game, by the rules' own information sets."""
    found = Strategy.uniform(tree)
    for number, (owner, text) in enumerate(zip(tree.table.owner, tree.table.labels, strict=True)):
        hand, *public = text.split(":")
        start, actions = int(tree.table.start[number]), tree.table.actions[number]
        seen = cp.Observation(int(owner), tuple(public), hand, tuple(actions), text)
        mixed = seats[int(owner)].mixed(seen)
        found.probabilities[start : start + len(actions)] = [mixed.get(action, 0.0) for action in actions]
    return found


def seated(source, game, seat):
    return make_agent(source).sit(game, seat, HandRandom())


def test_the_enumerated_game_says_what_the_solution_says(river):
    """The rules of the spot, walked history by history, give the agent the solution's value and exploitability."""
    tree = enumerate_game(river.as_agent().rules)
    values = evaluate(tree, tabulated(tree, [seated(river, tree.game, seat) for seat in range(2)]).probabilities)
    assert values.expected[0] == pytest.approx(river.ev["oop"] - RIVER.pot / 2, abs=1e-3)
    assert values.expected[1] == pytest.approx(river.ev["ip"] - RIVER.pot / 2, abs=1e-3)
    assert 100 * values.exploitability / RIVER.pot == pytest.approx(river.exploitability_pct, abs=1e-3)


@pytest.mark.slow
def test_a_match_wins_what_the_solution_says(saved, river, tmp_path):
    """A long match of the solution against itself: each seat within four standard errors of its value."""
    found = cp.match(load(str(saved)), [f"spot:{saved}"] * 2, hands=6_000, seed=1, log=tmp_path / "m.jsonl")
    assert found.unit == "chips"
    assert not any(sum(agent.forfeits.values()) for agent in found.agents)
    won = np.array([record.payoffs for record in cp.read_log(tmp_path / "m.jsonl").records])
    error = won.std(axis=0) / np.sqrt(len(won))
    expected = np.array([river.ev["oop"], river.ev["ip"]]) - RIVER.pot / 2
    assert (np.abs(won.mean(axis=0) - expected) < 4 * error).all()
    assert won.sum() == pytest.approx(0)


def test_duplicate_seats_everybody_on_both_sides(saved):
    """A spot is asymmetric: in the two rooms of a deal each agent has each range once, so equal pure players tie."""
    found = cp.match(load(str(saved)), ["always-call", "always-call"], hands=50, duplicate=True, progress=False)
    assert [agent.mean for agent in found.agents] == [0, 0]
    assert found.rooms == 2
    better = cp.match(load(str(saved)), [f"spot:{saved}", "random"], hands=1500, duplicate=True, progress=False)
    assert better.agents[0].mean > better.agents[0].ci95


def test_probabilities_are_those_of_every_hand(river):
    agent = seated(river, river.as_agent().rules, 1)
    public = ("Ks7d4cJd2s", "b75")
    behaviour, slow = agent.probabilities(public), KnownAgent.probabilities(agent, public)
    assert behaviour.hands == slow.hands == agent.game.deck.hand_names
    assert behaviour.actions == slow.actions == ("f", "c", "b300")
    np.testing.assert_allclose(behaviour.table, slow.table, atol=1e-12)
    held = agent.game.possible_hands(1, [])
    np.testing.assert_allclose(behaviour.table.sum(axis=1), held, atol=1e-9)
    node = river.node("r:0:b75")
    assert behaviour.table[behaviour.hands.index("QcQd"), 1] == pytest.approx(node.strategy("QcQd")["c"], abs=1e-6)


def test_a_bet_that_the_tree_lacks_is_translated(river):
    """Pseudo-harmonic: 50 into 100 is a check with probability (0.75 - 0.5) / (0.75 x 1.5), else a bet of 75."""
    game = river.as_agent().rules
    agent = seated(river, game, 1)
    hand = "Tc9c"
    start = game.next(game.next(game.initial(), "9h8h"), hand)
    seen = game.observation(game.next(start, "b50"), 1)
    as_check = (0.75 - 0.5) / (0.75 * 1.5)
    known = agent.mixed(game.observation(game.next(start, "b75"), 1))
    assert known["f"] > 0.1
    mixed = agent.mixed(seen)
    assert mixed["f"] == pytest.approx((1 - as_check) * known["f"], abs=1e-9)
    assert sum(mixed.values()) == pytest.approx(1)
    nearest = SpotAgent.of(river, translation="nearest").sit(game, 1, HandRandom())
    assert nearest.mixed(seen)["f"] == pytest.approx(known["f"], abs=1e-9)
    assert agent.probabilities(seen.public).table.sum(axis=1).max() == pytest.approx(1)


def test_processes_and_names(saved):
    game = load(str(saved))
    one, two = (
        cp.match(game, [f"spot:{saved}(translation=nearest)", "probe"], hands=200, processes=n, progress=False)
        for n in (1, 2)
    )
    assert [agent.mean for agent in one.agents] == [agent.mean for agent in two.agents]
    assert one.agents[0].name == f"spot:{saved}(translation='nearest')"
    assert make_agent(one.agents[0].name).translation == "nearest"


def test_without_rivers_they_are_solved_when_they_come(tmp_path):
    spot = Spot(
        board="Ks 7d 4c Jd",
        pot=60,
        stack=90,
        oop="AA,KQs",
        ip="QQ,JTs,T9s",
        turn={"bet": ["50%"]},
        river={"bet": ["allin"]},
    )
    cp.solve_spot(spot, iterations=60, progress=False).save(tmp_path / "turn.cpz", river=False)
    game = load(str(tmp_path / "turn.cpz"))
    found = cp.match(game, [f"spot:{tmp_path / 'turn.cpz'}", "probe"], hands=60, duplicate=True, progress=False)
    assert not any(sum(agent.forfeits.values()) for agent in found.agents)


def test_other_games_are_refused(saved):
    with pytest.raises(cp.InputError, match=r"is for the spot holdem_spot\(.*not for leduc_poker"):
        cp.match("leduc_poker", [f"spot:{saved}", "random"], hands=1)
    with pytest.raises(cp.InputError, match="not for holdem_spot"):
        cp.match("holdem_spot", [f"spot:{saved}", "random"], hands=1)
    with pytest.raises(cp.InputError, match="name its file after a colon"):
        make_agent("spot")
    with pytest.raises(cp.InputError, match="translation must be"):
        make_agent(f"spot:{saved}(translation=best)")
    with pytest.raises(cp.InputError, match="whole hands of hold'em"):
        cp.match(load(str(saved)), ["random", "random"], hands=1, log="m.phhs")


def test_a_person_reads_board_pot_and_ranges(river):
    out = io.StringIO()
    play_session(river.as_agent().rules, [river], hands=2, seed=3, source=io.StringIO("c\nc\nc\nc\n"), out=out)
    told = out.getvalue()
    assert "river Ks 7d 4c Jd 2s" in told
    assert "preflop" not in told
    assert "you are out of position" in told
    assert "you are in position" in told
    assert "AA,KQs,JTs,98s,T9s" in told


def test_aivat_leaves_no_luck_in_a_river(saved, river):
    """With both strategies known and the game enumerated, AIVAT is the exact value of the match in every deal."""
    game = load(str(saved))
    found = cp.match(game, [f"spot:{saved}", "always-call"], hands=40, duplicate=True, aivat=True, progress=False)
    tree = enumerate_game(game)
    agents = [[seated(one, game, seat) for seat in range(2)] for one in (river, "always-call")]
    first, second = (
        evaluate(tree, tabulated(tree, [agents[0][0], agents[1][1]]).probabilities).expected[0],
        evaluate(tree, tabulated(tree, [agents[1][0], agents[0][1]]).probabilities).expected[1],
    )
    assert found.agents[0].aivat_mean == pytest.approx((first + second) / 2, abs=1e-4)
    assert found.agents[0].aivat_deviation < 1e-4


def test_a_bet_outside_the_menu_ends_no_match(saved, tmp_path):
    """Such a hand has no AIVAT in an enumerated game, so the match has none; it is played and logged all the same."""
    log = tmp_path / "m.jsonl"
    found = cp.match(load(str(saved)), [Overbettor(), "always-call"], hands=4, aivat=True, log=log, progress=False)
    assert found.hands == 4
    assert found.agents[0].aivat_mean is None
    assert len(cp.read_log(log).records) == 4


class Overbettor(cp.Agent):
    """Bets 110 chips, which is legal and not in the menu."""

    def act(self, observation):
        betting = self.game.betting_after(observation.public)
        return "b110" if not betting.to_call and betting.max_raise else "c"
