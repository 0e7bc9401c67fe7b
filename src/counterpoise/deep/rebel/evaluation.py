"""The exact exploitability of a searching agent (Brown et al. 2020, section 6; the evaluation of table 5.7 in Brown
2020).

The agent solves a subgame, plays the policies of a drawn iteration, and solves the next one for the beliefs that these
leave. A *play-through* does this on every public history, with its own draws; the reach-weighted average of N of them
is a policy whose exploitability bounds that of the agent from above in expectation, more closely with larger N.

The *unsafe* agent always plays final averages, and its beliefs follow them.
"""

from __future__ import annotations

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats, IntArray, normalised
from counterpoise.deep.rebel.search import BeliefSolver
from counterpoise.deep.rebel.whole import WholeGame


class Visits:
    """Histories of one level that play-throughs reach: own reach of both players there, and the beliefs."""

    def __init__(self, nodes: IntArray, reach: Floats, beliefs: Floats) -> None:
        self.nodes, self.reach, self.beliefs = nodes, reach, beliefs

    def some(self, chosen: IntArray) -> Visits:
        """Return some of them, by their numbers."""
        return Visits(self.nodes[chosen], self.reach[chosen], self.beliefs[chosen])


def play_through(
    whole: WholeGame,
    solver: BeliefSolver,
    count: int,
    random: np.random.Generator,
    endgames: BeliefSolver | None = None,
    unsafe: bool = False,
) -> Floats:
    """Return the sum of the policies of `count` play-throughs of the whole game by own reach, [row, hand].

    Subgames that reach the end of the game are solved by `endgames`, if there is one, and their final averages are
    played, which is the expectation over drawn iterations because no beliefs follow. Histories that neither player's
    actions reach are left out.
    """
    game, total = whole.game, whole.new_table()
    hands = game.hands
    prior = np.asarray(game.prior, dtype=np.float64)
    visits = Visits(np.zeros(count, dtype=np.int64), np.ones((count, 2, hands)), np.tile(prior, (count, 1, 1)))
    while len(visits.nodes):
        states = whole.states[visits.nodes]
        following = []
        acting = game.tree_of[states] >= 0
        final = acting & game.final[states] if endgames is not None else np.zeros_like(acting)
        for chosen, using, averages in ((acting & ~final, solver, unsafe), (final, endgames, True)):
            if chosen.any() and using is not None:
                part = visits.some(np.flatnonzero(chosen))
                following += _solve(whole, using, part, averages, random, total)
        following += _deal(whole, visits.some(np.flatnonzero(~acting)))
        if not following:
            break
        visits = Visits(
            np.concatenate([part.nodes for part in following]),
            np.concatenate([part.reach for part in following]),
            np.concatenate([part.beliefs for part in following]),
        )
        visits = visits.some(np.flatnonzero(visits.reach.any(axis=(1, 2))))
    return total


def _solve(
    whole: WholeGame,
    solver: BeliefSolver,
    visits: Visits,
    averages: bool,
    random: np.random.Generator,
    total: Floats,
) -> list[Visits]:
    """Solve the subgames of visits, add the played policies to the total, and return the visits that follow."""
    game = whole.game
    drawn = solver.draw(random, len(visits.nodes))
    # Subgames with similar draws are solved together, as each batch runs to its last draw.
    trees = game.tree_of[whole.states[visits.nodes]]
    order = np.lexsort((trees, drawn)) if not averages else np.argsort(trees, kind="stable")
    following = []
    for begin in range(0, len(order), solver.capacity):
        part = visits.some(order[begin : begin + solver.capacity])
        states = whole.states[part.nodes]
        if averages:
            solver.solve(states, part.beliefs)
            played = believed = solver.average()
        else:
            solved = solver.solve(states, part.beliefs, drawn[order[begin : begin + solver.capacity]], False)
            played, believed = solved.played, solved.believed
        reach = solver.own_reach(solver.numbers(played))
        whole.add_played(total, part.nodes, part.reach, reach)
        reached = solver.at_leaves(reach)
        updated = reached if believed is played else solver.at_leaves(solver.own_reach(solver.numbers(believed)))
        for g, node in enumerate(part.nodes):
            count = int(game.leaves_of[states[g]])
            if count:
                own = part.reach[g] * reached[g, :, :count].transpose(1, 0, 2)
                ranges = part.beliefs[g] * updated[g, :, :count].transpose(1, 0, 2)
                nodes = whole.first_child[node] + np.arange(count)
                following.append(Visits(nodes, own, normalised(ranges, game.prior, game.live(int(states[g])))))
    return following


def _deal(whole: WholeGame, visits: Visits) -> list[Visits]:
    """Return the visits after all public cards that may be dealt."""
    game, following = whole.game, []
    for g, node in enumerate(visits.nodes):
        deals = game.deals[int(whole.states[node])]
        live = deals.live[:, None, :]
        nodes = whole.first_child[node] + np.arange(len(deals.states))
        beliefs = normalised(visits.beliefs[g] * live, game.prior, live)
        following.append(Visits(nodes, visits.reach[g] * live, beliefs))
    return following


def agent_exploitability(
    whole: WholeGame,
    solver: BeliefSolver,
    count: int,
    random: np.random.Generator,
    endgames: BeliefSolver | None = None,
    unsafe: bool = False,
) -> float:
    """Return the exploitability of the average of `count` play-throughs (one if unsafe), in the game's unit."""
    table = play_through(whole, solver, 1 if unsafe else count, random, endgames, unsafe)
    return whole.exploitability(table)
