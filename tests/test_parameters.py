"""Checks of what users give: what is accepted, and the sentence that refuses the rest."""

import math
from fractions import Fraction

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.parameters import (
    are_positive,
    is_amount,
    is_number,
    is_whole,
    require_choice,
    require_number,
    require_seat,
    require_whole,
    shown,
)


def test_kinds_of_numbers():
    assert all(is_whole(value) for value in (0, -3, 10**400, np.int8(2)))
    assert not any(is_whole(value) for value in (True, 2.0, "2", None, np.bool_(True)))
    assert all(is_number(value) for value in (0, 1.5, Fraction(1, 3), np.float32(2), 10**300))
    assert not any(is_number(value) for value in (10**400, math.nan, math.inf, -math.inf, False, "1", 1j))
    assert is_amount(0)
    assert not is_amount(-0.1)
    assert are_positive([1, 0.5])
    assert not any(are_positive(values) for values in ([], [0], [1, "x"], 3))


@pytest.mark.parametrize(
    ("check", "arguments", "sentence"),
    [
        (require_whole, ("iterations", 0), "iterations must be a whole number of at least 1, not 0"),
        (require_whole, ("deck: ranks", 14, 2, 13), "deck: ranks must be a whole number from 2 to 13, not 14"),
        (require_whole, ("seed", True, 0), "seed must be a whole number of at least 0, not True"),
        (require_number, ("share", math.nan), "share must be a number, not nan"),
        (require_number, ("share", -1, 0), "share must be a number of at least 0, not -1"),
        (require_number, ("share", 2, None, 1), "share must be a number of at most 1, not 2"),
        (require_number, ("share", "x", 0, 1), "share must be a number from 0 to 1, not 'x'"),
        (require_choice, ("order", "up", ("rising", "falling")), "order must be rising or falling, not 'up'"),
        (require_seat, ("player", 2), "player must be seat 0 or 1, not 2"),
        (require_seat, ("player", -1, 6), "player must be a seat from 0 to 5, not -1"),
    ],
)
def test_refusals(check, arguments, sentence):
    with pytest.raises(InputError) as error:
        check(*arguments)
    assert str(error.value) == sentence


def test_long_values_are_cut_and_stay_on_one_line():
    assert shown("x" * 59) == "'" + "x" * 56 + "..."
    assert len(shown(list(range(10**5)))) == 60
    assert "\n" not in shown(np.zeros((9, 9)))
    assert shown(10**5000) == "a number of thousands of digits"
