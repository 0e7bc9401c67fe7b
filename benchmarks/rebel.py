"""ReBeL by the rules of an honest run: train for a fixed time, stop the clock, then judge the last checkpoints exactly.

``python benchmarks/rebel.py "liars_dice(faces=4)" --cpu-minutes 120 --workers 2 --play-throughs 128``

Training sees only self-play. The clock counts CPU time of all processes, so that other programs on the machine change
nothing; 120 CPU minutes are an hour of two cores. The schedule of the learning rate follows it, so that only trainings
by number of examples (`counterpoise train`) repeat bit for bit. Three checkpoints are kept, after 90, 95 and 100 % of
the time, and their mean is reported: exploitability of the agent that plays a drawn iteration, by N play-throughs (an
upper bound in expectation), of the unsafe agent, and of the same agent without a network; in small games also of
linear CFR on the whole game with as many updates as a subgame has. ``--curve`` judges earlier checkpoints too, with
fewer play-throughs. Hold'em: of the pot.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

from counterpoise.deep.learner import METHODS
from counterpoise.deep.rebel.learner import RebelLearner
from counterpoise.deep.rebel.timed import LAST, NetworkCheckpoint, judge, train_for, without_values
from counterpoise.games import load
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.solvers import solve

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
        shares = (*(CURVE if given.curve else ()), *LAST)
        kept = train_for(learner, given.cpu_minutes * 60, shares, lambda spent: tell(learner, spent))
    finally:
        learner.close()
    if given.out:
        learner.result().save(given.out)
    rows = [judged(learner, checkpoint, given.play_throughs) for checkpoint in kept]
    print("without a network:")
    judged(learner, NetworkCheckpoint(0.0, 0, without_values(learner.network)), given.play_throughs)
    last, whole = rows[-len(LAST) :], {}
    if not isinstance(learner.rules, HoldemSpot):
        iterations = learner.settings.search.iterations
        tabular = solve(learner.rules, "lcfr", iterations=iterations, progress=False)
        whole = {"linear CFR on the whole game": tabular.exploitability}
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
            | whole
            | learner.figures()
        )
    )


def tell(learner: RebelLearner, spent: float) -> None:
    print(f"{spent:.1%} of the time, {learner.figures()}", end="\r", file=sys.stderr, flush=True)


def judged(learner: RebelLearner, checkpoint: NetworkCheckpoint, count: int) -> dict[str, float]:
    """Return the exploitability of agents with the network of a checkpoint, and print it."""
    count = count if checkpoint.share in LAST else max(count // 8, 4)
    began = time.process_time()
    figures = judge(learner, checkpoint.network, checkpoint.share, count)
    found = {"share of the time": checkpoint.share, "examples": checkpoint.examples, "play-throughs": count}
    found |= figures._asdict()
    print({**found, "CPU seconds": round(time.process_time() - began, 1)}, flush=True)
    return found


if __name__ == "__main__":
    main()
