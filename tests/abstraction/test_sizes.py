"""Sizes of games with an abstraction, against the printed tables."""

from __future__ import annotations

import pytest

from counterpoise.abstraction import abstraction_size, betting_size, fitting_buckets, parse_name
from counterpoise.abstraction.sizes import LIMIT_HOLDEM
from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.errors import InputError

FLOP_HOLDEM = Betting((1000, 1000), blinds=(1, 2), rounds=2, limit=(2, 2), max_bets=(4, 4))


def buckets(name: str, *counts: int) -> list[int]:
    config = parse_name(name, counts)
    return [config.buckets(street) for street in range(4)]


@pytest.mark.parametrize(
    ("name", "counts", "infosets"),
    [
        ("PR-KE-KO", (10, 10, 10, 10), (80, 7_000, 630_000, 56_700_000)),
        ("IR-KE-KO", (10, 100, 1000, 10_000), (80, 7_000, 630_000, 56_700_000)),
        ("IR-KE-KO", (169, 9000, 9000, 9000), (1_352, 630_000, 5_670_000, 51_030_000)),
    ],
)
def test_table_of_sizes(name: str, counts: tuple[int, ...], infosets: tuple[int, ...]) -> None:
    """Johanson 2016, table 5.2; 700 on the second round is a misprint of 7,000."""
    found = abstraction_size(buckets(name, *counts))
    assert found.infosets == infosets
    assert found.total_infosets == (57_337_080 if counts[0] == 10 else 57_331_352)


@pytest.mark.parametrize(
    ("perfect", "imperfect", "millions"),
    [(5, 570, 3.62), (6, 1175, 7.49), (8, 3700, 23.6), (10, 9000, 57.3), (12, 18630, 118.7)],
)
def test_sizes_that_are_paired(perfect: int, imperfect: int, millions: float) -> None:
    """The sweep of figure 5.4 compares abstractions of equal size."""
    sizes = [
        abstraction_size(buckets("PR-KE-KO", *[perfect] * 4)).total_infosets,
        abstraction_size(buckets("IR-KE-KO", 169, *[imperfect] * 3)).total_infosets,
    ]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.01)
    assert sizes[1] / 1e6 == pytest.approx(millions, rel=0.005)


def test_canonical_flops() -> None:
    """113, 119, 207 and 220 million information sets with the flop left canonical, or cut into buckets."""
    names = {"IR-C-C-KE-KO": ((3700, 113), (18630, 207)), "IR-C-KE-KE-KO": ((18630, 119), (34470, 220))}
    for name, sizes in names.items():
        for count, millions in sizes:
            counts = [count] * (2 if name == "IR-C-C-KE-KO" else 3)
            assert abstraction_size(buckets(name, *counts)).total_infosets / 1e6 == pytest.approx(millions, abs=0.6)


def test_redistribution() -> None:
    """IR-FT has exactly the size of IR-EQ; what one river bucket costs on the other streets."""
    whole = abstraction_size((169, 9000, 9000, 9000)).total_infosets
    assert fitting_buckets((169, None, None, None), infosets=whole) == (169, 9000, 9000, 9000)
    moved = fitting_buckets((169, None, None, 1950), infosets=whole)
    assert moved == (169, 66_105, 66_105, 1950)
    assert abstraction_size(moved).total_infosets == whole == 57_331_352
    assert [betting_size(LIMIT_HOLDEM).exchange(3, other) for other in (2, 1, 0)] == [9, 81, 708.75]


def test_pairs_of_infoset_and_action() -> None:
    """3,549 before the flop, 182 per bucket of the flop, 16,562 per bucket of all later rounds."""
    assert betting_size(FLOP_HOLDEM).actions == (21, 182)
    for count, pairs in ((200, 39_949), (2_000, 367_549), (20_000, 3_643_549), (1_286_792, 234_199_693)):
        assert abstraction_size((169, count), betting_size(FLOP_HOLDEM)).total_pairs == pairs
    for count in (200, 2_000, 20_000):
        assert abstraction_size((169, count, count, count)).total_pairs == 16_562 * count + 3_549


def test_what_fits_into_memory() -> None:
    fitting = fitting_buckets((169, None, None, None), memory=1e9)
    assert abstraction_size(fitting).memory <= 1e9
    assert abstraction_size((169, *(count + 1 for count in fitting[1:]))).memory > 1e9
    with pytest.raises(InputError, match=r"needs 160,888 bytes; 1,000 are allowed"):
        fitting_buckets((169, None, None, None), memory=1000)


def test_no_limit() -> None:
    """One size of a pot and shallow stacks, against a walk by hand: check or bet, then fold or call."""
    river = Betting.spot(pot=2, stack=2, first_round=3)
    sizes = BetSizes.read({"river": {"bet": ["100%"], "raise": []}}, 3)
    found = betting_size(river, sizes)
    assert found.decisions == (0, 0, 0, 4)  # first, after a check, facing a bet after either
    assert found.actions == (0, 0, 0, 8)
    with pytest.raises(InputError, match="sizes must be given"):
        betting_size(river)


def test_wrong_input() -> None:
    with pytest.raises(InputError, match="buckets must be 4 numbers, one per street, not 2"):
        abstraction_size((1, 2))
    with pytest.raises(InputError, match="buckets must be a whole number"):
        abstraction_size((1, 2, 0, 2))
    with pytest.raises(InputError, match="infosets or memory must be given"):
        fitting_buckets((1, None, None, 2))
    with pytest.raises(InputError, match="leave a street open"):
        fitting_buckets((1, 2, 3, 4), infosets=10**6)
