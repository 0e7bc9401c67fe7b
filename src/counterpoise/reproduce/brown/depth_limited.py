"""Depth-limited search with multi-valued states (BROWN 5.2): RPS+, and the answer to a bet that the blueprint lacks.

The second experiment is figure 5.8 (figure 2 of DLS) on one-card poker. The blueprint knows bets of half the pot and of
the pot; the first player opens with 3/4. The second player solves the rest of the first round again, with leaves at its
end whose values come from the two sequences it knows, and its opponent picks among K continuations there. To judge the
answer by itself, the second round after it is then played as well as that answer allows, everything else of the second
player being fixed: exactly by an LP, and as the same number of iterations finds it, which is nearer to the reference.
`gain` is what the opening of 3/4 gains the first player, hand by hand, over what it has without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from counterpoise.plots import Curve, Panel
from counterpoise.public import DenseTree
from counterpoise.reproduce.brown.off_tree_bench import LARGER, SEARCHER, SMALL, TITLES, Bench, Gain
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Table, Verdict, listed
from counterpoise.search import LeafTable, bias_approach, depth_limited, search, self_generated
from counterpoise.search.continuations import Generated
from counterpoise.search.search import Method
from counterpoise.tree import Strategy, best_response, enumerate_game

RPS = "rps_plus"
METHODS: tuple[Method, ...] = ("resolve", "maxmargin")
COUNTS = (1, 2, 4, 8, 16)
TRANSLATION, FULL = "translation", "full depth"
KEYS = {SMALL: "small", LARGER: "larger"}


@experiment("brown-5.2-rps", "RPS+ one move deep, by the continuations at its leaves", "BROWN 5.2.1", seconds=2)
def rps_plus(lab: Lab, iterations: int = 2_000) -> Iterator[Declared]:
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
    lab.begin("RPS+")
    found = dict[str, Any]()
    for label, others in sets.items():
        limited = depth_limited(whole, (), nash, 0, LeafTable(RPS, [[nash], others]), depth=1)
        strategy = search(limited, "unsafe", iterations=iterations).strategy["P1"]
        worst = -best_response(RPS, {"P1": strategy}, 1).value
        regret = float(np.abs(limited.tree.tables.regrets.wide).max())
        found[label] = {"strategy": strategy, "worst": worst, "regret": regret}
    lab.data["continuations"] = found
    yield Table(
        "The first player's strategy, and what it gets at worst",
        ["leaves", *optimum, "worst"],
        [
            [label, *(f"{part['strategy'][move]:.4f}" for move in optimum), f"{part['worst']:.4f}"]
            for label, part in found.items()
        ],
    )
    one, *more = found.values()
    yield Claim(
        "one-continuation",
        "With one continuation, the equilibrium, every strategy looks as good as any other",
        lambda: (one["regret"] == 0, f"largest regret {one['regret']:g}"),
    )

    def close() -> Verdict:
        off = max(abs(part["strategy"][move] - share) for part in more for move, share in optimum.items())
        return off <= 5e-3, f"within {off:.1g}"

    text = "With three or four continuations the first player finds (0.4, 0.4, 0.2)"
    yield Claim("more-continuations", text, close)


Found = dict[str | int, list[Gain]]
"""By the leaves of the subgame: what the opening gains, for each method at the root."""


@experiment(
    "brown-5.8",
    "Answers to a bet that the blueprint lacks, by the number of continuations at the leaves",
    "BROWN 5.2.3, figure 5.8; DLS figure 2",
    seconds=90,
)
def off_tree_bet(
    lab: Lab, names: Sequence[str] = (SMALL, LARGER), counts: Sequence[int] = COUNTS, iterations: int = 200
) -> Iterator[Declared]:
    """One-card poker of three and of four ranks; blueprint, continuations and search by 200 iterations of CFR+ each."""
    panels = []
    for name in names:
        bench, found = Bench(name, iterations), Found()
        lab.begin(f"{name}: continuations")
        generated = self_generated(DenseTree(name), bench.blueprint, SEARCHER, max(counts), iterations=iterations)
        found[TRANSLATION] = [bench.gain(bench.translated())] * len(METHODS)
        for number, count in enumerate(counts):
            lab.show((number + 1) / (len(counts) + 1), f"K = {count}")
            limited = [bench.limited(generated.continuations[:count]) for _ in METHODS]
            found[count] = [bench.gain(bench.answer(*way)) for way in zip(limited, METHODS, strict=True)]
        found[FULL] = [bench.gain(bench.answer(bench.full(), method)) for method in METHODS]
        gains = {str(label): [gain._asdict() for gain in row] for label, row in found.items()}
        lab.data[name] = {"value": bench.value, "won": generated.won, "gains": gains}
        yield from _tables(bench, found, generated)
        yield _sizes(lab, bench, generated.continuations[: max(counts)])
        yield from _claims(bench, found)
        curves: dict[str, Curve] = {
            method: Curve(counts, [found[count][number].rough for count in counts])
            for number, method in enumerate(METHODS)
        }
        curves[TRANSLATION] = Curve(counts, [found[TRANSLATION][0].rough] * len(counts))
        panels.append(Panel(curves, TITLES[name], "values per leaf", "gain by iterations (1/1000 ante)"))
    yield REFERENCE_NOTE
    yield (
        "Translation is flattered: the second round after its answer is played best, as after the others."
        " With 2 and 4 values the gain depends much on which of several solutions and best responses are found."
        " Claims are judged by the exact gain: what iterations leave of it is an error of the same size as the limits."
    )
    yield Figure("What a bet gains that the blueprint lacks", panels)


def _tables(bench: Bench, found: Found, generated: Generated) -> Iterator[Declared]:
    known, key = published("depth_limited"), KEYS.get(bench.name, "")
    blueprint, in_abstraction = (1000 * (loss - bench.value) for loss in (bench.known_loss, bench.in_abstraction))
    heads = [head for method in METHODS for head in (method, f"by {bench.iterations:,} iterations", "reference")]
    for caption, base, reference in (
        (f"{bench.title}: what the opening gains, thousandths of an ante", 0.0, known["gain"].get(key, {})),
        (
            f"{bench.title}: exploitability of the second player, thousandths of an ante (without the opening"
            f" {blueprint:.1f}; with the opening in the blueprint {in_abstraction:.1f})",
            blueprint,
            known["loss"].get(key, {}),
        ),
    ):
        rows = []
        for label, row in found.items():
            cells = [f"K = {label}" if isinstance(label, int) else label]
            for method, gain in zip(METHODS, row, strict=True):
                figure = f"{reference[label][method]:g}" if label in reference else "-"
                cells += [f"{max(gain.exact, 0) + base:.1f}", f"{gain.rough + base:.1f}", figure]
            rows.append(cells)
        yield Table(caption, ["leaves", *heads], rows)
    won = listed((1000 * value for value in generated.won), ".0f")
    yield (
        f"{bench.title} is {bench.name}. The best responses that became continuations won {won}; the value is"
        f" {1000 * bench.value:.0f}."
    )


def _sizes(lab: Lab, bench: Bench, others: Sequence[Strategy]) -> Table:
    single, limited = (int(bench.limited(own).tree.nodes) for own in (others[:1], others))
    full = int(bench.full().tree.nodes)
    lab.data[bench.name]["nodes"] = {"single": single, "limited": limited, "full": full}
    return Table(
        f"{bench.title}: public nodes of the subgame after the opening",
        ["one value per leaf", f"{len(others)} values per leaf", "to the end of the game"],
        [[single, limited, full]],
    )


def _claims(bench: Bench, found: Found) -> Iterator[Claim]:
    gains = Figures(missing="K = {} was not run")
    for label, row in found.items():  # an LP's 0 may be a little less
        gains[label] = [max(round(gain.exact, 3), 0.0) + 0.0 for gain in row]

    def compare(holds: Callable[..., bool], *labels: str | int) -> Verdict:
        columns = list(zip(*(gains[label] for label in labels), strict=True))
        told = "; ".join(f"{method} {listed(own, '.1f')}" for method, own in zip(METHODS, columns, strict=True))
        return all(holds(*own) for own in columns), told

    rules: Mapping[str, tuple[Any, ...]] = {
        "one-value-worse": (
            "one value per leaf gains the opening ten times what translation does (or 10, if that is nothing), or more",
            *(lambda one, translation: one >= 10 * max(translation, 1), 1, TRANSLATION),
        ),
        "eight-like-translation": (
            "with 8 values the opening gains at most 1 more than with translation",
            *(lambda eight, translation: eight <= translation + 1, 8, TRANSLATION),
        ),
        "sixteen-enough": ("with 16 values the opening gains at most 2", lambda gain: gain <= 2, 16),
        "more-is-better": (
            "4 values are better than 1, and 8 than 4",
            *(lambda one, four, eight: one > four > eight, 1, 4, 8),
        ),
        "sixteen-like-full-depth": (
            "with 16 values the answer is within 2 of that of a search to the end of the game",
            *(lambda gain, full: gain <= full + 2, 16, FULL),
        ),
    }
    for id, (text, *rule) in rules.items():
        yield Claim(f"{bench.title.replace(' ', '-')}-{id}", f"{bench.title}: {text}", compare, *rule)
