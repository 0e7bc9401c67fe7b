"""What `counterpoise search` prints: whether the new strategy is safe, its figures, the hands that gain most."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from counterpoise.cli.output import console, ended, print_facts, table

if TYPE_CHECKING:
    from counterpoise.spots import SpotSearch

MOST_HANDS = 5
"""Hands of the opponent that are listed."""


def tell_search(found: SpotSearch, out: Path | None) -> None:
    """Print whether a search is safe, its figures and the hands that gain most."""
    made = f"  if every hand of {found.opponent} made the bet" if found.facing else ""
    lines = [
        ("facing", f"{found.facing} ({found.facing_name}), which the old strategy does not know"),
        ("guarantee", _guarantee(found)),
        ("best hand", _worst(found)),
        ("as it arrives", _arriving(found)),
        ("all hands alike", f"{found.opponent} gains {_chips(found.shortfall, found.shortfall_pct)}"),
        ("gifts", _gifts(found)),
        ("EV before", _evs(found.ev_before)),
        ("EV after", _evs(found.ev_after) + made),
        ("exploitability", f"{found.exploitability_pct:.3f} % of the pot in the game that was solved"),
        ("iterations", f"{found.iterations:,}"),
        *found.cost_facts,
    ]
    absent = {"facing": found.facing is None, "gifts": found.gifts == "none"}
    lines = [line for line in lines if not absent.get(line[0])]
    lines += [(f"no bets of {found.searcher}", street) for street in _without_bets(found)]
    lines += ended(found, out, resumable=False)
    method = found.method if found.spread is None else f"{found.method} ({found.spread:g} %)"
    title = (found.spot.name or "spot", found.id, f"{method} for {found.searcher}")
    print_facts(title, lines, Text(found.verdict, style="green" if found.safe else "yellow"))
    screen = console()
    screen.print()
    _print_hands(found)
    if found.root.player != found.searcher and found.facing is None:
        screen.print(
            f"\n{found.opponent} acts first: what follows is its part of the solution, not a prediction of its play"
        )


def tell_put(found: SpotSearch, path: Path | None, figures: dict[str, Any]) -> None:
    """Print into which file a search was put, and what that may cost."""
    guarantee = figures["guarantee"]
    most = "an amount that is not known" if guarantee is None else f"{guarantee:.3f} chips"
    console().print(
        f"\nput into {path}: in the whole spot {found.opponent} can gain at most {most} against {found.searcher}'s "
        f"strategy; exploitability {figures['exploitability_pct']:.3f} % of the pot"
    )


def _print_hands(found: SpotSearch) -> None:
    worst = sorted(found.hands, key=lambda hand: hand.margin)[:MOST_HANDS]
    heads = [f"hand of {found.opponent}", "could win", "may win back", "can win now", "gain", "% of pot"]
    rows = [
        [
            hand.hand,
            *(f"{chips:.3f}" for chips in (hand.alternative, hand.allowed, hand.value)),
            f"{-hand.margin:+.3f}",
            f"{-100 * hand.margin / found.pot:+.2f}",
        ]
        for hand in worst
    ]
    if found.gifts == "none":
        heads.pop(2)
        for row in rows:
            row.pop(2)
    console().print(table(heads, rows, numbers=range(1, len(heads))))


def _guarantee(found: SpotSearch) -> str:
    if math.isnan(found.guarantee):
        return f"not known: the search before was for {found.opponent}; after that one {_more(found, found.cost)}"
    before = f", {found.cost_before:.3f} of them by the searches before" if found.cost_before else ""
    return f"in the whole spot {_more(found, found.guarantee)}{before}"


def _more(found: SpotSearch, chips: float) -> str:
    percent = 100 * chips / found.spot.pot
    return f"{found.opponent} can gain at most {_chips(chips, percent, 'starting pot')}"


def _worst(found: SpotSearch) -> str:
    if found.loss > 0:
        return f"gains {_chips(found.loss, found.loss_pct)}"
    return "wins back no more than it gave up" if any(hand.allowed for hand in found.hands) else "gains nothing"


def _arriving(found: SpotSearch) -> str:
    if math.isnan(found.mean_loss):
        return f"not known: no hand of {found.opponent} arrives under the old strategy"
    margin = found.mean_margin
    whole = f"with its losses set off it {'loses' if margin >= 0 else 'gains'} {abs(margin):.3f}"
    return f"{found.opponent} gains {_chips(found.mean_loss, found.mean_loss_pct)}; {whole}"


def _gifts(found: SpotSearch) -> str:
    most = max(found.hands, key=lambda hand: hand.gift)
    scaled = "" if found.gift_scale == 1 else f", times {found.gift_scale:g} in the search"
    if most.gift == 0:
        return f"{found.gifts}: no hand of {found.opponent} has given up anything on its way"
    mean = "" if math.isnan(found.mean_gift) else f"mean {found.mean_gift:.3f} chips, "
    return f"{found.gifts}: {mean}most {most.gift:.3f} by {most.hand}{scaled}"


def _without_bets(found: SpotSearch) -> list[str]:
    """Return the streets from the node on on which the searcher may not bet."""
    from counterpoise.betting.sizes import STREETS
    from counterpoise.betting.words import seat_of
    from counterpoise.spots.sizes.tables import sizes_of

    later, seat = STREETS[found.start.state.round :], seat_of(found.searcher)
    return [street for street in later if not sizes_of(found.sizes[street], "bet", seat)]


def _chips(chips: float, percent: float, pot: str = "pot") -> str:
    return f"{chips:.3f} chips ({percent:.2f} % of the {pot})"


def _evs(ev: dict[str, float]) -> str:
    return ",  ".join(f"{player} " + ("-" if math.isnan(chips) else f"{chips:.3f}") for player, chips in ev.items())
