"""Johanson 2016, tables 7.1 to 7.4: how good estimators are on and off policy, with full and partial information.

The source has limit hold'em, three players observed against a fourth, and bias and deviation from a million hands. Here
the games are Leduc and mini hold'em, in which both are exact: an estimator is computed at every end of the game. An
equilibrium stands for S2298, an early average of CFR for CFR8, a player of tilted payoffs for Orange, and an earlier
average for the opponent, PsOpti4. All of them play everything now and then, if hardly ever, so that nothing is biased
by play that was never shown; in the source some is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterpoise.evaluation.estimators.enumerated import EnumeratedHands
from counterpoise.evaluation.estimators.enumerated_judge import EnumeratedJudge
from counterpoise.evaluation.estimators.exact import Quality, exact_quality
from counterpoise.evaluation.estimators.layers import FloatArray
from counterpoise.evaluation.estimators.settings import JudgeSettings
from counterpoise.exploit import Tilt
from counterpoise.games.units import unit_of
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, Table, by_row
from counterpoise.reproduce.harness.verdicts import Verdict
from counterpoise.solvers.run import make_solver
from counterpoise.tree import Tree, enumerate_game

LEDUC = "leduc_poker"
MINI = "limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=[3, 2])"
"""Mini hold'em: eight cards, a betting round before and one on the flop."""
GAMES = {"Leduc": LEDUC, "mini hold'em": MINI}
OBSERVED, PLAYERS = "equilibrium", ("equilibrium", "early", "tilted")
STANDS_FOR = {"equilibrium": "on", "early": "CFR8", "tilted": "Orange"}
"""The player of the source in whose place each stands, when the equilibrium is observed."""

BASIC, DIVAT, BC, EARLY, CARDS = "importance sampling", "DIVAT", "BC-DIVAT", "early folds", "all cards"
CARDS_BC, ALL = "all cards, BC-DIVAT", "all cards, early folds, BC-DIVAT"
OWN_FOLDS = "early folds, own folds only"
_ALONE, _CARDS = {BASIC: "is", DIVAT: "is+divat", BC: "is+bc-divat"}, {CARDS: "ac", CARDS_BC: "ac+bc-divat"}
FULL = _ALONE | {EARLY: "ge"} | _CARDS | {ALL: "ac+ge+bc-divat"}
PARTIAL = _ALONE | {EARLY: "ef-text", OWN_FOLDS: "ef"} | _CARDS
"""The estimators of the tables, and their names off policy; on policy "is" is what was won."""


class Candidates:
    """The players of one game, and how good estimators are for them."""

    def __init__(self, lab: Lab, title: str, game: str, iterations: int, partial: bool) -> None:
        self.lab, self.title, self.game, self.iterations = lab, title, game, iterations
        self.names = PARTIAL if partial else FULL
        self.settings = JudgeSettings(partial=partial)
        self.found: Figures = Figures(missing="{1} was not evaluated on hands of {0}")

    @cached_property
    def tree(self) -> Tree:
        """The game."""
        return enumerate_game(self.game, progress=self.lab.progress)

    @cached_property
    def judge(self) -> EnumeratedJudge:
        """What judges hands of it."""
        return EnumeratedJudge(EnumeratedHands(self.tree), self.settings)

    @cached_property
    def profiles(self) -> dict[str, FloatArray]:
        """The players, the opponent last."""
        tree = self.tree
        return {
            "equilibrium": _average(tree, "cfr+", self.iterations),
            "early": _average(tree, "cfr", max(self.iterations // 20, 1)),
            "tilted": Tilt(win_showdown=25, win_fold=25, iterations=self.iterations).profile(tree),
            "opponent": _average(tree, "cfr+", max(self.iterations // 50, 1)),
        }

    def run(self, observed: Sequence[str]) -> None:
        """Evaluate all players on hands that some of them played."""
        scale = 1000 * unit_of(self.tree.game)[1] / (1000 if unit_of(self.tree.game)[0] == "mbb" else 1)
        for played in observed:
            for evaluated in PLAYERS:
                self.lab.begin(f"{self.title}: {evaluated} on hands of {played}")
                other = None if evaluated == played else self.profiles[evaluated]
                found = exact_quality(self.judge, self.profiles[played], self.profiles["opponent"], other)
                self.found[played, evaluated] = {
                    label: Quality(*(scale * figure for figure in found[_name(name, other is None)]))
                    for label, name in self.names.items()
                }
        self.lab.data.setdefault("figures", {})[self.title] = {
            f"{evaluated} on {played}": {label: [*own, own.rmse()] for label, own in row.items()}
            for (played, evaluated), row in self.found.items()
        }

    def quality(self, evaluated: str, label: str, played: str = OBSERVED) -> Quality:
        """Return how good an estimator is for a player on the hands of another."""
        found: Quality = self.found[played, evaluated][label]
        return found

    def unit(self) -> str:
        """Return the unit of all figures."""
        return "mbb" if unit_of(self.tree.game)[0] == "mbb" else "thousandths of an ante"

    def tables(self, published: Mapping[str, Any]) -> Iterator[Table]:
        """Yield a table for each player: our bias, SD and RMSE beside those of limit hold'em."""
        for evaluated in PLAYERS:
            reference = published[STANDS_FOR[evaluated]]

            def column(place: int, evaluated: str = evaluated, reference: Any = reference) -> Any:
                def ours(label: str) -> float:
                    own = self.quality(evaluated, label)
                    return (abs(own.bias), own.sd, own.rmse())[place]

                return ours, lambda label: reference.get(label, (None,) * 3)[place]

            columns = {name: column(place) for place, name in enumerate(("bias", "SD", "RMSE"))}
            caption = f"{self.title}, {evaluated} on hands of {OBSERVED}, {self.unit()} (reference: limit hold'em, mbb)"
            yield by_row(caption, "estimator", self.names, columns)

    def ranges(self, published: Mapping[str, Any]) -> Iterator[Table]:
        """Yield least and largest figures over all pairs of players, on and off policy."""
        for kind in ("on", "off"):
            pairs = [key for key in self.found if (key[0] == key[1]) == (kind == "on")]
            rows = []
            for label, known in published[kind].items():
                figures = [self.found[key][label] for key in pairs]
                each = zip(*[(abs(own.bias), own.sd, own.rmse()) for own in figures], strict=True)
                row: list[Any] = [label]
                for place, values in enumerate(each):
                    row += [f"{min(values):.4g} - {max(values):.4g}", f"{known[2 * place]} - {known[2 * place + 1]}"]
                rows.append(row)
            heads = ["estimator", *(head for name in ("bias", "SD", "RMSE") for head in (name, "reference"))]
            yield Table(f"{self.title}, {kind} policy, {self.unit()} (reference: limit hold'em, mbb)", heads, rows)


def one_full(lab: Lab, iterations: int = 1000, games: Mapping[str, str] = GAMES) -> Iterator[Declared]:
    """Evaluate three players on full records of one of them (table 7.1)."""
    for own in _candidates(lab, iterations, games, False, (OBSERVED,)):
        yield from own.tables(lab.published("estimators")["full"])
        yield from _full_claims(own)


def all_full(lab: Lab, iterations: int = 1000, games: Mapping[str, str] = GAMES) -> Iterator[Declared]:
    """Evaluate three players on full records of each of them (table 7.2)."""
    for own in _candidates(lab, iterations, games, False, PLAYERS):
        yield from own.ranges(lab.published("estimators")["full_pairs"])
        yield Claim("half", _at_most, own, ALL, BASIC, 0.5, about=own.title)
        yield Claim("best-of-all", _best_off, own, ALL, about=own.title)


def one_partial(lab: Lab, iterations: int = 1000, games: Mapping[str, str] = GAMES) -> Iterator[Declared]:
    """Evaluate three players on records of one of them that hide cards after a fold (table 7.3)."""
    for own in _candidates(lab, iterations, games, True, (OBSERVED,)):
        yield from own.tables(lab.published("estimators")["partial"])
        yield from _partial_claims(own)


def all_partial(lab: Lab, iterations: int = 1000, games: Mapping[str, str] = GAMES) -> Iterator[Declared]:
    """Evaluate three players on such records of each of them (table 7.4)."""
    for own in _candidates(lab, iterations, games, True, PLAYERS):
        yield from own.ranges(lab.published("estimators")["partial_pairs"])
        yield Claim("practical", _practical, own, about=own.title)
        yield Claim("trade", _trade, own, about=own.title)


def _candidates(
    lab: Lab, iterations: int, games: Mapping[str, str], partial: bool, observed: Sequence[str]
) -> Iterator[Candidates]:
    for title, game in games.items():
        own = Candidates(lab, title, game, iterations if game == LEDUC else max(iterations // 5, 1), partial)
        with lab.stoppable():
            own.run(observed)
        yield own


def _full_claims(own: Candidates) -> Iterator[Claim]:
    """Yield what the text reads off table 7.1."""

    def on(label: str) -> float:
        return own.quality(OBSERVED, label).sd

    def order() -> Verdict:
        figures = [on(label) for label in (ALL, CARDS_BC, CARDS, BASIC)]
        return figures == sorted(figures), " < ".join(f"{figure:.4g}" for figure in figures)

    def little() -> Verdict:
        ratio = on(EARLY) / on(BASIC)
        return ratio > 0.95, f"SD {on(EARLY):.4g} to {on(BASIC):.4g}"

    def more() -> Verdict:
        return on(DIVAT) < on(CARDS), f"SD {on(DIVAT):.4g} to {on(CARDS):.4g}"

    def unbiased() -> Verdict:
        worst = max(abs(own.quality(OBSERVED, label).bias) for label in own.names)
        return worst < 1e-6, f"largest bias {worst:.1g}"

    def impractical() -> Verdict:
        others = [own.quality(name, BASIC) for name in PLAYERS[1:]]
        told = " and ".join(f"{one.sd:.4g}" for one in others)
        return all(one.sd > 2 * on(BASIC) for one in others), f"SD {told}; on policy {on(BASIC):.4g}"

    def almost() -> Verdict:
        rmse = [own.quality(name, ALL).rmse() for name in PLAYERS]
        return max(rmse[1:]) <= 1.5 * rmse[0], f"RMSE {rmse[1]:.3g} and {rmse[2]:.3g}, on policy {rmse[0]:.3g}"

    yield Claim("on-unbiased", unbiased, about=own.title)
    yield Claim("order", order, about=own.title)
    yield Claim("early-folds-little", little, about=own.title)
    yield Claim("divat-more", more, about=own.title)
    yield Claim("basic-impractical", impractical, about=own.title)
    yield Claim("cards-less", _at_most, own, CARDS, BASIC, 1.0, about=own.title)
    yield Claim("half", _at_most, own, ALL, BASIC, 0.5, about=own.title)
    yield Claim("almost-on-policy", almost, about=own.title)


def _partial_claims(own: Candidates) -> Iterator[Claim]:
    """Yield what the text reads off table 7.3."""

    def shown_only() -> Verdict:
        found = {label: abs(own.quality(OBSERVED, label).bias) for label in (DIVAT, BC, CARDS)}
        told = ", ".join(f"{label} {figure:.3g}" for label, figure in found.items())
        return min(found[DIVAT], found[BC]) > 1 and found[CARDS] < 1e-6, told

    def little_bias() -> Verdict:
        biases = [abs(own.quality(name, CARDS).bias) for name in PLAYERS[1:]]
        others = [abs(own.quality(name, BC).bias) for name in PLAYERS[1:]]
        told = f"all cards {biases[0]:.3g} and {biases[1]:.3g}, BC-DIVAT {others[0]:.3g} and {others[1]:.3g}"
        return all(one < other for one, other in zip(biases, others, strict=True)), told

    def combined() -> Verdict:
        rows = {name: [own.quality(name, label).rmse() for label in (CARDS_BC, CARDS, BC)] for name in PLAYERS}
        told = "; ".join(f"{name} {', '.join(f'{figure:.3g}' for figure in row)}" for name, row in rows.items())
        return all(row[0] <= min(row[1:]) for row in rows.values()), f"RMSE with both, all cards, BC-DIVAT: {told}"

    def folds() -> Verdict:
        printed, ours = (abs(own.quality(OBSERVED, label).bias) for label in (EARLY, OWN_FOLDS))
        return printed > 1 and ours < 1e-6, f"as printed {printed:.3g}, own folds only {ours:.1g}"

    yield Claim("shown-only-biased", shown_only, about=own.title)
    yield Claim("cards-little-bias", little_bias, about=own.title)
    yield Claim("early-folds-biased", folds, about=own.title)
    yield Claim("practical", _practical, own, about=own.title)
    yield Claim("combined-better", combined, about=own.title)


def _off(own: Candidates, label: str) -> list[Quality]:
    """Return the figures of an estimator for all pairs off policy."""
    return [row[label] for (played, evaluated), row in own.found.items() if played != evaluated]


def _at_most(own: Candidates, label: str, other: str, share: float) -> Verdict:
    """Say whether an estimator's SD is at most so much of another's, in every pair off policy."""
    ratios = [one.sd / two.sd for one, two in zip(_off(own, label), _off(own, other), strict=True)]
    return max(ratios) <= share, f"{min(ratios):.2f} to {max(ratios):.2f} of it"


def _best_off(own: Candidates, label: str) -> Verdict:
    rows = [row for (played, evaluated), row in own.found.items() if played != evaluated]
    best = [min(row, key=lambda name: row[name].rmse()) for row in rows]
    return set(best) == {label}, f"lowest RMSE in {best.count(label)} of {len(best)} pairs"


def _practical(own: Candidates) -> Verdict:
    rows = [row for (played, evaluated), row in own.found.items() if played != evaluated]
    with_cards, without = (
        [min(row[label].rmse() for label in row if (label in (CARDS, CARDS_BC)) == cards) for row in rows]
        for cards in (True, False)
    )
    told = ", ".join(f"{one:.3g} to {two:.3g}" for one, two in zip(with_cards, without, strict=True))
    return all(one < two for one, two in zip(with_cards, without, strict=True)), f"RMSE {told}"


def _trade(own: Candidates) -> Verdict:
    pairs = [(row[CARDS_BC], row[CARDS]) for row in own.found.values()]
    less = all(one.sd < two.sd for one, two in pairs)
    more = all(abs(one.bias) > abs(two.bias) for one, two in pairs)
    spread, bias = max(one.sd / two.sd for one, two in pairs), min(abs(one.bias) - abs(two.bias) for one, two in pairs)
    return less and more, f"at most {spread:.2f} of the SD, at least {bias:.3g} more bias"


def _name(name: str, on_policy: bool) -> str:
    """Return the name of an estimator on policy, where importance sampling is what was won."""
    if not on_policy or not name.startswith("is"):
        return name
    return name.removeprefix("is").removeprefix("+") or "money"


def _average(tree: Tree, algorithm: str, iterations: int) -> FloatArray:
    solver = make_solver(tree.game, algorithm)
    solver.step(iterations)
    return np.asarray(solver.average_profile())
