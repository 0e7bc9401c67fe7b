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
from counterpoise.betting.rules import BetAction
from counterpoise.betting.sizes import parse_size
from counterpoise.cards import Range
from counterpoise.plots import Curve, Panel
from counterpoise.public import HoldemTree, Start
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.mini_holdem import NO_LIMIT_BLIND, FlopHoldem, millibigblinds
from counterpoise.public.tables import Lock
from counterpoise.reproduce.harness.experiment import Lab
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, NotMeasured, Table, Verdict, listed
from counterpoise.search import Subgame, translate
from counterpoise.search.depth_limited_holdem import DepthLimitedHoldem, self_generated_leaves, side_by_side
from counterpoise.search.leaves_holdem import HandClasses, LeafMatrices, bias_approach_stores, leaf_matrices
from counterpoise.search.play_holdem import Place, WithBet, play_everywhere
from counterpoise.search.search import Method, make_gate
from counterpoise.search.solver import SearchSolver
from counterpoise.search.subgame import FloatArray
from counterpoise.search.translation_holdem import HoldemShadow, HoldemTranslator
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm

SEARCHER, OPPONENT = 0, 1
KNOWN = (0.5, 1.0)
SOLVER = "dcfr(alpha=1.5,beta=0.5,gamma=4)"
"""Of searches: behind a gate it comes closer than CFR+, which made the blueprint, in as many iterations."""
SPREAD = 1.0
"""Of soft alternatives, in chips."""
CHEAP = 4
"""Depth-limited subgames are so small that they get so many times the iterations."""
SIZES = tuple(f"{100 * size:g}%" for size in KNOWN)

Answer = Mapping[int, FloatArray]
"""The searcher's strategy before the flop after the opening: by decision, [action, hand]."""


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
    def game(self) -> FlopHoldem:
        """The blueprint's: 200 big blinds, the same sizes everywhere."""
        return FlopHoldem(self.ranks, 200, SIZES, SIZES, self.max_bets)

    @cached_property
    def whole(self) -> HoldemTree:
        """The game without the opening; its average strategies are the blueprint."""
        return self._solved(self.game.tree())

    @cached_property
    def known_values(self) -> FloatArray:
        """What each hand of the dealer has against the blueprint without the opening, in chips."""
        return Subgame(self.whole, SEARCHER).best_values()

    @cached_property
    def known_loss(self) -> float:
        """What a best response wins against the blueprint without the opening, in chips."""
        return float(self.whole.best_response_values()[OPPONENT])

    @cached_property
    def opening(self) -> BetAction:
        """In chips."""
        betting = self.game.betting
        return parse_size(f"{100 * self.size:g}%", raising=True).total(betting, betting.initial())

    @cached_property
    def full(self) -> HoldemTree:
        """Everything after the opening."""
        return self.game.tree((), Start(self.game.betting.apply(self.game.betting.initial(), self.opening)))

    @cached_property
    def with_opening(self) -> HoldemTree:
        """The game with the opening from the beginning, solved as the blueprint was."""
        tree, sizes = self.whole, WithBet.made(self.game.sizes, self.game.betting.initial(), self.opening)
        everything = Range(np.ones(tree.deck.hand_count), tree.deck)
        return self._solved(HoldemTree((), (everything, everything), tree.betting, sizes, tree.deck, deals=(3,)))

    @cached_property
    def value(self) -> float:
        """What the game with the opening is worth to the dealer, in chips, about."""
        return float(self.with_opening.root_values()[OPPONENT])

    @cached_property
    def in_abstraction(self) -> float:
        """What a best response wins if the opening is known from the beginning, in chips."""
        return float(self.with_opening.best_response_values()[OPPONENT])

    def exploitability(self, gain: float) -> float:
        """Of the blueprint with an answer to the opening, in thousandths of a big blind."""
        return milli(self.known_loss - self.value) + gain

    def limited(self, leaves: LeafMatrices) -> Subgame:
        """The first round after the opening, the opponent picking among continuations at its end."""
        first, betting = self.full.lines[0], self.game.betting
        ends = [side_by_side(first, self.whole.lines[0], start)[1] for start in self._known]
        similar, pots = dict[int, list[int]](), dict[int, float]()
        for number, leaf in enumerate(first.leaves):
            if leaf.kind == DEAL:
                similar[leaf.line] = [self.whole.lines[0].leaves[other[number]].line for other in ends]
                pots[leaf.line] = float(betting.total_pot(self.full.lines[leaf.line].state))
        return Subgame(DepthLimitedHoldem(self.whole, leaves.mapped(similar, pots), self.full.lines), SEARCHER)

    def answer(self, leaves: LeafMatrices | None, method: Method) -> Answer:
        """By search with given leaves, or to the end of the game."""
        if leaves is None:
            self.full.set_locks([])
            self._search(Subgame(self.full, SEARCHER), method, self.known_values, self.iterations)
            return {n: self.full.average_strategy(0, n, 0) for n in self._decisions}
        limited = self.limited(leaves)
        by_class = HandClasses(self.whole).of_hands(OPPONENT, self.known_values)
        self._search(limited, method, by_class, CHEAP * self.iterations)
        assert isinstance(limited.tree, DepthLimitedHoldem)
        return {n: limited.tree.behaviour(n) for n in self._decisions}

    def gain(self, answer: Answer) -> Gain:
        """What the opening gains if the searcher gives an answer and then plays the flop as well as it can."""
        places = ((n, hand, rows[:, hand]) for n, rows in answer.items() for hand in range(rows.shape[1]))
        self.full.set_locks([Lock(0, n, 0, hand, tuple(own.tolist())) for n, hand, own in places])
        subgame = Subgame(self.full, SEARCHER)
        solver = self._search(subgame, "resolve", self.known_values, self.iterations)
        gain = self._gained()
        least = max(gain - milli(2 * solver.exploitability()), 0.0)
        if least == 0:  # if no hand wants to come resolve learns slowly: soft alternatives let all come now and then
            self._search(subgame, "distributional", self.known_values, self.iterations)
            gain = min(gain, self._gained())
        return Gain(gain, gain - least)

    def translated(self) -> tuple[Answer, Gain]:
        """The blueprint's answer to the bets for which the opening is taken, and what the opening gains if the searcher
        goes on by translation on the flop."""
        self.full.set_locks([])
        shares = translate(self.size, KNOWN).values()
        everything = np.ones(self.whole.deck.hand_count)
        shadows = [
            HoldemShadow(Place(self.whole, 0, start, ()), share, everything)
            for start, share in zip(self._known, shares, strict=True)
        ]
        play_everywhere(self.full, SEARCHER, HoldemTranslator(self.whole, SEARCHER), shadows)
        return {n: self.full.average_strategy(0, n, 0) for n in self._decisions}, Gain(self._gained(), 0.0)

    def _search(self, subgame: Subgame, method: Method, alternative: FloatArray, iterations: int) -> SearchSolver:
        subgame.tree.clear()
        spread = SPREAD if method == "distributional" else 0.0
        gate = make_gate(subgame, method, alternative, spread, "hedge")
        solver = SearchSolver(make_algorithm(SOLVER), subgame, gate)
        solver.step(iterations)
        return solver

    def _gained(self) -> float:
        """By a best response to the searcher's average strategy after the opening, over what there is without it."""
        subgame = Subgame(self.full, SEARCHER)
        more = np.maximum(subgame.best_values() - self.known_values, 0.0)
        return milli(float(np.average(more, weights=subgame.mass)))

    @cached_property
    def _known(self) -> list[int]:
        """The searcher's decision after each opening of the blueprint."""
        root = self.whole.lines[0]
        return [root.children[0, action][1] for action in root.decisions[0].actions if action > 0]

    @property
    def _decisions(self) -> list[int]:
        return [n for n, node in enumerate(self.full.lines[0].decisions) if node.player == SEARCHER]

    def _solved(self, tree: HoldemTree) -> HoldemTree:
        PublicSolver(make_algorithm("cfr+"), tree).step(self.iterations)
        return tree


def milli(chips: float) -> float:
    """Chips in thousandths of a big blind."""
    return millibigblinds(chips, NO_LIMIT_BLIND)


METHODS: tuple[Method, ...] = ("resolve", "maxmargin")
COUNTS = (1, 2, 4, 8, 16)
TRANSLATION, FLOP_TOO, BIAS, FULL = "translation", "translation on the flop too", "bias approach", "full depth"
CLOSE = 1.0
"""Thousandths of a big blind; the figure's axis goes to 14."""


def flop_depth(lab: Lab, ranks: int = 4, counts: Sequence[int] = COUNTS, iterations: int = 1_000) -> Iterator[Declared]:
    """Flop hold'em with the highest `ranks`, 200 big blinds, two raises before the flop and two bets on it."""
    bench, found, data = FlopBench(ranks, iterations), Figures(missing="{} was not run"), lab.data
    with lab.stoppable():
        _measure(lab, bench, counts, found)
    if found:
        data["gains"] = {_key(label): [gain._asdict() for gain in row] for label, row in found.items()}
        yield _gains(lab, bench, found)
    if "nodes" in data:
        parts = {"public nodes": data["nodes"], "hands x actions": data["entries"]}
        yield Table(
            "The subgame after the opening",
            ["", "one value per leaf", f"{max(counts)} values per leaf", "to the end of the game"],
            [[name, *part.values()] for name, part in parts.items()],
        )
    yield from _claims(lab, bench, found, counts)
    if "value" in data:
        yield (
            f"The blueprint's exploitability in its own game is {data['blueprint']:.2f} mbb. The best responses"
            f" that became continuations won {listed(data['won'], '.1f')}; the game is worth {data['value']:.1f} to the"
            " dealer."
        )
    known = [count for count in counts if f"K = {count}" in found]
    if known:
        losses: dict[str, Curve] = {
            method: Curve(known, [bench.exploitability(found[f"K = {count}"][number].gain) for count in known])
            for number, method in enumerate(METHODS)
        }
        references = {
            TRANSLATION: bench.exploitability(found[FLOP_TOO][0].gain),
            "in the abstraction": data["in abstraction"],
        }
        panel = Panel(losses, "", "values per leaf", "exploitability (mbb)", y_scale="linear", references=references)
        yield Figure("What a bet gains that the blueprint lacks: flop hold'em", [panel])


def _measure(lab: Lab, bench: FlopBench, counts: Sequence[int], found: Figures) -> None:
    """Measure one answer after another; what was measured when the user stops it stays."""
    data = lab.data
    lab.begin("blueprint")
    data["blueprint"] = milli(bench.whole.exploitability())
    lab.begin("continuations")
    generated = self_generated_leaves(bench.whole, SEARCHER, max(counts), bench.iterations)
    data["won"] = [milli(won) for won in generated.won]
    cut = [bench.limited(generated.leaves.first(OPPONENT, count)).tree for count in (1, max(counts))]
    trees = {"single": cut[0], "limited": cut[1], "full": bench.full}
    for size in ("nodes", "entries"):
        data[size] = {name: int(getattr(tree, size)) for name, tree in trees.items()}
    lab.begin("the opening in the blueprint")
    data["in abstraction"] = milli(bench.in_abstraction - bench.value)
    data["value"] = milli(bench.value)
    data["known"] = bench.exploitability(0)
    lab.begin("answers")
    translated, flop_too = bench.translated()
    found[FLOP_TOO] = [flop_too] * len(METHODS)
    found[TRANSLATION] = [bench.gain(translated)] * len(METHODS)
    average = bench.whole.tables.average
    leaves: dict[str, LeafMatrices | None] = {
        f"K = {count}": generated.leaves.first(OPPONENT, count) for count in counts
    }
    leaves[BIAS] = leaf_matrices(bench.whole, ([average], bias_approach_stores(bench.whole, OPPONENT)))
    leaves[FULL] = None
    for number, (label, values) in enumerate(leaves.items()):
        lab.show(number / len(leaves), label)
        found[label] = [bench.gain(bench.answer(values, method)) for method in METHODS]


def _key(label: str) -> str:
    return label.removeprefix("K = ")


def _gains(lab: Lab, bench: FlopBench, found: Figures) -> Table:
    heads = [head for method in METHODS for head in (f"{method}: gain", "error", "exploitability")]
    rows = []
    for label, row in found.items():
        cells = [label]
        for gain in row:
            cells += [f"{gain.gain:.2f}", f"{gain.error:.2f}", f"{bench.exploitability(gain.gain):.2f}"]
        rows.append(cells)
    return Table(
        f"{4 * bench.ranks} cards, mbb: what the opening gains (with the flop solved to within the error), and"
        f" exploitability of the big blind (without the opening {lab.data['known']:.2f}; with the opening in"
        f" the blueprint {lab.data['in abstraction']:.2f})",
        ["leaves", *heads],
        rows,
    )


def _claims(lab: Lab, bench: FlopBench, found: Figures, counts: Sequence[int]) -> Iterator[Claim]:
    def compare(better: str, worse: str) -> Verdict:
        pairs = list(zip(METHODS, found[better], found[worse], strict=True))
        shown = "; ".join(f"{method} {good.gain:.2f}, {bad.gain:.2f}" for method, good, bad in pairs)
        return all(good.gain < bad.gain - bad.error for _, good, bad in pairs), shown

    yield Claim("one-value-worse", compare, FLOP_TOO, "K = 1")
    for count in [count for count in counts if count > 1]:
        yield Claim("{count}-better-than-one", compare, f"K = {count}", "K = 1", count=count)
        yield Claim("{count}-better-than-translation", compare, f"K = {count}", FLOP_TOO, count=count)

    def close() -> Verdict:
        losses = [bench.exploitability(gain.gain) for gain in found["K = 16"]]
        known = lab.data["in abstraction"]
        return max(losses) <= known + CLOSE, f"{listed(losses, '.2f')} beside {known:.2f}"

    def larger() -> Verdict:
        if "entries" not in lab.data:
            raise NotMeasured("the continuations were not made")
        times = lab.data["entries"]["full"] / lab.data["entries"]["limited"]
        return times > 100, f"{times:,.0f} times as many hands x actions"

    yield Claim("sixteen-close", close)
    yield Claim("full-depth-larger", larger)
