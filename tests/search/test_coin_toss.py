"""Coin Toss, the example of safe search, against its closed form (Brown 2020, section 5.1)."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.public import build_dense
from counterpoise.search import search_subgame, subgame
from counterpoise.search.maxmargin_lp import maxmargin_lp
from counterpoise.tree import Strategy, enumerate_game

BLUEPRINT = {
    "P1:heads": {"sell": 0.25, "play": 0.75},
    "P1:tails": {"sell": 0.5, "play": 0.5},
    "P2:play": {"heads": 0.5, "tails": 0.25, "forfeit": 0.25},
}
ITERATIONS = 20_000


def coin_toss(variant="base"):
    game = f"coin_toss(variant={variant})"
    return build_dense(game), Strategy.from_mapping(enumerate_game(game), BLUEPRINT)


def searched(method, alternative=None, variant="base"):
    whole, blueprint = coin_toss(variant)
    found = subgame(whole, ["play"], blueprint, searcher=1)
    return search_subgame(found, method, alternative=alternative, iterations=ITERATIONS)


def second_players_loss(guess, variant="base"):
    """What the second player's strategy loses to a best response; the value of the game is 0."""
    game = f"coin_toss(variant={variant})"
    return cp.best_response(game, {"P2:play": guess}, player=0).value


def test_values_of_the_blueprint():
    whole, blueprint = coin_toss()
    found = subgame(whole, ["play"], blueprint, searcher=1)
    np.testing.assert_allclose(found.mass, [0.5, 0.5])
    np.testing.assert_allclose(found.root_values(found.dense.profile(blueprint), best=True), [0, 0.5], atol=1e-6)


@pytest.mark.parametrize(
    ("method", "alternative", "guess", "loss"),
    [
        ("unsafe", None, (1, 0, 0), 0.75),
        ("maxmargin", (0, 0.5), (5 / 8, 3 / 8, 0), 0.375),
        ("maxmargin", (0.5, 0.5), (0.5, 0.5, 0), 0.25),  # with gifts of 1/2 to heads and 0 to tails
        ("maxmargin", (0.5, -0.5), (0.25, 0.75, 0), 0),  # with exact estimates
    ],
)
def test_1_closed_form(method, alternative, guess, loss):
    result = searched(method, alternative)
    found = result.strategy[1, "P2:play"]
    np.testing.assert_allclose(list(found.values()), guess, atol=5e-3)
    assert second_players_loss(found) == pytest.approx(loss, abs=5e-3)


@pytest.mark.parametrize(
    ("variant", "alternative", "guess", "margin"),
    [
        ("base", (0, 0.5), (5 / 8, 3 / 8, 0), 0.25),
        ("base", (0.5, 0.5), (0.5, 0.5, 0), 0.5),
        ("base", (0.5, -0.5), (0.25, 0.75, 0), 0),
        ("mirror", (-0.5, 0.5), (0.75, 0.25, 0), 0),
    ],
)
def test_1_closed_form_by_linear_programming(variant, alternative, guess, margin):
    whole, blueprint = coin_toss(variant)
    exact = maxmargin_lp(subgame(whole, ["play"], blueprint, searcher=1), np.array(alternative))
    assert list(exact.strategy["P2:play"].values()) == pytest.approx(guess, abs=1e-6)
    assert exact.margin == pytest.approx(margin, abs=1e-6)


def test_1_resolve_keeps_within_its_alternatives():
    result = searched("resolve", (0, 0.5))
    assert (result.margins >= -1e-3).all()
    assert 0.25 - 1e-3 <= second_players_loss(result.strategy[1, "P2:play"]) <= 0.5 + 1e-3


def test_1_mirror_image():
    """With the other prices the estimates change sign, and so does the answer."""
    found = searched("maxmargin", (-0.5, 0.5), "mirror").strategy[1, "P2:play"]
    np.testing.assert_allclose(list(found.values()), (0.75, 0.25, 0), atol=5e-3)
