"""Judging logs: every estimator, rooms in several files, strategies that are made again, verdicts and tables."""

import json
from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.agents.simple import RandomAgent
from counterpoise.errors import InputError
from counterpoise.evaluation.duplicate import duplicate_moments
from counterpoise.evaluation.judging.records import merge_logs
from counterpoise.evaluation.verdicts import VerdictRule
from counterpoise.progress import SilentProgress
from counterpoise.spots.table.rules import spot_game


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def leduc(folder):
    """A duplicate match of a saved strategy against the uniform one."""
    run = cp.solve("leduc_poker", "cfr+", iterations=200, progress=False)
    run.save(folder / "nash.cpz")
    agents = [f"strategy:{folder / 'nash.cpz'}", "random"]
    log = folder / "leduc.jsonl"
    return agents, log, cp.match("leduc_poker", agents, 1500, seed=4, duplicate=True, log=log, progress=False)


def test_every_estimator_agrees(leduc):
    """All estimates of one agent are of the same figure; with both strategies known AIVAT has hardly any luck left."""
    agents, log, played = leduc
    found = cp.judge(log, progress=False)
    uniform = cp.Strategy.uniform(cp.enumerate_game("leduc_poker"))
    exact = duplicate_moments(cp.load("leduc_poker"), cp.load_strategy(log.parent / "nash.cpz"), uniform).mean
    assert (found.deals, found.hands, found.rooms, found.unit) == (1500, 3000, 2, "antes")
    for agent, result in zip(found.agents, played.agents, strict=True):
        money = agent["money"]
        assert money.mean == pytest.approx(result.mean)
        assert money.ci95 == pytest.approx(result.ci95)
        assert agent["money, rooms apart"].n == 3000
        assert not agent.missing
        names = {one.name for one in agent.estimates}
        assert {"money", "divat", "bc-divat", "ge", "ac", "ac+ge", "ac+ge+bc-divat", "io-divat", "aivat"} <= names
        value = exact if agent.name == agents[0] else -exact
        for one in agent.estimates:
            assert abs(one.mean - value) <= 2.2 * one.ci95 + 1e-9
        assert agent["aivat"].sd < 0.05 < agent["io-divat"].sd < agent["ac"].sd < agent["money, rooms apart"].sd
    answer = found.to_json()
    assert json.loads(json.dumps(answer, allow_nan=False))["agents"][1]["name"] == "random"
    assert answer["agents"][0]["strategy"].startswith("strategy:")


class Thoughtful(RandomAgent):
    """Plays at random, and needs a while for it."""

    thinks = True


class Shown(SilentProgress):
    """Counts what is shown."""

    def __init__(self):
        self.figures = []

    def show(self, fraction, figure):
        self.figures.append(figure)


def test_agents_that_think_are_judged_hand_by_hand(leduc, folder):
    """So that something is seen while every decision is thought over again; the estimates are the same."""
    _, log, _ = leduc
    few = folder / "few.jsonl"
    few.write_text("".join(log.read_text().splitlines(keepends=True)[:9]))
    shown, plain = Shown(), Shown()
    found = cp.judge(few, known={"random": Thoughtful()}, progress=shown)
    usual = cp.judge(few, known={"random": "random"}, progress=plain)
    assert len(plain.figures) == 1 < len(shown.figures) == found.hands
    for own, other in zip(found["random"].estimates, usual["random"].estimates, strict=True):
        assert own.mean == pytest.approx(other.mean)


def test_other_strategies_on_the_same_hands(leduc):
    """Off-policy: what another agent would have won with the hands of one that is known."""
    agents, log, _ = leduc
    tree = cp.enumerate_game("leduc_poker")
    nash = cp.load_strategy(log.parent / "nash.cpz")
    probe = cp.make_agent("probe").tabulate(tree)
    joined = [nash.on(tree).copy() for _ in (0, 1)]
    for seat in (0, 1):
        own = [slot for slot, size in _slots(tree, seat) for slot in range(slot, slot + size)]
        joined[seat][own] = probe[own]
    value = sum(
        cp.expected_value(tree.game, cp.Strategy(tree.name, tree.table, flat))[seat] for seat, flat in enumerate(joined)
    )
    found = cp.judge(log, evaluate={"random": "probe"}, progress=False)["random"]
    assert found.evaluated == "probe"
    assert "money" not in found.found.series
    for one in found.estimates:
        assert abs(one.mean - value / 2) <= 2.2 * one.ci95
        assert one.effective is not None
        assert one.bootstrap is not None
    mixed = cp.judge(log, evaluate={agents[0]: "random"}, progress=False)[agents[0]]
    assert {"is", "ac"} <= set(mixed.found.series)  # of an agent whose strategy has an id of its own


def _slots(tree, seat):
    sizes = [len(actions) for actions in tree.table.actions]
    return [
        (start, size)
        for owner, start, size in zip(tree.table.owner.tolist(), tree.table.start.tolist(), sizes, strict=True)
        if owner == seat
    ]


@pytest.mark.long
def test_strategies_that_are_not_known(leduc, tmp_path):
    """A strategy that has changed, or cannot be made, is not used, and the reason is told; naming one helps."""
    agents, log, _ = leduc
    text = log.read_text()
    nash = log.parent / "nash.cpz"
    other = tmp_path / "other.jsonl"
    first, rest = text.split("\n", 1)
    heading = json.loads(first)

    def with_ids(*ids):
        other.write_text(f"{json.dumps(heading | {'strategy_ids': ids})}\n{rest}")
        return cp.judge(other, progress=False)

    found = with_ids(heading["strategy_ids"][0][:-3] + "000", "random")[agents[0]]
    assert "has changed since these hands were played" in found.missing["ac"]
    assert found.strategy is None
    assert {"divat", "aivat"} <= set(found.found.series)  # the other agent is known
    again = cp.judge(other, known={agents[0]: f"strategy:{nash}"}, progress=False)
    assert again[agents[0]].strategy == f"strategy:{nash}"
    assert again[agents[0]]["ac"].mean == pytest.approx(cp.judge(log, progress=False)[agents[0]]["ac"].mean)
    for bad, why in (("human", "does not say what it would do"), ("strategy:no.cpz@1", "no.cpz"), ("who", "who")):
        assert why in with_ids(heading["strategy_ids"][0], bad)["random"].missing["ac"]
    with pytest.raises(InputError, match="bob did not play in these hands"):
        cp.judge(log, known={"bob": "probe"}, progress=False)


def test_rooms_in_two_files(tmp_path):
    """Two logs with the same cards and exchanged seats are one duplicate match; others are two matches."""
    game = "limit_holdem(ranks=4)"
    cp.match(game, ["probe", "always-call"], 40, seed=2, duplicate=True, log=tmp_path / "both.log", progress=False)
    lines = [line for line in (tmp_path / "both.log").read_text().splitlines() if line.startswith("STATE")]
    files = []
    for room in (0, 1):
        own = [line.split(":", 2) for line in lines[room::2]]
        files.append(tmp_path / f"room{room}.log")
        files[-1].write_text("".join(f"STATE:{at}:{rest}\n" for at, (_, _, rest) in enumerate(own)))
    merged = merge_logs(files, game)
    assert merged.rooms == 2
    assert len(merged.matches) == 1
    whole = merge_logs([tmp_path / "both.log"])
    assert sorted(merged.records) == sorted(record._replace(strategies=()) for record in whole.records)
    cp.match(game, ["probe", "always-call"], 40, seed=3, log=tmp_path / "third.log", progress=False)
    three = merge_logs([*files, tmp_path / "third.log"], game)
    assert [match.files for match in three.matches] == [tuple(map(str, files)), (str(tmp_path / "third.log"),)]
    assert len({record.hand for record in three.records}) == 80
    with pytest.raises(InputError, match="is there twice"):
        merge_logs([files[0], files[0]], game)


@pytest.mark.slow
def test_verdicts_and_tables(tmp_path, leduc):
    """Matches are columns of the verdicts; three agents have a table of who won what from whom."""
    files = []
    pairs = [("always-raise", "random"), ("random", "always-fold"), ("always-fold", "always-raise")]
    for number, pair in enumerate(pairs):
        files.append(tmp_path / f"m{number}.jsonl")
        cp.match("leduc_poker", list(pair), 400, seed=number, duplicate=True, log=files[-1], progress=False)
    found = cp.judge(files, rule=VerdictRule(margin=25), plot=tmp_path / "a.png", progress=False)
    assert found.matches == ["m0", "m1", "m2"]
    table = found.verdicts["always-fold"]
    assert table.rows["money"][0] is None
    assert table.rows["money"][2] == (-1, -1)
    cross = found.crosstables["money"]
    assert set(cross.names) == {"always-raise", "random", "always-fold"}
    folder_loses = cross.values[cross.names.index("always-fold")]
    assert min(folder_loses[place] for place, name in enumerate(cross.names) if name == "always-raise") < 0
    assert cross.values[0][1] == pytest.approx(-cross.values[1][0])
    assert "aivat" in found.crosstables
    assert (tmp_path / "a.png").stat().st_size > 10_000
    answer = found.to_json()
    assert len(answer["crosstables"]["money"]["instant_runoff"]) == 3
    assert answer["verdicts"]["random"]["matches"] == ["m0", "m1", "m2"]


def test_interrupted_keeps_what_was_judged(leduc):
    """A token that is set leaves the money, at least."""
    token = cp.CancelToken()
    token.cancel()
    found = cp.judge(leduc[1], progress=False, cancel=token)
    assert found.interrupted
    assert found.agents[1]["money"].hands == 3000
    assert set(found.agents[1].missing.values()) == {"stopped before it was judged"}


def test_logs_of_different_games(tmp_path, leduc):
    """Logs of two games are refused, and so is none."""
    other = tmp_path / "kuhn.jsonl"
    cp.match("kuhn_poker", ["random", "random"], 5, log=other, progress=False)
    with pytest.raises(InputError, match="judge one at a time"):
        cp.judge([leduc[1], other], progress=False)
    with pytest.raises(InputError, match="at least one file"):
        cp.judge([], progress=False)
    assert Path(leduc[1]).exists()


def test_duplicate_deals_of_three_players(tmp_path):
    """Six rooms of a deal are one sample, and what the agents win sums to 0."""
    log = tmp_path / "three.jsonl"
    names = ["random", "always-call", "probe"]
    played = cp.match("kuhn_poker(players=3)", names, 200, duplicate=True, log=log, progress=False)
    found = cp.judge(log, progress=False)
    assert (found.deals, found.hands, found.rooms) == (200, 1200, 6)
    assert not found.crosstables
    for agent, result in zip(found.agents, played.agents, strict=True):
        assert agent["money"].n == 200
        assert agent["money"].mean == pytest.approx(result.mean)
        assert agent["money"].ci95 == pytest.approx(result.ci95)
        assert "aivat" in agent.found.series
    assert sum(agent["money"].mean for agent in found.agents) == pytest.approx(0)


@pytest.mark.long
def test_hands_of_holdem(tmp_path):
    """Limit hold'em from an ACPC log: luck is taken out, and a log without a heading needs to be told who played."""
    log = tmp_path / "hands.log"
    cp.match("limit_holdem", ["probe", "always-call"], 25, seed=1, duplicate=True, log=log, progress=False)
    found = cp.judge(log, progress=False)
    for agent in found.agents:
        assert {"divat", "bc-divat", "ac", "io-divat", "aivat"} <= set(agent.found.series)
        assert agent["divat"].sd < agent["money, rooms apart"].sd
        assert agent["aivat"].sd < 0.2 * agent["money"].sd
        assert abs(agent["aivat"].mean) <= 20  # blind players who never fold: nobody wins
    states = [line for line in log.read_text().splitlines(keepends=True) if line.startswith("STATE")]
    bare = tmp_path / "bare.log"
    bare.write_text("".join(states[:20]))
    with pytest.raises(InputError, match="does not say which game it is of"):
        cp.judge(bare, progress=False)
    theirs = cp.judge(bare, "limit_holdem", evaluate={"probe": None}, progress=False)["probe"]
    assert theirs.missing["ac"] == "needs the strategy of probe: the log does not say which strategy it followed"
    assert "aivat" not in theirs.found.series
    assert "ac" in cp.judge(bare, "limit_holdem", known={"probe": "probe"}, progress=False)["probe"].found.series


def test_hidden_cards(tmp_path):
    """A player's own view of a match: after a fold nobody saw the other's cards, so that estimators say less."""
    log = tmp_path / "hands.log"
    cp.match("limit_holdem", ["probe", "random"], 12, log=log, progress=False)
    views = []
    for line in log.read_text().splitlines():
        if line.startswith("STATE"):
            _, number, betting, cards, _, names = line.split(":")
            hole, *boards = cards.split("/")
            hands, own = hole.split("|"), names.split("|").index("probe")
            if betting.endswith("f"):
                hands[1 - own] = ""
            views.append(f"MATCHSTATE:{own}:{number}:{betting}:{'/'.join(['|'.join(hands), *boards])}\n")
    view = tmp_path / "view.log"
    view.write_text("".join(views))
    found = cp.judge(view, "limit_holdem", known={"player": "probe"}, progress=False)
    assert found.hidden
    player = found["player"]
    assert player["money"].mean == pytest.approx(cp.judge(log, progress=False)["probe"]["money"].mean)
    assert {one.name: one.biased for one in player.estimates} == {
        "money": False, "divat": True, "bc-divat": True, "ac": False, "ef": False, "ef-text": True,
        "ac+divat": True, "ac+bc-divat": True,
    }  # fmt: skip
    assert player.missing["aivat"] == "cards were hidden after a fold"
    assert [one.name for one in found["opponent"].estimates] == ["money"]


def test_a_named_strategy_counts_for_its_agent_alone(tmp_path):
    """Two agents with one id: who is named is judged by what was named, the other by the id."""
    log = tmp_path / "hands.jsonl"
    cp.match("leduc_poker", ["random", "random"], 60, log=log, progress=False)
    plain, named = (
        cp.judge(log, known=known, progress=False) for known in ({}, {"random": "probe"})
    )  # the second, random#2, has the id "random" too
    assert (named["random"].strategy, named["random#2"].strategy) == ("probe", "random")
    assert named["random"]["ac"].mean != plain["random"]["ac"].mean
    assert any("cannot have played" in note for note in named["random"]["aivat"].notes)  # probe never folds
    assert named["random#2"]["ac"].mean == plain["random#2"]["ac"].mean


def test_hands_of_unknown_strategies_are_told(tmp_path):
    """An agent that switches: estimators that need its strategy say of how many hands they say nothing."""
    log = tmp_path / "hands.jsonl"
    cp.match("leduc_poker", ["random", "probe"], 20, log=log, progress=False)
    heading, *hands = log.read_text().splitlines()
    switched = [json.loads(hand) for hand in hands]
    for number, hand in enumerate(switched):
        ids = ["human" if name == "random" and number < 5 else name for name in hand["agents"]]
        hand["strategies"] = ids
    log.write_text("\n".join([heading, *map(json.dumps, switched)]) + "\n")
    found = cp.judge(log, progress=False)["random"]
    assert found["ac"].hands == 15
    assert found["ac"].notes == ("left out 5 hands whose strategy or cards are not known",)
    assert found["divat"].notes == ()


def test_no_money_of_one_for_another(leduc, tmp_path):
    """Where another strategy could not be evaluated nothing is said of it, least of all what the played one won."""
    token = cp.CancelToken()
    token.cancel()
    found = cp.judge(
        leduc[1],
        evaluate={"random": "probe"},
        plot=tmp_path / "a.png",
        rule=VerdictRule(),
        progress=False,
        cancel=token,
    )
    assert found["random"].estimates == []
    assert found["random"].missing == {"is": "stopped before it was judged"}


def test_logs_without_cards_are_no_rooms(tmp_path):
    """Rooms are told by their cards: logs in which no card was seen twice are different matches."""
    game = "limit_holdem(ranks=4)"
    files = [tmp_path / f"{k}.log" for k in (0, 1)]
    for seed, (file, names) in enumerate(zip(files, (["probe", "random"], ["random", "probe"]), strict=True)):
        cp.match(game, names, 20, seed=seed, log=file, progress=False)
        lines = []
        for line in file.read_text().splitlines():
            if line.startswith("STATE"):
                head, number, betting, cards, *rest = line.split(":")
                lines.append(":".join([head, number, betting, "|" + cards[cards.find("/") :] * ("/" in cards), *rest]))
        file.write_text("\n".join(lines) + "\n")
    merged = merge_logs(files, game)
    assert (len(merged.matches), merged.rooms) == (2, 1)


def test_an_agent_in_two_seats_is_refused(tmp_path):
    """Nobody could say which seat is to be judged."""
    log = tmp_path / "hands.jsonl"
    cp.match("kuhn_poker", ["random", "probe"], 5, log=log, progress=False)
    log.write_text(log.read_text().replace('"agents": ["probe", "random"]', '"agents": ["probe", "probe"]'))
    with pytest.raises(InputError, match=r"hands.jsonl, hand 1: an agent sits in two seats"):
        cp.judge(log, progress=False)


@pytest.mark.long
def test_any_number_of_processes(leduc, tmp_path):
    """Blocks of hands are judged by other processes, with the same figures to the last bit."""
    game, log = "limit_holdem(ranks=4)", tmp_path / "hands.log"
    cp.match(game, ["probe", "random"], 60, seed=5, log=log, progress=False)
    for file, other in ((log, {}), (leduc[1], {"evaluate": {"random": "probe"}})):
        one, two = (cp.judge(file, processes=number, progress=False, **other).to_json() for number in (1, 2))
        own = {"seconds": 0, "cpu_seconds": 0}
        assert one | own == two | own
    assert one["agents"][0]["estimates"][0]["hands"] == 3000
    with pytest.raises(InputError, match="processes must be a whole number from 1"):
        cp.judge(log, processes=0, progress=False)


def test_spots_too_large_to_enumerate_are_judged_by_money(tmp_path: Path) -> None:
    """A river between two wide ranges has several 100,000 deals: the reason is told at once."""
    ranges = "22+,A2s+,K2s+,Q2s+,A2o+,K2o+"
    spot = cp.Spot(board="Ks 7d 4c Jd 2s", pot=100, stack=300, oop=ranges, ip=ranges, river={"bet": ["75%"]})
    log = tmp_path / "hands.jsonl"
    found = cp.match(spot_game(spot), ["random", "always-call"], 10, log=log, progress=False)
    judged = cp.judge(log, progress=False)["random"]
    assert [estimate.name for estimate in judged.estimates] == ["money"]
    assert judged["money"].mean == pytest.approx(found.agents[0].mean)
    assert "deals of the spot would have to be enumerated" in str(judged.missing)


def test_hands_that_a_known_strategy_cannot_have_played_leave_only_money(tmp_path: Path) -> None:
    """Somebody folds under the name of a strategy that always calls, as one that is always late does."""
    log = tmp_path / "late.jsonl"
    cp.match("leduc_poker", ["always-fold", "random"], 200, duplicate=True, seed=2, log=log, progress=False)
    told = cp.judge(log, known={"always-fold": "always-call"}, progress=False)["always-fold"]
    assert told.strayed > 0
    assert told.recommended is not None
    assert told.recommended.name == "money"
    assert "hands were not played by the strategy that is known" in told.advice()[0]
    honest = cp.judge(log, progress=False)["always-fold"]
    assert honest.strayed == 0
    assert honest.recommended is not None
    assert honest.recommended.name != "money"
