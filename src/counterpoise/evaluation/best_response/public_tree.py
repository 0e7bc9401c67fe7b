"""The exact best response to players of small hold'em for two seats who may bet as they like, search included.

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

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import BetSizes, label, read_label
from counterpoise.cards import Range, format_cards
from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.betting import refusal
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, KnownPlayer
from counterpoise.progress import CancelToken, Progress
from counterpoise.public import HoldemGame, HoldemRules, Profile, PublicNode, Traverser, build_holdem
from counterpoise.search.first_round import GameMenu

FloatArray = NDArray[np.float64]
Reach = tuple[FloatArray, FloatArray]
"""How likely each player plays along a history with each hand of the deck."""
Place = tuple[PublicNode, tuple[str, ...], Reach]
"""A node of the tree, the public history there and the reach of both players."""
MOST_BOARDS = 250_000
"""Boards of a game at most, those that differ by suits counted apart."""
MOST_EFFORT = 2e9
"""Nodes x hands of a traversal at most."""
MOST_EXTRA_BETS = 500
"""Bets of players at most that the game's menu lacks."""


class TabulatedPlayers(NamedTuple):
    """The strategies of two players everywhere in a public game of hold'em."""

    game: HoldemGame
    profile: Profile
    asked: int
    """Public histories at which a player was asked what it does."""
    extra_bets: int
    """Bets that were added to the game's menu because a player makes them."""

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


def require_small(game: Holdem, suits_alike: bool = True) -> HoldemRules:
    """Return the rules of the public tree of a game; refuse one that is too large to be walked through."""
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
    if not small or not rules.takes_at_most(MOST_EFFORT):
        raise InputError(f"{game.name}: {refusal(game)}")
    return rules


def tabulate_players(
    game: Holdem, players: Sequence[KnownPlayer], suits_alike: bool, progress: Progress, cancel: CancelToken
) -> TabulatedPlayers:
    """Return what two players do everywhere in a game in which each of them may get somewhere."""
    rules, known = require_small(game, suits_alike), dict[tuple[str, ...], Behaviour]()
    extra: set[tuple[BettingState, BetAction]] = set()
    while True:
        tree = build_holdem(rules)
        walk = _Walk(tree, players, known, progress, cancel)
        walk.run()
        if not walk.missing:
            return TabulatedPlayers(tree, walk.profile, len(known), len(extra))
        extra |= walk.missing
        if len(extra) > MOST_EXTRA_BETS:
            raise InputError(
                f"{game.name}: the player makes more than {MOST_EXTRA_BETS} bets that are not on the menu: give the "
                "game the sizes that it uses, or let it use fewer (libratus: jitter=0)"
            )
        rules = rules.with_sizes(_with_bets(GameMenu(home=game), extra))


def _with_bets(sizes: BetSizes, extra: set[tuple[BettingState, BetAction]]) -> BetSizes:
    for state, bet in sorted(extra, key=lambda one: (repr(one[0]), one[1])):
        sizes = sizes.with_bet(state, bet)
    return sizes


class _Walk:
    """One walk through all public histories of a tree, which asks both players and writes down what they do."""

    def __init__(
        self,
        game: HoldemGame,
        players: Sequence[KnownPlayer],
        known: dict[tuple[str, ...], Behaviour],
        progress: Progress,
        cancel: CancelToken,
    ) -> None:
        self.game, self.players, self.known = game, players, known
        self.progress, self.cancel = progress, cancel
        self.profile = Profile(game)
        self.missing: set[tuple[BettingState, BetAction]] = set()

    def run(self) -> None:
        """Walk, the first children first, so that a player is asked about neighbouring histories in turn."""
        hands = self.game.deck.hand_count
        stack: list[Place] = [(self.game.root, (), (np.ones(hands), np.ones(hands)))]
        while stack:
            at, public, reach = stack.pop()
            if at.kind == "deal":
                stack += reversed([self._deal(node, public, reach) for node in at.deals()])
            elif at.kind == "decision" and any(own.any() for own in reach):
                stack += reversed(self._decide(at, public, reach))

    def _deal(self, node: PublicNode, public: tuple[str, ...], reach: Reach) -> Place:
        """Return the first decision after a deal, whose cards rule some hands out."""
        live = self.game.deck.live_hands(list(node.dealt))
        return node, (*public, _dealt(self.game.last_deal(node.dealt))), (reach[0] * live, reach[1] * live)

    def _decide(self, at: PublicNode, public: tuple[str, ...], reach: Reach) -> list[Place]:
        """Return the nodes after a decision, with the reach of both players there."""
        seat = at.player
        if not reach[seat].any():  # the player never gets here, only its best response may
            return [(after, (*public, label(action)), reach) for action, after in at.children()]
        rows = self._rows(at, public)
        written = [rows.get(int(action), np.zeros(len(reach[seat]))) for action in at.actions]
        self.missing |= {
            (at.state, bet) for bet, row in rows.items() if bet not in at.actions and bool((row * reach[seat]).any())
        }
        at.set_strategy(self.profile, self.game.gather_from_deck(seat, np.array(written)))
        found = []
        for (action, after), row in zip(at.children(), written, strict=True):
            own = reach[seat] * row
            both = (own, reach[1]) if seat == 0 else (reach[0], own)
            found.append((after, (*public, label(action)), both))
        return found

    def _rows(self, at: PublicNode, public: tuple[str, ...]) -> dict[BetAction, FloatArray]:
        """Return how likely each action is by hand of the deck; hands that suits make alike are played alike."""
        if public not in self.known:
            self.cancel.check()
            self.known[public] = self.players[at.player].probabilities(public)
            self.progress.show(None, f"{len(self.known):,} public histories")
        found = self.known[public]
        first = self.game.board_nodes[at.board].symmetry.hand_maps.min(axis=0)
        table, rows = found.table[first], dict[BetAction, FloatArray]()
        for column, action in enumerate(found.actions):
            bet = read_label(action)
            rows[bet] = rows.get(bet, 0.0) + table[:, column]
        total = np.sum(list(rows.values()), axis=0)
        live = self.game.deck.live_hands(list(at.dealt))
        if (np.abs(total[live] - 1) > 1e-6).any():
            raise InputError(f"the probabilities after {':'.join(public) or 'the deal'} must sum to 1 for every hand")
        return rows


def _dealt(cards: tuple[int, ...]) -> str:
    """Return public cards as histories name them, the highest first."""
    return format_cards(sorted((int(card) for card in cards), reverse=True), separator="")
