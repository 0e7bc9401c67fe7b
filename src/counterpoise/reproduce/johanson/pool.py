"""Johanson 2016, section 11.4, table 11.5: one data biased response to the pooled hands of a whole population.

The source's DBR-PokerAcademy answered the pool of all people in a million logged games of limit hold'em, and won more
from such people than the strategies near equilibrium did, if not from the same ones. Here the population is drawn: each
player of Leduc mixes an equilibrium with habits of its own, all play Probe, and their hands are one opponent's. Values
are exact, thousandths of an ante per game (mA), means over the two seats.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoise.exploit import (
    counter_strategy,
    expected_strategy,
    join_logs,
    load_opponent,
    model_from_hands,
    play_hands,
    seat_values,
)
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, Table
from counterpoise.reproduce.harness.verdicts import Verdict
from counterpoise.tree import Tree, enumerate_game, solve_lp
from counterpoise.tree.kernels.layouts import FloatArray

GAME = "leduc_poker"
HABITS = ("always-call", "always-fold", "always-raise", "random")
METHOD = "dbr(p=0.9, confidence=linear)"
POOL = "the pool"


def population(tree: Tree, players: int, seed: int) -> dict[str, FloatArray]:
    """Return players who play an equilibrium in a share of the games, and else by a habit and at random."""
    generator, safe = np.random.default_rng(seed), solve_lp(tree).strategy.probabilities
    habits = [load_opponent(tree, name).profile for name in HABITS]
    found = {}
    for number in range(players):
        noise = np.ones(tree.table.size)
        for start, actions in zip(tree.table.start.tolist(), tree.table.actions, strict=True):
            noise[start : start + len(actions)] = generator.dirichlet(np.ones(len(actions)))
        share = generator.uniform(0.4, 0.7)
        parts = (1 - share) * generator.dirichlet(np.ones(len(habits) + 1))
        found[f"player {number + 1}"] = expected_strategy(tree, (safe, *habits, noise), (share, *parts))
    return found


def pooled(
    lab: Lab, players: int = 8, hands: int = 5_000, iterations: int = 1_000, seed: int = 0
) -> Iterator[Declared]:
    """Answer the pool, and compare with an equilibrium player by player."""
    tree, won = enumerate_game(GAME), Figures(missing="{0} was not judged against {1}")
    people = population(tree, players, seed)
    against = people | {POOL: expected_strategy(tree, [*people.values()], [1 / players] * players)}
    with lab.stoppable():
        probe = load_opponent(tree, "probe").profile
        logs = [
            play_hands(tree, {name: profile, "probe": probe}, hands, seed=seed + number)
            for number, (name, profile) in enumerate(people.items())
        ]
        model = model_from_hands(tree, join_logs(logs), list(people))
        for label, method in (("equilibrium", "rnr(p=0)"), ("DBR", METHOD)):
            lab.begin(f"{label} against {POOL}")
            found = counter_strategy(
                GAME, model, method, iterations=iterations, progress=lab.progress, cancel=lab.cancel
            )
            for name, other in against.items():
                won[label, name] = 500 * sum(seat_values(tree, found.strategy.probabilities, other))
            won[label, "anybody"] = 1000 * found.exploitability
            lab.check()
        lab.data["figures"] = {f"{label}, {name}": value for (label, name), value in won.items()}
    rows = [[name, *(won.get((label, name)) for label in ("equilibrium", "DBR"))] for name in (*people, POOL)]
    yield Table(
        f"{players} players, {hands:,} hands of each against Probe, mA", ["against", "equilibrium", "DBR"], rows
    )

    def beaten() -> Verdict:
        own, safe = won["DBR", POOL], won["equilibrium", POOL]
        return own > safe, f"{own:.0f} to {safe:.0f}, exploitable for {won['DBR', 'anybody']:.0f}"

    def everybody() -> Verdict:
        better = sum(won["DBR", name] > won["equilibrium", name] for name in people)
        return better > players / 2, f"from {better} of {players}"

    yield Claim("pool-beaten", beaten)
    yield Claim("most-beaten", everybody)
