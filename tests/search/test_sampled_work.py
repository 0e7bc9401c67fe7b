"""What a search with leaves wins from blueprints as its work grows."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import abstraction
from counterpoise.cards.deck import format_cards
from counterpoise.sampling import NodeStrategy
from counterpoise.search.sampled import SampledProblem, SampledSettings, biases, search_sampled
from tests.search.play_outs import PlayOuts

GAME = "no_limit_holdem(seats=3, stack=20, ranks=6, sizes=['100%', 'allin'], max_bets=[3, 2, 2, 2])"
FLOPS = 3
HANDS = 60_000


@pytest.mark.long
def test_three_seats_win_from_blueprints_if_they_search_long_enough() -> None:
    """One seat follows the search, the others the blueprint: no gain from a thousand hands, but from many thousands.

    In both cases the strategy of the last iteration is played. With few hands it is no more than noise about the hands
    that were met, so that a search with too little work loses to the blueprint from which it begins.
    """
    game = cp.load(GAME)
    made = abstraction("IR-PHS-PHS", buckets=(36, 50, 50, 50), deck=game.deck, progress=False)
    blueprint = cp.train(game, abstraction=made, iterations=100_000, progress=False).blueprint
    random, gains = np.random.default_rng(0), {}
    for _ in range(FLOPS):
        flop = format_cards(sorted(random.permutation(game.deck.cards)[:3].tolist(), reverse=True), separator="")
        public = ("c", "c", "c", flop)
        problem = SampledProblem(
            game=blueprint.game,
            public=public,
            ranges=blueprint.ranges(public),
            blueprint=blueprint.tree,
            strategy=NodeStrategy(blueprint.layout, blueprint.table, blueprint.abstractions),
            most_raises=2,
        )
        for work in (4e4, 4e6):
            found = search_sampled(
                problem, SampledSettings(iterations=2_000_000, nodes=int(work), factors=biases(5.0), seed=1)
            )
            judged = PlayOuts(blueprint, found)
            last = np.maximum(found.regrets, 0.0)
            gains.setdefault(work, []).extend(judged.gain(seat, last, HANDS) for seat in range(3))
    few, many = (float(np.mean(own)) for own in gains.values())
    print(f"won {few:.1f} and {many:.1f} chips a hand more than the blueprint")
    assert few < 0 < many
