"""ReBeL by the rules of an honest run: train for a fixed time, stop the clock, then judge the last checkpoints exactly.

``python benchmarks/rebel.py "liars_dice(faces=4)" --cpu-minutes 120 --workers 2 --play-throughs 128``

Training sees only self-play. The clock counts CPU time of all processes, so that other programs on the machine change
nothing; 120 CPU minutes are an hour of two cores. The schedule of the learning rate follows it, so that only trainings
by number of examples (`counterpoise train`) repeat bit for bit. Three checkpoints are kept, after 90, 95 and 100 % of
the time, and their mean is reported: exploitability of the agent that plays a drawn iteration, by N play-throughs (an
upper bound in expectation), of the unsafe agent, and of the same agent without a network. ``--curve`` judges earlier
checkpoints too, with fewer play-throughs. Hold'em: of the pot.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace

import numpy as np

from counterpoise.deep.learner import METHODS
from counterpoise.deep.networks import Network
from counterpoise.deep.rebel.evaluation import agent_exploitability
from counterpoise.deep.rebel.learner import EVALUATION, RebelLearner, play_solvers
from counterpoise.games import load

LAST = (0.90, 0.95, 1.0)
CURVE = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75)


def main() -> None:
    """Train, judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--method", default="rebel")
    parser.add_argument("--cpu-minutes", type=float, default=120)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--play-throughs", type=int, default=128)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--out", help="write the network of the last checkpoint here")
    given = parser.parse_args()
    learner = METHODS.build(given.method).on(load(given.game), given.seed, given.workers)
    try:
        kept = train(learner, given.cpu_minutes * 60, (*(CURVE if given.curve else ()), *LAST))
    finally:
        learner.close()
    if given.out:
        learner.result().save(given.out)
    rows = [judge(learner, share, seen, network, given.play_throughs) for share, seen, network in kept]
    zero = replace_weights(learner.network)
    print("without a network:", judge(learner, 0.0, 0, zero, min(given.play_throughs, 16)))
    last = rows[-len(LAST) :]
    print(
        json.dumps(
            {
                "game": given.game,
                "method": given.method,
                "seed": given.seed,
                "sampled, mean of the last three": float(np.mean([row["sampled"] for row in last])),
                "unsafe, mean of the last three": float(np.mean([row["unsafe"] for row in last])),
                "play-throughs": given.play_throughs,
                "updates of one player": 2 * learner.settings.search.iterations,
                "hidden": learner.settings.hidden,
                "examples": learner.replay.seen,
                "gradient steps": learner.fitter.steps,
                "CPU seconds generating": learner.generating + learner.cpu_elsewhere,
                "CPU seconds fitting": learner.fitting,
                "value leaves": learner.nodes_touched,
            }
            | learner.figures()
        )
    )


def train(learner: RebelLearner, seconds: float, shares: tuple[float, ...]) -> list[tuple[float, int, Network]]:
    """Train for some CPU seconds after the first step, which compiles; return checkpoints at shares of the time."""
    learner.step()
    began, kept = cpu_seconds(learner), []
    start = learner.replay.seen
    while len(kept) < len(shares):
        learner.step()
        spent = cpu_seconds(learner) - began
        # The schedule of the learning rate and of the one purge follows the clock: so many examples are to be expected.
        horizon = int(start + (learner.replay.seen - start) / spent * seconds)
        learner.settings = replace(learner.settings, horizon=max(horizon, 1000))
        while len(kept) < len(shares) and spent >= shares[len(kept)] * seconds:
            kept.append((shares[len(kept)], learner.replay.seen, learner.network))
            print(f"{spent:7.0f} CPU s", learner.figures(), flush=True)
    return kept


def cpu_seconds(learner: RebelLearner) -> float:
    """Return the CPU seconds that all processes have spent on data and on fitting."""
    return learner.generating + learner.cpu_elsewhere + learner.fitting


def judge(learner: RebelLearner, share: float, seen: int, network: Network, count: int) -> dict[str, float]:
    """Return the exploitability of agents with a network, and print it."""
    random = np.random.default_rng([learner.seed, EVALUATION, int(1000 * share)])
    count = count if share in LAST else max(count // 8, 4)
    began = time.process_time()
    solver, endgames = play_solvers(learner.game, network, learner.settings)
    found = {
        "share of the time": share,
        "examples": seen,
        "sampled": agent_exploitability(learner.whole, solver, count, random, endgames),
        "play-throughs": count,
        "unsafe": agent_exploitability(learner.whole, solver, 1, random, endgames, unsafe=True),
    }
    print({**found, "CPU seconds": round(time.process_time() - began, 1)}, flush=True)
    return found


def replace_weights(network: Network) -> Network:
    """Return the network with all weights 0, whose values are 0."""
    return network.with_flat(np.zeros(network.weight_count, dtype=np.float32))


if __name__ == "__main__":
    main()
