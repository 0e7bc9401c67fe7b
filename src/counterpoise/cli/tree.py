"""`counterpoise tree`: a picture of a small game, with a strategy on it if one is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.cli.app import command
from counterpoise.cli.options import JSON, SEED, argument, command_progress, option, refuse, whole_number
from counterpoise.cli.output import number, print_facts, print_json, values
from counterpoise.errors import InputError

if TYPE_CHECKING:
    from counterpoise.tree.picture import TreePicture

DEFAULT_ITERATIONS = 1000


@command(
    """
    tree kuhn_poker --plot kuhn.svg
    tree kuhn_poker --algorithm cfr -n 100 --plot kuhn.svg
    tree leduc_poker --strategy leduc.cpz --depth 3 --plot leduc.svg
    tree kuhn_poker -a cfr+ --json
    """
)
def tree(
    game: str = argument("GAME", "As for [bold]counterpoise solve[/].", required=True),
    plot: Path | None = option("--plot FILE", "Draw the tree here (.svg)."),
    strategy: Path | None = option("--strategy FILE", "A .cpz file with the strategy or the run to show on it."),
    algorithm: str | None = option(
        "-a --algorithm ALGORITHM", "Solve the game by this algorithm and show what it found."
    ),
    iterations: int | None = option(
        "-n --iterations N", f"Iterations of the algorithm. Default: {DEFAULT_ITERATIONS}.", whole_number
    ),
    seed: int | None = SEED,
    depth: int | None = option(
        "--depth N", "Draw the first N moves only, those of chance counted, and how much follows.", whole_number
    ),
    json: bool = JSON,
) -> None:
    """Draw the tree of GAME: who acts, what can be done, who cannot tell what apart, what is paid.

    With --strategy or --algorithm the edges are as wide as their probabilities, with the reach of every history and the
    counterfactual regret of every action. Larger games need --depth; --json prints the figures of what is drawn.
    """
    from counterpoise.tree.picture import check_picture, draw_tree

    if strategy is not None:
        refuse("--strategy has a file instead", algorithm=algorithm)
    if algorithm is None:
        refuse("it is for --algorithm", iterations=iterations, seed=seed)
    if plot is None and not json:
        raise InputError("--plot is missing: name the file to draw, such as tree.svg, or ask for --json")
    if plot is not None:
        check_picture(plot)
    draw_tree(game, depth=depth)  # a game too large is refused before it is solved
    if algorithm is not None:
        from counterpoise.solvers import solve

        rounds = DEFAULT_ITERATIONS if iterations is None else iterations
        run = solve(game, algorithm, iterations=rounds, seed=seed, progress=command_progress(json, show_eta=True))
        picture = draw_tree(game, run, depth=depth)
    elif strategy is not None:
        from counterpoise.tree import load_strategy

        picture = draw_tree(game, load_strategy(strategy), depth=depth, caption=str(strategy))
    else:
        picture = draw_tree(game, depth=depth)
    drawn = None if plot is None else picture.save(plot)
    if json:
        print_json(picture.to_json() | {"plot": drawn})
    else:
        _print_result(picture, drawn)


def _print_result(picture: TreePicture, drawn: Path | None) -> None:
    """Print how much was drawn and what the strategy is worth."""
    shown = f"{len(picture.nodes):,} of {picture.histories:,}" if picture.left_out else f"{picture.histories:,}"
    lines = [("histories", shown)]
    if picture.exploitability is not None:
        lines.append(("value", values(picture.nodes[0].values or ())))
        lines.append(("exploitability", number(picture.exploitability)))
    print_facts([picture.game, *([picture.strategy] if picture.strategy else [])], [*lines, ("plot", str(drawn))])
