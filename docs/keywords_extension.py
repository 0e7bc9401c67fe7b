"""Let the pages of the API show the keywords of `**options: Unpack[FAMILY]` as parameters, each explained."""

import importlib
import inspect
from typing import Any

import griffe

from counterpoise.jobs.keywords import keyword_parameters


class SharedKeywords(griffe.Extension):
    """Show what `counterpoise.jobs.takes` shows to `help`."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Replace the options of a function and of its overloads by keywords."""
        if unpacked(func) is None:
            return
        home = importlib.import_module(func.module.path)
        for one in (func, *(func.overloads or ())):
            if (family := unpacked(one)) is not None:
                spell_out(one, getattr(home, family))
        func.docstring = griffe.Docstring(inspect.getdoc(getattr(home, func.name)) or "", parent=func)


def unpacked(function: griffe.Function) -> str | None:
    """Return the name of the family of keywords that a function takes, if it takes one."""
    for parameter in function.parameters:
        if parameter.kind is griffe.ParameterKind.var_keyword and str(parameter.annotation).startswith("Unpack["):
            return str(parameter.annotation)[len("Unpack[") : -1]
    return None


def spell_out(function: griffe.Function, family: type) -> None:
    """Replace `**options` by the keywords of its family."""
    kept = [one for one in function.parameters if one.kind is not griffe.ParameterKind.var_keyword]
    added = [
        griffe.Parameter(
            one.name,
            annotation=one.annotation,
            kind=griffe.ParameterKind.keyword_only,
            default="None",
        )
        for one in keyword_parameters(family)
    ]
    function.parameters = griffe.Parameters(*kept, *added)
