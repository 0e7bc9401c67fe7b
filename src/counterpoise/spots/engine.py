"""Public games of spots: their rules, size and locks, and the algorithms that run on them."""

from __future__ import annotations

from counterpoise.betting.sizes import node_id
from counterpoise.errors import InputError
from counterpoise.public import HandLock, HoldemGame, build_holdem
from counterpoise.solvers import ALGORITHMS, Algorithm, RegretMatching, make_algorithm
from counterpoise.solvers.matching.dcfr import DCFR
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.spots.paths import find, public_node
from counterpoise.spots.spot import Spot

DEFAULT_ALGORITHM = DCFR(gamma=4)


def settings_of(algorithm: str | Algorithm | None) -> Algorithm:
    """Return the settings that a name builds, if they run on spots."""
    settings = make_algorithm(DEFAULT_ALGORITHM if algorithm is None else algorithm)
    if "public" not in settings.representations():
        running = [name for name in ALGORITHMS if "public" in ALGORITHMS[name].representations()]
        raise InputError(f"{settings.name} does not run on spots: name one of {', '.join(running)}")
    if not settings.for_both_players:
        raise InputError(f"{settings.name} finds the strategy of one player, and a spot is solved for both: use cfr-br")
    return settings


def search_settings_of(algorithm: str | Algorithm | None) -> RegretMatching:
    """Return the settings that a name builds, if they can search: a variant of CFR with regret matching."""
    settings = settings_of(algorithm)
    if not isinstance(settings, RegretMatching):
        raise InputError(f"{settings.name} cannot search: name a variant of CFR with regret matching, such as dcfr")
    return settings


def build_game(spot: Spot) -> HoldemGame:
    """Return the public game of a spot, its strategies locked."""
    game = build_holdem(spot.rules)
    found = []
    for lock in spot.locks:
        place = find(spot, node_id(lock.steps))[-1]
        node = public_node(game, place)
        numbers = {int(hand): at for at, hand in enumerate(spot.ranges[lock.player].hands)}
        found += [HandLock(node.tree, node.at[1], place.cards, numbers[hand], row) for hand, row in lock.hands.items()]
    return game.with_hand_locks(found) if found else game


def make_solver(settings: Algorithm, game: HoldemGame, threads: int, bits: int) -> PublicGameSolver:
    """Return a fresh solver of the settings on a spot's game."""
    solver = settings.on(game, threads=threads, bits=bits)
    assert isinstance(solver, PublicGameSolver)
    return solver
