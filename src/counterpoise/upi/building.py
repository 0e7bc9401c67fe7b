"""Commands that describe a tree and build it: board, chips, rake, lines, ranges."""

from __future__ import annotations

from counterpoise.cards import format_cards, parse_cards
from counterpoise.errors import InputError
from counterpoise.spots.estimate import estimate
from counterpoise.spots.solve import unsolved
from counterpoise.spots.spot import LONGEST_LINE, MOST_CHIPS
from counterpoise.upi.arguments import read_number, read_numbers, read_position, read_whole, require_count
from counterpoise.upi.commands import Answer, command
from counterpoise.upi.session import Session
from counterpoise.upi.setup import Line
from counterpoise.upi.tree import SolvedTree

LONGEST_INFO, MOST_INFO = 100_000, 1000


@command("set_board", "CARDS", during="at once")
def set_board(session: Session, words: list[str]) -> Answer:
    """Set the three to five cards on the board."""
    cards = parse_cards(" ".join(words))
    if not 3 <= len(cards) <= 5:
        raise InputError(f"the board must have 3 to 5 cards, not {len(cards)}: trees begin on the flop or later")
    session.setup.board = format_cards(cards)
    return None


@command("set_pot", "0 0 CHIPS", during="at once")
def set_pot(session: Session, words: list[str]) -> Answer:
    """Set the pot at the root; what both players have put in before belongs to it."""
    require_count(words, 3)
    oop, ip, start = (read_whole(word, "chips", 0, MOST_CHIPS) for word in words)
    if oop or ip or not start:
        raise InputError("the pot must be 0 0 and a number of chips: whatever was paid before belongs to the pot")
    session.setup.pot = start
    return None


@command("set_eff_stack", "CHIPS", during="at once")
def set_eff_stack(session: Session, words: list[str]) -> Answer:
    """Set what both players have behind at the root."""
    require_count(words, 1)
    session.setup.stack = read_whole(words[0], "the stack", 1, MOST_CHIPS)
    return None


@command("set_rake", "FRACTION CAP", during="at once")
def set_rake(session: Session, words: list[str]) -> Answer:
    """Set the share of the pot that is taken and the most that it may be in chips; a cap of 0 is none."""
    require_count(words, 2, 4)
    share, cap, *others = (
        read_number(word, "the rake", 0, most) for word, most in zip(words, (1, 1e9, 1e9, 1e9), strict=False)
    )
    if any(others):
        raise InputError("a rake has a fraction and a cap: further arguments must be 0")
    session.setup.rake = (share, cap)
    return None


@command("set_isomorphism", "FLOP TURN", during="at once")
def set_isomorphism(session: Session, words: list[str]) -> Answer:
    """Accepted, without effect on answers: suits that nothing tells apart are solved once and shown one by one."""
    require_count(words, 2)
    first, second = (read_whole(word, "isomorphism", 0, 1) for word in words)
    session.settings.isomorphism = (first, second)
    return None


@command("set_range", "OOP|IP 1326 WEIGHTS", during="at once")
def set_range(session: Session, words: list[str]) -> Answer:
    """Set the weight from 0 to 1 of every hand of a player."""
    if not words:
        raise InputError("set_range takes a position and 1,326 weights")
    weights = read_numbers(words[1:], "set_range")[0]
    if not weights.any():
        raise InputError("no hand has a weight above 0")
    session.setup.ranges[read_position(words[0])] = weights
    return None


@command("add_line", "TOTALS", during="at once")
def add_line(session: Session, words: list[str]) -> Answer:
    """Add a line: for each action in turn, the total that who acts has put in since the root."""
    session.setup.add_line(_line(words))
    return None


@command("force_line", "TOTALS", during="at once")
def force_line(session: Session, words: list[str]) -> Answer:
    """Add a line whose last action is the only one at its node."""
    session.setup.add_line(_line(words), force=True)
    return None


@command("remove_line", "TOTALS", during="at once")
def remove_line(session: Session, words: list[str]) -> Answer:
    """Remove a line's last action and all lines that begin so."""
    session.setup.remove_line(_line(words))
    return None


@command("clear_lines", during="at once")
def clear_lines(session: Session, words: list[str]) -> Answer:
    """Remove all lines."""
    require_count(words, 0)
    session.setup.lines, session.setup.forced = {}, {}
    return None


@command("build_tree", during="stopped")
def build_tree(session: Session, words: list[str]) -> Answer:
    """Build the tree that has been described, in place of another; refused beforehand if it does not fit."""
    require_count(words, 0)
    spot = session.setup.spot()
    session.tree = session.runner = None  # so that its memory is free by the time that the new one is estimated
    algorithm = None if session.settings.algorithm == "auto" else session.settings.algorithm
    session.tree = SolvedTree(unsolved(spot, threads=session.settings.threads or None, algorithm=algorithm))
    return None


@command("estimate_tree", during="at once")
def estimate_tree(session: Session, words: list[str]) -> Answer:
    """Show how large the tree that has been described would be."""
    require_count(words, 0)
    found = estimate(session.setup.spot())
    return [f"nodes: {found.nodes}", f"memory: {found.memory_mb[32]:.1f} MB", f"free: {found.available_mb:.1f} MB"]


@command("free_tree", during="stopped")
def free_tree(session: Session, words: list[str]) -> Answer:
    """Forget the tree."""
    require_count(words, 0)
    session.require_tree()
    session.tree = session.runner = None
    return None


@command("add_info_line", "TEXT", during="at once")
def add_info_line(session: Session, words: list[str]) -> Answer:
    """Add a line to what show_tree_info shows, such as #Type#NoLimit."""
    text = " ".join(words)
    if not text or len(text) > LONGEST_INFO or len(session.setup.info) >= MOST_INFO:
        raise InputError(f"a tree may have {MOST_INFO:,} lines of information, each of 1 to {LONGEST_INFO:,} letters")
    session.setup.info.append(text)
    return None


@command("reset_tree_info", during="at once")
def reset_tree_info(session: Session, words: list[str]) -> Answer:
    """Remove the lines that add_info_line has added."""
    require_count(words, 0)
    session.setup.info.clear()
    return None


def _line(words: list[str]) -> Line:
    if not 1 <= len(words) <= LONGEST_LINE:
        raise InputError(f"a line has 1 to {LONGEST_LINE} amounts, not {len(words):,}")
    return tuple(read_whole(word, "an amount", 0, MOST_CHIPS) for word in words)
