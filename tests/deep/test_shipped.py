"""The networks of the package: small, whole, as good as the documentation says, and played without a file."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents.make import make_agent
from counterpoise.deep.files import Trained
from counterpoise.deep.rebel.beliefs import normalised
from counterpoise.deep.rebel.method import player_of
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.shipped import FOLDER, shipped_headers, shipped_networks
from counterpoise.errors import InputError

GAMES = [(method, game) for method in ("deep-cfr", "rebel") for game in shipped_headers(method)]


def test_they_are_small():
    assert 0 < sum(path.stat().st_size for path in FOLDER.iterdir()) <= 5_000_000
    assert len(GAMES) == len(list(FOLDER.iterdir()))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "game"), GAMES)
def test_they_play_well(method, game):
    """Strategies that files hold are judged afresh; of ReBeL this is the mean of some play-throughs, a bound."""
    trained = shipped_networks(method, game)
    if trained.strategy is None:  # hold'em, whose play-throughs take minutes: rivers are solved instead
        assert error_on_rivers(trained) < 0.01
    else:
        assert cp.exploitability(game, trained.strategy) < (0.1 if method == "deep-cfr" else 0.06)


def error_on_rivers(trained: Trained) -> float:
    """Return the squared error of a network on all rivers after two checks, as a share of the squares of the values
    that solving these rivers finds, so that a network without values has 1; hands count by the beliefs."""
    player = player_of(trained, cp.load(trained.game), unsafe=True)
    for _ in range(2):
        player.observe(player.labels.index("c"))
    game, deals = player.game, player.game.deals[player.root.state]
    beliefs = np.stack([normalised(player.root.beliefs, game.prior, live) for live in deals.live])
    solver = BeliefSolver(game, player.values, SearchSettings(iterations=60), len(deals.states))
    solved = solver.solve(deals.states, beliefs).values
    told = player.values(game.encode(deals.states, beliefs), deals.states).reshape(solved.shape)
    told = told * game.unit[deals.states][:, None, None]
    return float((beliefs * (told - solved) ** 2).sum() / (beliefs * solved**2).sum())


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "game"), [("deep-cfr", "leduc_poker"), ("rebel", "liars_dice(faces=4)")])
def test_they_need_no_file(agent, game):
    assert make_agent(agent).home == game
    found = cp.match(game, [agent, "random"], hands=60, seed=1, progress=False)
    assert found.agents[0].mean > 0
    assert found.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}


def test_other_games_are_refused():
    with pytest.raises(InputError, match=r"deep-cfr has a network for leduc_poker, not for kuhn_poker: train one"):
        cp.match("kuhn_poker", ["deep-cfr", "random"], hands=1, progress=False)
    with pytest.raises(InputError, match=r"rebel: the package has no network for kuhn_poker"):
        shipped_networks("rebel", "kuhn_poker")
