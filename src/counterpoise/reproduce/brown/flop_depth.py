"""Figure 5.8 of BROWN (figure 2 of DLS) in no-limit flop hold'em, on a small deck.

The blueprint knows bets of half the pot and of the pot; the dealer opens with 3/4. The big blind solves the rest of the
first round again. At its end, before the flop is dealt, the dealer picks among K continuations whose values come from
the two sequences that the blueprint knows, as fractions of the pot. The continuations are self-generated, and with the
same search the four of the bias approach.

To judge an answer by itself the flop after it is then played as well as that answer allows, everything else of the big
blind being fixed. `gain` is what the opening gains the dealer, hand by hand, over what it has without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.brown.flop_depth_bench import OPPONENT, SEARCHER, FlopBench, milli
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, NotMeasured, Table, Verdict, listed
from counterpoise.search.depth_limited_holdem import self_generated_leaves
from counterpoise.search.leaves_holdem import LeafMatrices, bias_approach_stores, leaf_matrices
from counterpoise.search.search import Method

METHODS: tuple[Method, ...] = ("resolve", "maxmargin")
COUNTS = (1, 2, 4, 8, 16)
TRANSLATION, FLOP_TOO, BIAS, FULL = "translation", "translation on the flop too", "bias approach", "full depth"
CLOSE = 1.0
"""Thousandths of a big blind; the figure's axis goes to 14."""


@experiment(
    "brown-5.8-flop",
    "Answers to a bet that the blueprint lacks, flop hold'em, by the continuations at the leaves",
    "BROWN 5.2.3, figure 5.8; DLS figure 2",
    seconds=110,
)
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
    yield (
        "Published (52 cards, figure only): one value is worse than translation, two and more are better, 16 are close"
        f" to having the opening in the blueprint. '{TRANSLATION}' is flattered: the flop after its answer is played"
        f" best, as after the others; '{FLOP_TOO}' is what the paper compares with. With one or two values"
        " resolve has many solutions that are equally good in the depth-limited game; which one a solver finds decides"
        " the gain, and whether two values are better than one there. All this depends on the deck: on 20 cards"
        " (`ranks=5`) one value per leaf was enough for the opening to gain nothing."
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

    yield Claim("one-value-worse", "One value per leaf is worse than translation", compare, FLOP_TOO, "K = 1")
    for count in [count for count in counts if count > 1]:
        text = f"{count} values per leaf are better than one"
        yield Claim(f"{count}-better-than-one", text, compare, f"K = {count}", "K = 1")
        text = f"{count} values per leaf, then the best flop, are better than {FLOP_TOO}"
        yield Claim(f"{count}-better-than-translation", text, compare, f"K = {count}", FLOP_TOO)

    def close() -> Verdict:
        losses = [bench.exploitability(gain.gain) for gain in found["K = 16"]]
        known = lab.data["in abstraction"]
        return max(losses) <= known + CLOSE, f"{listed(losses, '.2f')} beside {known:.2f}"

    def larger() -> Verdict:
        if "entries" not in lab.data:
            raise NotMeasured("the continuations were not made")
        times = lab.data["entries"]["full"] / lab.data["entries"]["limited"]
        return times > 100, f"{times:,.0f} times as many hands x actions"

    text = f"With 16 values it is within {CLOSE:g} of having the opening in the blueprint"
    yield Claim("sixteen-close", text, close)
    yield Claim("full-depth-larger", "To the end of the game the subgame is more than a hundred times larger", larger)
