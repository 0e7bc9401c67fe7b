"""Names with parameters: what is read, what is refused, and spelling as the inverse of reading."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.names import Catalogue, parse, spell


@pytest.mark.parametrize(
    "text",
    [
        "kuhn_poker(players=3)(players=2)",
        "kuhn_poker(players=3).foo(players=2)",
        "kuhn_poker(players=3)[0]",
        "kuhn_poker(3)",
        "kuhn_poker(**x)",
        "kuhn_poker(",
        "kuhn_poker(players=2, players=3)",
        "kuhn_poker(players={[]: 1})",
        "kuhn_poker(players=-'x')",
        "kuhn_poker(players=f(1))",
        "kuhn_poker(players=" + "-" * 5000 + "1)",
        "kuhn_poker(players=" + "[" * 150 + "]" * 150 + ")",
        "kuhn_poker(players=" + "(" * 5000 + ")",
        "kuhn_poker(players=" + "9" * 5000 + ")",
    ],
)
def test_what_cannot_be_read_gets_one_sentence(text):
    with pytest.raises(cp.InputError, match="kuhn_poker"):
        cp.load(text)


@pytest.mark.parametrize(
    "value",
    [
        *(1, -2.5, math.inf, -math.inf, True, None),
        *("word", "two words", "inf", "infinity", "True", "None", "lambda", "ﬁ", ""),
        *((), (1, 2), ("inf", (True, "x"))),
    ],
)
def test_spelling_is_the_inverse_of_reading(value):
    name, parameters = parse(spell("thing", {"key": value}))
    assert name == "thing"
    assert parameters == {"key": value}
    assert type(parameters["key"]) is type(value)


def test_numpy_scalars_are_spelled_as_numbers():
    values = {"a": np.int64(3), "b": np.float32(0.5), "c": np.bool_(True), "d": (np.int8(1),), "e": np.str_("x")}
    assert spell("thing", values) == "thing(a=3, b=0.5, c=True, d=[1], e=x)"


def test_a_class_that_is_defined_again_replaces_itself():
    catalogue = Catalogue("thing")

    def define(default):
        @catalogue.register("mine")
        @dataclass(frozen=True)
        class Mine:
            size: int = default

        return Mine

    define(1)
    second = define(2)
    assert catalogue["mine"] is second
    assert second.registered_name == "mine"
    with pytest.raises(ValueError, match="registered twice"):

        @catalogue.register("mine")
        @dataclass(frozen=True)
        class Other:
            pass

    assert catalogue["mine"] is second
