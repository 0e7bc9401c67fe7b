"""Brown 2020, section 6.4 in small: Libratus against its own blueprint, and turn subgames with and without search.

The game is no-limit hold'em with 24 cards and 20 big blinds. Two blueprints are trained, a weak one with few buckets
after the flop and a strong one with ten times as many. Matches are duplicate, without the luck of cards (AIVAT).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from counterpoise.abstraction import abstraction
from counterpoise.agents.blueprint_strategy import BlueprintStrategy
from counterpoise.agents.searching import Deadline
from counterpoise.agents.subgames import open_subgame
from counterpoise.betting.sizes import label
from counterpoise.blueprint import Blueprint, train
from counterpoise.cards.deck import format_cards
from counterpoise.games import load
from counterpoise.play import match
from counterpoise.public import Profile, PublicNode, Traverser, build_holdem
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, Table
from counterpoise.reproduce.harness.verdicts import Verdict
from counterpoise.search.public_belief import PublicBelief
from counterpoise.search.search import search_subgame
from counterpoise.search.subgame import Subgame

GAME = "no_limit_holdem(ranks=6, stack=20)"
WEAK, STRONG = "weak", "strong"
BUCKETS = {WEAK: (36, 20, 20, 20), STRONG: (36, 200, 200, 200)}


class LibratusDemo:
    """The blueprints, the matches and the subgames."""

    def __init__(self, lab: Lab, trained: int, folder: Path) -> None:
        self.lab, self.trained, self.folder = lab, trained, folder
        self.scores: Figures = Figures(missing="the match against the {0} blueprint was not played")

    def file(self, kind: str) -> Path:
        """Return the file of a blueprint, trained first if it is not there."""
        path = self.folder / f"{kind}.cpz"
        if not path.exists():
            game: Any = load(GAME)
            cards = abstraction("IR-PHS-PHS", buckets=BUCKETS[kind], deck=game.deck, progress=False)
            train(GAME, abstraction=cards, iterations=self.trained, progress=self.lab.progress).blueprint.save(path)
        return path

    def play(self, kind: str, hands: int) -> None:
        """Play Libratus against its own blueprint."""
        file = self.file(kind)
        found = play_duplicate(self.lab, f"libratus:{file}(fast=True)", f"blueprint:{file}", hands)
        if found is not None:
            self.scores[kind,] = found

    @cached_property
    def weak(self) -> Blueprint:
        """The weak blueprint."""
        return Blueprint.load(self.file(WEAK))

    def turns(self, count: int, iterations: int, seed: int = 0) -> Iterator[tuple[float, float]]:
        """Yield for turn subgames, met by playing the weak blueprint, what both ways to play lose."""
        random, game = Random(seed), self.weak.game
        found, cancel = 0, self.lab.cancel
        while found < count and not (cancel is not None and cancel.cancelled):
            belief = PublicBelief.start(game, BlueprintStrategy(self.weak))
            deck = game.deck.cards.tolist()
            random.shuffle(deck)
            while belief.betting.to_act != -2:
                if belief.betting.to_act >= 0 and belief.betting.round == 2:
                    yield losses(belief, self.weak, found % 2, iterations)
                    found += 1
                    break
                belief = belief.after(self._next(belief, deck, random))

    def _next(self, belief: PublicBelief, deck: list[int], random: Random) -> str:
        """Draw the next public event: what the range of the seat to act does, or cards."""
        if belief.betting.to_act < 0:
            count = belief.game.board[belief.betting.round + 1]
            return format_cards(sorted([deck.pop() for _ in range(count)], reverse=True), "")
        known = belief.behaviour()
        shares = belief.ranges[belief.betting.to_act] @ known.table
        return random.choices(known.actions, shares.tolist())[0]


def play_duplicate(lab: Lab, agent: str, opponent: str, hands: int) -> tuple[float, float, float, float] | None:
    """Return what an agent wins without the luck of cards and by money, each with its 95 % interval, in mbb per hand.

    None if the match was stopped.
    """
    found = match(GAME, [agent, opponent], hands, duplicate=True, aivat=True, progress=lab.progress, cancel=lab.cancel)
    won = found.agents[0]
    if won.aivat_mean is None or won.aivat_ci95 is None or found.interrupted:
        return None
    return won.aivat_mean, won.aivat_ci95, won.mean, won.ci95


def losses(belief: PublicBelief, blueprint: Blueprint, seat: int, iterations: int) -> tuple[float, float]:
    """Return what a seat loses to a best response by unsafe search and by its blueprint, in chips per hand.

    Both in the subgame at a belief with the blueprint's own bets and the ranges there. Losses are counted from what the
    solution of the search is worth, which is the value of the subgame but for the error of the search.
    """
    game: Any = blueprint.game
    rules = open_subgame(belief, game.bet_sizes)
    tree = build_holdem(rules)
    subgame = Subgame(tree, seat, belief.public, tree.least_met).checked()
    algorithm = f"modicum-cfr+(total={iterations})"
    found = search_subgame(subgame, "unsafe", algorithm=algorithm, iterations=iterations, cancel=Deadline(600))
    kept = Profile(tree)
    for node in tree.root.decisions_below():
        known = blueprint.probabilities((*belief.public, *_events(node)))
        node.set_strategy(kept, tree.gather_from_deck(node.player, known.table.T))
    traverser, opponent = Traverser(tree), 1 - seat
    value = traverser.root_values(found.average)[opponent]
    searched, followed = (traverser.best_response_values(one)[opponent] - value for one in (found.average, kept))
    return float(searched), float(followed)


def _events(node: PublicNode) -> list[str]:
    """Return the actions and deals since the root of a subgame as public events."""
    return [format_cards(step, "") if isinstance(step, tuple) else label(step) for step in node.trail]


def libratus(
    lab: Lab, trained: int = 1_000_000, hands: int = 600, turns: int = 40, iterations: int = 200
) -> Iterator[Declared]:
    """Matches of Libratus against its own blueprints, and losses in turn subgames."""
    with TemporaryDirectory() as folder:
        demo = LibratusDemo(lab, trained, Path(folder))
        for kind in (WEAK, STRONG):
            demo.play(kind, hands)
        lost = list(demo.turns(turns, iterations))
    rows = [[kind, *demo.scores[kind,]] for kind in (WEAK, STRONG) if (kind,) in demo.scores]
    yield Table(
        "Libratus (fast) against its own blueprint, mbb per hand",
        ["blueprint", "AIVAT", "95 %", "money", "95 %"],
        rows,
    )
    yield Table(
        "What a best response wins in turn subgames, chips per hand",
        ["", "mean", "largest"],
        [
            [name, float(np.mean(column)), float(np.max(column))]
            for name, column in zip(("search", "blueprint"), zip(*lost, strict=True), strict=False)
        ],
    )

    def beats_weak() -> Verdict:
        mean, half, *_ = demo.scores[WEAK,]
        return mean > half, f"{mean:+.0f} ± {half:.0f} mbb per hand"

    def holds_strong() -> Verdict:
        mean, half, *_ = demo.scores[STRONG,]
        return mean + half > 0, f"{mean:+.0f} ± {half:.0f} mbb per hand"

    def loses_less() -> Verdict:
        better = sum(searched < kept for searched, kept in lost)
        return better >= 0.9 * len(lost), f"{better} of {len(lost)} subgames"

    yield Claim("beats-weak", beats_weak)
    yield Claim("holds-strong", holds_strong)
    yield Claim("loses-less", loses_less)
