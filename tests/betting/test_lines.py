"""Bets as a list of lines: the same trees as sizes make, trees that no sizes make, and lines that cannot be."""

import pytest

from counterpoise.betting.lines import LINE_SIZES, LineBetting
from counterpoise.betting.rules import CALL, FOLD, Betting
from counterpoise.betting.sizes import BetSizes, read_node
from counterpoise.errors import InputError
from counterpoise.seats import CHANCE

TURN = Betting.spot(pot=100, stack=400, first_round=2)
TABLES = {
    "turn": {"bet": ["50%", "allin"], "raise": ["60%"]},
    "river": {"bet": {"oop": ["33%"], "ip": ["75%"]}, "raise": ["3x", "allin"], "donk": []},
}


def lines_of(betting, sizes):
    """Every line of betting from the root to an end, in totals, by walking the rules alone."""
    found, stack = [], [((), betting.initial())]
    while stack:
        line, state = stack.pop()
        while state.to_act == CHANCE:
            state = betting.deal(state)
        if state.to_act < 0:
            found.append(line)
            continue
        for action in sizes.actions(betting, state):
            if action != FOLD:
                total = action if action > 0 else state.paid[state.to_act] + state.to_call
                stack.append(((*line, total), betting.apply(state, action)))
    return found


def tree(betting, sizes, state=None):
    """The menus of a whole betting tree, nested."""
    state = betting.initial() if state is None else state
    if state.to_act == CHANCE:
        state = betting.deal(state)
    if state.to_act < 0:
        return None
    return {action: tree(betting, sizes, betting.apply(state, action)) for action in sizes.actions(betting, state)}


def test_the_lines_of_bet_sizes_make_the_same_tree():
    sizes = BetSizes.read(TABLES, 2)
    lines = lines_of(TURN, sizes)
    assert len(lines) > 30
    assert tree(LineBetting.of(TURN, lines), LINE_SIZES) == tree(TURN, sizes)


def test_bets_may_depend_on_the_way_to_a_state():
    """No sizes make these: the same chips and the same last bettor, and other bets, because another line led there."""
    betting = LineBetting.of(TURN, [(20, 80, 80, 80, 200), (0, 80, 80, 80, 300)])
    raised, bet = (read_node(betting, f"r:0:{way}:8h:c", LINE_SIZES).state for way in ("b20:b80:c", "c:b80:c"))
    assert (raised._replace(line=0), bet._replace(line=0)) == (bet._replace(line=0), raised._replace(line=0))
    assert LINE_SIZES.actions(betting, raised) == (CALL, 200)
    assert LINE_SIZES.actions(betting, bet) == (CALL, 300)


def test_beyond_a_line_only_checks_calls_and_folds_are_left():
    betting = LineBetting.of(TURN, [(50,)])
    called = read_node(betting, "r:0:b50:c:8h").state
    assert LINE_SIZES.actions(betting, read_node(betting, "r:0:b50").state) == (FOLD, CALL)
    assert LINE_SIZES.actions(betting, called) == (CALL,)


def test_a_forced_line_leaves_one_action():
    betting = LineBetting.of(TURN, [(0, 60), (100,)], forced=[(50,)])
    assert LINE_SIZES.actions(betting, betting.initial()) == (50,)
    twice = LineBetting.of(TURN, [], forced=[(50,), (100,)])
    with pytest.raises(InputError, match="another action is forced"):
        LINE_SIZES.actions(twice, twice.initial())


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ((50, 20), "20 is less than the 50 that must be paid"),
        ((50, 60), "cannot raise to 60"),
        ((401,), "cannot bet to 401"),
        ((0, 0, 0, 0, 0), "the hand is over"),
        ((400, 400, 400), "the hand is over"),
    ],
)
def test_lines_that_cannot_be_played_are_refused(line, complaint):
    with pytest.raises(InputError, match=complaint):
        list(LineBetting.of(TURN, [line]).read_line(line))
