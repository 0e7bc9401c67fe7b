import pytest

from counterpoise.errors import InputError
from counterpoise.solvers.public.trunk_memory import LIMIT_HOLDEM, estimate_memory

PUBLISHED = {  # trunk rounds -> bytes of the trunk and of one subgame (JOHANSON, table 4.1)
    1: (14.52 * 2**10, 1.18 * 2**30),
    2: (936.33 * 2**20, 2.74 * 2**20),
    3: (359.54 * 2**30, 6.54 * 2**10),
    4: (140.26 * 2**40, 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("rounds", PUBLISHED)
def test_29_published_memory(rounds):
    """Limit hold'em: the trunk within 8 %, a subgame within 1.5 % of the printed sizes."""
    trunk, subgame = PUBLISHED[rounds]
    found = estimate_memory(LIMIT_HOLDEM, rounds)
    assert found.trunk == pytest.approx(trunk, rel=0.08)
    assert found.subgame == pytest.approx(subgame, rel=0.015)
    assert found.total(48) == found.trunk + 48 * found.subgame


@pytest.mark.slow
def test_exact_counts():
    """Nodes of one seat below one betting sequence, times boards, times hands."""
    assert estimate_memory(LIMIT_HOLDEM, 1) == (4 * 21 * 169, 1326 * (5 + 49 * 45 + 49 * 48 * 405))
    assert estimate_memory(LIMIT_HOLDEM, 3).subgame == 1326 * 5


def test_wrong_trunk():
    with pytest.raises(InputError, match="trunk must be a number of rounds from 1 to 4, not 0"):
        estimate_memory(LIMIT_HOLDEM, 0)
