"""One name stands for one class in the whole package, so that a reader who meets a name knows what it is."""

import ast
from collections import defaultdict
from pathlib import Path

import counterpoise

SHARED = {
    "Answer",
    "BettingTree",
    "Dealt",
    "Estimate",
    "Exploration",
    "Limits",
    "Menu",
    "Score",
    "Stack",
    "Statistics",
    "Tables",
    "Upload",
    "Work",
}
"""Names that still stand for several classes: layouts that kernels are compiled against, and models of the REST API. No
name may be added."""


def test_a_name_stands_for_one_class() -> None:
    found = defaultdict(list)
    root = Path(counterpoise.__file__).parent
    for file in sorted(root.rglob("*.py")):
        for statement in ast.parse(file.read_text()).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                found[statement.name].append(str(file.relative_to(root)))
    assert len(found) > 1000
    assert {name: files for name, files in found.items() if len(files) > 1 and name not in SHARED} == {}
