"""Players for tests of best responses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import counterpoise as cp
from counterpoise.cards import format_cards
from counterpoise.games.known import BoardPlay, line_menu

RANKS = "23456789TJQKA"


@dataclass
class Moody(cp.KnownAgent):
    """Its probabilities depend on ranks, on whether the hand is suited, on pairs with the board and on the line."""

    def mixed(self, observation):
        hand, public = observation.private, observation.public
        low, high = sorted(RANKS.index(hand[k]) for k in (0, 2))
        suited = hand[1] == hand[3]
        board = [rank for event in public if event[:1] not in "fcb" for rank in event[::2]]
        hits = sum(rank in board for rank in (hand[0], hand[2]))
        key = (13 * low + high) * 7 + 3 * suited + 5 * hits + len(public) + sum(map(len, public))
        weights = [1 + key * (k + 3) % 7 for k in range(len(observation.actions))]
        return {action: weight / sum(weights) for action, weight in zip(observation.actions, weights, strict=True)}


@dataclass
class Suited(Moody):
    """Plays hands with a spade differently."""

    def mixed(self, observation):
        return {"c": 1.0} if "s" in observation.private else super().mixed(observation)


class OnBoards:
    """Answers for all lines of a round at once, from what a known agent says at each of them."""

    def __init__(self, agent, groups=None):
        self.agent, self.groups, self.seat = agent, groups, agent.seat

    def probabilities(self, public):
        return self.agent.probabilities(public)

    def play_on_boards(self, lines):
        game = self.agent.game
        return lambda board: self._on(game, lines, board)

    def _on(self, game, lines, board):
        tables = []
        for line in lines:
            public, dealt = [], 0
            for count, actions in zip(game.board, line, strict=False):
                cards = sorted(board[dealt : dealt + count], reverse=True)
                dealt += count
                public += [format_cards(cards, separator="")] if count else []
                public += actions
            menu = line_menu(game, line)
            found = self.agent.probabilities(tuple(public))
            row = np.zeros((len(found.hands), 3))
            for column, action in enumerate(found.actions):
                row[:, menu.index(action)] = found.table[:, column]
            tables.append(row)
        return BoardPlay(np.arange(game.deck.hand_count), np.array(tables))


class Alike:
    """A trivial agent that answers for all lines at once, with one group for all hands."""

    def __init__(self, name, game, seat):
        self.name, self.game, self.seat = name, game, seat

    def __str__(self):
        return self.name

    def play_on_boards(self, lines):
        table = np.zeros((len(lines), 1, 3))
        for number, line in enumerate(lines):
            menu = line_menu(self.game, line)
            table[number, 0, len(menu) - 1 if self.name == "always-raise" else menu.index("c")] = 1
        group = np.zeros(self.game.deck.hand_count, dtype=np.int64)
        return lambda board: BoardPlay(group, table)
