"""Blueprints, boards, bets and seats that nested search and translation refuse."""

import numpy as np
import pytest

from counterpoise.betting.rules import CALL
from counterpoise.cards import Range
from counterpoise.errors import InputError
from counterpoise.public import HoldemRules, Profile, build_holdem
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.search import NestedSearch, answer, play_nested, play_translated

from .flop_holdem import KNOWN, SMALL, blueprint, flop, follow, settings

OTHER_GAMES = {
    "deck": FlopHoldem(3, preflop=KNOWN, flop=KNOWN, max_bets=SMALL),
    "betting": FlopHoldem(2, 100, preflop=KNOWN, flop=KNOWN, max_bets=SMALL),
}


@pytest.mark.parametrize("play", [play_nested, play_translated])
@pytest.mark.parametrize("differs", list(OTHER_GAMES))
def test_blueprints_of_other_games(play, differs):
    with pytest.raises(InputError, match=f"the blueprint must be of the same game but for bet sizes; .* {differs}"):
        play(OTHER_GAMES[differs].game(), blueprint(SMALL), 0)


def test_blueprints_on_other_boards():
    profile = blueprint(SMALL)
    game, parts = profile.game, []
    for board in (1, 2):
        node = follow(game, CALL, CALL, cards=flop(game, board))
        parts.append(game.subtree(node, node.reach(profile)))
    with pytest.raises(InputError, match=r"it has another board$"):
        play_translated(parts[0], Profile(parts[1]), 0)


def test_boards_of_another_game():
    """Only games of the same cards share boards; another board, deck, range or symmetry is not the same."""
    profile = blueprint(SMALL)
    game = profile.game
    first, second = (follow(game, CALL, CALL, cards=flop(game, number)) for number in (1, 2))
    made = game.subtree(first, first.reach(profile))
    with pytest.raises(InputError, match=r"boards can be shared by games of the same cards; they differ in board$"):
        game.subtree(second, second.reach(profile), share_boards_with=made)
    with pytest.raises(InputError, match=r"they differ in board$"):
        answer(second, profile, 250, settings("resolve", 5), share_boards_with=made)
    with pytest.raises(InputError, match=r"they differ in board and deal$"):
        game.subtree(first, first.reach(profile), share_boards_with=game)
    full = Range(np.ones(28), game.deck)
    half = Range(np.r_[np.ones(14), np.zeros(14)], game.deck)

    def rules(ranges, **more):
        return HoldemRules((), ranges, game.betting, game.sizes, game.deck, deals=(3,), **more)

    with pytest.raises(InputError, match=r"they differ in range$"):
        build_holdem(rules((full, full)), share_boards_with=build_holdem(rules((half, full))))
    plain = build_holdem(rules((full, full), isomorphism=False))
    with pytest.raises(InputError, match=r"they differ in use of isomorphism$"):
        build_holdem(rules((full, full)), share_boards_with=plain)
    with pytest.raises(InputError, match="they differ in deck"):
        build_holdem(rules((full, full)), share_boards_with=blueprint(SMALL, 3).game)


def test_cards_that_cannot_be_dealt():
    profile = blueprint(SMALL)
    deal = profile.game.root.child(CALL)
    for cards in ((0,), (0, 1), (0, 1, 2, 3), (0, 0, 1)):
        with pytest.raises(InputError, match="cards dealt"):
            deal.deal(cards).strategy(profile)


@pytest.mark.parametrize(
    ("bet", "chosen", "gifts", "message"),
    [
        (150, NestedSearch(), None, "bet 150 is not possible: it may be 200 to 20000 chips in all"),
        (True, NestedSearch(), None, "bet True is not possible"),
        (250, NestedSearch(gifts=True), None, "gifts must be given"),
        (250, NestedSearch(gifts=True), np.array(3.0), r"gifts must be 28 .*not \(\)"),
    ],
    ids=["bet", "no bet", "gifts", "one gift"],
)
def test_wrong_input(bet, chosen, gifts, message):
    profile = blueprint()
    with pytest.raises(InputError, match=message):
        answer(profile.game.root, profile, bet, chosen, gifts=gifts)


def test_wrong_seats_and_words():
    profile = blueprint(SMALL)
    with pytest.raises(InputError, match="bet 250 is not possible: no bet is"):
        answer(profile.game.root, profile, 250)
    with pytest.raises(InputError, match="searcher must be seat 0 or 1, not 2"):
        play_nested(profile.game, profile, 2)
    with pytest.raises(InputError, match="translation must be"):
        play_translated(profile.game, profile, 0, "best")
