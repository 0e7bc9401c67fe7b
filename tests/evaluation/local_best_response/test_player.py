"""Local best response: utilities by hand, exact values in small decks, action sets."""

from random import Random

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents import StrategyAgent
from counterpoise.cards import Deck, parse_cards, parse_hand
from counterpoise.errors import InputError
from counterpoise.evaluation.local_best_response.actions import DOUBLED, PLANS, read_actions
from counterpoise.evaluation.local_best_response.player import LocalBestResponse
from counterpoise.evaluation.local_best_response.run_outs import win_shares
from counterpoise.games.known import Behaviour, possible_observations

SMALL = "limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=2)"


class Tight:
    """Folds everything but aces to a bet, and checks and calls otherwise."""

    def __init__(self, game, seat):
        self.game, self.seat = game, seat

    def probabilities(self, public):
        seen = possible_observations(self.game, self.seat, public)
        rows = [[0.0, 0.0] if at is None else self._row(at) for at in seen.values()]
        return Behaviour(tuple(seen), ("f", "c"), np.array(rows))

    def _row(self, at):
        folds = "f" in at.actions and "A" not in at.private
        return [float(folds), float(not folds)]


def test_utilities_by_hand():
    """The formula of Lisy and Bowling 2017 on a river: pot 4 chips, a bet of the pot, an opponent who folds all hands
    without an ace.
    """
    game = cp.load("no_limit_holdem(blinds=[1, 2], stack=100)")
    response = LocalBestResponse(game, Tight(game, 0), "f,c,100%")
    public = ("c", "c", "KsQh7d", "c", "c", "2c", "c", "c", "3h", "c")
    hand = response.hand_number("KdKh")
    found = response.utilities(public, hand)
    deck, dead = Deck(), {"Ks", "Qh", "7d", "2c", "3h", "Kd", "Kh"}
    others = [name for name in deck.hand_names if not dead & {name[:2], name[2:]}]
    aces = [name for name in others if "A" in name]
    # Three kings lose to no hand: nothing on this board makes a straight or a flush.
    fold = 1 - len(aces) / len(others)
    assert found == {"c": pytest.approx(4), "b6": pytest.approx(fold * 4 + (1 - fold) * 8)}
    assert response.choose(public, hand) == "b6"
    worst = response.hand_number("4s5s")  # plays the board's cards and loses to every ace
    met = [name for name in [*others, "KdKh"] if not {"4s", "5s"} & {name[:2], name[2:]}]
    bluff = response.utilities(public, worst)
    assert 0 < bluff["c"] < 0.1 * 4 < bluff["b6"] < 4
    assert len(met) < 1326


def test_fold_call_and_range_by_hand():
    """Facing a bet that only strong hands make, it folds what wins too rarely: U(call) = w P - (1 - w) c."""
    game = cp.load("no_limit_holdem(blinds=[1, 2], stack=100)")

    class Honest(Tight):
        def probabilities(self, public):
            seen = possible_observations(self.game, self.seat, public)
            if len(public) < 10:
                return Behaviour(tuple(seen), ("c",), np.array([[float(at is not None)] for at in seen.values()]))
            aces = [at is not None and "A" in at.private for at in seen.values()]
            rows = [
                [float(ace), float(at is not None and not ace)] for ace, at in zip(aces, seen.values(), strict=True)
            ]
            return Behaviour(tuple(seen), ("b4", "c"), np.array(rows))

    response = LocalBestResponse(game, Honest(game, 1), "f,c")
    public = ("c", "c", "KsQh7d", "c", "c", "2c", "c", "c", "3h", "c", "b4")
    hand = response.hand_number("KdTh")
    weights = response.situation(public).weights
    names = np.array(response.deck.hand_names)
    assert all("A" in name for name in names[weights > 0])
    utilities = response.utilities(public, hand)
    # An ace and a card besides: a pair of kings loses to two aces, and to a pair with it only if that is of kings.
    met = [name for name in names[weights > 0] if not {"Kd", "Th"} & {name[:2], name[2:]}]
    lost = [name for name in met if name[0] == name[2] == "A" or "K" in name]
    win = 1 - len(lost) / len(met)
    assert utilities == {"f": 0.0, "c": pytest.approx(win * 6 - (1 - win) * 2)}
    assert response.choose(public, response.hand_number("4s5s")) == "f"


def test_win_shares_by_enumeration():
    """Against phevaluator: ace-king on a flop wins from each hand as often as all turns and rivers say."""
    from itertools import combinations

    from phevaluator import evaluate_cards

    deck = Deck()
    board = tuple(parse_cards("Qs Jh 2d"))
    shares = win_shares(deck, parse_hand("AhKd"), board, 2, drawn=1)
    for met in ("QhQd", "9c8c", "AcKs"):
        dead = {"Ah", "Kd", "Qs", "Jh", "2d", met[:2], met[2:]}
        left = [rank + suit for rank in "23456789TJQKA" for suit in "shdc" if rank + suit not in dead]
        won = 0.0
        for turn, river in combinations(left, 2):
            own = evaluate_cards("Ah", "Kd", "Qs", "Jh", "2d", turn, river)
            other = evaluate_cards(met[:2], met[2:], "Qs", "Jh", "2d", turn, river)
            won += (own < other) + 0.5 * (own == other)
        assert shares[parse_hand(met)] == pytest.approx(won / 990, abs=1e-12)
    assert shares[parse_hand("AhQd")] == 0
    before = win_shares(deck, parse_hand("AhKd"), (), 5, drawn=1)
    assert before[parse_hand("QsQc")] == pytest.approx(0.43, abs=0.01)
    short = Deck(ranks=9, ranking="short")  # too many boards to count them all
    hand, met = (parse_hand(cards, short) for cards in ("AhKd", "QsQc"))
    drawn = win_shares(short, hand, (), 5, drawn=4000, seed=3)
    assert drawn[met] + win_shares(short, met, (), 5, drawn=4000, seed=3)[hand] == pytest.approx(1, abs=0.04)
    assert (drawn == win_shares(short, hand, (), 5, drawn=4000, seed=3)).all()


@pytest.fixture(scope="module")
def small():
    game = cp.load(SMALL)
    tree = cp.enumerate_game(game)
    solved = cp.solve(game, "cfr+", iterations=30, progress=False).strategy
    draws = np.random.default_rng(5)
    noise = cp.Strategy.from_mapping(
        tree, {key: dict(zip(row, draws.dirichlet([0.6] * len(row)), strict=True)) for key, row in solved.items()}
    )
    return game, tree, {"solved": solved, "noise": noise, "uniform": cp.Strategy.uniform(tree)}


def exact_value(game, tree, strategy, actions="pot"):
    """Return the exact value of the local best response against a strategy, mean of both seats, by its whole table."""
    values = []
    for seat in (0, 1):
        player = StrategyAgent.of(strategy).sit(game, 1 - seat, Random(0))
        response = LocalBestResponse(game, player, actions)
        joined = dict(strategy)
        for own, infoset in strategy.table:
            if own == seat:
                hand, *public = infoset.split(":")
                chosen = response.choose(tuple(filter(None, public)), response.hand_number(hand))
                joined[infoset] = {action: float(action == chosen) for action in strategy[infoset]}
        values.append(cp.expected_value(game, cp.Strategy.from_mapping(tree, joined))[seat])
    return sum(values) / 2


@pytest.mark.long
@pytest.mark.parametrize("name", ["solved", "noise", "uniform"])
def test_never_above_exploitability(small, name):
    """The exact value of a local best response is at most the exploitability, and more actions may win more."""
    game, tree, strategies = small
    strategy = strategies[name]
    value = exact_value(game, tree, strategy)
    exploitability = cp.exploitability(game, strategy)
    assert value <= exploitability + 1e-9
    if name != "solved":
        assert value > 0.3 * exploitability
        assert exact_value(game, tree, strategy, "call") < value


@pytest.mark.slow
def test_exact_best_response_to_always_call():
    """Against one who only calls, and with no blind to give up, every bet is worth b (2w - 1), now and later.

    So looking one action ahead is enough, and the local best response is a best response.
    """
    game = cp.load("limit_holdem(board=[0, 3], ranks=7, suits=1, max_bets=2, blinds=[0, 0], ante=1, bets=[2, 4])")
    tree = cp.enumerate_game(game)
    strategy = cp.Strategy(tree.name, tree.table, cp.make_agent("always-call").tabulate(tree))
    assert exact_value(game, tree, strategy) == pytest.approx(cp.exploitability(game, strategy), abs=1e-12)


@pytest.mark.long
def test_simulated_value_is_the_exact_one(small):
    """Played hands have the exact value as their mean: estimate, money and mean over hands."""
    from counterpoise.evaluation import local_best_response

    game, tree, strategies = small
    exact = 500 * exact_value(game, tree, strategies["noise"])  # mbb: the big blind is 2 chips
    found = local_best_response(game, strategies["noise"], 3000, actions="pot", seed=2, progress=False)
    assert found.unit == "mbb"
    assert abs(found.mean - exact) <= 2 * found.ci95
    assert abs(found.money - exact) <= 2 * found.money_ci95
    assert abs(found.all_cards - exact) <= 2 * found.all_cards_ci95
    assert found.mean == pytest.approx(sum(found.seats) / 2)


def test_plans():
    """Plans of the sources, texts of users and their refusals."""
    first = read_actions("lbr-1")
    assert first.first is not None
    assert not first.first.call
    assert first.first.fold
    assert len(first.first.sizes) == 1
    assert first.allowed(0, True) == first.allowed(3, True) == (True, True, ())
    second = read_actions("lbr-2")
    assert not second.first.fold
    assert second.allowed(0, True) == (False, True, ())
    assert len(second.allowed(1, True).sizes) == len(DOUBLED) == 11
    assert not second.allowed(2, True).sizes
    assert DOUBLED[0] == "33%"
    assert DOUBLED[-1] == "33792%"
    third = read_actions("rebel")
    assert third.allowed(1, True) == (False, True, ())
    assert len(third.allowed(3, True).sizes) == 2
    for name in PLANS:
        assert read_actions(name).rounds
    with pytest.raises(InputError, match="must list at least one action for every round"):
        read_actions("f,c / ")
    with pytest.raises(InputError, match="'x' is not a bet size"):
        read_actions("f,x")


def test_plans_bind_it():
    """LBR-1 opens by folding or three quarters of the pot; then it only folds or calls."""
    game = cp.load("no_limit_holdem")
    player = cp.make_agent("always-call").sit(game, 0, Random(0))
    response = LocalBestResponse(game, player, "lbr-1", run_outs=50)
    hand = response.hand_number("AsAh")
    opening = response.utilities((), hand)
    assert set(opening) == {"f", "b250"}
    assert response.choose((), hand) == "b250"
    later = ("b250", "c", "KsQh7d", "c")
    assert set(response.utilities(later, hand)) == {"c"}
    assert response.choose((), response.hand_number("7s2h")) in ("f", "b250")


def test_games_it_does_not_play():
    """Other games, more seats and rake are refused by one sentence."""
    for game, sentence in (
        ("leduc_poker", "plays whole hands of hold'em, not leduc_poker"),
        ("limit_holdem(seats=3)", "for two, not for 3"),
        ("limit_holdem(rake=5)", "without rake"),
    ):
        with pytest.raises(InputError, match=sentence):
            LocalBestResponse(cp.load(game), Tight(None, 0))
