"""The form of a spot: texts to spot and back, whose complaint belongs where, undo, templates, addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.cards import Range
from counterpoise.errors import InputError
from counterpoise.web.components.range_grid import canonical, split_range
from counterpoise.web.pages.address import pack, unpack
from counterpoise.web.pages.solution_parts.locks import merged
from counterpoise.web.pages.solution_parts.state import SolutionState
from counterpoise.web.pages.spot_parts.form import FIELDS, form_of, owner, spot_of, streets_without_bets
from counterpoise.web.pages.spot_parts.templates import TITLES, presets, template

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", TITLES)
def test_templates_are_the_examples(name: str) -> None:
    (example,) = (ROOT / "examples" / "spots").glob(f"{name}.*")
    assert template(name) == cp.Spot.load(example)


@pytest.mark.parametrize("name", TITLES)
def test_form_keeps_a_spot(name: str) -> None:
    """What a form shows of a spot reads back to the same game."""
    spot = template(name)
    again = spot_of(form_of(spot))
    assert set(form_of(spot)) == set(FIELDS)
    for field in ("board", "pot", "stack", "rake", "ranges", "sizes", "deck", "min_bet"):
        assert getattr(again, field) == getattr(spot, field)


def test_form_tells_seats_apart() -> None:
    form = form_of(template("turn")) | {"turn.bet.ip": "33% 3e", "river.donk": "none"}
    spot = spot_of(form)
    assert spot.turn is not None
    assert spot.river is not None
    assert spot.turn["bet"] == {"oop": ["50%", "100%"], "ip": ["33%", "3e"]}
    assert spot.river["donk"] == []
    assert form_of(spot) == form | {"turn.bet.ip": "33%, 3e"}


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("board", "Qs Jh"),
        ("pot", "12.5"),
        ("stack", "many"),
        ("oop", "QQx"),
        ("ip", ""),
        ("rake.percent", "-1"),
        ("turn.bet.oop", "50"),
        ("turn.bet.ip", "half"),
        ("river.raise.ip", "1x"),
        ("turn.donk", "?"),
    ],
)
def test_complaints_name_their_field(field: str, text: str) -> None:
    form = form_of(template("turn")) | {field: text}
    with pytest.raises(InputError) as caught:
        spot_of(form)
    assert owner(str(caught.value), form) == field


def test_a_board_of_one_card_less_has_a_street_without_bets() -> None:
    """Without its turn card a spot of the turn begins on the flop, for which it has no sizes."""
    form = form_of(template("turn"))
    assert streets_without_bets(form) == []
    earlier = form | {"board": "Qs Jh 2h"}
    assert streets_without_bets(earlier) == ["flop"]
    assert spot_of(earlier).flop == {"bet": [], "raise": []}
    assert streets_without_bets(earlier | {"flop.donk": "none"}) == ["flop"]
    assert streets_without_bets(earlier | {"flop.bet.ip": "50%"}) == []


def test_ranges_split_and_spell() -> None:
    for text in presets().values():
        kinds, hands = split_range(text)
        tokens = [f"{name}:{weight}" for name, weight in (kinds | hands).items()]
        assert Range.from_string(",".join(tokens)) == Range.from_string(text) == Range.from_string(canonical(text))


def test_addresses() -> None:
    """The state of a page reads back from its address; a damaged one is refused in a sentence."""
    view = SolutionState("jobs/x/result.cpz", node="r:0:b50:c:8h", colour="ev", tab="cards", hand="AKs", other="y")
    view = view.with_locks(merged([], "r:0", "AA,KK", {"c": 1.0}))
    assert SolutionState.from_address(view.address) == view
    for damaged in (5, [1, 2], [{"node": "r:0"}], [{"node": "r:0", "strategy": {"AA": 1}}]):
        assert SolutionState.of({"name": "x", "tab": "lock", "locks": pack(damaged)}) == SolutionState("x", tab="lock")
    assert view.open_locks == [{"node": "r:0", "strategy": {"AA": {"c": 1.0}, "KK": {"c": 1.0}}}]
    assert SolutionState("x").address == "/solution?name=x"
    for damaged in ("nonsense", pack({"a": 1})[:-6], "é"):
        with pytest.raises(InputError, match="damaged"):
            unpack(damaged)


def test_a_packed_bomb_is_refused() -> None:
    """What unpacks to more than a state may hold is not unpacked whole."""
    with pytest.raises(InputError, match="damaged"):
        unpack(pack("a" * 2**22))
