"""Brown 2020, figures 5.9 and 5.11; Brown et al. 2020, figure 5: turn endgame hold'em in small, 24 cards and 190 hands;
of the pot.

- 5.9: what the values at the end of the turn are worth to search, by its iterations: solved exactly, by a network from
  self-play, with a policy network for warm starts, by a network from random beliefs, and no values at all; beside them
  linear CFR on the whole game. Rivers are solved to the end in every case. Networks see equally many examples.
- 5.11: fictitious play, its linear and optimistic forms, and linear CFR on the whole game.

The source has 52 cards, random stacks and bet sizes, and trains a thousand times longer on many machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from counterpoise.betting.sizes import STREETS, BetSizes
from counterpoise.deep.rebel.evaluation import agent_exploitability
from counterpoise.deep.rebel.learner import EVALUATION, RebelLearner, play_solvers
from counterpoise.deep.rebel.settings import TURN_HOLDEM, RebelSettings
from counterpoise.deep.rebel.solved_leaves import OracleSearch
from counterpoise.deep.rebel.timed import without_values
from counterpoise.deep.rebel.turn_holdem import turn_beliefs
from counterpoise.games.turn_holdem import TURN_SIZES, MiniTurnHoldem
from counterpoise.public import HoldemGame, HoldemRules, build_holdem
from counterpoise.reproduce.brown.solved_leaves import Search
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs, by_iterations, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, named, short
from counterpoise.solvers import Solver, make_algorithm

FP, LFP, FLOP, LCFR = "FP", "linear FP", "FLOP", "linear CFR"
SOLVED, SELF_PLAY, WARM, RANDOM, NOTHING = (
    "solved values",
    "self-play values",
    "self-play values and policies",
    "random beliefs",
    "no values",
)
MODIFIED = "self-play values, modified CFR-AVG"
TABULAR = "whole game, linear CFR"
Inner = Literal["cfr-d", "cfr-avg"]


def fictitious_play(lab: Lab, iterations: int = 256) -> Iterator[Declared]:
    """Run every algorithm on the whole game."""
    rules, runs = MiniTurnHoldem(), Runs("mini turn endgame hold'em")
    game = _whole_game(rules)
    shown = [t for t in (32, 64, 125, 256) if t <= iterations]
    with lab.stoppable():
        for label, name in lab.algorithms.items():
            solver = make_algorithm(name).on(game, threads=1)
            marks = [*log_spaced(iterations, 4), *shown, iterations]
            measure(lab, runs, solver, marks, {label: partial(_of_pot, solver, rules)}, algorithm=name)
    keep(lab, runs)
    known = lab.published("rebel")["tabular"]
    reference = {label: known.get(label, {}) for label in lab.algorithms}
    yield from by_iterations("Exploitability on the whole game, of the pot", runs, reference, shown or [iterations])

    def ratio(over: str, under: str) -> Verdict:
        found = runs.at(over, iterations) / runs.at(under, iterations)
        return found > 1, f"by a factor of {found:.2g} after {iterations} iterations"

    yield Claim("flop-beats-linear-fp", ratio, LFP, FLOP)
    yield Claim("flop-beats-fp", ratio, FP, FLOP)
    yield Claim("flop-behind-linear-cfr", ratio, FLOP, LCFR)
    yield convergence("Mini turn endgame hold'em", {"": runs}, y_label="of the pot")


def value_networks(
    lab: Lab,
    examples: int = 12_000,
    marks: Sequence[int] = (32, 64, 125),
    solved: int = 32,
    play_throughs: int = 2,
    settings: RebelSettings = TURN_HOLDEM,
    seed: int = 0,
) -> Iterator[Declared]:
    """Train three networks on equally many examples and let agents with each search for some iterations."""
    rules, found = MiniTurnHoldem(), Figures(missing="{0} was not measured after {1} iterations")
    settings = replace(settings, horizon=examples)
    variants: Mapping[str, RebelSettings] = {
        SELF_PLAY: settings,
        WARM: replace(settings, policy_hidden=settings.hidden),
        RANDOM: replace(settings, random_beliefs=True),
    }
    beliefs, tabular = turn_beliefs(rules), Runs(TABULAR)
    with lab.stoppable():
        solver = make_algorithm("lcfr").on(_whole_game(rules), threads=1)
        wanted = sorted({*log_spaced(max(marks), 8), *marks})
        measure(lab, tabular, solver, wanted, {TABULAR: partial(_of_pot, solver, rules)}, algorithm="lcfr")
        found |= {(TABULAR, mark): tabular.at(TABULAR, mark) for mark in marks}
        for label, chosen in variants.items():
            learner = RebelLearner(beliefs, chosen, seed)
            lab.begin(f"training: {label}")
            while learner.replay.seen < examples:
                learner.step()
                lab.show(learner.replay.seen / examples, f"loss {learner.loss:.4f}")
            for mark in marks:
                found[label, mark] = _judged(lab, learner, mark, play_throughs)
                if label == SELF_PLAY:
                    found[MODIFIED, mark] = _judged(lab, learner, mark, play_throughs, "cfr-avg")
                    found[NOTHING, mark] = _judged(lab, learner, mark, play_throughs, without=True)
        oracle, perfect = Runs(SOLVED), OracleSearch(beliefs, "cfr-d", inner=40)
        reached = [mark for mark in marks if mark <= solved]
        measure(lab, oracle, Search(perfect), reached, {SOLVED: perfect.exploitability}, algorithm="cfr-d")
        found |= {(SOLVED, mark): oracle.at(SOLVED, mark) for mark in reached}
    keep(lab, tabular)
    lab.data["figures"] = {f"{label}, {mark}": value for (label, mark), value in found.items()}
    rows = [TABULAR, SOLVED, SELF_PLAY, WARM, MODIFIED, RANDOM, NOTHING]
    columns = {f"T = {mark}": partial(_read, found, mark) for mark in marks}
    yield by_row(f"Exploitability of the pot; networks saw {examples:,} examples", "values", rows, columns)
    first, last = marks[0], marks[-1]

    def times(over: str, under: str, mark: int, low: float = 1.0) -> Verdict:
        read = partial(_read, found, mark)
        return read(over) >= low * read(under), f"{named(read, over, under)} after {mark} iterations"

    def like_tabular() -> Verdict:
        reach = _read(found, last, SELF_PLAY)
        points = [p.iteration for p in tabular.points(TABULAR) if p.exploitability <= reach]
        equal = f"{min(points)}" if points else f"more than {last}"
        return not points or min(points) >= 125, f"{short(reach)} of the pot, like {equal} iterations of linear CFR"

    yield Claim("like-tabular", like_tabular)
    yield Claim("random-poor", times, RANDOM, SELF_PLAY, last, 2.0)
    yield Claim("policy-helps", times, SELF_PLAY, WARM, first)
    yield Claim("solved-best", times, SELF_PLAY, SOLVED, first)
    yield Claim("modified-better", times, SELF_PLAY, MODIFIED, last)


def _read(found: Figures, mark: int, label: str) -> float:
    return float(found[label, mark])


def _judged(
    lab: Lab, learner: RebelLearner, iterations: int, play_throughs: int, form: Inner = "cfr-d", without: bool = False
) -> float:
    """Return the exploitability of an agent that searches the turn for some iterations, of the pot."""
    lab.show(None, f"judging {iterations} iterations of {form}")
    search = replace(learner.settings.search, iterations=iterations, algorithm=form)
    network = without_values(learner.network) if without else learner.network
    solver, rivers = play_solvers(learner.game, network, replace(learner.settings, search=search))
    if learner.policy is not None:
        solver.policy = learner.policy.function
    random = np.random.default_rng([learner.seed, EVALUATION, iterations])
    return agent_exploitability(learner.whole, solver, play_throughs, random, rivers)


def _of_pot(solver: Solver, rules: MiniTurnHoldem) -> float:
    return solver.exploitability() / rules.pot


def _whole_game(rules: MiniTurnHoldem) -> HoldemGame:
    """Return the game as a public tree of hand vectors."""
    sizes = BetSizes.read(dict.fromkeys(STREETS[rules.first_round :], TURN_SIZES), rules.first_round)
    return build_holdem(HoldemRules(rules.board_cards, rules.ranges, rules.betting, sizes, rules.deck))
