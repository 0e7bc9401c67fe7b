"""AC16: every number of an agent sits in one labelled file, and the agent reads its defaults there."""

import dataclasses
import inspect
from importlib import import_module

import pytest

from counterpoise.agents import recipes
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
        (LABELLED.replace("outside the text", "somewhere"), "source must be a section such as 'BROWN 6.4'"),
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
    """AC16: each labelled number is the default of a field of the agent, or read by its name there or by a recipe."""
    module = import_module(f"counterpoise.agents.{name.replace('-', '_')}")
    kinds = [kind for _, kind in inspect.getmembers(module, dataclasses.is_dataclass) if inspect.isclass(kind)]
    own = [kind for kind in kinds if kind.__module__ == module.__name__]
    defaults = {
        field.name: field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        for kind in own
        for field in dataclasses.fields(kind)
    }
    text = inspect.getsource(module)
    if any(issubclass(kind, recipes.TrainedByRecipe) for kind in own):
        text += inspect.getsource(recipes)
    for key, setting in labelled_settings(name).items():
        read = defaults.get(key)
        same = (list(read) if isinstance(read, tuple) else read) == setting.value
        assert same if key in defaults else f'"{key}"' in text, f"{name}: nothing of the agent reads {key}"
    assert f'agent_settings("{name}")' in text or "agent_settings(name)" in text
