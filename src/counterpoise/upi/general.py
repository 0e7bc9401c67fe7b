"""Commands about the conversation itself: is it ready, what ends an answer, versions, settings, help."""

from __future__ import annotations

import time
from importlib.metadata import version

from counterpoise.errors import InputError
from counterpoise.upi.arguments import read_number, require_count
from counterpoise.upi.commands import GROUPS, Answer, command
from counterpoise.upi.hand_order import HANDS
from counterpoise.upi.session import Session

PROTOCOL = "3.0.0"
"""The version of UPI that is spoken."""
LONGEST_END, LONGEST_BREAK = 100, 3600.0


def banner() -> list[str]:
    """Return what is said before the first command: three lines, as clients expect."""
    return [f"Counterpoise {version('counterpoise')} (UPI {PROTOCOL})", "Apache-2.0", "registered to everybody"]


@command("is_ready", during="at once")
def is_ready(session: Session, words: list[str]) -> Answer:
    """Answer, to show that commands are read."""
    require_count(words, 0)
    return None


@command("set_end_string", "TEXT", during="at once")
def set_end_string(session: Session, words: list[str]) -> Answer:
    """End every answer, this one too, with a line of its own."""
    text = " ".join(words)
    if not text or len(text) > LONGEST_END or not text.isprintable():
        raise InputError(f"the end string must be 1 to {LONGEST_END} printable letters")
    session.end_string = text
    return None


@command("reset_end_string", during="at once")
def reset_end_string(session: Session, words: list[str]) -> Answer:
    """End answers with nothing."""
    require_count(words, 0)
    session.end_string = ""
    return None


@command("show_version", during="at once")
def show_version(session: Session, words: list[str]) -> Answer:
    """Show the version of the protocol."""
    require_count(words, 0)
    return [PROTOCOL]


@command("show_build_version", during="at once")
def show_build_version(session: Session, words: list[str]) -> Answer:
    """Show the version of Counterpoise."""
    require_count(words, 0)
    return [f"counterpoise {version('counterpoise')}"]


@command("show_settings", during="at once")
def show_settings(session: Session, words: list[str]) -> Answer:
    """Show what the settings are, a name and a value in each line."""
    require_count(words, 0)
    own = session.settings
    return [
        f"accuracy: {own.accuracy:.9g}",
        f"accuracy mode: {'chips' if own.in_chips else 'fraction'}",
        f"thread_no: {own.threads}",
        f"info_freq: {own.info_freq}",
        f"isomorphism: {own.isomorphism[0]} {own.isomorphism[1]}",
        f"algorithm: {own.algorithm}",
    ]


@command("show_memory", during="at once")
def show_memory(session: Session, words: list[str]) -> Answer:
    """Show the machine's memory, all of it and what is free."""
    import psutil

    require_count(words, 0)
    memory = psutil.virtual_memory()
    return [
        f"Total Physical Memory: {memory.total // 2**20} MB",
        f"Available Phys Memory: {memory.available // 2**20} MB",
    ]


@command("show_hand_order", during="at once")
def show_hand_order(session: Session, words: list[str]) -> Answer:
    """Show the 1,326 hands in the order of all numbers by hand."""
    require_count(words, 0)
    return [" ".join(HANDS)]


@command("echo", "TEXT", during="at once")
def echo(session: Session, words: list[str]) -> Answer:
    """Answer with the given text."""
    return [" ".join(words)]


@command("take_a_break", "SECONDS", during="at once")
def take_a_break(session: Session, words: list[str]) -> Answer:
    """Read no further command for some seconds."""
    require_count(words, 1)
    time.sleep(read_number(words[0], "the break", 0, LONGEST_BREAK))
    return None


@command("help", "[COMMAND]", during="at once")
def help_(session: Session, words: list[str]) -> Answer:
    """List the commands, or explain one."""
    require_count(words, 0, 1)
    if words and words[0] not in session.commands:
        raise InputError(f"unknown command {words[0]!r:.60}")
    chosen = [session.commands[words[0]]] if words else list(session.commands.values())
    lines, group = [], ""
    for one in chosen:
        if one.group != group and not words:
            lines.append(f"{GROUPS[one.group]}:")
            group = one.group
        lines.append(f"  {f'{one.name} {one.arguments}'.strip()}: {one.help}")
    return lines


def _exit(session: Session, words: list[str]) -> Answer:
    """Stop the solver and end the conversation."""
    session.finish()
    return []


for _name in ("exit", "bye", "quit"):
    command(_name, during="at once")(_exit)
