"""Turn endgames of hold'em in public belief states.

See Brown et al. 2020, sections 5 and 6, "turn endgame hold'em" of Brown 2020, section 2.4.4.

A game begins on the turn with both players' ranges and a pot. Search goes to the end of the betting round. There are
two layers of public belief states for the network: the end of the turn, before a card, whose values are the expectation
over the river cards; and the start of the river, from which the game is solved to its end.

Values are in pots at the beginning, those of the network in pots at the public state. An all-in that is called on the
turn pays what it is worth over all rivers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import label
from counterpoise.cards import board_strengths, disjoint_hands, format_cards
from counterpoise.deep.rebel.games import BeliefGame, Deals
from counterpoise.deep.rebel.kernels.layouts import Payoffs
from counterpoise.deep.rebel.trees import Choice, End, Leaf, Tree
from counterpoise.errors import InputError
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.seats import CHANCE

FOLD, ALL_IN, RIVER = 0, 1, 2
"""Payoff matrices: who can meet whom, what an all-in is worth, and from there on one for each river."""
MOST_HANDS = 400
"""Every river has a matrix of pairs of hands, and every end costs a product with one: the 1,128 hands of a whole deck
would take half a gigabyte and, at about a second for each river that is solved, days of training."""
BELIEF_SCALE = 2.0
"""Factor on beliefs in a network's inputs. Layers are normalised, so that larger beliefs would drown which river was
dealt: on river values of 190 hands that self-play visits, a factor of 50 leaves 1.6 times the error after as many
steps."""


def turn_beliefs(rules: HoldemSpot) -> BeliefGame:
    """Return a spot that begins on the turn, with equal weights for all hands of both ranges, as a belief game."""
    if rules.first_round != 2:
        raise InputError(f"{rules.name} does not begin on the turn, as public belief states of hold'em do")
    if rules.rake:
        raise InputError(f"{rules.name} has a rake: values of public belief states are for games that sum to 0")
    weights = rules.ranges[0].weights
    possible = np.flatnonzero(weights)
    if not np.array_equal(weights, rules.ranges[1].weights) or len(set(weights[possible].tolist())) != 1:
        raise InputError(f"{rules.name}: both players must have the same range, every hand with the same weight")
    if len(possible) > MOST_HANDS:
        raise InputError(
            f"{rules.name} has {len(possible):,} hands on the turn, and public belief states of hold'em go up to "
            f"{MOST_HANDS}: give both players the same narrower range, as oop and ip, or take mini_turn_holdem"
        )
    hands = rules.deck.hands[possible]
    board = rules.board_cards
    rivers = [int(card) for card in rules.deck.cards if int(card) not in board]
    live = np.stack([~(hands == card).any(axis=1) for card in rivers])
    payoffs, chance = _payoffs(rules, hands, rivers, live)
    names = tuple(format_cards([card]) for card in rivers)
    lines: list[BettingState] = []
    trees = [_street(rules, rules.betting.initial(), lambda state: _end_of_turn(lines, state), ALL_IN)]
    states, deals = [-1], {}
    pots = [float(rules.pot)]
    rows = [_features(rules, len(rivers), None, rules.pot)]
    for number, line in enumerate(lines):
        states.append(-1)
        pots.append(float(rules.betting.total_pot(line)))
        rows.append(_features(rules, len(rivers), None, pots[-1]))
        begin = 1 + len(lines) + number * len(rivers)
        deals[1 + number] = Deals(begin + np.arange(len(rivers)), live, chance, names)
    states[0] = 0
    for line in lines:
        for number in range(len(rivers)):
            states.append(len(trees))
            pots.append(float(rules.betting.total_pot(line)))
            rows.append(_features(rules, len(rivers), number, pots[-1]))
            trees.append(_street(rules, rules.betting.deal(line), _no_leaf, RIVER + number))
    return BeliefGame(
        name=rules.name,
        trees=tuple(trees),
        tree_of=np.array(states, dtype=np.int64),
        deals=deals,
        payoffs=payoffs,
        features=np.array(rows, dtype=np.float32),
        unit=np.array(pots) / rules.pot,
        scale=BELIEF_SCALE,
        hand_names=tuple(rules.deck.hand_names[hand] for hand in possible),
    )


def after_bet(rules: HoldemSpot, game: BeliefGame, state: BettingState, card: int | None) -> tuple[BeliefGame, Tree]:
    """Return what follows a bet that the trees of a game lack, and the game with the public states to which it leads.

    `state` is the betting after the bet, `card` the number of the river, None on the turn. What networks are told of
    a public state has the pot in it, so that they value those after any bet.
    """
    if card is not None:
        return game, _street(rules, state, _no_leaf, RIVER + card)
    known, lines = len(game.tree_of), list[BettingState]()
    tree = _street(rules, state, lambda line: Leaf(known - 1 + _end_of_turn(lines, line).state), ALL_IN)
    deals = next(iter(game.deals.values()))
    rivers = len(deals.states)
    pots = [float(rules.betting.total_pot(line)) for line in lines]
    trees, dealt, number = list(game.trees), dict(game.deals), known + len(lines)
    for place, line in enumerate(lines):
        dealt[known + place] = replace(deals, states=number + np.arange(rivers))
        trees += [_street(rules, rules.betting.deal(line), _no_leaf, RIVER + river) for river in range(rivers)]
        number += rivers
    rows = [_features(rules, rivers, None, pot) for pot in pots]
    rows += [_features(rules, rivers, river, pot) for pot in pots for river in range(rivers)]
    units = np.array(pots + [pot for pot in pots for _ in range(rivers)]) / rules.pot
    following = np.concatenate([np.full(len(lines), -1), np.arange(len(game.trees), len(trees))])
    grown = replace(
        game,
        trees=tuple(trees),
        tree_of=np.concatenate([game.tree_of, following]),
        deals=dealt,
        features=np.concatenate([game.features, np.array(rows, dtype=np.float32).reshape(-1, game.features.shape[1])]),
        unit=np.concatenate([game.unit, units]),
    )
    return grown, tree


def _payoffs(
    rules: HoldemSpot, hands: NDArray[np.uint8], rivers: list[int], live: NDArray[np.bool_]
) -> tuple[Payoffs, float]:
    """Return the matrices of who meets, of all-ins and of showdowns on every river, and the chance of a river."""
    meet = disjoint_hands(hands, hands).astype(np.float64)
    chance = 1 / (len(rivers) - 4)
    boards = np.array([[*rules.board_cards, card] for card in rivers], dtype=np.uint8)
    strength = board_strengths(boards, hands, rules.deck).astype(np.int64)
    showdowns = np.sign(strength[:, :, None] - strength[:, None, :]) * meet
    showdowns = showdowns * live[:, :, None] * live[:, None, :]
    won = np.concatenate([meet[None], chance * showdowns.sum(axis=0, keepdims=True), showdowns])
    even = np.full((2, len(hands)), 1 / len(hands))
    # [player, matrix, other's hand, own hand]: what the first player wins the second loses.
    matrices = np.stack([won.transpose(0, 2, 1), -won])
    return Payoffs(matrices.astype(np.float32), meet.astype(np.float32), True, even.astype(np.float32)), chance


def _street(rules: HoldemSpot, state: BettingState, after: Callable[[BettingState], Tree], matrix: int) -> Choice:
    """Return the betting of one street as a tree."""

    def follow(here: BettingState) -> Tree:
        if here.to_act == CHANCE:
            return after(here)
        if here.to_act < 0:
            folded = len(here.live) == 1
            won = rules.settle(here, None if folded else (1, 0))[0]
            return End(FOLD if folded else matrix, won / rules.pot)
        actions = tuple(rules.menu(here))
        following = tuple(follow(rules.betting.apply(here, action)) for action in actions)
        return Choice(here.to_act, following, tuple(label(action) for action in actions))

    tree = follow(state)
    assert isinstance(tree, Choice)
    return tree


def _end_of_turn(lines: list[BettingState], state: BettingState) -> Leaf:
    lines.append(state)
    return Leaf(len(lines))


def _no_leaf(state: BettingState) -> Leaf:
    raise AssertionError("nothing is dealt after the river")


def _features(rules: HoldemSpot, rivers: int, card: int | None, pot: float) -> list[float]:
    """Return the river (none at the end of the turn), whether it is dealt, and the pot as a share of all chips."""
    shown = [0.0] * rivers
    if card is not None:
        shown[card] = 1.0
    return [*shown, float(card is not None), pot / (rules.pot + 2 * rules.stack)]
