"""Does the gain of pruning grow with the game? Leduc with more bet sizes and more ranks, beyond BROWN's Leduc-5.

BROWN 3.3.5 and 3.5.4 find more gain on Leduc-5 than on Leduc and conclude that larger games benefit more. Here games of
one family grow by two parameters. In each, CFR with partial pruning touches every history of the tree on average so
many times, and the other methods are run until they are as close to an equilibrium.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from counterpoise.games.two_round_poker import BettingRound, TwoRoundPoker
from counterpoise.reproduce.harness.experiment import Lab
from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, NotMeasured, Table, Verdict, cell, short
from counterpoise.reproduce.harness.runs import Runs
from counterpoise.tree import enumerate_game

PARTIAL, RBP, TOTAL = "partial pruning", "RBP", "Total RBP"
ALGORITHMS = {PARTIAL: "cfr/partial-pruning", RBP: "cfr/rbp", TOTAL: "cfr/total-rbp"}
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


@dataclass(frozen=True)
class _Member:
    """A game of the family, its histories, and the runs on it."""

    game: LeducFamily
    histories: int
    runs: Runs

    def gain(self, label: str, often: int) -> float:
        """Return how many times fewer histories a method needs to match partial pruning after `often` rounds."""
        nodes = often * self.histories
        return nodes / self.runs.nodes_to(label, self.runs.at_nodes(PARTIAL, nodes))

    def gains(self, label: str, rounds: Sequence[int]) -> dict[int, float]:
        return {n: gain for n in rounds if (gain := cell(self.gain, label, n)) is not None}

    def share(self, label: str) -> float:
        return self.runs.nodes_per_iteration(label) / self.histories


def by_size(
    lab: Lab, games: Sequence[LeducFamily] = FAMILY, rounds: Sequence[int] = ROUNDS, most_nodes: float = MOST_NODES
) -> Iterator[Declared]:
    """CFR with partial pruning, interval RBP and Total RBP on growing games."""
    members: list[_Member] = []
    for game in games:
        histories = enumerate_game(game).nodes
        nodes = min(histories * rounds[-1], most_nodes)
        members.append(_Member(game, histories, _race(lab, game, nodes, part=1 / len(games))))
        if lab.interrupted:
            break
    for often in rounds:
        yield Table(
            f"Times fewer histories than partial pruning, where it has touched {often} times the tree",
            ["game", "histories", "NashConv", RBP, TOTAL],
            [
                [
                    str(own.game),
                    own.histories,
                    cell(own.runs.at_nodes, PARTIAL, often * own.histories),
                    *(cell(own.gain, label, often) for label in (RBP, TOTAL)),
                ]
                for own in members
            ],
        )
    yield Table(
        "Histories per iteration at the end, as a share of the tree",
        ["game", *ALGORITHMS],
        [[str(own.game), *(cell(own.share, label) for label in ALGORITHMS)] for own in members],
    )
    lab.data["gains"] = {
        str(own.game): {
            "histories": own.histories,
            **{label: {n: cell(own.gain, label, n) for n in rounds} for label in (RBP, TOTAL)},
        }
        for own in members
    }
    for label, id in ((RBP, "rbp"), (TOTAL, "total-rbp")):
        yield Claim(f"{id}-larger-games", _grows_with_size, members, label, rounds)
        yield Claim(f"{id}-longer-runs", _grows_with_length, members, label, rounds)


def _race(lab: Lab, game: LeducFamily, nodes: float, part: float) -> Runs:
    """Run partial pruning for `nodes` histories, then the others until they are as good."""
    first, name = {PARTIAL: ALGORITHMS[PARTIAL]}, str(game)
    runs = race_to_nodes(lab, game, first, nodes, name=name, part=part / 5)
    if PARTIAL in runs.series:
        goal, others = runs.common_goal(PARTIAL), {label: ALGORITHMS[label] for label in (RBP, TOTAL)}
        runs.series |= race_to_nodes(lab, game, others, MOST * nodes, name=name, goal=goal, part=4 * part / 5).series
    return runs


def _grows_with_size(members: Sequence[_Member], label: str, rounds: Sequence[int]) -> Verdict:
    family = {own.game.sizes: own.gains(label, rounds) for own in members if own.game.ranks == 3}
    often = max((n for n in rounds if len([gains for gains in family.values() if n in gains]) > 1), default=0)
    found = {size: gains[often] for size, gains in family.items() if often in gains}
    if len(found) < 2:
        raise NotMeasured("one game is no comparison")
    told = ", ".join(f"{short(gain)} with {size}" for size, gain in found.items())
    return _rising(list(found.values())), f"after {often:,} rounds {told} sizes"


def _grows_with_length(members: Sequence[_Member], label: str, rounds: Sequence[int]) -> Verdict:
    found = [list(gains.values()) for own in members if len(gains := own.gains(label, rounds)) > 1]
    if not found:
        raise NotMeasured("one length is no comparison")
    told = "; ".join(" to ".join(short(gain) for gain in gains) for gains in found)
    return all(_rising(gains) for gains in found), told


def _rising(numbers: Sequence[float]) -> bool:
    return all(later > earlier for earlier, later in pairwise(numbers))
