"""The best response to players who ignore their cards, exactly and in seconds (Johanson 2016, section 2.3, table 2.1).

Such a player's range stays uniform whatever it does, so that the responder plays against chance alone:

1. On a full board a hand is worth a function of ``wins``, twice the hands it beats plus those it ties; each betting
   line is one such function, and all lines that are worth the same share it (`programme`).
2. One deal earlier a hand is worth the average over the cards to come, and so on back to the first round. Which card of
   a board came first does not matter, and boards that differ by suits are one: 134,459 rivers, 16,432 turns and 1,755
   flops of 52 cards.

The last deal but one gathers from the table of wins; boards before it are added to by those that follow them, so that
no board's values are kept for longer than they are needed. All sums are in double precision and in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import board_classes, renamings
from counterpoise.abstraction.kernels.strength import DEAD
from counterpoise.abstraction.strength import wins_on_boards
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.kernels import programme as kernels
from counterpoise.evaluation.best_response.players import Players, shared_play
from counterpoise.evaluation.best_response.programme import Programme
from counterpoise.jobs.pieces import Work, pieces
from counterpoise.public.street_trees import Following

FloatArray = NDArray[np.float64]
_Step = Callable[[int, int, FloatArray], None]
"""Writes the values of boards begin to end, [board, root, hand]."""
AT_ONCE, PIECE = 512, 16
"""Boards whose values are kept at a time, and the number of them that a thread takes."""


def answer_players_without_cards(betting: LimitBetting, opponents: Sequence[Players], work: Work) -> FloatArray:
    """Return the values of best responses in chips, [opponent, seat of the responder].

    Several opponents are answered in one pass over the boards.
    """
    stages = Stages(betting)
    roots = [[_Compiler(stages, players, seat).root() for seat in range(2)] for players in opponents]
    return np.asarray(_Pass(stages, work).values()[np.array(roots)])


def boards_seen(betting: LimitBetting) -> int:
    """Return the number of boards that are looked at, counting those that differ by suits or by order once."""
    return sum(board_classes(betting.game.deck, count).size for count in set(betting.dealt))


class Stages:
    """The rounds between two deals of public cards are one stage, with a programme of its own."""

    def __init__(self, betting: LimitBetting) -> None:
        self.betting = betting
        counts = sorted(set(betting.dealt))
        self.of_round = [counts.index(count) for count in betting.dealt]
        self.cards = counts
        """The number of public cards on the board in each stage."""
        self.programmes = [Programme() for _ in counts]

    @property
    def last(self) -> int:
        """The stage of the full board."""
        return len(self.cards) - 1


@dataclass(frozen=True)
class _Compiler:
    """Writes the values of betting to one seat, against known play, into the programmes."""

    stages: Stages
    players: Players
    seat: int

    def root(self) -> int:
        """Return the place of the beginning of the game among the results of the first stage."""
        return self.stages.programmes[0].root(self._tree(0))

    def _tree(self, number: int) -> int:
        tree = self.stages.betting.trees[number]
        return self._entry(number, ("decision", 0) if tree.decisions else ("leaf", 0))

    def _entry(self, number: int, at: Following) -> int:
        """Return the entry of a decision or leaf of a street tree, in the programme of its stage."""
        stages = self.stages
        tree = stages.betting.trees[number]
        stage = stages.of_round[tree.street]
        programme = stages.programmes[stage]
        if at[0] == "decision":
            decision = tree.decisions[at[1]]
            after = [tree.children[at[1], action] for action in decision.actions]
            if decision.player == self.seat:
                return programme.best([self._entry(number, following) for following in after])
            chances = shared_play(stages.betting, self.players[1 - self.seat], number, at[1]).tolist()
            pairs = zip(chances, after, strict=True)
            return programme.mean([(chance, self._entry(number, following)) for chance, following in pairs if chance])
        leaf = tree.leaves[at[1]]
        if not leaf.is_deal:  # on a full board input 0 is the share of hands beaten minus those lost to
            return programme.mean([(leaf.wins, programme.input(0))] if leaf.wins else [], leaf.mass[self.seat])
        entry = self._tree(leaf.tree)
        later = stages.of_round[stages.betting.trees[leaf.tree].street]
        return entry if later == stage else programme.input(stages.programmes[later].root(entry))


class _Pass:
    """One pass over all boards, from the last stage to the first."""

    def __init__(self, stages: Stages, work: Work) -> None:
        self.work, self.deck, self.cards = work, stages.betting.game.deck, stages.cards
        self.programmes = [programme.arrays() for programme in stages.programmes]
        self.classes = [board_classes(self.deck, count) for count in stages.cards]

    def values(self) -> FloatArray:
        """Return each root of the first stage, the mean over all hands and boards."""
        full = self.classes[-1]
        wins = wins_on_boards(full, self.work, f"strength on {full.size:,} boards")
        if len(self.classes) == 1:
            return self._mean_on_full_boards(wins)
        stage, begun = len(self.classes) - 2, self.cards[-2] > 0
        gathered = None if begun else self._look_up_before_cards(wins)
        while True:
            step = self._look_up(stage, wins) if gathered is None else self._gathered(stage, gathered)
            if stage == 0:
                return self._mean(step)
            gathered = self._give_to_earlier(stage, step)
            stage -= 1

    @cached_property
    def lookup(self) -> FloatArray:
        """What a hand with each number of wins is worth on a full board, [wins, root of the last stage]."""
        most = 2 * comb(self.deck.size - self.cards[-1] - 2, 2)
        share = 2 * np.arange(most + 1) / most - 1  # beaten minus lost to, of all hands that can be met
        programme = self.programmes[-1]
        rows = np.empty((programme.kind.size, share.size))
        kernels.run_programme(programme, share[None], rows)
        return np.ascontiguousarray(rows[programme.root].T)

    def _look_up(self, stage: int, wins: NDArray[np.uint16]) -> _Step:
        """Return the step of the last stage but one: what follows each board is looked up in the table of wins."""
        programme, later = self.programmes[stage], self.programmes[-1].root.size
        followers = self.classes[stage].followers(self.classes[-1])
        numbers, hands = np.arange(self.classes[stage].size), self.deck.hand_count
        scale = 1 / self._deals(stage)

        def do(begin: int, end: int, out: FloatArray) -> None:
            sums, inputs = np.empty(later), np.empty((later, hands))
            scratch = sums, inputs, np.empty((programme.kind.size, hands)), np.empty(hands, dtype=np.bool_)
            board = numbers[begin:end]
            kernels.values_before_last(board, followers, wins, self.lookup, scale, programme, scratch, out)

        return do

    def _look_up_before_cards(self, wins: NDArray[np.uint16]) -> FloatArray:
        """Return what hands are worth before any public card if all cards are dealt at once, [0, input, hand]."""
        followers = self.classes[-2].followers(self.classes[-1])
        later, hands = self.programmes[-1].root.size, self.deck.hand_count
        inputs, alive, scale = np.empty((later, hands)), np.empty(hands, dtype=np.bool_), 1 / self._deals(-2)
        kernels.look_up_later(0, followers, wins, self.lookup, scale, np.empty(later), inputs, alive)
        return inputs[None]

    def _gathered(self, stage: int, gathered: FloatArray) -> _Step:
        """Return the step of a stage for which the values of later boards were gathered, [board, input, hand]."""
        programme, maps = self.programmes[stage], renamings(self.deck)
        cards, hands = self.classes[stage].cards, self.deck.hand_count
        alive = np.array([self.deck.live_hands(board) for board in cards.tolist()])

        def do(begin: int, end: int, out: FloatArray) -> None:
            rows = np.empty((programme.kind.size, hands))
            for number in range(begin, end):
                same = np.sort(maps.card_maps[:, cards[number]], axis=1) == np.sort(cards[number])
                group = maps.hand_maps[same.all(axis=1)]
                gathered[number] = gathered[number][:, group].mean(axis=1)
            kernels.values_on_boards(gathered[begin:end], alive[begin:end], programme, rows, out)

        return do

    def _give_to_earlier(self, stage: int, step: _Step) -> FloatArray:
        """Return the sums of a stage's values for the boards of the stage before, [board, input, hand].

        A board of the stage stands for all that are isomorphic, and each isomorphic earlier board gets the same share
        of its values; those of a single hand become right when isomorphic hands there are averaged.
        """
        here, before = self.classes[stage], self.classes[stage - 1]
        picks = np.array(list(combinations(range(here.count), before.count)), dtype=np.int64)
        roots, hands = self.programmes[stage].root.size, self.deck.hand_count
        found = np.zeros((before.size, roots, hands))
        for begin, values in self._batches(stage, step):
            boards = slice(begin, begin + len(values))
            parts = here.cards[boards][:, picks]
            earlier, renaming = before.locate(parts.reshape(parts.shape[0] * parts.shape[1], before.count))
            weight = here.multiplicity[boards, None] / before.multiplicity[earlier].reshape(parts.shape[:2])
            kernels.add_to_earlier(
                values,
                earlier.reshape(parts.shape[:2]),
                renaming.reshape(parts.shape[:2]),
                weight / self._deals(stage - 1),
                renamings(self.deck).hand_maps,
                found,
            )
        return found

    def _mean(self, step: _Step) -> FloatArray:
        """Return the mean of the first stage's roots over all hands and boards."""
        total = np.zeros(self.programmes[0].root.size)
        for begin, values in self._batches(0, step):
            weight = self.classes[0].multiplicity[begin : begin + len(values)].astype(np.float64)
            total += np.tensordot(weight, values.sum(axis=2), 1)
        return total / self._all_hands(0)

    def _mean_on_full_boards(self, wins: NDArray[np.uint16]) -> FloatArray:
        counts = np.zeros(len(self.lookup))
        for row, weight in zip(wins, self.classes[0].multiplicity, strict=True):
            counts += weight * np.bincount(row[row != DEAD], minlength=len(counts))
        return np.asarray(counts @ self.lookup / self._all_hands(0))

    def _batches(self, stage: int, step: _Step) -> Iterator[tuple[int, FloatArray]]:
        """Yield the values of some hundred boards at a time, [board, root, hand], in order; threads share the work."""
        size, roots = self.classes[stage].size, self.programmes[stage].root.size
        for begin in range(0, size, AT_ONCE):
            end = min(begin + AT_ONCE, size)
            values = np.empty((end - begin, roots, self.deck.hand_count))

            def do(low: int, high: int, begin: int = begin, values: FloatArray = values) -> None:
                step(begin + low, begin + high, values[low:high])

            self.work.run(pieces(end - begin, PIECE), do)
            yield begin, values
            self.work.progress.show(end / size, f"{size:,} boards of {self.cards[stage]} cards")

    def _deals(self, stage: int) -> int:
        """Return the number of possible next public cards, given a hand and the board of a stage."""
        here, later = self.cards[stage], self.cards[stage + 1]
        return comb(self.deck.size - 2 - here, later - here)

    def _all_hands(self, stage: int) -> int:
        """Return the number of all boards of a stage with a hand each."""
        size, count = self.deck.size, self.cards[stage]
        return comb(size, count) * comb(size - count, 2)
