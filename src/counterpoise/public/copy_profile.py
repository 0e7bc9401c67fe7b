"""The numbers of a hold'em profile, regrets or averages, moved into a game of the same boards with other bet sizes.

Both games are walked side by side. Where a decision has the same number of bets in both, they are matched in order,
else each is matched with the nearest by ratio of chips; the numbers of an action are copied from its counterpart, for
all boards at once. Actions without a counterpart get zeros, which read as the uniform strategy. Strategies, with other
boards or hands, are moved by `counterpoise.public.transfer`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction
from counterpoise.errors import InputError
from counterpoise.public.holdem import HoldemGame
from counterpoise.public.profile import Profile
from counterpoise.public.street_trees import Following, StreetTree
from counterpoise.public.transfer import nearest


class _Match(NamedTuple):
    """A street tree of the new game, its counterpart, and per player the counterpart's row of each row (-1: none)."""

    tree: int
    other: int
    rows: tuple[NDArray[np.int64], NDArray[np.int64]]


def copy_profile(source: Profile, game: HoldemGame) -> Profile:
    """Return the numbers of a profile in one of another game; both share the numbers if the trees are of one shape."""
    earlier = source.game
    assert isinstance(earlier, HoldemGame)
    if earlier.boards is not game.boards:
        raise InputError("numbers can be carried between games that share their boards only")
    matches = list(_matches(earlier, game))
    if _same_shape(earlier, game, matches):
        return Profile(game, source.bits, source.store)
    found = Profile(game, source.bits)
    for match in matches:
        for player in range(2):
            _copy_rows(source, found, match, player)
    found.keep_locks()
    return found


def _same_shape(earlier: HoldemGame, game: HoldemGame, matches: list[_Match]) -> bool:
    """Return whether every row of both games is matched with the row at the same place."""
    if len(matches) != len(game.street_trees) or len(game.street_trees) != len(earlier.street_trees):
        return False
    before, now = earlier.arrays.trees.rows, game.arrays.trees.rows
    return np.array_equal(before, now) and all(
        match.tree == match.other and all(np.array_equal(own, np.arange(len(own))) for own in match.rows)
        for match in matches
    )


def _copy_rows(source: Profile, found: Profile, match: _Match, player: int) -> None:
    """Copy the rows of one player in one street tree, board by board."""
    earlier, game = source.game, found.game
    here = match.rows[player][1:] - 1  # row 0 is the beginning, which has no numbers
    known = np.flatnonzero(here >= 0)
    there = here[known]
    street = game.street_trees[match.tree].street
    for board in np.flatnonzero(game.street_of == street).tolist() if len(known) else ():
        stride = int(game.boards.stride[player, board])
        (old, old_rows), (new, new_rows) = (
            earlier.stored_on(player, match.other, board),
            game.stored_on(player, match.tree, board),
        )
        found.numbers[new].reshape(-1, stride)[known] = source.numbers[old].reshape(-1, stride)[there]
        if source.bits == 16:
            found.store.scale[new_rows][known] = source.store.scale[old_rows][there]


def _matches(earlier: HoldemGame, game: HoldemGame) -> Iterator[_Match]:
    """Yield the street trees of the game that have a counterpart."""
    starts = [(0, 0)]
    while starts:
        number, other = starts.pop()
        tree, there = game.street_trees[number], earlier.street_trees[other]
        counts = game.arrays.trees.rows[:, number].tolist()
        rows = tuple(np.full(count, -1, dtype=np.int64) for count in counts)
        for own in rows:
            own[0] = 0
        decisions: dict[int, int] = {0: 0} if tree.decisions and there.decisions else {}
        for place, decision in enumerate(tree.decisions):  # parents first
            match = decisions.get(place)
            if match is None:
                continue
            twin = there.decisions[match]
            for k, action in enumerate(decision.actions):
                near = _counterpart(action, decision.actions, twin.actions)
                if near is None:
                    continue
                rows[decision.player][decision.first_row + k] = twin.first_row + twin.actions.index(near)
                kind, child = tree.children[place, action]
                after = there.children[match, near]
                if kind == "decision" and _same_player(tree, child, there, after):
                    decisions[child] = after[1]
                elif kind == "leaf" and after[0] == "leaf":
                    deals = tree.leaves[child].tree, there.leaves[after[1]].tree
                    starts += [deals] if all(deals) else []
        yield _Match(number, other, (rows[0], rows[1]))


def _same_player(tree: StreetTree, child: int, there: StreetTree, after: Following) -> bool:
    return after[0] == "decision" and there.decisions[after[1]].player == tree.decisions[child].player


def _counterpart(action: BetAction, now: tuple[BetAction, ...], before: tuple[BetAction, ...]) -> BetAction | None:
    """Return the action of the earlier tree that an action stands for; None if there is none."""
    bets, earlier_bets = ([bet for bet in actions if bet > 0] for actions in (now, before))
    if action > 0 and len(bets) == len(earlier_bets):
        return earlier_bets[bets.index(action)]
    return nearest(action, before)
