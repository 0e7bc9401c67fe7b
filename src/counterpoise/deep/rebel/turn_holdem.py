"""Turn endgames of hold'em in public belief states.

See Brown et al. 2020, sections 5 and 6, "turn endgame hold'em" of Brown 2020, section 2.4.4.

A game begins on the turn with both players' ranges and a pot. Search goes to the end of the betting round. There are
two layers of public belief states for the network: the end of the turn, before a card, whose values are the expectation
over the river cards; and the start of the river, from which the game is solved to its end.

Values are in pots at the beginning, those of the network in pots at the public state. An all-in that is called on the
turn pays its mean over all rivers. Beliefs cover every hand that either player may hold.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import label
from counterpoise.cards import Range, disjoint_hands, format_cards
from counterpoise.deep.rebel.beliefs import HandPairs
from counterpoise.deep.rebel.games import BeliefGame, NextCards, following_array
from counterpoise.errors import InputError
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.public import HoldemGame, HoldemRules, build_holdem

BELIEF_SCALE = 2.0
"""Factor on beliefs in a network's inputs. Layers are normalised, so that larger beliefs would drown the features of
the river: on river values of 190 hands that self-play visits, a factor of 50 leaves 1.6 times the error after as
many steps."""


def turn_beliefs(rules: HoldemSpot) -> BeliefGame:
    """Return a spot that begins on the turn as a belief game."""
    if rules.first_round != 2:
        raise InputError(f"{rules.name} does not begin on the turn, as public belief states of hold'em do")
    if rules.rake:
        raise InputError(f"{rules.name} has a rake: values of public belief states are for games that sum to 0")
    weights = np.stack([own.weights for own in rules.ranges]).astype(np.float64)
    either = Range((weights.sum(axis=0) > 0).astype(np.float64), rules.deck)
    # Suits are told apart: beliefs need not be symmetric where the board is.
    told = HoldemRules(
        rules.board_cards,
        (either, either),
        rules.betting,
        rules.bet_sizes,
        rules.deck,
        isomorphism=False,
        name=rules.name,
    )
    public = build_holdem(told)
    hands = public.hand_numbers[0].astype(np.int64)
    prior = weights[:, hands] / weights[:, hands].sum(axis=1, keepdims=True)
    cards = np.zeros((len(hands), 52))
    for column in rules.deck.hands[hands].T:
        cards[np.arange(len(hands)), column] = 1
    pairs = HandPairs(prior, disjoint_hands(*[rules.deck.hands[hands]] * 2), cards)
    return _beliefs(public, pairs)


def with_bet(game: BeliefGame, state: BettingState, bet: BetAction) -> BeliefGame:
    """Return a game that offers one more bet at a state of the betting.

    What networks are told of a public state has the pot in it, so that they value those after any bet. Public states at
    which play has arrived keep their numbers.
    """
    public = game.public
    assert isinstance(public, HoldemGame)
    rules = replace(public.rules, sizes=public.rules.sizes.with_bet(state, bet))
    return _beliefs(build_holdem(rules, share_boards_with=public), game.pairs)


def _beliefs(public: HoldemGame, pairs: HandPairs) -> BeliefGame:
    """Return the public states of a game: the start, the ends of the turn, then the starts of the river after each."""
    betting, deck = public.betting, public.deck
    board = public.rules.board
    rivers = [int(card) for card in deck.cards if int(card) not in board]
    live = np.stack([~(public.hands[0] == card).any(axis=1) for card in rivers])
    boards = [public.locate((*board, card)).board for card in rivers]
    names = tuple(format_cards([card]) for card in rivers)
    chance = 1 / (len(rivers) - 4)
    lines = [leaf.tree for leaf in public.street_trees[0].leaves if leaf.is_deal]
    pots = [float(betting.total_pot(state)) for state in (public.street_trees[tree].state for tree in lines) if state]
    first = 1 + len(lines)
    deals = {
        1 + number: NextCards(first + number * len(rivers) + np.arange(len(rivers)), live, chance, names)
        for number in range(len(lines))
    }
    after = [pot for pot in pots for _ in rivers]
    all_chips = betting.pot + sum(betting.stacks)
    dealt = [None] * first + [number for _ in lines for number in range(len(rivers))]
    in_pot = [float(betting.pot), *pots, *after]
    features = np.zeros((len(in_pot), len(rivers) + 2), dtype=np.float32)
    for state, (card, pot) in enumerate(zip(dealt, in_pot, strict=True)):
        # The river (none at the end of the turn), whether it is dealt, and the pot as a share of all chips.
        if card is not None:
            features[state, [card, len(rivers)]] = 1
        features[state, -1] = pot / all_chips
    return BeliefGame(
        name=public.name,
        public=public,
        tree_of=np.array([0, *[-1] * len(lines), *np.repeat(lines, len(rivers))], dtype=np.int64),
        board_of=np.array([0] * first + boards * len(lines), dtype=np.int64),
        following=following_array([list(range(1, first)), *[[]] * (len(in_pot) - 1)]),
        deals=deals,
        pairs=pairs,
        features=features,
        unit=np.array(in_pot) / betting.pot,
        scale=BELIEF_SCALE,
        hand_names=tuple(deck.hand_names[hand] for hand in public.hand_numbers[0]),
        worth=float(betting.pot),
        word=label,
    )
