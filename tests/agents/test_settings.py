"""Every number of an agent sits in one labelled file, and the agent reads its defaults there."""

import ast
import dataclasses
from pathlib import Path
from typing import get_args

import pytest

from counterpoise import agents
from counterpoise.agents.pluribus import PluribusSearch
from counterpoise.agents.recipes import Tier
from counterpoise.agents.settings import (
    SETTING,
    agent_settings,
    labelled_settings,
    read_settings,
    settings_of,
    settled_agents,
)
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
def test_every_number_is_read_or_marked_as_documentation(name):
    """A labelled number is a field of a settings class, by whose name some code reads it, or is for the reader only."""
    sources = [ast.parse(file.read_text()) for file in Path(agents.__path__[0]).glob("*.py")]
    read = {node.attr for source in sources for node in ast.walk(source) if isinstance(node, ast.Attribute)}
    read |= {node.value for source in sources for node in ast.walk(source) if is_word(node)}
    if name.startswith("polaris"):
        read |= set(get_args(Tier))  # whole recipes, by the name of the tier
    for key, setting in labelled_settings(name).items():
        assert setting.documentation or key in read, f"{name}: nothing reads {key}"
        assert not (setting.documentation and key in agent_settings(name))


def test_fields_take_their_defaults_from_the_file():
    settings = agent_settings("pluribus")
    for field in dataclasses.fields(PluribusSearch):
        assert as_lists(field.default) == settings[field.name]
    assert PluribusSearch(factor=2.0).factor == 2.0


def test_a_field_that_the_file_lacks_is_refused():
    with pytest.raises(InputError, match=r"libratus\.toml has no setting 'speed'"):

        @settings_of("libratus")
        class Wrong:
            speed: int = SETTING


def is_word(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def as_lists(value):
    return [as_lists(one) for one in value] if isinstance(value, list | tuple) else value
