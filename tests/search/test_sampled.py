"""Sampled solving of the rest of a hand against exact values of small decks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import HoldemCards, abstraction
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.sampling import NodeStrategy, build_betting_tree
from counterpoise.sampling.kernels.dealing import deal_hand, seed_hand
from counterpoise.sampling.kernels.leaves import roll_out
from counterpoise.sampling.lookup import board_lookup, dealt_hand
from counterpoise.sampling.subtree import (
    Continuations,
    Subtree,
    SubtreeSampling,
    build_subtree,
    range_cards,
    subtree_layout,
)
from counterpoise.search.blueprint_nodes import blueprint_node_after, leaf_blueprint_nodes
from counterpoise.search.sampled import LEAST_NODES, SampledProblem, SampledSettings, biases, search_sampled
from counterpoise.search.sampled_solution import SampledSolution
from tests.search.sampled_oracle import Exact, continuation_values

SMALL = "limit_holdem(board=[0, 3], ranks=7, suits=1, max_bets=2)"
"""With one suit nothing is alike."""
FLOP = ("c", "c", "QsJsTs")
THREE = "no_limit_holdem(seats=3, stacks=[300, 700, 450], ranks=4, sizes=['100%', 'allin'], max_bets=2)"


@cache
def small() -> Holdem:
    game = cp.load(SMALL)
    assert isinstance(game, Holdem)
    return game


@cache
def random_blueprint() -> Blueprint:
    """A strategy of random weights with a bucket for every hand."""
    game = small()
    cards = HoldemCards(game.deck, 2)
    sizes = [cards.classes(street) for street in range(2)]
    made = abstraction("IR-C-C", buckets=sizes, deck=game.deck, progress=False)
    tree = build_betting_tree(game)
    weights = np.random.default_rng(5).integers(1, 10, layout_of(tree, [made]).size).astype(np.float32)
    return Blueprint(game, made, weights, tree=tree)


@cache
def three() -> Blueprint:
    """A trained blueprint of three seats with unequal stacks."""
    game = cp.load(THREE)
    made = abstraction("IR-PHS-PHS", buckets=(10, 5, 5, 5), deck=game.deck, progress=False)
    return cp.train(game, abstraction=made, iterations=2000, progress=False).blueprint


def table(blueprint: Blueprint) -> NodeStrategy:
    return NodeStrategy(blueprint.layout, blueprint.table.astype(np.float32), blueprint.abstractions)


@cache
def leaf_values(public: tuple[str, ...]) -> Any:
    """What seat 0 wins behind a leaf of the small game by both picks and both hands."""
    play = cache(random_blueprint().probabilities)
    return continuation_values(small(), public, play, biases(10.0))


def random_ranges(game: Holdem, seed: int = 1) -> Any:
    random = np.random.default_rng(seed)
    ranges = random.random((game.players, game.deck.hand_count))
    return np.where(ranges < 0.3, 0.0, ranges)


def flop_solution(iterations: int = 100_000, **more: Any) -> SampledSolution:
    problem = SampledProblem(game=small(), public=FLOP, ranges=random_ranges(small()), **more)
    return search_sampled(problem, SampledSettings(iterations=iterations))


@pytest.mark.long
def test_last_round_comes_close_to_equilibrium() -> None:
    """Two seats on the last round: no best response to the average wins much of a pot of 4 chips."""
    exact = Exact(small(), random_ranges(small()))
    gains = []
    for iterations in (1000, 200_000):
        found = flop_solution(iterations)
        gains.append(sum(exact.gain(FLOP, found.average, seat) for seat in (0, 1)))
    assert 0 <= gains[1] < 0.02 < gains[0]
    assert found.iterations == 200_000


def test_hands_are_counted_by_the_nodes_that_they_touch() -> None:
    """In a tree of a few nodes, where most of the time is dealing, a hand counts as `LEAST_NODES` of them."""
    problem = SampledProblem(game=small(), public=FLOP, ranges=random_ranges(small()))
    found = search_sampled(problem, SampledSettings(nodes=100_000))
    assert found.nodes_touched / found.iterations < LEAST_NODES
    assert found.iterations == pytest.approx(100_000 / LEAST_NODES, rel=0.05)


def test_ranges_follow_the_average() -> None:
    found = flop_solution(2000)
    first, second = found.average(FLOP), found.average((*FLOP, "b6"))
    after = found.ranges((*FLOP, "b6", "c"))
    np.testing.assert_allclose(after[0], found.root_ranges[0] * first.table[:, first.actions.index("b6")])
    np.testing.assert_allclose(after[1], found.root_ranges[1] * second.table[:, second.actions.index("c")])
    live = small().deck.live_hands([small().deck.cards[k] for k in (2, 3, 4)])
    assert not after[:, ~live].any()
    assert not found.root_ranges[:, ~live].any()
    np.testing.assert_allclose(first.table.sum(axis=1), live)
    assert found.visited(FLOP).any()
    assert not (found.visited(FLOP) & (found.root_ranges[0] == 0)).any()


@pytest.mark.slow
def test_22_frozen_decisions_are_played_not_learned() -> None:
    """The reach of the line that was played is as before, and the others answer what was played."""
    game = small()
    random = np.random.default_rng(2)
    share = random.random(game.deck.hand_count)
    given = Behaviour(game.deck.hand_names, ("c", "b6"), np.stack([share, 1 - share], axis=1))
    found = flop_solution(200_000, frozen={FLOP: given}, played=("b6",))
    live = found.root_ranges[0] > 0
    for known in (found.average(FLOP), found.current(FLOP)):
        np.testing.assert_allclose(known.table[live], given.table[live])
    np.testing.assert_allclose(found.ranges((*FLOP, "b6"))[0], found.root_ranges[0] * given.table[:, 1])
    exact = Exact(game, random_ranges(game))
    assert exact.gain(FLOP, found.average, 1) < 0.02
    assert exact.gain(FLOP, found.average, 0) > 0.1  # what was played at random is no best response
    hand = int(np.flatnonzero(live)[3])
    only = flop_solution(20_000, frozen={FLOP: given}, frozen_hand=hand)
    rows = only.average(FLOP).table
    np.testing.assert_allclose(rows[hand], given.table[hand])
    others = live & (np.arange(len(live)) != hand)
    assert np.abs(rows[others] - given.table[others]).max() > 0.2


@pytest.mark.long
@pytest.mark.parametrize(("picks", "penalty"), [((1, 1), 0.0), ((1, 4), 0.0), ((1, 4), 0.1), ((4, 4), 0.0)])
def test_leaves_with_continuations_come_close_to_equilibrium(picks: tuple[int, int], penalty: float) -> None:
    """Picks by hand, unseen by the other, and roll-outs that are right on average.

    The whole depth-limited game is computed exactly; with (1, 4) only the opponent chooses, and may have to pay seat 0
    a share of the pot for anything but the blueprint.
    """
    game, blueprint, factors = small(), random_blueprint(), biases(10.0)
    ranges = random_ranges(game)
    problem = SampledProblem(game=game, public=(), ranges=ranges, blueprint=blueprint.tree, strategy=table(blueprint))

    def values(public: tuple[str, ...]) -> Any:
        found = leaf_values(public)[: picks[0], : picks[1]].copy()
        found[:, 1:] += penalty * sum(game.betting_after(public).paid)
        return found

    exact = Exact(game, ranges, values)
    own: dict[str, Any] = {"picks": picks, "factors": factors, "penalty": penalty}
    gains = []
    for iterations in (2000, 200_000):
        found = search_sampled(problem, SampledSettings(iterations=iterations, **own))
        chosen = {}
        for node, _ in found.tree.leaves:
            public = found.tree.line(node)
            for seat in (0, 1):
                single = np.ones((game.deck.hand_count, 1))
                chosen[public, seat] = found.picks(public, seat) if picks[seat] > 1 else single
        gains.append([exact.gain((), found.average, seat, chosen) for seat in (0, 1)])
    assert min(gains[1]) > -1e-9
    assert sum(gains[1]) < 0.05 < 0.2 < sum(gains[0])


def test_same_seed_same_bytes_whatever_the_threads() -> None:
    blueprint = three()
    public = ("c", "c", "c", _flop(blueprint.game))
    problem = SampledProblem(
        game=blueprint.game,
        public=public,
        ranges=blueprint.ranges(public),
        blueprint=blueprint.tree,
        strategy=table(blueprint),
    )
    runs = [
        search_sampled(problem, SampledSettings(iterations=400, batch=20, seed=seed, threads=threads))
        for seed, threads in ((3, 1), (3, 1), (3, 2), (4, 1))
    ]
    for other in runs[1:3]:
        assert (runs[0].averages == other.averages).all()
        assert (runs[0].regrets == other.regrets).all()
        assert runs[0].nodes_touched == other.nodes_touched
    assert (runs[0].regrets != runs[3].regrets).any()


def _flop(game: Holdem) -> str:
    from counterpoise.cards.deck import format_cards

    return format_cards(sorted(game.deck.cards[[3, 6, 9]].tolist(), reverse=True), separator="")


@pytest.mark.slow
def test_hands_are_drawn_from_the_product_of_ranges() -> None:
    """Hands of three seats that share no card, each as often as the product of the ranges says; folded seats aside."""
    blueprint = three()
    game = blueprint.game
    flop = _flop(game)
    for public, live in ((("c", "c", "c", flop), (0, 1, 2)), (("f", "c", "c", flop), (0, 1))):
        root = game.betting_after(public)
        assert root.live == live
        tree = build_subtree(game, root)
        ranges = np.zeros((3, game.deck.hand_count))
        board = game.deck.cards[[9, 6, 3]].tolist()
        free = np.flatnonzero(game.deck.live_hands(board))
        random = np.random.default_rng(0)
        for seat in live:
            chosen = random.choice(free, 6, replace=False)
            ranges[seat, chosen] = random.integers(1, 5, 6)
        cards = range_cards(board_lookup(blueprint.tree, blueprint.abstractions, tuple(board)), tree, ranges, board)
        dealt, counts, draws = dealt_hand(tree), {}, 20_000
        for number in range(draws):
            seed_hand(np.uint64(1), np.uint64(number), dealt.random)
            deal_hand(cards, dealt)
            hands = tuple(int(dealt.hand[seat]) for seat in live)
            counts[hands] = counts.get(hands, 0) + 1
            held = [int(card) for seat in live for card in dealt.shown[seat, :2]] + dealt.board[0].tolist()
            assert len(set(held)) == len(held)
            assert dealt.board[0, :3].tolist() == board
        expected = {}
        options = [np.flatnonzero(ranges[seat]) for seat in live]
        for hands in np.array(np.meshgrid(*options)).reshape(len(live), -1).T.tolist():
            used = game.deck.hands[hands].ravel().tolist()
            if len(set(used)) == len(used):
                expected[tuple(hands)] = float(
                    np.prod([ranges[seat, hand] for seat, hand in zip(live, hands, strict=True)])
                )
        total = sum(expected.values())
        assert set(counts) <= set(expected)
        for hands, weight in expected.items():
            share = weight / total
            assert abs(counts.get(hands, 0) - draws * share) < 5 * np.sqrt(draws * share) + 1


def test_buckets_of_following_boards_are_those_of_the_abstraction() -> None:
    blueprint = three()
    game, board = blueprint.game, tuple(blueprint.game.deck.cards[[9, 6, 3]].tolist())
    for known in (3, 4):
        cards = (*board, int(game.deck.cards[11]))[:known]
        following = board_lookup(blueprint.tree, blueprint.abstractions, cards)
        tree = build_subtree(game, game.betting_after(("c", "c", "c", _flop(game))))
        drawn = range_cards(
            following, tree, np.ones((3, game.deck.hand_count)) * game.deck.live_hands(list(cards)), cards
        )
        dealt = dealt_hand(tree)
        for number in range(50):
            seed_hand(np.uint64(1), np.uint64(number), dealt.random)
            deal_hand(drawn, dealt)
            rows = [blueprint.abstractions[0].row(dealt.board[0, :count].tolist()) for count in (0, 3, 4, 5)]
            for round_ in range(4):
                if (0, 3, 4, 5)[round_] >= known:
                    assert dealt.looked_up[round_].tolist() == rows[round_][dealt.hand].tolist()


@pytest.mark.slow
def test_whole_game_comes_close_to_equilibrium() -> None:
    """Without a depth limit the whole small game is solved, later rounds by bucket, here one for every hand."""
    from counterpoise.blueprint.exact import exact_exploitability

    game, blueprint = small(), random_blueprint()
    ranges = np.ones((2, game.deck.hand_count))
    problem = SampledProblem(
        game=game, public=(), ranges=ranges, strategy=table(blueprint), blueprint=blueprint.tree, depth="game"
    )
    found = search_sampled(problem, SampledSettings(iterations=200_000))
    assert not found.tree.leaves
    players = [SimpleNamespace(seat=seat, probabilities=found.average) for seat in (0, 1)]
    made = Blueprint.from_players(game, blueprint.abstractions, players)
    assert exact_exploitability(made) < 0.05 * exact_exploitability(blueprint)


def test_real_actions_and_the_stop_after_raises() -> None:
    """Bets that were made are in the tree; with three live seats it may stop after the second raise."""
    blueprint = three()
    game, flop = blueprint.game, _flop(blueprint.game)
    public = ("c", "c", "c", flop)
    assert 210 not in game.menu(game.betting_after(public))
    settings = SampledSettings(iterations=100)
    problem = SampledProblem(
        game=game,
        public=public,
        ranges=blueprint.ranges(public),
        blueprint=blueprint.tree,
        strategy=table(blueprint),
        played=("b210",),
        most_raises=1,
    )
    found = search_sampled(problem, settings)
    assert "b210" in found.average(public).actions
    assert found.knows((*public, "b210"))  # somebody really is to act there
    assert not found.knows((*public, "b200"))
    assert not found.knows((*public, "c", "c", "c", "c"))  # behind a leaf
    bets = [state.bets for _, state in found.tree.leaves]
    assert max(bets) == 2
    np.testing.assert_allclose(found.average((*public, "b210")).table.sum(axis=1)[found.root_ranges[1] > 0], 1)


def _roll_outs(
    blueprint: Blueprint, game: Holdem, events: tuple[str, ...], tree: Subtree, penalty: float = 0.0
) -> tuple[Any, Any, Any]:
    """Return the leaves of a tree after public events, and a walker and cards to visit them with."""
    nodes = leaf_blueprint_nodes(blueprint.tree, blueprint_node_after(blueprint.tree, game, events), tree)
    board = public_cards(events)
    cards = board_lookup(blueprint.tree, blueprint.abstractions, tuple(board))
    cards = range_cards(cards, tree, blueprint.ranges(()) * game.deck.live_hands(board), board)
    leaves = Continuations(blueprint.tree, table(blueprint), nodes, biases(5.0), 2, penalty).arrays(tree)
    layout = subtree_layout(tree, blueprint.abstractions[0].buckets)
    return leaves, SubtreeSampling(tree, layout, cards, leaves)._walkers[0], cards


def test_roll_outs_pay_no_chips_that_nobody_has() -> None:
    """Where stacks are smaller than the blueprint's, bets behind a leaf are cut to what is left."""
    blueprint = three()
    game = replace(blueprint.game, stacks=(180, 260, 400))
    events = ("c", "c", "c", _flop(game))
    root = game.betting_after(events)
    tree = build_subtree(game, root, stop=lambda state: state.to_act == CHANCE, picks=(4, 4, 4))
    leaves, walker, cards = _roll_outs(blueprint, game, events, tree)
    stacks, cut = np.array(game.betting.stacks), 0
    for number, (_, state) in enumerate(tree.leaves):
        for hand in range(40):
            seed_hand(np.uint64(hand), np.uint64(number), walker.dealt.random)
            deal_hand(cards, walker.dealt)
            walker.scratch.picked[:] = 3  # who raises more often
            for seat in range(3):
                walker.scratch.strengths[seat] = walker.dealt.strengths[seat] if seat in state.live else 0
            kept, won = walker.dealt.random.copy(), []
            for seat in range(3):
                walker.dealt.random[:] = kept
                won.append(roll_out(leaves, number, walker.dealt, walker.scratch, seat)[0])
            assert sum(won) == pytest.approx(0, abs=1e-6)
            assert (np.array(won) >= -stacks - 1e-6).all(), (state, won)
            cut += any(np.isclose(-np.array(won), stacks))
    assert cut > 0


@pytest.mark.parametrize("public", [("c", "c", "c"), ("b300", "c", "c"), ("f", "c", "c")])
def test_values_of_all_seats_sum_to_zero(public: tuple[str, ...]) -> None:
    """At leaves, also where the blueprint's line is another, and with side pots and all-ins.

    Who picks any continuation but the first pays a share of the pot to the others that are left.
    """
    blueprint = three()
    game = blueprint.game
    events = (*public, _flop(game))
    root = game.betting_after(events)
    tree = build_subtree(
        game,
        root,
        menu=lambda state: sorted({*game.menu(state), *((state.min_raise,) if state.max_raise else ())}),
        stop=lambda state: state.to_act == CHANCE,
        picks=(4, 4, 4),
    )
    leaves, walker, cards = _roll_outs(blueprint, game, events, tree, 0.3)
    free = _roll_outs(blueprint, game, events, tree)[0]
    random = np.random.default_rng(0)
    scaled = 0
    for number, (leaf, state) in enumerate(tree.leaves):
        seed_hand(np.uint64(1), np.uint64(number), walker.dealt.random)
        deal_hand(cards, walker.dealt)
        walker.scratch.picked[:] = random.integers(0, 4, 3)
        for seat in range(3):
            walker.scratch.strengths[seat] = walker.dealt.strengths[seat] if seat in state.live else 0
        kept = walker.dealt.random.copy()
        won, without = [], []
        for seat in range(3):
            costly = leaves if seat in state.live else free  # walks ask live seats alone
            for found, own in ((won, costly), (without, free)):
                walker.dealt.random[:] = kept
                found.append(roll_out(own, number, walker.dealt, walker.scratch, seat)[0])
        paid = 0.3 * sum(state.paid) * (walker.scratch.picked > 0) * np.isin(range(3), state.live)
        for seat in state.live:
            received = (paid.sum() - paid[seat]) / (len(state.live) - 1)
            assert won[seat] - without[seat] == pytest.approx(received - paid[seat])
        assert sum(won) == pytest.approx(0, abs=1e-6)
        assert all(won[seat] == pytest.approx(-state.paid[seat]) for seat in range(3) if seat not in state.live)
        scaled += leaves.scale[number] != 1
        assert tree.paid[leaf].tolist() == list(state.paid)
    assert scaled > 0 or len(root.live) < 3


def test_ranges_that_hardly_ever_fit_are_refused() -> None:
    """Hands that can be dealt together once in 10^7 draws: walks would give up drawing, and walk without cards."""
    game = small()
    names = list(game.deck.hand_names)
    ranges = np.zeros((2, len(names)))
    first, shared, other = (
        next(k for k, name in enumerate(names) if {*cards} == {name[:2], name[2:]})
        for cards in (("As", "Ks"), ("As", "9s"), ("9s", "8s"))
    )
    ranges[0, first] = ranges[1, shared] = 1.0
    for weight, fits in ((1.0, True), (0.01, True), (1e-7, False), (0.0, False)):
        ranges[1, other] = weight
        problem = SampledProblem(game=game, public=FLOP, ranges=ranges)
        if fits:
            assert search_sampled(problem, SampledSettings(iterations=5)).iterations >= 5
        else:
            with pytest.raises(InputError, match="cannot be dealt together"):
                search_sampled(problem, SampledSettings(iterations=5))


def test_wrong_input() -> None:
    game, ranges = small(), random_ranges(small())
    with pytest.raises(InputError, match="shape"):
        search_sampled(SampledProblem(game=game, public=FLOP, ranges=ranges[:, :5]))
    with pytest.raises(InputError, match="seat 1 is empty"):
        search_sampled(SampledProblem(game=game, public=FLOP, ranges=ranges * [[1], [0]]))
    with pytest.raises(InputError, match="nobody is to act"):
        search_sampled(SampledProblem(game=game, public=("c", "c"), ranges=ranges))
    with pytest.raises(InputError, match="needs a blueprint"):
        search_sampled(SampledProblem(game=game, public=(), ranges=ranges))
    only = np.zeros_like(ranges)
    only[:, 0] = 1
    with pytest.raises(InputError, match="share cards"):
        search_sampled(SampledProblem(game=game, public=FLOP, ranges=only))
    with pytest.raises(InputError, match="picks"):
        search_sampled(SampledProblem(game=game, public=FLOP, ranges=ranges), SampledSettings(picks=5))
