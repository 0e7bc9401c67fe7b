"""Names with parameters: what is read, what is refused, and spelling as the inverse of reading."""

import gc
import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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


@pytest.fixture
def slow_collections() -> Iterator[None]:
    """Garbage is collected often, and other threads run meanwhile, as when a finaliser waits for a lock."""

    def wait(phase: str, info: dict[str, int]) -> None:
        time.sleep(0.0005)

    before = gc.get_threshold()
    gc.callbacks.append(wait)
    gc.set_threshold(100, *before[1:])
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(wait)


def test_fifty_threads_parse_at_once(slow_collections: None) -> None:
    """Without a lock, `ast.parse` of Python 3.11 fails in some of them."""
    texts = [f"game{k}(sizes=[{', '.join(map(str, range(k, k + 300)))}])" for k in range(50)]
    with ThreadPoolExecutor(50) as pool:
        found = list(pool.map(parse, texts))
    assert found == [(f"game{k}", {"sizes": tuple(range(k, k + 300))}) for k in range(50)]


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


def test_values_of_another_kind_are_refused() -> None:
    """A field whose annotation is plainly a number, a word or a truth value takes nothing else from a string."""

    @dataclass
    class Walker:
        steps: int = 1
        share: float = 0.5
        name: str = ""
        quiet: "bool" = False

    catalogue: Catalogue[Walker] = Catalogue("walker")
    catalogue.register("walker")(Walker)
    assert catalogue.build("walker(steps=3, share=1, name=a, quiet=true)") == Walker(3, 1, "a", True)
    for text, sentence in (
        ("steps=many", "steps must be a whole number, not 'many'"),
        ("share=[1]", r"share must be a number, not \(1,\)"),
        ("name=7", "name must be a word, not 7"),
        ("quiet=1", "quiet must be True or False, not 1"),
    ):
        with pytest.raises(cp.InputError, match=f"walker 'walker': {sentence}"):
            catalogue.build(f"walker({text})")
