"""Keywords that public functions take alike: each is typed and explained once, here or beside the noun it makes.

A function names the family it takes twice, for type checkers and for readers:

>>> from typing import Unpack
>>> @takes(StopKeywords)
... def count(**options: Unpack[StopKeywords]) -> int:
...     "Count."
...     refuse_unknown(count, options)
...     return options.get("iterations") or 0
>>> count(iterations=3)
3
>>> count(iteration=3)
Traceback (most recent call last):
    ...
TypeError: count() has no option 'iteration': did you mean iterations?
>>> print(inspect.signature(count), count.__doc__, sep="\\n")
(*, iterations: 'int | None' = None, seconds: 'float | None' = None) -> int
Count.
<BLANKLINE>
Options, each of which may be left out or None:
<BLANKLINE>
- `iterations`: the most in all, with those of a run that is continued; of each part, if a run solves several.
- `seconds`: the time that the run, or each part that it solves, may take.

A key of a family is annotated with its type and its sentence; both are read while Python runs, so that modules with
families do without `from __future__ import annotations`. Every key may be None, which is to leave it out.
"""

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, TypedDict, TypeVar, get_args

from counterpoise.jobs.job import TracePoint
from counterpoise.names import suggest
from counterpoise.progress import CancelToken, Progress

MODULES = re.compile(r"(?:\w+\.)+(?=\w)")
Function = TypeVar("Function", bound=Callable[..., Any])
Callback = Callable[[Any, TracePoint], bool | None]
"""Called with the solver at every trace point; returning True stops the run."""


class StopKeywords(TypedDict, total=False):
    """When a job ends: at the first of these that is set."""

    iterations: Annotated[
        int | None,
        "the most in all, with those of a run that is continued; of each part, if a run solves several",
    ]
    seconds: Annotated[float | None, "the time that the run, or each part that it solves, may take"]


class LimitKeywords(StopKeywords, total=False):
    """When a job ends that finds an equilibrium: at the first of these that is set."""

    target: Annotated[
        float | None,
        "the exploitability at which the run, or each part that it solves, ends, in the game's unit, for spots in per "
        "cent of the pot",
    ]


class WatchKeywords(TypedDict, total=False):
    """Who looks on."""

    progress: Annotated[
        Progress | bool | None,
        "whether to show progress, or a `Progress` that shows it; by default in a terminal and in a notebook",
    ]
    cancel: Annotated[
        CancelToken | None,
        "a `CancelToken` with which another thread ends the job early, as Ctrl-C does; the result so far is returned",
    ]


class TraceKeywords(WatchKeywords, total=False):
    """Who looks on while a solver works, and at which iterations."""

    trace_at: Annotated[Sequence[int] | None, "the iterations at which to measure, besides the last"]
    callback: Annotated[
        Callback | None,
        "a function that is called with the solver and each point of the trace; the run ends if it returns True",
    ]


class RunKeywords(LimitKeywords, WatchKeywords, total=False):
    """When a job ends, and who looks on."""


class TimedRunKeywords(StopKeywords, WatchKeywords, total=False):
    """When a job ends that has no target, and who looks on."""


class OutputKeywords(TypedDict, total=False):
    """Where what was found is kept."""

    checkpoint: Annotated[
        str | os.PathLike[str] | None, "a file (.cpz) for the result, which long runs also write from time to time"
    ]


class SavedRunKeywords(RunKeywords, OutputKeywords, total=False):
    """When a job ends, who looks on, and where the result is kept."""


class TracedRunKeywords(RunKeywords, TraceKeywords, total=False):
    """When a solver ends, and who looks on."""


class SolveKeywords(SavedRunKeywords, TraceKeywords, total=False):
    """When a solver ends, who looks on, and where the result is kept."""


class TrainingKeywords(WatchKeywords, total=False):
    """When a training ends, who looks on, and where its result and its checkpoint are kept."""

    minutes: Annotated[float | None, "the time that this run may take"]
    iterations: Annotated[
        int | None, "the number in total, including those of earlier runs; this or `minutes` is needed"
    ]
    out: Annotated[str | os.PathLike[str] | None, "a file (.cpz) for the result; its checkpoint is kept beside it"]
    resume: Annotated[
        str | os.PathLike[str] | None,
        "a checkpoint, or a result with one beside it, to continue bit for bit",
    ]
    checkpoint_minutes: Annotated[float | None, "the time between two checkpoints"]


def takes(family: type) -> Callable[[Function], Function]:
    """Show the keywords of a family in the signature of a function and explain them in its docstring.

    `help`, editors that ask a running Python, and the pages of the documentation read both. The function itself ends in
    `**options` and calls `refuse_unknown`.
    """

    def spell_out(function: Function) -> Function:
        signature = inspect.signature(function)
        named = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        spelt = signature.replace(parameters=[*named, *keyword_parameters(family)])
        explained = "\n".join(f"- `{key}`: {get_args(kind)[1]}." for key, kind in family.__annotations__.items())
        own = inspect.cleandoc(function.__doc__ or "")
        vars(function)["__signature__"] = spelt
        function.__doc__ = f"{own}\n\nOptions, each of which may be left out or None:\n\n{explained}"
        return function

    return spell_out


def keyword_parameters(family: type) -> list[inspect.Parameter]:
    """Return the keywords of a family as parameters of a function, with their types as sources write them."""
    kind = inspect.Parameter.KEYWORD_ONLY
    types = {key: inspect.formatannotation(get_args(kept)[0]) for key, kept in family.__annotations__.items()}
    return [inspect.Parameter(key, kind, default=None, annotation=MODULES.sub("", text)) for key, text in types.items()]


def refuse_unknown(function: Callable[..., Any], options: Mapping[str, object]) -> None:
    """Raise a TypeError if there is an option that a function does not take, with the nearest one that it does."""
    known = inspect.signature(function).parameters
    for name in options:
        if name not in known:
            raise TypeError(f"{function.__name__}() has no option {name!r}: {suggest(name, known)}")


def chosen_for(noun: type, options: Mapping[str, object]) -> dict[str, Any]:
    """Return those options that are fields of a dataclass and are not left out, to make it of."""
    names = {field.name for field in fields(noun)}
    return {name: value for name, value in options.items() if name in names and value is not None}
