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

from counterpoise.plots import Curve, Panel, panels
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.flop_depth_bench import OPPONENT, SEARCHER, FlopBench, Gain, milli
from counterpoise.search.depth_limited_holdem import GeneratedLeaves, self_generated_leaves
from counterpoise.search.leaves_holdem import LeafMatrices, bias_approach_stores, leaf_matrices
from counterpoise.search.search import Method

METHODS: tuple[Method, ...] = ("resolve", "maxmargin")
COUNTS = (1, 2, 4, 8, 16)
TRANSLATION, FLOP_TOO, BIAS, FULL = "translation", "translation on the flop too", "bias approach", "full depth"
CLOSE = 1.0
"""Thousandths of a big blind; the figure's axis goes to 14."""

Found = dict[str | int, list[Gain]]
"""By the leaves of the subgame: what the opening gains, for each method at the root."""


@experiment(
    "brown-5.8-flop",
    "Answers to a bet that the blueprint lacks, flop hold'em, by the continuations at the leaves",
    "BROWN 5.2.3, figure 5.8; DLS figure 2",
    seconds=110,
)
def flop_depth(
    setup: Setup, report: Report, ranks: int = 4, counts: Sequence[int] = COUNTS, iterations: int = 1_000
) -> None:
    """Flop hold'em with the highest `ranks`, 200 big blinds, two raises before the flop and two bets on it."""
    bench, found = FlopBench(ranks, iterations), Found()
    try:
        _measure(setup, report, bench, counts, found)
    except KeyboardInterrupt:
        report.interrupted = True
    if found:
        report.data["gains"] = {str(label): [gain._asdict() for gain in row] for label, row in found.items()}
        _table_of_gains(report, bench, found)
    if "nodes" in report.data:
        _table_of_sizes(report, max(counts))
    _judge(report, bench, found, counts)
    _notes(report)
    _figure(setup, report, bench, found)


def _measure(setup: Setup, report: Report, bench: FlopBench, counts: Sequence[int], found: Found) -> None:
    """One after another; what was measured when the user stops it stays."""
    setup.live.begin("blueprint")
    report.data["blueprint"] = milli(bench.whole.exploitability())
    setup.live.begin("continuations")
    generated = self_generated_leaves(bench.whole, SEARCHER, max(counts), bench.iterations)
    report.data["won"] = [milli(won) for won in generated.won]
    cut = [bench.limited(generated.leaves.first(OPPONENT, count)).tree for count in (1, max(counts))]
    trees = {"single": cut[0], "limited": cut[1], "full": bench.full}
    for size in ("nodes", "entries"):
        report.data[size] = {name: int(getattr(tree, size)) for name, tree in trees.items()}
    setup.live.begin("the opening in the blueprint")
    report.data["in abstraction"] = milli(bench.in_abstraction - bench.value)
    report.data["value"] = milli(bench.value)
    report.data["known"] = bench.exploitability(0)
    setup.live.begin("answers")
    for label, row in _answers(setup, bench, generated, counts):
        found[label] = row


def _answers(
    setup: Setup, bench: FlopBench, generated: GeneratedLeaves, counts: Sequence[int]
) -> Iterator[tuple[str | int, list[Gain]]]:
    """One by one, what the opening gains against every answer."""
    translated, flop_too = bench.translated()
    yield FLOP_TOO, [Gain(flop_too, 0.0)] * len(METHODS)
    yield TRANSLATION, [bench.gain(translated)] * len(METHODS)
    average = bench.whole.tables.average
    biased = leaf_matrices(bench.whole, ([average], bias_approach_stores(bench.whole, OPPONENT)))
    leaves: dict[str | int, LeafMatrices | None] = {
        count: generated.leaves.first(OPPONENT, count) for count in counts
    }  # fmt: skip
    leaves |= {BIAS: biased, FULL: None}
    for number, (label, values) in enumerate(leaves.items()):
        setup.live.show(number / len(leaves), _name(label))
        yield label, [bench.gain(bench.answer(values, method)) for method in METHODS]


def _table_of_gains(report: Report, bench: FlopBench, found: Found) -> None:
    heads = [head for method in METHODS for head in (f"{method}: gain", "error", "exploitability")]
    rows = []
    for label, row in found.items():
        cells = [_name(label)]
        for gain in row:
            cells += [f"{gain.gain:.2f}", f"{gain.error:.2f}", f"{bench.exploitability(gain.gain):.2f}"]
        rows.append(cells)
    report.tables.append(
        Table(
            f"{4 * bench.ranks} cards, mbb: what the opening gains (with the flop solved to within the error), and"
            f" exploitability of the big blind (without the opening {report.data['known']:.2f}; with the opening in"
            f" the blueprint {report.data['in abstraction']:.2f})",
            ["leaves", *heads],
            rows,
        )
    )


def _name(label: str | int) -> str:
    return f"K = {label}" if isinstance(label, int) else label


def _table_of_sizes(report: Report, most: int) -> None:
    parts = {"public nodes": report.data["nodes"], "hands x actions": report.data["entries"]}
    report.tables.append(
        Table(
            "The subgame after the opening",
            ["", "one value per leaf", f"{most} values per leaf", "to the end of the game"],
            [[name, *(f"{count:,}" for count in part.values())] for name, part in parts.items()],
        )
    )


def _judge(report: Report, bench: FlopBench, found: Found, counts: Sequence[int]) -> None:
    def gains(label: str | int) -> list[Gain]:
        if label not in found:
            raise NotMeasured(f"{_name(label)} was not run")
        return found[label]

    def compare(text: str, better: str | int, worse: str | int) -> None:
        def verdict() -> tuple[bool, str]:
            pairs = list(zip(METHODS, gains(better), gains(worse), strict=True))
            shown = "; ".join(f"{method} {good.gain:.2f}, {bad.gain:.2f}" for method, good, bad in pairs)
            return all(good.gain < bad.gain - bad.error for _, good, bad in pairs), shown

        report.judge(text, verdict)

    compare("One value per leaf is worse than translation", FLOP_TOO, 1)
    for count in [count for count in counts if count > 1]:
        compare(f"{count} values per leaf are better than one", count, 1)
        compare(f"{count} values per leaf, then the best flop, are better than {FLOP_TOO}", count, FLOP_TOO)

    def close() -> tuple[bool, str]:
        losses, known = [bench.exploitability(gain.gain) for gain in gains(16)], report.data["in abstraction"]
        return max(losses) <= known + CLOSE, f"{', '.join(f'{loss:.2f}' for loss in losses)} beside {known:.2f}"

    report.judge(f"With 16 values it is within {CLOSE:g} of having the opening in the blueprint", close)

    def larger() -> tuple[bool, str]:
        sizes = report.data.get("entries")
        if sizes is None:
            raise NotMeasured("the continuations were not made")
        times = sizes["full"] / sizes["limited"]
        return times > 100, f"{times:,.0f} times as many hands x actions"

    report.judge("To the end of the game the subgame is more than a hundred times larger", larger)


def _notes(report: Report) -> None:
    if "value" in report.data:
        won = ", ".join(f"{value:.1f}" for value in report.data["won"])
        report.notes.append(
            f"The blueprint's exploitability in its own game is {report.data['blueprint']:.2f} mbb. The best responses"
            f" that became continuations won {won}; the game is worth {report.data['value']:.1f} to the dealer."
        )
    report.notes.append(
        "Published (52 cards, figure only): one value is worse than translation, two and more are better, 16 are close"
        f" to having the opening in the blueprint. '{TRANSLATION}' is flattered: the flop after its answer is played"
        f" best, as after the others; '{FLOP_TOO}' is what the paper compares with. With one or two values"
        " resolve has many solutions that are equally good in the depth-limited game; which one a solver finds decides"
        " the gain, and whether two values are better than one there. All this depends on the deck: on 20 cards"
        " (`ranks=5`) one value per leaf was enough for the opening to gain nothing."
    )


def _figure(setup: Setup, report: Report, bench: FlopBench, found: Found) -> None:
    counts = [label for label in found if isinstance(label, int)]
    if setup.out is None or not counts:
        return
    setup.out.mkdir(parents=True, exist_ok=True)
    curves: dict[str, Curve] = {
        method: Curve(counts, [bench.exploitability(found[count][number].gain) for count in counts])
        for number, method in enumerate(METHODS)
    }
    references = {
        TRANSLATION: bench.exploitability(found[FLOP_TOO][0].gain),
        "in the abstraction": report.data["in abstraction"],
    }
    panel = Panel(curves, "", "values per leaf", "exploitability (mbb)", y_scale="linear", references=references)
    title = "What a bet gains that the blueprint lacks: flop hold'em"
    report.figures.append(panels([panel], setup.out / f"{report.id}.png", title=title))
