"""What whole players take: memory, and CPU seconds per decision, with their default settings.

    python benchmarks/whole_players.py [AGENT ...] [--folder DIR] [--deals N]

Agents that a recipe trains are trained first, in their smallest size, into `--folder` (a temporary one by default).
Every agent plays `--deals` deals in both seats against always-call, on the game that it was made for, after two deals
that load and compile what it needs; a searching one plays a tenth of them. All CPU time of the match is the agent's.
Memory is that of a fresh process. The figures of `counterpoise agents` are those that this program prints.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from counterpoise.agents import make_agent
from counterpoise.agents.base import AGENTS
from counterpoise.agents.make import home_game
from counterpoise.agents.recipes import TrainedByRecipe
from counterpoise.evaluation.footprint import memory_of
from counterpoise.games import as_game
from counterpoise.play.match import match

GAMES = {
    "blueprint": "no_limit_holdem",
    "libratus": "no_limit_holdem",
    "modicum": "no_limit_holdem",
    "pluribus": "no_limit_holdem",
    "deep-cfr": "leduc_poker",
    "rebel": "liars_dice(faces=4)",
    "tartanian7": "",
    "claudico": "",
    "baby-tartanian8": "",
    "polaris-2007": "",
    "polaris-2008": "",
}
"""Where each is measured; empty: on the game of its recipe."""


def measure(name: str, folder: Path, deals: int) -> str:
    """Return what an agent takes, in a sentence."""
    full, game = name, GAMES[name]
    if not game:
        kind = AGENTS[name]
        assert issubclass(kind, TrainedByRecipe)
        if not (folder / name).exists():
            kind.train(folder / name, "smoke", progress=False)
        full = f"{name}:{folder / name}"
    agent = make_agent(full)
    rules = as_game(game or home_game([agent], ""))
    other = "random" if game.startswith(("leduc", "liars")) else "always-call"
    count = max(deals // 10, 2) if agent.thinks else deals
    match(rules, [agent, other], 2, duplicate="rotations", seed=1, progress=False)
    found = match(rules, [agent, other], count, duplicate="rotations", progress=False)
    memory = memory_of(agent, rules)
    decisions = max(found.agents[0].decisions, 1)
    megabytes = "unknown" if memory is None else f"{memory['memory_mb']:.0f}"
    return (
        f"{name}: {megabytes} MB, {found.cpu_seconds / decisions:.5f} CPU s per decision"
        f" ({count} deals in both seats of {rules} against {other}, {decisions} decisions)"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("agents", nargs="*")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--deals", type=int, default=200)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp())
    for name in given.agents or GAMES:
        print(measure(name, folder, given.deals), flush=True)


if __name__ == "__main__":
    main()
