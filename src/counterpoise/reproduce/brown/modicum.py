"""Brown 2020, table 5.5 and section 5.2.3 in small: Modicum with several values for each leaf, with one, and its
blueprint.

The game is no-limit hold'em with 24 cards and 20 big blinds. The searching agents and the blueprint they search with
know few buckets; the fixed opponent is a blueprint with ten times as many. Matches are duplicate, without the luck of
cards (AIVAT). Then a local best response that only bets sizes which the blueprint lacks meets the blueprint, which
translates them, and Modicum, which searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from counterpoise.agents.leaf_values import make_leaf_values
from counterpoise.judging import local_best_response
from counterpoise.reproduce.brown.libratus import GAME, STRONG, WEAK, LibratusDemo, play_duplicate
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, Table
from counterpoise.reproduce.harness.verdicts import Verdict

BLUEPRINT, SINGLE, MULTI = "blueprint", "single", "multi"
OFF_TREE = "f,c,33%,75%,150%"
"""What the local best response may do: the blueprint bets half the pot, the pot and all-in."""


class ModicumDemo:
    """The blueprints, the matches against the finer one and the local best responses."""

    def __init__(self, lab: Lab, trained: int, folder: Path) -> None:
        self.lab, self.made = lab, LibratusDemo(lab, trained, folder)
        self.scores = Figures(missing="the match of {0} was not played")
        self.lost = Figures(missing="no local best response met {0}")

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

    def respond(self, kind: str, deals: int) -> None:
        """Let the local best response play."""
        found = local_best_response(
            GAME, self.agent(kind), deals, actions=OFF_TREE, progress=self.lab.progress, cancel=self.lab.cancel
        )
        if not found.interrupted:
            self.lost[kind,] = found.mean, found.ci95


def modicum(
    lab: Lab,
    trained: int = 1_000_000,
    hands: int = 120,
    deals: int = 40,
    boards: int = 300,
    responses: int = 100,
    values: int = 6,
) -> Iterator[Declared]:
    """Matches of Modicum and of its baselines against a finer blueprint, and local best responses to them."""
    with TemporaryDirectory() as folder:
        demo = ModicumDemo(lab, trained, Path(folder))
        with lab.stoppable():
            demo.generate(count=values, boards=boards, responses=responses)
            for kind in (BLUEPRINT, SINGLE, MULTI):
                demo.play(kind, hands)
            for kind in (BLUEPRINT, MULTI):
                demo.respond(kind, deals)
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
    yield Table(
        "What a local best response wins with bets that the blueprint lacks, mbb per hand",
        ["", "wins", "95 %"],
        [[kind, *demo.lost[kind,]] for kind in (BLUEPRINT, MULTI) if (kind,) in demo.lost],
    )

    def ahead(better: str, worse: str) -> Verdict:
        (mean, half, *_), (other, spread, *_) = demo.scores[better,], demo.scores[worse,]
        return mean >= other, f"{mean:+.0f} ± {half:.0f} and {other:+.0f} ± {spread:.0f} mbb per hand"

    def loses_less() -> Verdict:
        (searched, half), (followed, spread) = demo.lost[MULTI,], demo.lost[BLUEPRINT,]
        return searched < followed, f"{searched:+.0f} ± {half:.0f} and {followed:+.0f} ± {spread:.0f} mbb per hand"

    yield Claim("multi-single", ahead, MULTI, SINGLE)
    yield Claim("single-blueprint", ahead, SINGLE, BLUEPRINT)
    yield Claim("multi-blueprint", ahead, MULTI, BLUEPRINT)
    yield Claim("off-tree", loses_less)
