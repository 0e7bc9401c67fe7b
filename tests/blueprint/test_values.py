"""What hands are worth by a blueprint, where it can be said in other words: uniform play, which looks at no card."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.values import BlueprintValues
from counterpoise.cards import parse_cards
from counterpoise.cards.deck import disjoint_hands
from counterpoise.cards.equity import pair_advantages
from counterpoise.sampling.vectors import paid_by_result

GAME = "no_limit_holdem(ranks=6, stack=6, sizes=['50%', allin])"


@pytest.fixture(scope="module")
def uniform(few_buckets):
    return Blueprint.uniform(cp.load(GAME), few_buckets)


def even_ranges(blueprint, boards):
    live = np.array([blueprint.game.deck.live_hands(board) for board in boards], dtype=float)
    return np.repeat((live / live.sum(axis=1, keepdims=True))[:, None], 2, axis=1)


def test_uniform_play_is_worth_what_the_betting_alone_says(uniform):
    """Both are as strong at every showdown, so that only folds and the middle of showdowns count."""
    tree, values = uniform.tree, uniform.values
    paid, shown = paid_by_result(tree)
    middle = np.where(shown, paid[:, 0, [0, 2]].mean(axis=1), paid[:, 0, 1])

    @cache
    def worth(node: int) -> float:
        if not tree.decisions[node]:
            return float(middle[tree.arrays.end[node]])
        return float(np.mean([worth(child) for child in tree.children(node)]))

    for line in (((),), (("c",),), (("c", "c"), ())):
        node = values.tree.node_after(tuple(event for actions in line for event in actions))
        chips = tree.paid[node]
        boards = [(), ()] if len(line) == 1 else [tuple(parse_cards(cards)) for cards in ("9sJhAd", "ThTcKs")]
        found = values.pot_shares(uniform.game, line, boards, even_ranges(uniform, boards))
        atol = 0.02 if len(line) == 1 else 0.05  # one flop may suit one seat's buckets a little better
        np.testing.assert_allclose(found, (worth(node) + chips[0]) / chips.sum(), atol=atol)


def test_stronger_hands_are_worth_more(uniform):
    deck, count = uniform.game.deck, uniform.game.deck.hand_count
    ranges = np.full((count, 2, count), 1 / count)
    ranges[:, 0] = np.eye(count)
    boards = [()] * count
    worth, equity = (
        uniform.values.pot_shares(uniform.game, ((),), boards, ranges, betting) for betting in (True, False)
    )
    assert np.corrcoef(worth, equity)[0, 1] > 0.98
    assert worth[deck.hand_names.index("AcAd")] > worth[deck.hand_names.index("9h9s")] + 0.2


def test_a_run_out_has_the_mean_of_all_showdowns(uniform):
    """Aces against any hand, within some percent: there are few buckets, and boards are sampled."""
    deck = uniform.game.deck
    ranges = even_ranges(uniform, [()])
    aces = deck.hand_names.index("AcAd")
    ranges[0, 0] = np.eye(deck.hand_count)[aces]
    met = disjoint_hands(deck.hands[aces][None], deck.hands)[0]
    known = (1 + pair_advantages(deck)[aces][met].mean()) / 2
    found = uniform.values.pot_shares(uniform.game, ((),), [()], ranges, betting=False)
    assert found[0] == pytest.approx(known, abs=0.05)


def test_bets_that_the_blueprint_lacks_stand_for_similar_ones(uniform):
    table = cp.load("no_limit_holdem(ranks=6, stack=6)")
    own = next(action for action in uniform.tree.labels(0) if action.startswith("b"))
    ranges = even_ranges(uniform, [()])
    known, near = (
        uniform.values.pot_shares(table, ((action,),), [()], ranges)[0] for action in (own, f"b{int(own[1:]) + 1}")
    )
    assert known == near


def test_what_cannot_be_computed(uniform):
    """Three seats, rake, and buckets that tell flops apart."""
    assert BlueprintValues.possible(uniform)
    raked = cp.load("no_limit_holdem(ranks=6, stack=6, sizes=['50%', allin], rake=5)")
    assert Blueprint.uniform(raked, uniform.abstractions).values is None
    three = cp.load("limit_holdem(ranks=6, seats=3, max_bets=1)")
    assert Blueprint.uniform(three, uniform.abstractions).values is None
