"""`counterpoise evaluate`: judge a saved strategy by exact best responses."""

from __future__ import annotations

from pathlib import Path

from counterpoise.cli.app import command
from counterpoise.cli.options import JSON, argument, command_progress, option
from counterpoise.cli.output import number, print_facts, print_json, values


@command(
    """
    evaluate leduc.cpz
    evaluate mine.cpz --game "liars_dice(dice=1, faces=4)" --json
    """
)
def evaluate(
    file: Path = argument("FILE", "A .cpz file with a strategy or a run.", required=True),
    game: str | None = option("--game GAME", "The game to judge it in. Default: the one the file names."),
    json: bool = JSON,
) -> None:
    """Say how good the strategy in FILE is: its value, and what each player could gain by a best response.

    Everything is computed afresh from the probabilities in the file; figures stored there are not used.
    """
    from counterpoise.tree.evaluation import evaluate_strategy

    found = evaluate_strategy(file, game, progress=command_progress(json, show_eta=True))
    if json:
        print_json(found.to_json())
        return
    gains = [after - before for before, after in zip(found.value, found.best_response_value, strict=True)]
    print_facts(
        (found.game, str(file)),
        [
            ("value", values(found.value)),
            ("best response", values(found.best_response_value)),
            ("could gain", values(gains)),
            ("exploitability", f"{number(found.exploitability)}  (NashConv {number(found.nash_conv)})"),
        ],
    )
