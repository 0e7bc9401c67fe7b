"""Depth-limited subgames: play to a depth limit, then values in the place of the rest.

See Brown 2020, section 5.2; Brown et al. 2018, section 4.

With *multi-valued states* each player who has several continuations picks one at a leaf, for each of its hands, without
seeing the other's pick; the leaf is then worth what the picks get (`counterpoise.search.leaves`). The searcher's values
below the leaf are those of its blueprint although it will search again there. A pick is an ordinary decision, so that
the subgame is solved like any other, by any method of `counterpoise.search.search`: with one continuation the searcher
believes that the opponent plays the blueprint below the leaf, which can be far from the truth; with a few more the
opponent can adapt.

Small games and hold'em are alike here. `counterpoise.search.limited_rules` has the rules of the cut game for solvers
that know nothing of public trees, and for more than two players.
"""

from __future__ import annotations

from typing import Any

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.public import Cut, LeafEvaluator, Profile, PublicNode
from counterpoise.search.leaves import Continuation, continuation_profile, counts_of
from counterpoise.search.subgame import Subgame


def depth_limited(
    node: PublicNode,
    profile: Profile | Continuation,
    searcher: int,
    leaves: LeafEvaluator,
    *,
    depth: int | None = None,
    deals: int = 1,
    after: Any = None,
    **options: Any,
) -> Subgame:
    """Return the subgame below a node, cut at a depth limit, with the ranges with which the profile arrives there.

    Play stops at the first deal below the node, at a later one by `deals`, or after `depth` decisions. The subgame
    begins `after` an action at the node if there is one, which the game need not know: then the ranges are those at
    the node. A strategy of a game with infosets serves as the profile.
    `options` are those of the game's `subtree`, such as other rules or bet sizes.
    """
    if not isinstance(node, PublicNode):
        raise InputError(f"node must be a PublicNode, such as the root of a public game, not {shown(node)}")
    game = node.game
    profile = profile if isinstance(profile, Profile) else continuation_profile(game, profile)
    cut = Cut(deals=deals, depth=depth, choices=counts_of(leaves))
    limited = game.subtree(node, node.reach(profile), after=after, cut=cut, **options)
    steps = node.steps if after is None else (*node.steps, after)
    return Subgame(limited, searcher, tuple(map(str, steps)), limited.least_met, leaves).checked()
