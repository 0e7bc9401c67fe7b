"""What the first search of Libratus costs in exploitability: unsafe as published, or safe.

Libratus sits in one seat of a small game whose last round is the one it searches, without jitter and without its nested
searches, so that all it adds to its blueprint are its first searches. What a best response in the other seat wins
from it is exact. A safe first search is Maxmargin search (Brown 2020, section 5.1.2); the alternative of each hand is
what a best response has against the blueprint.

    counterpoise train "no_limit_holdem(ranks=3, board=[0, 3, 1], blinds=[1, 2], stack=8)" -n 100000 --out three.cpz
    python benchmarks/first_search.py three.cpz --first safe --seat 0

`--tremble` is how likely the opponent is believed to act by mistake with any hand, as Modicum believes.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from random import Random

import numpy as np

from counterpoise.agents.blueprint import BlueprintAgent
from counterpoise.agents.libratus import Libratus
from counterpoise.agents.searching import Deadline, SearchClock
from counterpoise.agents.subgames import SolvedStrategy, affordable, open_subgame
from counterpoise.betting.sizes import label, read_label
from counterpoise.evaluation.best_response.answer import answer_players
from counterpoise.games import load
from counterpoise.games.holdem import GameMenu
from counterpoise.games.known import public_cards
from counterpoise.public import Profile, build_holdem
from counterpoise.search.public_belief import PublicBelief
from counterpoise.search.search import search_subgame
from counterpoise.search.subgame import FloatArray, Subgame


class FirstSearches(Libratus):
    """Libratus with its first searches alone."""

    safe = False
    tremble = 0.0

    def blueprint_belief(self) -> PublicBelief:
        """Return the belief before anybody has acted, in which the opponent may act by mistake."""
        return replace(super().blueprint_belief(), tremble=self.tremble)

    def _nested(self, belief: PublicBelief, keep: PublicBelief, event: str) -> PublicBelief:
        return keep

    def _first(self, belief: PublicBelief) -> PublicBelief:
        if not self.safe:
            return super()._first(belief)
        clock, ranges, opponent = SearchClock(), belief.ranges.copy(), 1 - self.seat
        ranges[opponent] = belief.game.deck.live_hands(public_cards(belief.public))
        wide = belief.follow(belief.strategy, ranges)
        rules = affordable(wide, self._sizes(belief), self._budget())
        game = build_holdem(rules)
        alternative = game.gather_from_deck(opponent, self._left_by_blueprint(belief, wide)[None])[0]
        subgame = Subgame(game, self.seat, belief.public, game.least_met).checked()
        iterations = self._budget().iterations(rules.size().effort)
        found = search_subgame(
            subgame,
            "maxmargin",
            alternative=alternative,
            algorithm=f"modicum-cfr+(total={iterations})",
            iterations=iterations,
            cancel=Deadline(self.seconds),
        )
        self.searches.append(clock.note(belief.public, "maxmargin", int(game.nodes), found.iterations))
        return belief.follow(SolvedStrategy(belief.game, belief.public, game.root, found.average))

    def _left_by_blueprint(self, belief: PublicBelief, wide: PublicBelief) -> FloatArray:
        """Return what a best response has against the blueprint in its own bets, by hand of the deck."""
        game, opponent = build_holdem(open_subgame(wide, GameMenu(home=self.blueprint.game))), 1 - self.seat
        before = Profile(game)
        for node in game.root.decisions_below():
            if node.player == self.seat:
                known = belief.strategy.behaviour((*belief.public, *[label(int(step)) for step in node.steps]))
                columns = {read_label(action): known.table[:, place] for place, action in enumerate(known.actions)}
                rows = np.stack([columns[int(action)] for action in node.actions])
                node.set_strategy(before, game.gather_from_deck(node.player, rows))
        subgame = Subgame(game, self.seat, belief.public, game.least_met).checked()
        best = np.nan_to_num(subgame.root_values(before, best=True))
        return np.asarray(game.scatter_to_deck(opponent, best[None])[0])


def main() -> None:
    """Print what a best response wins from the searcher and from its blueprint."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--first", choices=("unsafe", "safe"), default="unsafe")
    parser.add_argument("--tremble", type=float, default=0.0)
    parser.add_argument("--seat", type=int, choices=(0, 1), default=0, help="where the searcher sits")
    given = parser.parse_args()
    blueprint = BlueprintAgent(given.file)
    game = load(blueprint.home)
    searcher = FirstSearches(given.file, first_round=len(game.board) - 1, fast=True, jitter=0.0)  # type: ignore[attr-defined]
    searcher.safe, searcher.tremble = given.first == "safe", given.tremble
    for name, agent in ((f"{given.first} first searches", searcher), ("blueprint", blueprint)):
        players = [(agent if seat == given.seat else blueprint).sit(game, seat, Random(0)) for seat in range(2)]
        players[given.seat].expect_any_history()
        found = answer_players(game, players, name, progress=False)
        won = found.best_response_value[1 - given.seat]
        print(
            f"{name} in seat {given.seat}: a best response wins {won:.1f} mbb, {time.process_time():.0f} CPU s",
            flush=True,
        )


if __name__ == "__main__":
    main()
