"""A small game's tree as an SVG picture, from left to right: who acts, how likely each action is, what is paid.

A circle is a decision in its player's colour, a diamond is chance, dashed lines join the histories that a player cannot
tell apart. The width of an edge is its probability; under its action stands the regret, under a node its reach. What is
drawn is data (`DrawnNode`), written as SVG directly: text stays text, and the same data give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from counterpoise.seats import CHANCE, TERMINAL

COLOURS = ("#0068a8", "#c94a00", "#00794f", "#a0408a", "#7a6000", "#3f3fb0")
"""One colour per player, told apart by colour-blind readers too; later players take them again."""
INK, FAINT, PAPER = "#222222", "#767676", "#ffffff"

TEXT, SMALL, HEADING = 12.0, 10.5, 15.0
"""Sizes of text in pixels: actions and infosets, figures, the title."""
RADIUS, MARGIN, BEND, GAP = 10.0, 16.0, 44.0, 8.0
"""Size of a node, border of the picture, room for the bend of an edge, distance of text from what it belongs to."""
ROW, BARE_ROW, GROUP = 34.0, 24.0, 14.0
"""Height of a line that ends the tree with figures and without, and what sets the subtrees of the root apart."""
THINNEST, THICKEST = 0.8, 6.0
"""Widths of edges of probability 0 and 1."""
SAME_INFOSET = "the player cannot tell these apart: one information set"
LANE, MOST_LANES = 9.0, 8
"""Distance of dashed lines that run side by side, and how many do before they share a place."""


@dataclass(frozen=True)
class DrawnNode:
    """One history of a picture; nodes are listed in preorder, the root first. Figures of no strategy are None."""

    parent: int
    """Its place in the list; -1 for the root."""
    player: int
    """The seat that acts, `CHANCE` or `TERMINAL`."""
    action: str
    """What led here; empty at the root."""
    infoset: str
    """What the acting player knows; empty where nobody acts."""
    probability: float | None
    """How likely the action is where it is chosen."""
    regret: float | None
    """Counterfactual regret of the action: what playing it alone gains over the strategy, times the others' reach."""
    reach: float | None
    """How likely the history is, chance and all players together."""
    values: tuple[float, ...] | None
    """What each player is paid at an end, elsewhere what each receives on average from here on."""
    left_out: int
    """How many histories below it the picture leaves out."""


def draw_game_tree(nodes: Sequence[DrawnNode], *, title: str, notes: Sequence[str] = ()) -> str:
    """Return the tree as the text of an SVG file, with a title and lines of notes above it."""
    layout = _Layout(nodes)
    top = MARGIN + HEADING + len(notes) * (TEXT + 4) + TEXT + 3 * GAP
    legend, legend_width = _legend(nodes, top - 2 * GAP)
    width = (
        max(layout.width, legend_width, _width(title, HEADING), *(_width(note, TEXT) for note in notes)) + 2 * MARGIN
    )
    height = layout.height + top + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_at(width)} {_at(height)}" width="{_at(width)}" '
        f'height="{_at(height)}" role="img" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        *_heading(title, notes),
        *legend,
        f'<g transform="translate({_at(MARGIN)} {_at(top)})">',
        *_joins(nodes, layout),
        *(part for child in range(1, len(nodes)) for part in _edge(nodes, layout, child)),
        *(part for node in range(len(nodes)) for part in _node(nodes, layout, node)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


class _Layout:
    """Where everything stands: a column for each depth, a row for each node without drawn children."""

    def __init__(self, nodes: Sequence[DrawnNode]) -> None:
        self.depth = [0] * len(nodes)
        self.children: list[list[int]] = [[] for _ in nodes]
        for number, node in enumerate(nodes[1:], 1):
            self.depth[number] = self.depth[node.parent] + 1
            self.children[node.parent].append(number)
        self.y = self._rows(nodes)
        self.lanes = self._lanes(nodes)
        self._columns(nodes)
        self.height = max(self.y) + ROW / 2

    def _rows(self, nodes: Sequence[DrawnNode]) -> list[float]:
        """Return the height of each node: ends below each other, a parent in the middle of its children."""
        row = BARE_ROW if all(node.reach is None for node in nodes) else ROW
        y, lowest = [0.0] * len(nodes), row / 2
        for number, node in enumerate(nodes):
            if node.parent == 0 and number > 1:
                lowest += GROUP
            if not self.children[number]:
                y[number], lowest = lowest, lowest + row
        for number in reversed(range(len(nodes))):
            if below := self.children[number]:
                y[number] = (y[below[0]] + y[below[-1]]) / 2
        return y

    def _lanes(self, nodes: Sequence[DrawnNode]) -> list[tuple[list[int], int]]:
        """Return the members of each information set of several histories, with the lane in which its line runs."""
        joined: dict[tuple[int, str], list[int]] = {}
        for number, node in enumerate(nodes):
            if node.player >= 0:
                joined.setdefault((node.player, node.infoset), []).append(number)
        taken = [[-1.0] * MOST_LANES for _ in range(max(self.depth) + 1)]
        lanes: list[tuple[list[int], int]] = []
        for members in sorted((found for found in joined.values() if len(found) > 1), key=lambda found: found[0]):
            ends = taken[self.depth[members[0]]]
            lane = next((free for free, end in enumerate(ends) if end < self.y[members[0]]), len(lanes) % MOST_LANES)
            ends[lane] = self.y[members[-1]]
            lanes.append((members, lane))
        return lanes

    def _columns(self, nodes: Sequence[DrawnNode]) -> None:
        """Set per depth where the straight part of a line begins, where it ends, and the middle of the nodes."""
        deepest = max(self.depth)
        half, words, lanes = [0.0] * (deepest + 1), [0.0] * (deepest + 1), [0] * (deepest + 1)
        for number, node in enumerate(nodes):
            depth = self.depth[number]
            half[depth] = max(half[depth], RADIUS if not self.children[number] else _half_width(node))
            words[depth] = max(words[depth], _width(_on_edge(node), TEXT), _width(_under_edge(node), SMALL))
        for members, lane in self.lanes:
            lanes[self.depth[members[0]]] = max(lanes[self.depth[members[0]]], lane + 1)
        self.straight, self.end, self.middle = [0.0], [0.0], [half[0]]
        for depth in range(1, deepest + 1):
            self.straight.append(self.middle[-1] + half[depth - 1] + BEND)
            self.end.append(self.straight[-1] + words[depth] + 2 * GAP)
            self.middle.append(self.end[-1] + lanes[depth] * LANE + half[depth])
        self.half = half
        self.width = max(
            self.middle[self.depth[number]] + max(half[self.depth[number]], _right_of(node))
            for number, node in enumerate(nodes)
        )


def _heading(title: str, notes: Sequence[str]) -> Iterator[str]:
    """Yield the title and the notes below it."""
    yield _text(MARGIN, MARGIN + HEADING, title, HEADING, bold=True)
    for line, note in enumerate(notes, 1):
        yield _text(MARGIN, MARGIN + HEADING + line * (TEXT + 4), note, TEXT, FAINT)


def _legend(nodes: Sequence[DrawnNode], y: float) -> tuple[list[str], float]:
    """Return the line that says which sign is who and what a dashed line means, and how wide it is."""
    acting = {node.player for node in nodes}
    x, parts = MARGIN + RADIUS, []
    for player in ([CHANCE] if CHANCE in acting else []) + sorted(seat for seat in acting if seat >= 0):
        name = "chance" if player == CHANCE else f"player {player + 1}"
        parts += [_mark(x, y - 4, player, RADIUS - 2), _text(x + RADIUS + 3, y, name, TEXT, _colour(player))]
        x += 3 * RADIUS + 10 + _width(name, TEXT)
    parts.append(f'<path d="M{_at(x - 6)} {_at(y - 4)} h34" {_dashes(FAINT)}/>')
    parts.append(_text(x + 34, y, SAME_INFOSET, TEXT, FAINT))
    return parts, x + 34 + _width(SAME_INFOSET, TEXT) - MARGIN


def _joins(nodes: Sequence[DrawnNode], layout: _Layout) -> Iterator[str]:
    """Yield the dashed lines that join the histories of each information set, each in a lane of its own."""
    for members, lane in layout.lanes:
        for first, second in pairwise(members):
            depth, y0, y1 = layout.depth[first], layout.y[first], layout.y[second]
            x0, x1 = layout.middle[depth], layout.middle[layout.depth[second]]
            x = x0 - layout.half[depth] - (lane + 0.5) * LANE
            bend = min(16.0, (y1 - y0) / 2)
            yield (
                f'<path d="M{_at(x0)} {_at(y0)} Q{_at(x)} {_at(y0)} {_at(x)} {_at(y0 + bend)} '
                f'V{_at(y1 - bend)} Q{_at(x)} {_at(y1)} {_at(x1)} {_at(y1)}" '
                f"{_dashes(_colour(nodes[first].player))}/>"
            )


def _edge(nodes: Sequence[DrawnNode], layout: _Layout, child: int) -> Iterator[str]:
    """Yield the line to a node, its action and probability above the line and the regret below it."""
    node, depth = nodes[child], layout.depth[child]
    acting = nodes[node.parent].player
    x0, y0, y1, straight = layout.middle[depth - 1], layout.y[node.parent], layout.y[child], layout.straight[depth]
    end = layout.end[depth] if node.player == TERMINAL else layout.middle[depth]
    probability = 0.5 if node.probability is None else node.probability
    width = THINNEST if node.probability is None else THINNEST + (THICKEST - THINNEST) * probability
    fade = 0.9 if node.probability is None else 0.35 + 0.55 * min(1.0, 2 * probability)
    dots = ' stroke-dasharray="1.5 3"' if node.probability == 0 else ""
    bend = (x0 + straight) / 2
    yield (
        f'<path d="M{_at(x0)} {_at(y0)} C{_at(bend)} {_at(y0)} {_at(bend)} {_at(y1)} {_at(straight)} {_at(y1)} '
        f'H{_at(end)}" fill="none" stroke="{_colour(acting)}" stroke-width="{_at(width)}" '
        f'stroke-opacity="{fade:.2f}"{dots}/>'
    )
    yield _text(straight + GAP, y1 - 3 - width / 2, _on_edge(node), TEXT, _colour(acting), bold=probability > 0.5)
    if node.regret is not None:
        better = node.regret > 0 and signed(node.regret) != "0"
        place = straight + GAP, y1 + SMALL + width / 2
        yield _text(*place, _under_edge(node), SMALL, INK if better else FAINT, bold=better)


def _node(nodes: Sequence[DrawnNode], layout: _Layout, number: int) -> Iterator[str]:
    """Yield a node: what it is, what its player knows, how likely it is; at an end, what is paid."""
    node, depth, y = nodes[number], layout.depth[number], layout.y[number]
    yield f"<g><title>{escape(_hint(node))}</title>"
    if node.player == TERMINAL:
        x = layout.end[depth] + GAP
        if node.reach is not None:
            yield _text(x, y + 5 + SMALL, _share(node.reach), SMALL, FAINT)
        for player, value in enumerate(node.values or ()):
            yield _text(x, y + 4, signed(value), TEXT, _colour(player), bold=True)
            x += _width(signed(value), TEXT) + GAP
    else:
        x = layout.middle[depth]
        yield _mark(x, y, node.player, RADIUS)
        reach = "" if node.reach is None or node.parent < 0 else _share(node.reach)
        if node.left_out:
            yield _text(x + RADIUS + 4, y - 2, f"{node.infoset}  {reach}".strip(), SMALL, _colour(node.player))
            yield _text(x + RADIUS + 4, y + SMALL, _below(node), SMALL, FAINT)
        else:
            yield _text(x, y - RADIUS - 4, node.infoset, TEXT, _colour(node.player), bold=True, middle=True)
            yield _text(x, y + RADIUS + SMALL, reach, SMALL, FAINT, middle=True)
    yield "</g>"


def _mark(x: float, y: float, player: int, radius: float) -> str:
    """Return the sign of who acts: a diamond for chance, a circle with the player's number."""
    colour = _colour(player)
    if player == CHANCE:
        right, left = f"{_at(radius)} {_at(radius)}", f"{_at(-radius)} {_at(radius)}"
        return (
            f'<path d="M{_at(x)} {_at(y - radius)} l{right} l{left} l-{right.replace(" ", " -")} z" fill="{colour}"/>'
        )
    circle = f'<circle cx="{_at(x)}" cy="{_at(y)}" r="{_at(radius)}" fill="{colour}"/>'
    return circle + _text(x, y + SMALL * 0.36, str(player + 1), SMALL, PAPER, bold=True, middle=True, halo=False)


def _hint(node: DrawnNode) -> str:
    """Return what a node is in words, shown where the pointer rests on it."""
    kind = {CHANCE: "chance", TERMINAL: "end"}.get(node.player, f"player {node.player + 1}")
    figures = [f"{kind} {node.infoset}".strip()]
    if node.reach is not None:
        figures.append(f"reach {node.reach:.6g}")
    if node.values is not None:
        word = "paid" if node.player == TERMINAL else "worth"
        figures.append(f"{word} {', '.join(f'{value:+.6g}' for value in node.values)}")
    return "; ".join(figures)


def _on_edge(node: DrawnNode) -> str:
    return node.action if node.probability is None else f"{node.action}  {_share(node.probability)}"


def _under_edge(node: DrawnNode) -> str:
    return "" if node.regret is None else f"regret {signed(node.regret)}"


def _below(node: DrawnNode) -> str:
    worth = "" if node.values is None else f", worth {' '.join(map(signed, node.values))}"
    return f"… {node.left_out:,} more{worth}"


def _half_width(node: DrawnNode) -> float:
    """Return half of the room that a node with its texts takes in its column."""
    reach = "" if node.reach is None else _share(node.reach)
    return max(RADIUS, _width(node.infoset, TEXT) / 2, _width(reach, SMALL) / 2)


def _right_of(node: DrawnNode) -> float:
    """Return the room that the texts of a node without drawn children take to its right."""
    paid = sum(_width(signed(value), TEXT) + GAP for value in node.values or ()) if node.player == TERMINAL else 0.0
    return max(paid, RADIUS + 4 + _width(_below(node), SMALL) if node.left_out else 0.0)


def _share(value: float) -> str:
    """Return a probability to three digits behind the point.

    >>> _share(1 / 3), _share(1.0), _share(0.25), _share(0.000123), _share(0.0)
    ('0.333', '1', '0.25', '<0.001', '0')
    """
    return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}".rstrip("0").rstrip(".")


def signed(value: float) -> str:
    """Return a payoff or a regret with its sign, to three digits behind the point.

    >>> signed(2.0), signed(-1 / 3), signed(1e-9)
    ('+2', '−0.333', '0')
    """
    text = f"{abs(value):.3f}".rstrip("0").rstrip(".")
    return text if text == "0" else ("+" if value > 0 else "\N{MINUS SIGN}") + text


def _colour(player: int) -> str:
    return FAINT if player == CHANCE else INK if player == TERMINAL else COLOURS[player % len(COLOURS)]


def _dashes(colour: str) -> str:
    return f'fill="none" stroke="{colour}" stroke-width="1.3" stroke-dasharray="4 3" stroke-opacity="0.75"'


def _width(text: str, size: float) -> float:
    """Return about how wide a text of this size is, in pixels: somewhat more than in most fonts."""
    return 0.58 * size * len(text)


def _at(number: float) -> str:
    """Return a coordinate to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")


def _text(
    x: float,
    y: float,
    text: str,
    size: float,
    colour: str = INK,
    *,
    bold: bool = False,
    middle: bool = False,
    halo: bool = True,
) -> str:
    """Return a line of text, if there is any, with a rim of paper around it so that it can be read on top of lines."""
    look = f'x="{_at(x)}" y="{_at(y)}" font-size="{_at(size)}" fill="{colour}"'
    look += ' font-weight="bold"' * bold + ' text-anchor="middle"' * middle
    look += f' paint-order="stroke" stroke="{PAPER}" stroke-width="3"' * halo
    return f"<text {look}>{escape(text)}</text>" if text else ""
