"""Commands that write trees to `.cpz` files and read them, and that read commands from files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.spots.files import KIND, load_spot
from counterpoise.spots.solve import load_solution
from counterpoise.store import check_writable
from counterpoise.store.cpz import read_header
from counterpoise.upi.arguments import require_count
from counterpoise.upi.commands import Answer, command
from counterpoise.upi.session import Session
from counterpoise.upi.setup import TreeSetup
from counterpoise.upi.showing import tree_info
from counterpoise.upi.tree import SolvedTree

DEEPEST_SCRIPT = 8
"""How many scripts may read one another."""
MOST_BYTES = 2**28
"""The most that a script may hold."""


@command("dump_tree", "FILE [full|no_rivers|small]", during="stopped")
def dump_tree(session: Session, words: list[str]) -> Answer:
    """Save the tree, whole or without its last street (no_rivers, small), in a new file or over a tree saved before."""
    require_count(words, 1, 2)
    mode = words[1].lower() if len(words) > 1 else "full"
    if mode not in ("full", "no_rivers", "small"):
        raise InputError(f"a tree is saved full or with no_rivers (small), not with {shown(words[1])}")
    tree, path = session.require_tree(), _path(words[0])
    if mode == "full" and tree.solution.whole and tree.solution.solver is None:
        raise InputError("the tree was rebuilt and not solved since: send go before it is saved whole")
    _check_replaceable(path)
    check_writable(path)
    tree.solution.save(path, river=mode == "full")
    return None


@command("load_tree", "FILE [full|fast|auto]", during="stopped")
def load_tree(session: Session, words: list[str]) -> Answer:
    """Load a tree that was saved here or by counterpoise spot; it is always loaded whole."""
    require_count(words, 1, 2)
    if len(words) > 1 and words[1].lower() not in ("full", "fast", "auto"):
        raise InputError(f"a tree is loaded full, fast or auto, not {shown(words[1])}")
    solution = load_solution(_path(words[0]))
    if solution.spot.deck != "standard":
        raise InputError("UPI knows the deck of 52 cards only, and the tree has another")
    session.setup, session.tree, session.runner = TreeSetup.of(solution.spot), SolvedTree(solution), None
    return None


@command("show_metadata", "FILE", during="at once")
def show_metadata(session: Session, words: list[str]) -> Answer:
    """Show what a saved tree was built of, as show_tree_info does, without loading it."""
    require_count(words, 1)
    return [f"#{name}#{value}" for name, value in tree_info(load_spot(_path(words[0]))).items()]


@command("load_script", "FILE", during="at once")
def load_script(session: Session, words: list[str]) -> Answer:
    """Read commands from a file and answer each of them, then this one."""
    require_count(words, 1)
    if session.silent:
        return load_script_silent(session, words)
    for line in _script(session, words[0]):
        session.handle(line)
    return None


@command("load_script_silent", "FILE", during="at once")
def load_script_silent(session: Session, words: list[str]) -> Answer:
    """Read commands from a file and answer only once: with ok!, or with the first error, which ends it."""
    require_count(words, 1)
    before, session.silent = session.silent, True  # scripts that it reads say nothing either
    try:
        for line in _script(session, words[0]):
            if line.strip() and not line.lstrip().startswith("#"):
                first = next(iter(session.answer(line)), "")
                session.do_afterwards()
                if first.startswith("ERROR"):
                    return [f"{first} (at {shown(line.strip()[:60])} of the script)"]
    finally:
        session.silent = before
    return None


def _check_replaceable(path: Path) -> None:
    """Refuse to write over a file that is no saved tree: a client may be mistaken in its name."""
    if path.is_file():
        try:
            read_header(path, KIND)
        except InputError as error:
            raise InputError(f"{path} is not overwritten: only a saved tree would be, and {error}") from None


def _script(session: Session, name: str) -> Iterator[str]:
    """Yield the lines of a script until the conversation ends."""
    if session.script_depth >= DEEPEST_SCRIPT:
        raise InputError(f"scripts may read one another {DEEPEST_SCRIPT} deep, and no deeper")
    path = _named(name)
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is a folder or a device, not a script")
    if path.exists() and path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path} is larger than {MOST_BYTES // 2**20} MB: too large for a script")
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    session.script_depth += 1
    try:
        for line in lines:
            if session.ended:
                return
            yield line
    finally:
        session.script_depth -= 1


def _path(name: str) -> Path:
    """Return the file that a name stands for: .cpz is added to one without a suffix."""
    path = _named(name)
    return path if path.suffix else path.with_suffix(".cpz")


def _named(name: str) -> Path:
    if not name.isprintable() or Path(name).name in ("", ".."):
        raise InputError(f"{shown(name)} is not the name of a file")
    return Path(name)
