"""Commands that run the solver in the background, and say when it stops."""

from __future__ import annotations

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.spots.engine import settings_of
from counterpoise.spots.estimate import estimate
from counterpoise.upi.arguments import read_number, read_whole, require_count
from counterpoise.upi.commands import Answer, command
from counterpoise.upi.runner import RunLimits, Runner, written_results
from counterpoise.upi.session import Session

MOST_SECONDS = 10.0**7
MOST_THREADS = 1024


@command("go", "[N [seconds|steps]]", during="stopped")
def go(session: Session, words: list[str]) -> Answer:
    """Run until stop, the accuracy, or N seconds or iterations; without a unit N counts iterations."""
    require_count(words, 0, 2)
    tree = session.require_tree()
    steps, seconds = None, None
    if words:
        unit = words[1].lower() if len(words) > 1 else "steps"
        if unit.rstrip("s") == "second":
            seconds = read_number(words[0], "the time", 1e-3, MOST_SECONDS)
        elif unit.rstrip("s") == "step":
            steps = read_whole(words[0], "the steps", 1)
        else:
            raise InputError(f"a run is measured in seconds or steps, not in {shown(words[1])}")
    if not tree.solution.whole:
        raise InputError("the tree was saved without its rivers: send rebuild_forgotten_streets before it is solved on")
    own = session.settings
    accuracy = 100 * (own.accuracy / tree.spot.pot if own.in_chips else own.accuracy)
    limits = RunLimits(accuracy or None, steps, seconds, own.threads or None, own.info_freq)
    if tree.starts_anew:
        estimate(tree.locked_spot())  # refused here, if its tables are too large, perhaps with its suits told apart
    session.runner = Runner(tree, limits, session.report)
    session.afterwards(session.runner.start)
    return None


@command("stop", during="at once")
def stop(session: Session, words: list[str]) -> Answer:
    """Stop the solver between two iterations, and answer when it has stopped."""
    require_count(words, 0)
    if session.runner is not None:
        session.runner.stop()
    return None


@command("wait_for_solver", during="at once")
def wait_for_solver(session: Session, words: list[str]) -> Answer:
    """Answer when the solver has stopped."""
    require_count(words, 0)
    if session.runner is not None:
        session.runner.wait()
    return None


@command("rebuild_forgotten_streets", during="stopped")
def rebuild_forgotten_streets(session: Session, words: list[str]) -> Answer:
    """Solve all rivers of a tree that was saved without them; go then starts warm from there."""
    require_count(words, 0)
    session.require_tree().rebuild()
    return None


@command("calc_results")
def calc_results(session: Session, words: list[str]) -> Answer:
    """Show both EVs, what best responses win (MES) and the exploitability, in chips, and the time in seconds."""
    require_count(words, 0)
    return written_results(session.require_tree().results())


@command("solver_state", during="at once")
def solver_state(session: Session, words: list[str]) -> Answer:
    """Show whether the solver is running."""
    require_count(words, 0)
    return ["running" if session.running else "stopped"]


@command("solver_time")
def solver_time(session: Session, words: list[str]) -> Answer:
    """Show the seconds that the tree has been solved for."""
    require_count(words, 0)
    return [f"{session.require_tree().solution.seconds:.3f}"]


@command("show_iters")
def show_iters(session: Session, words: list[str]) -> Answer:
    """Show the iterations that the tree has been solved for."""
    require_count(words, 0)
    return [str(session.require_tree().iterations)]


@command("set_accuracy", "NUMBER [chips|fraction]", during="at once")
def set_accuracy(session: Session, words: list[str]) -> Answer:
    """Stop runs from now on at this exploitability, in chips or as a share of the pot; 0: do not."""
    require_count(words, 1, 2)
    mode = words[1].lower() if len(words) > 1 else "chips"
    if mode not in ("chips", "fraction"):
        raise InputError(f"the accuracy is in chips or a fraction of the pot, not in {shown(words[1])}")
    session.settings.accuracy = read_number(words[0], "the accuracy", 0, 1e9 if mode == "chips" else 1)
    session.settings.in_chips = mode == "chips"
    return None


@command("set_threads", "N", during="at once")
def set_threads(session: Session, words: list[str]) -> Answer:
    """Use N cores from the next run on; 0: all."""
    require_count(words, 1)
    session.settings.threads = read_whole(words[0], "the threads", 0, MOST_THREADS)
    return None


@command("set_info_freq", "N", during="at once")
def set_info_freq(session: Session, words: list[str]) -> Answer:
    """Report every N iterations from the next run on, at most once a second."""
    require_count(words, 1)
    session.settings.info_freq = read_whole(words[0], "the frequency", 1)
    return None


@command("set_algorithm", "NAME", during="at once")
def set_algorithm(session: Session, words: list[str]) -> Answer:
    """Solve trees that are built from now on by an algorithm of Counterpoise; auto: the usual one."""
    require_count(words, 1)
    if words[0] != "auto":
        settings_of(words[0])
    session.settings.algorithm = words[0]
    return None


def _accept(name: str, arguments: str, reason: str) -> None:
    def run(session: Session, words: list[str]) -> Answer:
        require_count(words, 0, 3)
        for word in words:
            read_number(word, f"an argument of {name}", 0, 1e12)
        return None

    run.__doc__ = f"Accepted, without effect: {reason}"
    command(name, arguments, during="at once")(run)


_accept("set_recalc_accuracy", "FLOP TURN RIVER", "rivers that were not saved are solved by 200 iterations.")
_accept("set_always_recalc", "STREET TIMEOUT", "only rivers that were not saved are solved again.")
_accept("set_always_fresh", "[0|1]", "every answer is computed when it is asked for.")
_accept("load_all_nodes", "", "a tree is loaded whole.")
_accept("clear_cache", "", "answers are not kept.")
