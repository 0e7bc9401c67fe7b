"""The public-tree engine against dense matrices, and the bounds that benchmark spots must keep."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from counterpoise.betting.rules import Betting, Rake
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Range, parse_cards, strengths
from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.public import Cut, HandLock, HoldemRules, Profile, UpdateSchedule, build_holdem

from .helpers import Played, dcfr

OOP = (
    "TT-22,AJs-A2s,KQs-K2s,QJs-Q4s,JTs-J6s,T9s-T6s,98s-95s,87s-85s,76s-74s,65s-63s,54s-53s,43s,AJo-A4o:0.9,KQo-KTo,"
    "QJo-QTo,JTo-J9o,T9o-T8o:0.75,98o:0.5"
)
IP = (
    "AA-22,AKs-A2s,KQs-K2s,QJs-Q3s,JTs-J5s,T9s-T6s,98s-95s,87s-85s,76s-74s,65s-64s,54s-53s,43s,AKo-A2o,KQo-K7o,"
    "QJo-Q9o,JTo-J8o,T9o-T8o,98o,87o:0.5"
)
RIVER = {"river": {"bet": ["33%", "75%", "150%", "allin"], "raise": ["60%", "allin"]}}
TURN = {
    "turn": {"bet": ["50%", "120%"], "raise": ["60%"]},
    "river": {"bet": ["40%", "100%", "allin"], "raise": ["60%", "allin"]},
}


def rules(board, oop, ip, pot, stack, tables, **keywords):
    cards = tuple(parse_cards(board))
    first = len(cards) - 2
    rake = {"rake": keywords.pop("rake")} if "rake" in keywords else {}
    ranges = Range.from_string(oop), Range.from_string(ip)
    betting = Betting.spot(pot, stack, first_round=first, **rake)
    return HoldemRules(cards, ranges, betting, BetSizes.read(tables, first), **keywords)


@cache
def small(number):
    return build_holdem(rules(*SMALL[number]))


@cache
def symmetric(isomorphism=True):
    return build_holdem(rules(*SYMMETRIC, isomorphism=isomorphism))


@cache
def large_river():
    return build_holdem(rules("Ks 7d 4c Jd 2s", OOP, IP, 240, 880, RIVER))


def discounted(iterations, weighted=False):
    """DCFR as the figures of other solvers were measured: resets of the average at powers of four."""
    t = np.arange(iterations, dtype=np.float64)
    base = np.maximum(t - 1, 0) ** 1.5
    power = np.array([0 if x < 1 else 4 ** int(np.log(x + 1e-9) / np.log(4)) for x in t])
    keep = ((t - power) / (t - power + 1)) ** 3
    rows = (base / (base + 1), np.full(iterations, 0.5), keep)
    return UpdateSchedule(*(row.astype(np.float32) for row in rows), weighted)


class Dense:
    """The same spot in float64 with one matrix per showdown: nothing in common but betting and hand strength."""

    def __init__(self, game):
        self.betting, self.sizes, self.board = game.betting, game.sizes, game.rules.board
        self.hands = game.hands
        self.weights = game.weights
        first, second = (hands.astype(int) for hands in self.hands)
        self.apart = (first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3)).astype(float)
        self.regrets, self.average, self.known = {}, {}, {}
        self.alive, self.meet = cache(self._alive), cache(self._meet)
        self.cards = [card for card in range(52) if card not in self.board]

    def _alive(self, player, board):
        return ~np.isin(self.hands[player], board).any(axis=1)

    def _meet(self, player, board):
        """Which hands of a player can meet which of the other's."""
        meet = self.apart * np.outer(self.alive(0, board), self.alive(1, board))
        return meet if player == 0 else meet.T

    def matrices(self, board):
        """Sign of the showdown for all pairs of hands on a full board."""
        strength = [strengths(board, hands).astype(int) for hands in self.hands]
        return np.sign(strength[0][:, None] - strength[1][None, :]) * self.meet(0, board)

    def showdown(self, board):
        if board not in self.known:
            self.known[board] = self._showdown(board)
        return self.known[board]

    def _showdown(self, board):
        if len(board) == 5:
            return self.matrices(board)
        return sum(self.showdown((*board, card)) for card in self.cards if card not in board) / (52 - len(board) - 4)

    def strategy(self, table, key, actions, count):
        rows = np.maximum(table.setdefault(key, np.zeros((actions, count))), 0)
        total = rows.sum(axis=0)
        return np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / actions)

    def walk(self, state, key, board, player, reach, own, mode, factors=(1, 1, 1, False)):
        half = self.betting.pot / 2
        if state.to_act == TERMINAL:
            meet = self.meet(player, board)
            if len(state.live) == 1:
                return (self.betting.payoffs(state)[player] - half) * (meet @ reach)
            sign = self.showdown(board) * (1 if player == 0 else -1)
            sign = sign if player == 0 else sign.T
            win = self.betting.payoffs(state, (1, 0) if player == 0 else (0, 1))[player] - half
            lose = self.betting.payoffs(state, (0, 1) if player == 0 else (1, 0))[player] - half
            tie = self.betting.payoffs(state, (0, 0))[player] - half
            return (win - lose) / 2 * (sign @ reach) + tie * (meet @ reach)
        if state.to_act == CHANCE:
            total = 0
            for card in self.cards:
                if card not in board:
                    after = (*board, card)
                    masks = [self.alive(p, after) for p in range(2)]
                    met, kept = reach * masks[1 - player], own * masks[player]
                    below = self.betting.deal(state), (*key, card + 1000), after, player, met, kept
                    value = self.walk(*below, mode, factors)
                    total = total + value * masks[player] / (52 - len(board) - 4)
            return total
        actor, actions = state.to_act, self.sizes.actions(self.betting, state)
        table = self.regrets if mode == "update" else self.average
        chosen = self.strategy(table, key, len(actions), len(self.hands[actor]))
        if actor != player:
            return sum(
                self.walk(self.betting.apply(state, a), (*key, a), board, player, reach * row, own, mode, factors)
                for a, row in zip(actions, chosen, strict=True)
            )
        values = np.array(
            [
                self.walk(self.betting.apply(state, a), (*key, a), board, player, reach, own * row, mode, factors)
                for a, row in zip(actions, chosen, strict=True)
            ]
        )
        if mode == "respond":
            return values.max(axis=0)
        value = (chosen * values).sum(axis=0)
        if mode == "update":
            positive, negative, keep, weighted = factors
            self.strategy(self.average, key, len(actions), len(self.hands[actor]))
            self.average[key] = self.average[key] * keep + (chosen * own if weighted else chosen)
            old = self.regrets[key]
            self.regrets[key] = old * np.where(old > 0, positive, negative) + values - value
        return value

    def totals(self, mode):
        mass = self.weights[0] @ self.apart @ self.weights[1]
        root = self.betting.initial()
        return (
            np.array(
                [
                    self.weights[p] @ self.walk(root, (), self.board, p, self.weights[1 - p], self.weights[p], mode)
                    for p in range(2)
                ]
            )
            / mass
        )

    def iterate(self, schedule):
        rows = zip(schedule.positive, schedule.negative, schedule.average_decay, strict=True)
        for factors in rows:
            for p in range(2):
                start = self.betting.initial(), (), self.board, p, self.weights[1 - p], self.weights[p]
                self.walk(*start, "update", (*factors, schedule.weighted))


SMALL = [
    ("Ks 7d 4c Jd 2s", "AA,77,A7s,KQs:0.5,JTo,98s", "KK-JJ,A5s,K7s,T9o:0.25,AA", 100, 300, RIVER),
    ("Ts 9h 4h 2c", "AA,T9s:0.5,87s", "KK,T9s,AhKh,76s", 60, 200, TURN),
]


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("number", [0, 1], ids=["river", "turn"])
def test_equals_dense_matrices(number, weighted):
    """Uniform values, best responses, and three iterations of regrets turned into exploitability [1e-4 of the pot].

    Ties between actions are frequent in poker, so iterates are compared by what they are worth after a few steps.
    """
    played, dense, pot = Played(small(number)), Dense(small(number)), SMALL[number][3]
    np.testing.assert_allclose(played.best_response_values(), dense.totals("respond"), atol=1e-5 * pot)
    np.testing.assert_allclose(played.root_values(), dense.totals("evaluate"), atol=1e-5 * pot)
    schedule = UpdateSchedule(*(np.full(3, x, dtype=np.float32) for x in (0.9, 0.5, 0.8)), weighted)
    played.iterate(schedule)
    dense.iterate(schedule)
    np.testing.assert_allclose(played.best_response_values(), dense.totals("respond"), atol=1e-4 * pot)
    np.testing.assert_allclose(played.root_values(), dense.totals("evaluate"), atol=1e-4 * pot)
    assert played.root_values().sum() == pytest.approx(0, abs=1e-4 * pot)


FLOP_SIZES = {"flop": {"bet": ["60%"]}, "turn": {"bet": ["75%"]}, "river": {"bet": ["75%"], "raise": ["allin"]}}
SYMMETRIC = ("Ts 9h 4h", "AA,T9s,87s,KhQh", "KK,T9s,76s,JJ:0.5", 60, 130, FLOP_SIZES)
"""A flop on which spades, diamonds and clubs differ only by the ten of spades: diamonds and clubs are alike."""


def decisions(game, cards):
    """Every decision on the boards below `cards`, with the key that `Dense` has for it."""
    stack = [(game.root, ())]
    while stack:
        node, key = stack.pop()
        yield node, key
        for action, after in node.children():
            if after.kind == "decision":
                stack.append((after, (*key, action)))
            elif after.kind == "deal":
                stack += [(after.deal(card), (*key, action, card + 1000)) for card in cards if card not in after.dealt]


@pytest.mark.long
@pytest.mark.parametrize("isomorphism", [True, False])
def test_values_below_renamed_cards(isomorphism):
    """Strategies, reach and values at river decisions below renamed cards, against dense matrices [1e-4 of the pot]."""
    game, pot = symmetric(isomorphism), SYMMETRIC[3]
    played, dense = Played(game), Dense(game)
    few = parse_cards("2c 2d Ah Qd")
    played.iterate(dcfr(20))
    dense.cards = few  # only these cards come: values are sums over them, with the weights of the full deck
    found = list(decisions(game, few))
    for node, key in found:
        dense.average[key] = node.strategy(played.average)
    checked = 0
    for node, key in found:
        if len(node.dealt) < 5:
            continue
        values, reach = node.values(played.average), node.reach(played.average)
        alive = [dense.alive(player, node.dealt) for player in range(2)]
        for player in range(2):
            others, own = reach[1 - player], reach[player]
            exact = dense.walk(node.state, key, node.dealt, player, others, own, "evaluate") * alive[player]
            np.testing.assert_allclose(values.node[player], exact, atol=1e-4 * pot)
        checked += 1
    assert checked > 100
    assert (len(game.board_nodes) < 1 + 49 + 49 * 48) == isomorphism


@pytest.mark.long
def test_values_before_the_last_card():
    """Values at turn decisions, rivers and run-outs below, against dense matrices [1e-4 of the pot]."""
    played, dense = Played(small(1)), Dense(small(1))
    played.iterate(dcfr(20))
    found = list(decisions(small(1), dense.cards))
    for node, key in found:
        dense.average[key] = node.strategy(played.average)
    turn = [place for place in found if len(place[0].dealt) == 4]
    for node, key in turn[:: len(turn) // 3]:
        values, reach = node.values(played.average), node.reach(played.average)
        for player in range(2):
            exact = dense.walk(node.state, key, node.dealt, player, reach[1 - player], reach[player], "evaluate")
            np.testing.assert_allclose(values.node[player], exact, atol=1e-4 * SMALL[1][3])


STRANGE = {
    "mostly blocked": ("AsAh", "AhQh,3c3d:0.001"),
    "tiny weights": ("AsAh:1e-5,6h6s:1e-5,QQ:1e-5", "KcQc:1e-6,77:1e-6"),
    "never meet": ("AsAh,6h6s:0.01", "AhQh,3c3d:0.01"),
}


@pytest.mark.parametrize(("oop", "ip"), STRANGE.values(), ids=STRANGE)
def test_strange_ranges(oop, ip):
    """Values do not depend on the size of weights, nor on hands that no hand of the opponent can meet [1e-4]."""
    game = build_holdem(rules("Ks 7d 4c Jd 2s", oop, ip, 100, 300, RIVER))
    played, dense = Played(game), Dense(game)
    played.iterate(dcfr(10))
    for node, key in decisions(game, []):
        dense.average[key] = node.strategy(played.average)
    np.testing.assert_allclose(played.root_values(), dense.totals("evaluate"), atol=1e-2)
    np.testing.assert_allclose(played.best_response_values(), dense.totals("respond"), atol=1e-2)


def test_a_board_that_blocks_everybody():
    """On cards that leave one player no hand there is nothing to read, and nothing breaks."""
    game = build_holdem(rules("9h 8d 7h 6s", "AsAh", "KK,AK", 60, 200, TURN))
    played = Played(game)
    played.iterate(dcfr(5))
    river = next(number for number, tree in enumerate(game.street_trees) if tree.street == 1)
    node = played.node(river, 0, (*game.rules.board, *parse_cards("As")))
    assert not node.strategy(played.average).any()
    assert not node.reach(played.average)[0].any()
    assert not node.values(played.average).actions.any()


def test_slots_without_a_hand_stay_zero():
    """Values of blocked hands are dropped there on the way up from a deal; they must not enter regrets."""
    played = Played(symmetric())
    played.iterate(dcfr(5))
    boards, trees = played.game.boards, played.game.arrays.trees
    for player in range(2):
        stride, held = int(boards.stride[player, 0]), int(boards.held[player, 0])
        begin, rows = int(trees.store[player, 0]), int(trees.rows[player, 0]) - 1
        block = played.learning.regrets.numbers[begin : begin + rows * stride].reshape(rows, stride)
        assert block[:, :held].any()
        assert not block[:, held:].any()


@pytest.mark.slow
def test_isomorphic_cards_change_nothing():
    """Expanding one of each orbit of cards gives the values and the exploitability of expanding all [1e-5 of the pot].

    A hand and its twin under the symmetry play alike to the last bit.
    """
    pot = SYMMETRIC[3]
    few, full = Played(symmetric()), Played(symmetric(isomorphism=False))
    assert few.game.nodes < 0.65 * full.game.nodes
    for played in (few, full):
        played.iterate(dcfr(3))
    np.testing.assert_allclose(few.root_values(), full.root_values(), atol=1e-5 * pot)
    np.testing.assert_allclose(few.best_response_values(), full.best_response_values(), atol=1e-5 * pot)
    few.iterate(dcfr(20))
    strategy = few.game.root.strategy(few.average)
    names = {tuple(hand): place for place, hand in enumerate(few.game.hands[0].tolist())}
    swap = {2: 3, 3: 2}
    for hand, place in names.items():
        twin = names[tuple(sorted(4 * (card // 4) + swap.get(card % 4, card % 4) for card in hand))]
        assert np.array_equal(strategy[:, place], strategy[:, twin])


@pytest.mark.parametrize("bits", [16, 32])
def test_threads_change_no_bit(bits):
    found = []
    for threads in (1, 2, 3):
        played = Played(small(1), bits=bits, threads=threads)
        played.iterate(dcfr(10))
        found.append((played.learning.arrays(), played.best_response_values(), played.root_values()))
    for arrays, best, values in found[1:]:
        assert all(np.array_equal(array, found[0][0][name]) for name, array in arrays.items())
        assert np.array_equal(best, found[0][1])
        assert np.array_equal(values, found[0][2])


def test_16_bits_agree_with_32():
    """Exploitability and values agree within 0.02 % of the pot."""
    results = []
    for bits in (16, 32):
        played = Played(large_river(), bits=bits)
        played.iterate(dcfr(400))
        results.append((100 * played.exploitability() / 240, *(100 * played.root_values() / 240)))
    np.testing.assert_allclose(results[0], results[1], atol=0.02)


class CheckDown:
    """What value leaves are worth if nobody bets on the river."""

    def __init__(self, lead, pot):
        self.lead, self.pot = lead, pot

    def values(self, batch):
        paid = self.pot / 2 + np.array([[leaf.state.paid[0]] for leaf in batch.leaves])
        return paid * (batch.reach[1] @ self.lead.T), paid * (batch.reach[0] @ -self.lead)


def test_leaf_values_take_the_place_of_later_streets():
    """A game that stops at its deals and asks for check-down values equals the game whose river has no bets."""
    board, oop, ip, pot, stack, _ = SMALL[1]
    dry = rules(board, oop, ip, pot, stack, {"turn": TURN["turn"], "river": {}})
    full = build_holdem(dry)
    stopped = build_holdem(replace(rules(*SMALL[1]), cut=Cut()))
    first, second = full.hands
    apart = (first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3))
    lead = np.zeros(apart.shape)
    for card in range(52):
        if card not in dry.board:
            strong = [strengths((*dry.board, card), hands).astype(int) for hands in full.hands]
            lead += np.sign(strong[0][:, None] - strong[1][None, :]) * np.outer(strong[0] > 0, strong[1] > 0)
    lead *= apart / 44
    plays = Played(full), Played(stopped, leaves=CheckDown(lead, pot))
    for played in plays:
        played.iterate(dcfr(30))
    np.testing.assert_allclose(plays[1].root_values(), plays[0].root_values(), atol=1e-4 * pot)
    np.testing.assert_allclose(plays[1].best_response_values(), plays[0].best_response_values(), atol=1e-4 * pot)


def test_locked_strategies_are_kept():
    """A locked hand plays what it is told, best responses keep to it too, and everybody else adapts."""
    game, pot = small(0), SMALL[0][3]
    count = len(game.root.actions)
    bet = tuple(float(k == count - 1) for k in range(count))  # all-in with everything
    locks = [HandLock(0, 0, game.rules.board, hand, bet) for hand in range(len(game.hands[0]))]
    locked = game.with_hand_locks(locks)
    assert not game.locks
    free, held = Played(game), Played(locked)
    for played in (free, held):
        played.iterate(dcfr(600))
    chosen = locked.root.strategy(held.average)
    assert np.array_equal(chosen, np.array(bet)[:, None] * np.ones(len(locked.hands[0])))
    assert held.exploitability() < 0.002 * pot
    assert held.root_values()[0] < free.root_values()[0] - 0.05 * pot
    with pytest.raises(InputError, match="bits must be 32 when strategies are locked"):
        Profile(locked, bits=16)


def test_rake_is_taken_from_both():
    """Values of both players sum to minus the expected rake, as the dense matrices say."""
    game = build_holdem(rules(*SMALL[0], rake=Rake(percent=5, cap=10)))
    played = Played(game)
    np.testing.assert_allclose(played.root_values(), Dense(game).totals("evaluate"), atol=1e-4)
    assert -10 <= played.root_values().sum() < 0


def test_river_gates():
    """The uniform strategy and ten iterations on a single-raised-pot river, to the digits other solvers print."""
    played = Played(large_river())
    assert [len(hands) for hands in played.game.hands] == [412, 537]
    assert 100 * played.exploitability() / 240 == pytest.approx(76.3219, abs=5e-5)
    played.iterate(discounted(10))
    assert 100 * played.exploitability() / 240 == pytest.approx(17.8644, abs=5e-5)
    played.iterate(dcfr(300))
    assert 100 * played.exploitability() / 240 < 0.5
    assert played.root_values()[0] + 120 == pytest.approx(104.010, abs=240 * 0.005)


@pytest.mark.long
def test_turn_gates():
    """The uniform strategy on a single-raised-pot turn, and the value out of position within the exploitability."""
    played = Played(build_holdem(rules("Ts 9h 4h 2c", OOP, IP, 120, 540, TURN)))
    assert [len(hands) for hands in played.game.hands] == [416, 563]
    assert 100 * played.exploitability() / 120 == pytest.approx(121.5427, abs=5e-5)
    played.iterate(dcfr(100))
    left = 100 * played.exploitability() / 120
    assert left < 1.0
    assert played.root_values()[0] + 60 == pytest.approx(53.973, abs=120 * left / 100)


@pytest.mark.parametrize("stack", [540, 90])  # with 90 chips some are all-in on the turn
def test_counting_stops_where_the_effort_is_too_much(stack):
    """The betting is walked as it would be built: the effort is the same, and too little by a hair is too little."""
    known = rules("Ts 9h 4h 2c", OOP, IP, 120, stack, TURN)
    effort = known.size().effort
    assert known.takes_at_most(1.001 * effort)
    assert not known.takes_at_most(0.999 * effort)
    other = BetSizes.read({"turn": {"bet": ["allin"], "raise": []}, "river": {"bet": [], "raise": []}}, 2)
    assert known.with_sizes(other).size() == replace(known, sizes=other).size()
    assert known.with_sizes(other).size().pairs == 2 * 416 * 563
