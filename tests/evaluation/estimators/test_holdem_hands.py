"""Hold'em, hand by hand: the same figures as on the enumerated game, and no bias by exact enumeration."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents import make_agent
from counterpoise.evaluation.estimators import estimate, make_judge
from counterpoise.evaluation.estimators.enumerated import steps_at
from counterpoise.evaluation.estimators.enumerated_judge import EnumeratedJudge, corrected
from counterpoise.evaluation.estimators.holdem_aivat import HoldemAivat
from counterpoise.evaluation.estimators.holdem_judge import HoldemJudge
from counterpoise.evaluation.estimators.holdem_line import HoldemLine
from counterpoise.evaluation.estimators.layers import importance_sampled_values
from counterpoise.evaluation.estimators.settings import JudgeSettings
from counterpoise.games.base import TERMINAL
from counterpoise.games.known import Behaviour
from counterpoise.logs.record import HandRecord

from .leduc import Flat, equilibrium, hands_of, uniform

LIMIT = "limit_holdem(ranks=4, suits=2, board=[0, 3], max_bets=[2, 1])"
ALL_IN = 'no_limit_holdem(ranks=4, suits=2, board=[0, 3], stack=3, sizes=["allin"])'
ONE_CARD = "limit_holdem(ranks=7, suits=1, board=[0, 1, 2], max_bets=[1, 1, 0])"
"""One public card and then two, so that luck is counted card by card; betting before the last two."""


RIVER = "holdem_spot(stack=150, sizes={'river': {'bet': ['75%'], 'raise': ['allin']}})"
TURN = (
    "holdem_spot(cards='Ks7d4cJd', oop='AhAd,KhQh:0.5,JsTs', ip='QsQh,KdJh:0.25,Td9d', pot=60, stack=40, "
    "sizes={'turn': {'bet': ['allin']}, 'river': {'bet': ['allin']}})"
)
SMALL_TURN = (
    "holdem_spot(cards='Ks7d4cJd', oop='AhAd,KhQh:0.5', ip='QsQh,Td9d:0.25', pot=60, stack=40, "
    "sizes={'turn': {'bet': ['allin']}, 'river': {'bet': []}})"
)
"""Spots: hands are dealt by weights, and the board is there before they are."""


class Follower:
    """A known player of a game of hold'em that reads a flat profile, asked hand by hand like any agent."""

    def __init__(self, game: str, flat: np.ndarray, seat: int) -> None:
        self.seat = seat
        hands = hands_of(game)
        self.rules, table = hands.tree.game, hands.tree.table
        self.rows: dict[tuple[str, ...], dict[str, tuple[tuple[str, ...], np.ndarray]]] = {}
        for infoset, (public, private) in enumerate(hands.views):
            if table.owner[infoset] == seat:
                start, actions = int(table.start[infoset]), table.actions[infoset]
                self.rows.setdefault(public, {})[private] = actions, flat[start : start + len(actions)]

    def probabilities(self, public):
        rows, names = self.rows[public], self.rules.deck.hand_names
        actions = next(iter(rows.values()))[0]
        table = np.array([rows[name][1] if name in rows else np.zeros(len(actions)) for name in names])
        return Behaviour(names, actions, table)


@cache
def histories(game: str) -> list[tuple[str, ...]]:
    """Return every way to play a game, in the order of `ends`."""
    hands = hands_of(game)
    found = {}
    stack = [(0, hands.tree.game.initial(), ())]
    while stack:
        node, state, line = stack.pop()
        if hands.tree.histories.player[node] == TERMINAL:
            found[node] = line
        first = int(hands.tree.histories.first_child[node])
        for k, step in enumerate(steps_at(hands.tree.game, state)):
            stack.append((first + k, hands.tree.game.next(state, step), (*line, step)))
    return [found[node] for node in hands.ends.tolist()]


def record_of(game: str, row: int) -> HandRecord:
    hands = hands_of(game)
    payoffs = hands.tree.histories.payoffs[hands.tree.histories.infoset[hands.ends[row]]]
    return HandRecord(row, 0, ("a", "b"), histories(game)[row], tuple(payoffs.tolist()))


def sharp(game: str) -> np.ndarray:
    """A strategy of full support that goes by the cards."""
    return 0.7 * equilibrium(game, 30) + 0.3 * uniform(game)


@pytest.mark.slow
@pytest.mark.parametrize("game", [LIMIT, ALL_IN, ONE_CARD, RIVER, TURN])
@pytest.mark.parametrize("partial", [False, True])
def test_the_same_as_on_the_enumerated_game(game, partial):
    hands, random = hands_of(game), np.random.default_rng(1)
    surrogates = ("money", "bc-divat") if game in (LIMIT, ONE_CARD) else ("money",)
    settings = JudgeSettings(surrogates=surrogates, partial=partial)
    enumerated, one_by_one = EnumeratedJudge(hands, settings), HoldemJudge(hands.tree.game, settings)
    for seat in (0, 1):
        flat, other = sharp(game), uniform(game)
        players = [None, None]
        for evaluated in (None, other):
            players[seat] = Flat(flat)
            tables = enumerated.tables(seat, players, None if evaluated is None else Flat(evaluated))
            players[seat] = Follower(game, flat, seat)
            asked = None if evaluated is None else Follower(game, evaluated, seat)
            for row in random.choice(len(hands.ends), 10, replace=False).tolist():
                found = {part.name: part for part in one_by_one.hand(record_of(game, row), seat, players, asked)}
                assert set(found) == {table.name for table in tables} | ({"all-in"} & set(found))
                for table in tables:
                    if table.name != "aivat":
                        assert found[table.name].values[0] == pytest.approx(table.values[row], abs=1e-9)
                        if table.weights is not None:
                            assert found[table.name].weights[0] == pytest.approx(table.weights[row], abs=1e-12)
                        assert found[table.name].biased == table.biased


@pytest.mark.long
def test_spots_are_judged_without_bias():
    """Hands of a spot have weights; AIVAT and DIVAT by exact enumeration of a turn."""
    game, hands = SMALL_TURN, hands_of(SMALL_TURN)
    flat = sharp(game)
    chance = hands.reach(hands.steps(flat))[hands.ends]
    truth = hands.values(flat)[0, 0]
    players = [Follower(game, flat, seat) for seat in (0, 1)]
    judge = HoldemJudge(hands.tree.game, JudgeSettings())
    found = [judge.hand(record_of(game, row), 0, players) for row in range(len(hands.ends))]
    for place, part in enumerate(found[0]):
        values = np.array([parts[place].values[0] for parts in found])
        assert chance @ values == pytest.approx(truth, abs=1e-9), part.name


def test_zero_guess_is_all_cards():
    hands = hands_of(LIMIT)
    players = [Follower(LIMIT, sharp(LIMIT), 0), None]
    tables = {t.name: t for t in EnumeratedJudge(hands, JudgeSettings()).tables(0, [Flat(sharp(LIMIT)), None])}
    aivat = HoldemAivat(hands.tree.game, "zero")
    for row in np.random.default_rng(2).choice(len(hands.ends), 20).tolist():
        line = HoldemLine.read(hands.tree.game, record_of(LIMIT, row))
        assert aivat._seat(line, 0, players) == pytest.approx(tables["ac"].values[row], abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("known", [(0,), (0, 1)])
def test_aivat_by_equity_is_unbiased_over_all_hands(known):
    """AIVAT by exact enumeration: every hand with its probability, whoever is known."""
    game, hands = ONE_CARD, hands_of(ONE_CARD)
    flat = sharp(game)
    chance = hands.reach(hands.steps(flat))[hands.ends]
    truth = hands.values(flat)[0, 0]
    players = [Follower(game, flat, seat) if seat in known else None for seat in (0, 1)]
    aivat = HoldemAivat(hands.tree.game)
    won = np.array([aivat.hand(record_of(game, row), players) for row in range(len(hands.ends))])
    np.testing.assert_allclose(won.sum(axis=1), 0, atol=1e-9)
    assert chance @ won[:, 0] == pytest.approx(truth, abs=1e-9)
    money = np.array([record_of(game, row).payoffs[0] for row in range(len(hands.ends))])
    spread, before = (np.sqrt(chance @ (values - truth) ** 2) for values in (won[:, 0], money))
    assert spread < before


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bc-divat", "divat"])
def test_luck_has_mean_0_over_all_hands(kind):
    """DIVAT and BC-DIVAT in hold'em by exact enumeration: unbiased and zero-sum; less variance is not promised in such
    a game.
    """
    game, hands = ONE_CARD, hands_of(ONE_CARD)
    flat = sharp(game)
    chance = hands.reach(hands.steps(flat))[hands.ends]
    judge = HoldemJudge(hands.tree.game, JudgeSettings(surrogates=("money", kind)))
    records = [record_of(game, row) for row in range(len(hands.ends))]
    by_seat = [
        np.array([[part.values[0] for part in judge.hand(record, seat, [None, None])[:2]] for record in records])
        for seat in (0, 1)
    ]
    np.testing.assert_allclose(by_seat[0], -by_seat[1], atol=1e-9)
    money, luckless = by_seat[0].T
    assert np.ptp(money - luckless) > 1
    assert chance @ luckless == pytest.approx(hands.values(flat)[0, 0], abs=1e-9)


def test_run_outs_count_with_their_probability():
    """After an all-in call chance deals the public cards, and its probability belongs into the weight."""
    hands = hands_of(ALL_IN)
    flat = sharp(ALL_IN)
    chance = hands.reach(hands.steps(flat))[hands.ends]
    tables = {
        t.name: t for t in EnumeratedJudge(hands, JudgeSettings(surrogates=("money",))).tables(0, [Flat(flat), None])
    }
    truth = hands.values(flat)[0, 0]
    assert hands.only_chance[hands.tree.histories.player == -1].any()
    for name in ("ge", "ac+ge", "all-in"):
        assert chance @ tables[name].values == pytest.approx(truth, abs=1e-10)
    # every run-out with weight 1, as the printed formula has it
    values = np.stack([np.ones(hands.tree.nodes), hands.worth(0)], axis=1)
    layers = hands.layers(flat, [0], values, imagined=(), closing=0)
    run_outs = np.zeros(hands.tree.nodes)
    run_outs[hands.ends] = 1
    for level in reversed(hands.levels[1:]):
        np.add.at(run_outs, hands.tree.histories.parent[level], run_outs[level])
    printed = []
    for layer, level in zip(layers, hands.levels, strict=True):
        often = np.where(layer.closes > 0, run_outs[level], 1.0)
        printed.append(layer._replace(values=layer.values * often[:, None]))
    right, wrong = (importance_sampled_values(one) for one in (layers, printed))
    mean = [chance @ (ends.folds + ends.closings + ends.unclosed)[:, 1] for ends in (right, wrong)]
    assert mean[0] == pytest.approx(truth, abs=1e-10)
    assert abs(mean[1] - truth) > 1e-3


def test_corrected_agrees_with_the_table():
    """The two forms of AIVAT meet where one seat is known and the guess is 0."""
    hands = hands_of(LIMIT)
    flat = sharp(LIMIT)
    won = corrected(hands, flat, [0], np.zeros((hands.tree.nodes, 2)))
    tables = {t.name: t for t in EnumeratedJudge(hands, JudgeSettings()).tables(0, [Flat(flat), None])}
    np.testing.assert_allclose(won[:, 0], tables["ac"].values, atol=1e-10)


@pytest.mark.slow
def test_whole_holdem():
    found = cp.match("limit_holdem", ["probe", "always-call"], 30, duplicate=True, aivat=True, progress=False)
    first, second = found.agents
    assert first.aivat_mean == pytest.approx(-second.aivat_mean)
    assert first.aivat_deviation < first.deviation


@pytest.mark.long
def test_three_seats_without_bias(tmp_path):
    """Paired with money on the same hands: means within 4 standard errors, for known and unknown seats."""
    game, names = "limit_holdem(seats=3)", ["probe", "random", "always-call"]
    log = tmp_path / "hands.jsonl"
    cp.match(game, names, 60, seed=8, log=log, progress=False)
    records = cp.read_log(log).records
    rules = cp.load(game)
    known = {name: [make_agent(name).sit(rules, seat, Random(0)) for seat in range(3)] for name in names[:2]}
    judge = make_judge(rules)
    found = {name: estimate(game, records, name, known=known, judge=judge) for name in names}
    total = sum(own.series["aivat"].values.sum() for own in found.values())
    assert total == pytest.approx(0, abs=1e-6)
    for name, own in found.items():
        assert own["aivat"].sd < own["money"].sd
        for other in set(own.series) - {"money"}:
            paired = own.series[other].minus(own.series["money"]).estimate()
            assert abs(paired.mean) <= 4 * paired.sd / np.sqrt(paired.n), (name, other)


def test_partial_records(tmp_path):
    """Hands that were not seen: after folds they are not needed, at a showdown money stands in."""
    game, names = "limit_holdem", ["probe", "random"]
    log = tmp_path / "hands.jsonl"
    cp.match(game, names, 40, seed=8, log=log, progress=False)
    records = cp.read_log(log).records
    rules = cp.load(game)
    known = {"probe": [make_agent("probe").sit(rules, seat, Random(0)) for seat in range(2)]}
    whole = estimate(game, records, "probe", known=known, settings=JudgeSettings(partial=True))
    blind = []
    for record in records:
        seat = record.agents.index("random")
        folded = "f" in record.history
        history = tuple("" if folded and place == seat else step for place, step in enumerate(record.history))
        blind.append(record._replace(history=history))
    found = estimate(game, blind, "probe", known=known)
    assert (
        set(found.series)
        == set(whole.series)
        == {"money", "divat", "bc-divat", "ac", "ac+divat", "ac+bc-divat", "ef", "ef-text"}
    )
    for name in found.series:
        np.testing.assert_allclose(found.series[name].values, whole.series[name].values)
        assert found.series[name].biased == (name not in ("money", "ac", "ef"))
    showdown = next(record for record in records if "f" not in record.history)
    seat = showdown.agents.index("random")
    mucked = showdown._replace(history=tuple("" if k == seat else step for k, step in enumerate(showdown.history)))
    alone = estimate(game, [mucked], "probe", known=known)
    assert alone.series["ac"].values[0] == showdown.payoffs[1 - seat]
    assert alone.series["ac"].biased


@pytest.mark.slow
def test_folded_cards_of_three_seats_bias_all_cards(tmp_path):
    """At a showdown the cards of a third who folded are not seen, so that "all cards" is marked; own folds are not."""
    game, names = "limit_holdem(seats=3)", ["probe", "random", "always-call"]
    log = tmp_path / "hands.jsonl"
    cp.match(game, names, 40, seed=8, log=log, progress=False)
    rules = cp.load(game)
    known = {"probe": [make_agent("probe").sit(rules, seat, Random(0)) for seat in range(3)]}
    records = cp.read_log(log).records
    shown = [one for one in records if "f" not in one.history]
    folded = [one for one in records if one.history.count("f") == 1]
    assert shown
    assert folded
    partial = JudgeSettings(partial=True, surrogates=("money",))
    for some, biased in ((shown[:2], False), (folded[:2], True)):
        found = estimate(game, some, "probe", known=known, settings=partial)
        assert (found.series["ac"].biased, found.series["ef"].biased) == (biased, False)
