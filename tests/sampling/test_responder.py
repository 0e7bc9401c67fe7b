"""CFR-BR over dealt boards, against the one that walks enumerated public trees, and against printed memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.blueprint import BlueprintPlayer, layout_of
from counterpoise.errors import InputError
from counterpoise.kernels.drawing import find_draw
from counterpoise.kernels.random import uniform
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.public import build_holdem
from counterpoise.public.game import PublicGame
from counterpoise.sampling import BettingTree, TableLayout, build_betting_tree
from counterpoise.sampling.responder import ResponderSampling, responder_bytes
from counterpoise.search.tabulated_players import small_rules, tabulate_on
from counterpoise.solvers.matching.cfr_br import CFRBR
from counterpoise.solvers.monte_carlo.cfr_br_sampled import SampledCfrBr

TWO, THREE = "limit_holdem(board=[0, 3], ranks=4, max_bets=2)", "limit_holdem(board=[0, 3, 1], ranks=3, max_bets=1)"


def made(game: Any, name: str, buckets: tuple[int, ...]) -> CardAbstraction:
    return cp.abstraction(name, buckets, deck=game.deck, progress=False, threads=1)


def lost(tree: BettingTree, buckets: CardAbstraction, table: Any) -> list[float]:
    """What the strategy of each seat loses to a best response in the enumerated game."""
    blueprint, rules = Blueprint(tree.game, [buckets], table, tree=tree), small_rules(tree.game)
    assert rules is not None
    players = [BlueprintPlayer(blueprint, seat) for seat in range(2)]
    _, best = tabulate_on(rules, tree.game, players, SilentProgress(), CancelToken()).values()
    return [float(value) for value in best[::-1]]


def next_board(solver: SampledCfrBr, public: PublicGame, seat: int, trunk: int) -> tuple[int, ...]:
    """The board that a run of the enumerated game draws next."""
    one_board = trunk == public.streets - 1
    edges = solver._boards[seat].boards.cumulative if one_board else solver._plans[seat].group_cumulative
    random = solver._tables[seat]["random"].copy()
    group = int(find_draw(edges, np.uint64(0), np.uint64(edges.size), uniform(random)))
    at = np.flatnonzero(public.street_of == trunk)[group]
    return tuple(int(card) for card in public.board_nodes[int(at)].cards)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "code", "buckets", "trunk", "iterations"),
    [
        (TWO, "PR-PHS-PHS", (2, 3), 1, 5),
        (THREE, "PR-PHS-PHS-PHS", (2, 2, 2), 1, 2),  # all turns after a dealt flop
        (THREE, "IR-PHS-PHS-PHS", (3, 2, 3), 2, 3),  # without recall
    ],
)
def test_on_the_same_boards_it_is_that_of_public_trees(
    name: str, code: str, buckets: tuple[int, ...], trunk: int, iterations: int
) -> None:
    """Average and current strategies are as exploitable as those of another program on the same boards [1e-6]."""
    game: Any = cp.load(name)
    tree, table = build_betting_tree(game), made(game, code, buckets)
    rules = small_rules(game)
    assert rules is not None
    public = build_holdem(rules)
    other = SampledCfrBr(public, table, CFRBR(sampled=True, trunk=trunk), seed=3)
    ours = ResponderSampling(tree, layout_of(tree, [table]), [table], trunk=trunk)
    for _ in range(iterations):
        for seat in range(2):
            ours.iterate(seat, next_board(other, public, seat, trunk))
        other.step()
    for output, weights in (("average", ours.averages()), ("current", np.maximum(ours.regrets(), 0))):
        expected = list(other.losses(output).values())  # type: ignore[arg-type]
        assert lost(tree, table, weights) == pytest.approx(expected, rel=1e-6)


def test_memory_is_as_printed() -> None:
    """Johanson 2016, table 4.1: the responder's trunk in limit hold'em, within 3 %; one subgame is 2.74 MB."""
    tree = build_betting_tree(cp.load("limit_holdem"))
    layout = TableLayout.of(tree, [2, 4, 8, 16])
    for trunk, printed in ((1, 14.52e3), (2, 936.33e6), (3, 359.54e9)):
        assert responder_bytes(tree, layout, trunk)[0] == pytest.approx(printed, rel=0.03)


@pytest.mark.slow
def test_stops_and_threads_change_nothing() -> None:
    """A run that is restored, and one on two threads, make the same tables; early iterations count less in both."""
    game: Any = cp.load(TWO)
    tree, table = build_betting_tree(game), made(game, "PR-PHS-PHS", (2, 3))
    layout, tables = layout_of(tree, [table]), []
    for threads, parts in ((1, (6,)), (2, (6,)), (1, (2, 4))):
        state: Any = None
        for count in parts:
            walks = ResponderSampling(tree, layout, [table], trunk=1, seed=4, threads=threads)
            if state is not None:
                walks.restore(state)
            for _ in range(count):
                walks.run(1)
                walks.discount(walks.iteration / (walks.iteration + 1))
            state = {name: array.copy() for name, array in walks.arrays().items()}
        tables.append(state)
    assert tables[0]["table"].any()
    assert tables[0]["responder"].any()
    for other in tables[1:]:
        assert all(np.array_equal(array, other[name]) for name, array in tables[0].items())


@pytest.mark.long
def test_it_is_less_exploitable_than_cfr_in_the_same_buckets() -> None:
    """Nothing in buckets with perfect recall is less exploitable than what CFR-BR leads to."""
    game: Any = cp.load(TWO)
    table = made(game, "PR-PHS-PHS", (2, 3))
    best = cp.train(game, table, method="cfr-br", iterations=600, progress=False).blueprint
    usual = cp.train(game, table, method="vector", iterations=3_000, progress=False).blueprint
    least, more = (sum(lost(found.tree, table, found.table)) for found in (best, usual))
    assert least < 0.9 * more


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"trunk": 4}, "trunk must be"),
        ({"method": "vector", "trunk": 1}, "trunk is for method cfr-br"),
        ({"tilt": PayoffTilt(7, 0, 0, 7)}, "tilt must be left out with method cfr-br"),
        ({"processes": 2}, "leave out processes"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any], words: str) -> None:
    game: Any = cp.load(TWO)
    with pytest.raises(InputError, match=words):
        cp.train(
            game, made(game, "PR-PHS-PHS", (2, 3)), iterations=1, progress=False, **{"method": "cfr-br", **options}
        )


def test_a_trunk_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The responder's regrets are counted before they are allocated."""

    class Machine:
        available = 10_000

    game: Any = cp.load(THREE)
    table = made(game, "PR-PHS-PHS-PHS", (2, 2, 2))
    monkeypatch.setattr("psutil.virtual_memory", Machine)
    with pytest.raises(InputError, match=r"with a trunk of 2 rounds, and .* free: take a smaller trunk"):
        cp.train(game, table, iterations=1, progress=False, method="cfr-br")
