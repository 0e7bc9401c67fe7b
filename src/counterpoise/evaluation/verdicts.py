"""Verdicts on matches by the margin rule and the significance rule, and tables of several verdicts.

See Johanson 2016, chapter 8.

A verdict is 1 for a win, -1 for a loss and 0 for a tie. The championships of 2007 and 2008 called a duplicate match of
500 hands a tie within 25 big blinds; a one-sided test at 95 % asks whether a win is more than luck. Tables of verdicts
have the form of Johanson 2016, tables 8.1 and 8.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from counterpoise.evaluation.estimators.statistics import OneSided, one_sided
from counterpoise.intervals import CONFIDENCE, Tally
from counterpoise.parameters import require_choice, require_number, require_whole
from counterpoise.store.json import JsonResult

MARGIN = 25.0
"""Big blinds of a duplicate match within which the championships called a tie."""
Rooms = Literal["sum", "mean"]


class MatchScore(NamedTuple):
    """The result of an agent in a match, in thousandths of a big blind (mbb) per hand."""

    mean: float
    deviation: float
    """The standard deviation of a sample: a hand, or the mean over both rooms of a deal."""
    samples: int

    @classmethod
    def of(cls, tally: Tally, scale: float = 1.0) -> MatchScore:
        """Return the score of samples, each multiplied by `scale`."""
        return cls(scale * tally.mean, scale * tally.deviation, tally.count)

    def test(self, confidence: float = CONFIDENCE) -> OneSided:
        """Test whether the mean is above 0."""
        return one_sided(self.mean, self.deviation, self.samples, confidence=confidence)


class MatchVerdict(NamedTuple):
    """The outcome of a match by the margin rule (-1, 0 or 1), and by significance (-1, 0 or 1)."""

    outcome: int
    significant: int

    def __str__(self) -> str:
        return f"{self.outcome}/{self.significant}"


@dataclass(frozen=True)
class VerdictRule:
    """Which scores win a match.

    The printed rule of 2007 is 25 big blinds "over" a duplicate match of 500 hands; public records of the event count
    the sum over both rooms, so that 25 big blinds over 1,000 hands are 25 mbb per hand. With `rooms="mean"` the score
    of a deal is the mean of its rooms, and twice as much is needed.
    """

    margin: float = MARGIN
    """Big blinds that win a match."""
    rooms: Rooms = "sum"
    """Whether the score of a deal is the sum or the mean over its rooms."""
    played: int = 2
    """Rooms of every deal: 1 if the match is not duplicate."""
    confidence: float = CONFIDENCE
    """The confidence of the one-sided test."""

    def __post_init__(self) -> None:
        require_number("margin", self.margin, 0)
        require_choice("rooms", self.rooms, ("sum", "mean"))
        require_whole("played", self.played)

    def big_blinds(self, score: MatchScore) -> float:
        """Return the big blinds that an agent has won in a match, over all rooms or in the mean room."""
        return score.mean * score.samples * (self.played if self.rooms == "sum" else 1) / 1000

    def outcome(self, score: MatchScore) -> int:
        """Return 1, 0 or -1 by the margin rule."""
        won = self.big_blinds(score)
        return int(won > self.margin) - int(won < -self.margin)

    def significant(self, score: MatchScore) -> int:
        """Return 1 if the mean is significantly above 0, -1 if it is significantly below 0, else 0."""
        if score.samples < 2:
            return 0
        test = score.test(self.confidence)
        return int(test.significant) - int(MatchScore(-score.mean, *score[1:]).test(self.confidence).significant)

    def verdict(self, score: MatchScore) -> MatchVerdict:
        """Return the outcome and the significance of a score.

        >>> str(VerdictRule().verdict(MatchScore(91, 1976, 500)))  # money in match 2 of 2007
        '1/0'
        """
        return MatchVerdict(self.outcome(score), self.significant(score))


@dataclass(frozen=True)
class VerdictTable(JsonResult):
    """Verdicts of an agent in several matches, a row for each estimator; None where a match could not be analysed."""

    matches: tuple[str, ...]
    rows: Mapping[str, Sequence[MatchVerdict | None]]

    def total(self, estimator: str) -> MatchVerdict:
        """Return matches won minus matches lost, of all and of the significant ones."""
        known = [verdict for verdict in self.rows[estimator] if verdict is not None]
        return MatchVerdict(sum(one.outcome for one in known), sum(one.significant for one in known))

    def record(self, estimator: str) -> tuple[int, int, int]:
        """Return matches won, lost and tied."""
        outcomes = [verdict.outcome for verdict in self.rows[estimator] if verdict is not None]
        return outcomes.count(1), outcomes.count(-1), outcomes.count(0)

    def winner(self, estimator: str) -> int:
        """Return 1 if more matches were won than lost, -1 if fewer, else 0."""
        won, lost, _ = self.record(estimator)
        return int(won > lost) - int(lost > won)

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return column heads and rows in words: "1/0" is a win that is not significant."""
        heads = ["verdict/significant", *self.matches, "total"]
        rows = [
            [name, *["-" if verdict is None else str(verdict) for verdict in row], str(self.total(name))]
            for name, row in self.rows.items()
        ]
        return heads, rows


def verdict_table(
    matches: Sequence[str], scores: Mapping[str, Sequence[MatchScore | None]], rule: VerdictRule | None = None
) -> VerdictTable:
    """Return the verdicts of every estimator in every match; a score that is None has no verdict."""
    judge = rule or VerdictRule()
    rows = {
        name: tuple(None if score is None else judge.verdict(score) for score in row) for name, row in scores.items()
    }
    return VerdictTable(tuple(matches), rows)
