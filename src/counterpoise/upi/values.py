"""Commands that show what hands do and win: ranges, strategies, EVs, equities and frequencies.

Numbers by hand stand in the order of `show_hand_order`. EVs are chips counted from the root of the tree: what a player
has put in since then is taken off. A *matchup* is the weight of a hand times that of the opponent's hands it can meet.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.sizes import label
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.public import Cut, build_holdem
from counterpoise.public.showdowns import showdown_equities
from counterpoise.upi.arguments import read_position, require_count
from counterpoise.upi.commands import Answer, command
from counterpoise.upi.frequencies import line_frequencies
from counterpoise.upi.hand_order import HANDS, in_upi_order
from counterpoise.upi.session import Session
from counterpoise.upi.showing import all_lines
from counterpoise.upi.tree import FIRST, ROOT, TreeNode

Numbers = NDArray[np.float64]


@command("show_range", "OOP|IP [NODE]")
def show_range(session: Session, words: list[str]) -> Answer:
    """Show the weight of every hand with which a player arrives at a node; without one, the range that was set."""
    require_count(words, 1, 2)
    seat = read_position(words[0])
    if len(words) == 1:
        return [row(session.setup.range_of(seat))]
    node = session.require_tree().node(words[1])
    return [row(node.in_order(seat, node.reaches[seat]))]


@command("show_strategy", "NODE")
def show_strategy(session: Session, words: list[str]) -> Answer:
    """Show what every hand of the player to act does: a line for each child, in the order of show_children."""
    require_count(words, 1)
    node = session.require_tree().decision(words[0])
    return [row(one) for one in ordered_strategy(node)]


@command("show_strategy_pp", "NODE")
def show_strategy_pp(session: Session, words: list[str]) -> Answer:
    """Show the same by hand: each hand that arrives, and the probability of each child."""
    require_count(words, 1)
    node = session.require_tree().decision(words[0])
    assert node.player is not None
    strategy, arriving = ordered_strategy(node), node.in_order(node.player, node.reaches[node.player])
    return [f"{HANDS[at]}: {row(strategy[:, at])}" for at in np.flatnonzero(arriving)]


@command("calc_ev", "OOP|IP NODE")
def calc_ev(session: Session, words: list[str]) -> Answer:
    """Show the EV of every hand of a player in chips, and its matchups."""
    seat, node = _player_at(session, words)
    return [row(node.in_order(seat, node.evs(seat), np.nan)), row(node.in_order(seat, node.matchups(seat)))]


@command("calc_ev_pp", "OOP|IP NODE")
def calc_ev_pp(session: Session, words: list[str]) -> Answer:
    """Show the same by hand: each hand that arrives, its EV and its matchups."""
    seat, node = _player_at(session, words)
    return _by_hand(node.in_order(seat, node.evs(seat), np.nan), node.in_order(seat, node.matchups(seat)))


@command("calc_eq", "OOP|IP")
def calc_eq(session: Session, words: list[str]) -> Answer:
    """Show the equity from 0 to 1 of every hand of the range that was set, on the board set, and its matchups."""
    require_count(words, 1)
    seat = read_position(words[0])
    game = build_holdem(replace(session.setup.spot(lines=False).rules, cut=Cut()))
    equities = np.full(game.deck.hand_count, np.nan)
    equities[game.hand_numbers[seat]] = showdown_equities(game, game.rules.board, game.weights)[seat]
    meet = game.pairs_apart if seat == 0 else game.pairs_apart.T
    matchups = game.scatter_to_deck(seat, game.weights[seat] * (meet @ game.weights[1 - seat]))
    return [row(in_upi_order(equities)), row(in_upi_order(matchups))]


@command("calc_eq_node", "OOP|IP NODE")
def calc_eq_node(session: Session, words: list[str]) -> Answer:
    """Show the equity of every hand of a player at a node, its matchups, and the equity of the whole range."""
    seat, node = _player_at(session, words)
    equities, matchups = node.equities(seat), node.matchups(seat)
    met = matchups > 0
    total = matchups[met] @ equities[met] / matchups.sum() if met.any() else np.nan
    return [row(node.in_order(seat, equities, np.nan)), row(node.in_order(seat, matchups)), number(total)]


@command("calc_eq_pp", "OOP|IP NODE")
def calc_eq_pp(session: Session, words: list[str]) -> Answer:
    """Show the same by hand: each hand that arrives, its equity and its matchups."""
    seat, node = _player_at(session, words)
    return _by_hand(node.in_order(seat, node.equities(seat), np.nan), node.in_order(seat, node.matchups(seat)))


@command("calc_global_freq", "NODE")
def calc_global_freq(session: Session, words: list[str]) -> Answer:
    """Show how often play comes to a node, from 0 to 1, the cards dealt included."""
    require_count(words, 1)
    return [number(session.require_tree().node(words[0]).frequency())]


@command("calc_line_freq", "NODE")
def calc_line_freq(session: Session, words: list[str]) -> Answer:
    """Show how often a node's betting happens, from 0 to 1, whatever cards are dealt."""
    require_count(words, 1)
    tree = session.require_tree()
    actions = [step for step in tree.node(words[0]).steps if not isinstance(step, str)]
    return [number(line_frequencies(tree.solution, actions).get(":".join([FIRST, *map(label, actions)]), 0.0))]


@command("show_all_freqs", "[global|local]")
def show_all_freqs(session: Session, words: list[str]) -> Answer:
    """Show how often each line of betting happens, whatever cards are dealt; local: as a share of the line before."""
    require_count(words, 0, 1)
    kind = words[0].lower() if words else "global"
    if kind not in ("global", "local"):
        raise InputError(f"frequencies are global or local, not {shown(words[0])}")
    tree = session.require_tree()
    lines = all_lines(tree.spot)  # refused if they are too many
    often = line_frequencies(tree.solution)
    found = {ROOT: 1.0} | {line: often.get(line, 0.0) for line in lines}
    shares = found if kind == "global" else {line: _share(found, line) for line in found}
    return [f"{line} - {number(share)}" for line, share in shares.items()]


def _player_at(session: Session, words: list[str]) -> tuple[int, TreeNode]:
    """Return the player and the node that a command of two words names."""
    require_count(words, 2)
    return read_position(words[0]), session.require_tree().node(words[1])


def _share(frequencies: dict[str, float], line: str) -> float:
    """Return how often the last action of a line is taken after the line before it; nan if that never happens."""
    before = frequencies.get(line.rpartition(":")[0], 1.0)
    return frequencies[line] / before if before else np.nan


def ordered_strategy(node: TreeNode) -> Numbers:
    """Return the strategy of the player to act, [child, hand in the order of UPI]."""
    assert node.player is not None
    return node.in_order(node.player, node.strategy())


def _by_hand(values: Numbers, matchups: Numbers) -> list[str]:
    return [f"{HANDS[at]}: {number(values[at])} {number(matchups[at])}" for at in np.flatnonzero(matchups)]


def row(numbers: Numbers) -> str:
    """Return numbers in one line."""
    return " ".join([number(one) for one in numbers.tolist()])


def number(value: float) -> str:
    """Return a number as UPI writes it, with nine digits that matter.

    >>> number(0.25), number(float("nan")), number(1 / 3)
    ('0.25', 'nan', '0.333333333')
    """
    return f"{value:.9g}"
