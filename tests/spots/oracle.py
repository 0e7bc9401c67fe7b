"""A spot as a general game, written from the rules: hands ranked by phevaluator, cards dealt one pair at a time."""

from __future__ import annotations

from itertools import product

from phevaluator import evaluate_cards

import counterpoise as cp
from counterpoise.betting.sizes import label
from counterpoise.cards import format_card


def overlap(*groups):
    cards = [card for group in groups for card in group]
    return len(set(cards)) < len(cards)


class SpotGame:
    """State: (both hands, cards dealt later, betting state, id so far). Payoffs have half the pot as zero."""

    players = 2

    def __init__(self, spot):
        self.spot, self.name = spot, "spot"
        self.board = tuple(format_card(card) for card in spot.cards)
        self.deck = [format_card(card) for card in spot.card_deck.cards.tolist()]
        self.hands = []
        for own in spot.ranges:
            cards = own.deck.hands[own.hands].tolist()
            weights = own.weights[own.hands].tolist()
            self.hands.append(
                [((format_card(b), format_card(a)), weight) for (a, b), weight in zip(cards, weights, strict=True)]
            )

    def initial(self):
        return None

    def player(self, state):
        if state is None:
            return cp.CHANCE
        return state[2].to_act

    def chance(self, state):
        if state is None:
            deals = [
                (f"{''.join(a)}|{''.join(b)}", wa * wb)
                for (a, wa), (b, wb) in product(*self.hands)
                if not overlap(a, b)
            ]
            total = sum(weight for _, weight in deals)
            return [(name, weight / total) for name, weight in deals]
        seen = {*self.board, *state[0][0], *state[0][1], *state[1]}
        left = [card for card in self.deck if card not in seen]
        return [(card, 1 / len(left)) for card in left]

    def actions(self, state):
        return [label(action) for action in self.spot.sizes.actions(self.spot.betting, state[2])]

    def next(self, state, action):
        betting = self.spot.betting
        if state is None:
            hands = tuple((part[:2], part[2:]) for part in action.split("|"))
            return (hands, (), betting.initial(), "r:0")
        hands, dealt, now, path = state
        if now.to_act == cp.CHANCE:
            return (hands, (*dealt, action), betting.deal(now), f"{path}:{action}")
        number = {"f": -1, "c": 0}.get(action)
        after = betting.apply(now, int(action[1:]) if number is None else number)
        return (hands, dealt, after, f"{path}:{action}")

    def infoset(self, state):
        return f"{''.join(state[0][state[2].to_act])} {state[3]}"

    def payoffs(self, state):
        hands, dealt, now, _ = state
        board = (*self.board, *dealt)
        half = self.spot.pot / 2
        if len(now.live) == 1:
            return tuple(value - half for value in self.spot.betting.payoffs(now))
        seen = {*board, *hands[0], *hands[1]}
        left = [card for card in self.deck if card not in seen]
        runouts = [()] if len(board) == 5 else [(card,) for card in left]
        assert len(board) >= 4
        total = [0.0, 0.0]
        for more in runouts:
            strengths = [-evaluate_cards(*board, *more, *hand) for hand in hands]
            for seat, value in enumerate(self.spot.betting.payoffs(now, strengths)):
                total[seat] += (value - half) / len(runouts)
        return tuple(total)


def as_strategy(solution, game):
    """The solution's strategies as a dict that general games are judged with."""
    found, nodes = {}, {}
    stack = [game.next(None, name) for name, _ in game.chance(None)]
    while stack:
        state = stack.pop()
        seat = game.player(state)
        if seat == cp.TERMINAL:
            continue
        if seat == cp.CHANCE:
            stack += [game.next(state, card) for card, _ in game.chance(state)]
            continue
        name = game.infoset(state)
        if name not in found:
            if state[3] not in nodes:
                nodes[state[3]] = {row["hand"]: row for row in solution.node(state[3]).rows()}
            row = nodes[state[3]]["".join(state[0][seat])]
            found[name] = {action: row[action] for action in game.actions(state)}
        stack += [game.next(state, action) for action in game.actions(state)]
    return found
