"""Describing and building trees: what is accepted, what is refused, what the tree then looks like."""

import pytest

from counterpoise.upi.commands import GROUPS, all_commands
from counterpoise.upi.hand_order import HANDS
from tests.upi.talk import RIVER, RIVER_LINES, TURN, TURN_LINES, Talk, weights


@pytest.fixture(scope="module")
def turn():
    talk = Talk()
    talk.describe(TURN, TURN_LINES)
    talk.do("build_tree")
    return talk


def test_nodes_have_the_form_that_clients_read(turn):
    """Six lines and a blank one: id, type, board, pot, children, flags."""
    assert turn.ask("show_node r") == ["r", "ROOT", "Ks 7d 4c Jd", "0 0 100", "1 children", "flags: ISOMORPHISM_ON", ""]
    assert turn.ask("show_node r:0:c:b50")[:5] == ["r:0:c:b50", "OOP_DEC", "Ks 7d 4c Jd", "0 50 100", "2 children"]
    assert turn.ask("show_node r:0:c:b50:c")[1:5] == ["SPLIT_NODE", "Ks 7d 4c Jd", "50 50 100", "48 children"]
    assert turn.ask("show_node r:0:c:b50:c:2h")[1:4] == ["OOP_DEC", "Ks 7d 4c Jd 2h", "50 50 100"]
    assert turn.ask("show_node r:0:c:b100:b300:c")[1:5] == ["END_NODE", "Ks 7d 4c Jd", "300 300 100", "0 children"]
    shown = turn.ask("show_children r:0:c")
    assert shown[0::8] == ["child 0:", "child 1:", "child 2:"]
    assert shown[1::8] == ["r:0:c:b100", "r:0:c:b50", "r:0:c:c"]
    assert shown[7::8] == [""] * 3
    assert len(turn.ask("show_children r:0:c:c")) == 48 * 8


def test_nodes_without_blank_lines():
    talk = Talk(blank_lines=False)
    talk.describe(RIVER, RIVER_LINES)
    talk.do("build_tree")
    assert talk.ask("show_children r:0")[1::7] == ["r:0:b120", "r:0:b50", "r:0:c"]


def test_lines_are_added_removed_and_forced():
    talk = Talk()
    talk.describe(RIVER, RIVER_LINES)
    talk.do("remove_line 50 150")
    talk.do("force_line 0 60")
    talk.do("build_tree")
    assert talk.ask("show_children r:0:b50")[1::8] == ["r:0:b50:c", "r:0:b50:f"]
    assert talk.ask("show_children r:0:c")[1::8] == ["r:0:c:b60"]
    assert talk.ask("remove_line 50 150") == ["ERROR: no line begins with 50 150"]
    lines = talk.ask("show_all_lines")
    assert lines[:4] == ["r", "r:0", "r:0:c", "r:0:c:b60"]
    counted = talk.ask("node_count")
    assert counted[-1] == f"TOTAL: {len(lines)}"
    talk.do("clear_lines")
    assert talk.ask("build_tree") == ["ERROR: there are no lines: send add_line"]
    assert talk.ask("is_tree_present") == ["true"]  # what cannot be built leaves the tree as it was


def test_counts_of_nodes_are_those_of_a_walk(turn):
    """A client counts every node of the turn, and every node after one river card 48 times."""
    counts, stack = dict.fromkeys(("OOP_DEC", "IP_DEC", "SPLIT_NODE", "END_NODE"), 0), [("r:0", 1)]
    while stack:
        id, boards = stack.pop()
        counts[turn.ask(f"show_node {id}")[1]] += boards
        children = [line for line in turn.ask(f"show_children {id}") if line.startswith("r:")]
        stack += [(children[0], 48)] if len(children) == 48 else [(child, boards) for child in children]
    told = dict(line.split(": ") for line in turn.ask("node_count") if not line.startswith(" "))
    assert [int(told[kind]) for kind in ("H_DEC", "V_DEC", "SPLIT", "END")] == list(counts.values())
    assert int(told["TOTAL"]) == 1 + sum(counts.values())


def test_information_is_kept_with_the_tree(turn):
    turn.do("add_info_line #Type#Limit game")
    turn.do("add_info_line a remark")
    told = turn.ask("show_tree_info")
    assert "#Board#Ks 7d 4c Jd" in told
    assert "#Pot#100" in told
    assert told[-2:] == ["#Type#Limit game", "a remark"]
    assert "#Type#NoLimit" not in told
    turn.do("reset_tree_info")
    assert "#Type#NoLimit" in turn.ask("show_tree_info")
    assert turn.ask("show_effective_stack") == ["300"]
    assert turn.ask("show_board_no_iso") == ["Ks 7d 4c Jd"]
    assert turn.ask("show_tree_params")[:3] == ["board: Ks 7d 4c Jd", "pot: 0 0 100", "eff_stack: 300"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("set_board", "the board must have 3 to 5 cards, not 0"),
        ("set_board QsQs2h", "Qs"),
        ("set_board Qs2h", "the board must have 3 to 5 cards, not 2"),
        ("set_pot 1 1 10", "the pot must be 0 0 and a number of chips"),
        ("set_pot 0 0 1e99", "chips must be a number from 0 to 1e+09"),
        ("set_pot 0 0 2.5", "chips must be a whole number, not '2.5'"),
        ("set_eff_stack nan", "the stack must be a number"),
        ("set_eff_stack -5", "the stack must be a number from 1 to"),
        ("set_rake 5 3", "the rake must be a number from 0 to 1, not '5'"),
        ("set_rake 0.05 3 1 0", "further arguments must be 0"),
        ("set_range BB 1", "set_range takes 1,326 numbers"),
        (f"set_range BB {'1 ' * 1326}", "a position is OOP or IP, not 'BB'"),
        (f"set_range OOP {'0 ' * 1326}", "no hand has a weight above 0"),
        (f"set_range OOP {'2 ' * 1326}", "must be numbers from 0 to 1, not '2'"),
        ("add_line", "a line has 1 to 100 amounts, not 0"),
        (f"add_line {'1 ' * 101}", "a line has 1 to 100 amounts, not 101"),
        ("add_line 0 x", "an amount must be a number"),
        ("show_node r:0:b77", "'b77' is not in the tree here"),
        ("show_node r:0:c:c:Ks", "Ks is on the board already"),
        ("show_node r:0:c:b100:b300:c:2h", "nobody acts after an all-in"),
        (f"show_node r:0{':c' * 1000}", "a node id may have 1000 letters"),
        ("show_strategy r:0:c:c", "nobody acts at node"),
        ("calc_ev OOP", "takes 2 arguments, not 1"),
        ("calc_eq_node XX r:0", "a position is OOP or IP, not 'XX'"),
        ("go 5 hours", "measured in seconds or steps"),
        ("go 0", "the steps must be a number from 1"),
        ("set_accuracy 1 percent", "in chips or a fraction"),
        ("set_algorithm magic", "magic"),
        ("set_end_string", "the end string must be 1 to 100 printable letters"),
        ('dump_tree "unclosed', "a quotation mark is not closed"),
        ("dump_tree x.cpz tiny", "saved full or with no_rivers"),
        ("load_tree nowhere.cpz", "nowhere.cpz"),
        ("load_script nowhere.txt", "cannot read nowhere.txt"),
        ("load_script a\0b", "is not the name of a file"),
        ("load_tree /", "'/' is not the name of a file"),
        ("dump_tree ..", "is not the name of a file"),
        ("take_a_break 1e9", "the break must be a number"),
        ("calc_eq_preflop OOP", "unknown command 'calc_eq_preflop'"),
        ("x" * (2**22 + 1), "a command may have 4,194,304 letters"),
    ],
)
def test_wrong_input_is_one_sentence(turn, line, complaint):
    (answer,) = turn.ask(line)
    assert answer.startswith("ERROR: ")
    assert complaint in answer


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("add_line 50 60", "line 50 60: seat 1 cannot raise to 60"),
        ("add_line 500", "cannot bet to 500"),
        ("add_line 0 0 0", "the hand is over"),
    ],
)
def test_lines_that_cannot_be_played_are_refused_by_build_tree(line, complaint):
    talk = Talk()
    talk.describe(RIVER, RIVER_LINES)
    talk.do(line)
    (answer,) = talk.ask("build_tree")
    assert answer.startswith("ERROR: ")
    assert complaint in answer
    assert talk.ask("is_tree_present") == ["false"]


@pytest.mark.slow
def test_a_tree_that_does_not_fit_is_refused_before_it_is_built():
    """Any two cards, and twelve bets on each of three streets: hundreds of gigabytes."""
    talk = Talk()
    bets = range(100, 1300, 100)
    lines = [
        (one, one, one + two, one + two, one + two + 100 * three) for one in bets for two in bets for three in bets
    ]
    talk.describe({"board": "Qs Jh 2h", "pot": 100, "stack": 200_000, "oop": "random", "ip": "random"}, lines)
    for command in ("build_tree", "estimate_tree"):
        (answer,) = talk.ask(command)
        assert answer.startswith("ERROR: the spot needs ")
        assert answer.endswith("may be used: leave out some of its lines")


def test_an_error_is_short_however_long_the_range():
    talk = Talk()
    talk.describe(RIVER, RIVER_LINES)
    talk.do(f"set_range OOP {' '.join(str(0.1 if 'Qs' in hand else 0) for hand in HANDS)}")
    (answer,) = talk.ask("build_tree")
    assert answer.startswith("ERROR: oop: range ")
    assert len(answer) < 300


def test_missing_parts_are_named():
    talk = Talk()
    for line, missing in (
        ("set_board Qs Jh 2h", "the board is not set: send set_board"),
        ("add_line 50", "there are no lines: send add_line"),
        ("set_pot 0 0 100", "the pot is not set: send set_pot"),
        ("set_eff_stack 200", "the stack is not set: send set_eff_stack"),
        (f"set_range OOP {weights('AA')}", "the range of OOP is not set: send set_range"),
        (f"set_range IP {weights('KK')}", "the range of IP is not set: send set_range"),
    ):
        assert talk.ask("build_tree") == [f"ERROR: {missing}"]
        talk.do(line)


def test_help_lists_every_command():
    talk = Talk()
    told = "\n".join(talk.ask("help"))
    for name, one in all_commands().items():
        assert f"  {name}" in told
        assert talk.ask(f"help {name}") == [f"  {f'{name} {one.arguments}'.strip()}: {one.help}"]
        assert one.group in GROUPS
