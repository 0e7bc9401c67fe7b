"""Classes of boards and what follows them."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise.abstraction.boards import board_classes, renamings
from counterpoise.cards import STANDARD_DECK, Deck


def test_counts_of_the_whole_deck() -> None:
    """Boards: 1,755 flops, 16,432 turns and 134,459 rivers."""
    assert [board_classes(STANDARD_DECK, count).size for count in (0, 3, 4, 5)] == [1, 1755, 16432, 134459]


@pytest.mark.parametrize("deck", [STANDARD_DECK, Deck(ranks=5), Deck(ranks=6, suits=3)], ids=str)
@pytest.mark.parametrize("count", [3, 4, 5])
def test_renaming_takes_a_board_to_the_board_of_its_class(deck: Deck, count: int) -> None:
    classes = board_classes(deck, count)
    generator = np.random.default_rng(count)
    boards = np.array([generator.choice(deck.cards, count, replace=False) for _ in range(50)])
    numbers, renaming = classes.locate(boards)
    for board, number, which in zip(boards, numbers, renaming, strict=True):
        assert sorted(renamings(deck).card_maps[which][board]) == sorted(classes.cards[number])
        assert classes.locate_one(board.tolist()) == (number, which)


def test_multiplicity_counts_all_boards() -> None:
    assert board_classes(STANDARD_DECK, 5).multiplicity.sum() == 2_598_960


@pytest.mark.parametrize(("count", "points"), [(3, 1_286_792), (4, 13_960_050)])
def test_representatives_are_the_classes_of_hands_on_boards(count: int, points: int) -> None:
    """Hands: one representative for each class of hand and unordered board."""
    found = board_classes(STANDARD_DECK, count).representative
    assert (found == np.arange(1326)).sum() == points


def test_followers_are_all_completions(small: object) -> None:
    deck = Deck(ranks=5)
    flops, rivers = board_classes(deck, 3), board_classes(deck, 5)
    followers = flops.followers(rivers)
    assert followers.after.shape == (flops.size, 17 * 16 // 2)
    boards = flops.completed(np.array([7]), 5)[0]
    assert len({tuple(sorted(board)) for board in boards.tolist()}) == 136
    maps = renamings(deck).card_maps
    for at, board in enumerate(boards):
        renamed = maps[followers.renaming[7, at]][board]
        assert sorted(renamed) == sorted(rivers.cards[followers.after[7, at]])
