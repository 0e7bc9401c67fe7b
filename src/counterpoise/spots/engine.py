"""Where spots meet the engine: trees, their sizes, locks, compiled kernels."""

from __future__ import annotations

from counterpoise.betting.sizes import node_id
from counterpoise.errors import InputError
from counterpoise.progress import Progress
from counterpoise.public import HandLock, HoldemTree, TreeSize
from counterpoise.public.kernels.street import traverse
from counterpoise.public.lines import build_lines
from counterpoise.solvers import Algorithm, RegretMatching, make_algorithm
from counterpoise.solvers.matching.dcfr import DCFR
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import compiled_before
from counterpoise.spots.paths import Place, find
from counterpoise.spots.spot import Spot

DEFAULT_ALGORITHM = DCFR(gamma=4)


def settings_of(algorithm: str | Algorithm | None) -> RegretMatching:
    """The settings that a name builds, if they are of the family that runs on spots."""
    settings = make_algorithm(DEFAULT_ALGORITHM if algorithm is None else algorithm)
    if not isinstance(settings, RegretMatching):
        raise InputError(f"{settings.name} does not run on spots: name one of the regret-matching family, such as dcfr")
    return settings


def tree_size(spot: Spot) -> TreeSize:
    """How large the tree is, without building it; locks tell suits apart."""
    return HoldemTree.size(
        spot.cards, spot.ranges, spot.betting, spot.sizes, spot.card_deck, isomorphism=not spot.locks
    )


def build_tree(spot: Spot, bits: int, kind: type[HoldemTree] = HoldemTree) -> HoldemTree:
    """The tree of a spot with its locks, tables empty."""
    return kind(spot.cards, spot.ranges, spot.betting, spot.sizes, spot.card_deck, bits=bits, locks=_hand_locks(spot))


def compile_kernels(settings: RegretMatching, bits: int, progress: Progress, warm: bool = False) -> None:
    """Compile (or load from the cache) everything that a solve calls, on the smallest of spots."""
    tiny = Spot(board="2s 2h 2d 2c 3s", pot=2, stack=2, oop="AsAh", ip="KsKh", river={"bet": ["100%"]})
    solver = PublicSolver(settings, build_tree(tiny, bits))
    if not compiled_before(traverse):
        progress.note("compiling kernels, first run only (about half a minute)")
    solver.step()
    solver.exploitability()
    solver.values()
    if warm:  # traversals that make regrets for a strategy are compiled on their own
        solver.warm_start(iterations=1)


def find_place(spot: Spot, node: str) -> Place:
    """Where a node is; refused if the spot does not have it."""
    return find(spot, build_lines(spot.betting, spot.sizes), node)[-1]


def _hand_locks(spot: Spot) -> list[HandLock]:
    lines = build_lines(spot.betting, spot.sizes) if spot.locks else []
    found = []
    for lock in spot.locks:
        place = find(spot, lines, node_id(lock.steps))[-1]
        own = spot.ranges[lock.player]
        numbers = {int(hand): at for at, hand in enumerate(own.hands)}
        found += [
            HandLock(place.line, place.decision, place.cards, numbers[hand], row) for hand, row in lock.hands.items()
        ]
    return found
