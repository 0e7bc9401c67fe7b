"""Judge networks whose strategy is not tabulated, by exact best responses.

Networks for hold'em that is dealt are asked for every hand at every decision, where the deck is small. For ReBeL, which
searches, the mean of some play-throughs is judged: an upper bound in expectation.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import comb

import numpy as np

from counterpoise.deep.dealt import MOST_INFOSETS, DealtHoldem
from counterpoise.deep.files import Trained, load_networks
from counterpoise.deep.learner import METHODS
from counterpoise.deep.playing import MIXED, policy_of
from counterpoise.errors import InputError
from counterpoise.games import Game, as_game, game_name
from counterpoise.games.holdem import Holdem
from counterpoise.games.registry import load_saved_game
from counterpoise.parameters import require_whole
from counterpoise.progress import Progress, as_progress
from counterpoise.public import Traverser
from counterpoise.tree.evaluation import Evaluation
from counterpoise.tree.kernels.layouts import FloatArray

MOST_PLAY_THROUGHS = 100_000


@dataclass(frozen=True)
class NetworksEvaluation(Evaluation):
    """The exploitability of networks: in chips for hold'em that is dealt, in pots for turns of hold'em, as in
    training."""

    method: str
    play_throughs: int | None = None
    """For a searching agent, the number of play-throughs whose mean was judged."""


def evaluate_networks(
    file: str | os.PathLike[str],
    game: Game | str | None = None,
    play_throughs: int | None = None,
    *,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> NetworksEvaluation:
    """Return the value of the strategy of a file's networks, and what each player could gain by a best response.

    `play_throughs` of ReBeL are by default as many as in training. One sentence says where there are no figures.
    """
    trained = load_networks(file)
    rules = load_saved_game(file, trained.game) if game is None else as_game(game)
    return judge_networks(os.fspath(file), trained, rules, play_throughs, seed=seed, progress=progress)


def judge_networks(
    file: str,
    trained: Trained,
    rules: Game,
    play_throughs: int | None = None,
    *,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> NetworksEvaluation:
    """Return what `evaluate_networks` does for networks in memory; `file` is what messages and results call them."""
    display = as_progress(progress)
    with display:
        display.begin(f"evaluating {trained.method} on {game_name(rules)}")
        if "values" in trained.networks:
            return _judge_search(file, trained, rules, play_throughs, seed)
        if play_throughs is not None:
            raise InputError(f"{file}: only rebel makes play-throughs, not {trained.method}")
        return _judge_dealt(file, trained, rules)


def _judge_dealt(file: str, trained: Trained, rules: Game) -> NetworksEvaluation:
    """Judge networks for hold'em on the public tree of a small deck."""
    if not isinstance(rules, Holdem):
        raise InputError(f"{file} holds networks without the strategy that they play in {trained.game}")
    game = DealtHoldem(rules)
    policy = policy_of(trained, game)
    if MIXED in trained.made:
        raise InputError(
            f"{file} holds a mixture, of which a network is drawn for each hand: its exploitability is not computed in "
            f"hold'em that is dealt; let it play with counterpoise match strategy:{file}"
        )
    public, profile = game.public_game, game.profile(policy)
    if public is None or profile is None:
        raise InputError(
            f"{rules.name} has more than {MOST_INFOSETS:,} information sets, too many for exact best responses: let "
            f"the networks play with counterpoise match strategy:{file}, or counterpoise lbr"
        )
    traverser = Traverser(public)
    values, best = traverser.root_values(profile), traverser.best_response_values(profile)
    infosets = sum(comb(game.deck.size - len(node.dealt), 2) for node in public.root.decisions_below())
    return _evaluation(file, trained, rules, infosets, values, best)


def _judge_search(file: str, trained: Trained, rules: Game, play_throughs: int | None, seed: int) -> NetworksEvaluation:
    """Judge play-throughs of the agent that searches with a value network."""
    from counterpoise.deep.rebel.evaluation import play_through
    from counterpoise.deep.rebel.learner import play_solvers
    from counterpoise.deep.rebel.method import Rebel, player_of
    from counterpoise.deep.rebel.whole import WholeGame

    player, method = player_of(trained, rules), METHODS.build(trained.method)
    assert isinstance(method, Rebel)
    settings = method.settings_for(rules)
    count = settings.play_throughs if play_throughs is None else play_throughs
    require_whole("play_throughs", count, 1, MOST_PLAY_THROUGHS)
    solver, endgames = play_solvers(player.game, trained.networks["values"], settings)
    whole = WholeGame(player.game)
    played = play_through(whole, solver, count, np.random.default_rng(seed), endgames)
    beliefs = player.game
    states = whole.states[beliefs.tree_of[whole.states] >= 0]
    decisions = np.array([len(tree.decisions) for tree in beliefs.public.street_trees])[beliefs.tree_of[states]]
    infosets = int((decisions * beliefs.live_of[states].sum(axis=1)).sum())
    values, best = whole.values(played), whole.values(played, best=True)
    return _evaluation(file, trained, rules, infosets, values, best, count)


def _evaluation(
    file: str,
    trained: Trained,
    rules: Game,
    infosets: int,
    values: FloatArray,
    best: FloatArray,
    play_throughs: int | None = None,
) -> NetworksEvaluation:
    gain = max(float((best - values).sum()), 0.0)  # rounding may take it below
    return NetworksEvaluation(
        file=file,
        game=game_name(rules),
        players=2,
        infosets=infosets,
        exploitability=gain / 2,
        nash_conv=gain,
        value=tuple(values.tolist()),
        best_response_value=tuple(best.tolist()),
        method=trained.method,
        play_throughs=play_throughs,
    )
