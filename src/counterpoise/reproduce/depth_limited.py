"""Depth-limited search with multi-valued states (BROWN 5.2): RPS+, and the answer to a bet that the blueprint lacks.

The second experiment is figure 5.8 (figure 2 of DLS) on one-card poker. The blueprint knows bets of half the pot and of
the pot; the first player opens with 3/4. The second player solves the rest of the first round again, with leaves at its
end whose values come from the two sequences it knows, and its opponent picks among K continuations there. To judge the
answer by itself, the second round after it is then played as well as that answer allows, everything else of the second
player being fixed: exactly by an LP, and as the same number of iterations finds it, which is nearer to the reference.
`gain` is what the opening of 3/4 gains the first player, hand by hand, over what it has without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from counterpoise.plots import Curve, Panel, panels
from counterpoise.public import DenseTree
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.off_tree_bench import LARGER, SEARCHER, SMALL, TITLES, Bench, Gain
from counterpoise.reproduce.race import REFERENCE_NOTE
from counterpoise.search import LeafTable, bias_approach, depth_limited, search, self_generated
from counterpoise.search.continuations import Generated
from counterpoise.search.search import Method
from counterpoise.tree import Strategy, best_response, enumerate_game

RPS = "rps_plus"
METHODS: tuple[Method, ...] = ("resolve", "maxmargin")
COUNTS = (1, 2, 4, 8, 16)
TRANSLATION, FULL = "translation", "full depth"

REFERENCE_GAIN: Mapping[str, Mapping[str | int, Sequence[float]]] = {
    SMALL: {TRANSLATION: (2.2, 2.2), 1: (132, 103), 2: (117, 89), 4: (12.0, 10.7), 8: (1.5, 1.2), 16: (1.4, 1.3)},
    LARGER: {TRANSLATION: (1.3, 1.3), 1: (104, 93), 2: (26, 34), 4: (2.6, 3.4), 8: (1.6, 0.0), 16: (1.5, 0.0)},
}
REFERENCE_LOSS: Mapping[str | int, Sequence[float]] = {
    TRANSLATION: (9.3, 9.3), 1: (139, 110), 2: (124, 96), 4: (19.1, 17.8), 8: (8.6, 8.4), 16: (8.5, 8.5),
}  # fmt: skip


@experiment("brown-5.2-rps", "RPS+ one move deep, by the continuations at its leaves", "BROWN 5.2.1", seconds=2)
def rps_plus(setup: Setup, report: Report, iterations: int = 2_000) -> None:
    """The first player's strategy when the second one's answer is beyond the depth limit."""
    tree, whole = enumerate_game(RPS), DenseTree(RPS, hidden=True)
    optimum = {"R": 0.4, "P": 0.4, "S": 0.2}
    nash = Strategy.from_mapping(tree, {"P1": optimum, "P2": optimum})
    pure = [Strategy.from_mapping(tree, {"P2": {move: 1.0}}) for move in optimum]
    sets = {
        "K = 1: equilibrium": [nash],
        "K = 3: pure strategies": pure,
        "K = 4: equilibrium and biased tenfold": bias_approach(nash, 10, tuple(optimum), str),
    }
    setup.live.begin("RPS+")
    found, rows = dict[str, Any](), []
    for label, others in sets.items():
        limited = depth_limited(whole, (), nash, 0, LeafTable(RPS, [[nash], others]), depth=1)
        strategy = search(limited, "unsafe", iterations=iterations).strategy["P1"]
        worst = -best_response(RPS, {"P1": strategy}, 1).value
        regret = float(np.abs(limited.tree.tables.regrets.wide).max())
        found[label] = {"strategy": strategy, "worst": worst, "regret": regret}
        rows.append([label, *(f"{strategy[move]:.4f}" for move in optimum), f"{worst:.4f}"])
    report.tables.append(
        Table("The first player's strategy, and what it gets at worst", ["leaves", *optimum, "worst"], rows)
    )
    report.data["continuations"] = found
    one, *more = found.values()
    report.judge(
        "With one continuation, the equilibrium, every strategy looks as good as any other",
        lambda: (one["regret"] == 0, f"largest regret {one['regret']:g}"),
    )
    report.judge(
        "With three or four continuations the first player finds (0.4, 0.4, 0.2)",
        lambda: _close([[strategy[move] for move in optimum] for strategy in (part["strategy"] for part in more)]),
    )


def _close(strategies: Sequence[Sequence[float]]) -> tuple[bool, str]:
    off = float(np.abs(np.array(strategies) - [0.4, 0.4, 0.2]).max())
    return off <= 5e-3, f"within {off:.1g}"


Found = dict[str | int, list[Gain]]
"""By the leaves of the subgame: what the opening gains, for each method at the root."""


@experiment(
    "brown-5.8",
    "Answers to a bet that the blueprint lacks, by the number of continuations at the leaves",
    "BROWN 5.2.3, figure 5.8; DLS figure 2",
    seconds=90,
)
def off_tree_bet(
    setup: Setup,
    report: Report,
    names: Sequence[str] = (SMALL, LARGER),
    counts: Sequence[int] = COUNTS,
    iterations: int = 200,
) -> None:
    """One-card poker of three and of four ranks; blueprint, continuations and search by 200 iterations of CFR+ each."""
    for name in names:
        bench, found = Bench(name, iterations), Found()
        setup.live.begin(f"{name}: continuations")
        generated = self_generated(DenseTree(name), bench.blueprint, SEARCHER, max(counts), iterations=iterations)
        report.data[name] = data = {"value": bench.value, "won": generated.won, "gains": {}}
        found[TRANSLATION] = [bench.gain(bench.translated())] * len(METHODS)
        for number, count in enumerate(counts):
            setup.live.show((number + 1) / (len(counts) + 1), f"K = {count}")
            limited = [bench.limited(generated.continuations[:count]) for _ in METHODS]
            found[count] = [bench.gain(bench.answer(*way)) for way in zip(limited, METHODS, strict=True)]
        found[FULL] = [bench.gain(bench.answer(bench.full(), method)) for method in METHODS]
        data["gains"] = {str(label): [gain._asdict() for gain in row] for label, row in found.items()}
        _tables(report, bench, found, generated)
        _sizes(report, bench, generated.continuations[: max(counts)])
        _judge(report, bench, found)
    report.notes.append(REFERENCE_NOTE)
    report.notes.append(
        "Translation is flattered: the second round after its answer is played best, as after the others."
        " With 2 and 4 values the gain depends much on which of several solutions and best responses are found."
        " Claims are judged by the exact gain: what iterations leave of it is an error of the same size as the limits."
    )
    _figure(setup, report, counts)


def _tables(report: Report, bench: Bench, found: Found, generated: Generated) -> None:
    blueprint, known = (1000 * (loss - bench.value) for loss in (bench.known_loss, bench.in_abstraction))
    captions = {
        f"{bench.title}: what the opening gains, thousandths of an ante": (0.0, REFERENCE_GAIN.get(bench.name, {})),
        f"{bench.title}: exploitability of the second player, thousandths of an ante (without the opening"
        f" {blueprint:.1f}; with the opening in the blueprint {known:.1f})": (
            blueprint,
            REFERENCE_LOSS if bench.name == SMALL else {},
        ),
    }
    heads = [head for method in METHODS for head in (method, f"by {bench.iterations:,} iterations", "reference")]
    for caption, (base, reference) in captions.items():
        rows = []
        for label, row in found.items():
            cells = [f"K = {label}" if isinstance(label, int) else label]
            for number, gain in enumerate(row):
                cells += [f"{max(gain.exact, 0) + base:.1f}", f"{gain.rough + base:.1f}", _of(reference, label, number)]
            rows.append(cells)
        report.tables.append(Table(caption, ["leaves", *heads], rows))
    won = ", ".join(f"{1000 * value:.0f}" for value in generated.won)
    report.notes.append(
        f"{bench.title} is {bench.name}. The best responses that became continuations won {won}; the value is"
        f" {1000 * bench.value:.0f}."
    )


def _of(reference: Mapping[str | int, Sequence[float]], label: str | int, number: int) -> str:
    return f"{reference[label][number]:g}" if label in reference else "-"


def _sizes(report: Report, bench: Bench, others: Sequence[Strategy]) -> None:
    single, limited, full = (
        bench.limited(others[:1]).tree.nodes,
        bench.limited(others).tree.nodes,
        bench.full().tree.nodes,
    )
    report.data[bench.name]["nodes"] = {"single": single, "limited": limited, "full": full}
    report.tables.append(
        Table(
            f"{bench.title}: public nodes of the subgame after the opening",
            ["one value per leaf", f"{len(others)} values per leaf", "to the end of the game"],
            [[f"{single:,}", f"{limited:,}", f"{full:,}"]],
        )
    )


def _judge(report: Report, bench: Bench, found: Found) -> None:
    def gains(label: str | int) -> tuple[float, ...]:
        if label not in found:
            raise NotMeasured(f"K = {label} was not run")
        return tuple(max(round(gain.exact, 3), 0.0) + 0.0 for gain in found[label])  # an LP's 0 may be a little less

    def compare(text: str, *labels: str | int, holds: Any) -> None:
        def verdict() -> tuple[bool, str]:
            columns = list(zip(*(gains(label) for label in labels), strict=True))
            figures = "; ".join(
                f"{method} {', '.join(f'{gain:.1f}' for gain in column)}"
                for method, column in zip(METHODS, columns, strict=True)
            )
            return all(holds(*column) for column in columns), figures

        report.judge(f"{bench.title}: {text}", verdict)

    compare(
        "one value per leaf gains the opening ten times what translation does (or 10, if that is nothing), or more",
        1, TRANSLATION, holds=lambda one, translation: one >= 10 * max(translation, 1),
    )  # fmt: skip
    compare(
        "with 8 values the opening gains at most 1 more than with translation",
        8, TRANSLATION, holds=lambda eight, translation: eight <= translation + 1,
    )  # fmt: skip
    compare("with 16 values the opening gains at most 2", 16, holds=lambda gain: gain <= 2)
    compare("4 values are better than 1, and 8 than 4", 1, 4, 8, holds=lambda one, four, eight: one > four > eight)
    compare(
        "with 16 values the answer is within 2 of that of a search to the end of the game",
        16, FULL, holds=lambda gain, full: gain <= full + 2,
    )  # fmt: skip


def _figure(setup: Setup, report: Report, counts: Sequence[int]) -> None:
    if setup.out is None:
        return
    setup.out.mkdir(parents=True, exist_ok=True)
    parts = []
    for name in (name for name in (SMALL, LARGER) if name in report.data):
        gains = report.data[name]["gains"]
        curves: dict[str, Curve] = {
            method: Curve(counts, [gains[str(count)][number]["rough"] for count in counts])
            for number, method in enumerate(METHODS)
        }
        curves[TRANSLATION] = Curve(counts, [gains[TRANSLATION][0]["rough"]] * len(counts))
        parts.append(
            Panel(curves, title=TITLES[name], x_label="values per leaf", y_label="gain by iterations (1/1000 ante)")
        )
    title = "What a bet gains that the blueprint lacks"
    report.figures.append(panels(parts, setup.out / f"{report.id}.png", title=title))
