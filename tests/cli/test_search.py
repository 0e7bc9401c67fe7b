"""`counterpoise search`: figures, JSON keys, bets by street, an unknown bet, one sentence for wrong input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import counterpoise as cp
from counterpoise.spots import load_searchable
from counterpoise.store import cpz
from tests.spots.conftest import TURN

START = [sys.executable, "-c", "from counterpoise.cli import main; main()"]
KEYS = {
    *("id", "start", "facing", "searcher", "method", "loss", "loss_pct", "mean_loss", "mean_loss_pct", "hands", "node"),
    *("smallest_margin", "mean_margin", "ev_before", "ev_after", "exploitability_pct", "iterations", "cpu_seconds"),
    *("safe", "verdict", "cost", "cost_pct", "gifts", "gift_scale", "mean_gift", "spread", "frequencies_before"),
    *("target", "sizes", "cost_before", "guarantee", "guarantee_pct", "gain_pct", "shortfall", "shortfall_pct"),
}


@pytest.fixture(scope="module")
def solution() -> cp.Solution:
    spot = cp.Spot(**(TURN | {"name": "turn", "oop": "AhKh,9d8d,7c7s:0.5,QhTh", "ip": "KdQd,JhTh:0.75,AdQc,8h8c"}))
    return cp.solve_spot(spot, target=0.2, progress=False, threads=1)


@pytest.fixture
def file(solution: cp.Solution, tmp_path: Path) -> Path:
    solution.save(tmp_path / "turn.cpz")
    return tmp_path / "turn.cpz"


def test_json_has_the_keys(ask: Callable[..., dict[str, Any]], file: Path) -> None:
    answer = ask("search", file, "--node", "r:0:c")
    assert set(answer) >= KEYS
    assert (answer["searcher"], answer["method"], answer["target"], answer["facing"]) == ("ip", "resolve", 0.2, None)
    assert answer["exploitability_pct"] <= 0.2
    assert answer["loss"] == pytest.approx(max(0, -answer["smallest_margin"]))
    assert min(hand["margin"] for hand in answer["hands"]) == pytest.approx(answer["smallest_margin"])
    assert answer["loss_pct"] == pytest.approx(100 * answer["loss"] / answer["pot"])
    assert answer["gain_pct"] == max(answer["shortfall_pct"], answer["mean_loss_pct"]) <= answer["loss_pct"]
    assert answer["safe"] == (answer["gain_pct"] <= 0.5)
    assert answer["verdict"].startswith("Safe: " if answer["safe"] else "Not safe")
    assert set(answer["frequencies_before"]) == {"c", "b50"}
    assert answer["node"]["id"] == "r:0:c"
    assert {row["hand"] for row in answer["node"]["hands"]} == {"KdQd", "JhTh", "AdQc", "8c8h"}


def test_a_search_put_into_its_solution(
    ask: Callable[..., dict[str, Any]],
    call: Callable[..., Result],
    refuse: Callable[..., str],
    file: Path,
    solution: cp.Solution,
) -> None:
    """The file has the new strategy; what cannot be put in is refused, and the file stays."""
    answer = ask("search", file, "--node", "r:0:c", "--target", 0.1, "--into", file)
    assert answer["safe"]
    assert set(answer["into"]) == {"file", "guarantee", "exploitability_pct"}
    assert answer["into"]["guarantee"] == pytest.approx(answer["guarantee"])
    changed = cp.load_solution(file)
    new = dict(zip(answer["node"]["actions"], answer["node"]["frequencies"], strict=True))
    assert changed.node("r:0:c").frequencies == pytest.approx(new, abs=1e-6)
    assert changed.exploitability_pct == pytest.approx(answer["into"]["exploitability_pct"])
    assert changed.node("r:0").frequencies == pytest.approx(solution.node("r:0").frequencies)
    told = call("search", file, "--node", "r:0:b50", "-n", 10, "--into", file, "--force")
    assert f"put into {file}: in the whole spot oop can gain at most" in told.stdout
    assert "cannot be put in" in refuse("search", file, "--node", "r:0:c", "--facing", 30, "-n", 2, "--into", file)
    assert "does not exist" in refuse("search", file, "--node", "r:0:c", "-n", 2, "--into", file.with_name("no.cpz"))


def test_what_is_not_safe_is_put_in_only_if_forced(
    call: Callable[..., Result], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search is shown, the solution stays as it was, and the reason is told."""
    before, words = file.read_bytes(), ("search", file, "--node", "r:0:c", "-n", 5, "--into", file)
    for name, value, reason in (
        ("search.result.SAFE_PCT", -1.0, "it is not safe"),
        ("strategies.SpotStrategies.interrupted", property(lambda _: True, lambda *_: None), "Ctrl-C ended it"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"counterpoise.spots.{name}", value)
            told, answer = call(*words), call(*words, "--json")
            assert "could win" in told.stdout
            assert "put into" not in told.stdout
            assert f"was not put into {file}, because {reason}: --force puts it in all the same" in told.stderr
            assert json.loads(answer.stdout)["into"] is None
            assert told.exit_code == answer.exit_code == 1
            assert file.read_bytes() == before
            assert f"put into {file}" in call(*words, "--force").stdout
            assert file.read_bytes() != before
            file.write_bytes(before)


def test_a_search_that_cannot_be_put_in_is_shown(
    call: Callable[..., Result], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(cp.Solution, "save", fail)
    result = call("search", file, "--node", "r:0:c", "-n", 30, "--into", file, "--force")
    assert result.exit_code == 1
    assert "could win" in result.stdout
    assert f"the search could not be put into {file}: the disk is full" in result.stderr


def test_headers_are_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cp.search_spot(file, iterations=2, threads=1, progress=False).save("found.cpz")
    read, seen = cpz._read_header, []
    monkeypatch.setattr(cpz, "_read_header", lambda *arguments: seen.append(arguments[1]) or read(*arguments))
    for path in (file, Path("found.cpz")):
        seen.clear()
        load_searchable(path)
        assert seen == [path]


def test_bets_by_street(ask: Callable[..., dict[str, Any]], file: Path) -> None:
    words = ("--bet", "25%", "--bet", "river:50%,allin", "--raise", "allin", "-n", 20)
    answer = ask("search", file, *words, "--look", "r:0:c:c:8h")
    assert answer["start"] == "r:0"
    assert answer["target"] is None
    assert answer["node"]["actions"] == ["c", "b50", "b150"]
    assert ask("search", file, *words)["node"]["actions"] == ["c", "b25"]
    assert ask("search", file, *words, "--look", "r:0:b25")["node"]["actions"] == ["f", "c", "b150"]
    quiet = ask("search", file, "--bet", "river:none", "-n", 20, "--look", "r:0:c:c:8h")
    assert quiet["node"]["actions"] == ["c"]
    assert quiet["sizes"]["river"]["bet"] == {"oop": [], "ip": ["allin"]}
    for order in ((0, 1), (1, 0)):  # a street that is named keeps its own, whichever comes first
        given = [("--bet", "river:75%"), ("--bet", "33%")]
        sizes = ask("search", file, *given[order[0]], *given[order[1]], "-n", 2)["sizes"]
        assert (sizes["turn"]["bet"]["oop"], sizes["river"]["bet"]["oop"]) == (["33%"], ["75%"])


def test_bets_leave_donk_bets_alone(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    river = {"bet": ["allin"], "donk": ["20%"]}
    solved = cp.solve_spot(cp.Spot(**(TURN | {"river": river})), iterations=5, progress=False, threads=1)
    solved.save(tmp_path / "donk.cpz")
    words = ("search", "donk.cpz", "--bet", "50%", "-n", 2, "--look", "r:0:c:b50:c:8h")
    assert ask(*words, "--searcher", "oop")["node"]["actions"] == ["c", "b90"]  # 20 % of 200 after 50 each
    assert ask(*words, "--searcher", "ip")["sizes"]["river"]["donk"] == ["20%"]


@pytest.mark.slow
def test_an_unknown_bet(ask: Callable[..., dict[str, Any]], call: Callable[..., Result], file: Path) -> None:
    answer = ask("search", file, "--node", "r:0:c", "--facing", 80, "--method", "maxmargin", "--plot", "grid.png")
    assert (answer["facing"], answer["start"], answer["searcher"]) == ("b80", "r:0:c:b80", "oop")
    assert answer["node"]["pot"] == 180
    assert Path("grid.png").read_bytes().startswith(b"\x89PNG")
    told = call("search", file, "--node", "r:0:c", "--facing", 80, "--grid")
    assert told.exit_code == 0
    for words in ("b80 (bet 80), which the old strategy does not know", "guarantee", "OOP to act, pot 180"):
        assert words in told.stdout


def test_the_guarantee_in_words(call: Callable[..., Result], file: Path) -> None:
    told = call("search", file, "--node", "r:0:c", "--target", 0.1).stdout
    assert "resolve for ip" in told
    assert "Safe: oop gains next to nothing, on average 0." in told
    assert "in the whole spot oop can gain at most" in told
    assert "as it arrives" in told
    assert "all hands alike" in told
    lines = [line.split() for line in told.splitlines()]
    assert ["id", "action", "frequency", "before", "EV"] in lines
    row = next(line for line in lines if line[:1] == ["b50"])
    assert (row[1:3], row[4], row[6]) == (["bet", "50"], "%", "%")
    assert "hand of oop" in told
    assert "nan" not in told


def test_missing_the_target_is_exit_code_1(call: Callable[..., Result], file: Path) -> None:
    result = call("search", file, "-n", 2, "--target", 1e-6)
    assert result.exit_code == 1
    assert "not reached" in result.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--node", "r:0:b51"), "'b51' is not in the tree here"),
        (("--node", "r:0:c:c"), "deals a card"),
        (("--facing", "50"), "this bet is in the tree, search node r:0:b50"),
        (("--facing", "1000"), "may bet 1 to 150 chips"),
        (("--facing", "half"), "--facing must be whole chips"),
        (("--searcher", "me"), "--searcher must be oop or ip"),
        (("--method", "safe"), "--method must be"),
        (("--bet", "flop:50%"), "'flop' is no street from here on: turn, river"),
        (("--bet", "lots"), "'lots' is not a bet size"),
        (("--bet", "river:"), "lacks a size: write 50%,allin, or none for no bets"),
        (("--bet", "50%,,allin"), "lacks a size"),
        (("--bet", "none,50%"), "none is for no bets at all, without other sizes"),
        (("--bet", "50%", "--bet", "75%"), "--bet is given twice for all streets: write all sizes in one"),
        (("--raise", "river:allin", "--raise", "river:60%"), "--raise is given twice for the river"),
        (("--raise", ""), "lacks a size: write 50%,allin, or none for no raises"),
        (("--bet", "-50%"), "must be above 0"),
        (("--bet", "50"), "'50' is not a bet size"),
        (("--facing", "-20"), "--facing must be whole chips"),
        (("--facing", "0"), "may bet 1 to 150 chips"),
        (("--facing", "9" * 5000), "--facing must be whole chips"),
        (("--facing", "b" + "9" * 5000), "--facing must be whole chips"),
        (("--node", "r:0:b" + "9" * 5000), "a node is named by its id"),
        (("--look", "r:0:b" + "9" * 5000), "a node is named by its id"),
        (("--facing", "b"), "--facing must be whole chips"),
        (("--facing", "²"), "--facing must be whole chips"),
        (("--node", ""), "must start with r:0"),
        (("--node", "r"), "must start with r:0"),
        (("--node", "r:0:"), "'' is no action"),
        (("--node", "r:0:c:c:Ks"), "is on the board already"),
        (("--node", "r:0:c:c:1x"), "a card such as 8h is due"),
        (("--node", "r:0:c:b-50"), "'b-50' is no action"),
        (("--gifts", "all"), "--gifts must be none, lower or exact"),
        (("--gift-scale", "2"), "needs gifts"),
        (("--gifts", "lower", "--gift-scale", "-1"), "--gift-scale must be a number of at least 0"),
        (("--gifts", "lower", "--gift-scale", "inf"), "--gift-scale must be a number of at least 0"),
        (("--gifts", "lower", "--method", "unsafe"), "unsafe has none"),
        (("--spread", "2%"), "is for the method distributional, not for resolve"),
        (("--method", "distributional"), "needs a spread, in per cent of the pot"),
        (("--method", "distributional", "--spread", "much"), "'much' is not a number"),
        (("--method", "distributional", "--spread", "nan"), "needs a spread above 0"),
        (("--threads", "0"), "--threads must be"),
        (("--algorithm", "egt"), "does not run on spots"),
        (("--raise", "turn:0%"), "must be above 0"),
        (("--target", "-1"), "--target must be a positive number"),
        (("--plot", "grid.txt"), "grid.txt"),
        (("--bits", "7"), "--bits must be 16 or 32"),
        (("--out", "new.txt"), "--out must name a file ending in .cpz"),
        (("--out", "turn.cpz"), "which is read"),
        (("--out", "new.cpz", "--into", "new.cpz"), "--out and --into both name new.cpz: they need two files"),
        (("--into", "x.png", "--plot", "x.png"), "--into and --plot both name x.png: they need two files"),
        (("--force",), "--force makes no sense here: there is no --into"),
        (("--algorithm", "pcs"), "pcs cannot search: name a variant of CFR"),
        (("--look", "r:0:b50:f"), "it is folded"),
        (("--node", "r:0:c", "--look", "r:0:b50"), "is not below r:0:c"),
        (("--look", "r:0:c:c", "--grid"), "nobody acts there"),
    ],
)
def test_wrong_input(refuse: Callable[..., str], file: Path, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refuse("search", file, *words)


def test_saved_and_looked_at(
    ask: Callable[..., dict[str, Any]], call: Callable[..., Result], refuse: Callable[..., str], file: Path
) -> None:
    before = ask("search", file, "--node", "r:0:c", "--facing", 80, "--out", "new.cpz")
    after = ask("search", "new.cpz")
    for key in KEYS - {"node"}:
        assert after[key] == before[key], key
    assert after["node"]["hands"] == before["node"]["hands"]
    assert call("search", "new.cpz", "--look", "r:0:c:b80:c:8h", "--grid").exit_code == 0
    assert "--target makes no sense here: new.cpz is a search" in refuse("search", "new.cpz", "--target", 0.1)
    assert "only raise to 150 chips" in refuse("search", "new.cpz", "--facing", 70)
    assert "is not below r:0:c:b80" in refuse("search", "new.cpz", "--look", "r:0")
    assert "holds a search, not a spot: look at it with counterpoise search" in refuse("spot", "new.cpz")


def test_searched_further(ask: Callable[..., dict[str, Any]], refuse: Callable[..., str], file: Path) -> None:
    """A saved search is searched again, below the bet that it answers."""
    ask("search", file, "--node", "r:0:c", "--facing", 20, "--bet", "river:50%", "--out", "first.cpz")
    words = ("--node", "r:0:c:b20:c:8h:c", "--facing", 30)
    second = ask("search", "first.cpz", *words, "--gifts", "lower", "--out", "second.cpz")
    assert (second["start"], second["facing"], second["gifts"]) == ("r:0:c:b20:c:8h:c:b50", "b50", "lower")
    assert second["pot"] == 140
    assert ask("search", "second.cpz")["hands"] == second["hands"]
    third = ask("search", "second.cpz", "--raise", "allin", "--method", "distributional", "--spread", "2%")
    assert (third["id"], third["spread"], third["node"]["actions"]) == (second["start"], 2.0, ["f", "c", "b150"])
    assert "is not below r:0:c:b20" in refuse("search", "first.cpz", "--node", "r:0:b50")


def test_the_guarantee_of_a_search_in_a_search(
    ask: Callable[..., dict[str, Any]], call: Callable[..., Result], file: Path
) -> None:
    """Costs add up for one player; the other's strategy in a search has no guarantee to go on from."""
    first = ask("search", file, "--node", "r:0:c", "-n", 3, "--out", "first.cpz")
    assert (first["cost_before"], first["guarantee"]) == (0, first["cost"])
    second = ask("search", "first.cpz", "--node", "r:0:c:b50:c:8h", "--searcher", "ip", "-n", 3, "--out", "second.cpz")
    assert second["guarantee"] == second["cost"] + first["cost"] > second["cost"]
    assert f"{first['cost']:.3f} of them by the searches before" in call("search", "second.cpz").stdout
    other = call("search", "first.cpz", "--node", "r:0:c:b50", "-n", 3)
    assert "not known: the search before was for ip" in other.stdout
    assert ask("search", "first.cpz", "--node", "r:0:c:b50", "-n", 3)["guarantee"] is None


def test_gifts_in_words(call: Callable[..., Result], file: Path) -> None:
    words = ("search", file, "--node", "r:0:b50:c:8h", "--searcher", "oop", "--gifts", "lower")
    whole, half = (call(*words, "--gift-scale", scale).stdout for scale in (1, 0.5))
    line, scaled = (next(line for line in told.splitlines() if " gifts " in line) for told in (whole, half))
    assert scaled.rstrip() == f"{line.rstrip()}, times 0.5 in the search"
    assert "may win back" in whole
    assert "given up on its way" in whole


def test_cards(ask: Callable[..., dict[str, Any]], refuse: Callable[..., str], file: Path) -> None:
    answer = ask("search", file, "-n", 5, "--look", "r:0:c:c", "--cards", "--plot", "cards.png")
    assert len(answer["cards"]) == 48
    assert Path("cards.png").exists()
    words = ("search", file, "--node", "r:0:c:c:8h", "-n", 5, "--cards")
    assert "the search begins after the last deal" in refuse(*words)


@pytest.mark.parametrize("part", [0, 10, 0.3, 0.9, -1])
@pytest.mark.parametrize("kind", ["turn", "found"])
def test_files_cut_short(refuse: Callable[..., str], file: Path, kind: str, part: float) -> None:
    """Whatever is left of a file, one sentence, and no file is written."""
    if kind == "found":
        cp.search_spot(file, iterations=2, threads=1, progress=False).save("found.cpz")
    content = Path(f"{kind}.cpz").read_bytes()
    end = int(part * len(content)) if isinstance(part, float) else part
    Path("cut.cpz").write_bytes(content[:end])
    assert "cut.cpz" in refuse("search", "cut.cpz", "--node", "r:0:c", "--out", "new.cpz")
    assert not Path("new.cpz").exists()


def test_files_of_other_kinds(refuse: Callable[..., str], file: Path) -> None:
    cp.solve("kuhn_poker", "cfr", iterations=2).save("kuhn.cpz")
    assert "holds a" in refuse("search", "kuhn.cpz")
    Path("spot.toml").write_text("board = 3")
    assert "spot.toml" in refuse("search", "spot.toml")
    Path("folder").mkdir()
    assert "is a folder" in refuse("search", "folder")


def test_files_that_cannot_be_searched(refuse: Callable[..., str], solution: cp.Solution, tmp_path: Path) -> None:
    solution.save(tmp_path / "small.cpz", river=False)
    assert "no river strategies" in refuse("search", "small.cpz")
    assert "does not exist" in refuse("search", "nowhere.cpz")


@pytest.mark.long
def test_ctrl_c_keeps_what_was_found(file: Path) -> None:
    words = ["search", str(file), "-n", str(10**9)]
    process = subprocess.Popen([*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "left" not in process.stderr.readline():  # said after two seconds of iterating
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    told, complaints = process.communicate(timeout=60)
    assert process.returncode == 1, complaints
    assert "by Ctrl-C" in told
    assert "Traceback" not in complaints
