"""The Typer application and its manners: exit codes, and wrong input answered in one sentence."""

from __future__ import annotations

import errno
import inspect
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info

from counterpoise import __version__
from counterpoise.cli.output import complain
from counterpoise.errors import InputError
from counterpoise.names import suggest

DONE, MISSED, WRONG_INPUT = 0, 1, 2
COMMANDS = {
    "games": ("listing", "List the games that can be named, with their parameters and defaults."),
    "algorithms": (
        "listing",
        "List the algorithms, with their settings, defaults and the section that defines each.",
    ),
    "solve": ("solve", "Solve GAME: find a strategy for every player that comes close to an equilibrium."),
    "race": (
        "race",
        "Run several algorithms on GAME, each under the same stopping rule, and rank them by exploitability.",
    ),
    "evaluate": (
        "evaluate",
        "Say how good the strategy in FILE is: its value, and what each player could gain by a best response.",
    ),
    "spot": ("spot", "Solve the spot in FILE for both players, or look at a solution node by node."),
    "search": ("search", "Solve a node of a saved solution again for one player, and say whether that is safe."),
    "reproduce": (
        "reproduce",
        "Re-run a published table or figure at this machine's size and print it beside the published numbers.",
    ),
}
"""The file that each command is in, and its summary, in the order in which a newcomer needs them."""
MARKUP: Final = "rich"


class Commands(TyperGroup):
    """All commands, each imported when it is typed; what goes wrong in any of them ends here."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (_, summary) in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=summary, rich_markup_mode=MARKUP)

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Parse, run and exit; never returns."""
        extra["standalone_mode"] = False
        try:
            code = super().main(*args, **extra)
        except InputError as error:
            complain(str(error))
            code = WRONG_INPUT
        except OSError as error:
            code = _file_trouble(error)
        except typer.Abort:
            code = MISSED
        except Exception as error:
            if not hasattr(error, "format_message"):  # what all usage errors of the parser have
                raise
            complain(_usage_sentence(error))
            code = WRONG_INPUT
        sys.exit(code if isinstance(code, int) else DONE)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed; until now only its summary was there."""
        if args and (name := args[0]) in COMMANDS:
            import_module(f"counterpoise.cli.{COMMANDS[name][0]}")
            typed = next(info for info in app.registered_commands if info.callback.__name__ == name)  # type: ignore[union-attr]
            self.commands[name] = get_command_from_info(typed, pretty_exceptions_short=True, rich_markup_mode=MARKUP)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command; Ctrl-C outside of a run, which keeps its own result, just ends it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            complain("interrupted before there was a result")
            raise typer.Exit(MISSED) from None


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=MARKUP,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(examples: str) -> Callable[[Any], Any]:
    """Register a function as the command of its name: its docstring is the help, the examples end it."""
    lines = "\n\n".join(f"[bold]$[/] counterpoise {line.strip()}" for line in examples.strip().splitlines())

    def add(function: Any) -> Any:
        paragraphs = (inspect.getdoc(function) or "").split("\n\n")
        text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        return app.command(help=text, epilog=lines)(function)

    return add


def _version(wanted: bool) -> None:
    if wanted:
        print(f"counterpoise {__version__}")
        raise typer.Exit(DONE)


@app.callback(invoke_without_command=True, epilog="Each command explains itself: counterpoise solve --help")
def counterpoise(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Compute and judge strategies for adversarial games with hidden information."""
    if context.invoked_subcommand is None:
        help_text = context.get_help()
        if help_text:
            print(help_text)


def _file_trouble(error: OSError) -> int:
    if error.errno == errno.EPIPE:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return MISSED
    if error.filename is None and error.errno is None:
        raise error
    where = f" {error.filename}" if error.filename else ""
    complain(f"cannot read or write{where}: {error.strerror or error}")
    return MISSED


def _usage_sentence(error: Any) -> str:
    """The parser's complaint as one sentence, with the nearest option or command where there is one."""
    option = getattr(error, "option_name", None)
    context = getattr(error, "ctx", None)
    if option and context is not None and type(error).__name__ == "NoSuchOption":
        known = [name for parameter in context.command.params for name in parameter.opts if name.startswith("--")]
        return f"{context.command_path} has no option {option}: {suggest(option, [*known, '--help'])}"
    message = str(error.format_message()).strip().rstrip(".")
    if unknown := re.fullmatch(r"No such command '(.*?)'.*", message, flags=re.DOTALL):
        return f"there is no command {unknown[1]!r}: {suggest(unknown[1], sorted(_command_names(context)))}"
    message = re.sub(r"^Invalid value for .*?(--\w+|[A-Z]+)'?: (Value error, )?", r"\1: ", message)
    sentence = message[:1].lower() + message[1:]
    return f"{context.command_path}: {sentence}" if context is not None else sentence


def _command_names(context: Any) -> list[str]:
    return list(context.command.list_commands(context)) if context is not None else []
