"""Hold'em that is dealt and walked in lock-step, compared with the rules, with enumeration and with public trees."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise.cards.deck import format_card
from counterpoise.deep.card_network import CardShape
from counterpoise.deep.dealt import DealtHoldem
from counterpoise.deep.deep_cfr import DeepCFRSettings
from counterpoise.deep.enumerated import even
from counterpoise.deep.files import load_networks
from counterpoise.deep.jax import require_jax
from counterpoise.deep.networks import new_network
from counterpoise.deep.nfsp import NFSPSettings
from counterpoise.deep.playing import policy_of
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.kernels.random import seeded
from counterpoise.public import Profile, Traverser

FLOP = "limit_holdem(board=[0, 3], bets=[2, 2], ranks=6, suits=2)"
SMALL = {"traversals": 40, "steps": 10, "batch": 32, "hidden": (8,), "policy_steps": 10, "memory": 5000}


@pytest.fixture(scope="module")
def flop():
    return DealtHoldem(load(FLOP))


@pytest.fixture(scope="module")
def tiny():
    """One bet per round, no raises: few enough betting nodes to follow by hand."""
    return DealtHoldem(load("limit_holdem(board=[0, 3], bets=[2, 2], ranks=4, suits=2, max_bets=[2, 1])"))


def uniform_policy(game):
    return lambda player, keys: even(game.legal(keys))


def test_sizes(flop):
    """FHP with 3 raises before the flop and 4 on it: 8 and 70 betting nodes; 26 x 7 + 21 pairs with actions."""
    assert flop.tree.by_round() == (8, 70)
    first = flop.tree.arrays.round == 0
    pairs = flop.tree.arrays.actions.astype(int)
    assert (pairs[first].sum(), pairs[~first].sum()) == (21, 182)
    assert flop.actions == ("fold", "call", "bet")
    assert DealtHoldem(load("limit_holdem")).inputs == 4 * 69 + 2 * 4 * 6


def test_samples_follow_the_rules(tiny):
    """Every traversal, followed by the rules of the game with its cards, has the sampled values."""
    policy = uniform_policy(tiny)
    found = tiny.walk(0, 300, policy, seeded(3))
    deals = tiny.deal(300, seeded(3))
    assert (tiny.legal(found.keys) | (found.advantages == 0)).all()
    np.testing.assert_allclose((found.advantages * even(tiny.legal(found.keys))).sum(axis=1), 0, atol=1e-12)
    # The last decisions of a walk have values that do not depend on draws: compare them with the rules.
    checked = 0
    game = tiny.game
    names = [["".join(_names(row[:2])) for row in hand] for hand in deals.cards]
    for key, advantage in zip(found.keys, found.advantages, strict=True):
        node = int(key[-1])
        ends = [tiny.tree.arrays.actions[after] == 0 for after in tiny.tree.children(node)]
        if not all(ends):
            continue
        hands = [k for k, hand in enumerate(deals.cards) if (hand[0, :2] == key[:2]).all() and _board_fits(hand, key)]
        possible = []
        for k in hands:
            board = "".join(_names(deals.cards[k, 0, 2:]))
            values = [_value(game, names[k], board, tiny.tree.line(after)) for after in tiny.tree.children(node)]
            mean = np.mean(values)
            possible.append([(value - mean) / tiny.unit for value in values])
        own = advantage[tiny.legal(key[None])[0]]
        assert any(np.allclose(own, row) for row in possible)
        checked += 1
    assert checked > 50


def _board_fits(hand, key):
    return all(card == -1 or card == hand[0, 2 + k] for k, card in enumerate(key[2:-1]))


def _names(cards):
    return [format_card(int(card)) for card in cards]


def _value(game, hands, board, line):
    state = game.initial()
    for hand in hands:
        state = game.next(state, hand)
    for action in line:
        while game.player(state) == -1:
            state = game.next(state, board)
        state = game.next(state, action)
    while game.player(state) == -1:
        state = game.next(state, board)
    return game.payoffs(state)[0]


@pytest.mark.slow
def test_values_are_those_of_the_public_game(flop):
    """Episodes between uniform players are worth what the exact profile is worth."""
    policy = uniform_policy(flop)
    found = flop.play(60_000, (policy, policy), 0.5, seeded(5))
    profile = flop.profile(policy)
    expected = Traverser(flop.public_game).root_values(profile)
    button = found.seat == 1  # who acts in every hand
    ends = found.reward[button & (found.following < 0)]
    assert len(ends) == 60_000
    assert ends.mean() * flop.unit == pytest.approx(expected[1], abs=5 * ends.std() * flop.unit / 245)


@pytest.mark.slow
def test_uniform_profile(flop):
    """A policy is written into the public game decision by decision: the uniform one is that of an empty profile."""
    judge = Traverser(flop.public_game)
    empty = judge.exploitability(Profile(flop.public_game))
    assert flop.exploitability(uniform_policy(flop)) == pytest.approx(empty, rel=1e-6)


def test_encodings_tell_infosets_apart(flop):
    found = flop.walk(0, 2000, uniform_policy(flop), seeded(9))
    keys = found.keys.copy()
    keys[:, :2] = np.sort(keys[:, :2], axis=1)
    keys[:, 2:5] = np.sort(keys[:, 2:5], axis=1)
    assert len(np.unique(keys, axis=0)) == len(np.unique(flop.encode(found.keys), axis=0))


@pytest.mark.slow
def test_card_network_is_the_same_twice(flop):
    """What plays in NumPy is what JAX differentiates."""
    shape = CardShape(groups=2, card_inputs=20, bet_inputs=24, outputs=3, width=16, head_scale=1.0)
    network = new_network(shape, np.random.default_rng(0))
    rows = np.random.default_rng(1).random((50, shape.inputs)).astype(np.float32)
    require_jax()
    import jax

    with jax.default_matmul_precision("highest"):
        traced = np.asarray(shape.traced_outputs(network.weights, rows))
    np.testing.assert_allclose(network(rows), traced, atol=2e-5)


@pytest.mark.long
def test_learns_and_plays_again(flop, tmp_path):
    """Deep CFR and NFSP run on dealt hands, resume bit for bit and are saved."""
    for settings in (DeepCFRSettings(**SMALL), NFSPSettings(episodes=40, updates=2, batch=16, hidden=(8,), memory=100)):
        whole, first, second = (settings.on(flop, 4) for _ in range(3))
        whole.step()
        first.step()
        second.restore({name: np.array(array) for name, array in first.state().items()})
        for learner in (whole, second):
            learner.step()
        for name, array in whole.state().items():
            np.testing.assert_array_equal(second.state()[name], array, err_msg=name)
        whole.result().save(tmp_path / "flop.cpz")
        policy, keys = policy_of(load_networks(tmp_path / "flop.cpz"), flop), whole_keys(flop)
        np.testing.assert_array_equal(policy(0, keys), whole.average_policy(0, keys))


def whole_keys(game):
    return game.walk(0, 20, uniform_policy(game), seeded(1)).keys


def test_52_cards_are_dealt():
    """Flop and limit hold'em with 52 cards are walked without being enumerated, and not judged exactly."""
    for name in ("limit_holdem(board=[0, 3], bets=[2, 2])", "limit_holdem"):
        game = DealtHoldem(load(name))
        found = game.walk(1, 50, uniform_policy(game), seeded(0))
        assert game.encode(found.keys).shape == (len(found.keys), game.inputs)
        assert game.exploitability(uniform_policy(game)) is None


def test_refuses():
    with pytest.raises(InputError, match="two players"):
        DealtHoldem(load("limit_holdem(seats=3)"))
    with pytest.raises(InputError, match="regressor=table needs a game that can be enumerated"):
        DeepCFRSettings(regressor="table").on(load(FLOP))
