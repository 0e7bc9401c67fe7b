"""Walks with sampled chance events: unbiased sample by sample, CFR itself where nothing is public, bounds, CFR-BR."""

from itertools import combinations, pairwise, product
from math import comb, sqrt

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import STANDARD_DECK, Range, parse_cards, strengths
from counterpoise.errors import InputError
from counterpoise.proportions import proportional
from counterpoise.public import HoldemRules, build_dense, build_holdem
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.sampling.kernels.board_layouts import NOBODY, WalkRule, WalkTables
from counterpoise.sampling.kernels.board_walks import walk
from counterpoise.solvers.matching.cfr import CFR
from counterpoise.solvers.matching.cfr_plus import CFRPlus
from counterpoise.solvers.monte_carlo.cfr_br_sampled import SampledCfrBr
from counterpoise.solvers.monte_carlo.pcs import CS, OPCS, PCS, SPCS
from counterpoise.solvers.monte_carlo.public_walks import BucketSolver
from counterpoise.solvers.public.bucket_solver import FullBucketSolver
from counterpoise.tree.kernels.sequence_form import realisation_weights
from tests.public.test_buckets import table
from tests.public.test_mini_holdem import mini

VARIANTS = {"CS": (True, True), "OPCS": (False, True), "SPCS": (True, False), "PCS": (False, False)}
"""Name -> whether the own hand and the opponent's are sampled."""


def pair_chances(walks):
    """The probability of every board with every pair of hands: one matrix [hand 0, hand 1] per full board."""
    boards = walks.boards
    found = []
    for b in range(boards.chance.size):
        held = [int(boards.held[p, b]) for p in range(2)]
        if boards.pairs.size:
            begin = int(boards.pair_start[b])
            found.append(boards.pairs[begin : begin + held[0] * held[1]].reshape(held))
            continue
        cards = []
        for p in range(2):
            at = slice(int(boards.begin[p, b]), int(boards.begin[p, b]) + held[p])
            cards.append(np.stack((boards.card_a[at], boards.card_b[at]), axis=1).astype(int))
        apart = (cards[0][:, None, :, None] != cards[1][None, :, None, :]).all(axis=(2, 3))
        found.append(apart * boards.density[b])
    return found


def expected_regrets(walks, own_sampled, opponent_sampled, player, regrets):
    """The regrets that one walk adds, averaged over all samples with their probabilities."""
    game, total = walks.board_walk(), np.zeros(walks.entries)
    sides = game.sides
    for b, joint in enumerate(pair_chances(walks)):
        turned = joint if player == 0 else joint.T  # [own hand, opponent's hand]
        everybody = [range(size) for size in turned.shape]
        samples = product(
            [[k] for k in everybody[0]] if own_sampled else [everybody[0]],
            [[k] for k in everybody[1]] if opponent_sampled else [everybody[1]],
        )
        for own, other in samples:
            probability = turned[np.ix_(list(own), list(other))].sum()
            if probability == 0:
                continue
            for side, slots in ((player, own), (1 - player, other)):
                sides.counts[side] = len(slots)
                sides.slots[side, : len(slots)] = slots
            gained, ignored = np.zeros(walks.entries), np.zeros(walks.entries)
            rule = WalkRule(walks.boards.density[b] / probability, 1.0, False, NOBODY)
            walk(game, np.uint64(b), np.uint64(player), rule, WalkTables(regrets, gained, ignored))
            total += probability * gained
    return total


def random_regrets(walks):
    """Regrets of mixed sign, so that strategies are mixed, pure and uniform."""
    return np.random.default_rng(5).normal(size=walks.entries)


def places_of(game):
    """Where each infoset and action of a tree's table stands in a flat profile."""
    blocks = zip(game.table.start, game.table.actions, strict=True)
    return np.concatenate([start + np.arange(len(actions)) for start, actions in blocks])


def in_order(game, walks, table):
    """A table of walks without shared buckets, by infoset and action; 0 where there is no choice."""
    return np.append(walks.expand_to_hands(table), 0.0)[game.entry]


def put_regrets(solver, game, walks, regrets):
    """Make a CFR solver play from these regrets; gives them by infoset and action."""
    found = in_order(game, walks, regrets)
    solver.regrets[places_of(game)] = found
    solver._strategy[:] = game.strategy_of(walks.expand_to_hands(regrets)).probabilities
    for player in range(2):
        realisation_weights(solver.tree.form, player, solver._strategy, solver._reach)
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_11_samples_are_unbiased_on_leduc(variant):
    """Regrets averaged over all samples are those of CFR on the enumerated game [1e-10]."""
    game = build_dense("leduc_poker")
    walks = BoardWalks(game)
    regrets = random_regrets(walks)
    solver = cp.solver("leduc_poker", "cfr(updates=simultaneous)")
    start = put_regrets(solver, game, walks, regrets)
    solver.step()
    found = sum(expected_regrets(walks, *VARIANTS[variant], player, regrets) for player in range(2))
    exact = solver.regrets[places_of(game)] - start
    np.testing.assert_allclose(in_order(game, walks, found), exact, atol=1e-10 * np.abs(exact).max())


class Brute:
    """Counterfactual values in mini hold'em over all flops and all pairs of hands, without symmetry."""

    def __init__(self, game, chosen):
        self.game, self.chosen = game, chosen
        self.hands = game.hands[0].astype(int)
        self.apart = (self.hands[:, None, :, None] != self.hands[None, :, None, :]).all(axis=(2, 3)).astype(float)
        self.flops = list(combinations(game.deck.cards.tolist(), 3))
        self.weight = 1 / (self.apart.sum() * comb(game.deck.size - 4, 3))
        self.regrets = {}

    def run(self, player):
        for flop in self.flops:
            alive = (~np.isin(self.hands, flop).any(axis=1)).astype(float)
            strong = strengths(flop, self.hands, self.game.deck).astype(int)
            self.meet = self.apart * np.outer(alive, alive)
            self.sign = np.sign(strong[:, None] - strong[None, :]) * self.meet
            self._walk(0, 0, "decision", flop, player, np.ones(len(self.hands)))

    def _walk(self, at, number, kind, flop, player, reach):
        spot = self.game.street_trees[at]
        if kind == "leaf":
            leaf = spot.leaves[number]
            if leaf.tree:
                return self._walk(leaf.tree, 0, "decision", flop, player, reach)
            wins = leaf.wins * (self.sign @ reach) if leaf.wins else 0.0
            return self.weight * (wins + leaf.mass[player] * (self.meet @ reach))
        node = spot.decisions[number]
        cards = () if at == 0 else flop
        chosen, values = self.chosen(at, number, cards), []
        for action, row in zip(node.actions, chosen, strict=True):
            after, below = spot.children[number, action]
            met = reach if node.player == player else reach * row
            values.append(self._walk(at, below, after, flop, player, met))
        values = np.array(values)
        if node.player != player:
            return values.sum(axis=0)
        mixed = (chosen * values).sum(axis=0)
        key = (at, number, cards)
        self.regrets[key] = self.regrets.get(key, 0) + values - mixed
        return mixed


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_11_samples_are_unbiased_on_mini_holdem(variant, brute):
    """Three ranks: regrets averaged over all samples are those summed over every flop and pair of hands [1e-10]."""
    walks, regrets, exact = brute
    found = sum(expected_regrets(walks, *VARIANTS[variant], player, regrets) for player in range(2))
    np.testing.assert_allclose(found, exact, rtol=1e-10, atol=1e-10 * np.abs(exact).max())


@pytest.fixture(scope="module")
def brute():
    game = mini(3, (2, 2))
    walks = BoardWalks(game)
    regrets = random_regrets(walks)
    positive = walks.expand_to_hands(np.maximum(regrets, 0))

    def chosen(at, decision, cards):
        located = game.locate(cards)
        player, entry, _, stride = game.place(at, decision, located.board)
        count = len(game.street_trees[at].decisions[decision].actions)
        rows = positive[entry : entry + count * stride].reshape(count, stride)
        rows = proportional(rows, rows.sum(axis=0), 1 / count)
        return game.from_rows(player, rows[:, : int(game.boards.held[player, located.board])], located)

    oracle = Brute(game, chosen)
    for player in range(2):
        oracle.run(player)
    # A table with the numbers of its own entries says which bucket a hand on a board belongs to.
    numbers, exact = walks.expand_to_hands(np.arange(walks.entries, dtype=float)), np.zeros(walks.entries)
    for (number, decision, cards), values in oracle.regrets.items():
        located = game.locate(cards)
        player, entry, _, stride = game.place(number, decision, located.board)
        held = int(game.boards.held[player, located.board])
        rows = numbers[entry : entry + len(values) * stride].reshape(len(values), stride)[:, :held]
        at = game.from_rows(player, rows + 1, located).astype(int) - 1  # -1: the flop blocks the hand
        np.add.at(exact, at[at >= 0], values[at >= 0])
    return walks, regrets, exact


def test_12_on_kuhn_pcs_is_cfr():
    """No public chance: iteration by iteration the strategies of CFR with alternating updates [1e-10]."""
    vanilla, sampled = cp.solver("kuhn_poker", "cfr"), cp.solver("kuhn_poker", "pcs")
    for steps in (1, 1, 3, 20):
        vanilla.step(steps)
        sampled.step(steps)
        np.testing.assert_allclose(sampled.average_profile(), vanilla.average_profile(), atol=1e-10)
        np.testing.assert_allclose(sampled.current_profile(), vanilla.current_profile(), atol=1e-10)


@pytest.mark.long
def test_12_on_bluff_pcs_is_cfr():
    """An iteration from random regrets gives the regrets of CFR [1e-10].

    From the start both would meet regrets of exactly zero, where rounding chooses between uniform and pure play.
    """
    vanilla, sampled = cp.solver("bluff", "cfr"), cp.solver("bluff", "pcs")
    for _ in range(3):
        sampled.regrets[:] = random_regrets(sampled._walker.tables)
        start = put_regrets(vanilla, sampled.public, sampled._walker.tables, sampled.regrets)
        sampled.step()
        vanilla.step()
        found = in_order(sampled.public, sampled._walker.tables, sampled.regrets)
        np.testing.assert_allclose(found - start, vanilla.regrets[places_of(sampled.public)] - start, atol=1e-10)
        np.testing.assert_allclose(sampled.current_profile(), vanilla.current_profile(), atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "algorithm"), [("leduc_poker", "pcs"), ("leduc_poker", "ops"), ("leduc_poker", "sps"), ("bluff", "pcs")]
)
def test_13_regret_stays_below_its_bound(game, algorithm):
    """Exploitability is at most the mean of the players' bounds (1 + 2/sqrt(p)) range |I_i| sqrt(A_i/T), p = 1/2."""
    solver = cp.solver(game, algorithm)
    tree = solver.tree
    payoffs = tree.histories.payoffs
    spread = payoffs.max() - payoffs.min()
    most = [
        (
            int((tree.table.owner == p).sum()),
            max(len(a) for a, o in zip(tree.table.actions, tree.table.owner, strict=True) if o == p),
        )
        for p in range(2)
    ]
    for steps in (1, 9, 90):
        solver.step(steps)
        bounds = [(1 + 2 / sqrt(0.5)) * spread * infosets * sqrt(a / solver.iteration) for infosets, a in most]
        assert cp.exploitability(game, solver.average) <= sum(bounds) / 2


def test_unsampled_walks_are_cfr_on_the_public_tree():
    """All boards, lossless buckets: the regrets of CFR on the enumerated game, iteration by iteration [1e-9]."""
    vanilla = cp.solver("leduc_poker", "cfr")
    game = build_dense("leduc_poker")
    solver = FullBucketSolver(CFR(), game)
    for steps in (1, 4, 25):
        vanilla.step(steps)
        solver.step(steps)
        found = game.strategy_of(solver.tables.expand_to_hands(solver.cumulative)).probabilities
        np.testing.assert_allclose(found, vanilla.average_profile(), atol=1e-9)


def test_unsampled_walks_converge_on_mini_holdem():
    """Three ranks: linear averaging with the floor is CFR+ without buckets; far below what uniform play loses."""
    game = mini(3)
    solver = FullBucketSolver(CFRPlus(), game)
    before = solver.exploitability()
    solver.step(100)
    assert solver.exploitability() < before / 100
    assert solver.nodes_touched == 2 * 100 * 20 * solver.tables.nodes


@pytest.mark.parametrize("settings", [CS(), OPCS(), SPCS(), PCS(), PCS(floor=True, average="linear")], ids=str)
def test_a_state_goes_on_bit_for_bit(settings):
    game = mini(3, (2, 2))
    straight, first, second = (BucketSolver(settings, game, table("PR-PHS-PHS", (2, 3), 3), seed=3) for _ in range(3))
    straight.step(50)
    first.step(20)
    second.restore(first.state())
    second.step(30)
    for name, array in straight.state().items():
        np.testing.assert_array_equal(second.state()[name], array, err_msg=name)


@pytest.mark.slow
def test_more_hands_per_walk_need_fewer_iterations():
    """Mini hold'em of three ranks after 4,000 iterations: PCS < OPCS, SPCS < CS."""
    game = mini(3)
    reached = {}
    for settings in (PCS(), OPCS(), SPCS(), CS()):
        solver = BucketSolver(settings, game, seed=1)
        solver.step(4_000)
        reached[type(settings).__name__] = solver.exploitability()
    assert reached["PCS"] < min(reached["OPCS"], reached["SPCS"])
    assert max(reached["OPCS"], reached["SPCS"]) < reached["CS"]


@pytest.mark.slow
def test_17_cfr_br_and_an_unabstracted_opponent_agree():
    """Three ranks, buckets 2 x 2: hybrid CFR-BR and CFR A-vs-U reach the same exploitability [3 % or 1 mbb]."""
    game = mini(3, (2, 2))
    coarse = table("PR-PHS-PHS", (2, 2), 3)
    hybrid = SampledCfrBr(game, coarse, seed=2)
    hybrid.step(20_000)
    found = millibigblinds(hybrid.exploitability())
    best = []  # what a best response wins from the abstracted seat, seat by seat
    for seat, buckets in enumerate(((coarse, None), (None, coarse))):
        solver = FullBucketSolver(CFRPlus(), game, buckets)
        solver.step(400)
        best.append(solver.traverser.best_response_values(solver.result())[1 - seat])
    against = millibigblinds(sum(best) / 2)
    assert found == pytest.approx(against, rel=0.03, abs=1.0)
    # 18: no A-vs-A strategy of these buckets is less exploitable.
    both = FullBucketSolver(CFR(), game, coarse)
    both.step(300)
    assert found <= millibigblinds(both.exploitability()) + 2


@pytest.mark.slow
def test_19_finer_buckets_are_less_exploitable():
    """A chain of strict refinements with perfect recall: two buckets, each cut into 1, 2, 4, 8 [2 % or 2 mbb]."""
    game = mini(3, (2, 2))
    reached = []
    for parts in (1, 2, 4, 8):
        solver = SampledCfrBr(game, table("PR-PHS-PHS", (2, parts), 3))
        solver.step(4_000)
        reached.append(millibigblinds(solver.exploitability()))
    for coarse, fine in pairwise(reached):
        assert fine <= coarse + max(0.02 * coarse, 2)
    assert reached[-1] < reached[0] / 2


@pytest.mark.slow
def test_cfr_br_without_buckets_converges():
    """The identity abstraction: both average and current strategy go to an equilibrium."""
    game = mini(3)
    solver = SampledCfrBr(game)
    before = solver.exploitability()
    solver.step(6_000)
    assert solver.exploitability() < before / 20
    assert solver.exploitability("current") < before / 10
    again = SampledCfrBr(game)
    again.step(2_000)
    other = SampledCfrBr(game)
    other.restore(again.state())
    other.step(4_000)
    assert other.exploitability() == solver.exploitability()


def test_wrong_input():
    deck, cards = STANDARD_DECK, tuple(parse_cards("As Ks Qs 2d 7c"))
    sizes = BetSizes.read({"river": {"bet": ["allin"], "raise": ["allin"]}}, first_round=3)
    half = Range(np.full(deck.hand_count, 0.5), deck)
    river = build_holdem(HoldemRules(cards, (half, half), Betting.spot(60, 150, first_round=3), sizes))
    with pytest.raises(InputError, match="every hand has weight 1"):
        BoardWalks(river)
    with pytest.raises(InputError, match="no trunk"):
        SampledCfrBr(river)
    small = mini(3, (2, 2))
    with pytest.raises(InputError, match="another game"):
        BoardWalks(small, BoardWalks(mini(4, (2, 2))).buckets)
    with pytest.raises(InputError, match="bits must be 32"):
        PCS().on(small, bits=16)
    with pytest.raises(InputError, match="has no public tree"):
        cp.solver("goofspiel(cards=3)", "pcs")
