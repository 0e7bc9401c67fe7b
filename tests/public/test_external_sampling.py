"""External sampling on hold'em trees: unbiased by enumeration of every sample, and what a solver must do."""

from itertools import product

import numpy as np
import pytest

from counterpoise.betting.rules import Betting, Rake
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Range, parse_cards
from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.public import HandLock, HoldemTree, Schedule
from counterpoise.public.external import sampled
from counterpoise.public.kernels.external import DECISION, draw_pair, traverse
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.sampling.public_mccfr import PublicExternalSampling

STREET = {"bet": ["50%", "allin"], "raise": ["allin"]}


def spot(board, oop, ip, pot=100, stack=150, *, rake=None, **keywords):
    cards = tuple(parse_cards(board))
    betting = Betting.spot(pot, stack, len(cards) - 2, **({} if rake is None else {"rake": rake}))
    sizes = BetSizes.read({street: STREET for street in ("turn", "river")[len(cards) - 4 :]}, len(cards) - 2)
    return HoldemTree(cards, (Range.from_string(oop), Range.from_string(ip)), betting, sizes, **keywords)


def river(**keywords):
    return spot("Qs Jh 2h 8d 3c", "AA:0.5,KQs,76s", "QQ,AKs:0.25,T9s", **keywords)


def turn(**keywords):
    return spot("Qs Jh 2h 8d", "AcAd:0.5,KhQh", "QdQc,ThTs:0.3,AcKc", isomorphism=False, **keywords)


def by_hand(tree, parts, number):
    """A table whose entries are ``number(player, board, hands)``, hands being the places of a board's in the range."""
    wide = np.zeros(tree.entries)
    for line, spot_ in enumerate(tree.lines):
        for at, decision in enumerate(spot_.decisions):
            for board, table in enumerate(tree.tables_of):
                if table.street == spot_.street:
                    player, entry, _, stride = tree._place(line, at, board)
                    hands = table.hands[player]
                    for a in range(len(decision.actions)):
                        wide[entry + a * stride : entry + a * stride + len(hands)] = number(player, board, hands)
    return wide[parts.place]


def owners(tree, parts):
    """Who owns each entry of a table, 0 or 1; entries of no hand count as the first player's."""
    return by_hand(tree, parts, lambda player, board, hands: player)


def dealt(tree, parts):
    """Of each entry the weight of its hand, as the engine knows it."""
    place = [np.argsort(tree.tables_of[0].hands[p]) for p in range(2)]
    return by_hand(tree, parts, lambda player, board, hands: tree.ranges[player][place[player][hands]])


def apart(tree):
    """Which pairs of hands share no card, as they stand on the first board."""
    cards = [tree.hands[p][tree.tables_of[0].hands[p]].astype(int) for p in range(2)]
    return (cards[0][:, None, :, None] != cards[1][None, :, None, :]).all(axis=(2, 3))


def engine_regrets(tree, parts, table):
    """What one iteration of the vector engine adds to this table, and the table that the second player met."""
    one = np.ones(1, dtype=np.float32)
    tree.tables.regrets.wide[parts.place] = table
    before = tree.tables.regrets.wide[parts.place].astype(np.float64)
    tree.tables.average.wide[:] = 0
    tree.iterate(Schedule(one, one, one))
    after = tree.tables.regrets.wide[parts.place].astype(np.float64)
    met = np.where(owners(tree, parts) == 0, after, before)
    return after - before, (before, met), tree.tables.average.wide[parts.place].astype(np.float64)


def plans(parts, player):
    """Every choice of an action at each of a player's decisions."""
    nodes = [node for node in np.flatnonzero(parts.walk.kind == DECISION) if parts.walk.player[node] == player]
    return nodes, list(product(*(range(int(parts.walk.actions[node])) for node in nodes)))


def nodes_met(parts, player, chosen, node=0):
    """Nodes of a walk for `player` against a pure opponent."""
    walk = parts.walk
    if walk.kind[node] != DECISION:
        return 1
    first, count = int(walk.child[node]), int(walk.actions[node])
    ahead = range(count) if walk.player[node] == player else [chosen[node]]
    return 1 + sum(nodes_met(parts, player, chosen, first + a) for a in ahead)


@pytest.mark.slow
@pytest.mark.parametrize("rake", [None, Rake(percent=5, cap=20)], ids=["no rake", "rake"])
@pytest.mark.parametrize("player", [0, 1])
def test_every_sample_of_a_river_adds_up_to_the_exact_regrets(player, rake):
    """Over all pairs of hands and all pure plans of the opponent, weighted by their probabilities, the sampled
    regrets are the engine's counterfactual regrets, and the opponent's average gains its plan.
    """
    tree = river(rake=rake)
    parts = sampled(tree)
    rng = np.random.default_rng(3)
    exact, tables, plan = engine_regrets(tree, parts, rng.random(len(parts.place)) - 0.3)
    table = tables[player]
    nodes, choices = plans(parts, 1 - player)
    random, found, average = seeded(0), np.zeros_like(table), np.zeros_like(table)
    for pair in zip(*np.nonzero(apart(tree)), strict=True):
        likely = float(tree.ranges[0, pair[0]]) * float(tree.ranges[1, pair[1]])
        begins = [int(parts.walk.entry[n]) + int(parts.walk.actions[n]) * int(pair[1 - player]) for n in nodes]
        for choice in choices:
            regrets, gained, share = table.copy(), np.zeros_like(table), likely
            for at, node, a in zip(begins, nodes, choice, strict=True):
                block = slice(at, at + int(parts.walk.actions[node]))
                positive = np.maximum(table[block], 0)
                share *= positive[a] / positive.sum() if positive.any() else 1 / len(positive)
                regrets[block] = 0.0
                regrets[at + a] = 1.0
            if share == 0:
                continue
            start = regrets.copy()
            parts.stack.pair[:] = pair
            touched = traverse(
                parts.walk,
                parts.hands,
                tree.boards,
                parts.stack,
                random,
                np.uint64(player),
                False,
                1.0,
                regrets,
                gained,
            )
            assert touched == nodes_met(parts, player, dict(zip(nodes, choice, strict=True)))
            found += share * (regrets - start)
            average += share * gained
    own = owners(tree, parts) == player
    expected = np.where(own, exact * dealt(tree, parts), 0.0)
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    if player == 0:  # the engine's second player then still plays what it did in these samples
        weight = apart(tree).T @ tree.ranges[0, : len(apart(tree))]
        often = by_hand(
            tree, parts, lambda seat, board, hands: weight[np.argsort(tree.tables_of[0].hands[1])[hands]] if seat else 0
        )
        np.testing.assert_allclose(average, plan * often, rtol=1e-5)


def test_pairs_are_drawn_by_their_weights():
    tree = river()
    parts, random = sampled(tree), seeded(5)
    pair, count = np.zeros(2, dtype=np.uint64), 40_000
    drawn, meet = np.zeros(apart(tree).shape), apart(tree)
    for _ in range(count):
        draw_pair(parts.hands, tree.boards, random, pair)
        drawn[tuple(pair)] += 1
    expected = meet * np.outer(tree.ranges[0, : len(meet)], tree.ranges[1, : meet.shape[1]])
    expected *= count / expected.sum()
    assert (drawn[~meet] == 0).all()
    assert np.abs((drawn - expected)[meet] / np.sqrt(expected[meet])).max() < 5


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_deals_are_unbiased(player):
    """A turn with run-outs: regrets so large that samples do not change the strategy gain the engine's on average."""
    tree, batches, each = turn(), 12, 40_000
    solver = PublicExternalSampling(make_algorithm("es-mccfr"), tree, seed=2)
    parts = sampled(tree)
    exact, tables, _ = engine_regrets(tree, parts, 1e3 * np.random.default_rng(1).random(len(parts.place)))
    solver.regrets[:] = 1e9 * tables[player]
    gains = []
    for _ in range(batches):
        before = solver.regrets.copy()
        solver.step(each)
        gains.append((solver.regrets - before) / each)
    mine = (owners(tree, parts) == player) & (dealt(tree, parts) > 0)
    river_card = by_hand(tree, parts, lambda seat, board, hands: 1 / 44 if board else 1)  # the engine's come later
    expected = exact * dealt(tree, parts) * river_card / tree.mass
    error = np.std(gains, axis=0, ddof=1) / np.sqrt(batches)
    off = np.abs(np.mean(gains, axis=0) - expected)
    often = mine & (error > 0)
    assert often.sum() > 0.9 * mine.sum()
    for street in (river_card == 1, river_card < 1):
        assert np.abs(expected[often & street]).max() > 10 * error[often & street].max()
        np.testing.assert_array_less(off[often & street], 7 * error[often & street] + 1e-3)
    assert np.mean(off[often] < 2 * error[often]) > 0.8


@pytest.mark.parametrize("algorithm", [
    "es-mccfr", "linear-es-mccfr(period=1000)", "es-mccfr(discount=initial, period=1000)",
    "es-mccfr(floor=True, average=linear)",
])  # fmt: skip
def test_repeats_itself_in_any_batches_and_resumes(algorithm):
    """300 iterations are 100 and, from the saved state in a fresh solver, two hundred single ones."""
    tree, settings = river(), make_algorithm(algorithm)
    straight, first, second = (PublicExternalSampling(settings, tree, seed=7) for _ in range(3))
    straight.step(300)
    first.step(100)
    second.restore(first.state())
    for _ in range(200):
        second.step()
    for name, array in straight.state().items():
        np.testing.assert_array_equal(second.state()[name], array, err_msg=name)
    assert straight.iteration == 300
    assert straight.live_bytes == 16 * tree.entries


def test_discounts_act_at_the_ends_of_periods():
    """Linear: at the end of period n both tables are n/(n+1) of what they would be; initial: a tenth, once."""
    tree = river()
    plain, linear, initial = (
        PublicExternalSampling(make_algorithm(f"es-mccfr(discount={word}, period=5000)"), tree, seed=1)
        for word in ("none", "linear", "initial")
    )
    for solver in (plain, linear, initial):
        solver.step(10_000, until=5_000)
    assert plain.nodes_touched == linear.nodes_touched == initial.nodes_touched >= 5_000
    for solver, factor in ((linear, 1 / 2), (initial, 1 / 10)):
        np.testing.assert_allclose(solver.regrets, factor * plain.regrets, rtol=1e-12)
        np.testing.assert_allclose(solver.average, factor * plain.average, rtol=1e-12)
        assert solver.exploitability() == pytest.approx(plain.exploitability(), rel=1e-5)


def test_floor_and_linear_average():
    """Regrets never negative; the iteration t in which a hand is met has weight t in its average."""
    tree = river()
    solver = PublicExternalSampling(make_algorithm("es-mccfr(floor=True, average=linear)"), tree, seed=1)
    solver.step(500)
    assert solver.regrets.min() == 0
    before = solver.average.copy()
    solver.step()
    first_decision = slice(3 * int(tree.boards.stride[0, 0]))
    assert (solver.average - before)[first_decision].sum() == pytest.approx(501)


@pytest.mark.parametrize(("tree", "iterations", "pot_percent"), [(river, 100_000, 1.0), (turn, 100_000, 3.0)])
def test_converges(tree, iterations, pot_percent):
    """Both streets: the average strategy approaches an equilibrium, by the engine's exact best responses."""
    solver = PublicExternalSampling(make_algorithm("linear-es-mccfr(period=100000)"), tree(), seed=0)
    start = solver.exploitability()
    solver.step(iterations)
    found = solver.exploitability()
    assert start > 10 * pot_percent
    assert found < pot_percent
    assert solver.values().sum() == pytest.approx(0, abs=1e-3)


def test_refusals():
    """One sentence for what single hands, deals and tables cannot do."""
    settings = make_algorithm("es-mccfr")
    symmetric = spot("Qs Jh 2h 8h", "AA,KK", "QQ,TT")
    for tree, sentence in (
        (symmetric, "build the tree with isomorphism=False"),
        (river(bits=16), "bits=32"),
        (river(locks=[HandLock(0, 0, tuple(parse_cards("Qs Jh 2h 8d 3c")), 0, (1.0, 0.0, 0.0))]), "locked"),
    ):
        with pytest.raises(InputError, match=sentence):
            PublicExternalSampling(settings, tree)
    for text in ("cfr", "es-mccfr(explore=robust)", "es-mccfr(lazy=True)"):
        with pytest.raises(InputError, match="does not sample hold'em trees"):
            PublicExternalSampling(make_algorithm(text), river())
