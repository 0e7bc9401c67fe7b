"""With Numba's compiler switched off everything still runs: public games find what they find compiled."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Deck, Range
from counterpoise.public import Cut, HoldemRules, Learning, Traverser, build_dense, build_holdem
from counterpoise.public.leaves import LeafMatrix, linear_values
from counterpoise.search import Subgame, make_gadget
from counterpoise.search.leaves import groups_at
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.monte_carlo.cfr_br_sampled import SampledCfrBr
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.spots.engine import build_game

SPOTS = {
    "river": {
        "board": "Ks 7d 4c Jd 2s",
        "oop": "AhKh,QhJh,9h8h",
        "ip": "KdQd,JhTh:0.75,AdAc",
        "river": {"bet": ["100%"]},
    },
    "turn": {
        "board": "Ks 7d 4c Jd",
        "oop": "AhKh,QhJh",
        "ip": "KdQd,AdAc",
        "turn": {"bet": ["100%"]},
        "river": {"bet": ["100%"]},
    },
    "uneven river": {  # no two actions are worth the same, so that rounding decides nothing
        "board": "Ks 7d 4c Jd 2s",
        "oop": "AhKh:0.83,QhJh:0.61,9h8h:0.47",
        "ip": "KdQd:0.71,JhTh:0.75,AdAc:0.39",
        "river": {"bet": ["70%"]},
    },
}
RUNS = [
    ("kuhn_poker", "dcfr", 32, 4),
    ("kuhn_poker", "pcfr+", 32, 4),
    ("kuhn_poker", "cfr-br", 32, 4),
    ("kuhn_poker", "hedge(rate=theory)", 32, 4),
    ("kuhn_poker", "pcs", 32, 4),
    ("leduc_poker", "dcfr", 32, 2),
    ("river", "dcfr", 32, 4),
    ("river", "dcfr", 16, 4),
    ("river", "es-mccfr", 32, 20),
    ("uneven river", "flop(start=1)", 32, 4),
    ("turn", "dcfr", 32, 1),
]
ALTERNATIVE = np.array([-0.2, 0.1, 0.3])  # what each hand of Kuhn poker has outside, in chips


def spot(place):
    return build_game(cp.Spot(pot=10, stack=10, **SPOTS[place]))


def figures(place, algorithm, bits, iterations):
    """Exploitability, values, and the strategies at the root after a few iterations."""
    game = spot(place) if place in SPOTS else build_dense(place)
    solver = make_algorithm(algorithm).on(game, seed=1, bits=bits)
    solver.step(iterations)
    strategy = game.root.strategy(solver.result()).ravel().tolist()
    return [solver.exploitability(), *solver.values().tolist(), *strategy]


def small_deck(board, middle=0.5, **keywords):
    """Hold'em of twelve cards with three hands a player, one of weight `middle`, from a flop or a turn on."""
    deck = Deck(ranks=3)
    cards = deck.cards.tolist()
    ranges = []
    for hands in (((2, 3), (6, 9), (7, 11)), ((5, 6), (9, 10), (3, 11))):
        weights = np.zeros(deck.hand_count)
        weights[[deck.hand_table[cards[low], cards[high]] for low, high in hands]] = 1.0, middle, 1.0
        ranges.append(Range(weights, deck))
    dealt = (cards[0], cards[1], cards[4], cards[8])[:board]
    table = {"bet": ["100%"], "raise": []}
    sizes = BetSizes.read({street: table for street in ("flop", "turn", "river")[board - 3 :]}, first_round=board - 2)
    betting = Betting.spot(pot=10, stack=30, first_round=board - 2)
    return build_holdem(HoldemRules(dealt, tuple(ranges), betting, sizes, deck, **keywords))


class Linear:
    """Leaf values by a matrix over groups of hands, the same in every process."""

    def matrices(self, game, leaves, picks):
        found = []
        for number, leaf in enumerate(leaves):
            groups = groups_at(leaf)
            first, second = (int(own.max()) + 1 for own in groups)
            won = np.sin(1 + number + np.arange(first * second)).reshape(first, second)
            found.append(LeafMatrix(groups, (won, -won.T)))
        return found

    def values(self, batch):
        return linear_values(self.matrices(batch.game, batch.leaves, batch.picks), batch)


class Asked:
    """The same values, asked for before every traversal."""

    def values(self, batch):
        return Linear().values(batch)


def cut(leaves):
    """Value leaves at the second deal: on turns, whose rows hold hands that the board blocks."""
    game = small_deck(3, cut=Cut(deals=2))
    learning, traverser = Learning.fresh(game), Traverser(game, leaves=leaves)
    traverser.iterate(learning, public_schedule(make_algorithm("dcfr"), 0, 3))
    values = traverser.root_values(learning.average).tolist()
    return [traverser.exploitability(learning.average), *values, *learning.average.numbers.tolist()]


def kuhn_behind_gadget(method, leaves=None, rule="hedge"):
    """Three iterations of Kuhn poker behind a gadget, whole or cut."""
    game = build_dense("kuhn_poker", cut=None if leaves is None else Cut(depth=2))
    spread = 0.1 if method == "distributional" else 0.0
    return behind_gadget(game, make_gadget(Subgame(game, 0, leaves=leaves), method, ALTERNATIVE, spread, rule), leaves)


def behind_gadget(game, gadget, leaves=None, iterations=3):
    learning, traverser = Learning.fresh(game), Traverser(game, leaves=leaves)
    traverser.iterate(learning, public_schedule(make_algorithm("cfr+"), 0, iterations), gadget=gadget)
    return [*gadget.entry.tolist(), *gadget.average.tolist(), *learning.average.numbers.tolist()]


def river_behind_margins():
    game = spot("uneven river")
    return behind_gadget(game, make_gadget(Subgame(game, 0), "maxmargin", np.array([0.9, 2.6, 5.3])), iterations=5)


def warm_started(game, source):
    solver = make_algorithm("cfr+").on(game)
    found = solver.warm_start(source, iterations=5, factor=0.5)
    solver.step(2)
    return [found.exploitability, found.substitute_sum, *solver.average.numbers.tolist()]


def warm_start_of_cards():
    game = small_deck(4)
    first = make_algorithm("dcfr").on(game)
    first.step(2)
    return warm_started(game, first.average)


def sampled(solver):
    solver.step(20)
    return [solver.exploitability(), *solver.result().numbers.tolist()]


MORE = {
    "gadget, resolving": lambda: kuhn_behind_gadget("resolve"),
    "gadget, margins": river_behind_margins,
    "gadget, distributional": lambda: kuhn_behind_gadget("distributional"),
    "gadget, distributional by steps": lambda: kuhn_behind_gadget("distributional", rule="step"),
    "gadget before leaves that are asked": lambda: kuhn_behind_gadget("resolve", Asked()),
    "leaves by matrices": lambda: cut(Linear()),
    "leaves that are asked": lambda: cut(Asked()),
    "warm start": lambda: warm_started(
        build_dense("kuhn_poker"), cp.solve("kuhn_poker", iterations=20, progress=False).strategy
    ),
    "warm start with cards": warm_start_of_cards,
    "pcs with deals": lambda: sampled(make_algorithm("pcs").on(small_deck(4, 1.0), seed=1)),
    "ops with deals": lambda: sampled(make_algorithm("ops").on(small_deck(4, 1.0), seed=1)),
    "hybrid cfr-br with deals": lambda: sampled(SampledCfrBr(small_deck(4, 1.0), seed=1)),
    "es-mccfr with deals": lambda: sampled(make_algorithm("es-mccfr").on(small_deck(4, isomorphism=False), seed=1)),
}


@pytest.fixture(scope="module")
def interpreted():
    """The figures of all runs in a process without the compiler."""
    program = (
        "import json; from tests.kernels.test_without_jit import *; "
        "print(json.dumps([[figures(*r) for r in RUNS], {name: run() for name, run in MORE.items()}]))"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=lambda run: " ".join(map(str, run[:3])))
def test_figures_are_those_of_compiled_kernels(run, interpreted):
    """To the rounding of float32, of 16 bits where numbers have 16."""
    tolerance = 1e-5 if run[2] == 32 else 1e-3
    np.testing.assert_allclose(interpreted[0][RUNS.index(run)], figures(*run), rtol=tolerance, atol=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE)
def test_other_traversals_find_what_compiled_kernels_find(name, interpreted):
    np.testing.assert_allclose(interpreted[1][name], MORE[name](), rtol=1e-5, atol=1e-5)
