"""Betting trees against the rules: every line of play, every payoff, every bound."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, draw_chance
from counterpoise.games.holdem import Holdem, _strengths
from counterpoise.sampling import BettingTree, TableLayout, build_betting_tree
from counterpoise.sampling.kernels.layouts import settle

GAMES = [
    "limit_holdem(ranks=5)",
    "limit_holdem(seats=3, ranks=5, max_bets=2, board=[0, 3, 1])",
    "no_limit_holdem",
    'no_limit_holdem(sizes=[["50%", "100%"], ["100%"], ["e"], ["allin"]], stack=30, ante=10)',
    "no_limit_holdem(seats=3, stacks=[300, 700, 1500], blinds=[50, 100], whole_chips=True)",
    "no_limit_holdem(seats=4, stacks=[130, 400, 90, 1000], rake=5, rake_cap=20, max_bets=2)",
    "no_limit_holdem(seats=6, stack=5, sizes=[allin], whole_chips=True, rake=3)",
    "no_limit_holdem(stacks=[60, 400], blinds=[50, 100])",
    "no_limit_holdem(board=[3, 0, 2], ranks=4, stack=4, sizes=[allin])",
]


def play_out(game: Holdem, tree: BettingTree, random: Random) -> None:
    """Play a random hand by the rules and walk along in the tree."""
    state, node = game.initial(), 0
    while (mover := game.player(state)) != TERMINAL:
        if mover == CHANCE:
            state = game.next(state, draw_chance(game, state, random))
            continue
        assert tree.arrays.player[node] == mover
        assert tree.arrays.round[node] == state.betting.round
        assert tuple(tree.paid[node]) == state.betting.paid
        assert tree.labels(node) == game.actions(state)
        assert len("".join(state.board)) // 2 == tree.board_cards[state.betting.round]
        assert tree.node_after(state.events) == node
        action = random.choice(game.actions(state))
        state, node = game.next(state, action), tree.child(node, action)
    assert not tree.decisions[node]
    row = tree.arrays.end[node]
    assert tree.ends.live[row] == sum(1 << seat for seat in state.betting.live)
    strengths = np.zeros(game.players, dtype=np.uint16)
    if len(state.betting.live) > 1:
        strengths[:] = _strengths(state.hands, "".join(state.board), game.ranking)
    wins = np.empty(game.players)
    settle(tree.ends, row, strengths, wins)
    assert tuple(wins.tolist()) == game.payoffs(state)


@pytest.mark.parametrize("name", GAMES)
def test_tree_is_the_game_and_pays_what_it_pays(name: str) -> None:
    game: Any = cp.load(name)
    tree, random = build_betting_tree(game), Random(1)
    for _ in range(300):
        play_out(game, tree, random)


@pytest.mark.parametrize("name", GAMES)
def test_numbering(name: str) -> None:
    """Children are side by side after their parent, and every node but the root is the child of one."""
    game: Any = cp.load(name)
    tree = build_betting_tree(game)
    seen = [child for node in range(tree.nodes) for child in tree.children(node)]
    assert sorted(seen) == list(range(1, tree.nodes))
    assert (tree.parent[1:] < np.arange(1, tree.nodes)).all()
    assert all(tree.parent[child] == node for node in range(min(tree.nodes, 500)) for child in tree.children(node))
    assert (tree.arrays.round[tree.parent] <= tree.arrays.round).all()
    last = tree.nodes - 1
    assert tree.node_after(tree.line(last)) == last


def test_layout_has_a_place_for_every_bucket_and_action() -> None:
    game: Any = cp.load("no_limit_holdem(seats=3, stack=5)")
    tree = build_betting_tree(game)
    buckets = [[3, 4, 5, 6], [1, 2, 2, 2], [7, 1, 1, 3]]
    layout = TableLayout.of(tree, buckets)
    table = np.zeros(layout.size, dtype=np.int32)
    rounds = []
    for node in np.flatnonzero(tree.decisions).tolist():
        block = layout.block(tree, node, table)
        round_, seat = int(tree.arrays.round[node]), int(tree.arrays.player[node])
        assert block.shape == (buckets[seat][round_], tree.arrays.actions[node])
        assert layout.round_start[round_] <= layout.start[node] < layout.round_start[round_ + 1]
        rounds.append(round_)
        block += 1
    assert (table == 1).all()
    with pytest.raises(InputError, match="buckets must be 4 positive numbers"):
        TableLayout.of(tree, [1, 2, 3])


@pytest.mark.slow
def test_too_large_a_tree_is_refused_with_what_to_cut() -> None:
    game: Any = cp.load("limit_holdem(seats=6)")
    with pytest.raises(InputError, match=r"more than 10,000 betting nodes: cut its menu .*max_bets"):
        build_betting_tree(game, most_nodes=10_000)
    chips: Any = cp.load("no_limit_holdem(sizes=any)")
    with pytest.raises(
        InputError, match="more than 100,000 betting nodes"
    ):  # at once, although the root has 19,803 bets
        build_betting_tree(chips, most_nodes=100_000)
    with pytest.raises(InputError, match="are of whole hands of hold'em, not of kuhn_poker"):
        build_betting_tree(cp.load("kuhn_poker"))  # type: ignore[arg-type]


def test_unknown_action_is_named() -> None:
    game: Any = cp.load("no_limit_holdem")
    tree = build_betting_tree(game)
    with pytest.raises(InputError, match="has no b250 here, only f, c, b300, b20000"):
        tree.node_after(("b250",))
