"""The variance that duplicate dealing saves (Johanson 2016, section 8.1), exactly, in small games.

Every deal is played once for each way to seat the agents, two of them for two players and six for three. A sample is
what an agent won on average over all rooms of a deal. Rooms share their cards: they are not independent, deals are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from counterpoise.games.base import CHANCE, TERMINAL, Game
from counterpoise.parameters import require

if TYPE_CHECKING:
    from counterpoise.tree import Strategy


class DuplicateMoments(NamedTuple):
    """Mean and standard deviation of a duplicate pair, in the game's unit."""

    mean: float
    deviation: float
    independent_deviation: float
    """The standard deviation of the mean of two independent hands, one in each seat."""

    @property
    def variance_ratio(self) -> float:
        """The factor by which a duplicate match needs fewer pairs."""
        return (self.independent_deviation / self.deviation) ** 2 if self.deviation else math.inf


def duplicate_moments(game: Game, first: Strategy, second: Strategy) -> DuplicateMoments:
    """Return what the first strategy wins from the second per hand in a duplicate match, exactly, by enumeration.

    The game has two players, and its deals do not depend on them: every outcome of chance is fixed beforehand, as with
    a shuffled deck. The rooms of a deal are independent once its cards are known.
    """
    require(game.players == 2, f"a duplicate pair is for two players, not {game.players}")
    means, squares, product = [0.0, 0.0], [0.0, 0.0], 0.0
    for deal, probability in full_deals(game):
        rooms = _room(game, deal, (first, second), 0), _room(game, deal, (second, first), 1)
        product += probability * rooms[0][0] * rooms[1][0]
        for room, (mean, square) in enumerate(rooms):
            means[room] += probability * mean
            squares[room] += probability * square
    variances = [square - mean**2 for square, mean in zip(squares, means, strict=True)]
    covariance = product - means[0] * means[1]
    paired = max(sum(variances) + 2 * covariance, 0.0)
    return DuplicateMoments(sum(means) / 2, math.sqrt(paired) / 2, math.sqrt(sum(variances)) / 2)


def full_deals(game: Game) -> list[tuple[tuple[str, ...], float]]:
    """Return every complete sequence of chance outcomes that some hand uses, with its probability."""
    found: dict[tuple[str, ...], float] = {}
    stack: list[tuple[Any, tuple[str, ...], float]] = [(game.initial(), (), 1.0)]
    seen = set()
    longest = 0
    while stack:
        state, dealt, probability = stack.pop()
        mover = game.player(state)
        longest = max(longest, len(dealt))
        if mover == TERMINAL:
            found.setdefault(dealt, probability)
        elif mover == CHANCE:
            if dealt not in seen:  # the same cards are dealt after any betting
                seen.add(dealt)
                stack += [
                    (game.next(state, one), (*dealt, one), probability * share) for one, share in game.chance(state)
                ]
        else:
            stack += [(game.next(state, action), dealt, probability) for action in game.actions(state)]
    return [(dealt, probability) for dealt, probability in found.items() if len(dealt) == longest]


def _room(game: Game, deal: Sequence[str], seats: Sequence[Strategy], own: int) -> tuple[float, float]:
    """Return the mean and the mean square of a seat's payoff, given all cards."""
    mean = square = 0.0
    stack: list[tuple[Any, int, float]] = [(game.initial(), 0, 1.0)]
    while stack:
        state, dealt, probability = stack.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            payoff = game.payoffs(state)[own]
            mean += probability * payoff
            square += probability * payoff**2
        elif mover == CHANCE:
            stack.append((game.next(state, deal[dealt]), dealt + 1, probability))
        else:
            chosen = seats[mover][mover, game.infoset(state)]
            stack += [
                (game.next(state, action), dealt, probability * share) for action, share in chosen.items() if share
            ]
    return mean, square
