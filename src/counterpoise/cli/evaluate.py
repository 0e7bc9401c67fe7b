"""`counterpoise evaluate`: judge a saved strategy, networks, or an agent with its search by exact best responses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.cli.app import command
from counterpoise.cli.options import JSON, argument, command_progress, flag, option, refuse, whole_number
from counterpoise.cli.output import number, print_facts, print_json, print_summary, values
from counterpoise.progress import duration

if TYPE_CHECKING:
    from counterpoise.evaluation.best_response.evaluate import AgentEvaluation
    from counterpoise.progress import Progress
    from counterpoise.tree import Strategy
    from counterpoise.tree.evaluation import Evaluation


@command(
    """
    evaluate leduc.cpz --strategy
    evaluate mine.cpz --game "liars_dice(dice=1, faces=4)" --json
    evaluate rebel.cpz --play-throughs 16
    evaluate libratus:small.cpz --game "no_limit_holdem(ranks=3, board=[0, 3], stack=10)"
    evaluate rebel --game "liars_dice(dice=1, faces=4)"
    """
)
def evaluate(
    what: str = argument(
        "FILE_OR_AGENT",
        "A .cpz file with a strategy, a run or networks, or a name from [bold]counterpoise agents[/].",
        required=True,
    ),
    game: str | None = option("--game GAME", "The game to judge it in. Default: the one it was made for."),
    play_throughs: int | None = option(
        "--play-throughs N",
        "Of ReBeL: judge the mean of N new play-throughs of the agent that searches. Default: the strategy in the file "
        "or, if it has none, as many as in training.",
        whole_number,
    ),
    strategy: bool = flag(
        "--strategy",
        "Of a FILE: show the strategy by information set too; of a large game, that of the earliest decisions.",
    ),
    all_suits: bool = flag("--all-suits", "Of an agent in hold'em: ask it on every board, not on one of each kind."),
    json: bool = JSON,
) -> None:
    """Say how good a strategy or an agent is: its value, and what each player could gain by a best response.

    Of a FILE everything is computed afresh from the probabilities or networks in it; figures stored there are not used.
    An AGENT is asked what it does at every public history of the game, searching as it does at a table, and judged
    beside its blueprint. That is one fixed strategy: all chance of its searches comes from its seed and the history.
    """
    progress = command_progress(json, show_eta=True)
    if _is_agent(what):
        refuse("it is for files", strategy=strategy)
        from counterpoise.evaluation.best_response.evaluate import evaluate_agent

        judged = evaluate_agent(what, game, play_throughs=play_throughs, suits_alike=not all_suits, progress=progress)
        if json:
            print_json(judged.to_json())
        else:
            _print_agent(judged)
        return
    refuse("it is for agents", all_suits=all_suits)
    file = Path(what)
    table = _table_in(file) if strategy else None
    found = _judge(file, game, play_throughs, progress)
    if json:
        print_json(found.to_json() | ({} if table is None else {"strategy": table.to_json()}))
        return
    print_facts((found.game, what), [*_judged(file, found), *_figures(found)])
    if table is not None:
        print_summary(table.summary())


def _table_in(file: Path) -> Strategy:
    """Return the strategy that a file holds by information set."""
    from counterpoise.tree import load_strategy

    return load_strategy(file)


def _is_agent(what: str) -> bool:
    """Return whether a word names an agent: it is no file and does not look like one."""
    name = re.split("[:(]", what)[0]
    if Path(what).is_file() or not re.fullmatch("[a-z0-9-]+", name):
        return False
    from counterpoise.agents import AGENTS

    return bool(AGENTS[name])  # an unknown one is refused with a suggestion


def _figures(found: Evaluation | AgentEvaluation) -> list[tuple[str, str]]:
    """Return the lines of what a strategy is worth, in the game's unit."""
    lines = [("best response", values(found.best_response_value))]
    if found.value is not None:
        gains = [after - before for before, after in zip(found.value, found.best_response_value, strict=True)]
        lines = [("value", values(found.value)), *lines, ("could gain", values(gains))]
    exploitability = f"{number(found.exploitability)}  (NashConv {number(found.nash_conv)})"
    return [*lines, ("exploitability", exploitability)]


def _print_agent(found: AgentEvaluation) -> None:
    """Print how good an agent is, and its blueprint's exploitability beside it."""
    lines = _figures(found)
    if found.mbb_per_game is not None:
        lines.append(("", f"{number(found.mbb_per_game)} mbb/g"))
    if found.blueprint is not None:
        told = number(found.blueprint.exploitability)
        if found.blueprint.mbb_per_game is not None:
            told += f"  ({number(found.blueprint.mbb_per_game)} mbb/g)"
        lines.append(("its blueprint's", told))
    if found.play_throughs is not None:
        lines.append(("judged", f"the mean of {found.play_throughs} play-through{'s' * (found.play_throughs > 1)}"))
    elif found.searches:
        cut = f", {found.cut_short:,} cut short by the limit of time" if found.cut_short else ""
        lines.append(("judged", f"one fixed strategy, {found.searches:,} searches{cut}"))
    lines.append(("time", f"{duration(found.seconds)} (CPU {duration(found.cpu_seconds)})"))
    print_facts((found.game, found.agent), lines)


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
