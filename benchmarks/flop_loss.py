"""What Modicum's flop loses, exactly, in the game that its search solves, by how its leaves are valued.

A flop of 24 cards is limped. At its beginning the searcher's strategy of the round is put into the game of the round
whose leaves have exact values (all boards) and at which the opponent picks among the blueprint's four continuations;
a best response with the best picks is answered. The loss is how much more it wins than from a solution of that game by
many iterations, as a share of the pot.

    python benchmarks/flop_loss.py weak.cpz --board AsKhTd --fast --boards 6 12 24

Boards in the list are tried in the place of the agent's own number of them.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from random import Random

import numpy as np

import counterpoise as cp
from counterpoise.agents.flop_leaves import FlopLeaves
from counterpoise.agents.modicum import Modicum
from counterpoise.agents.searching import Budget, Deadline
from counterpoise.agents.subgames import open_subgame, solve_unsafe
from counterpoise.betting.sizes import label, read_label
from counterpoise.public import Cut, Profile, Traverser, build_holdem
from counterpoise.search.public_belief import PublicBelief

EXACT_ITERATIONS = 2_000


class FlopGame:
    """The game of a round with exact values at its leaves, and its value."""

    def __init__(self, agent: Modicum, belief: PublicBelief) -> None:
        self.agent, self.belief, opponent = agent, belief, 1 - agent.seat
        leaves = FlopLeaves(agent.blueprint, agent.search.factor, True, 0)
        counts = (4, 1) if opponent == 0 else (1, 4)
        self.leaves = leaves.after(belief, counts, 1_000_000, agent.search.similar)
        rules = open_subgame(belief, agent._menu(belief, None), cut=Cut(choices=counts))
        self.rules = replace(rules, isomorphism=False)
        self.game = build_holdem(self.rules)
        self.traverser = Traverser(self.game, leaves=self.leaves)
        budget = Budget(0.0, EXACT_ITERATIONS, EXACT_ITERATIONS)
        strategy, _ = solve_unsafe(belief, self.rules, agent.seat, budget, Deadline(3600), self.leaves)
        self.least = self.lost(strategy.profile)
        self.pot = float(belief.game.betting.total_pot(belief.betting))

    def lost(self, profile: Profile) -> float:
        """Return what the opponent's best response wins, in chips."""
        return float(self.traverser.best_response_values(profile)[1 - self.agent.seat])

    def loss(self, strategy: object) -> float:
        """Return the loss of a strategy of the round, per cent of the pot."""
        profile = Profile(self.game)
        for node in [self.game.root, *self.game.root.decisions_below()]:
            if node.kind != "decision" or node.player != self.agent.seat:
                continue
            line = (*self.belief.public, *[label(int(step)) for step in node.steps])
            found = strategy.behaviour(line)  # type: ignore[attr-defined]
            columns = {read_label(action): found.table[:, k] for k, action in enumerate(found.actions)}
            never = np.zeros(len(found.table))
            rows = np.stack([columns.get(int(action), never) for action in node.actions])
            node.set_strategy(profile, self.game.gather_from_deck(node.player, rows))
        return 100 * (self.lost(profile) - self.least) / self.pot


def main() -> None:
    """Print the loss of the blueprint and of searches."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--board", default="AsKhTd")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--boards", type=int, nargs="*", default=[])
    parser.add_argument("--sampled", action="store_true", help="also by sampling")
    given = parser.parse_args()
    for seat in (0, 1):
        agents = {
            values: Modicum(given.file, fast=given.fast, values=values).sit(
                cp.load(Modicum(given.file).home), seat, Random(0)
            )
            for values in ("multi", "single")
        }
        multi = agents["multi"]
        start = multi.blueprint_belief()
        for event in ("c", "c", given.board):
            start = start.after(event)
        game = FlopGame(multi, start)
        print(f"seat {seat}: blueprint {game.loss(start.strategy):.2f} % of a pot of {game.pot:g}", flush=True)
        for values, agent in agents.items():
            began = time.process_time()
            found = agent._second_round(start, None).strategy
            spent, note = time.process_time() - began, agent.searches[-1]
            print(f"seat {seat}: {values} {note.method} {game.loss(found):.2f} % in {spent:.2f} CPU s", flush=True)
            for boards in given.boards:
                own = agent.search
                iterations = own.fast_flop_iterations if given.fast else own.flop_iterations
                agent._known.pop("flop", None)
                began = time.process_time()
                leaves = agent._flop.after(start, agent._picks(agent._flop.count), boards, own.similar)
                budget = Budget(0.0, iterations, iterations)
                strategy = agent._with_leaves(start, None, leaves, budget, alike=False)
                spent = time.process_time() - began
                print(
                    f"seat {seat}: {values}, {boards} boards: {game.loss(strategy):.2f} % in {spent:.2f} CPU s",
                    flush=True,
                )
            if given.sampled:
                began = time.process_time()
                found = agent._sampled(start, None)
                spent = time.process_time() - began
                print(f"seat {seat}: {values}, sampled: {game.loss(found):.2f} % in {spent:.2f} CPU s", flush=True)


if __name__ == "__main__":
    main()
