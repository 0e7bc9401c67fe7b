"""The Typer application and its manners: commands imported when they are used, exit codes, one sentence for errors."""

from __future__ import annotations

import errno
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from counterpoise.errors import Cancelled, InputError

DONE, MISSED, WRONG_INPUT = 0, 1, 2
LOAD = typer.Option(
    None,
    "--load",
    metavar="FILE.py",
    help="Import a Python file with games, algorithms, agents, leaf evaluators or experiments of your own, which runs "
    "its code. May be repeated.",
    show_default=False,
)
"""The option of every command, which may stand before the command's name too."""
MODULES = {
    "games": "listing",
    "algorithms": "listing",
    "solve": "solve",
    "race": "race",
    "evaluate": "evaluate",
    "tree": "tree",
    "spot": "spot",
    "search": "search",
    "exploit": "exploit",
    "abstraction": "abstraction",
    "train": "train",
    "train-agent": "train_agent",
    "improve": "improve",
    "agents": "listing",
    "match": "match",
    "arena": "arena",
    "judge": "judge",
    "lbr": "lbr",
    "play": "play",
    "serve": "serve",
    "best-response": "best_response",
    "acpc dealer": "acpc",
    "acpc play": "acpc",
    "acpc game": "acpc",
    "upi": "upi",
    "reproduce": "reproduce",
}
"""The module of each command; some commands have two words."""
PURPOSES = {
    "Solve games": ("games", "algorithms", "solve", "race", "evaluate", "exploit", "tree"),
    "Poker spots": ("spot", "search", "preflop", "report"),
    "Agents of whole hold'em": ("abstraction", "train", "train-agent", "improve", "agents"),
    "Play": ("play", "match", "arena", "ladder", "serve"),
    "Judge play": ("judge", "lbr", "best-response", "review"),
    "Other programs": ("acpc dealer", "acpc play", "acpc game", "upi"),
    "Published results": ("reproduce",),
}
"""What commands are for: their groups in the help, in the order in which a newcomer needs them."""
LONGEST_WORD = 300
"""Longer words of a complaint are cut: they are somebody's input."""


class Command(TyperCommand):
    """A command whose complaints name options as the user types them."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            options = {parameter.name: parameter.opts[-1] for parameter in self.params if parameter.opts[-1][:1] == "-"}
            raise InputError(name_options(str(error), options)) from None


def name_options(sentence: str, options: Mapping[str, str]) -> str:
    """Return the sentence with Python's arguments replaced by the options of a command.

    A word with an underscore is an argument wherever it stands; others may be plain English, and are replaced where the
    sentence speaks of them as arguments.

    >>> name_options("target must be a positive number, not 0", {"target": "--target"})
    '--target must be a positive number, not 0'
    """
    known = {**options, **({"player": options["searcher"]} if "searcher" in options else {})}
    words = "|".join(sorted(known, key=len, reverse=True))
    spoken_of = rf"^({words})(?= (?:must|needs|lists|and \S+ exclude)\b)|(?<= and )({words})(?= exclude\b)"
    sentence = re.sub(spoken_of, lambda found: known[found[0]], sentence) if known else sentence
    for name in (name for name in known if "_" in name):
        sentence = re.sub(rf"(?<![\w-]){name}(?!\w)", known[name], sentence)
    return sentence


TRACEBACK = "COUNTERPOISE_TRACEBACK"
"""Set in the environment, it lets an error of the user's own code end in Python's traceback."""


def _of_a_loaded_file(error: Exception) -> str | None:
    """Return what went wrong where things of the user's own take part, in a sentence; None if there are none."""
    from counterpoise.lazy import LOADED_FILES

    if LOADED_FILES not in os.environ:
        return None
    from counterpoise.extensions import failure_sentence

    return failure_sentence(error)


class Commands(TyperGroup):
    """All commands; what goes wrong in any of them ends here."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Parse, run and exit; never returns."""
        extra["standalone_mode"] = False
        try:
            code = super().main(*args, **extra)
        except InputError as error:
            code = complain(str(error), WRONG_INPUT)
        except OSError as error:
            code = _file_trouble(error)
        except MemoryError as error:
            reason = f" ({error})" if str(error) else ""
            code = complain(f"the memory does not suffice for this: ask for less at once{reason}", WRONG_INPUT)
        except typer.Abort:
            code = MISSED
        except Exception as error:
            if hasattr(error, "format_message"):  # what all usage errors of the parser have
                code = complain(_usage_sentence(error), WRONG_INPUT)
            elif (told := _of_a_loaded_file(error)) is not None and not os.environ.get(TRACEBACK):
                code = complain(f"{told}; {TRACEBACK}=1 shows where", WRONG_INPUT)
            else:
                raise
        sys.exit(code if isinstance(code, int) else DONE)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, group by group."""
        grouped = [name for names in PURPOSES.values() for name in names if name in MODULES]
        return [*grouped, *(name for name in MODULES if name not in grouped)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command as the list of commands shows it, without its options; None if there is none of the name."""
        if cmd_name not in MODULES:
            return None
        purpose = next((purpose for purpose, names in PURPOSES.items() if cmd_name in names), None)
        told = _help_text(_function(cmd_name))
        return TyperCommand(cmd_name, help=told, rich_markup_mode="rich", rich_help_panel=purpose)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that was typed, with its options, and its arguments."""
        for words in (1, 2):
            name = " ".join(args[:words])
            if len(args) >= words and name in MODULES:
                return name, _build(name), args[words:]
        if longer := [name for name in MODULES if args and name.startswith(f"{args[0]} ")]:
            raise InputError(f"{args[0]} needs a second word: {', '.join(longer)} (each explains itself: --help)")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command; Ctrl-C outside of a run, which keeps its own result, just ends it."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, Cancelled):
            raise typer.Exit(complain("interrupted before there was a result", MISSED)) from None


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(examples: str) -> Callable[[Any], Any]:
    """Make a function a command: its docstring is the help, the examples end it.

    A parameter whose type is a dataclass stands for the options that are its fields.
    """

    def mark(function: Any) -> Any:
        function.examples = examples
        return function

    return mark


def _function(name: str) -> Any:
    word = name.replace(" ", "_").replace("-", "_")
    return getattr(import_module(f"counterpoise.cli.{MODULES[name]}"), word)


def _help_text(function: Any) -> str:
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


@cache
def _build(name: str) -> Any:
    function = _function(name)
    examples = [f"[bold]$[/] counterpoise {line.strip()}" for line in function.examples.strip().splitlines()]
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
    alone.command(name, cls=Command, help=_help_text(function), epilog="\n\n".join(examples))(
        _with_plain_parameters(function)
    )
    return typer.main.get_command(alone)


def _with_plain_parameters(function: Any) -> Any:
    """Return the function with one parameter per field in place of each dataclass."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            kinds = get_type_hints(groups[name], include_extras=True)
            added = [(field.name, field.default, kinds[field.name]) for field in fields(groups[name])]
        else:
            added = [(name, parameter.default, hints[name])]
        parameters += [
            inspect.Parameter(own, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for own, default, kind in added
        ]

    parameters.append(
        inspect.Parameter("load", inspect.Parameter.KEYWORD_ONLY, default=LOAD, annotation=list[Path] | None)
    )

    def run(load: list[Path] | None = None, **values: Any) -> Any:
        _load(load)
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        return function(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _show_version(wanted: bool) -> None:
    if wanted:
        from counterpoise import __version__

        print(f"counterpoise {__version__}")
        raise typer.Exit(DONE)


@app.callback(invoke_without_command=True, epilog="Each command explains itself: counterpoise solve --help")
def counterpoise(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
    load: list[Path] | None = LOAD,
) -> None:
    """Compute and judge strategies for adversarial games with hidden information."""
    _load(load)
    if context.invoked_subcommand is None:
        help_text = context.get_help()
        if help_text:
            print(help_text)


def _load(files: list[Path] | None) -> None:
    """Import the files of the user's own things, here and in the processes that the command starts."""
    if files:
        from counterpoise.extensions import load_files

        load_files(files)


def complain(sentence: str, code: int = WRONG_INPUT) -> int:
    """Print one sentence on standard error, whatever was in the message, and return the exit code."""
    from rich.console import Console
    from rich.text import Text

    line = "".join(letter if letter.isprintable() else " " for letter in sentence)
    words = [word if len(word) <= LONGEST_WORD else f"{word[:60]}..." for word in line.split()]
    err = Console(stderr=True, highlight=False, soft_wrap=True)
    err.print(Text.assemble(("error: ", "bold red"), " ".join(words)))
    return code


def _file_trouble(error: OSError) -> int:
    if error.errno == errno.EPIPE:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return MISSED
    if error.filename is None and error.errno is None:
        raise error
    where = f" {error.filename}" if error.filename else ""
    code = WRONG_INPUT if error.errno in (errno.ENAMETOOLONG, errno.ELOOP) else MISSED
    return complain(f"cannot read or write{where}: {error.strerror or error}", code)


def _usage_sentence(error: Any) -> str:
    """Return the parser's complaint as one sentence, with the nearest option or command where there is one."""
    from counterpoise.names import suggest

    option = getattr(error, "option_name", None)
    context = getattr(error, "ctx", None)
    if option and context is not None and type(error).__name__ == "NoSuchOption":
        known = [name for parameter in context.command.params for name in parameter.opts if name.startswith("--")]
        return f"{context.command_path} has no option {option}: {suggest(option, [*known, '--help'])}"
    message = str(error.format_message()).strip().rstrip(".")
    if unknown := re.fullmatch(r"No such command '(.*?)'.*", message, flags=re.DOTALL):
        return f"there is no command {unknown[1]!r}: {suggest(unknown[1], sorted(MODULES))}"
    message = re.sub(r"^Invalid value for .*?(--[\w-]+|[A-Z]+)'?: (Value error, )?", r"\1: ", message)
    sentence = message[:1].lower() + message[1:]
    return f"{context.command_path}: {sentence}" if context is not None else sentence
