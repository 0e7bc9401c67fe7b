"""CFR-BR on the betting tree of two seats, over boards that are dealt (Johanson 2016, section 4.3).

For each seat there is one run, in which the other seat is the *responder*. It has no buckets, learns by CFR in the
rounds of the trunk and answers exactly after them. An iteration deals the public cards that end the trunk and then, for
each seat,

1. the responder answers the player's current strategy on all boards that may follow, every hand by itself, from the
   last round to the first one after the trunk;
2. its regrets in the trunk gain what the actions there are worth;
3. the player's regrets and average gain against these answers and the responder's new strategy in the trunk.

The player's average converges to the least exploitable strategy that its buckets can express (Johanson 2016, theorem
7), if they have perfect recall. No board is kept from one iteration to the next: in memory are the tables of the
player, the responder's regrets in the trunk, by hand and board up to suits, and its actions on the full boards after
one board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.cards import board_strengths, isomorphism
from counterpoise.errors import InputError
from counterpoise.jobs.pieces import pieces
from counterpoise.parameters import require, require_whole
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels import responder as kernels
from counterpoise.sampling.kernels.blocks import PLACE
from counterpoise.sampling.kernels.responder import (
    DEAL,
    FOLDED,
    SHOWN,
    Gains,
    HandClasses,
    LearningRound,
    ResponderPlay,
    RoundBetting,
    Rows,
    Scene,
)
from counterpoise.sampling.lookup import cards_without_buckets
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import Arrays, TabularWalks, place_all
from counterpoise.sampling.vectors import paid_by_result, require_two_seats
from counterpoise.store.arrays import check_arrays
from counterpoise.store.schemas import RESPONDER

Floats = NDArray[np.float32]
Board = tuple[int, ...]
NO_CHOICE, NOT_MIXED = np.zeros((0, 0), dtype=np.uint8), np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True)
class Boarded:
    """The hands that live on a board, in the order of the deck, and their classes for the player."""

    board: Board
    hands: NDArray[np.int64]
    """Numbers in the deck."""
    source: NDArray[np.int64]
    """The place of each hand among those on the board of the round before."""
    klass: NDArray[np.int64]
    parent: NDArray[np.int64]
    """The class that each class was part of in the round before."""
    classes: HandClasses


class ResponderSampling(TabularWalks):
    """Tables of both seats that learn against a best responder; an iteration is one dealt board, for each seat.

    `nodes_touched` counts betting nodes on one board, whatever the number of hands there.
    """

    kernels = (kernels.respond, kernels.teach)

    def __init__(
        self,
        tree: BettingTree,
        layout: TableLayout,
        abstractions: Sequence[CardAbstraction],
        *,
        trunk: int = 2,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        require_two_seats(tree)
        super().__init__(tree, layout, cards_without_buckets(tree), seed, threads)
        place_all(self.walks, layout)
        self.free = 2 * layout.size
        self.seed, self.trunk = seed, trunk_rounds(tree, trunk)
        self.abstractions = tuple(abstractions) * (2 // len(abstractions))
        self._betting = _rounds(tree, self.walks.nodes)
        most = int(max(np.diff(betting.start).max() for betting in self._betting))
        hands = tree.game.deck.hand_count
        self._rows = [_rows(most, hands, int(tree.arrays.actions.max())) for _ in range(threads)]
        self._gained = np.zeros_like(self.table)
        self.weight = 1.0
        """By how much an iteration counts more than the first one, if early ones are discounted."""
        widths = [[self._width(seat, number) for number in range(self.trunk)] for seat in range(2)]
        sizes = np.multiply(widths, _alike(tree, self.trunk))
        self._regrets = np.zeros(int(sizes.sum()), dtype=np.float32)
        ends = np.cumsum(sizes).reshape(sizes.shape).tolist()
        self.responder = [
            [self._regrets[end - size : end] for end, size in zip(*rows, strict=True)]
            for rows in zip(ends, sizes.tolist(), strict=True)
        ]
        """The responder's regrets, [seat of the player][round of the trunk]."""
        self._choice: dict[int, NDArray[np.uint8]] = {}
        self._share = [
            1 / comb(tree.game.deck.size - 4 - cards, count)
            for cards, count in zip((0, *tree.board_cards[:-1]), tree.game.board, strict=True)
        ]

    def run(self, iterations: int) -> None:
        """Deal a number of boards and let both seats learn on each."""
        for _ in range(iterations):
            board = self.deal(self.iteration)
            for seat in range(2):
                self.iterate(seat, board)
            self.iteration += 1

    def deal(self, number: int) -> Board:
        """Return the public cards of an iteration up to the first round after the trunk, or to the last one."""
        cards = self.tree.board_cards[min(self.trunk, self.tree.rounds - 1)]
        drawn = np.random.default_rng((self.seed, number)).permutation(self.tree.game.deck.cards)
        return tuple(drawn[:cards].tolist())

    def discount(self, factor: float) -> None:
        """Let iterations to come count more, which is the same up to a factor of all tables."""
        self.weight /= factor

    def iterate(self, seat: int, board: Board) -> None:
        """Let the player in a seat, and the responder in the trunk, learn on a board that ends the trunk."""
        views, end = self._trunk_views(seat, board), self.trunk
        scenes = [self._scene(seat, 0, views[0], np.ones((1, len(views[0].classes.bucket)), dtype=np.float32))]
        for number in range(end):
            after = self._descend(scenes[number], number).take(views[number + 1].parent, axis=1)
            scenes.append(self._scene(seat, number + 1, views[number + 1], after))
        scale = self.weight / float(views[end].classes.met.sum())
        # The responder answers after the trunk, then learns in it.
        values = self._answer(seat, end, views[end], scenes[end].reach)
        for number in range(end - 1, -1, -1):
            values = self._learn(scenes[number]._replace(later=values), number, views[number], scale)
        # Its reach with its new strategy, and what the player gains against it.
        theirs, answers = [np.ones((1, len(views[0].hands)), dtype=np.float32)], list[ResponderPlay]()
        for number in range(end):
            answers.append(self._mixed(seat, number, views[number]))
            theirs.append(self._descend_hands(seat, number, answers[number], theirs[number]))
        worth = self._teach(seat, end, views[end], (scenes[end].reach, theirs[end]), scale)
        for number in range(end - 1, -1, -1):
            later = np.zeros((len(worth), len(views[number].classes.bucket)), dtype=np.float32)
            kernels.add_columns(worth, views[number + 1].parent, np.float32(1), later)
            scene = scenes[number]._replace(later=later)
            worth = self._update(scene, number, views[number], theirs[number], answers[number], scale)
        self.table += self._gained
        self._gained[:] = 0.0

    def arrays(self) -> Arrays:
        """Return everything that the next step depends on."""
        return super().arrays() | {"responder": self._regrets, "weight": np.array([self.weight])}

    def restore(self, arrays: Arrays) -> None:
        """Take over the arrays of a run of the same game and settings; refuse others."""
        own = {name: RESPONDER.arrays[f"walks_{name}"] for name in ("responder", "weight")}
        check_arrays("the checkpoint is damaged", arrays, own, {"regrets": len(self._regrets)})
        super().restore(arrays)
        self._regrets[:] = arrays["responder"]
        self.weight = float(arrays["weight"][0])

    # Views of boards

    def _trunk_views(self, seat: int, board: Board) -> list[Boarded]:
        """Return the hands that live on a board, by the classes of each round up to it."""
        tree, found = self.tree, list[Boarded]()
        full = np.flatnonzero(tree.game.deck.live_hands(list(board)))
        for number in range(min(self.trunk, tree.rounds - 1) + 1):
            found.append(
                self._view(seat, number, board[: tree.board_cards[number]], found[-1] if found else None, full)
            )
        return found

    def _view(self, seat: int, number: int, board: Board, above: Boarded | None, hands: NDArray[np.int64]) -> Boarded:
        deck = self.tree.game.deck
        row = np.asarray(self.abstractions[seat].row(board))[hands].astype(np.int64)
        source = np.zeros(len(hands), dtype=np.int64) if above is None else np.searchsorted(above.hands, hands)
        before = np.zeros(len(hands), dtype=np.int64) if above is None else above.klass[source]
        _, first, klass = np.unique(before * (int(row.max()) + 1) + row, return_index=True, return_inverse=True)
        met = np.zeros((len(first), len(hands)), dtype=np.float32)
        full = number == self.tree.rounds - 1
        strengths = board_strengths([board], deck=deck)[0][hands].astype(np.int64) if full else np.zeros(0, np.int64)
        beaten = np.zeros(met.shape if full else (0, len(hands)), dtype=np.float32)
        klass = klass.reshape(-1).astype(np.int64)
        kernels.meet(deck.hands[hands], klass, strengths, met, beaten)
        size = np.bincount(klass).astype(np.float32)
        return Boarded(board, hands, source, klass, before[first], HandClasses(met, beaten, size, row[first]))

    def _after(self, seat: int, number: int, view: Boarded) -> Iterator[Boarded]:
        """Yield the boards that the deal after a round may lead to."""
        deck, count = self.tree.game.deck, self.tree.game.board[number + 1]
        left = [card for card in deck.cards.tolist() if card not in view.board]
        for cards in combinations(left, count):
            dead = np.isin(deck.hands[view.hands], cards).any(axis=1)
            yield self._view(seat, number + 1, (*view.board, *cards), view, view.hands[~dead])

    # The steps of a round

    def _scene(self, seat: int, number: int, view: Boarded, reach: Floats, later: Floats = NOT_MIXED) -> Scene:
        return Scene(self._betting[number], np.int64(seat), view.classes, self.table, reach, later)

    def _descend(self, scene: Scene, number: int) -> Floats:
        """Return the player's reach at the roots of the next round, by the classes of this one."""
        out = np.zeros((self._roots(number + 1), scene.reach.shape[1]), dtype=np.float32)
        kernels.descend(scene, self._rows[0], out)
        return out

    def _descend_hands(self, seat: int, number: int, answers: ResponderPlay, theirs: Floats) -> Floats:
        """Return the responder's reach at the roots of the next round."""
        out = np.zeros((self._roots(number + 1), theirs.shape[1]), dtype=np.float32)
        kernels.descend_hands(self._betting[number], np.int64(seat), answers, theirs, self._rows[0], out)
        return out

    def _answer(self, seat: int, number: int, view: Boarded, reach: Floats, at: int = 0) -> Floats:
        """Answer the player on a board and all that follow; return the values of the responder's hands at the roots.

        The actions are kept: on full boards under the number `at` of the board after the one before.
        """
        scene, hands = self._scene(seat, number, view, reach), len(view.hands)
        if number < self.tree.rounds - 1:
            after = self._descend(scene, number)
            scene = scene._replace(later=np.zeros((len(after), hands), dtype=np.float32))
            for place, board in enumerate(self._after(seat, number, view)):
                values = self._answer(seat, number + 1, board, after.take(board.parent, axis=1), place)
                kernels.add_columns(values, board.source, np.float32(self._share[number + 1]), scene.later)
        choice, out = self._choices(number, at), np.zeros((self._roots(number), hands), dtype=np.float32)
        self._part(number, lambda first, last, rows: kernels.respond(scene, rows, first, last, choice, out))
        return out

    def _learn(self, scene: Scene, number: int, view: Boarded, scale: float) -> Floats:
        """Let the responder learn in a round of the trunk; return the values of its hands at the roots."""
        seat = int(scene.seat)
        mixed, row_of, width = (
            self._mixed(seat, number, view).mixed,
            self._alike(number, view),
            self._width(seat, number),
        )
        out = np.zeros((self._roots(number), len(view.hands)), dtype=np.float32)
        learning = LearningRound(mixed, row_of, np.int64(width), np.float32(scale))
        kernels.learn(scene, self._rows[0], learning, self.responder[seat][number], out)
        self.nodes_touched += len(scene.betting.kind)
        return out

    def _teach(
        self, seat: int, number: int, view: Boarded, reaches: tuple[Floats, Floats], scale: float, at: int = 0
    ) -> Floats:
        """Let the player learn on a board and all that follow, against the answers; return its values by class.

        `reaches` are the player's by class and the responder's by hand.
        """
        (reach, theirs), last = reaches, self.tree.rounds - 1
        scene, answers = self._scene(seat, number, view, reach), ResponderPlay(self._choices(number, at), NOT_MIXED)
        if number < last:
            after, theirs_after = self._descend(scene, number), self._descend_hands(seat, number, answers, theirs)
            scene, share = scene._replace(later=np.zeros_like(after)), self._share[number + 1]
            for place, board in enumerate(self._after(seat, number, view)):
                both = after.take(board.parent, axis=1), theirs_after.take(board.source, axis=1)
                if number + 1 < last:  # only the answers of one board are kept
                    self._answer(seat, number + 1, board, both[0])
                worth = self._teach(seat, number + 1, board, both, scale * share, place)
                kernels.add_columns(worth, board.parent, np.float32(share), scene.later)
        return self._update(scene, number, view, theirs, answers, scale)

    def _update(
        self, scene: Scene, number: int, view: Boarded, theirs: Floats, answers: ResponderPlay, scale: float
    ) -> Floats:
        """Let the player learn in a round; return its values by class at the roots."""
        out = np.zeros((self._roots(number), scene.reach.shape[1]), dtype=np.float32)
        gains = Gains(self._gained, np.float32(scale), np.float32(self.weight / len(view.hands)))
        self._part(
            number, lambda first, last, rows: kernels.teach(scene, theirs, answers, rows, first, last, gains, out)
        )
        return out

    def _part(self, number: int, do: Callable[[int, int, Rows], None]) -> None:
        """Share the roots of a round among threads; what they write lies apart."""
        roots = self._roots(number)
        self.nodes_touched += len(self._betting[number].kind)
        if self._pool is None or roots < self.threads:
            do(0, roots, self._rows[0])
            return
        parts = pieces(roots, -(-roots // self.threads))
        firsts, lasts = zip(*parts, strict=True)
        list(self._pool.map(do, firsts, lasts, self._rows))

    def _mixed(self, seat: int, number: int, view: Boarded) -> ResponderPlay:
        """Return the responder's current strategy in a round of the trunk."""
        width, regrets = self._width(seat, number), self.responder[seat][number]
        mixed = np.zeros((width, len(view.hands)), dtype=np.float32)
        kernels.mix(self._betting[number], np.int64(seat), self._alike(number, view), width, regrets, mixed)
        return ResponderPlay(NO_CHOICE, mixed)

    def _alike(self, number: int, view: Boarded) -> NDArray[np.int64]:
        """Return the class of each hand among those that suits make alike."""
        rounds = _dealt(self.tree, number)
        return isomorphism(rounds, self.tree.game.deck).hand_classes(view.board)[view.hands]

    def _choices(self, number: int, at: int) -> NDArray[np.uint8]:
        """Return where the answers on a board are kept, [decision, hand]."""
        if number not in self._choice:
            count = _boards_kept(self.tree, self.trunk) if number == self.tree.rounds - 1 else 1
            most = max(int((self._betting[number].kind == seat).sum()) for seat in range(2))
            self._choice[number] = np.zeros((count, most, self.tree.game.deck.hand_count), dtype=np.uint8)
        found: NDArray[np.uint8] = self._choice[number][at]
        return found

    def _width(self, seat: int, number: int) -> int:
        """Return how many actions the responder to a seat has in a round."""
        return _entries(self._betting[number])[1 - seat]

    def _roots(self, number: int) -> int:
        return len(self._betting[number].start) - 1


def trunk_rounds(tree: BettingTree, trunk: int) -> int:
    """Return the rounds in which the responder learns: at least the first, and not the last."""
    require_whole("trunk", trunk, 1, 3)
    require(
        tree.rounds > 1, f"CFR-BR needs a deal of public cards after the first round, and {tree.game.name} has none"
    )
    return min(trunk, tree.rounds - 1)


def responder_bytes(tree: BettingTree, layout: TableLayout, trunk: int) -> tuple[int, int]:
    """Return the bytes of the responder's regrets in the trunk, and of everything else beside the player's tables.

    >>> from counterpoise.games import load
    >>> from counterpoise.sampling import build_betting_tree
    >>> tree = build_betting_tree(load("limit_holdem"))
    >>> layout = TableLayout.of(tree, [2, 4, 8, 16])
    >>> [responder_bytes(tree, layout, trunk)[0] for trunk in (1, 2, 3)]  # Johanson 2016, table 4.1
    [14196, 936798772, 362545203748]
    """
    rounds = trunk_rounds(tree, trunk)
    actions = tree.arrays.actions[tree.decisions].astype(np.int64)
    by_round = np.bincount(tree.arrays.round[tree.decisions], weights=actions, minlength=tree.rounds)
    last = int((tree.arrays.round[tree.decisions] == tree.rounds - 1).sum()) // 2
    regrets = sum(int(size * entries) for size, entries in zip(_alike(tree, rounds), by_round, strict=False)) * 4
    return regrets, 8 * layout.size + _boards_kept(tree, rounds) * last * tree.game.deck.hand_count


def _dealt(tree: BettingTree, number: int) -> tuple[int, ...]:
    return (2, *[count for count in tree.game.board[: number + 1] if count])


def _alike(tree: BettingTree, rounds: int) -> list[int]:
    """Return how many hands and boards there are up to suits in each round of a trunk."""
    return [isomorphism(_dealt(tree, number), tree.game.deck).size for number in range(rounds)]


def _boards_kept(tree: BettingTree, trunk: int) -> int:
    """Return on how many full boards answers are kept: those after one board of the round before, or one."""
    last = tree.rounds - 1
    return comb(tree.game.deck.size - tree.board_cards[last - 1], tree.game.board[last]) if trunk < last else 1


def _rows(nodes: int, hands: int, actions: int) -> Rows:
    reach, worth, theirs, value = np.zeros((4, nodes, hands), dtype=np.float32)
    return Rows(reach, worth, theirs, value, np.zeros((actions, hands), dtype=np.float32))


def _entries(betting: RoundBetting) -> tuple[int, int]:
    """Return how many actions each seat has in a round."""
    first, second = (int(betting.actions[betting.kind == seat].sum()) for seat in range(2))
    return first, second


def _rounds(tree: BettingTree, nodes: NDArray[np.uint32]) -> list[RoundBetting]:
    """Return the betting of each round; a showdown after an all-in is a root of each round that is left."""
    result, shown = paid_by_result(tree)
    lose, tie, win = np.moveaxis(result, 2, 0)
    if not np.allclose(result.sum(axis=1)[:, 1], 0) or not np.allclose(2 * tie[shown], (lose + win)[shown]):
        raise InputError("cfr-br needs a game in which one player wins what the other loses, so without rake")
    roots, found = [0], list[RoundBetting]()
    for number in range(tree.rounds):
        betting, roots = _round(tree, nodes, roots, number, (tie, (win - lose) / 2, shown))
        found.append(betting)
    return found


def _round(
    tree: BettingTree, places: NDArray[np.uint32], roots: Sequence[int], number: int, results: tuple[Any, Any, Any]
) -> tuple[RoundBetting, list[int]]:
    tie, half, shown = results
    arrays, last = tree.arrays, number == tree.rounds - 1
    start, rows, entries, numbers, exits = [0], list[tuple[Any, ...]](), [0, 0], [0, 0], list[int]()
    for root in roots:
        here, began = [root], len(rows)
        for node in here:  # grows while it is walked
            end = int(arrays.end[node])
            if tree.decisions[node] and arrays.round[node] == number:
                seat, count = int(arrays.player[node]), int(arrays.actions[node])
                rows.append(
                    (seat, count, began + len(here), int(places[node, PLACE]), entries[seat], numbers[seat], -1)
                )
                here += tree.children(node)
                entries[seat] += count
                numbers[seat] += 1
            elif tree.decisions[node] or (shown[end] and not last):
                rows.append((DEAL, 0, 0, 0, 0, len(exits), -1))
                exits.append(node)
            else:
                rows.append((SHOWN if shown[end] else FOLDED, 0, 0, 0, 0, 0, end))
        start.append(len(rows))
    kind, actions, child, place, entry, numbered, ends = (
        np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)
    )
    at_end = (ends >= 0)[:, None]
    return RoundBetting(
        start=np.array(start, dtype=np.int64),
        kind=kind.astype(np.uint8),
        actions=actions,
        child=child,
        place=place,
        entry=entry,
        number=numbered,
        paid=np.where(at_end, tie[ends], 0).astype(np.float32),
        won=np.where(at_end & shown[ends][:, None], half[ends], 0).astype(np.float32),
    ), exits
