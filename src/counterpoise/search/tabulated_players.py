"""Exact best responses to players of small two-seat hold'em who may bet any size and may search.

A player who searches has no table of its strategy. It is tabulated: every public history of the game is played through,
and at each decision of a player who may get there, its answer for all hands is written into a profile of the public
tree. Exact best responses to that profile follow from one traversal.

1. The tree has the bets of the game's menu. A bet that a player makes and the tree lacks is added to it, for whoever is
   in that seat, and the tree is walked again, until no player makes another one. Answers are kept between walks.
2. What is judged is a fixed strategy, so a player must answer the same history in the same way each time. Agents here
   draw the random numbers of a search from their seed and the public history.
3. Boards that differ by a renaming of suits are one, unless suits are told apart. The player is then asked on one of
   them, and hands that the suits of the board make alike are played as the first of them is. That is the strategy of
   a player who renames suits before it acts; of one that treats suits alike, as blueprints do, it is the very same.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import BetSizes, label, read_label
from counterpoise.cards import Range, format_cards
from counterpoise.errors import InputError
from counterpoise.games.holdem import GameMenu, Holdem
from counterpoise.games.known import Behaviour, KnownPlayer
from counterpoise.progress import CancelToken, Progress
from counterpoise.public import HoldemGame, HoldemRules, Profile, PublicGame, PublicNode, Step, Traverser, build_holdem
from counterpoise.search.range_agents import tabulate_agent

FloatArray = NDArray[np.float64]
ExtraBet = tuple[BettingState, BetAction]
"""A bet that the game's menu lacks, with the betting where it is made."""
MOST_BOARDS = 250_000
"""The most boards of a game, counting those that differ by suits separately."""
MOST_EFFORT = 2e9
"""The most nodes x hands of a traversal."""
MOST_EXTRA_BETS = 200
"""The most bets of players that the game's menu lacks."""


class TabulatedPlayers(NamedTuple):
    """The strategies of two players everywhere in a public game of hold'em."""

    game: HoldemGame
    profile: Profile
    asked: int
    """Public histories at which a player was asked what it does."""
    extra_bets: frozenset[ExtraBet]
    """Bets that were added to the game's menu."""

    def values(self) -> tuple[FloatArray, FloatArray]:
        """Return what the players win from each other and what best responses to them win, by seat, in chips."""
        traverser = Traverser(self.game)
        return traverser.root_values(self.profile), traverser.best_response_values(self.profile)


def has_public_tree(game: object) -> bool:
    """Return whether a game is hold'em for two seats whose first round has no public cards and whose others have."""
    return (
        isinstance(game, Holdem)
        and game.from_the_deal
        and game.seats == 2
        and not game.whole_chips
        and game.board[0] == 0
        and all(game.board[1:])
    )


def small_rules(game: Holdem, suits_alike: bool = True) -> HoldemRules | None:
    """Return the rules of the public tree of a game; None if it is too large to be walked through."""
    boards, left = 1, game.deck.size
    for count in game.board:
        boards, left = boards * comb(left, count), left - count
    small = boards <= MOST_BOARDS
    everything = Range(np.ones(game.deck.hand_count), game.deck)
    rules = HoldemRules(
        (),
        (everything, everything),
        game.betting,
        GameMenu(home=game),
        game.deck,
        game.board[1:],
        isomorphism=suits_alike,
        name=game.name,
    )
    return rules if small and rules.takes_at_most(MOST_EFFORT) else None


def tabulate_on(
    rules: HoldemRules,
    game: Holdem,
    players: Sequence[KnownPlayer],
    progress: Progress,
    cancel: CancelToken,
    extra_bets: Set[ExtraBet] = frozenset(),
) -> TabulatedPlayers:
    """Return the strategies of two players in a game, given with its `small_rules`, wherever each of them may arrive.

    `extra_bets` are in the tree from the beginning, besides the game's menu, whether or not the players make them.
    """
    asked = [AskedPlayer(player, game.deck.hand_count, progress, cancel) for player in players]
    extra: set[ExtraBet] = set(extra_bets)
    if extra:
        rules = rules.with_sizes(_with_bets(GameMenu(home=game), extra))
    while True:
        tree = build_holdem(rules)
        first, second = (tabulate_agent(tree, seat, player) for seat, player in enumerate(asked))
        missing = asked[0].missing | asked[1].missing
        if missing <= extra:
            return TabulatedPlayers(tree, first.joined(second), sum(len(one.known) for one in asked), frozenset(extra))
        extra |= missing
        if len(extra) > MOST_EXTRA_BETS:
            raise InputError(
                f"{game.name}: the player makes more than {MOST_EXTRA_BETS} bets that are not on the menu: give the "
                "game the sizes that it uses, or let it use fewer (libratus: jitter=0)"
            )
        rules = rules.with_sizes(_with_bets(GameMenu(home=game), extra))


def _with_bets(sizes: BetSizes, extra: set[ExtraBet]) -> BetSizes:
    for state, bet in sorted(extra, key=lambda one: (repr(one[0]), one[1])):
        sizes = sizes.with_bet(state, bet)
    return sizes


class PublicHistory(NamedTuple):
    """A public history, and the probability that the player acts along it with each hand of the deck."""

    public: tuple[str, ...]
    reach: FloatArray


class AskedPlayer:
    """A player at a table as a `RangeAgent`: it is asked at each public history that it may reach, and its answers
    are kept."""

    def __init__(self, player: KnownPlayer, hands: int, progress: Progress, cancel: CancelToken) -> None:
        self.player, self.hands, self.progress, self.cancel = player, hands, progress, cancel
        self.known: dict[tuple[str, ...], Behaviour] = {}
        self.missing: set[ExtraBet] = set()
        """Bets that it makes but the tree lacks, with the betting where it makes them."""

    def start(self, root: PublicNode) -> PublicHistory:
        """Return the beginning, with any hand."""
        return PublicHistory((), np.ones(self.hands))

    def strategy(self, at: PublicNode, view: PublicHistory) -> FloatArray:
        """Return its strategy at a decision, [action, hand]; arbitrary where it never arrives."""
        game = _holdem(at.game)
        if not view.reach.any():
            return np.full((len(at.actions), game.hand_counts[at.player]), 1 / len(at.actions))
        rows = self._rows(at, view.public)
        self.missing |= {
            (at.state, bet) for bet, row in rows.items() if bet not in at.actions and bool((row * view.reach).any())
        }
        never = np.zeros(len(view.reach))
        return game.gather_from_deck(at.player, np.array([rows.get(int(action), never) for action in at.actions]))

    def after(self, at: PublicNode, view: PublicHistory, action: Step) -> PublicHistory | None:
        """Return the history after an action; None if the player never acts so."""
        public = (*view.public, label(action))
        if at.player != self.player.seat:
            return PublicHistory(public, view.reach)
        row = self._rows(at, view.public).get(int(action)) if view.reach.any() else None
        return None if row is None or not (row * view.reach).any() else PublicHistory(public, row * view.reach)

    def dealt(self, view: PublicHistory, to: PublicNode) -> PublicHistory:
        """Return the history after a deal, without the hands that its cards rule out."""
        game = _holdem(to.game)
        live = game.deck.live_hands(list(to.dealt))
        return PublicHistory((*view.public, _dealt(game.last_deal(to.dealt))), view.reach * live)

    def _rows(self, at: PublicNode, public: tuple[str, ...]) -> dict[BetAction, FloatArray]:
        """Return the probability of each action by hand of the deck; hands that suits make alike are played alike."""
        game = _holdem(at.game)
        if public not in self.known:
            self.cancel.check()
            self.known[public] = self.player.probabilities(public)
            self.progress.show(None, f"seat {self.player.seat}: {len(self.known):,} public histories")
        found = self.known[public]
        rows: dict[BetAction, FloatArray] = {}
        table = found.table[game.board_nodes[at.board].symmetry.hand_maps.min(axis=0)]
        for column, action in enumerate(found.actions):
            bet = read_label(action)
            rows[bet] = rows.get(bet, 0.0) + table[:, column]
        total = np.sum(list(rows.values()), axis=0)
        live = game.deck.live_hands(list(at.dealt))
        if (np.abs(total[live] - 1) > 1e-6).any():
            raise InputError(f"the probabilities after {':'.join(public) or 'the deal'} must sum to 1 for every hand")
        return rows


def _holdem(game: PublicGame) -> HoldemGame:
    assert isinstance(game, HoldemGame)
    return game


def _dealt(cards: tuple[int, ...]) -> str:
    """Return public cards as histories name them, the highest first."""
    return format_cards(sorted((int(card) for card in cards), reverse=True), separator="")
