"""Brown 2020, figure 5.12; Brown et al. 2020, figure 6: forms of search on public belief states whose leaves are
solved, not guessed.

What follows each leaf of the first subgame, the trunk, is solved by DCFR in every iteration, for the beliefs of the
current policies (CFR-D) or of the averages (CFR-AVG). What is judged is the average over iterations, policies after the
leaves included, by exact best responses. The source shows turn endgame hold'em; here is its small form, of the pot, and
two games with few hands, in which the values of leaves jump from one iteration to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.liars_dice import two_level_dice
from counterpoise.deep.rebel.rounds import round_beliefs
from counterpoise.deep.rebel.solved_leaves import OracleSearch, Trunk
from counterpoise.deep.rebel.turn_holdem import turn_beliefs
from counterpoise.games.leduc import LeducPoker
from counterpoise.games.liars_dice import LiarsDice
from counterpoise.games.turn_holdem import MiniTurnHoldem
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Claim, Declared, Lab
from counterpoise.reproduce.harness.runs import Runs, by_iterations, convergence
from counterpoise.reproduce.harness.verdicts import Verdict, less

CFR_D, SOUND, MODIFIED = "CFR-D", "sound CFR-AVG", "modified CFR-AVG"
AGAIN = {CFR_D: "CFR-D, leaves solved again", SOUND: "sound CFR-AVG, leaves solved again"}
"""What is judged beside the average over iterations: the trunk's average, its leaves solved once more for it."""
FORMS: Mapping[str, Trunk] = {
    CFR_D: "cfr-d",
    SOUND: "sound-cfr-avg",
    MODIFIED: "cfr-avg",
    "linear FP": "linear-fp",
    "FLOP": "flop",
}
DICE, LEDUC, TURN = "Liar's Dice 1x3", "Leduc", "mini turn endgame hold'em"


@dataclass(frozen=True)
class SearchSetting:
    """A game of two levels and how far it is searched."""

    game: Callable[[], BeliefGame]
    known: str
    """Its table among the figures of others."""
    marks: tuple[int, ...]
    """Iterations after which it is judged."""
    inner: int
    """Iterations of DCFR after each leaf."""
    forms: tuple[str, ...] = tuple(FORMS)


SETTINGS: Mapping[str, SearchSetting] = {
    DICE: SearchSetting(lambda: two_level_dice(LiarsDice(faces=3)), "oracle 1x3", (16, 32, 64, 128, 256), 200),
    LEDUC: SearchSetting(
        lambda: round_beliefs(LeducPoker(merge_suits=False)), "oracle Leduc", (8, 16, 32, 64, 128), 200
    ),
    TURN: SearchSetting(
        lambda: turn_beliefs(MiniTurnHoldem()), "oracle turn", (16, 32, 64), 40, (CFR_D, SOUND, MODIFIED)
    ),
}


class Search:
    """A search as the harness steps it."""

    nodes_touched = 0

    def __init__(self, search: OracleSearch) -> None:
        self.search, self.iteration = search, 0

    def step(self, iterations: int = 1) -> None:
        """Run further iterations."""
        for _ in range(iterations):
            self.search.step()
        self.iteration += iterations


def forms_of_search(
    lab: Lab, games: Sequence[str] = tuple(SETTINGS), last: int | None = None, inner: int | None = None
) -> Iterator[Declared]:
    """Run every form on every game, up to the `last` iteration, and judge it at marks."""
    all_runs: dict[str, Runs] = {}
    for name in games:
        setting, runs = SETTINGS[name], Runs(name)
        marks = [mark for mark in setting.marks if last is None or mark <= last]
        with lab.stoppable():
            game = setting.game()
            for label in setting.forms:
                search = OracleSearch(game, FORMS[label], inner or setting.inner)
                figures = {label: search.exploitability}
                if label in AGAIN:
                    figures[AGAIN[label]] = search.unsafe_exploitability
                measure(lab, runs, Search(search), marks, figures, algorithm=FORMS[label])
        all_runs[name] = keep(lab, runs)
        known = lab.published("rebel")[setting.known]
        labels = [label for form in setting.forms for label in (form, AGAIN.get(form)) if label]
        unit = "of the pot" if name == TURN else "in the game's unit"
        shown = {label: known.get(label, {}) for label in labels}
        yield from by_iterations(f"{name}, solved leaves: exploitability {unit}", runs, shown, marks)

    def at_end(runs: Runs) -> Callable[[str], float]:
        return lambda label: runs.end(label).exploitability

    def worst(runs: Runs) -> Verdict:
        ratios = {
            (form, point.iteration): runs.at(again, point.iteration) / point.exploitability
            for form, again in AGAIN.items()
            for point in runs.points(form)
        }
        form, at = max(ratios, key=lambda place: ratios[place])
        return ratios[form, at] >= 1.5, f"{form}: {ratios[form, at]:.2f} times after {at} iterations"

    for name, runs in all_runs.items():
        yield Claim("sound-worse", less, at_end(runs), CFR_D, SOUND, about=name)
        yield Claim("modified-better", less, at_end(runs), MODIFIED, CFR_D, about=name)
        yield Claim("modified-beats-sound", less, at_end(runs), MODIFIED, SOUND, about=name)
        yield Claim("again-worse", worst, runs, about=name)
    yield convergence("Search with solved leaves", all_runs)
