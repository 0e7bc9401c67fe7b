"""Keywords that public functions share: shown, explained, and refused where they are misspelt."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import counterpoise
from counterpoise.jobs.keywords import keyword_parameters

ROOT = Path(counterpoise.__file__).parents[1]


def functions_with_options():
    """Return every function that ends in a family of keywords: its module, its name, and the name of the family."""
    found = {}
    for file in sorted(ROOT.rglob("*.py")):
        text = file.read_text()
        if "**options: Unpack[" not in text:
            continue
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.args.kwarg is not None and node.args.kwarg.annotation:
                found[module, node.name] = ast.unparse(node.args.kwarg.annotation).removeprefix("Unpack[")[:-1]
    return [(*key, family) for key, family in found.items()]


FUNCTIONS = functions_with_options()


def test_the_doors_of_the_library_are_among_them() -> None:
    names = {name for _, name, _ in FUNCTIONS}
    assert names >= {"solve", "solve_spot", "search_spot", "match", "train", "train_networks", "counter_strategy"}


@pytest.mark.parametrize(("module", "name", "family"), FUNCTIONS, ids=[name for _, name, _ in FUNCTIONS])
def test_every_keyword_is_shown_and_explained_and_others_are_refused(module: str, name: str, family: str) -> None:
    home = importlib.import_module(module)
    function = getattr(home, name)
    shown = inspect.signature(function).parameters
    for keyword in keyword_parameters(getattr(home, family)):
        assert shown[keyword.name] == keyword
        assert f"\n- `{keyword.name}`: " in inspect.getdoc(function)
    needed = {one.name: None for one in shown.values() if one.default is one.empty}
    with pytest.raises(TypeError, match=rf"{name}\(\) has no option 'progres'"):
        function(**needed, progres=None)
