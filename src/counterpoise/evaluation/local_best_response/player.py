"""Local best response: a player that knows the other's strategy and looks one action ahead (Lisy and Bowling 2017).

1. It updates the probability of each hand of the other by Bayes' rule, given everything the other has done.
2. It values its own actions as if both only checked and called from then on. With pot P, amount to call c, and the
   chance w to win against the range:

       U(fold) = 0        U(call) = w P - (1 - w) c
       U(raise by b) = f P + (1 - f) [w' (P + b) - (1 - w') (c + b)]

   where f is the chance that the other folds to the raise and w' the chance to win against the hands that do not.
3. It plays the action of highest utility, and folds (checks if that is free) where none is above 0.

Its mean winnings over both seats are a lower bound on the exploitability of the other's strategy; winning nothing
proves nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import label
from counterpoise.cards import board_strengths
from counterpoise.cards.deck import parse_card, split_cards
from counterpoise.cards.equity import FloatArray
from counterpoise.errors import InputError
from counterpoise.evaluation.local_best_response.actions import CALL, FOLD, LocalActions, read_actions
from counterpoise.evaluation.local_best_response.run_outs import win_shares
from counterpoise.games.base import Game, game_name
from counterpoise.games.events import DealEvent, read_event
from counterpoise.games.holdem import Holdem, HoldemState
from counterpoise.games.known import Behaviour, KnownPlayer
from counterpoise.parameters import require

RUN_OUTS = 1000
"""Boards that are sampled before the flop with a deck whose run-outs are too many to count."""
MOST_KEPT = 4096
"""The number of public situations whose ranges and behaviours are kept."""


class Situation(NamedTuple):
    """A public situation: the betting, the board, the other's range and whether it has acted itself."""

    betting: BettingState
    board: tuple[int, ...]
    weights: FloatArray
    """The probability of the other's actions so far with each hand of the deck; 0 for hands that the board rules
    out."""
    acted: bool


class LocalBestResponse:
    """The decisions of a local best response to a known player of hold'em for two, in any deck.

    `player` sits at its seat of the game; the local best response has the other one. `run_outs` boards are drawn by
    `seed` where they cannot all be counted.
    """

    def __init__(
        self,
        game: Game,
        player: KnownPlayer,
        actions: LocalActions | str = "pot-allin",
        *,
        run_outs: int = RUN_OUTS,
        seed: int = 0,
    ) -> None:
        self.game, self.player = check_game(game), player
        self.plan = read_actions(actions) if isinstance(actions, str) else actions
        self.seat = 1 - player.seat
        self.run_outs, self.seed = run_outs, seed
        self.deck = self.game.deck
        self._situations: dict[tuple[str, ...], Situation] = {}
        self._behaviours: dict[tuple[str, ...], Behaviour] = {}
        self._known_shares: dict[tuple[int, tuple[int, ...]], FloatArray] = {}

    def choose(self, public: tuple[str, ...], hand: int) -> str:
        """Return the action of highest utility with a hand of the deck; the first of equals: fold, call, bets."""
        best, highest = CALL, -np.inf
        for action, utility in self.utilities(public, hand).items():
            if utility > highest + 1e-12:
                best, highest = action, utility
        return best

    def utilities(self, public: tuple[str, ...], hand: int) -> dict[str, float]:
        """Return the utility in chips of every action that it may take, fold first, then check or call, then bets."""
        at = self.situation(public)
        betting, rules = at.betting, self.game.betting
        if betting.to_act != self.seat:
            raise InputError(f"seat {self.seat} is not to act after {':'.join(public) or 'the deal'}")
        allowed = self.plan.allowed(betting.round, at.acted)
        shares = self._shares(hand, at.board)
        weights = at.weights * self._apart(hand)
        pot, owed = rules.total_pot(betting), betting.to_call
        win = _against(weights, shares)
        call = win * pot - (1 - win) * owed
        found: dict[str, float] = {}
        if allowed.fold:
            found |= {FOLD: 0.0} if owed else {CALL: call}
        if allowed.call:
            found[CALL] = call
        if betting.max_raise:
            for total in sorted({size.legal_total(rules, betting) for size in allowed.sizes}):
                by = min(total, rules.stacks[self.player.seat]) - betting.stake
                action = label(total)
                folds = self._folds((*public, action))
                mass = weights.sum()
                given_up = float(weights @ folds) / mass if mass else 0.0
                met = _against(weights * (1 - folds), shares)
                found[action] = given_up * pot + (1 - given_up) * (met * (pot + by) - (1 - met) * (owed + by))
        return found or {CALL: call}

    def situation(self, public: tuple[str, ...]) -> Situation:
        """Return betting, board and the other's range after a public history."""
        known = self._situations.get(public)
        if known is not None:
            return known
        if not public:
            found = Situation(self.game.betting_after(()), (), np.ones(self.deck.hand_count), False)
        else:
            before, event = self.situation(public[:-1]), read_event(public[-1])
            betting = self.game.betting_next(before.betting, event)
            if not isinstance(event, DealEvent):
                found = self._after_action(before, betting, public)
            else:
                board = (*before.board, *event.cards)
                alive = ~np.isin(self.deck.hands, board).any(axis=1)
                found = before._replace(betting=betting, board=board, weights=before.weights * alive)
        if len(self._situations) >= MOST_KEPT:
            self._situations.clear()
        self._situations[public] = found
        return found

    def behaviour(self, public: tuple[str, ...]) -> Behaviour:
        """Return what the other does after a public history with every hand of the deck."""
        known = self._behaviours.get(public)
        if known is None:
            known = self.player.probabilities(public)
            require(
                len(known.hands) == self.deck.hand_count,
                f"a player of hold'em must answer for all {self.deck.hand_count} hands, not {len(known.hands)}",
            )
            if len(self._behaviours) >= MOST_KEPT:
                self._behaviours.clear()
            self._behaviours[public] = known
        return known

    def expected_payoff(self, state: HoldemState, public: tuple[str, ...]) -> float:
        """Return what it wins in chips at the end of a hand, on average over the other's range.

        This is the conditional mean of the payoff given the other's actions, the whole board and its own hand, so that
        it has the same mean as the payoff and less variance.
        """
        if len(state.betting.live) == 1:
            return float(self.game.payoffs(state)[self.seat])
        board = [parse_card(card, self.deck) for card in split_cards("".join(state.board))]
        hand = self.hand_number(state.hands[self.seat])
        alive = ~np.isin(self.deck.hands, board).any(axis=1)
        weights = self.situation(public).weights * self._apart(hand) * alive
        met = board_strengths([board], deck=self.deck)[0]
        shares = np.array([weights[met < met[hand]].sum(), weights[met == met[hand]].sum(), 0.0])
        shares[2] = weights.sum() - shares[0] - shares[1]
        ends = [self._showdown(state.betting, own) for own in (2, 1, 0)]
        return float(shares @ ends / weights.sum())

    def hand_number(self, cards: str) -> int:
        """Return the number of a hand in the deck."""
        first, second = (parse_card(card, self.deck) for card in split_cards(cards))
        return int(self.deck.hand_table[first, second])

    def _after_action(self, before: Situation, betting: BettingState, public: tuple[str, ...]) -> Situation:
        if before.betting.to_act == self.seat:
            return before._replace(betting=betting, acted=True)
        behaviour = self.behaviour(public[:-1])
        chosen = np.zeros(self.deck.hand_count)
        if public[-1] in behaviour.actions:
            chosen = behaviour.table[:, behaviour.actions.index(public[-1])]
        return before._replace(betting=betting, weights=before.weights * chosen)

    def _folds(self, public: tuple[str, ...]) -> FloatArray:
        """Return how often the other folds after a public history, by hand."""
        behaviour = self.behaviour(public)
        if FOLD not in behaviour.actions:
            return np.zeros(self.deck.hand_count)
        return np.asarray(behaviour.table[:, behaviour.actions.index(FOLD)])

    def _shares(self, hand: int, board: tuple[int, ...]) -> FloatArray:
        """Return how much of the pot the hand wins from each other on average, if both only check and call."""
        known = self._known_shares.get((hand, board))
        if known is None:
            due = sum(self.game.board) - len(board)
            known = win_shares(self.deck, hand, board, due, drawn=self.run_outs, seed=self.seed)
            if len(self._known_shares) >= MOST_KEPT:
                self._known_shares.clear()
            self._known_shares[hand, board] = known
        return known

    def _apart(self, hand: int) -> FloatArray:
        """Return 1 for every hand that shares no card with this one, else 0."""
        return (~np.isin(self.deck.hands, self.deck.hands[hand]).any(axis=1)).astype(float)

    def _showdown(self, betting: BettingState, own: int) -> float:
        """Return the payoff of a showdown that is won (2), tied (1) or lost (0)."""
        strengths = (own, 1) if self.seat == 0 else (1, own)
        return float(self.game.betting.payoffs(betting, strengths)[self.seat])


def check_game(game: Game) -> Holdem:
    """Return the game if a local best response can play it: hold'em for two without rake."""
    if not isinstance(game, Holdem) or not game.from_the_deal:
        raise InputError(f"a local best response plays whole hands of hold'em, not {game_name(game)}")
    require(game.seats == 2, f"a local best response plays hold'em for two, not for {game.seats}")
    require(not game.rake, "a local best response plays without rake, which is lost to both")
    return game


def _against(weights: FloatArray, shares: FloatArray) -> float:
    """Return the share of the pot won against a range; 1 against none."""
    mass = float(weights.sum())
    return float(weights @ shares) / mass if mass > 0 else 1.0
