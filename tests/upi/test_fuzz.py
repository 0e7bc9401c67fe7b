"""Whatever is said, the answer is one block with an end string, and never a traceback."""

import pytest
from hypothesis import given, settings, strategies as st

from counterpoise.upi.commands import all_commands
from counterpoise.upi.runner import MISTAKE
from tests.upi.talk import END, RIVER, RIVER_LINES, Talk, answer_in, weights

# Commands that end the conversation, run without end, sleep, or write files are left to other tests.
LEFT_OUT = {"exit", "bye", "quit", "go", "take_a_break", "dump_tree", "set_end_string", "reset_end_string"}
NAMES = sorted(set(all_commands()) - LEFT_OUT)

LONG = {
    "aces": weights("AA"),
    "nothing": "0 " * 1326,
    "ones": "1 " * 3978,
    "halves": "0.5 " * 3978,
    "no numbers": "nan " * 1326,
}
WORDS = st.one_of(
    st.sampled_from(["r", "r:0", "r:0:c", "r:0:b50", "r:0:b50:c", "r:0:b120:f", "r:0:c:c:2h", "r:0:b0", "r:1", "::"]),
    st.sampled_from(["OOP", "IP", "oop", "0", "1", "-1", "50", "1e400", "nan", "inf", "0.5", "chips", '"', "\0", "#"]),
    st.sampled_from(["QsJh2h8d3c", "QsQsQs", "2h 3h 4h"]),
    st.sampled_from(sorted(LONG)).map(lambda name: LONG[name]),
    st.text(max_size=20),
    st.integers().map(str),
    st.floats().map(repr),
)
LINES = (
    st.one_of(
        st.builds(lambda name, words: " ".join([name, *words]), st.sampled_from(NAMES), st.lists(WORDS, max_size=4)),
        st.text(max_size=200),
    )
    .map(lambda text: "".join(text.splitlines()))
    .filter(lambda text: not LEFT_OUT & {*text.replace('"', " ").split()[:1]})
)


@pytest.fixture(scope="module")
def talk():
    found = Talk()
    found.describe(RIVER, RIVER_LINES)
    found.do("build_tree")
    return found


@given(lines=st.lists(LINES, min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_every_line_has_one_answer(talk, lines):
    for line in lines:
        before = len(talk.said)
        talk.session.handle(line)
        said = talk.said[before:]
        if not line.strip() or line.lstrip().startswith("#"):
            assert said == []
            continue
        assert said[-1] == END
        answer = answer_in(said)
        assert MISTAKE not in "".join(answer)
        assert len(answer) == 1 or not any(one.startswith("ERROR") for one in answer)
