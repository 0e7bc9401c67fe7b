"""Every number of an agent sits in one labelled file, and the agent reads its defaults there."""

import ast
import dataclasses
import inspect
from importlib import import_module
from pathlib import Path

import pytest

from counterpoise import agents
from counterpoise.agents.settings import agent_settings, labelled_settings, read_settings, settled_agents
from counterpoise.errors import InputError

LABELLED = '[factor]\nvalue = 5\nmeaning = "What a bias multiplies with."\nsource = "outside the text"'


def test_a_setting_has_a_value_a_meaning_and_a_source():
    settings = read_settings("some.toml", LABELLED)
    assert settings["factor"].value == 5
    assert settings["factor"].source == "outside the text"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("factor = 5", "some.toml: factor must be a table of value, meaning, source"),
        (LABELLED.replace("source", "origin"), "some.toml: factor must be a table of value, meaning, source"),
        (LABELLED.replace("What a bias multiplies with.", " "), "some.toml: factor: meaning must be a sentence"),
        (
            LABELLED.replace("outside the text", "somewhere"),
            "source must be a section such as 'Brown 2020, section 6.4'",
        ),
    ],
)
def test_what_is_not_labelled_is_refused(text, sentence):
    with pytest.raises(InputError, match=sentence):
        read_settings("some.toml", text)


def test_an_agent_without_a_file_is_named():
    with pytest.raises(InputError, match="'nobody' has no file"):
        agent_settings("nobody")


@pytest.mark.parametrize("name", settled_agents())
def test_agents_read_their_defaults_from_their_file(name):
    """Every labelled number is read by the agent, and a field of the same name has it as its default."""
    calls = f'agent_settings("{name}")', "agent_settings(name)"  # recipes read the file of the agent that they train
    files = Path(agents.__path__[0]).glob("*.py")
    readers = [file for file in files if any(call in file.read_text() for call in calls)]
    assert readers, f"nothing reads {name}.toml"
    words = {node.value for file in readers for node in ast.walk(ast.parse(file.read_text())) if is_word(node)}
    defaults = {}
    for module in (import_module(f"counterpoise.agents.{file.stem}") for file in readers):
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if dataclasses.is_dataclass(kind) and kind.__module__ == module.__name__:
                defaults |= {field.name: field.default for field in dataclasses.fields(kind)}
    for key, setting in labelled_settings(name).items():
        assert key in words, f"{name}: nothing reads {key}"
        default = defaults.get(key, dataclasses.MISSING)
        if default is not dataclasses.MISSING:
            assert as_lists(default) == setting.value, f"{name}: {key}"


def is_word(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def as_lists(value):
    return [as_lists(one) for one in value] if isinstance(value, list | tuple) else value
