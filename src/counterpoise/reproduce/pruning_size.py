"""Does the gain of pruning grow with the game? Leduc with more bet sizes and more ranks, beyond BROWN's Leduc-5.

BROWN 3.3.5 and 3.5.4 find more gain on Leduc-5 than on Leduc and conclude that larger games benefit more. Here games of
one family grow by two parameters. In each, CFR with partial pruning touches every history of the tree on average so
many times, and the other methods are run until they are as close to an equilibrium.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from counterpoise.games.two_round_poker import BettingRound, TwoRoundPoker
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.by_nodes import NodeRace, race_to_nodes
from counterpoise.reproduce.race import measured, short
from counterpoise.tree import enumerate_game

PARTIAL, RBP, TOTAL = "partial pruning", "RBP", "Total RBP"
ALGORITHMS = {PARTIAL: "cfr/partial-pruning", RBP: "cfr/rbp", TOTAL: "cfr/total-rbp"}
ROUNDS = (64, 256, 1_024)
"""How many times over partial pruning touches the histories of the tree."""
MOST_NODES = 3e8
"""Where partial pruning stops even if that is less."""
MOST = 1.5
"""A method that needs so many times the histories of partial pruning is given up."""


@dataclass(frozen=True)
class LeducFamily(TwoRoundPoker):
    """Leduc with so many ranks and bet sizes; 3 and 1 is Leduc, 3 and 5 is Leduc-5.

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


MORE_SIZES = tuple(LeducFamily(3, sizes) for sizes in (1, 3, 5, 7))
MORE_RANKS = tuple(LeducFamily(ranks, 3) for ranks in (6, 9))


@experiment(
    "pruning-by-size",
    "The gain of regret-based pruning by the size of the game",
    "BROWN 3.3.5, 3.5.4",
    seconds=240,
    budget=True,
)
def by_size(
    setup: Setup,
    report: Report,
    games: Sequence[LeducFamily] = MORE_SIZES + MORE_RANKS,
    rounds: Sequence[int] = ROUNDS,
    most_nodes: float = MOST_NODES,
) -> None:
    """CFR with partial pruning, interval RBP and Total RBP on growing games."""
    contests: dict[LeducFamily, NodeRace] = {}
    sizes: dict[LeducFamily, int] = {}
    for game in games:
        sizes[game] = enumerate_game(game).nodes
        nodes = min(sizes[game] * rounds[-1], most_nodes)
        contests[game] = _contest(setup, report, game, nodes, part=1 / len(games))
        if report.interrupted:
            break
    for often in rounds:
        report.tables.append(
            Table(
                f"Times fewer histories than partial pruning, where it has touched {often} times the tree",
                ["game", "histories", "NashConv", RBP, TOTAL],
                [
                    [
                        str(game),
                        f"{sizes[game]:,}",
                        measured(contest.at_nodes, PARTIAL, often * sizes[game]),
                        *(measured(_gain, contest, label, often * sizes[game]) for label in (RBP, TOTAL)),
                    ]
                    for game, contest in contests.items()
                ],
            )
        )
    report.tables.append(
        Table(
            "Histories per iteration at the end, as a share of the tree",
            ["game", *ALGORITHMS],
            [
                [str(game), *(measured(_share, contest, label, sizes[game]) for label in ALGORITHMS)]
                for game, contest in contests.items()
            ],
        )
    )
    report.data["gains"] = {
        str(game): {
            "histories": sizes[game],
            **{label: {n: _found(contest, label, n * sizes[game]) for n in rounds} for label in (RBP, TOTAL)},
        }
        for game, contest in contests.items()
    }
    for label in (RBP, TOTAL):
        report.judge(
            f"Larger games benefit more from {label}: at the same number of rounds the gain grows with the bet sizes",
            lambda label=label: _grows_with_size(contests, sizes, label, rounds),  # type: ignore[misc]
        )
        report.judge(
            f"Longer runs benefit more from {label}: in every game the gain grows with the rounds",
            lambda label=label: _grows_with_length(contests, sizes, label, rounds),  # type: ignore[misc]
        )


def _contest(setup: Setup, report: Report, game: LeducFamily, nodes: float, part: float) -> NodeRace:
    """Partial pruning for so many histories, then the others until they are as good."""
    first, name = {PARTIAL: ALGORITHMS[PARTIAL]}, str(game)
    contest = race_to_nodes(setup, report, game, first, nodes, name=name, part=part / 5)
    goal = contest.common_goal(PARTIAL)
    others = {label: algorithm for label, algorithm in ALGORITHMS.items() if label != PARTIAL}
    later = race_to_nodes(setup, report, game, others, MOST * nodes, name=name, goal=goal, part=4 * part / 5)
    contest.runs |= later.runs
    return contest


def _gain(contest: NodeRace, label: str, nodes: float) -> float:
    """How many times fewer histories a method needs to be as good as partial pruning after `nodes`."""
    return nodes / contest.nodes_to(label, contest.at_nodes(PARTIAL, nodes))


def _found(contest: NodeRace, label: str, nodes: float) -> float | None:
    try:
        return _gain(contest, label, nodes)
    except NotMeasured:
        return None


def _share(contest: NodeRace, label: str, histories: int) -> float:
    return contest.nodes_per_iteration(label) / histories


def _grows_with_size(
    contests: Mapping[LeducFamily, NodeRace], sizes: Mapping[LeducFamily, int], label: str, rounds: Sequence[int]
) -> tuple[bool, str]:
    family = [game for game in contests if game.ranks == 3]
    often = max(
        (n for n in rounds if len([g for g in family if _found(contests[g], label, n * sizes[g])]) > 1), default=0
    )
    gains = {game.sizes: gain for game in family if (gain := _found(contests[game], label, often * sizes[game]))}
    if len(gains) < 2:
        raise NotMeasured("one game is no comparison")
    listed = ", ".join(f"{short(gain)} with {size}" for size, gain in gains.items())
    return _rising(list(gains.values())), f"after {often:,} rounds {listed} sizes"


def _grows_with_length(
    contests: Mapping[LeducFamily, NodeRace], sizes: Mapping[LeducFamily, int], label: str, rounds: Sequence[int]
) -> tuple[bool, str]:
    courses = [
        [gain for n in rounds if (gain := _found(contest, label, n * sizes[game]))]
        for game, contest in contests.items()
    ]
    courses = [gains for gains in courses if len(gains) > 1]
    if not courses:
        raise NotMeasured("one length is no comparison")
    listed = "; ".join(" to ".join(short(gain) for gain in gains) for gains in courses)
    return all(_rising(gains) for gains in courses), listed


def _rising(numbers: Sequence[float]) -> bool:
    return all(later > earlier for earlier, later in pairwise(numbers))
