"""The Typer application and its manners: exit codes, and wrong input answered in one sentence."""

from __future__ import annotations

import errno
import inspect
import os
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from counterpoise import __version__
from counterpoise.cli.output import complain
from counterpoise.errors import InputError
from counterpoise.names import suggest

DONE, MISSED, WRONG_INPUT = 0, 1, 2
ORDER = ("games", "algorithms", "solve", "race", "evaluate", "spot", "search", "reproduce")


class Commands(TyperGroup):
    """All commands; what goes wrong in any of them ends here."""

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
        """In the order in which a newcomer needs them."""
        return [name for name in ORDER if name in self.commands]

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
    rich_markup_mode="rich",
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
