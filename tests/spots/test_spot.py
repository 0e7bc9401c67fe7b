"""Spot files: what they say, how they are written, and one sentence for everything that is wrong with them."""

from __future__ import annotations

import json
import tomllib
import warnings
from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.errors import InputWarning
from counterpoise.spots import spot_files

EXAMPLES = Path(__file__).parents[2] / "examples" / "spots"
GOOD = {
    "board": "Qs Jh 2h 8d",
    "pot": 100,
    "stack": 400,
    "oop": "AA,KK,AKs:0.5,TT+,A5s-A2s,AsKh:0.25",
    "ip": "22+,AT+,KQs",
    "rake": {"percent": 5, "cap": 3.5},
    "turn": {"bet": ["50%", "100%"], "raise": ["60%"], "donk": ["33%"]},
    "river": {"bet": {"oop": ["50%"], "ip": ["allin"]}, "raise": ["3x"]},
}
LOCK = {"node": "r:0:b50", "strategy": {"KsKh": {"call": 1.0}, "AKs": {"f": 0.5, "b170": 0.5}}}


def lock(**changes):
    return {"lock": [LOCK | changes]}


def acts(actions, hands="AA"):
    return lock(strategy={hands: actions})


@pytest.mark.parametrize("path", spot_files(EXAMPLES), ids=lambda path: path.name)
def test_examples_are_good(path):
    spot = cp.Spot.load(path)
    assert spot.name == path.stem
    assert spot.ranges[0].count > 50


def test_what_a_spot_knows():
    spot = cp.Spot(**GOOD, **lock())
    assert spot.first_round == 2
    assert spot.betting.pot == 100
    assert spot.betting.rake.cap == 3.5
    assert spot.ranges[0].weight("AsKh") == 0.25
    assert spot.ranges[1].weight("QsQh") == 0
    (found,) = spot.locks
    assert found.player == 1
    assert found.actions == (-1, 0, 170)
    assert sorted(found.hands.values()) == [(0.0, 1.0, 0.0), *[(0.5, 0.0, 0.5)] * 4]


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_files_are_read_back(tmp_path, suffix):
    spot = cp.Spot(**GOOD, **lock(), name='a "quoted" näme', min_bet=2)
    path = tmp_path / f"spot{suffix}"
    spot.save(path)
    assert cp.Spot.load(path) == spot
    assert cp.Spot.from_dict(tomllib.loads(spot.to_toml())) == spot


def test_a_file_names_its_spot(tmp_path):
    path = tmp_path / "monday.json"
    path.write_text(json.dumps(GOOD))
    assert cp.Spot.load(path).name == "monday"


WRONG = [
    ({"board": "Qs Qs 2h"}, "board: card Qs is repeated in 'Qs Qs 2h'"),
    ({"board": "Qs 1s 2h"}, "board: '1s' is not a card"),
    ({"board": "Qs Jh"}, "board must have 3 to 5 cards, not 2"),
    ({"board": ["Qs"]}, "board must be a text of 3 to 5 cards"),
    ({"board": "Qs Jh 2h", "deck": "short"}, "board: card 2h is not in the deck of 36 cards"),
    ({"board": "Qs Jh 2h"}, "flop must be given: a table with lists bet and raise"),
    ({"pot": 0}, "pot must be a whole number of chips from 1 to 1,000,000,000"),
    ({"pot": 5.5}, "scale all amounts up if a chip is too coarse), not 5.5"),
    ({"pot": True}, "not True"),
    ({"pot": "100"}, "pot must be a whole number of chips"),
    ({"pot": None}, "pot must be a whole number of chips"),
    ({"stack": 0}, "stack must be a whole number of chips from 1"),
    ({"stack": -3}, "not -3"),
    ({"stack": float("nan")}, "not nan"),
    ({"stack": 10**400}, "stack must be a whole number of chips"),
    ({"min_bet": 0}, "min_bet must be a whole number"),
    ({"oop": "QsQh"}, "oop: range 'QhQs': every hand shares a card with board"),
    ({"oop": "AA:1.5"}, "oop: range token 'AA:1.5': the weight must be a number from 0 to 1, not '1.5'"),
    (
        {"ip": "AA,KcKd:0.0000001"},
        "ip: KcKd has weight 1e-07, and a weight must be at least a millionth of the largest",
    ),
    ({"ip": "AA:nan"}, "the weight must be a number from 0 to 1, not 'nan'"),
    ({"ip": ""}, "ip: range '' is empty"),
    ({"ip": "AKx"}, "ip: range token 'AKx' cannot be read"),
    ({"ip": 3}, "ip must be a range in words"),
    ({"oop": "AsKs", "ip": "AsKd,KsAd"}, "oop and ip: on board Qs Jh 2h 8d every hand of one shares a card"),
    ({"rake": {"percent": -1}}, "rake.percent must be a number from 0 to 100, not -1"),
    ({"rake": {"percent": 101}}, "rake.percent must be a number from 0 to 100, not 101"),
    ({"rake": {"percent": float("inf")}}, "rake.percent must be a number from 0 to 100, not inf"),
    ({"rake": {"percent": 5, "cap": -1}}, "rake.cap must be a number of chips, 0 or more, not -1"),
    ({"rake": {"percent": 5, "cap": 0}}, "rake.cap must be above 0 when rake.percent is 5.0"),
    ({"rake": {"percent": 5, "cop": 1}}, "rake has no field 'cop': did you mean cap?"),
    ({"rake": 5}, "rake must be a table with percent and cap, not 5"),
    ({"trun": {}}, "there is no field 'trun': did you mean turn?"),
    ({"turn": {"bets": []}}, "turn has no field 'bets': did you mean bet?"),
    ({"turn": {"bet": "50%"}}, "turn.bet must be a list of sizes"),
    ({"turn": {"bet": ["50"]}}, "turn.bet: '50' is not a bet size"),
    ({"turn": {"bet": ["3x"]}}, "turn.bet: '3x' multiplies the bet faced, so it belongs to raises"),
    ({"turn": {"bet": ["0%"]}}, "turn.bet: '0%' must be above 0"),
    ({"turn": {"bet": {"oop": []}}}, "turn.bet must be a list of sizes, or a table with the lists oop and ip"),
    ({"turn": 3}, "turn must be a table with lists of sizes"),
    ({"flop": {"bet": ["x"]}}, "flop.bet: 'x' is not a bet size"),
    ({"turn": {}, "river": {"raise": ["60%"]}}, "turn, river: no bet is possible: give bet at least one size"),
    ({"deck": "big"}, "deck must be standard or short, not 'big'"),
    ({"name": "a\nb"}, "name must be one line of text"),
    ({"name": "a" * 201}, "name must be a text of at most 200 characters"),
    ({"lock": 3}, "lock must be a list of tables"),
    (lock(node="r:0:b60"), "lock 1: node 'r:0:b60': 'b60' is not in the tree here, only c, b50, b100"),
    (lock(node="b50"), "lock 1: node 'b50' must start with r:0"),
    (lock(node="r:0:b50:f"), "lock 1: nobody acts at node 'r:0:b50:f': the hand is over"),
    (lock(node="r:0:b50:c"), "lock 1: nobody acts at node 'r:0:b50:c': a card is dealt"),
    (lock(node="r:0:b50:c:8d"), "lock 1: node 'r:0:b50:c:8d': 8d is on the board already"),
    (lock(node=3), "lock 1: node must be a node id"),
    (lock(nod="r:0"), "lock 1 has no field 'nod': did you mean node?"),
    (lock(strategy={}), "lock 1: strategy must be a table of hands"),
    (lock(strategy={"AA": 3}), "lock 1: strategy.AA must be a table of actions and probabilities, not 3"),
    ({"lock": [{"node": "r:0"}]}, "lock 1: strategy must be given"),
    ({"lock": [LOCK, LOCK]}, "lock 2: node 'r:0:b50' is locked twice"),
    ({"lock": [LOCK] * 10_001}, "lock must be a list of tables, at most 10,000"),
    ({"lock": [{"node": "r:0:b50", "strategy": {str(k): {} for k in range(5001)}}]}, "at most 5,000"),
    ({"turn": {"bet": ["50%"] * 1001}}, "turn.bet must have at most 1,000 sizes, not 1,001"),
    (acts({"call": 0.5}), "lock 1: strategy.AA: the probabilities must sum to 1, not to 0.5"),
    (acts({}), "lock 1: strategy.AA: the probabilities must sum to 1, not to 0"),
    (acts({"call": 1.5, "fold": -0.5}), "lock 1: strategy.AA.call must be a probability from 0 to 1, not 1.5"),
    (acts({"call": "x"}), "lock 1: strategy.AA.call must be a probability from 0 to 1, not 'x'"),
    (acts({"call": float("nan")}), "lock 1: strategy.AA.call must be a probability from 0 to 1, not nan"),
    (acts({"check": 1.0}), "lock 1: strategy.AA: 'check' is no action here: known: f, fold, c, call, b170"),
    (acts({"call": 1.0}, "72o"), "lock 1: strategy.72o: no such hand is in the range of ip at node 'r:0:b50'"),
    (acts({"call": 1.0}, "AA:0.5"), "lock 1: strategy.AA:0.5: hands that are locked have no weights"),
    (acts({"call": 1.0}, "A"), "lock 1: strategy.A: range token 'A' cannot be read"),
]


@pytest.mark.parametrize(("change", "words"), WRONG, ids=lambda value: value[:40] if isinstance(value, str) else "")
def test_wrong_fields(change, words):
    with pytest.raises(cp.InputError) as caught:
        cp.Spot.from_dict(GOOD | change, "my.toml")
    sentence = str(caught.value)
    assert sentence.startswith("my.toml: ")
    assert words in sentence
    assert "\n" not in sentence
    with pytest.raises(cp.InputError) as caught:
        cp.Spot(**GOOD | change)
    assert words in str(caught.value)


@pytest.mark.parametrize("field", ["board", "pot", "stack", "oop", "ip"])
def test_missing_fields(field):
    with pytest.raises(cp.InputError, match=f"^x: {field} must be given"):
        cp.Spot.from_dict({key: value for key, value in GOOD.items() if key != field}, "x")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.toml", b"board = ", "is not TOML"),
        ("a.toml", b"pot = 1\npot = 2", "is not TOML"),
        ("a.toml", b"a" + b".a" * 100_000 + b" = 1", "more than 50 parts"),
        ("a.json", b"{", "is not JSON"),
        ("a.json", b"\xff\xfe", "is not JSON"),
        ("a.json", b"[1, 2]", "must hold a table of fields"),
        ("a.json", b'{"pot": 1, "pot": 2}', "the key 'pot' is given twice"),
        ("a.json", b'{"pot": NaN}', "pot is not a finite number"),
        ("a.json", b"[" * 100_000, "it is nested too deeply"),
        ("a.toml", b"# " + b"x" * 2**20, "is larger than 1 MB"),
        ("a.txt", b"", "must end in .toml or .json"),
    ],
)
def test_wrong_files(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(cp.InputError) as caught:
        cp.Spot.load(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(cp.InputError, match="No such file"):
        cp.Spot.load(tmp_path / "a.toml")
    (tmp_path / "b.toml").mkdir()
    with pytest.raises(cp.InputError, match="is a folder"):
        cp.Spot.load(tmp_path / "b.toml")
    with pytest.raises(cp.InputError, match="a spot is a table"):
        cp.Spot.from_dict([1])


@pytest.mark.parametrize(("percent", "doubtful"), [(0.05, True), (0.49, True), (0, False), (0.5, False), (5, False)])
def test_a_rake_that_is_hardly_meant(percent, doubtful):
    """0.05 is taken as it is written, 0.05 per cent, but most who write it mean five."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spot = cp.Spot(**GOOD | {"rake": {"percent": percent, "cap": 3}})
    assert spot.betting.rake.percent == percent
    told = [str(warning.message) for warning in caught if warning.category is InputWarning]
    sentence = f"rake.percent = {percent:g} is {percent:g} per cent of the pot: write 5 for five per cent"
    assert told == ([sentence] if doubtful else [])
