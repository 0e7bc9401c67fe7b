"""Brown 2020, table 5.5 and section 5.2.3 in small: Modicum with several values for each leaf, with one, and its
blueprint.

The game is no-limit hold'em with 24 cards and 20 big blinds. The searching agents and the blueprint they search with
know few buckets; the fixed opponent is a blueprint with ten times as many. Matches are duplicate, without the luck of
cards (AIVAT). Then local best responses that bet what the blueprint lacks meet the blueprint, which translates such
bets, and Modicum, which searches: one of ours, and the two of the source.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from counterpoise.agents.leaf_values import make_leaf_values
from counterpoise.evaluation import local_best_response
from counterpoise.reproduce.brown.libratus import GAME, STRONG, WEAK, LibratusDemo, play_duplicate
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, Table
from counterpoise.reproduce.harness.verdicts import Interval, Verdict, above, below

BLUEPRINT, SINGLE, MULTI = "blueprint", "single", "multi"
OFF_TREE = "off-tree"
PLANS = {OFF_TREE: "f,c,33%,75%,150%", "lbr-1": "lbr-1", "lbr-2": "lbr-2"}
"""What local best responses may do: the blueprint bets half the pot, the pot and all-in. The last two are published."""


class ModicumDemo:
    """The blueprints, the matches against the finer one and the local best responses."""

    def __init__(self, lab: Lab, trained: int, folder: Path) -> None:
        self.lab, self.made = lab, LibratusDemo(lab, trained, folder)
        self.scores = Figures(missing="the match of {0} was not played")
        self.lost = Figures(missing="the local best response {0} did not meet {1}")

    def agent(self, kind: str) -> str:
        """Return the name of one of the three agents with the coarse blueprint."""
        file = self.made.file(WEAK)
        return f"blueprint:{file}" if kind == BLUEPRINT else f"modicum:{file}(fast=True, values={kind})"

    def generate(self, **settings: int) -> None:
        """Make the values after the first round."""
        make_leaf_values(str(self.made.file(WEAK)), self.lab.progress, **settings)

    def play(self, kind: str, hands: int) -> None:
        """Play one of the agents against the blueprint with the finer abstraction."""
        found = play_duplicate(self.lab, self.agent(kind), f"blueprint:{self.made.file(STRONG)}", hands)
        if found is not None:
            self.scores[kind,] = found

    def respond(self, plan: str, kind: str, deals: int) -> None:
        """Let a local best response play."""
        found = local_best_response(
            GAME, self.agent(kind), deals, actions=PLANS[plan], progress=self.lab.progress, cancel=self.lab.cancel
        )
        if not found.interrupted:
            self.lost[plan, kind] = found.mean, found.ci95


def modicum(
    lab: Lab,
    trained: int = 1_000_000,
    hands: int = 60,
    deals: int = 12,
    boards: int = 300,
    responses: int = 100,
    values: int = 6,
) -> Iterator[Declared]:
    """Matches of Modicum and of its baselines against a finer blueprint, and local best responses to them."""
    met = [(OFF_TREE, BLUEPRINT)] + [(plan, MULTI) for plan in PLANS]
    with TemporaryDirectory() as folder:
        demo = ModicumDemo(lab, trained, Path(folder))
        with lab.stoppable():
            demo.generate(count=values, boards=boards, responses=responses)
            for kind in (BLUEPRINT, SINGLE, MULTI):
                demo.play(kind, hands)
            for plan, kind in met:
                demo.respond(plan, kind, deals)
    known = lab.published("modicum")
    yield Table(
        "Against a blueprint with a finer abstraction, mbb per hand; published scores against two programs",
        ["", "AIVAT", "95 %", "money", "95 %", "Baby Tartanian8", "95 %", "Slumbot", "95 %"],
        [
            [kind, *demo.scores[kind,], *known["Baby Tartanian8"][kind], *known["Slumbot"][kind]]
            for kind in (BLUEPRINT, SINGLE, MULTI)
            if (kind,) in demo.scores
        ],
    )
    printed = {(plan, MULTI): (-won, half) for plan, (won, half) in known["responses"].items()}
    yield Table(
        "What local best responses win with bets that the blueprint lacks, mbb per hand; published ones from Modicum",
        ["", "", "wins", "95 %", "published", "95 %"],
        [[*pair, *demo.lost[pair], *printed.get(pair, (None, None))] for pair in met if pair in demo.lost],
    )

    def ahead(better: str, worse: str) -> Verdict:
        found, other = (interval(demo.scores[kind,], hands) for kind in (better, worse))
        return above(minus(found, other), 0.0, f"{found} and {other} mbb per hand")

    def loses_less() -> Verdict:
        searched, followed = (interval(demo.lost[OFF_TREE, kind], deals) for kind in (MULTI, BLUEPRINT))
        return below(minus(searched, followed), 0.0, f"{searched} and {followed} mbb per hand")

    def wins(plan: str) -> Verdict:
        return below(interval(demo.lost[plan, MULTI], deals), 0.0)

    yield Claim("multi-single", ahead, MULTI, SINGLE)
    yield Claim("single-blueprint", ahead, SINGLE, BLUEPRINT)
    yield Claim("multi-blueprint", ahead, MULTI, BLUEPRINT)
    yield Claim("off-tree", loses_less)
    yield Claim("lbr-1", wins, "lbr-1")
    yield Claim("lbr-2", wins, "lbr-2")


def interval(found: Sequence[float], deals: int) -> Interval:
    """Return the interval of a figure that begins with its mean and half the width of the interval."""
    return Interval(found[0], found[1], deals, "deals")


def minus(first: Interval, second: Interval) -> Interval:
    """Return the interval of the difference of two independent means."""
    return Interval(first.mean - second.mean, math.hypot(first.half, second.half), first.size, first.of)
