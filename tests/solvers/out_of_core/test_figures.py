"""What a run says of its strategies: scales, all-zero information sets, grids of the first round, limps and caps."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.public import Profile
from counterpoise.solvers.out_of_core import Partition
from counterpoise.solvers.out_of_core.blocks import MemoryBlocks
from counterpoise.solvers.out_of_core.first_round import FirstRound
from counterpoise.solvers.out_of_core.parts import PartQuestion
from counterpoise.solvers.out_of_core.regrets import RegretCoder
from counterpoise.solvers.out_of_core.solver import OutOfCoreSolver
from tests.solvers.out_of_core.small import SMALL, TURN, run, solved


@pytest.mark.slow
def test_coarse_scales_leave_an_error_that_grows():
    """Johanson 2016, chapter 9: regrets below 1 / scale are lost. A fine scale is as good as any finer one."""
    found = [run(None, 60, scale=2.0**power) for power in (20, 7, 4, 1, -2, -4)]
    finest, *others = [one.mbb_per_game for one in found]
    assert others[0] == pytest.approx(finest, rel=0.25)
    assert others == sorted(others)
    assert [one.all_zero for one in found[:4]] == [0] * 4
    assert 0 < found[4].all_zero < found[5].all_zero
    bits = [one.bits_per_regret for one in found]
    assert bits == sorted(bits, reverse=True)


@pytest.mark.parametrize("game", [SMALL, TURN])
def test_all_zero_information_sets_are_counted(game):
    """Before the first iteration they are all there are; later those that a look at every hand finds."""
    partition = Partition.of(cp.load(game), 4)
    scales = (0.25,) * (len(partition.game.board) - 1)
    solver = OutOfCoreSolver(partition, scales, MemoryBlocks())
    solver.best_responses()
    later = sum(len(tree.decisions) * partition.states[tree.street] for tree in partition.trees if tree.street)
    assert sum(solver.all_zero) == later
    for _ in range(2):
        solver.update()
    solver.best_responses()
    counted = [0, 0]
    for part in range(partition.parts):
        tree_game = partition.build(part)
        coder, regrets = RegretCoder(tree_game, scales), Profile(tree_game)
        for seat in range(2):
            block = solver.store.read((part, seat, 1))  # type: ignore[arg-type]
            coder.decode(block.regrets, seat, regrets, "a block")
        for number, tree in enumerate(tree_game.street_trees):
            if tree.street == 0:
                continue
            for board in np.flatnonzero(tree_game.street_of == tree.street).tolist():
                for at, decision in enumerate(tree.decisions):
                    place = tree_game.place(number, at, board)
                    rows = regrets.store.wide[place.entry :][: len(decision.actions) * place.stride]
                    own = tree_game.board_nodes[board].hands[place.player]
                    live = ~np.isin(tree_game.hands[place.player][own], tree_game.board_nodes[board].cards).any(axis=1)
                    empty = live & ~(rows.reshape(-1, place.stride)[:, : len(own)] > 0).any(axis=0)
                    kinds = tree_game.hand_groups(board)[place.player][own]
                    counted[place.player] += len(np.unique(kinds[empty]))
    assert counted == solver.all_zero
    assert 0 < sum(counted) < later


def test_a_job_counts_only_where_it_answers():
    partition = Partition.of(cp.load(SMALL), 4)
    solver = OutOfCoreSolver(partition, (8.0,), MemoryBlocks())
    reach = np.ones((partition.lines, partition.game.deck.hand_count), dtype=np.float32)
    assert solver.worker.do(PartQuestion(0, 0, (0, 0)), reach).all_zero == 0
    assert solver.worker.do(PartQuestion(0, 0, (0, 0), "best response"), reach).all_zero > 0


def test_the_first_round_is_told_by_kinds_of_hands():
    """A grid for each decision of the first round; suits are alike in it, whatever they are called."""
    _, found = solved()
    partition = Partition.of(cp.load(SMALL), 4)
    assert list(found.first_round) == ["", "b4", "c", "c:b4"]
    for grid in found.first_round.values():
        assert len(grid) == 9  # AA KK QQ, and AK AQ KQ suited or not; 169 in a whole deck
        assert all(sum(row.values()) == pytest.approx(1) for row in grid.values())
    solver = OutOfCoreSolver(partition, (128.0,), MemoryBlocks())
    for _ in range(4):
        solver.update()
    trunk, regrets = solver.trunk, solver.regrets
    for node in trunk.root.decisions_below():
        rows = trunk.scatter_to_deck(node.player, node.strategy(regrets))
        for renamed in partition.rules.symmetry.hand_maps:
            np.testing.assert_array_equal(rows, rows[:, renamed])


@pytest.mark.long
def test_the_grid_of_a_whole_deck():
    """169 kinds of hands in every decision; suits are alike, and the dealer's limps are those of the grid."""
    game = "limit_holdem(board=[0, 3], max_bets=1)"
    partition = Partition.of(cp.load(game))
    solver = OutOfCoreSolver(partition, (8.0,), MemoryBlocks())
    for _ in range(3):
        solver.update()
    found = FirstRound(solver.trunk, solver.regrets)
    hands = {kind: 6 if len(kind) == 2 else 4 if kind.endswith("s") else 12 for kind in found.grids[""]}
    assert (len(hands), sum(hands.values())) == (169, 1_326)
    rows = [
        solver.trunk.scatter_to_deck(node.player, node.strategy(solver.regrets))
        for node in solver.trunk.root.decisions_below()
    ]
    for renamed in partition.rules.symmetry.hand_maps:
        assert all(np.array_equal(own, own[:, renamed]) for own in rows)
    limps = sum(count * found.grids[""][kind].get("c", 0.0) for kind, count in hands.items()) / 1_326
    assert found.limps == pytest.approx(limps)
    assert 0 < limps < 1


def test_limps_and_caps_are_shares_of_all_hands():
    """With every action alike the dealer limps with a third, and caps where a limp is raised."""
    partition = Partition.of(cp.load("limit_holdem(board=[0, 3], ranks=3, max_bets=3)"), 4)
    alike = FirstRound(partition.trunk, Profile(partition.trunk))
    assert alike.limps == pytest.approx(1 / 3)
    # Limp, the other raises (1 of 2), the dealer raises again (1 of 3): the third bet is the last.
    assert alike.caps == pytest.approx(1 / 3 * 1 / 2 * 1 / 3)
    grids = FirstRound(Partition.of(cp.load("limit_holdem(board=[0, 3])"), 40).trunk, Profile(partition.trunk))
    assert len(grids._kinds[0]) == 169


def test_the_value_is_inside_the_bracket():
    """The bracket of a small game holds the value by linear programming, and is as wide as both seats can gain."""
    tiny = "limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=1)"
    found = run(None, 60, tiny, scale=2.0**12, measure_at=None)
    value = 1000 * cp.exact(tiny).value[1] / cp.load(tiny).blinds[1]
    low, high = found.value_bracket
    assert low <= value + 1e-6
    assert value <= high + 1e-6
    assert (high - low) * cp.load(tiny).blinds[1] / 1000 == pytest.approx(2 * found.exploitability, abs=1e-12)
    assert found.trace[-1].exploitability < found.trace[0].exploitability / 5
