"""Public belief: where play is in a strategy, with the ranges of all seats, also after bets that it lacks."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents.blueprint_strategy import BlueprintStrategy
from counterpoise.blueprint import Blueprint
from counterpoise.games.base import CHANCE, TERMINAL
from counterpoise.games.known import public_cards
from counterpoise.search.hand_translation import HandTranslator
from counterpoise.search.public_belief import MOST_STATES, PublicBelief

from .hand_translation import HandByHand


def seen(blueprint: Blueprint, public: tuple[str, ...], game: Any = None, seat: int | None = None) -> PublicBelief:
    belief = PublicBelief.start(game or blueprint.game, BlueprintStrategy(blueprint), seat=seat)
    for event in public:
        belief = belief.after(event)
    return belief


def test_bets_that_are_known_need_no_shadows(random_blueprint: Blueprint) -> None:
    public = ("b300", "c", "AsKsQh", "c", "b900")
    belief = seen(random_blueprint, public)
    assert belief.exact
    np.testing.assert_allclose(belief.ranges, random_blueprint.ranges(public), rtol=1e-12)
    behaviour, expected = belief.behaviour(), random_blueprint.probabilities(public)
    assert behaviour.actions == expected.actions
    np.testing.assert_allclose(behaviour.table, expected.table, rtol=1e-12)


def test_others_may_act_by_mistake(random_blueprint: Blueprint) -> None:
    """With any hand, in each of their actions; what the own seat does is known."""
    public, tremble = ("b300", "c", "AsKsQh", "c", "b900"), 0.25
    belief = PublicBelief.start(random_blueprint.game, BlueprintStrategy(random_blueprint), seat=0, tremble=tremble)
    for event in public:
        belief = belief.after(event)
    live = random_blueprint.game.deck.live_hands(public_cards(public))
    known = [random_blueprint.probabilities(public[:count]) for count in (0, 4)]  # of seat 1
    first, second = (one.table[:, one.actions.index(event)] for one, event in zip(known, ("b300", "b900"), strict=True))
    expected = (tremble + (1 - tremble) * first) * (tremble + (1 - tremble) * second)
    np.testing.assert_allclose(belief.ranges[1], expected * live, rtol=1e-12)
    np.testing.assert_allclose(belief.ranges[0], random_blueprint.ranges(public)[0], rtol=1e-12)


@pytest.mark.parametrize(
    "public",
    [
        ("b470",),
        ("c", "b333"),
        ("b250", "c", "AsKsQh", "c", "b480"),
        ("b300", "c", "AsKsQh", "c", "b470", "c", "9h", "c", "b1555"),
    ],
)
def test_after_translated_bets_hands_play_as_the_agent_of_one_hand_does(
    random_blueprint: Blueprint, public: tuple[str, ...]
) -> None:
    """Translation hand by hand is another implementation, which knows nothing of ranges."""
    game, seat = random_blueprint.game, random_blueprint.game.betting_after(public).to_act
    behaviour, names = seen(random_blueprint, public, seat=seat).behaviour(), game.deck.hand_names
    alone = HandByHand(game, game, random_blueprint.mixed, seat)
    one_hand = HandTranslator(game, game, random_blueprint.mixed, seat, "pseudo-harmonic")
    for hand in ("AdAh", "TdTs", "AdJc"):
        row = dict(zip(behaviour.actions, behaviour.table[names.index(hand)], strict=True))
        expected = pytest.approx(alone.mixture(public, hand))
        assert {action: share for action, share in row.items() if share > 0} == expected
        assert one_hand.mixture(public, hand) == expected


@pytest.mark.parametrize("stack", [20, 12, 7])
def test_an_agents_own_range_is_what_it_plays(random_blueprint: Blueprint, stack: int) -> None:
    """r[h] *= sigma(h, action), whatever was translated, in random hands with bets of any size.

    What it plays with its likeliest hand is what translation hand by hand says.
    """
    random, checked = Random(stack), 0
    game: Any = cp.load(f"no_limit_holdem(ranks=6, stack={stack})")
    answers = [HandByHand(random_blueprint.game, game, random_blueprint.mixed, k) for k in range(2)]
    for number in range(60):
        seat, belief, state = number % 2, seen(random_blueprint, (), game, number % 2), game.initial()
        while game.player(state) != TERMINAL:
            if game.player(state) == CHANCE:
                before, state = state, game.next(state, game.sample_chance(state, random))
                belief = belief.after(state.events[-1]) if state.events != before.events else belief
                continue
            betting, known = belief.betting, belief.behaviour()
            event = random.choice([action for action in known.actions if action != "f"])
            if betting.to_act != seat and betting.max_raise:
                event = f"b{random.randint(betting.min_raise, betting.max_raise)}"
            expected = belief.ranges[seat]
            if betting.to_act == seat:
                hand = int(expected.argmax())
                row = dict(zip(known.actions, known.table[hand].tolist(), strict=True))
                alone = answers[seat].mixture(belief.public, game.deck.hand_names[hand])
                assert {one: share for one, share in row.items() if share} == pytest.approx(alone), belief.public
                expected = expected * known.table[:, known.actions.index(event)]
            belief, state = belief.after(event), game.next(state, event)
            if betting.to_act == seat and expected.sum() > 1e-6 and len(belief.states) < MOST_STATES:
                np.testing.assert_allclose(belief.ranges[seat], expected, rtol=1e-9, atol=1e-15)
                checked += len(belief.states) > 1
    assert checked > 20


def test_a_range_after_a_translated_bet_is_that_of_the_translated_lines(random_blueprint: Blueprint) -> None:
    """470 is between the pot (300) and all-in (2,000): both ranges, weighted by the mapping of the sizes."""
    from counterpoise.abstraction.translation import translate

    belief = seen(random_blueprint, ("b470",))
    share = translate((470 - 100) / 200, [1.0, (2000 - 100) / 200])
    expected = share[1.0] * random_blueprint.reach(("b300",), 1) + share[9.5] * random_blueprint.reach(("b2000",), 1)
    np.testing.assert_allclose(belief.ranges[1], expected, rtol=1e-12)
    np.testing.assert_array_equal(belief.ranges[0], np.ones(276))


def test_no_more_shadows_than_allowed(random_blueprint: Blueprint) -> None:
    belief = seen(random_blueprint, ("b205", "b333", "b470", "b640", "c", "AsKsQh", "b770", "b990", "b1333"))
    assert 1 < len(belief.states) <= MOST_STATES
    live = random_blueprint.game.deck.live_hands(public_cards(belief.public))
    np.testing.assert_allclose(belief.behaviour().table.sum(axis=1), live)


def test_a_seat_that_played_what_it_never_plays_may_have_any_hand(random_blueprint: Blueprint) -> None:
    game: Any = random_blueprint.game
    weights = random_blueprint.table.copy()
    node = random_blueprint.tree.node_after(())
    block = random_blueprint.layout.block(random_blueprint.tree, node, weights)
    block[:] = 0
    block[:, 1] = 1  # the button always calls
    belief = seen(Blueprint(game, random_blueprint.abstractions, weights), ("b300",))
    np.testing.assert_array_equal(belief.ranges[1], np.ones(276))


def test_other_menus_at_the_table(random_blueprint: Blueprint) -> None:
    """The table's menu may differ: actions come out in legal totals of the table."""
    game: Any = cp.load("no_limit_holdem(ranks=6, stack=20, sizes=['33%', allin])")
    belief = seen(random_blueprint, ("b213", "c", "AsKsQh", "b320"), game)
    state = belief.betting
    for action in belief.behaviour().actions:
        assert action in "fc" or state.min_raise <= int(action[1:]) <= state.max_raise
