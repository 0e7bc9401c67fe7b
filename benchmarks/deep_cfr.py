"""Deep CFR on Leduc beside OpenSpiel's (PyTorch) at equal CPU time, in one run.

``python benchmarks/deep_cfr.py [--seconds 600] [--jobs 2] [--peer-python FILE] [--seed N] [--json FILE]`` lets each
train for so many CPU seconds of its own process (all threads, importing and compiling included for ours), then fits its
average network and measures exploitability exactly, which is not counted. `--jobs` says how many train at the same
time, each on one core. `--peer-python` names an interpreter with torch, open_spiel and dm-tree (the extra
``[bench-networks]``) if this one lacks them. OpenSpiel runs with the settings of its example and with those that the
example recommends; the game is the same, suits told apart there and merged here, which changes no value.

The last rows are the exact table after as many traversals as ours took: how far networks stay above it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

OPENSPIEL_SETTINGS: dict[str, dict[str, Any]] = {
    "example": {
        "policy_network_layers": (64,),
        "advantage_network_layers": (64,),
        "num_traversals": 375,
        "learning_rate": 1e-3,
        "batch_size_advantage": 256,
        "batch_size_strategy": 256,
        "memory_capacity": 100_000,
        "policy_network_train_steps": 2500,
        "advantage_network_train_steps": 375,
    },
    "recommended": {
        "policy_network_layers": (64, 64, 64),
        "advantage_network_layers": (64, 64, 64),
        "num_traversals": 1500,
        "learning_rate": 1e-3,
        "batch_size_advantage": 2048,
        "batch_size_strategy": 2048,
        "memory_capacity": 1_000_000,
        "policy_network_train_steps": 5000,
        "advantage_network_train_steps": 750,
    },
}
OURS = {"deep-cfr": "deep-cfr", "single-deep-cfr": "single-deep-cfr"}


def run_openspiel(kind: str, seconds: float, seed: int) -> dict[str, float]:
    """Train OpenSpiel's, step by step as its `solve` does, until the time is up."""
    began = time.process_time()
    import pyspiel
    import torch
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability
    from open_spiel.python.pytorch import deep_cfr

    torch.set_num_threads(1)
    game = pyspiel.load_game("leduc_poker")
    solver = deep_cfr.DeepCFRSolver(game, num_iterations=1, seed=seed, **OPENSPIEL_SETTINGS[kind])
    iterations = 0
    while time.process_time() - began < seconds:
        for player in range(2):
            for _ in range(solver._num_traversals):
                solver._traverse_game_tree(solver._root_node, player)
            solver._reinitialize_advantage_network(player)
            solver._learn_advantage_network(player)
        solver._iteration += 1
        iterations += 1
    trained = time.process_time() - began
    solver._learn_strategy_network()
    table = policy.tabular_policy_from_callable(game, solver.action_probabilities)
    found = exploitability.nash_conv(game, table) / 2
    traversals = 2 * iterations * OPENSPIEL_SETTINGS[kind]["num_traversals"]
    return {
        "exploitability": float(found),
        "iterations": iterations,
        "traversals": traversals,
        "cpu_seconds": trained,
        "fitting_seconds": time.process_time() - began - trained,
    }


def run_ours(method: str, seconds: float, seed: int) -> dict[str, float]:
    """Train ours until the time is up."""
    began = time.process_time()
    from counterpoise.deep.learner import METHODS
    from counterpoise.games import load

    learner = METHODS.build(method).on(load("leduc_poker"), seed)
    while time.process_time() - began < seconds:
        learner.step()
    trained = time.process_time() - began
    found = learner.exploitability()
    return {
        "exploitability": found,
        "exact_average": learner.figures()["exact average"],
        "iterations": learner.iterations,
        "traversals": 2 * learner.iterations * learner.settings.traversals,
        "nodes": learner.nodes_touched,
        "cpu_seconds": trained,
        "fitting_seconds": time.process_time() - began - trained,
    }


def run_table(iterations: int, seed: int) -> dict[str, float]:
    """Return what the exact table reaches with the traversals of ours."""
    began = time.process_time()
    from counterpoise.deep.learner import METHODS
    from counterpoise.games import load

    learner = METHODS.build("single-deep-cfr(regressor=table, memory=20000000)").on(load("leduc_poker"), seed)
    for _ in range(iterations):
        learner.step()
    found = {"exploitability": learner.exploitability(), "iterations": iterations}
    return found | {
        "traversals": 2 * iterations * learner.settings.traversals,
        "cpu_seconds": time.process_time() - began,
    }


def in_child(python: str, *arguments: object) -> dict[str, float] | None:
    """Run one part of this file in a process of its own; None if it stops."""
    command = [python, __file__, "--child", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{' '.join(map(str, arguments))} stopped: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", nargs=4)
    chosen = parser.parse_args()
    if chosen.child:
        kind, name, amount, seed = chosen.child
        parts: dict[str, Any] = {"ours": run_ours, "openspiel": run_openspiel}
        child = run_table(int(amount), int(seed)) if kind == "table" else parts[kind](name, float(amount), int(seed))
        print(json.dumps(child))
        return
    runs = {name: (sys.executable, "ours", method) for name, method in OURS.items()}
    runs |= {f"OpenSpiel, {kind}": (chosen.peer_python, "openspiel", kind) for kind in OPENSPIEL_SETTINGS}
    with ThreadPoolExecutor(chosen.jobs) as pool:
        begun = {name: pool.submit(in_child, *run, chosen.seconds, chosen.seed) for name, run in runs.items()}
        found = {name: run.result() for name, run in begun.items()}
    if found["deep-cfr"] is not None:
        found["exact table"] = in_child(sys.executable, "table", "-", found["deep-cfr"]["iterations"], chosen.seed)
    print_table(found)
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1))


def print_table(found: dict[str, dict[str, float] | None]) -> None:
    """Print all rows, and how many times lower ours is."""
    print(f"{'':24}{'exploitability':>15}{'iterations':>12}{'traversals':>13}{'CPU s':>9}{'ours is':>12}")
    ours = (found.get("deep-cfr") or {}).get("exploitability")
    for name, row in found.items():
        if row is None:
            print(f"{name:24}{'did not run':>15}")
            continue
        ratio = f"{row['exploitability'] / ours:.2f} x lower" if ours and name.startswith("Open") else ""
        print(
            f"{name:24}{row['exploitability']:>15.4f}{row['iterations']:>12,.0f}{row['traversals']:>13,.0f}"
            f"{row['cpu_seconds']:>9.0f}{ratio:>15}"
        )
    deep, table = found.get("deep-cfr"), found.get("exact table")
    if deep and table:
        print(
            f"\nNetworks against the exact table at equal traversals: the average network is "
            f"{deep['exploitability'] / table['exploitability']:.2f} x, the exact average of the strategies "
            f"{deep['exact_average'] / table['exploitability']:.2f} x as exploitable."
        )


if __name__ == "__main__":
    main()
