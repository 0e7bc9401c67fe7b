"""`counterpoise evaluate`: judge a saved strategy, or networks, by exact best responses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.cli.app import command
from counterpoise.cli.options import JSON, argument, command_progress, option, whole_number
from counterpoise.cli.output import number, print_facts, print_json, values

if TYPE_CHECKING:
    from counterpoise.progress import Progress
    from counterpoise.tree.evaluation import Evaluation


@command(
    """
    evaluate leduc.cpz
    evaluate mine.cpz --game "liars_dice(dice=1, faces=4)" --json
    evaluate rebel.cpz --play-throughs 16
    """
)
def evaluate(
    file: Path = argument("FILE", "A .cpz file with a strategy, a run or networks.", required=True),
    game: str | None = option("--game GAME", "The game to judge it in. Default: the one the file names."),
    play_throughs: int | None = option(
        "--play-throughs N",
        "Of a network of ReBeL: judge the mean of N new play-throughs of the agent that searches with it. Default: the "
        "strategy in the file or, if it has none, as many as in training.",
        whole_number,
    ),
    json: bool = JSON,
) -> None:
    """Say how good the strategy in FILE is: its value, and what each player could gain by a best response.

    Everything is computed afresh from the probabilities or networks in the file; figures stored there are not used.
    """
    found = _judge(file, game, play_throughs, command_progress(json, show_eta=True))
    if json:
        print_json(found.to_json())
        return
    gains = [after - before for before, after in zip(found.value, found.best_response_value, strict=True)]
    print_facts(
        (found.game, str(file)),
        [
            *_judged(file, found),
            ("value", values(found.value)),
            ("best response", values(found.best_response_value)),
            ("could gain", values(gains)),
            ("exploitability", f"{number(found.exploitability)}  (NashConv {number(found.nash_conv)})"),
        ],
    )


def _judged(file: Path, found: Evaluation) -> list[tuple[str, str]]:
    """Return what was judged, where that is the mean of play-throughs: new ones, or those that made a file."""
    from counterpoise.store.cpz import read_header

    new = getattr(found, "play_throughs", None)
    stored = read_header(file).get("made") if new is None else None
    count = new if new is not None else stored.get("play_throughs") if isinstance(stored, dict) else None
    if not isinstance(count, int):
        return []
    return [("judged", f"the mean of {count} play-through{'s' * (count > 1)}{' in the file' * (new is None)}")]


def _judge(file: Path, game: str | None, play_throughs: int | None, progress: Progress) -> Evaluation:
    """Judge the table of a file, or its networks if it has none or new play-throughs are asked for."""
    from counterpoise.store.cpz import read_header
    from counterpoise.tree.evaluation import evaluate_strategy

    header = read_header(file)
    alone = header["kind"] == "networks" and "probabilities" not in header["arrays"]
    if not alone and play_throughs is None:
        return evaluate_strategy(file, game, progress=progress)
    from counterpoise.deep.judging import evaluate_networks

    return evaluate_networks(file, game, play_throughs, progress=progress)
