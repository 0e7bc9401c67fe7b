"""Depth-limited search with multi-valued states: RPS+, and the answer to a bet that the blueprint lacks.

See Brown 2020, section 5.2.

The second experiment is figure 5.8 (figure 2 of Brown et al. 2018), on one-card poker and on flop hold'em with a small
deck: by the number of continuations at the leaves, with leaves of the bias approach, and by a search to the end of the
game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from counterpoise import search
from counterpoise.plots import Curve, Panel
from counterpoise.public import PublicGame, build_dense
from counterpoise.reproduce.brown.openings import LARGER, SMALL, FlopOpeningBench, OpeningBench, milli
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, NotMeasured, Table
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.search.continuations import Generated
from counterpoise.search.gadget import MethodName
from counterpoise.solvers import make_algorithm
from counterpoise.tree import Strategy, best_response, enumerate_game

RPS = "rps_plus"


def rps_plus(lab: Lab, iterations: int = 2_000) -> Iterator[Declared]:
    """Solve for the first player when the second one's answer is beyond the depth limit."""
    tree, whole = enumerate_game(RPS), build_dense(RPS, hidden=True)
    optimum = {"R": 0.4, "P": 0.4, "S": 0.2}
    nash = Strategy.from_mapping(tree, {"P1": optimum, "P2": optimum})
    pure = [Strategy.from_mapping(tree, {"P2": {move: 1.0}}) for move in optimum]
    sets = {
        "K = 1: equilibrium": [nash],
        "K = 3: pure strategies": pure,
        "K = 4: equilibrium and biased tenfold": [
            whole.strategy(one) for one in search.bias_approach(whole.profile(nash), 10, tuple(optimum), str)
        ],
    }
    lab.begin("RPS+")
    found = dict[str, Any]()
    for label, others in sets.items():
        leaves = search.HistoryTable(RPS, [[nash], others])
        limited = search.depth_limited(whole.root, whole.profile(nash), 0, leaves, depth=1, hidden=True)
        solver = search.SearchSolver(make_algorithm("cfr+"), limited, None)
        solver.step(iterations)
        strategy = limited.dense.strategy(solver.average)["P1"]
        worst = -best_response(RPS, {"P1": strategy}, 1).value
        regret = float(np.abs(solver.learning.regrets.numbers).max())
        found[label] = {"strategy": strategy, "worst": worst, "regret": regret}
    lab.data["continuations"] = found
    rows = [[label, *(f"{p:.4f}" for p in (*own["strategy"].values(), own["worst"]))] for label, own in found.items()]
    yield Table("The first player's strategy, and what it gets at worst", ["leaves", *optimum, "worst"], rows)
    one, *more = found.values()
    yield Claim("one-continuation", lambda: (one["regret"] == 0, f"largest regret {one['regret']:g}"))

    def close() -> Verdict:
        off = max(abs(part["strategy"][move] - share) for part in more for move, share in optimum.items())
        return off <= 5e-3, f"within {off:.1g}"

    yield Claim("more-continuations", close)


METHODS: tuple[MethodName, ...] = ("resolve", "maxmargin")
COUNTS = (1, 2, 4, 8, 16)
TRANSLATION, FULL = "translation", "full depth"
FLOP_TOO, BIAS = "translation on the flop too", "bias approach"
CLOSE = 1.0
"""Thousandths of a big blind; the figure's axis goes to 14."""


def _generated(
    bench: OpeningBench | FlopOpeningBench, counts: Sequence[int]
) -> tuple[Generated, dict[str, search.LeafTable]]:
    """Return the continuations and the leaves with the first of them, by label."""
    most = max(counts)
    made = search.self_generated(bench.base, bench.blueprint, bench.searcher, most, iterations=bench.iterations)
    return made, {f"K = {count}": made.leaves.take(bench.opponent, count) for count in counts}


def _answers(lab: Lab, bench: Any, leaves: Mapping[str, search.LeafTable | None], found: dict[str, list[Any]]) -> None:
    """Answer the opening by search with all leaves and note what it gains then, for each method at the root."""
    for number, (label, values) in enumerate(leaves.items()):
        lab.show(number / len(leaves), label)
        found[label] = [bench.gain(bench.answer(values, method)) for method in METHODS]


def _subgames(bench: OpeningBench | FlopOpeningBench, leaves: search.LeafTable, most: int) -> dict[str, PublicGame]:
    """Return the subgames after the opening with one value per leaf, with many, and to the end of the game."""
    single, limited = (bench.limited(leaves.take(bench.opponent, count)).game for count in (1, most))
    return {"single": single, "limited": limited, "full": bench.full}


def _size_heads(most: int) -> list[str]:
    return ["one value per leaf", f"{most} values per leaf", "to the end of the game"]


def _curves(found: Mapping[str, Any], counts: Sequence[int], figure: Callable[[Any], float]) -> dict[str, Curve]:
    """Return a curve of a figure by the number of values per leaf for each method."""
    return {
        method: Curve(counts, [figure(found[f"K = {count}"][number]) for count in counts])
        for number, method in enumerate(METHODS)
    }


def off_tree_bet(
    lab: Lab, names: Sequence[str] = (SMALL, LARGER), counts: Sequence[int] = COUNTS, iterations: int = 200
) -> Iterator[Declared]:
    """Answer the opening with three and with four ranks; blueprint, continuations and search run CFR+ equally long."""
    panels = []
    for name in names:
        bench, found = OpeningBench(name, iterations), Figures(missing="{} was not run")
        lab.begin(f"{name}: continuations")
        made, leaves = _generated(bench, counts)
        found[TRANSLATION] = [bench.gain(bench.translated())] * len(METHODS)
        _answers(lab, bench, {**leaves, FULL: None}, found)
        gains = {label.removeprefix("K = "): [gain._asdict() for gain in row] for label, row in found.items()}
        nodes = {part: int(game.nodes) for part, game in _subgames(bench, made.leaves, max(counts)).items()}
        lab.data[name] = {"value": bench.value, "won": made.won, "gains": gains, "nodes": nodes}
        yield from _tables(lab, bench, found)
        won = listed((1000 * value for value in made.won), ".0f")
        yield (
            f"{bench.title} is {name}. The best responses that became continuations won {won}; the value is"
            f" {1000 * bench.value:.0f}."
        )
        caption = f"{bench.title}: public nodes of the subgame after the opening"
        yield Table(caption, _size_heads(max(counts)), [list(nodes.values())])
        yield from _claims(bench, found)
        curves = _curves(found, counts, lambda gain: gain.rough)
        curves[TRANSLATION] = Curve(counts, [found[TRANSLATION][0].rough] * len(counts))
        panels.append(Panel(curves, bench.title, "values per leaf", "gain by iterations (1/1000 ante)"))
    yield Figure("What a bet gains that the blueprint lacks", panels)


def _tables(lab: Lab, bench: OpeningBench, found: Figures) -> Iterator[Declared]:
    known = lab.published("depth_limited")
    blueprint, in_abstraction = (1000 * (loss - bench.value) for loss in (bench.known_loss, bench.in_abstraction))
    heads = [head for method in METHODS for head in (method, f"by {bench.iterations:,} iterations", "reference")]
    for caption, base, figures in (
        ("what the opening gains, thousandths of an ante", 0.0, known["gain"]),
        (
            f"exploitability of the second player, thousandths of an ante (without the opening {blueprint:.1f}; with"
            f" the opening in the blueprint {in_abstraction:.1f})",
            blueprint,
            known["loss"],
        ),
    ):
        reference, rows = figures.get(bench.title, {}), []
        for label, row in found.items():
            count = label.removeprefix("K = ")
            theirs, cells = reference.get(int(count) if count.isdecimal() else label), [label]
            for method, gain in zip(METHODS, row, strict=True):
                figure = "-" if theirs is None else f"{theirs[method]:g}"
                cells += [f"{max(gain.exact, 0) + base:.1f}", f"{gain.rough + base:.1f}", figure]
            rows.append(cells)
        yield Table(f"{bench.title}: {caption}", ["leaves", *heads], rows)


def _claims(bench: OpeningBench, found: Figures) -> Iterator[Claim]:
    def compare(holds: Callable[..., bool], *labels: str) -> Verdict:
        # an LP's 0 may be a little less
        rows = [[max(round(gain.exact, 3), 0.0) + 0.0 for gain in found[label]] for label in labels]
        columns = list(zip(*rows, strict=True))
        told = "; ".join(f"{method} {listed(own, '.1f')}" for method, own in zip(METHODS, columns, strict=True))
        return all(holds(*own) for own in columns), told

    rules: dict[str, tuple[Any, ...]] = {
        "one-value-worse": (lambda one, translation: one >= 10 * max(translation, 1), "K = 1", TRANSLATION),
        "eight-like-translation": (lambda eight, translation: eight <= translation + 1, "K = 8", TRANSLATION),
        "sixteen-enough": (lambda gain: gain <= 2, "K = 16"),
        "more-is-better": (lambda one, four, eight: one > four > eight, "K = 1", "K = 4", "K = 8"),
        "sixteen-like-full-depth": (lambda gain, full: gain <= full + 2, "K = 16", FULL),
    }
    for id, rule in rules.items():
        yield Claim(id, compare, *rule, about=bench.title)


def flop_depth(lab: Lab, ranks: int = 4, counts: Sequence[int] = COUNTS, iterations: int = 1_000) -> Iterator[Declared]:
    """Answer the opening with the highest `ranks`, 200 big blinds, two raises before the flop and two bets on it."""
    found, data = Figures(missing="{} was not run"), lab.data
    with lab.stoppable():
        _measure(lab, ranks, iterations, counts, found)
    if found:
        data["gains"] = {label.removeprefix("K = "): [g._asdict() for g in row] for label, row in found.items()}
        yield _gains(lab, ranks, found)
    if "nodes" in data:
        parts = {"public nodes": data["nodes"], "hands x actions": data["entries"]}
        rows = [[name, *part.values()] for name, part in parts.items()]
        yield Table("The subgame after the opening", ["", *_size_heads(max(counts))], rows)
    yield from _flop_claims(lab, found, counts)
    if "value" in data:
        yield (
            f"The blueprint's exploitability in its own game is {data['blueprint']:.2f} mbb. The best responses"
            f" that became continuations won {listed(data['won'], '.1f')}; the game is worth {data['value']:.1f} to the"
            " dealer."
        )
    known = [count for count in counts if f"K = {count}" in found]
    if known:
        losses = _curves(found, known, lambda gain: data["known"] + gain.gain)
        references = {
            TRANSLATION: data["known"] + found[FLOP_TOO][0].gain,
            "in the abstraction": data["in abstraction"],
        }
        panel = Panel(losses, "", "values per leaf", "exploitability (mbb)", y_scale="linear", references=references)
        yield Figure("What a bet gains that the blueprint lacks: flop hold'em", [panel])


def _measure(lab: Lab, ranks: int, iterations: int, counts: Sequence[int], found: Figures) -> None:
    """Measure one answer after another; what was measured when the user stops it stays."""
    data = lab.data
    lab.begin("blueprint")
    bench = FlopOpeningBench.of_ranks(ranks, iterations)
    data["blueprint"] = milli(bench.solved.exploitability())
    lab.begin("continuations")
    made, leaves = _generated(bench, counts)
    data["won"] = [milli(won) for won in made.won]
    parts = _subgames(bench, made.leaves, max(counts))
    data["nodes"] = {name: int(part.nodes) for name, part in parts.items()}
    data["entries"] = {name: _entries(parts[name]) for name in ("single", "limited")} | {
        "full": int(bench.full.entries)
    }
    lab.begin("the opening in the blueprint")
    data["in abstraction"] = bench.exploitability(bench.with_opening)
    data["value"] = milli(bench.value)
    data["known"] = bench.exploitability(bench.solved)
    lab.begin("answers")
    translated, flop_too = bench.translated()
    found |= {FLOP_TOO: [flop_too] * len(METHODS), TRANSLATION: [bench.gain(translated)] * len(METHODS)}
    biased = search.LeafTable(bench.base, ([bench.blueprint], search.bias_approach(bench.blueprint)))
    _answers(lab, bench, {**leaves, BIAS: biased, FULL: None}, found)


def _entries(game: PublicGame) -> int:
    """Return hands x actions of a game that ends before the flop; hands that suits make alike count once."""
    groups = [len(np.unique(own)) for own in game.hand_groups(0)]
    return sum(groups[node.player] * len(node.actions) for node in game.root.decisions_below())


def _gains(lab: Lab, ranks: int, found: Figures) -> Table:
    heads = [head for method in METHODS for head in (f"{method}: gain", "error", "exploitability")]
    rows = [
        [label, *(f"{number:.2f}" for gain in row for number in (*gain, lab.data["known"] + gain.gain))]
        for label, row in found.items()
    ]
    return Table(
        f"{4 * ranks} cards, mbb: what the opening gains (with the flop solved to within the error), and"
        f" exploitability of the big blind (without the opening {lab.data['known']:.2f}; with the opening in"
        f" the blueprint {lab.data['in abstraction']:.2f})",
        ["leaves", *heads],
        rows,
    )


def _flop_claims(lab: Lab, found: Figures, counts: Sequence[int]) -> Iterator[Claim]:
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
