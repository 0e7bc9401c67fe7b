"""Johanson 2016, chapters 7 and 8: a portfolio of counter-strategies, and an agent that chooses from it by what each
would have won.

The source's Polaris of 2008 played people in limit hold'em. Here the game is Leduc: four types of opponents, two
players of each in the logs that the portfolio is made of, and another player of the type at the table for 3,000 hands.
What a choice is worth is exact: the value of the member that plays against the true opponent, mean of both seats, in
antes.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterpoise.agents import StrategyAgent
from counterpoise.agents.implicit import Implicit
from counterpoise.exploit import (
    Portfolio,
    build_portfolio,
    expected_strategy,
    load_opponent,
    play_hands,
    seat_values,
)
from counterpoise.games import load
from counterpoise.play.table import MatchTable
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, Table
from counterpoise.reproduce.harness.verdicts import Verdict
from counterpoise.tree import Strategy, Tree, enumerate_game, solve_lp
from counterpoise.tree.kernels.layouts import FloatArray

GAME = "leduc_poker"
STYLES = {"caller": "always-call", "folder": "always-fold", "raiser": "always-raise"}
"""Types who play an equilibrium half of the time and one action the other half."""
TILTED, TILT = "tilted", "tilt(win_showdown={0}, win_fold={0})"
GREEDY, WEIGHTS, UCB = "greedy", "weights", "UCB1"
RULES = {GREEDY: "greedy", WEIGHTS: "weights(eta=0.01)", UCB: "ucb"}
LOGGED = 5_000
"""Hands of each logged player against Probe."""
LAST = 500
CONFIDENT = 0.9
"""The share of seeds in which a claim must show."""


class Outcome(NamedTuple):
    """What an agent won against one opponent, per hand, in antes."""

    chosen: float
    """The exact value of its choices, all hands."""
    last: float
    """The exact value of its choices in the last hands."""
    money: float


class PortfolioDemo:
    """The opponents, the portfolio against their kind, and what was played."""

    def __init__(self, lab: Lab, hands: int, iterations: int) -> None:
        self.lab, self.hands, self.iterations = lab, hands, iterations
        self.found: Figures = Figures(missing="{0} against the {1} was not played with seed {2}")

    @cached_property
    def tree(self) -> Tree:
        """The game."""
        return enumerate_game(GAME)

    @cached_property
    def safe(self) -> FloatArray:
        """An equilibrium."""
        return solve_lp(self.tree).strategy.probabilities

    def player(self, kind: str, lean: float) -> FloatArray:
        """Return a player of a type; the larger `lean`, from 0 to 1, the more of it."""
        if kind == TILTED:
            return load_opponent(self.tree, TILT.format(round(150 * lean))).profile
        one = load_opponent(self.tree, STYLES[kind]).profile
        return expected_strategy(self.tree, (self.safe, one), (1 - lean, lean))

    @property
    def kinds(self) -> list[str]:
        """The types of opponents."""
        return [*STYLES, TILTED]

    @cached_property
    def opponents(self) -> dict[str, FloatArray]:
        """Who sits at the table."""
        return {kind: self.player(kind, 0.5) for kind in self.kinds}

    @cached_property
    def portfolio(self) -> Portfolio:
        """An equilibrium and the answers to the types, from logs of other players of them."""
        probe = load_opponent(self.tree, "probe").profile
        logs = [
            play_hands(self.tree, {f"{kind} {lean}": self.player(kind, lean), "probe": probe}, LOGGED, seed=number)
            for number, (kind, lean) in enumerate((kind, lean) for kind in self.kinds for lean in (0.4, 0.6))
        ]
        types = len(self.kinds)
        return build_portfolio(
            GAME, logs, types=types, iterations=self.iterations, progress=self.lab.progress, cancel=self.lab.cancel
        )

    @cached_property
    def values(self) -> dict[str, FloatArray]:
        """What each member wins from each opponent, exactly."""
        tree, members = self.tree, [member.strategy.probabilities for member in self.portfolio.members]
        return {
            kind: np.array([sum(seat_values(tree, own, other)) / 2 for own in members])
            for kind, other in self.opponents.items()
        }

    @cached_property
    def agents(self) -> dict[str, Implicit]:
        """Return a fresh agent of each rule."""
        found = {rule: Implicit.of(self.portfolio, selection) for rule, selection in RULES.items()}
        for own in found.values():
            own.values = found[GREEDY].values  # facts, which may be shared
        return found

    def play(self, rule: str, kind: str, seed: int) -> Outcome:
        """Return what the agent came to with a rule; it changes seats after every hand."""
        agent, game = copy.deepcopy(self.agents[rule]), load(GAME)
        other = StrategyAgent.of(Strategy(GAME, self.tree.table, self.opponents[kind]))
        names = ("agent", kind)
        tables = [
            MatchTable(game, [agent, other], names, seed=seed),
            MatchTable(game, [other, agent], names[::-1], seed=seed),
        ]
        money = sum(tables[hand % 2].play(hand).payoffs[hand % 2] for hand in range(self.hands))
        numbers = [self.portfolio.names.index(hand.member) for hand in agent.memory.hands]
        chosen = self.values[kind][numbers]
        outcome = Outcome(float(chosen.mean()), float(chosen[-LAST:].mean()), money / self.hands)
        self.found[rule, kind, seed] = outcome
        return outcome

    def above(self, rule: str, seed: int) -> int:
        """Return against how many types the choices of all hands were worth more than an equilibrium."""
        return sum(self.found[rule, kind, seed].chosen > self.values[kind][0] for kind in self.kinds)


def implicit(
    lab: Lab, hands: int = 3_000, seeds: int = 2, iterations: int = 400, rules: Sequence[str] = tuple(RULES)
) -> Iterator[Declared]:
    """Let the agent play each type of opponent with each rule of selection."""
    demo, chosen = PortfolioDemo(lab, hands, iterations), range(seeds)
    with lab.stoppable():
        for rule in rules:
            for kind in demo.kinds:
                for seed in chosen:
                    lab.begin(f"{rule} against the {kind}, seed {seed}")
                    demo.play(rule, kind, seed)
        lab.data["figures"] = {"{}, {}, seed {}".format(*key): at._asdict() for key, at in demo.found.items()}
    yield _members(demo)
    yield _outcomes(demo, rules, chosen)

    def beats() -> Verdict:
        counts = {rule: [demo.above(rule, seed) for seed in chosen] for rule in rules if rule != UCB}
        told = "; ".join(f"{rule}: {', '.join(map(str, own))} of {len(demo.kinds)}" for rule, own in counts.items())
        return all(np.mean([n >= len(demo.kinds) - 1 for n in own]) >= CONFIDENT for own in counts.values()), told

    def safe() -> Verdict:
        least = min(min(at.chosen, at.money) for at in demo.found.values())
        whole = all((rule, kind, seed) in demo.found for rule in rules for kind in demo.kinds for seed in chosen)
        if not whole:
            demo.found[rules[-1], demo.kinds[-1], seeds - 1]  # which says what is missing
        return least > -demo.portfolio.risk, f"at worst {least:+.3f}, a member risks up to {demo.portfolio.risk:.3f}"

    def faster() -> Verdict:
        means = {rule: _mean(demo, rule, chosen) for rule in rules}
        told = ", ".join(f"{rule} {value:.3f}" for rule, value in means.items())
        return all(means[rule] > means[UCB] for rule in rules if rule != UCB), f"{told} antes per hand"

    yield Claim("above-equilibrium", beats)
    yield Claim("never-below-risk", safe)
    if UCB in rules:
        yield Claim("estimates-help", faster)


def _mean(demo: PortfolioDemo, rule: str, seeds: Sequence[int]) -> float:
    return float(np.mean([demo.found[rule, kind, seed].chosen for kind in demo.kinds for seed in seeds]))


def _members(demo: PortfolioDemo) -> Table:
    """Return what every member wins from every opponent."""
    rows: list[list[str | float | None]] = [
        [member.name, member.exploitability, *(float(demo.values[kind][number]) for kind in demo.kinds)]
        for number, member in enumerate(demo.portfolio.members)
    ]
    return Table("The portfolio: what members risk and win, antes per hand", ["member", "risk", *demo.kinds], rows)


def _outcomes(demo: PortfolioDemo, rules: Sequence[str], seeds: Sequence[int]) -> Table:
    """Return what the agent came to, mean over the seeds, beside an equilibrium and the best member."""
    rows: list[list[str | float | None]] = []
    for rule in rules:
        for kind in demo.kinds:
            found: list[Outcome] = [demo.found[rule, kind, s] for s in seeds if (rule, kind, s) in demo.found]
            if found:
                means: Mapping[str, float] = {
                    name: float(np.mean([getattr(at, name) for at in found])) for name in Outcome._fields
                }
                values = demo.values[kind]
                rows.append([rule, kind, *means.values(), float(values[0]), float(values.max())])
    columns = ["rule", "against", "choices", f"last {LAST}", "money", "equilibrium", "best member"]
    return Table(f"The agent, {demo.hands:,} hands, antes per hand", columns, rows)
