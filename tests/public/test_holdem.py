"""The public-tree engine against dense matrices, and the gates of the benchmark spots."""

import numpy as np
import pytest

from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Range, parse_cards, strengths
from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.public import HandLock, HoldemTree, Schedule

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


def spot(board, oop, ip, pot, stack, tables, rake=None):
    cards = tuple(parse_cards(board))
    first = len(cards) - 2
    keywords = {} if rake is None else {"rake": rake}
    betting = Betting.spot(pot, stack, first_round=first, **keywords)
    sizes = BetSizes.read(tables, first)
    return HoldemTree(cards, (Range.from_string(oop), Range.from_string(ip)), betting, sizes), sizes


def discounted(iterations, weighted=False):
    """DCFR as the figures of other solvers were measured: resets of the average at powers of four."""
    t = np.arange(iterations, dtype=np.float64)
    base = np.maximum(t - 1, 0) ** 1.5
    power = np.array([0 if x < 1 else 4 ** int(np.log(x + 1e-9) / np.log(4)) for x in t])
    keep = ((t - power) / (t - power + 1)) ** 3
    rows = (base / (base + 1), np.full(iterations, 0.5), keep)
    return Schedule(*(row.astype(np.float32) for row in rows), weighted)


class Dense:
    """The same spot in float64 with one matrix per showdown: nothing in common but betting and hand strength."""

    def __init__(self, tree, sizes):
        self.tree, self.betting, self.sizes = tree, tree.betting, sizes
        self.hands = tree.hands
        self.weights = tree.weights
        first, second = (hands.astype(int) for hands in self.hands)
        self.apart = (first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3)).astype(float)
        self.regrets, self.average, self.known = {}, {}, {}
        self.cards = [card for card in range(52) if card not in tree.board]

    def alive(self, player, board):
        return ~np.isin(self.hands[player], board).any(axis=1)

    def matrices(self, board):
        """Sign of the showdown and who can meet, for all pairs of hands on a full board."""
        strength = [strengths(board, hands).astype(int) for hands in self.hands]
        meet = self.apart * np.outer(self.alive(0, board), self.alive(1, board))
        return np.sign(strength[0][:, None] - strength[1][None, :]) * meet, meet

    def showdown(self, board):
        if board not in self.known:
            self.known[board] = self._showdown(board)
        return self.known[board]

    def _showdown(self, board):
        if len(board) == 5:
            return self.matrices(board)[0]
        return sum(self.showdown((*board, card)) for card in self.cards if card not in board) / (52 - len(board) - 4)

    def strategy(self, table, key, actions, count):
        rows = np.maximum(table.setdefault(key, np.zeros((actions, count))), 0)
        total = rows.sum(axis=0)
        return np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / actions)

    def walk(self, state, key, board, player, reach, own, mode, factors=(1, 1, 1, False)):
        half = self.betting.pot / 2
        if state.to_act == TERMINAL:
            meet = self.apart * np.outer(self.alive(0, board), self.alive(1, board))
            meet = meet if player == 0 else meet.T
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
                    value = self.walk(
                        self.betting.deal(state), (*key, card + 1000), after, player, reach * masks[1 - player],
                        own * masks[player], mode, factors,
                    )  # fmt: skip
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
                    self.weights[p]
                    @ self.walk(root, (), self.tree.board, p, self.weights[1 - p], self.weights[p], mode)
                    for p in range(2)
                ]
            )
            / mass
        )

    def iterate(self, schedule):
        rows = zip(schedule.positive, schedule.negative, schedule.keep, strict=True)
        for positive, negative, keep in rows:
            for p in range(2):
                self.walk(
                    self.betting.initial(), (), self.tree.board, p, self.weights[1 - p], self.weights[p], "update",
                    (positive, negative, keep, schedule.weighted),
                )  # fmt: skip


SMALL = [
    ("Ks 7d 4c Jd 2s", "AA,77,A7s,KQs:0.5,JTo,98s", "KK-JJ,A5s,K7s,T9o:0.25,AA", 100, 300, RIVER),
    ("Ts 9h 4h 2c", "AA,T9s:0.5,87s", "KK,T9s,AhKh,76s", 60, 200, TURN),
]


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("board", SMALL, ids=["river", "turn"])
def test_equals_dense_matrices(board, weighted):
    """Uniform values, best responses, and three iterations of regrets turned into exploitability [1e-4 of the pot].

    Ties between actions are frequent in poker, so iterates are compared by what they are worth after a few steps.
    """
    tree, sizes = spot(*board)
    dense = Dense(tree, sizes)
    pot = board[3]
    np.testing.assert_allclose(tree.best_response_values(), dense.totals("respond"), atol=1e-5 * pot)
    np.testing.assert_allclose(tree.root_values(), dense.totals("evaluate"), atol=1e-5 * pot)
    schedule = Schedule(*(np.full(3, x, dtype=np.float32) for x in (0.9, 0.5, 0.8)), weighted)
    tree.iterate(schedule)
    dense.iterate(schedule)
    np.testing.assert_allclose(tree.best_response_values(), dense.totals("respond"), atol=1e-4 * pot)
    np.testing.assert_allclose(tree.root_values(), dense.totals("evaluate"), atol=1e-4 * pot)
    assert tree.root_values().sum() == pytest.approx(0, abs=1e-4 * pot)


SYMMETRIC = ("Ts 9h 4h", "AA,T9s,87s,KhQh", "KK,T9s,76s,JJ:0.5", 60, 130, {
    "flop": {"bet": ["60%"]}, "turn": {"bet": ["75%"]}, "river": {"bet": ["75%"], "raise": ["allin"]},
})  # fmt: skip
"""A flop on which spades, diamonds and clubs differ only by the ten of spades: diamonds and clubs are alike."""


def decisions(tree, betting, sizes, cards):
    """Every decision on the boards below `cards`: (line, decision, board as dealt, betting state, key of `Dense`)."""
    stack = [(0, 0, tuple(tree.board), betting.initial(), ())]
    while stack:
        line, number, board, state, key = stack.pop()
        yield line, number, board, state, key
        for action in tree.lines[line].decisions[number].actions:
            kind, child = tree.lines[line].children[number, action]
            after = betting.apply(state, action)
            if kind == "decision":
                stack.append((line, child, board, after, (*key, action)))
            elif after.to_act == CHANCE:
                below = tree.lines[line].leaves[child].line
                for card in cards:
                    if card not in board:
                        stack.append((below, 0, (*board, card), betting.deal(after), (*key, action, card + 1000)))


@pytest.mark.slow
@pytest.mark.parametrize("isomorphism", [True, False])
def test_values_below_renamed_cards(isomorphism):
    """Strategies, reach and values at river decisions below renamed cards, against dense matrices [1e-4 of the pot]."""
    board, oop, ip, pot, stack, tables = SYMMETRIC
    cards = tuple(parse_cards(board))
    betting, sizes = Betting.spot(pot, stack, first_round=1), BetSizes.read(tables, 1)
    ranges = (Range.from_string(oop), Range.from_string(ip))
    tree = HoldemTree(cards, ranges, betting, sizes, isomorphism=isomorphism)
    few = parse_cards("2c 2d Ah Qd")
    tree.iterate(_plain(20))
    dense = Dense(tree, sizes)
    dense.cards = few  # only these cards come: values are sums over them, with the weights of the full deck
    found = list(decisions(tree, betting, sizes, few))
    for line, number, dealt, _, key in found:
        dense.average[key] = tree.behaviour(line, number, dealt)
    checked = 0
    for line, number, dealt, state, _ in found:
        if len(dealt) < 5:
            continue
        values, reach = tree.values(line, number, dealt), tree.reaches(line, number, dealt)
        key = next(k for n, m, d, _, k in found if (n, m, d) == (line, number, dealt))
        alive = [dense.alive(player, dealt) for player in range(2)]
        for player in range(2):
            exact = dense.walk(state, key, dealt, player, reach[1 - player], reach[player], "evaluate") * alive[player]
            np.testing.assert_allclose(values.node[player], exact, atol=1e-4 * pot)
        checked += 1
    assert checked > 100
    assert (len(tree.tables_of) < 1 + 49 + 49 * 48) == isomorphism


@pytest.mark.slow
def test_values_before_the_last_card():
    """Values at turn decisions, rivers and run-outs below, against dense matrices [1e-4 of the pot]."""
    tree, sizes = spot(*SMALL[1])
    tree.iterate(_plain(20))
    dense = Dense(tree, sizes)
    found = list(decisions(tree, tree.betting, sizes, dense.cards))
    for line, number, dealt, _, key in found:
        dense.average[key] = tree.behaviour(line, number, dealt)
    turn = [place for place in found if len(place[2]) == 4]
    for line, number, dealt, state, key in turn[:: len(turn) // 3]:
        values, reach = tree.values(line, number, dealt), tree.reaches(line, number, dealt)
        for player in range(2):
            exact = dense.walk(state, key, dealt, player, reach[1 - player], reach[player], "evaluate")
            np.testing.assert_allclose(values.node[player], exact, atol=1e-4 * SMALL[1][3])


STRANGE = {
    "mostly blocked": ("AsAh", "AhQh,3c3d:0.001"),
    "tiny weights": ("AsAh:1e-5,6h6s:1e-5,QQ:1e-5", "KcQc:1e-6,77:1e-6"),
    "never meet": ("AsAh,6h6s:0.01", "AhQh,3c3d:0.01"),
}


@pytest.mark.parametrize(("oop", "ip"), STRANGE.values(), ids=STRANGE)
def test_strange_ranges(oop, ip):
    """Values do not depend on the size of weights, nor on hands that no hand of the opponent can meet [1e-4]."""
    tree, sizes = spot("Ks 7d 4c Jd 2s", oop, ip, 100, 300, RIVER)
    tree.iterate(_plain(10))
    dense = Dense(tree, sizes)
    for line, number, dealt, _, key in decisions(tree, tree.betting, sizes, []):
        dense.average[key] = tree.behaviour(line, number, dealt)
    np.testing.assert_allclose(tree.root_values(), dense.totals("evaluate"), atol=1e-2)
    np.testing.assert_allclose(tree.best_response_values(), dense.totals("respond"), atol=1e-2)


def test_a_board_that_blocks_everybody():
    """On cards that leave one player no hand there is nothing to read, and nothing breaks."""
    tree, _ = spot("9h 8d 7h 6s", "AsAh", "KK,AK", 60, 200, TURN)
    tree.iterate(_plain(5))
    river = next(number for number, line in enumerate(tree.lines) if line.street == 1)
    dealt = (*tree.board, *parse_cards("As"))
    assert not tree.behaviour(river, 0, dealt).any()
    assert not tree.reaches(river, 0, dealt)[0].any()
    assert not tree.values(river, 0, dealt).actions.any()


def test_slots_without_a_hand_stay_zero():
    """Values of blocked hands are dropped there on the way up from a deal; they must not enter regrets."""
    board, oop, ip, pot, stack, tables = SYMMETRIC
    tree = HoldemTree(
        tuple(parse_cards(board)), (Range.from_string(oop), Range.from_string(ip)),
        Betting.spot(pot, stack, first_round=1), BetSizes.read(tables, 1),
    )  # fmt: skip
    tree.iterate(_plain(5))
    for player in range(2):
        stride, held = int(tree.boards.stride[player, 0]), int(tree.boards.held[player, 0])
        begin, rows = int(tree.flat.store[player, 0]), int(tree.flat.rows[player, 0]) - 1
        block = tree.tables.regrets.wide[begin : begin + rows * stride].reshape(rows, stride)
        assert block[:, :held].any()
        assert not block[:, held:].any()


def test_isomorphic_cards_change_nothing():
    """Expanding one of each orbit of cards gives the values and the exploitability of expanding all [1e-5 of the pot].

    A hand and its twin under the symmetry play alike to the last bit.
    """
    board, oop, ip, pot, stack, tables = SYMMETRIC
    betting, sizes = Betting.spot(pot, stack, first_round=1), BetSizes.read(tables, 1)
    ranges = (Range.from_string(oop), Range.from_string(ip))
    small, full = (
        HoldemTree(tuple(parse_cards(board)), ranges, betting, sizes, isomorphism=alike) for alike in (True, False)
    )
    assert small.nodes < 0.65 * full.nodes
    for tree in (small, full):
        tree.iterate(_plain(3))
    np.testing.assert_allclose(small.root_values(), full.root_values(), atol=1e-5 * pot)
    np.testing.assert_allclose(small.best_response_values(), full.best_response_values(), atol=1e-5 * pot)
    small.iterate(_plain(20))
    strategy = small.behaviour(0, 0, small.board)
    names = {tuple(hand): place for place, hand in enumerate(small.hands[0].tolist())}
    swap = {2: 3, 3: 2}
    for hand, place in names.items():
        twin = names[tuple(sorted(4 * (card // 4) + swap.get(card % 4, card % 4) for card in hand))]
        assert np.array_equal(strategy[:, place], strategy[:, twin])


@pytest.mark.parametrize("bits", [16, 32])
def test_threads_change_no_bit(bits):
    trees = []
    for threads in (1, 2, 3):
        board, oop, ip, pot, stack, tables = SMALL[1]
        tree = HoldemTree(
            tuple(parse_cards(board)), (Range.from_string(oop), Range.from_string(ip)),
            Betting.spot(pot, stack, first_round=2), BetSizes.read(tables, 2), bits=bits,
        )  # fmt: skip
        tree.iterate(_plain(10), threads)
        trees.append((tree.arrays(), tree.best_response_values(threads), tree.root_values(threads)))
    for arrays, best, values in trees[1:]:
        assert all(np.array_equal(array, trees[0][0][name]) for name, array in arrays.items())
        assert np.array_equal(best, trees[0][1])
        assert np.array_equal(values, trees[0][2])


def test_16_bits_agree_with_32():
    """Exploitability and values agree within 0.02 % of the pot."""
    results = []
    for bits in (16, 32):
        board, oop, ip, pot, stack, tables = ("Ks 7d 4c Jd 2s", OOP, IP, 240, 880, RIVER)
        tree = HoldemTree(
            tuple(parse_cards(board)), (Range.from_string(oop), Range.from_string(ip)),
            Betting.spot(pot, stack, first_round=3), BetSizes.read(tables, 3), bits=bits,
        )  # fmt: skip
        tree.iterate(_plain(400))
        results.append((100 * tree.exploitability() / pot, *(100 * tree.root_values() / pot)))
    np.testing.assert_allclose(results[0], results[1], atol=0.02)


def test_leaf_values_take_the_place_of_later_streets():
    """A tree that stops at its deals and asks for check-down values equals the tree whose river has no bets."""
    board, oop, ip, pot, stack, _ = SMALL[1]
    cards, ranges = tuple(parse_cards(board)), (Range.from_string(oop), Range.from_string(ip))
    betting = Betting.spot(pot, stack, first_round=2)
    full, cut = (
        HoldemTree(cards, ranges, betting, BetSizes.read({"turn": TURN["turn"], "river": river}, 2))
        for river in ({}, TURN["river"])
    )
    first, second = full.hands
    apart = (first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3))
    lead = np.zeros(apart.shape)
    for card in range(52):
        if card not in cards:
            strong = [strengths((*cards, card), hands).astype(int) for hands in full.hands]
            lead += np.sign(strong[0][:, None] - strong[1][None, :]) * np.outer(strong[0] > 0, strong[1] > 0)
    lead *= apart / 44

    def check_down(player, leaf, reach):
        paid = betting.pot / 2 + cut.lines[leaf.line].state.paid[0]
        return paid * (lead @ reach if player == 0 else -lead.T @ reach)

    cut.leaf_values = check_down
    for tree in (full, cut):
        tree.iterate(_plain(30))
    np.testing.assert_allclose(cut.root_values(), full.root_values(), atol=1e-4 * pot)
    np.testing.assert_allclose(cut.best_response_values(), full.best_response_values(), atol=1e-4 * pot)


def test_locked_strategies_are_kept():
    """A locked hand plays what it is told, best responses keep to it too, and everybody else adapts."""
    board, oop, ip, pot, stack, tables = SMALL[0]
    ranges = (Range.from_string(oop), Range.from_string(ip))
    cards = tuple(parse_cards(board))
    betting, sizes = Betting.spot(pot, stack, first_round=3), BetSizes.read(tables, 3)
    free = HoldemTree(cards, ranges, betting, sizes)
    count = len(free.lines[0].decisions[0].actions)
    bet = tuple(float(k == count - 1) for k in range(count))  # all-in with everything
    locks = [HandLock(0, 0, cards, hand, bet) for hand in range(len(free.hands[0]))]
    tree = HoldemTree(cards, ranges, betting, sizes, locks=locks)
    for each in (free, tree):
        each.iterate(_plain(600))
    assert np.array_equal(tree.behaviour(0, 0, cards), np.array(bet)[:, None] * np.ones(len(tree.hands[0])))
    assert tree.exploitability() < 0.002 * pot
    assert tree.root_values()[0] < free.root_values()[0] - 0.05 * pot
    with pytest.raises(InputError, match="bits must be 32 when strategies are locked"):
        HoldemTree(cards, ranges, betting, sizes, locks=locks, bits=16)


def test_rake_is_taken_from_both():
    """Values of both players sum to minus the expected rake, as the dense matrices say."""
    from counterpoise.betting.rules import Rake

    tree, sizes = spot(*SMALL[0][:5], RIVER, rake=Rake(percent=5, cap=10))
    dense = Dense(tree, sizes)
    np.testing.assert_allclose(tree.root_values(), dense.totals("evaluate"), atol=1e-4)
    assert -10 <= tree.root_values().sum() < 0


def test_river_gates():
    """The uniform strategy and ten iterations on a single-raised-pot river, to the digits other solvers print."""
    tree, _ = spot("Ks 7d 4c Jd 2s", OOP, IP, 240, 880, RIVER)
    assert [len(hands) for hands in tree.hands] == [412, 537]
    assert 100 * tree.exploitability() / 240 == pytest.approx(76.3219, abs=5e-5)
    tree.iterate(discounted(10))
    assert 100 * tree.exploitability() / 240 == pytest.approx(17.8644, abs=5e-5)
    tree.iterate(_plain(300))
    assert 100 * tree.exploitability() / 240 < 0.5
    assert tree.root_values()[0] + 120 == pytest.approx(104.010, abs=240 * 0.005)


@pytest.mark.slow
def test_turn_gates():
    """The uniform strategy on a single-raised-pot turn, and the value out of position within the exploitability."""
    tree, _ = spot("Ts 9h 4h 2c", OOP, IP, 120, 540, TURN)
    assert [len(hands) for hands in tree.hands] == [416, 563]
    assert 100 * tree.exploitability() / 120 == pytest.approx(121.5427, abs=5e-5)
    tree.iterate(_plain(100))
    left = 100 * tree.exploitability() / 120
    assert left < 1.0
    assert tree.root_values()[0] + 60 == pytest.approx(53.973, abs=120 * left / 100)


def _plain(iterations):
    """DCFR(3/2, 0, 2) as a schedule."""
    t = np.arange(iterations, dtype=np.float64)
    rows = (t**1.5 / (t**1.5 + 1), np.full(iterations, 0.5), (t / (t + 1)) ** 2)
    return Schedule(*(row.astype(np.float32) for row in rows), weighted=True)
