"""The average strategies of one hold'em tree in the place of another's, whose bets may have other sizes.

Both are walked side by side. A bet that both trees have is the same bet; one that only one tree has stands for the
other's nearest by ratio of chips. So a probability goes to the new tree's nearest action (one that nothing comes near
to gets none), and after a bet which the earlier tree does not know play goes on as there after its nearest. Where the
earlier tree has no counterpart at all, and for hands it does not know, all actions are alike. Strategies that the new
tree has fixed stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction
from counterpoise.public.holdem import HoldemTree


def transfer(earlier: HoldemTree, tree: HoldemTree) -> None:
    """Make the average strategies of `tree` those of `earlier`, which is for the same board and stacks."""
    counterparts = _counterparts(earlier, tree)
    for board, table in enumerate(tree.tables_of):
        found, _ = earlier.find(table.cards)
        slots = [_slots(earlier, tree, player, board) for player in range(2)]
        for (number, place), other in counterparts.items():
            if tree.lines[number].street != table.street:
                continue
            decision = tree.lines[number].decisions[place]
            own, known = slots[decision.player], slots[decision.player] >= 0
            rows = np.full((len(decision.actions), len(own)), 1 / len(decision.actions))
            if other is not None and known.any():
                played = earlier.average_strategy(*other, found)
                moved = _moves(earlier.lines[other[0]].decisions[other[1]].actions, decision.actions) @ played
                rows[:, known] = moved[:, own[known]]
            tree.set_average(number, place, board, rows)


def _counterparts(earlier: HoldemTree, tree: HoldemTree) -> dict[tuple[int, int], tuple[int, int] | None]:
    """Per decision (line, number) of the tree the one of the earlier tree that it plays like."""
    found: dict[tuple[int, int], tuple[int, int] | None] = {}
    starts: list[tuple[int, int | None]] = [(0, 0)]
    while starts:
        number, other = starts.pop()
        line = tree.lines[number]
        there = None if other is None else earlier.lines[other]
        pairs: dict[int, int | None] = {0: 0 if there is not None and there.decisions else None}
        for place, decision in enumerate(line.decisions):
            match = pairs[place]
            found[number, place] = None if match is None or other is None else (other, match)
            for action in decision.actions:
                kind, child = line.children[place, action]
                after: tuple[str, int] | None = None
                if there is not None and match is not None:
                    node = there.decisions[match]
                    near = _nearest(action, node.actions)
                    if near is not None and node.player == decision.player:
                        after = there.children[match, near]
                if kind == "decision":
                    same = after is not None and after[0] == "decision"
                    pairs[child] = after[1] if after is not None and same else None
                elif line.leaves[child].line:
                    leaf = there.leaves[after[1]] if there and after and after[0] == "leaf" else None
                    starts.append((line.leaves[child].line, leaf.line if leaf is not None and leaf.line else None))
    return found


def _moves(before: tuple[BetAction, ...], now: tuple[BetAction, ...]) -> NDArray[np.float64]:
    """The action of each tree that an action of the earlier tree becomes, as a matrix [now, before]."""
    moves = np.zeros((len(now), len(before)))
    for k, action in enumerate(before):
        near = _nearest(action, now)
        moves[now.index(near) if near is not None else now.index(0), k] = 1
    return moves


def _nearest(action: BetAction, actions: tuple[BetAction, ...]) -> BetAction | None:
    """The same action, for a bet the nearest by ratio; None if there is none of its kind."""
    if action in actions:
        return action
    bets = [bet for bet in actions if bet > 0]
    return min(bets, key=lambda bet: abs(np.log(bet / action))) if action > 0 and bets else None


def _slots(earlier: HoldemTree, tree: HoldemTree, player: int, board: int) -> NDArray[np.int64]:
    """Per hand of the tree's board its place on the earlier tree's, which may name suits otherwise; -1 if unknown."""
    table = tree.tables_of[board]
    found, renamed = earlier.find(table.cards)
    cards = renamed[tree.hands[player][table.hands[player]].astype(np.int64)]
    return earlier.slots(player, found)[earlier.deck.hand_table[cards[:, 0], cards[:, 1]]]
