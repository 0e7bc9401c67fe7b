"""Commands that show the tree: its parameters, lines, nodes and what follows them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import STREETS, label
from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.seats import CHANCE
from counterpoise.spots.spot import Spot
from counterpoise.upi.arguments import require_count
from counterpoise.upi.commands import Answer, command
from counterpoise.upi.session import Session
from counterpoise.upi.tree import FIRST, ROOT

MOST_SHOWN = 200_000
"""How many lines of a tree are listed."""


@command("is_tree_present", during="at once")
def is_tree_present(session: Session, words: list[str]) -> Answer:
    """Show whether there is a tree: true or false."""
    require_count(words, 0)
    return ["false" if session.tree is None else "true"]


@command("show_node", "NODE")
def show_node(session: Session, words: list[str]) -> Answer:
    """Show a node: id, type, board, pot (put in by OOP and IP, at the root), children, flags."""
    require_count(words, 1)
    return [*session.require_tree().node(words[0]).description(), *_blank(session)]


@command("show_children", "NODE")
def show_children(session: Session, words: list[str]) -> Answer:
    """Show every node that may follow: bets from the largest to the smallest, check or call, fold; or cards."""
    require_count(words, 1)
    tree = session.require_tree()
    lines: list[str] = []
    for number, child in enumerate(tree.node(words[0]).children()):
        lines += [f"child {number}:", *tree.node(child).description(), *_blank(session)]
    return lines


@command("show_all_lines")
def show_all_lines(session: Session, words: list[str]) -> Answer:
    """Show every line of betting, the cards left out."""
    require_count(words, 0)
    return [ROOT, *all_lines(session.require_tree().spot)]


@command("show_effective_stack")
def show_effective_stack(session: Session, words: list[str]) -> Answer:
    """Show what both players have behind at the root of the tree, in chips."""
    require_count(words, 0)
    return [str(session.require_tree().spot.stack)]


@command("show_board_no_iso")
def show_board_no_iso(session: Session, words: list[str]) -> Answer:
    """Show the board of the tree."""
    require_count(words, 0)
    return session.require_tree().node(ROOT).description()[2:3]


@command("show_tree_params", during="at once")
def show_tree_params(session: Session, words: list[str]) -> Answer:
    """Show what the next tree is to be built of."""
    require_count(words, 0)
    own = session.setup
    return [
        f"board: {own.board or 'not set'}",
        f"pot: {f'0 0 {own.pot}' if own.pot else 'not set'}",
        f"eff_stack: {own.stack or 'not set'}",
        f"rake: {own.rake[0]:.9g} {own.rake[1]:.9g}",
        f"lines: {len(own.lines) + len(own.forced)}",
    ]


@command("show_tree_info")
def show_tree_info(session: Session, words: list[str]) -> Answer:
    """Show what the tree was built of, and what add_info_line has added, as #NAME#VALUE."""
    require_count(words, 0)
    known = tree_info(session.require_tree().spot)
    added = session.setup.info
    named = {line.split("#")[1] for line in added if line.startswith("#") and line.count("#") > 1}
    return [*(f"#{name}#{value}" for name, value in known.items() if name not in named), *added]


@command("node_count")
def node_count(session: Session, words: list[str]) -> Answer:
    """Show how many nodes of each type the tree has on each street, all boards counted."""
    require_count(words, 0)
    spot = session.require_tree().spot
    streets = STREETS[1:]
    counts = {kind: dict.fromkeys(streets, 0) for kind in ("H_DEC", "V_DEC", "SPLIT", "END", "ROOT")}
    boards = {street: 1 for street in streets}
    for number in range(spot.first_round, len(streets)):
        boards[streets[number]] = boards[streets[number - 1]] * (spot.card_deck.size - 2 - number)
    counts["ROOT"][streets[spot.first_round - 1]] = 1
    for state in (state for _, states in _lines(spot) for state in states):
        kind = "SPLIT" if state.to_act == CHANCE else "END" if state.to_act < 0 else ("H_DEC", "V_DEC")[state.to_act]
        street = streets[state.round - 1]
        counts[kind][street] += boards[street]
    lines = []
    for kind, own in counts.items():
        lines += [f"{kind}: {sum(own.values())}", *(f"  {street.upper():5} {own[street]}" for street in streets)]
    return [*lines, f"TOTAL: {sum(sum(own.values()) for own in counts.values())}"]


def tree_info(spot: Spot) -> dict[str, str]:
    """Return what a tree was built of, by UPI's names."""
    return {
        "Type": "NoLimit",
        "Range0": spot.oop,
        "Range1": spot.ip,
        "Board": format_cards(spot.cards),
        "Pot": str(spot.pot),
        "EffectiveStacks": str(spot.stack),
        "Rake.Fraction": f"{spot.rake.percent / 100:.9g}",
        "Rake.Cap": f"{spot.rake.cap or 0:.9g}",
    }


def all_lines(spot: Spot) -> list[str]:
    """Return every line of betting, the cards left out; refused if there are too many to list."""
    lines = [line for line, _ in islice(_lines(spot), MOST_SHOWN + 1)]
    if len(lines) > MOST_SHOWN:
        raise InputError(f"the tree has more than {MOST_SHOWN:,} lines, which are too many to list")
    return lines


def _blank(session: Session) -> list[str]:
    return [""] if session.blank_lines else []


def _lines(spot: Spot) -> Iterator[tuple[str, list[BettingState]]]:
    """Yield every line of betting with its states, the first decision first: a deal has that after the card too."""
    betting, sizes = spot.betting, spot.sizes
    stack = [(FIRST, betting.initial())]
    while stack:
        line, state = stack.pop()
        states = [state]
        if state.to_act == CHANCE:
            state = betting.deal(state)
            states.append(state)
        yield line, states
        if state.to_act >= 0:
            actions = sizes.actions(betting, state)
            stack += [(f"{line}:{label(action)}", betting.apply(state, action)) for action in reversed(actions)]
