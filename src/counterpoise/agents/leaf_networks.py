"""Networks for the values of the ends of the flop's betting, trained for a blueprint and kept beside it.

See Brown et al. 2018, section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.agents.leaf_values import LeafRecipe, blueprint_file, strategy_of
from counterpoise.agents.recipes import Tier
from counterpoise.agents.subgames import open_subgame
from counterpoise.betting.sizes import BetSizes
from counterpoise.blueprint import Blueprint, load_blueprint
from counterpoise.deep.leaves import LeafNetworks, LeafTraining, load_leaf_networks, train_leaf_networks
from counterpoise.errors import InputError
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.public import Cut, HoldemRules
from counterpoise.search.public_belief import PublicBelief
from counterpoise.store.files import checkpoint_of


def make_leaf_networks(
    blueprint: str, progress: Progress | bool | None = None, cancel: CancelToken | None = None, **settings: Any
) -> Path | None:
    """Train networks of leaf values for a blueprint, keep them beside it and return their file; None if cancelled.

    `blueprint` is a file, or a folder of `counterpoise train-agent`; `settings` are those of
    `counterpoise.deep.leaves.LeafTraining`. A training that was stopped continues from the examples that it had made.
    Training needs the extra ``[deep]``; using the networks does not.
    """
    chosen, known = LeafTraining(**settings), load_blueprint(blueprint_file(blueprint))
    path = networks_path(blueprint)
    kept = checkpoint_of(path)
    with as_progress(progress) as display:
        found = train_leaf_networks(known.tree, strategy_of(known), known.digest, chosen, display, cancel, kept)
    if found is None:
        return None
    found.save(path)
    kept.unlink(missing_ok=True)
    return path


def train_leaf_networks_by_recipe(
    blueprint: str, tier: Tier, progress: Progress | bool | None = None, cancel: CancelToken | None = None
) -> Path | None:
    """Train the networks of Modicum's recipe for a blueprint, a file or a folder, in one of the recipe's sizes."""
    recipe = LeafRecipe()
    return make_leaf_networks(
        blueprint,
        progress,
        cancel,
        examples=recipe.network_examples[tier],
        rollouts=recipe.network_rollouts,
        hidden=recipe.network_hidden,
        factor=recipe.factor,
        seed=recipe.training_seed,
    )


def read_leaf_networks(blueprint: str, known: Blueprint) -> LeafNetworks:
    """Return the networks that are kept beside a blueprint; those of another one are refused."""
    path = networks_path(blueprint) if blueprint else None
    if path is None or not path.exists():
        raise InputError(
            f"modicum(leaves=network) needs networks of leaf values beside {blueprint or 'a blueprint of its own'}: "
            f"make them with counterpoise train-agent modicum --network --out {blueprint or 'FOLDER'}"
        )
    return load_leaf_networks(path, known.digest)


def networks_path(blueprint: str) -> Path:
    """Return the file beside a blueprint, or in its folder, in which its networks of leaf values are kept."""
    return blueprint_file(blueprint).with_suffix(".network.cpz")


def few_leaves(
    belief: PublicBelief, menus: Sequence[BetSizes], counts: tuple[int, int], most: float
) -> tuple[HoldemRules, float]:
    """Return the rules of the round from a belief on and its leaves x pairs of hands.

    The bets are those of the first menu with which these are at most `most`, or of the last.
    """
    for number, sizes in enumerate(menus):
        rules = open_subgame(belief, sizes, cut=Cut(choices=counts))
        first, second = (int(np.count_nonzero(weights)) for weights in rules.live_weights)
        pairs = rules.value_leaves / (counts[0] * counts[1]) * first * second
        if pairs <= most or number == len(menus) - 1:
            break
    return rules, pairs
