"""`counterpoise evaluate`: judge a saved strategy by exact best responses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterpoise.cli.app import command
from counterpoise.cli.jobs import Json, command_progress, load_saved_game, tree_size
from counterpoise.cli.output import console, facts, number, print_json, values
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.store.cpz import read_header
from counterpoise.tree import enumerate_game, load_strategy
from counterpoise.tree import evaluate as judge


@command(
    """
    evaluate leduc.cpz
    evaluate mine.cpz --game "liars_dice(dice=1, faces=4)" --json
    """
)
def evaluate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .cpz file with a strategy or a run.", show_default=False)
    ],
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help="The game to judge it in. Default: the one the file names."),
    ] = None,
    json: Json = False,
) -> None:
    """Say how good the strategy in FILE is: its value, and what each player could gain by a best response.

    Everything is computed afresh from the probabilities in the file; figures stored there are not used.
    """
    if read_header(file)["kind"] == "spot":
        raise InputError(f"{file} is a solved spot: counterpoise spot {file} shows its EV and exploitability")
    strategy = load_strategy(file)
    rules = load_saved_game(file, strategy.game) if game is None else load(game)
    live = command_progress(json, show_eta=True)
    with live:
        tree = enumerate_game(rules, progress=live)
        probabilities = strategy.on(tree)
        live.note(tree_size(tree))
        found = judge(tree, probabilities)
    expected, best = found.expected.tolist(), found.best.tolist()
    if json:
        print_json(
            {
                "file": file,
                "game": tree.name,
                "players": tree.players,
                "infosets": tree.infosets,
                "exploitability": found.exploitability,
                "nash_conv": found.nash_conv,
                "value": expected,
                "best_response_value": best,
            }
        )
        return
    screen = console()
    for part in facts(
        (tree.name, str(file)),
        [
            ("value", values(expected)),
            ("best response", values(best)),
            ("could gain", values([after - before for before, after in zip(expected, best, strict=True)])),
            ("exploitability", f"{number(found.exploitability)}  (NashConv {number(found.nash_conv)})"),
        ],
    ):
        screen.print(part)
