"""Johanson 2016, figures 5.2 and 5.3: which of 44, 66, JTs and KQs are alike, by histograms of strength and by OCHS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoise.abstraction.clusters import CLUSTERS, published_clusters
from counterpoise.abstraction.emd import cumulative, emd
from counterpoise.abstraction.features import BINS, Histogram, Moments, Ochs
from counterpoise.abstraction.kmeans import KMeans
from counterpoise.abstraction.strength import HoldemCards, board_wins, last_street_wins
from counterpoise.cards import STANDARD_DECK, disjoint_hands, isomorphism, parse_hand
from counterpoise.jobs.pieces import Work, pieces
from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.harness.report import Claim, Column, Declared, Figure, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict

HANDS = ("4s4h", "6s6h", "JsTs", "KsQs")
PAIRS = list(combinations(HANDS, 2))
ROWS, COLUMNS = [("4s4h", "6s6h"), ("JsTs", "KsQs")], [("4s4h", "JsTs"), ("6s6h", "KsQs")]
"""How the figures arrange the hands: rows have the same shape, columns the same expected strength."""
NUMBERS = np.array([parse_hand(text, STANDARD_DECK) for text in HANDS])
BOARDS_AT_ONCE, CHECKED = 256, 50
Rows = NDArray[np.float64]


def histograms(lab: Lab, streets: int = 4) -> Iterator[Declared]:
    """Enumerate all final boards: histograms of strength, their earth mover's distances, and E[HS]."""
    cards, reference = HoldemCards(streets=streets), lab.published("hand_features")
    found, known = Figures(missing="{} was not computed"), reference["hands"]
    with lab.stoppable():
        lab.begin("strength on all final boards")
        wins, start = last_street_wins(cards, _work(lab)), np.zeros_like(NUMBERS)
        moments = Moments(cards, 0, wins).points(start, NUMBERS)
        fine, drawn = (Histogram(cards, 0, wins, bins).points(start, NUMBERS) for bins in (cards.most_wins, BINS))
        for name, (mean, square), exact, coarse in zip(HANDS, moments, fine, drawn, strict=True):
            found[name] = {"mean": mean, "square": square, "fine": exact, "drawn": coarse / coarse.sum()}
        lab.data["hands"] = {name: {"E[HS]": found[name]["mean"], "E[HS^2]": found[name]["square"]} for name in HANDS}
    yield by_row(
        "Strength of four hands before the flop",
        "hand",
        HANDS,
        {
            head: (partial(_digits, found, key), partial(_digits, known, key))
            for head, key in (("E[HS]", "mean"), ("E[HS^2]", "square"))
        },
    )

    def distance(one: str, other: str) -> float:
        return float(emd(found[one]["fine"], found[other]["fine"]))

    def expected(one: str, other: str) -> float:
        return float(abs(found[one]["mean"] - found[other]["mean"]))

    yield by_row(
        "Distances",
        ("hand", "other"),
        PAIRS,
        {"EMD": (distance, reference["emd"]), "E[HS] difference": (expected, reference["difference"])},
    )

    def columns_alike() -> Verdict:
        apart = [expected(*pair) for pair in COLUMNS]
        return max(apart) < 0.01, ", ".join(f"{a} and {b}: {d:.4f}" for (a, b), d in zip(COLUMNS, apart, strict=True))

    def shapes() -> Verdict:
        near = {name: _share_near(found[name]["drawn"], found[name]["mean"]) for name in HANDS}
        told = ", ".join(f"{name} {share:.0%}" for name, share in near.items())
        return min(near[name] for name in ROWS[0]) > max(near[name] for name in ROWS[1]), f"{told} within 0.1 of E[HS]"

    def by_emd() -> Verdict:
        curves = cumulative(np.stack([found[name]["drawn"] for name in HANDS]))
        return _grouped_as(curves, "emd", ROWS)

    yield Claim("columns-alike", columns_alike)
    yield Claim("shapes-differ", shapes)
    yield Claim("emd-merges-rows", by_emd)
    yield Claim("ehs-merges-columns", lambda: _grouped_as([[found[name]["mean"]] for name in HANDS], "l2", COLUMNS))
    middles = ((np.arange(BINS) + 0.5) / BINS).tolist()
    curves = {name: Curve(middles, values["drawn"].tolist()) for name, values in found.items()}
    panels = [
        _panel({name: curves[name] for name in row if name in curves}, "final hand strength", "share of boards")
        for row in ROWS
    ]
    yield Figure("Hand strength histograms before the flop", panels, 2)


def opponent_clusters(lab: Lab, streets: int = 4) -> Iterator[Declared]:
    """Enumerate all final boards: the chance of winning against each of the eight published clusters."""
    cards, reference = HoldemCards(streets=streets), lab.published("hand_features")
    found = Figures(missing="{} was not computed")
    with lab.stoppable():
        lab.begin("strength against eight clusters on all final boards")
        found.update(zip(HANDS, _ochs(lab, cards), strict=True))
        lab.data["OCHS"] = {name: found[name].tolist() for name in HANDS}
    numbered: dict[str, Column] = {f"{k + 1}": partial(_component, found, k) for k in range(len(CLUSTERS))}
    yield by_row("Chance of winning against each cluster of hands, weak to strong", "hand", HANDS, numbered)

    def distance(one: str, other: str) -> float:
        return float(np.linalg.norm(found[one] - found[other]))

    apart: dict[str, Column] = {"OCHS, L2": distance, "E[HS] difference": reference["difference"]}
    yield by_row("Distances", ("hand", "other"), PAIRS, apart)

    def derivable() -> Verdict:
        off = _most_off(cards)
        return off < 1e-5, f"off by at most {off:.0e} on {CHECKED} random boards"

    def richer() -> Verdict:
        most = {pair: float(np.abs(found[pair[0]] - found[pair[1]]).max()) for pair in COLUMNS}
        told = ", ".join(f"{a} and {b} by {d:.2f}" for (a, b), d in most.items())
        return min(most.values()) > 0.05, f"against some cluster {told}"

    def strongest() -> Verdict:
        lowest = {name: int(found[name].argmin()) + 1 for name in HANDS}
        return set(lowest.values()) == {len(CLUSTERS)}, ", ".join(f"{name} {found[name][-1]:.2f}" for name in HANDS)

    yield Claim("ehs-derived", derivable)
    yield Claim("richer", richer)
    yield Claim("strongest-last", strongest)
    if len(found) == len(HANDS):
        yield f"By OCHS two clusters of these hands are {_told(_groups(list(found.values()), 'l2'))}."
    clusters = list(range(1, len(CLUSTERS) + 1))
    curves = {name: Curve(clusters, vector.tolist()) for name, vector in found.items()}
    drawn = [_panel({name: curves[name] for name in row if name in curves}, "opponent cluster", "OCHS") for row in ROWS]
    yield Figure("Opponent cluster hand strength before the flop", drawn, 2)


def _ochs(lab: Lab, cards: HoldemCards) -> Rows:
    """Return the vectors of `HANDS`: the mean over all final boards, a board standing for those of its class."""
    boards, last = cards.boards(cards.last), Ochs(cards, cards.last, published_clusters())
    classes = isomorphism((2,), cards.deck).index(cards.deck.hands)
    members = [np.flatnonzero(classes == classes[hand]) for hand in NUMBERS]
    todo = pieces(boards.size, BOARDS_AT_ONCE)
    parts = np.zeros((len(todo), len(HANDS), last.clusters))

    def do(begin: int, end: int) -> None:
        values = last.on_boards(boards.cards[begin:end]).astype(np.float64)
        weighted = np.tensordot(boards.multiplicity[begin:end].astype(np.float64), values, 1)
        parts[begin // BOARDS_AT_ONCE] = [weighted[own].mean(axis=0) for own in members]

    _work(lab).run(todo, do, f"{boards.size:,} boards")
    return np.asarray(parts.sum(axis=0) / cards.completions(0))


def _most_off(cards: HoldemCards) -> float:
    """Return by how much strength on a final board is at most not the mean of OCHS, clusters weighted by hands met."""
    deck, cluster_of, off = cards.deck, published_clusters(), 0.0
    members, last = np.eye(len(CLUSTERS))[cluster_of], Ochs(cards, cards.last, cluster_of)
    apart, boards = disjoint_hands(deck.hands, deck.hands), cards.boards(cards.last).cards
    for board in np.random.default_rng(0).choice(boards, CHECKED, replace=False):
        live = deck.live_hands(board.tolist())
        met = apart[np.ix_(live, live)] @ members[live]
        mean = (last.on_boards(board[None])[0][live] * met).sum(axis=1) / met.sum(axis=1)
        off = max(off, float(np.abs(mean - board_wins(cards, board)[live] / cards.most_wins).max()))
    return off


def _work(lab: Lab) -> Work:
    return Work(progress=lab.progress, cancel=lab.cancel)


def _component(found: Figures, k: int, name: str) -> float:
    return float(found[name][k])


def _digits(figures: Mapping[str, Any], key: str, name: str) -> str:
    return f"{figures[name][key]:.5f}"


def _share_near(histogram: Rows, mean: float, reach: float = 0.1) -> float:
    """Return the share of a histogram in the bins whose middle is within `reach` of the mean."""
    middles = (np.arange(len(histogram)) + 0.5) / len(histogram)
    return float(histogram[np.abs(middles - mean) <= reach].sum())


def _groups(points: ArrayLike, metric: Literal["emd", "l2"]) -> list[tuple[str, ...]]:
    """Return the two clusters of `HANDS` that k-means finds."""
    found = KMeans(2, metric, restarts=20).fit(np.asarray(points, dtype=np.float32), np.ones(len(HANDS)), Work(1))
    return sorted(tuple(name for name, label in zip(HANDS, found.labels, strict=True) if label == k) for k in range(2))


def _told(groups: list[tuple[str, ...]]) -> str:
    return " and ".join("{" + ", ".join(group) + "}" for group in groups)


def _grouped_as(points: ArrayLike, metric: Literal["emd", "l2"], wanted: list[tuple[str, str]]) -> Verdict:
    groups = _groups(points, metric)
    return groups == wanted, _told(groups)


def _panel(curves: dict[str, Curve], x_label: str, y_label: str) -> Panel:
    return Panel(curves, x_label=x_label, y_label=y_label, x_scale="linear", y_scale="linear")
