"""The agent that chooses from a portfolio: what it estimates, what it remembers, and that it learns."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents import make_agent
from counterpoise.agents.implicit import Implicit
from counterpoise.evaluation.estimators import EnumeratedHands
from counterpoise.exploit import expected_strategy, load_opponent
from counterpoise.exploit.enumerated.hands import _words_to
from counterpoise.exploit.enumerated.portfolio import Member, Portfolio
from counterpoise.play.table import MatchTable
from counterpoise.tree import Strategy, exact

LEDUC = "leduc_poker"


@pytest.fixture(scope="module")
def tree():
    return cp.enumerate_game(LEDUC)


@pytest.fixture(scope="module")
def portfolio(tree):
    """An equilibrium, and best responses to a caller and to a folder, which never do some things at all."""
    safe = exact(LEDUC).strategy
    members = [Member("equilibrium", safe, "rnr(p=0)", (), 0, 0.0, 0.0)]
    for name in ("always-call", "always-fold"):
        found = cp.counter_strategy(LEDUC, name, "best-response", progress=False)
        figures = found.exploitation, found.exploitability
        members.append(Member(name, found.strategy, found.method, (name,), 0, *figures))
    return Portfolio(LEDUC, tuple(members))


def seated(portfolio, seat=0, **settings):
    return Implicit.of(portfolio, **settings).sit(cp.load(LEDUC), seat, Random(0))


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_estimates_are_right_on_average_if_every_member_may_play(tree, portfolio, seat):
    """By enumeration: the mean over all hands, whoever plays them, is what each member wins, but for blocked cards.

    If the member that beats folders plays alone, what the others would win cannot be seen.
    """
    agent, hands = seated(portfolio, seat), EnumeratedHands(tree)
    others = [load_opponent(tree, name).profile for name in ("random", "always-call")]
    villain = expected_strategy(tree, [portfolio.members[0].strategy.probabilities, *others], [0.4, 0.3, 0.3])
    own = slice(*tree.form.first_sequence[seat : seat + 2].tolist())

    def against(member):
        profile = villain.copy()
        profile[own] = member.strategy.probabilities[own]
        return profile

    reach = [hands.reach(hands.steps(against(member)))[hands.ends] for member in portfolio.members]
    payoffs = tree.histories.payoffs[tree.histories.infoset[hands.ends], seat]
    true = np.array([weights @ payoffs for weights in reach])
    shares, mean, alone = np.array([0.6, 0.2, 0.2]), np.zeros(3), np.zeros(3)
    for number, end in enumerate(hands.ends.tolist()):
        history = _words_to(tree, end)
        state = tree.game.initial()
        for step in history:
            state = tree.game.next(state, step)
        seen = tree.game.observation(state, seat)
        for member in range(3):
            if reach[member][number] > 0:
                values, weights = agent.values.estimates(seat, member, seen, payoffs[number])
                mean += shares[member] * reach[member][number] * values / (shares @ weights)
                alone += (member == 2) * reach[2][number] * values
    np.testing.assert_allclose(mean, true, atol=0.05)  # cards that a folded opponent held
    assert np.abs(alone - true).max() > 0.2


def test_it_learns_whom_it_plays(tree, portfolio):
    """Against a caller it ends with the answer to callers; the seats of a room share what they have learned."""
    agent, game, names = Implicit.of(portfolio), cp.load(LEDUC), ("implicit", "villain")
    villain = make_agent("always-call")
    tables = [
        MatchTable(game, [agent, villain], names, seed=3),
        MatchTable(game, [villain, agent], names[::-1], seed=3),
    ]
    records = [tables[hand % 2].play(hand) for hand in range(600)]
    played = [hand.member for hand in agent.memory.hands]
    assert len(played) == 600
    assert played[:100].count("equilibrium") > 80
    assert played[-100:].count("always-call") > 80
    assert [hand.seat for hand in agent.memory.hands[:4]] == [0, 1, 0, 1]
    followed = [record.strategies[hand % 2] for hand, record in enumerate(records)]
    assert [one.partition("@")[0] for one in followed] == [f"strategy(member={name!r})" for name in played]
    assert not any(sum(account.faults.values()) for table in tables for account in table.accounts)


def test_the_member_of_each_hand_is_logged(portfolio, tmp_path: Path):
    """Without it a match cannot be analysed; estimators of a log know each hand's strategy by its id."""
    portfolio.save(tmp_path / "p.cpz")
    log = tmp_path / "hands.jsonl"
    agent = make_agent(f"implicit:{tmp_path / 'p.cpz'}(selection='weights(gamma=0.5)')")
    assert agent.name == f"implicit:{tmp_path / 'p.cpz'}(selection='weights(gamma=0.5)')"
    assert agent.home == "leduc_poker"  # it brings its game along
    one, two = (cp.match(LEDUC, [agent, "probe"], 60, seed=2, log=log, progress=False) for _ in range(2))
    assert one.agents[0].mean == two.agents[0].mean  # a fresh copy for every match
    cp.match(LEDUC, [agent, "probe"], 20, duplicate=True, progress=False)
    assert agent.memory.hands == []  # and for every room
    records = cp.read_log(log).records
    followed = [record.strategies[record.agents.index(agent.name)] for record in records]
    wanted = {f"strategy:{tmp_path / 'p.cpz'}(member={name!r})" for name in portfolio.names}
    assert {one.partition("@")[0] for one in followed} == wanted
    judged = cp.judge(log, progress=False)
    assert {"ac", "aivat"} <= {estimate.name for estimate in judged[agent.name].estimates}
    alone = make_agent(wanted.pop())
    assert make_agent(alone.name) == alone
    with pytest.raises(
        cp.InputError, match=r"member must be one of .*p.cpz, not 'always-cal': did you mean always-call"
    ):
        make_agent(f"strategy:{tmp_path / 'p.cpz'}(member='always-cal')")
    with pytest.raises(cp.InputError, match="learns from hand to hand"):
        cp.match(LEDUC, [agent, "probe"], 10, processes=2, progress=False)


def test_other_estimators_and_rules(portfolio):
    for settings in ({"estimator": "ac+bc-divat"}, {"selection": "ucb(c=1)"}, {"selection": "greedy(window=50)"}):
        found = cp.match(LEDUC, [Implicit.of(portfolio, **settings), "random"], 40, progress=False)
        assert not any(found.agents[0].forfeits.values())


def test_wrong_input(portfolio, tmp_path: Path):
    strategy = Strategy.uniform(cp.enumerate_game("kuhn_poker"))
    strategy.save(tmp_path / "a.cpz")
    for call, sentence in (
        (lambda: make_agent("implicit"), "name the file of a portfolio"),
        (lambda: make_agent(f"implicit:{tmp_path / 'a.cpz'}"), "holds a strategy, not a portfolio"),
        (lambda: Implicit.of(portfolio, selection="best"), "unknown selection rule"),
        (lambda: Implicit.of(portfolio, estimator="money"), "implicit: estimator must be"),
        (lambda: cp.match("kuhn_poker", [Implicit.of(portfolio), "random"], 5), "is for leduc_poker, not for kuhn"),
    ):
        with pytest.raises(cp.InputError, match=sentence):
            call()
