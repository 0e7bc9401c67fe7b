"""Action translation: closed values and its limits."""

import pytest
from hypothesis import given, strategies as st

import counterpoise as cp
from counterpoise.abstraction.translation import midpoint, share_of_smaller, translate

fraction = st.floats(0.01, 20)


def test_11_share_and_midpoints():
    """The share of 1/2-pot in a bet of 3/4, and the midpoints that become new sizes in Brown 2020, section 4.3.6."""
    assert share_of_smaller(0.75, 0.5, 1) == pytest.approx(3 / 7, abs=1e-12)
    for low, high, between in ((0, 1, 1 / 3), (0, 1 / 3, 1 / 7), (1 / 3, 1, 3 / 5)):
        assert midpoint(low, high) == pytest.approx(between, abs=1e-12)


@given(fraction, fraction, st.floats(0, 1), st.floats(0, 1))
def test_11_share_falls_from_1_to_0(one, other, first, second):
    low, high = sorted((one, other))
    if high - low < 1e-3:
        return
    assert share_of_smaller(low, low, high) == pytest.approx(1, abs=1e-12)
    assert share_of_smaller(high, low, high) == 0
    assert share_of_smaller(midpoint(low, high), low, high) == pytest.approx(0.5, abs=1e-9)
    nearer, further = sorted((first, second))
    shares = [share_of_smaller(low + part * (high - low), low, high) for part in (nearer, further)]
    assert shares[0] >= shares[1] - 1e-12


def test_11_half_at_the_midpoint():
    """To the last digits, for the sizes of the text."""
    for low, high in ((0, 1), (0, 1 / 3), (1 / 3, 1), (0.5, 1)):
        assert share_of_smaller(midpoint(low, high), low, high) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("size", "translation", "taken"),
    [
        (0.5, "pseudo-harmonic", {0.5: 1.0}),
        (0.25, "midpoint", {0.5: 1.0}),  # above 1/5, the midpoint of 0 and 1/2
        (0.19, "midpoint", {0.0: 1.0}),
        (0.24, "nearest", {0.0: 1.0}),
        (0.75, "midpoint", {1.0: 1.0}),  # above 5/7
        (0.74, "nearest", {0.5: 1.0}),
        (0.7, "midpoint", {0.5: 1.0}),
        (7, "nearest", {1.0: 1.0}),
        (7, "pseudo-harmonic", {1.0: 1.0}),
    ],
)
def test_sizes_below_between_and_above(size, translation, taken):
    assert translate(size, [0.5, 1.0], translation) == taken


def test_below_the_smallest_is_a_check_in_part():
    taken = translate(0.25, [0.5, 1])
    assert taken == {0.0: pytest.approx(0.25 / (0.5 * 1.25)), 0.5: pytest.approx(1 - 0.25 / (0.5 * 1.25))}


@pytest.mark.parametrize("size", [-1, float("nan"), float("inf"), "big", True])
def test_refuses_what_is_no_size(size):
    with pytest.raises(cp.InputError, match="fractions of the pot"):
        translate(size, [0.5, 1])


def test_refuses_an_unknown_translation():
    with pytest.raises(cp.InputError, match="pseudo-harmonic, midpoint or nearest, not 'best'"):
        translate(1, [0.5], "best")
