"""External sampling on hold'em trees: unbiased by enumeration of every sample, and what a solver must do."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from counterpoise.betting.rules import Betting, Rake
from counterpoise.betting.sizes import BetSizes
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.cards import Range, parse_cards
from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.public import HandLock, HoldemRules, Learning, Traverser, UpdateSchedule, build_dense, build_holdem
from counterpoise.sampling.boards.external import external_walks
from counterpoise.sampling.kernels.board_external import DECISION, draw_pair, traverse
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.monte_carlo.public_mccfr import PublicExternalSampling

STREET = {"bet": ["50%", "allin"], "raise": ["allin"]}


def spot(board, oop, ip, pot=100, stack=150, *, rake=None, **keywords):
    cards = tuple(parse_cards(board))
    betting = Betting.spot(pot, stack, len(cards) - 2, **({} if rake is None else {"rake": rake}))
    sizes = BetSizes.read({street: STREET for street in ("turn", "river")[len(cards) - 4 :]}, len(cards) - 2)
    ranges = Range.from_string(oop), Range.from_string(ip)
    return build_holdem(HoldemRules(cards, ranges, betting, sizes, **keywords))


@cache
def river(**keywords):
    return spot("Qs Jh 2h 8d 3c", "AA:0.5,KQs,76s", "QQ,AKs:0.25,T9s", **keywords)


@cache
def turn(**keywords):
    return spot("Qs Jh 2h 8d", "AcAd:0.5,KhQh", "QdQc,ThTs:0.3,AcKc", isomorphism=False, **keywords)


def places(parts):
    """Where each entry of a table stands among the game's."""
    source = parts.tables.expand_to_hands(np.arange(parts.tables.entries, dtype=float))
    return np.unique(source, return_index=True)[1]


def by_hand(game, parts, number):
    """A table whose entries are ``number(player, board, hands)``, hands being the places of a board's in the range."""
    wide = np.zeros(game.entries)
    for number_of_tree, tree in enumerate(game.street_trees):
        for at, decision in enumerate(tree.decisions):
            for board, node in enumerate(game.board_nodes):
                if node.street == tree.street:
                    player, entry, _, stride = game.place(number_of_tree, at, board)
                    hands = node.hands[player]
                    for a in range(len(decision.actions)):
                        wide[entry + a * stride : entry + a * stride + len(hands)] = number(player, board, hands)
    return wide[places(parts)]


def owners(game, parts):
    """Who owns each entry of a table, 0 or 1; entries of no hand count as the first player's."""
    return by_hand(game, parts, lambda player, board, hands: player)


def dealt(game, parts):
    """Of each entry the weight of its hand, as the engine knows it."""
    place = [np.argsort(game.board_nodes[0].hands[p]) for p in range(2)]
    return by_hand(game, parts, lambda player, board, hands: game.ranges[player][place[player][hands]])


def apart(game):
    """Which pairs of hands share no card, as they stand on the first board."""
    cards = [game.hands[p][game.board_nodes[0].hands[p]].astype(int) for p in range(2)]
    return (cards[0][:, None, :, None] != cards[1][None, :, None, :]).all(axis=(2, 3))


def engine_regrets(game, parts, table):
    """What one iteration of the vector engine adds to this table, and the table that the second player met."""
    one, learning = np.ones(1, dtype=np.float32), Learning.fresh(game)
    regrets, average = learning.regrets.numbers, learning.average.numbers
    regrets[places(parts)] = table
    before = regrets[places(parts)].astype(np.float64)
    Traverser(game).iterate(learning, UpdateSchedule(one, one, one))
    after = regrets[places(parts)].astype(np.float64)
    met = np.where(owners(game, parts) == 0, after, before)
    return after - before, (before, met), average[places(parts)].astype(np.float64)


def plans(parts, player):
    """Every choice of an action at each of a player's decisions."""
    nodes = [
        node
        for node in np.flatnonzero(parts.sampler.walk.kind == DECISION)
        if parts.sampler.walk.player[node] == player
    ]
    return nodes, list(product(*(range(int(parts.sampler.walk.actions[node])) for node in nodes)))


def nodes_met(parts, player, chosen, node=0):
    """Nodes of a walk for `player` against a pure opponent."""
    walk = parts.sampler.walk
    if walk.kind[node] != DECISION:
        return 1
    first, count = int(walk.child[node]), int(walk.actions[node])
    ahead = range(count) if walk.player[node] == player else [chosen[node]]
    return 1 + sum(nodes_met(parts, player, chosen, first + a) for a in ahead)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [(), (("rake", Rake(percent=5, cap=20)),), (("tilt", PayoffTilt(30, -20, 10, 40)),)],
    ids=["", "rake", "tilt"],
)
@pytest.mark.parametrize("player", [0, 1])
def test_every_sample_of_a_river_adds_up_to_the_exact_regrets(player, kind):
    """Over all pairs of hands and all pure plans of the opponent, weighted by their probabilities, the sampled
    regrets are the engine's counterfactual regrets, and the opponent's average gains its plan.
    """
    game = river(**dict(kind))
    parts = external_walks(game)
    rng = np.random.default_rng(3)
    exact, tables, plan = engine_regrets(game, parts, rng.random(len(places(parts))) - 0.3)
    table = tables[player]
    nodes, choices = plans(parts, 1 - player)
    random, found, average = seeded(0), np.zeros_like(table), np.zeros_like(table)
    for pair in zip(*np.nonzero(apart(game)), strict=True):
        likely = float(game.ranges[0, pair[0]]) * float(game.ranges[1, pair[1]])
        first = int(parts.tables.places_of_hands[int(game.boards.begin[1 - player, 0]) + int(pair[1 - player])])
        begins = [first + int(parts.sampler.walk.column[n]) for n in nodes]
        for choice in choices:
            regrets, gained, share = table.copy(), np.zeros_like(table), likely
            for at, node, a in zip(begins, nodes, choice, strict=True):
                block = slice(at, at + int(parts.sampler.walk.actions[node]))
                positive = np.maximum(table[block], 0)
                share *= positive[a] / positive.sum() if positive.any() else 1 / len(positive)
                regrets[block] = 0.0
                regrets[at + a] = 1.0
            if share == 0:
                continue
            start = regrets.copy()
            parts.sampler.stack.pair[:] = pair
            touched = traverse(parts.sampler, np.uint64(player), False, 1.0, random, regrets, gained)
            assert touched == nodes_met(parts, player, dict(zip(nodes, choice, strict=True)))
            found += share * (regrets - start)
            average += share * gained
    own = owners(game, parts) == player
    expected = np.where(own, exact * dealt(game, parts), 0.0)
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    if player == 0:  # the engine's second player then still plays what it did in these samples
        weight = apart(game).T @ game.ranges[0, : len(apart(game))]
        often = by_hand(
            game,
            parts,
            lambda seat, board, hands: weight[np.argsort(game.board_nodes[0].hands[1])[hands]] if seat else 0,
        )
        np.testing.assert_allclose(average, plan * often, rtol=1e-5)


def test_pairs_are_drawn_by_their_weights():
    game = river()
    parts, random = external_walks(game), seeded(5)
    pair, count = parts.sampler.stack.pair, 40_000
    drawn, meet = np.zeros(apart(game).shape), apart(game)
    for _ in range(count):
        draw_pair(parts.sampler, random)
        drawn[tuple(pair)] += 1
    expected = meet * np.outer(game.ranges[0, : len(meet)], game.ranges[1, : meet.shape[1]])
    expected *= count / expected.sum()
    assert (drawn[~meet] == 0).all()
    assert np.abs((drawn - expected)[meet] / np.sqrt(expected[meet])).max() < 5


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_deals_are_unbiased(player):
    """A turn with run-outs: regrets so large that samples do not change the strategy gain the engine's on average."""
    game, batches, each = turn(), 12, 40_000
    solver = PublicExternalSampling(make_algorithm("es-mccfr"), game, seed=2)
    parts = external_walks(game)
    exact, tables, _ = engine_regrets(game, parts, 1e3 * np.random.default_rng(1).random(len(places(parts))))
    solver.regrets[:] = 1e9 * tables[player]
    gains = []
    for _ in range(batches):
        before = solver.regrets.copy()
        solver.step(each)
        gains.append((solver.regrets - before) / each)
    mine = (owners(game, parts) == player) & (dealt(game, parts) > 0)
    river_card = by_hand(game, parts, lambda seat, board, hands: 1 / 44 if board else 1)  # the engine's come later
    expected = exact * dealt(game, parts) * river_card / game.mass
    error = np.std(gains, axis=0, ddof=1) / np.sqrt(batches)
    off = np.abs(np.mean(gains, axis=0) - expected)
    often = mine & (error > 0)
    assert often.sum() > 0.9 * mine.sum()
    for street in (river_card == 1, river_card < 1):
        assert np.abs(expected[often & street]).max() > 10 * error[often & street].max()
        np.testing.assert_array_less(off[often & street], 7 * error[often & street] + 1e-3)
    assert np.mean(off[often] < 2 * error[often]) > 0.8


@pytest.mark.parametrize(
    "algorithm",
    [
        "es-mccfr",
        "linear-es-mccfr(period=1000)",
        "es-mccfr(discount=initial, period=1000)",
        "es-mccfr(floor=True, average=linear)",
    ],
)
def test_repeats_itself_in_any_batches_and_resumes(algorithm):
    """300 iterations are 100 and, from the saved state in a fresh solver, two hundred single ones."""
    game, settings = river(), make_algorithm(algorithm)
    straight, first, second = (PublicExternalSampling(settings, game, seed=7) for _ in range(3))
    straight.step(300)
    first.step(100)
    second.restore(first.state())
    for _ in range(200):
        second.step()
    for name, array in straight.state().items():
        np.testing.assert_array_equal(second.state()[name], array, err_msg=name)
    assert straight.iteration == 300
    assert straight.live_bytes == 16 * straight.tables.entries + straight.random.nbytes


def test_discounts_act_at_the_ends_of_periods():
    """Linear: at the end of period n both tables are n/(n+1) of what they would be; initial: a tenth, once."""
    game = river()
    plain, linear, initial = (
        PublicExternalSampling(make_algorithm(f"es-mccfr(discount={word}, period=5000)"), game, seed=1)
        for word in ("none", "linear", "initial")
    )
    for solver in (plain, linear, initial):
        solver.step(10_000, until=5_000)
    assert plain.nodes_touched == linear.nodes_touched == initial.nodes_touched >= 5_000
    for solver, factor in ((linear, 1 / 2), (initial, 1 / 10)):
        np.testing.assert_allclose(solver.regrets, factor * plain.regrets, rtol=1e-12)
        np.testing.assert_allclose(solver.cumulative, factor * plain.cumulative, rtol=1e-12)
        assert solver.exploitability() == pytest.approx(plain.exploitability(), rel=1e-5)


def test_floor_and_linear_average():
    """Regrets never negative; the iteration t in which a hand is met has weight t in its average."""
    game = river()
    solver = PublicExternalSampling(make_algorithm("es-mccfr(floor=True, average=linear)"), game, seed=1)
    solver.step(500)
    assert solver.regrets.min() == 0
    before = solver.cumulative.copy()
    solver.step()
    first_decision = solver.tables.part(solver.cumulative - before, 0, 0)[:, solver.tables.decisions(0, 0)[0]]
    assert first_decision.sum() == pytest.approx(501)


@pytest.mark.parametrize(("game", "iterations", "pot_percent"), [(river, 100_000, 1.0), (turn, 100_000, 3.0)])
def test_converges(game, iterations, pot_percent):
    """Both streets: the average strategy approaches an equilibrium, by the engine's exact best responses."""
    solver = PublicExternalSampling(make_algorithm("linear-es-mccfr(period=100000)"), game(), seed=0)
    start = solver.exploitability()
    solver.step(iterations)
    found = solver.exploitability()
    assert start > 10 * pot_percent
    assert found < pot_percent
    assert solver.values().sum() == pytest.approx(0, abs=1e-3)


def test_refusals():
    """One sentence for what single hands, deals and tables cannot do."""
    settings = make_algorithm("es-mccfr")
    lock = HandLock(0, 0, river().rules.board, 0, (1.0, 0.0, 0.0))
    for game, sentence in (
        (river().with_hand_locks([lock]), "locked"),
        (build_dense("kuhn_poker"), "es-mccfr samples hold'em games only: kuhn_poker runs as an enumerated game"),
    ):
        with pytest.raises(InputError, match=sentence):
            PublicExternalSampling(settings, game)
    with pytest.raises(InputError, match="tables of double precision on public trees: bits must be 32, not 16"):
        settings.on(river(), bits=16)
    for text in ("cfr", "es-mccfr(explore=robust)", "es-mccfr(lazy=True)"):
        with pytest.raises(InputError, match="does not sample hold'em trees"):
            PublicExternalSampling(make_algorithm(text), river())
