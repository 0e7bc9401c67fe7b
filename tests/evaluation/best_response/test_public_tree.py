"""Best responses on the public tree to players who are asked everywhere, against the enumerated game."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import label
from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.enumerated import profile_of_players
from counterpoise.evaluation.best_response.public_tree import (
    ExtraBet,
    has_public_tree,
    require_small,
    tabulate_players,
)
from counterpoise.games.holdem import NoLimitHoldem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.tree import enumerate_game
from counterpoise.tree.evaluation import evaluate

TINY = "no_limit_holdem(ranks=2, board=[0, 3], blinds=[1, 2], stack=4, sizes=['100%'])"


class Whim:
    """A player who does something else after every history and with every hand, drawn from both."""

    def __init__(self, game: Any, seat: int, by_ranks: bool = False, bet: int | None = None) -> None:
        self.game, self.seat, self.by_ranks, self.bet = game, seat, by_ranks, bet

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        betting = self.game.betting_after(public)
        actions = [*self.game.menu(betting)]
        if self.bet is not None and betting.min_raise <= self.bet <= betting.max_raise and self.bet not in actions:
            actions.append(self.bet)
        named = tuple([label(action) for action in actions])
        live = self.game.deck.live_hands(public_cards(public))
        table = np.zeros((len(live), len(named)))
        for row, (hand, alive) in enumerate(zip(self.game.deck.hand_names, live, strict=True)):
            if alive:
                shares = np.random.default_rng([*self._key(public, hand).encode()]).random(len(named)) + 0.01
                table[row] = shares / shares.sum()
        return Behaviour(self.game.deck.hand_names, named, table)

    def _key(self, public: tuple[str, ...], hand: str) -> str:
        if not self.by_ranks:
            return f"{':'.join(public)}/{hand}"
        told = [event if event[0] in "fcb" else "".join(sorted(event[::2])) for event in public]
        return f"{':'.join(told)}/{''.join(sorted(hand[::2]))}"


def tabulated(game: Any, players: Sequence[Any], suits_alike: bool, *extra_bets: ExtraBet) -> Any:
    return tabulate_players(game, players, suits_alike, SilentProgress(), CancelToken(), set(extra_bets))


@pytest.mark.slow
@pytest.mark.parametrize("suits_alike", [False, True])
def test_like_the_enumerated_game(suits_alike: bool) -> None:
    game: Any = cp.load(TINY)
    players = [Whim(game, seat, by_ranks=suits_alike) for seat in range(2)]
    expected, best = tabulated(game, players, suits_alike).values()
    tree = enumerate_game(game)
    exact = evaluate(tree, profile_of_players(tree, players))
    assert best == pytest.approx(exact.best, abs=1e-6)
    assert expected == pytest.approx(exact.expected, abs=1e-6)


class WithBet(NoLimitHoldem):
    """The game in which one more bet is on the menu wherever it is legal."""

    def menu(self, betting: BettingState) -> tuple[int, ...]:
        usual = tuple(super().menu(betting))
        return (*usual, 5) if 5 not in usual and betting.min_raise <= 5 <= betting.max_raise else usual


@pytest.mark.slow
def test_bets_that_the_menu_lacks_are_added_to_the_tree() -> None:
    game: Any = cp.load(TINY)
    players = [Whim(game, seat, bet=5) for seat in range(2)]
    found = tabulated(game, players, False)
    assert found.extra_bets
    richer = WithBet(ranks=2, board=(0, 3), blinds=(1, 2), stack=4, sizes=("100%",))
    tree = enumerate_game(richer)
    exact = evaluate(tree, profile_of_players(tree, players))
    assert found.values()[1] == pytest.approx(exact.best, abs=1e-6)
    # Players who do not bet so themselves, against an opponent who may.
    usual = [Whim(game, seat) for seat in range(2)]
    given = tabulated(game, usual, False, *found.extra_bets)
    assert given.extra_bets == found.extra_bets
    assert given.values()[1] == pytest.approx(evaluate(tree, profile_of_players(tree, usual)).best, abs=1e-6)


def test_hands_that_suits_make_alike_are_played_as_the_first_of_them() -> None:
    """With suits alike a player who tells them apart is judged as one who renames them first: a fixed strategy."""
    game: Any = cp.load(TINY)
    found = tabulated(game, [Whim(game, seat) for seat in range(2)], True)
    for node in [found.game.root, *[node for node in found.game.root.decisions_below() if node.dealt][:5]]:
        rows = found.game.scatter_to_deck(node.player, node.strategy(found.profile))
        for maps in found.game.board_nodes[node.board].symmetry.hand_maps:
            np.testing.assert_allclose(rows[:, maps], rows, atol=1e-6)


def test_a_player_without_probabilities_is_refused() -> None:
    game: Any = cp.load(TINY)

    class Silent(Whim):
        def probabilities(self, public: tuple[str, ...]) -> Behaviour:
            found = super().probabilities(public)
            return found._replace(table=found.table / 2)

    with pytest.raises(InputError, match="must sum to 1 for every hand"):
        tabulated(game, [Silent(game, 0), Silent(game, 1)], True)


def test_large_games_are_refused() -> None:
    with pytest.raises(InputError, match="use counterpoise lbr"):
        require_small(cp.load("no_limit_holdem"))  # type: ignore[arg-type]
    assert not has_public_tree(cp.load("no_limit_holdem(seats=3)"))
    assert not has_public_tree(cp.load("kuhn_poker"))


@pytest.mark.slow
def test_agents_at_the_table_are_judged_by_it() -> None:
    found = cp.best_response_to(TINY, "random", progress=False)
    assert found.method == "public tree"
    players = [cp.make_agent("random").sit(cp.load(TINY), seat, Random(0)) for seat in range(2)]
    tree = enumerate_game(cp.load(TINY))
    exact = evaluate(tree, profile_of_players(tree, players))
    assert found.exploitability == pytest.approx(1000 / 2 * float((exact.best - exact.expected).mean()), abs=1e-3)
