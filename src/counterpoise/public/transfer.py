"""The strategies of one hold'em game written into a profile of another, whose bets may have other sizes.

Both are walked side by side. A bet that both games have is matched with itself; one that only one game has is matched
with the other's nearest by ratio of chips. So a probability moves to the new tree's nearest action (one that is nearest
to none gets none), and after a bet that the earlier tree lacks, play follows the earlier tree after its nearest bet.
Where the earlier tree has no counterpart at all, and for hands it does not know, the strategy is uniform. Strategies
that the new tree has fixed stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction
from counterpoise.public.holdem import HoldemGame
from counterpoise.public.profile import Profile
from counterpoise.public.street_trees import Following


def transfer(source: Profile, target: Profile) -> None:
    """Write the strategies of `source` into `target`, a profile of a game for the same board and stacks."""
    earlier, game = source.game, target.game
    assert isinstance(earlier, HoldemGame)
    assert isinstance(game, HoldemGame)
    counterparts = _counterparts(earlier, game)
    for board, node in enumerate(game.board_nodes):
        found = earlier.locate(node.cards).board
        rows_there = [_rows(earlier, game, player, board) for player in range(2)]
        for (number, place), other in counterparts.items():
            if game.street_trees[number].street != node.street:
                continue
            decision = game.street_trees[number].decisions[place]
            own, known = rows_there[decision.player], rows_there[decision.player] >= 0
            rows = np.full((len(decision.actions), len(own)), 1 / len(decision.actions))
            if other is not None and known.any():
                played = source.strategy(*other, found)
                moved = _moves(earlier.street_trees[other[0]].decisions[other[1]].actions, decision.actions) @ played
                rows[:, known] = moved[:, own[known]]
            target.set_strategy(number, place, board, rows)


def _counterparts(earlier: HoldemGame, game: HoldemGame) -> dict[tuple[int, int], tuple[int, int] | None]:
    """Return, for each decision (street tree, number) of the game, its counterpart in the earlier game."""
    found: dict[tuple[int, int], tuple[int, int] | None] = {}
    starts: list[tuple[int, int | None]] = [(0, 0)]
    while starts:
        number, other = starts.pop()
        tree = game.street_trees[number]
        there = None if other is None else earlier.street_trees[other]
        pairs: dict[int, int | None] = {0: 0 if there is not None and there.decisions else None}
        for place, decision in enumerate(tree.decisions):
            match = pairs[place]
            found[number, place] = None if match is None or other is None else (other, match)
            for action in decision.actions:
                kind, child = tree.children[place, action]
                after: Following | None = None
                if there is not None and match is not None:
                    node = there.decisions[match]
                    near = nearest(action, node.actions)
                    if near is not None and node.player == decision.player:
                        after = there.children[match, near]
                if kind == "decision":
                    same = after is not None and after[0] == "decision"
                    pairs[child] = after[1] if after is not None and same else None
                elif tree.leaves[child].tree:
                    leaf = there.leaves[after[1]] if there and after and after[0] == "leaf" else None
                    starts.append((tree.leaves[child].tree, leaf.tree if leaf is not None and leaf.tree else None))
    return found


def _moves(before: tuple[BetAction, ...], now: tuple[BetAction, ...]) -> NDArray[np.float64]:
    """Return the action of each tree that an action of the earlier tree becomes, as a matrix [now, before]."""
    moves = np.zeros((len(now), len(before)))
    for k, action in enumerate(before):
        near = nearest(action, now)
        moves[now.index(near) if near is not None else now.index(0), k] = 1
    return moves


def nearest(action: BetAction, actions: tuple[BetAction, ...]) -> BetAction | None:
    """Return the action itself if it is there, else for a bet the nearest by ratio; None if there is no bet."""
    if action in actions:
        return action
    bets = [bet for bet in actions if bet > 0]
    return min(bets, key=lambda bet: abs(np.log(bet / action))) if action > 0 and bets else None


def _rows(earlier: HoldemGame, game: HoldemGame, player: int, board: int) -> NDArray[np.int64]:
    """Return the earlier game's row of each row of a board, whose suits may be named otherwise; -1 if unknown."""
    node = game.board_nodes[board]
    found = earlier.locate(node.cards)
    assert found.renamed is not None
    cards = found.renamed[game.hands[player][node.hands[player]].astype(np.int64)]
    return earlier.row_of_deck(player, found.board)[earlier.deck.hand_table[cards[:, 0], cards[:, 1]]]
