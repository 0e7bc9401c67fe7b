"""The first betting round with values from a table, against the exact values of a small deck."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.cards import Range
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.games.moves import CALL, FOLD
from counterpoise.public import HoldemGame, HoldemRules, LeafBatch, Profile, PublicNode, Traverser, build_holdem
from counterpoise.public.showdowns import showdown_margin
from counterpoise.sampling import NodeStrategy, build_betting_tree
from counterpoise.search.leaves import LeafTable, pot_of, weakened
from counterpoise.search.round_continuations import RoundSettings, make_round_table
from counterpoise.search.round_files import load_round_table, save_round_table
from counterpoise.search.round_table import (
    GameMenu,
    RoundTable,
    first_round,
    leaves_after,
    round_profile,
    similar_ends,
    write_round,
)
from counterpoise.search.search import search_subgame
from counterpoise.search.subgame import Subgame

GAME = "no_limit_holdem(ranks=4, board=[0, 3], stack=4, sizes=['50%', '100%', 'allin'])"
STACK, BOARDS = 400, 1500


@cache
def blueprint() -> Blueprint:
    """A strategy of random weights in which every action has some."""
    game = cp.load(GAME)
    assert isinstance(game, Holdem)
    cards = cp.abstraction("IR-PHS-PHS", buckets=(16, 6), deck=game.deck, progress=False)
    tree = build_betting_tree(game)
    weights = np.random.default_rng(2).integers(1, 10, layout_of(tree, [cards]).size).astype(np.float32)
    return Blueprint(game, cards, weights, tree=tree)


def strategy() -> NodeStrategy:
    known = blueprint()
    return NodeStrategy(known.layout, known.table, known.abstractions)


@cache
def table() -> RoundTable:
    settings = RoundSettings(approach="bias", count=3, boards=BOARDS, per_class=2, both=True)
    return make_round_table(blueprint().tree, strategy(), settings)


@cache
def whole() -> HoldemGame:
    """The whole game, whose flops are enumerated."""
    game = blueprint().game
    everything = Range(np.ones(game.deck.hand_count), game.deck)
    return build_holdem(
        HoldemRules((), (everything, everything), game.betting, GameMenu(home=game), game.deck, game.board[1:])
    )


def on_whole(known: Blueprint) -> Profile:
    """Return a blueprint as a profile of the whole game."""
    from counterpoise.betting.sizes import label
    from counterpoise.cards.deck import format_cards

    found = Profile(whole())
    for node in whole().root.decisions_below():
        public = tuple(format_cards(step, "") if isinstance(step, tuple) else label(step) for step in node.trail)
        node.set_strategy(found, whole().gather_from_deck(node.player, known.probabilities(public).table.T))
    return found


@cache
def exact() -> LeafTable:
    known = blueprint()
    own = [on_whole(known), on_whole(known.biased(FOLD, 10.0)), on_whole(known.biased(CALL, 10.0))]
    return LeafTable(whole(), (own, own))


def ends() -> list[PublicNode]:
    game = table().round_game
    nodes = [PublicNode(game, 0, ("leaf", place), ()) for place in range(len(game.street_trees[0].leaves))]
    return [node for node in nodes if node.kind == "value"]


@pytest.mark.long
@pytest.mark.parametrize("picks", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_means_over_boards_are_the_exact_values(picks: tuple[int, int]) -> None:
    """Means over dealt boards against the enumeration of all flops and hands, per pair of classes."""
    checked = 0
    for leaf in ends():
        node = whole().find(leaf.steps)
        if node.kind != "deal":
            continue
        checked += 1
        found, expected = table().matrices(leaf.game, [leaf], [picks])[0], exact().matrix(node, picks)
        np.testing.assert_array_equal(found.groups[0], expected.groups[0])
        met = table()._known_groups[1]
        for seat in range(2):
            per_pair = (found.values[seat] - expected.values[seat]) / np.maximum(met[seat], 1)
            won = pot_of(leaf) / 2 + STACK  # more than anybody can win or lose
            assert np.abs(per_pair).max() < 4 * won / np.sqrt(0.39 * BOARDS)  # 0.39 of the boards leave a pair
            assert np.sqrt((per_pair**2).mean()) < 0.02 * won
    assert checked > 3


@pytest.mark.slow
def test_hands_of_one_class_meet_too() -> None:
    """With one hand of each class for each seat, two hands of the same class meet as often as any other pair."""
    few, every = (
        make_round_table(
            blueprint().tree, strategy(), RoundSettings(approach="bias", count=1, boards=BOARDS, per_class=hands)
        ).means[0, 0]
        for hands in (1, 12)
    )
    same = np.arange(few.shape[1])
    found, expected = few[:, same, same], every[:, same, same]
    assert ((found != 0) == (expected != 0)).mean() > 0.95
    assert np.sqrt(((found - expected) ** 2).mean()) < 0.5 * np.sqrt((expected**2).mean())


@pytest.mark.slow
def test_a_call_of_an_all_in_is_worth_the_wins_on_all_boards() -> None:
    margin = showdown_margin(whole(), ())
    leaf = next(leaf for leaf in ends() if whole().find(leaf.steps).kind == "end")
    found = table().matrices(leaf.game, [leaf], [(0, 0)])[0]
    groups = found.groups[0]
    for group in range(groups.max() + 1):
        hand = int(np.argmax(groups == group))
        exactly = [STACK * margin[hand][groups == other].sum() for other in range(groups.max() + 1)]
        np.testing.assert_allclose(found.values[0][group], exactly, atol=0.12 * STACK * 12)


@pytest.mark.slow
def test_the_solution_of_the_round_is_one_of_the_exact_depth_limited_game() -> None:
    """What is found with the table's values loses little in the game with exact ones at its ends."""
    own = table().picked_by(1)
    game = build_holdem(first_round(blueprint().game, GameMenu(home=blueprint().game), own.counts))

    class Exact:
        """Exact values where the flop follows, the table's at run-outs."""

        counts = own.counts

        def values(self, batch: LeafBatch):  # type: ignore[no-untyped-def]
            won = own.values(on_home(batch))
            for number, (leaf, picks) in enumerate(zip(batch.leaves, batch.picks, strict=True)):
                if whole().find(leaf.steps).kind == "deal":
                    one = LeafBatch(
                        batch.game,
                        [leaf],
                        [picks],
                        (batch.reach[0][number : number + 1], batch.reach[1][number : number + 1]),
                    )
                    exactly = exact().values(one)
                    for seat in range(2):
                        won[seat][number] = exactly[seat][0]
            return won

    def on_home(batch: LeafBatch) -> LeafBatch:
        return LeafBatch(
            own.round_game, [own.round_game.find(leaf.steps) for leaf in batch.leaves], batch.picks, batch.reach
        )

    leaves = leaves_after(own, own, blueprint().game, ())
    found = search_subgame(
        Subgame(game, 0, (), game.least_met, leaves), "unsafe", algorithm="modicum-cfr+(total=200)", iterations=200
    )
    judge = Traverser(game, leaves=Exact())
    assert sum(judge.best_response_values(found.average)) / 2 < 0.02 * STACK
    even = sum(judge.best_response_values(Profile(game))) / 2
    assert even > 0.1 * STACK


def test_leaves_of_other_sizes_are_the_mean_of_both_neighbours_by_shares_of_the_pot() -> None:
    """The pot has both contributions, on both sides of the mapping."""
    game = blueprint().game
    places = similar_ends(table(), game, (270, 0))
    assert [node.steps for node in places] == [(300, 0), (200, 0)]
    assert [node.steps for node in similar_ends(table(), game, (270, 0), "nearest")] == [(300, 0)]
    assert [node.steps for node in similar_ends(table(), game, (300, 0))] == [(300, 0)]
    assert [node.steps for node in similar_ends(table(), game, (400, 0))] == [(400, 0)]
    menu = GameMenu(home=game).with_bet(game.betting_after(()), 270)
    other = build_holdem(first_round(game, menu))
    leaf = other.find((270, 0))
    matrix = leaves_after(table(), table(), game, ()).matrices(other, [leaf], [(0, 0)])
    assert matrix is not None
    near = table().matrices(table().round_game, places, [(0, 0)] * 2)
    expected = (540 / 600 * near[0].values[0] + 540 / 400 * near[1].values[0]) / 2
    np.testing.assert_allclose(matrix[0].values[0], expected)


def test_no_continuation_is_worth_more_than_the_blueprint_against_it() -> None:
    """At the ends of the round, against the blueprint's range, after weakening."""
    own = table().picked_by(1)
    profile = round_profile(table(), strategy())
    leaves, before = weakened(own, 1, profile), []
    for leaf in ends():
        first, second = (np.repeat(one[None], 3, axis=0) for one in leaf.reach(profile))
        batch = LeafBatch(own.round_game, [leaf] * 3, [(0, 0), (0, 1), (0, 2)], (first, second))
        plain, *others = leaves.values(batch)[1]
        assert all((other <= plain + 1e-6).all() for other in others)
        before.append(max((other - plain).max() for other in own.values(batch)[1]))
    assert max(before) > 1  # else there was nothing to weaken


def test_both_seats_picking_with_one_continuation_of_the_searcher_is_the_opponent_alone() -> None:
    """With one continuation of the searcher the opponent alone picks, bit for bit."""
    both = RoundTable(table().tree, {picks: means for picks, means in table().means.items() if picks[0] == 0})
    alone = table().picked_by(1)
    assert both.picked_by_both().counts == alone.counts
    batch = LeafBatch(
        alone.round_game, ends()[:1], [(0, 1)], tuple(np.ones((1, n)) for n in alone.round_game.hand_counts)
    )  # type: ignore[arg-type]
    for seat in range(2):
        np.testing.assert_array_equal(both.picked_by_both().values(batch)[seat], alone.values(batch)[seat])
    with pytest.raises(InputError, match="3 continuations of seat 1, not 4"):
        table().picked_by(1, 4)


def test_the_first_round_of_a_blueprint_goes_to_a_profile_and_back() -> None:
    profile = round_profile(table(), strategy())
    for seat in range(2):
        written = write_round(table(), profile, seat, strategy())
        tree, layout = blueprint().tree, blueprint().layout
        for node in np.flatnonzero(tree.decisions & (tree.arrays.player == seat) & (tree.arrays.round == 0)).tolist():
            shares, expected = (layout.block(tree, node, one) for one in (written, blueprint().table))
            np.testing.assert_allclose(
                shares / shares.sum(axis=1, keepdims=True), expected / expected.sum(axis=1, keepdims=True), atol=1e-6
            )


@pytest.mark.slow
def test_generated_continuations_win_more_against_the_blueprint() -> None:
    """An answer that was learned is worth more at the ends of the round than the blueprint, on average."""
    settings = RoundSettings(count=2, boards=300, responses=200, iterations=100)
    made = make_round_table(blueprint().tree, strategy(), settings)
    profile = round_profile(made, strategy())
    gained = []
    for leaf in ends():
        node = made.round_game.find(leaf.steps)
        reach = node.reach(profile)
        first, second = (np.repeat(one[None], 2, axis=0) for one in reach)
        batch = LeafBatch(made.round_game, [node, node], [(0, 0), (0, 1)], (first, second))
        plain, learned = made.values(batch)[1] @ reach[1]
        gained.append(learned - plain)
    assert sum(gained) > 0
    assert np.mean(np.array(gained) >= -1e-9) > 0.7


def test_tables_are_kept_in_files_for_one_blueprint(tmp_path: Path) -> None:
    path = tmp_path / "small.leaves.cpz"
    save_round_table(table(), path, "this", RoundSettings(approach="bias", count=2))
    read = load_round_table(path, blueprint().tree, "this")
    for picks, means in table().means.items():
        np.testing.assert_array_equal(read.means[picks], means)
    with pytest.raises(InputError, match="for another blueprint"):
        load_round_table(path, blueprint().tree, "that")
