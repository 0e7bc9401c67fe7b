"""Figure 5.8 of BROWN (figure 2 of DLS) in no-limit flop hold'em, on a small deck.

The blueprint knows bets of half the pot and of the pot; the dealer opens with 3/4. The big blind solves the rest of the
first round again. At its end, before the flop is dealt, the dealer picks among K continuations whose values come from
the two sequences that the blueprint knows, as fractions of the pot. The continuations are self-generated, and with the
same search the four of the bias approach.

To judge an answer by itself the flop after it is then played as well as that answer allows, everything else of the big
blind being fixed. `gain` is what the opening gains the dealer, hand by hand, over what it has without it.

The dealer is seat 1 and acts first before the flop; the searcher is the big blind, seat 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterpoise import search
from counterpoise.betting.rules import BetAction
from counterpoise.betting.sizes import parse_size
from counterpoise.plots import Curve, Panel
from counterpoise.public import FlopHoldem, HoldemGame, Lock, Profile, PublicGame, PublicNode
from counterpoise.public.mini_holdem import NO_LIMIT_BLIND, millibigblinds
from counterpoise.reproduce.brown.depth_limited import COUNTS, FULL, METHODS, TRANSLATION
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, NotMeasured, Table
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.search.gadget import Method
from counterpoise.search.leaves import pot_of, same_ranks
from counterpoise.search.subgame import FloatArray
from counterpoise.search.translation import Shadow, Translator
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm

SEARCHER, OPPONENT = 0, 1
SIZES = ("50%", "100%")
"""The bets that the blueprint knows."""
SOLVER = "dcfr(alpha=1.5,beta=0.5,gamma=4)"
"""Of searches: behind a gadget it comes closer than CFR+, which made the blueprint, in as many iterations."""
SPREAD = 1.0
"""Of soft alternatives, in chips."""
CHEAP = 4
"""Depth-limited subgames are so small that they get this many times the iterations."""

Answer = Mapping[tuple[BetAction, ...], FloatArray]
"""The searcher's strategy before the flop after the opening: by actions since then, [action, hand]."""


class Gain(NamedTuple):
    """What the opening gains, in thousandths of a big blind, and by how much it may be less."""

    gain: float
    error: float


@dataclass(frozen=True)
class FlopBench:
    """A deck, its blueprint, and the same game with the opening that the blueprint does not know."""

    ranks: int
    iterations: int
    max_bets: tuple[int, int] = (3, 2)
    size: float = 0.75
    """Of the opening, in pots."""

    @cached_property
    def solved(self) -> PublicSolver:
        """The game without the opening, 200 big blinds deep; its average strategies are the blueprint."""
        return self._solved(FlopHoldem(self.ranks, 200, SIZES, SIZES, self.max_bets).game())

    @property
    def blueprint(self) -> Profile:
        """Strategies that do not know the opening."""
        return self.solved.average

    @cached_property
    def known_values(self) -> FloatArray:
        """What each hand of the dealer has against the blueprint without the opening, in chips."""
        return search.Subgame(self.solved.game, SEARCHER).root_values(self.blueprint, best=True)

    @cached_property
    def opening(self) -> BetAction:
        """The opening in chips."""
        betting = self._game.betting
        return parse_size(f"{100 * self.size:g}%", raising=True).total(betting, betting.initial())

    @cached_property
    def full(self) -> HoldemGame:
        """Everything after the opening."""
        return self._game.subtree(self._game.root, self._game.root.reach(self.blueprint), after=self.opening)

    @cached_property
    def with_opening(self) -> PublicSolver:
        """The game with the opening from the beginning, solved as the blueprint was."""
        root = self._game.root
        return self._solved(self._game.subtree(root, root.reach(self.blueprint), extra=[(root, self.opening)]))

    @cached_property
    def value(self) -> float:
        """What the game with the opening is worth to the dealer, in chips, about."""
        return float(self.with_opening.values()[OPPONENT])

    def exploitability(self, solver: PublicSolver) -> float:
        """Return what a best response wins beyond the value, in thousandths of a big blind."""
        return milli(float(solver.traverser.best_response_values(solver.average)[OPPONENT]) - self.value)

    def limited(self, leaves: search.LeafTable) -> search.Subgame:
        """Return the first round after the opening, the opponent picking among continuations at its end."""
        root = self._game.root
        starts = [root.child(action) for action in root.actions if action > 0]

        def similar(leaf: PublicNode) -> list[PublicNode]:
            return [same_ranks(leaf, start) for start in starts]

        found = search.SimilarLeaves(leaves, similar, pot_of)
        return search.depth_limited(root, self.blueprint, SEARCHER, found, after=self.opening)

    def answer(self, leaves: search.LeafTable | None, method: Method) -> Answer:
        """Return the answer by search with given leaves, or to the end of the game."""
        if leaves is None:
            return self._read(self._search(search.Subgame(self.full, SEARCHER), method, self.iterations).average)
        return self._read(self._search(self.limited(leaves), method, CHEAP * self.iterations).average)

    def gain(self, answer: Answer) -> Gain:
        """Return what the opening gains if the searcher gives an answer and then plays the flop as well as it can."""
        subgame = search.Subgame(self.full.with_locks(self.locks(answer)), SEARCHER)
        solver = self._search(subgame, "resolve", self.iterations)
        gain = self._gained(solver.average)
        least = max(gain - milli(2 * solver.exploitability()), 0.0)
        if least == 0:  # if no hand wants to come resolve learns slowly: soft alternatives let all come now and then
            gain = min(gain, self._gained(self._search(subgame, "distributional", self.iterations).average))
        return Gain(gain, gain - least)

    def locks(self, answer: Answer) -> list[Lock]:
        """Return the locks that make the searcher give an answer in the game after the opening."""
        found = []
        for steps, strategy in answer.items():
            node = self.full.root.follow(steps)
            rows = self.full.to_rows(SEARCHER, node.board, strategy)
            at = node.tree, node.at[1], node.board
            found += [Lock(*at, row, tuple(chosen)) for row, chosen in enumerate(rows.T.tolist())]
        return found

    def translated(self) -> tuple[Answer, Gain]:
        """Return the blueprint's answer to the bets for which the opening is taken, and what the opening gains if the
        searcher goes on by translation on the flop."""
        profile = search.tabulate_agent(self.full, SEARCHER, _AfterOpening(self))
        return self._read(profile), Gain(self._gained(profile), 0.0)

    def _search(self, subgame: search.Subgame, method: Method, iterations: int) -> search.SearchSolver:
        spread = SPREAD if method == "distributional" else 0.0
        alternative = subgame.game.from_hands_of(self._game, OPPONENT, self.known_values)
        gadget = search.make_gadget(subgame, method, alternative, spread, "hedge")
        solver = search.SearchSolver(make_algorithm(SOLVER), subgame, gadget)
        solver.step(iterations)
        return solver

    def _read(self, profile: Profile) -> Answer:
        """Return the searcher's strategies before the flop, by the hands of the game after the opening."""
        found = {}
        for node in self.full.root.decisions_below():
            if node.player == SEARCHER and node.tree == 0:
                there = profile.game.root.follow(node.steps)
                found[node.steps] = self.full.from_hands_of(profile.game, SEARCHER, there.strategy(profile))
        return found

    def _gained(self, profile: Profile) -> float:
        """Return what a best response to the searcher's strategy has over what there is without the opening."""
        subgame = search.Subgame(self.full, SEARCHER)
        without = self.full.from_hands_of(self._game, OPPONENT, self.known_values)
        more = np.maximum(subgame.root_values(profile, best=True) - without, 0.0)
        return milli(float(np.average(np.nan_to_num(more), weights=subgame.mass)))

    @property
    def _game(self) -> HoldemGame:
        game = self.solved.game
        assert isinstance(game, HoldemGame)
        return game

    def _solved(self, game: HoldemGame) -> PublicSolver:
        solver = PublicSolver(make_algorithm("cfr+"), game)
        solver.step(self.iterations)
        return solver


class _AfterOpening(Translator):
    """The searcher who translates, beginning after the opening."""

    def __init__(self, bench: FlopBench) -> None:
        super().__init__(bench.blueprint, SEARCHER)
        self._opening = bench.opening

    def start(self) -> list[Shadow]:
        """Return where the opening may have led."""
        return self.after(self.blueprint.game.root, super().start(), self._opening)


def milli(chips: float) -> float:
    """Return chips in thousandths of a big blind."""
    return millibigblinds(chips, NO_LIMIT_BLIND)


FLOP_TOO, BIAS = "translation on the flop too", "bias approach"
CLOSE = 1.0
"""Thousandths of a big blind; the figure's axis goes to 14."""


def flop_depth(lab: Lab, ranks: int = 4, counts: Sequence[int] = COUNTS, iterations: int = 1_000) -> Iterator[Declared]:
    """Answer the opening with the highest `ranks`, 200 big blinds, two raises before the flop and two bets on it."""
    bench, found, data = FlopBench(ranks, iterations), Figures(missing="{} was not run"), lab.data
    with lab.stoppable():
        _measure(lab, bench, counts, found)
    if found:
        data["gains"] = {label.removeprefix("K = "): [g._asdict() for g in row] for label, row in found.items()}
        yield _gains(lab, bench, found)
    if "nodes" in data:
        parts = {"public nodes": data["nodes"], "hands x actions": data["entries"]}
        yield Table(
            "The subgame after the opening",
            ["", "one value per leaf", f"{max(counts)} values per leaf", "to the end of the game"],
            [[name, *part.values()] for name, part in parts.items()],
        )
    yield from _claims(lab, found, counts)
    if "value" in data:
        yield (
            f"The blueprint's exploitability in its own game is {data['blueprint']:.2f} mbb. The best responses"
            f" that became continuations won {listed(data['won'], '.1f')}; the game is worth {data['value']:.1f} to the"
            " dealer."
        )
    known = [count for count in counts if f"K = {count}" in found]
    if known:
        losses: dict[str, Curve] = {
            method: Curve(known, [data["known"] + found[f"K = {count}"][number].gain for count in known])
            for number, method in enumerate(METHODS)
        }
        references = {
            TRANSLATION: data["known"] + found[FLOP_TOO][0].gain,
            "in the abstraction": data["in abstraction"],
        }
        panel = Panel(losses, "", "values per leaf", "exploitability (mbb)", y_scale="linear", references=references)
        yield Figure("What a bet gains that the blueprint lacks: flop hold'em", [panel])


def _measure(lab: Lab, bench: FlopBench, counts: Sequence[int], found: Figures) -> None:
    """Measure one answer after another; what was measured when the user stops it stays."""
    data = lab.data
    lab.begin("blueprint")
    data["blueprint"] = milli(bench.solved.exploitability())
    lab.begin("continuations")
    game, most, blueprint = bench.solved.game, max(counts), bench.blueprint
    generated = search.self_generated(game, blueprint, SEARCHER, most, iterations=bench.iterations)
    data["won"] = [milli(won) for won in generated.won]
    single, limited = (bench.limited(generated.leaves.take(OPPONENT, count)).game for count in (1, most))
    parts = {"single": single, "limited": limited, "full": bench.full}
    data["nodes"] = {name: int(part.nodes) for name, part in parts.items()}
    data["entries"] = {"single": _entries(single), "limited": _entries(limited), "full": int(bench.full.entries)}
    lab.begin("the opening in the blueprint")
    data["in abstraction"] = bench.exploitability(bench.with_opening)
    data["value"] = milli(bench.value)
    data["known"] = bench.exploitability(bench.solved)
    lab.begin("answers")
    translated, flop_too = bench.translated()
    found[FLOP_TOO] = [flop_too] * len(METHODS)
    found[TRANSLATION] = [bench.gain(translated)] * len(METHODS)
    leaves: dict[str, search.LeafTable | None] = {
        f"K = {count}": generated.leaves.take(OPPONENT, count) for count in counts
    }
    leaves |= {BIAS: search.LeafTable(game, ([blueprint], search.bias_approach(blueprint))), FULL: None}
    for number, (label, values) in enumerate(leaves.items()):
        lab.show(number / len(leaves), label)
        found[label] = [bench.gain(bench.answer(values, method)) for method in METHODS]


def _entries(game: PublicGame) -> int:
    """Return hands x actions of a game that ends before the flop; hands that suits make alike count once."""
    groups = [len(np.unique(own)) for own in game.hand_groups(0)]
    return sum(groups[node.player] * len(node.actions) for node in game.root.decisions_below())


def _gains(lab: Lab, bench: FlopBench, found: Figures) -> Table:
    heads = [head for method in METHODS for head in (f"{method}: gain", "error", "exploitability")]
    rows = [
        [label, *(f"{number:.2f}" for gain in row for number in (*gain, lab.data["known"] + gain.gain))]
        for label, row in found.items()
    ]
    return Table(
        f"{4 * bench.ranks} cards, mbb: what the opening gains (with the flop solved to within the error), and"
        f" exploitability of the big blind (without the opening {lab.data['known']:.2f}; with the opening in"
        f" the blueprint {lab.data['in abstraction']:.2f})",
        ["leaves", *heads],
        rows,
    )


def _claims(lab: Lab, found: Figures, counts: Sequence[int]) -> Iterator[Claim]:
    def compare(better: str, worse: str) -> Verdict:
        pairs = list(zip(METHODS, found[better], found[worse], strict=True))
        shown = "; ".join(f"{method} {good.gain:.2f}, {bad.gain:.2f}" for method, good, bad in pairs)
        return all(good.gain < bad.gain - bad.error for _, good, bad in pairs), shown

    def close() -> Verdict:
        losses, known = [lab.data["known"] + gain.gain for gain in found["K = 16"]], lab.data["in abstraction"]
        return max(losses) <= known + CLOSE, f"{listed(losses, '.2f')} beside {known:.2f}"

    def larger() -> Verdict:
        if "entries" not in lab.data:
            raise NotMeasured("the continuations were not made")
        times = lab.data["entries"]["full"] / lab.data["entries"]["limited"]
        return times > 100, f"{times:,.0f} times as many hands x actions"

    yield Claim("one-value-worse", compare, FLOP_TOO, "K = 1")
    for count in [count for count in counts if count > 1]:
        yield Claim("{count}-better-than-one", compare, f"K = {count}", "K = 1", count=count)
        yield Claim("{count}-better-than-translation", compare, f"K = {count}", FLOP_TOO, count=count)
    yield Claim("sixteen-close", close)
    yield Claim("full-depth-larger", larger)
