"""Does the gain of pruning grow with the game? Leduc with more bet sizes and more ranks, beyond BROWN's Leduc-5.

BROWN 3.3.5 and 3.5.4 find more gain on Leduc-5 than on Leduc and conclude that larger games benefit more. Here games of
one family grow by two parameters. In each, CFR with partial pruning touches the histories of the tree a given number of
times over, and the other methods are run until they are as close to an equilibrium.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from counterpoise.games.two_round_poker import BettingRound, TwoRoundPoker
from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, NotMeasured, by_row, cell
from counterpoise.reproduce.harness.runs import Runs
from counterpoise.reproduce.harness.verdicts import Verdict, short
from counterpoise.tree import enumerate_game

PARTIAL, RBP, TOTAL = "partial pruning", "RBP", "Total RBP"
ROUNDS = (64, 256, 1_024)
"""How many times over partial pruning touches the histories of the tree."""
MOST_NODES = 3e8
"""Where partial pruning stops even if that is less."""
MOST = 1.5
"""A method that needs this many times the histories of partial pruning is given up."""


@dataclass(frozen=True)
class LeducFamily(TwoRoundPoker):
    """Leduc with any number of ranks and bet sizes; 3 and 1 is Leduc, 3 and 5 is Leduc-5.

    Sizes double: 2 chips in the first round is the middle one, and those of the second round are twice as large.
    """

    ranks: int
    sizes: int

    suits = 2
    players = 2
    merge_suits = True

    @property
    def rounds(self) -> tuple[BettingRound, BettingRound]:
        """Two bets per round."""
        first = tuple(2.0 ** (k - self.sizes // 2 + 1) for k in range(self.sizes))
        return BettingRound(first, 2), BettingRound(tuple(2 * size for size in first), 2)

    def __str__(self) -> str:
        return f"{self.ranks} ranks, {self.sizes} sizes"


FAMILY = (*(LeducFamily(3, sizes) for sizes in (1, 3, 5, 7)), *(LeducFamily(ranks, 3) for ranks in (6, 9)))


def by_size(
    lab: Lab, games: Sequence[LeducFamily] = FAMILY, rounds: Sequence[int] = ROUNDS, most_nodes: float = MOST_NODES
) -> Iterator[Declared]:
    """Run CFR with partial pruning, interval RBP and Total RBP on growing games."""
    histories, raced = dict[str, int](), dict[str, Runs]()
    for game in games:
        size = histories[str(game)] = enumerate_game(game).nodes
        nodes, part = min(size * rounds[-1], most_nodes), 1 / len(games)
        raced[str(game)] = _race(lab, game, nodes, part)
        if lab.interrupted:
            break

    def gain(game: str, label: str, often: int) -> float:
        """Return how many times fewer histories a method needs to match partial pruning after `often` rounds."""
        runs, nodes = raced[game], often * histories[game]
        return nodes / runs.work_to(label, runs.at_nodes(PARTIAL, nodes))

    gains = {label: {game: {n: cell(gain, game, label, n) for n in rounds} for game in raced} for label in (RBP, TOTAL)}
    for often in rounds:
        yield by_row(
            f"Times fewer histories than partial pruning, where it has touched {often} times the tree",
            ["game", "histories", "NashConv", RBP, TOTAL],
            raced,
            histories.get,
            lambda game, often=often: raced[game].at_nodes(PARTIAL, often * histories[game]),
            *(lambda game, own=own, often=often: own[game][often] for own in gains.values()),
        )
    yield by_row(
        "Histories per iteration at the end, as a share of the tree",
        ["game", *lab.algorithms],
        raced,
        *(lambda game, n=label: raced[game].nodes_per_iteration(n) / histories[game] for label in lab.algorithms),
    )
    lab.data["gains"] = {
        game: {"histories": histories[game], **{label: own[game] for label, own in gains.items()}} for game in raced
    }
    for label, id in ((RBP, "rbp"), (TOTAL, "total-rbp")):
        found = {game: {n: gain for n, gain in own.items() if gain is not None} for game, own in gains[label].items()}
        family = {game.sizes: found[str(game)] for game in games if str(game) in found and game.ranks == 3}
        yield Claim(f"{id}-larger-games", _grows_with_size, family, rounds)
        yield Claim(f"{id}-longer-runs", _grows_with_length, list(found.values()))


def _race(lab: Lab, game: LeducFamily, nodes: float, part: float) -> Runs:
    """Run partial pruning for `nodes` histories, then the others until they are as good."""
    (first, algorithm), *others = lab.algorithms.items()
    runs = race_to_nodes(lab, game, {first: algorithm}, nodes, name=str(game), part=part / 5)
    if first in runs.series:
        goal = runs.common_goal(first)
        more = race_to_nodes(lab, game, dict(others), MOST * nodes, name=str(game), goal=goal, part=4 * part / 5)
        runs.series |= more.series
    return runs


def _grows_with_size(family: Mapping[int, Mapping[int, Any]], rounds: Sequence[int]) -> Verdict:
    often = max((n for n in rounds if sum(n in gains for gains in family.values()) > 1), default=0)
    found = {size: gains[often] for size, gains in family.items() if often in gains}
    if len(found) < 2:
        raise NotMeasured("one game is no comparison")
    told = ", ".join(f"{short(gain)} with {size}" for size, gain in found.items())
    return _rising(list(found.values())), f"after {often:,} rounds {told} sizes"


def _grows_with_length(members: Sequence[Mapping[int, Any]]) -> Verdict:
    found = [list(gains.values()) for gains in members if len(gains) > 1]
    if not found:
        raise NotMeasured("one length is no comparison")
    told = "; ".join(" to ".join(short(gain) for gain in gains) for gains in found)
    return all(_rising(gains) for gains in found), told


def _rising(numbers: Sequence[float]) -> bool:
    return all(later > earlier for earlier, later in pairwise(numbers))
