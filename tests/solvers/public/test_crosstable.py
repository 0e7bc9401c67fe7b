"""What strategies win from each other: exact, by drawn boards, in both seats, and as text and JSON."""

from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import abstraction
from counterpoise.errors import InputError
from counterpoise.public import Profile, build_dense
from counterpoise.public.mini_holdem import BIG_BLIND, millibigblinds
from counterpoise.sampling.boards.walks import BoardWalks

from ...public.test_mini_holdem import mini


@cache
def runs(**keywords):
    """CFR, CFR-BR and external sampling in the same buckets of a small game."""
    game = mini(3, (2, 1), **keywords)
    table = abstraction("PR-PHS-PHS", (2, 2), deck=game.deck, threads=1, progress=False)
    lengths = {"cfr+": 200, "cfr-br(sampled=True)": 3_000, "es-mccfr": 3_000}
    found = {
        name: cp.solve(game, name, buckets=table, iterations=count, trace_at=[count], progress=False)
        for name, count in lengths.items()
    }
    return found | {"uniform": Profile(game)}


def test_values_are_those_of_the_enumerated_game():
    """Kuhn poker: both seatings of two strategies by enumeration of all histories [1e-6]."""
    game = build_dense("kuhn_poker")
    strategies = [cp.solve("kuhn_poker", "cfr+", iterations=n).strategy for n in (1, 30)]
    table = cp.crosstable({"a": game.profile(strategies[0]), "b": game.profile(strategies[1])}, progress=False)
    first, second = (
        cp.expected_value("kuhn_poker", mixed)[0] for mixed in (_joined(*strategies), _joined(*strategies[::-1]))
    )
    assert table.value("a", "b") == pytest.approx((first - second) / 2, abs=1e-6)
    assert table.value("b", "a") == pytest.approx(-table.value("a", "b"), abs=1e-6)
    assert table.value("a", "a") == pytest.approx(0, abs=1e-6)


def _joined(first, second):
    """The first strategy in seat 0 (whose infosets have an even number of moves), the second in seat 1."""
    return {infoset: (first, second)[len(infoset.split(":")[1]) % 2][infoset] for infoset in first}


def test_31_cfr_br_wins_no_more_than_what_cfr_leaves_inside_the_abstraction():
    """Perfect recall, exact play, mean of both seats [1e-4 chips]; and a uniform player loses to all."""
    table = cp.crosstable(runs(), big_blind=BIG_BLIND, progress=False)
    left = millibigblinds(runs()["cfr+"].abstract_exploitability)
    assert table.value("cfr-br(sampled=True)", "cfr+") <= left + 0.05
    assert all(table.value(name, "uniform") > 100 for name in table.names if name != "uniform")
    assert table.means[-1] < 0


@pytest.mark.slow
@pytest.mark.parametrize("isomorphism", [True, False])
def test_30_drawn_boards_are_unbiased(isomorphism):
    """The exact value lies within three half widths of the estimate; playing oneself is exactly nothing."""
    players = runs(isomorphism=isomorphism)
    exact = cp.crosstable(players, progress=False)
    drawn = cp.crosstable(players, boards=400, seed=3, progress=False)
    for row, values in enumerate(drawn.values):
        for column, value in enumerate(values):
            spread = drawn.half_widths[row][column]
            if row == column:
                assert value == pytest.approx(0, abs=1e-12)
            else:
                assert 0 < spread < 0.5
                assert abs(value - exact.values[row][column]) < 3 * spread


def test_30_every_board_once_is_the_exact_value():
    """Values of all full boards, weighted by their probabilities, are the exact one [1e-5 chips]."""
    from counterpoise.sampling.boards.matches import BoardMatches

    players = [player.profile if isinstance(player, cp.PublicRun) else player for player in runs().values()]
    matches = BoardMatches(players[0].game, players, 2)
    chance = BoardWalks(players[0].game).boards.chance
    matches.boards = np.arange(len(chance), dtype=np.uint64)
    exact = cp.make_algorithm("cfr").on(players[0].game).traverser.root_values(players[0].joined(players[1]))
    np.testing.assert_allclose(matches.values(0, 1) @ chance, exact, atol=1e-5)


def test_duplicate_boards_have_narrower_intervals():
    """Both seatings on the same boards: less spread than the first seating alone."""
    from counterpoise.sampling.boards.matches import BoardMatches

    players = [player.profile if isinstance(player, cp.PublicRun) else player for player in runs().values()]
    matches = BoardMatches(players[0].game, players, 300, seed=1)
    one, other = matches.values(0, 2), matches.values(2, 0)
    assert np.std((one[0] + other[1]) / 2) < 0.8 * np.std(one[0])


def test_text_and_json():
    table = cp.crosstable(list(runs().values()), big_blind=BIG_BLIND, boards=20, progress=False)
    assert table.names[-1] == "profile"
    text = str(table)
    assert "20 boards, 95 % intervals" in text
    assert len(text.splitlines()) == 2 + len(table.names)
    assert table.to_json()["unit"] == "mbb/g"
    assert len(table.to_json()["values"]) == 4


def test_refusals():
    with pytest.raises(InputError, match="needs strategies"):
        cp.crosstable([], progress=False)
    with pytest.raises(InputError, match="a must be a run on a public game or a profile of one, not a str"):
        cp.crosstable({"a": "b"}, progress=False)
    with pytest.raises(InputError, match="does not fit"):
        cp.crosstable([Profile(mini(3, (2, 1))), Profile(mini(3, (2, 2)))], progress=False)
    with pytest.raises(InputError, match="needs strategies, in a list or by name, not None"):
        cp.crosstable(None, progress=False)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"boards": 1}, "boards must be a whole number from 2 to"),
        ({"boards": 10**12}, "boards must be a whole number from 2 to"),
        ({"big_blind": 0}, "big_blind must be a positive number, not 0"),
        ({"big_blind": "2"}, "big_blind must be a positive number, not '2'"),
        ({"big_blind": -2}, "big_blind must be a positive number, not -2"),
        ({"boards": 2, "seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"boards": 2, "seed": "a"}, "seed must be a whole number of at least 0, not 'a'"),
    ],
)
def test_wrong_settings(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        cp.crosstable([Profile(mini(3, (2, 1)))], progress=False, **wrong)
