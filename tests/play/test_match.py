"""Matches: the same hands from the same seed, duplicates, intervals, forfeits, resuming."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents import make_agent
from counterpoise.games import GAMES
from counterpoise.intervals import Tally
from counterpoise.jobs.processes import map_in_order
from counterpoise.play import compiled
from counterpoise.play.chance import HandRandom
from counterpoise.play.table import MatchTable


def figures(found: cp.MatchResult) -> list[tuple[float, float, int]]:
    return [(agent.mean, agent.ci95, agent.decisions) for agent in found.agents]


def pure(run: cp.Run) -> cp.Strategy:
    """The strategy that always takes the likeliest action."""
    chosen = {key: max(row, key=row.__getitem__) for key, row in run.strategy.items()}
    tree = cp.enumerate_game(run.game)
    return cp.Strategy.from_mapping(tree, {key: {action: 1.0} for key, action in chosen.items()})


@pytest.fixture(scope="module")
def leduc() -> cp.Run:
    return cp.solve("leduc_poker", iterations=200, progress=False)


def test_identical_pure_strategies_give_exactly_0(leduc: cp.Run) -> None:
    """Every duplicate group sums to 0 for copies of one pure strategy, compiled or not."""
    agent = pure(leduc)
    for hands in (300, 6_000):
        found = cp.match("leduc_poker", [agent, agent], hands, duplicate=True, progress=False)
        assert figures(found)[0][:2] == (0.0, 0.0)
        assert found.compiled == (hands == 6_000)
    three = cp.match("kuhn_poker(players=3)", ["always-raise"] * 3, 50, duplicate=True, progress=False)
    assert [agent[:2] for agent in figures(three)] == [(0.0, 0.0)] * 3
    holdem = cp.match("limit_holdem", ["always-raise", "always-raise"], 20, duplicate=True, progress=False)
    assert figures(holdem)[0][:2] == (0.0, 0.0)


def test_duplicate_varies_less_than_plain(leduc: cp.Run) -> None:
    """At equal numbers of hands the mean over both rooms has a smaller variance than independent hands."""
    agents = [leduc, "random"]
    pairs = cp.match("leduc_poker", agents, 20_000, duplicate=True, progress=False)
    plain = cp.match("leduc_poker", agents, 40_000, progress=False)
    assert pairs.hands_played == plain.hands_played
    assert plain.agents[0].ci95 / pairs.agents[0].ci95 == pytest.approx(3.093 / 2.497, rel=0.05)


def test_duplicate_deviation_of_uniform_leduc() -> None:
    """SD 2.851256 of a pair average for uniform players in Leduc: exactly, and simulated within 2 %."""
    game = cp.load("leduc_poker(merge_suits=False)")
    tree = cp.enumerate_game(game)
    uniform = cp.Strategy.uniform(tree)
    moments = _moments_by_deal(game, game.initial(), ())
    # given the cards both rooms have the same mean, of opposite sign, so that only the variance within a deal is left
    within = sum(chance * (square / chance - (mean / chance) ** 2) for chance, mean, square in moments.values())
    assert math.sqrt(within / 2) == pytest.approx(2.851256, abs=1e-5)
    found = cp.match(game, [uniform, uniform], 100_000, duplicate=True, progress=False)
    assert found.compiled
    assert found.agents[0].deviation == pytest.approx(2.851256, rel=0.02)
    assert abs(found.agents[0].mean) < 4 / 1.96 * found.agents[0].ci95


def _moments_by_deal(game: Any, state: Any, cards: tuple[str, ...], chance: float = 1.0, own: float = 1.0) -> Any:
    """Probability of the cards, and their sums of seat 0's payoff and of its square under uniform play."""
    found: dict[tuple[str, ...], list[float]] = {}

    def add(key: tuple[str, ...], values: Sequence[float]) -> None:
        entry = found.setdefault(key, [0.0, 0.0, 0.0])
        for place, value in enumerate(values):
            entry[place] += value

    player = game.player(state)
    if player == cp.TERMINAL:
        payoff = game.payoffs(state)[0]
        boards = [cards] if len(cards) == 3 else [(*cards, board) for board in _left(cards)]
        for key in boards:
            share = own * chance / (1 if len(cards) == 3 else len(boards))
            add(key, (share, share * payoff, share * payoff**2))
        return found
    steps = game.chance(state) if player == cp.CHANCE else [(one, 1.0) for one in game.actions(state)]
    for step, probability in steps:
        dealt = tuple(_split(step)) if player == cp.CHANCE else ()
        likely = chance * probability
        played = own if player == cp.CHANCE else own / len(steps)
        for key, values in _moments_by_deal(game, game.next(state, step), cards + dealt, likely, played).items():
            add(key, values)
    return found


def _split(step: str) -> list[str]:
    return [step[place : place + 2] for place in range(0, len(step), 2)]


def _left(cards: tuple[str, ...]) -> list[str]:
    return [rank + suit for rank in "JQK" for suit in "sh" if rank + suit not in cards]


@pytest.mark.parametrize("duplicate", [False, True])
def test_compiled_play_is_play_at_the_table(leduc: cp.Run, duplicate: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same deals, the same actions, the same sums; also with a seed of many digits."""
    other = cp.solve("leduc_poker", "cfr", iterations=5, progress=False)
    three = cp.solve("kuhn_poker(players=3)", iterations=5, progress=False)
    monkeypatch.setattr(compiled, "FEWEST_HANDS", 1)
    matches: list[tuple[str, list[Any], int]] = [
        ("leduc_poker", [leduc, other], 2**70 + 5),
        ("leduc_poker", [leduc, "probe"], 0),
        ("kuhn_poker(players=3)", [three, "random", "always-call"], 1),
    ]
    kernel = [cp.match(game, agents, 400, seed=seed, duplicate=duplicate) for game, agents, seed in matches]
    monkeypatch.setattr(compiled, "FEWEST_HANDS", 10**9)
    table = [cp.match(game, agents, 400, seed=seed, duplicate=duplicate) for game, agents, seed in matches]
    assert [found.compiled for found in kernel + table] == [True] * 3 + [False] * 3
    assert [figures(found) for found in kernel] == [figures(found) for found in table]


@pytest.mark.slow
def test_compiled_holdem_is_holdem_at_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    game = "limit_holdem(board=[0, 3], ranks=2, max_bets=[2, 0])"
    run = cp.solve(game, iterations=5, progress=False)
    found = cp.match(game, [run, "random"], 3000, duplicate=True, progress=False)
    monkeypatch.setattr(compiled, "FEWEST_HANDS", 10**9)
    table = cp.match(game, [run, "random"], 3000, duplicate=True, progress=False)
    assert (found.compiled, table.compiled, found.unit) == (True, False, "mbb")
    assert figures(found) == figures(table)


def test_always_fold_loses_750_mbb_to_a_raiser() -> None:
    """0.3: 500 in the small blind and 1000 in the big blind."""
    found = cp.match("limit_holdem", ["always-fold", "always-raise"], 40, duplicate=True, progress=False)
    assert figures(found)[0][:2] == (-750.0, 0.0)
    assert found.to_json()["agents"][0]["mbb_per_hand"] == -750.0


def test_cards_do_not_depend_on_actions() -> None:
    """Every room and every pair of agents sees the same cards in the same hand."""
    game = cp.load("limit_holdem")
    boards = []
    for names, room in ((("always-call", "probe"), 0), (("probe", "random"), 1)):
        agents = [make_agent(name) for name in names]
        records = [MatchTable(game, agents, names, seed=3, room=room).play(hand) for hand in range(20)]
        dealt = [[step for step in record.history if step[0] not in "fcb"] for record in records]
        boards.append(dealt)
    for first, second in zip(*boards, strict=True):
        shared = min(len(first), len(second))
        assert shared >= 2
        assert first[:shared] == second[:shared]


def test_streams_are_uniform_and_apart() -> None:
    random = HandRandom()
    drawn = []
    for hand in range(2000):
        random.begin(7, hand, hand % 3)
        drawn.append([random.random() for _ in range(4)])
    values = np.array(drawn)
    assert np.abs(values.mean(axis=0) - 0.5).max() < 0.03
    assert np.abs(np.corrcoef(values.T) - np.eye(4)).max() < 0.1
    random.begin(7, 1, 2)
    first = random.random(), random.getrandbits(70), random.choice("abc")
    random.begin(7, 1, 2)
    assert (random.random(), random.getrandbits(70), random.choice("abc")) == first


class Clock:
    """Time that passes only while somebody thinks."""

    now = 0.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    monkeypatch.setattr("counterpoise.play.table.time", SimpleNamespace(perf_counter=lambda: Clock.now))


@dataclass
class Broken(cp.Agent):
    """Does something wrong in every hand."""

    fault: str = "error"

    def act(self, observation: cp.Observation) -> str:
        if self.fault == "error":
            raise RuntimeError("no idea")
        if self.fault == "late":
            Clock.now += 0.02
        return "b1" if self.fault == "illegal" else observation.actions[0]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("error", "RuntimeError: no idea"),
        ("illegal", "seat 0 cannot raise to 1 chips: it may raise to 6"),
        ("late", "s of the 0.01 s for a decision"),
    ],
)
def test_an_agent_at_fault_forfeits_the_hand_and_the_match_goes_on(fault: str, sentence: str, clock: None) -> None:
    agents = [Broken(fault), "always-raise"]
    found = cp.match("limit_holdem", agents, 4, duplicate=True, decision_seconds=0.01, progress=False)
    broken = found.agents[0]
    assert broken.mean == -750  # it folds every hand to the first bet
    assert broken.forfeits == {"error": 0, "illegal": 0, "late": 0} | {fault: 8}
    assert broken.decisions == 8  # and is not asked again
    assert sentence.split("s of")[-1] in broken.first_fault
    assert not sum(found.agents[1].forfeits.values())


def test_an_agent_out_of_time_forfeits_what_is_left(clock: None) -> None:
    found = cp.match("kuhn_poker", [Broken("late"), "random"], 6, match_seconds=0.01, block=2, progress=False)
    assert found.agents[0].forfeits["late"] == 4


@dataclass
class Unsure(cp.KnownAgent):
    """Gives its actions the same wrong number each."""

    share: float = 0.1

    def mixed(self, observation: cp.Observation) -> dict[str, float]:
        return dict.fromkeys(observation.actions, self.share)


@pytest.mark.parametrize("share", [0.1, 0.0, 0.6, math.nan])
def test_probabilities_that_do_not_sum_to_1_forfeit_the_hand(share: float) -> None:
    found = cp.match("kuhn_poker", [Unsure(share), "always-call"], 10, progress=False)
    assert found.agents[0].forfeits["error"] == 10
    assert f"probabilities must be at least 0 and sum to 1, not {2 * share:g}" in found.agents[0].first_fault
    seated = Unsure(share).sit(cp.load("kuhn_poker"), 0, HandRandom())
    with pytest.raises(cp.InputError, match="probabilities must be at least 0 and sum to 1"):
        seated.probabilities(())


def test_illegal_moves_in_games_without_folds() -> None:
    found = cp.match("liars_dice", [Broken("illegal"), "random"], 10, progress=False)
    assert found.agents[0].forfeits["illegal"] == 10
    assert "is not one of" in found.agents[0].first_fault


@dataclass
class Counting(cp.Agent):
    """Bets as often as it has been in this room, counted in all its seats there."""

    learns = True
    hands: list[int] = field(default_factory=list)

    def new_hand(self) -> None:
        self.hands.append(self.seat)

    def act(self, observation: cp.Observation) -> str:
        return observation.actions[len(self.hands) % 2]


def test_learning_agents_get_a_fresh_copy_per_room() -> None:
    """Memory is shared by the seats of a room, never between rooms."""
    agent = Counting()
    one, two = (cp.match("kuhn_poker", [agent, "always-call"], n, duplicate=True, progress=False) for n in (20, 20))
    assert figures(one) == figures(two)
    assert agent.hands == []
    with pytest.raises(cp.InputError, match="Counting learns from hand to hand"):
        cp.match("kuhn_poker", [agent, "random"], 5, processes=2)


def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    found = []
    for processes in (1, 2):
        log = tmp_path / f"{processes}.log"
        options: dict[str, Any] = {"duplicate": True, "seed": 11, "processes": processes, "log": log, "block": 7}
        found.append(cp.match("limit_holdem", ["probe", "random"], 40, progress=False, **options))
    assert figures(found[0]) == figures(found[1])
    assert (tmp_path / "1.log").read_bytes() == (tmp_path / "2.log").read_bytes()


def test_no_more_processes_than_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    used = []

    def play(make: Any, do: Any, plan: Any, processes: int, cancel: Any) -> Any:
        used.append(processes)
        return map_in_order(make, do, plan, 1, cancel)

    monkeypatch.setattr(sys.modules["counterpoise.play.match"], "map_in_order", play)
    for hands, block in ((2, None), (30, 10), (30, 100)):
        cp.match("kuhn_poker", ["random", "random"], hands, processes=4, block=block, progress=False)
    assert used == [2, 3, 1]


def test_a_match_is_resumed_without_losing_or_repeating_a_hand(tmp_path: Path) -> None:
    """Cut anywhere: inside a line of the results, or with hands in the log that no line counts."""
    options: dict[str, Any] = {"duplicate": True, "seed": 2, "block": 5, "progress": False}
    whole = cp.match("leduc_poker", ["probe", "random"], 40, log=tmp_path / "whole.jsonl", **options)
    kept, log = tmp_path / "match.results", tmp_path / "hands.jsonl"
    cp.match("leduc_poker", ["probe", "random"], 40, log=log, resume=kept, **options)
    content, hands = kept.read_bytes(), log.read_bytes()
    ends = [place + 1 for place, byte in enumerate(content) if byte == 10]
    for cut, lost in ((ends[0], 0), (ends[3] + 20, 30), (ends[5] - 1, 0), (10, 0)):
        kept.write_bytes(content[:cut])
        finished = [
            json.loads(line) for line in content[:cut].splitlines()[1:] if line in content[:cut].split(b"\n")[:-1]
        ]
        log.write_bytes(hands[: (finished[-1]["log_end"] if finished else 0) + lost])
        found = cp.match("leduc_poker", ["probe", "random"], 40, log=log, resume=kept, **options)
        assert figures(found) == figures(whole)
        assert log.read_bytes() == hands == (tmp_path / "whole.jsonl").read_bytes()
    more = cp.match("leduc_poker", ["probe", "random"], 60, log=log, resume=kept, **options)
    assert more.hands == 60
    assert len(cp.read_log(log).records) == 120
    with pytest.raises(cp.InputError, match="is of another match: its seed is 2, not 3"):
        cp.match("leduc_poker", ["probe", "random"], 60, log=log, resume=kept, **options | {"seed": 3})
    told = f"its agents are probe, random, not probe, probe; its log is {log}, not none"
    with pytest.raises(cp.InputError, match=re.escape(told)):
        cp.match("leduc_poker", ["probe", "probe"], 60, resume=kept, **options)
    with pytest.raises(cp.InputError, match="is of another match: its hand_seconds are none, not 9"):
        cp.match("leduc_poker", ["probe", "random"], 60, log=log, resume=kept, hand_seconds=9, **options)
    (tmp_path / "other").write_text("hello\n")
    with pytest.raises(cp.InputError, match="is no match of Counterpoise"):
        cp.match("leduc_poker", ["probe", "random"], 60, resume=tmp_path / "other", **options)


def test_a_match_stops_at_the_precision() -> None:
    found = cp.match("kuhn_poker", ["always-call", "random"], 100_000, duplicate=True, precision=0.05, progress=False)
    assert found.reached
    assert found.agents[0].ci95 <= 0.05
    assert 100 <= found.hands < 2000
    short = cp.match("kuhn_poker", ["always-call", "random"], 50, precision=0.001, progress=False)
    assert not short.reached


@dataclass
class Slow(cp.Agent):
    """Thinks."""

    def act(self, observation: cp.Observation) -> str:
        time.sleep(0.001)
        return observation.actions[0]


def test_agents_that_think_get_shorter_blocks_and_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setattr(sys.modules["counterpoise.play.match"], "BLOCK_SECONDS", 0.01)
    slow = cp.match("kuhn_poker", [Slow(), "random"], 60, resume=tmp_path / "m", progress=False)
    assert len((tmp_path / "m").read_text().splitlines()) > 5
    monkeypatch.undo()
    fast = cp.match("kuhn_poker", [Slow(), "random"], 60, progress=False)
    assert figures(slow) == figures(fast)


def test_a_person_who_leaves_ends_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.StringIO("p\nb\np\nb\n"))
    found = cp.match("kuhn_poker", ["human", "always-call"], 100, progress=False)
    assert found.interrupted
    assert 1 <= found.hands <= 4


def test_intervals_are_those_of_numpy_and_scipy() -> None:
    from scipy import stats

    samples = np.random.default_rng(0).normal(size=12)
    tally = Tally()
    tally.add(12, samples.sum(), (samples**2).sum())
    low, high = stats.t.interval(0.95, 11, samples.mean(), stats.sem(samples))
    assert (tally.mean - tally.ci95, tally.mean + tally.ci95) == pytest.approx((low, high))
    assert tally.deviation == pytest.approx(samples.std(ddof=1))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"agents": ["random"]}, "the game has 2 seats, so it needs as many agents, not 1"),
        ({"hands": 0}, "hands must be a whole number"),
        ({"duplicate": "some"}, "duplicate must be True, False, permutations or rotations"),
        ({"precision": -1}, "precision must be a positive number"),
        ({"decision_seconds": 0}, "decision_seconds must be a positive number"),
        ({"log": "x.txt"}, "log must name a file ending in .log, .phhs or .jsonl"),
        ({"log": "x.log"}, "ACPC logs are for whole hands of hold'em, not for kuhn_poker"),
        ({"agents": None}, "agents must be a list with one agent for each seat, not None"),
        ({"agents": "random"}, "agents must be a list with one agent for each seat, not 'random'"),
        ({"processes": 100_000}, "processes must be a whole number from 1 to"),
        ({"log": "x.jsonl", "resume": "./x.jsonl"}, "log and resume both name x.jsonl: they need two files"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(cp.InputError, match=sentence):
        cp.match("kuhn_poker", **{"agents": ["random", "random"], "progress": False} | arguments)


@pytest.mark.parametrize("name", [*GAMES, "no_limit_holdem(ranks=9, ranking=short)", "kuhn_poker(players=3)"])
def test_every_game_can_be_played_and_replayed(name: str, tmp_path: Path) -> None:
    game = cp.load(name)
    log = tmp_path / "hands.jsonl"
    found = cp.match(game, ["random"] * game.players, 2, duplicate=True, log=log, progress=False)
    assert not any(sum(agent.forfeits.values()) for agent in found.agents)
    assert len(cp.read_log(log).records) == found.hands_played


def test_six_seats_play_rotations_and_three_seats_permutations() -> None:
    six = cp.match("no_limit_holdem(seats=6)", ["random", "probe"] * 3, 4, duplicate=True, progress=False)
    assert (six.rooms, six.unit) == (6, "mbb")
    assert sum(agent.mean for agent in six.agents) == pytest.approx(0, abs=1e-6)
    three = cp.match("no_limit_holdem(seats=3)", ["random"] * 3, 2, duplicate=True, progress=False)
    assert three.rooms == 6


@dataclass
class Grumbling(cp.Agent):
    """Raises an exception whenever it is told or asked something."""

    def act(self, observation: cp.Observation) -> str:
        raise RuntimeError("asked")

    def watch(self, observation: cp.Observation) -> None:
        raise RuntimeError("watched")

    def hand_over(self, observation: cp.Observation, payoff: float) -> None:
        raise RuntimeError("told")


def test_a_hand_is_forfeited_once() -> None:
    found = cp.match("limit_holdem", [Grumbling(), "always-raise"], 10, progress=False)
    assert found.agents[0].forfeits == {"error": 10, "illegal": 0, "late": 0}
    assert found.agents[0].first_fault == "RuntimeError: watched"


def test_the_rest_of_a_compiled_match_is_compiled_too(leduc: cp.Run, tmp_path: Path) -> None:
    """What AIVAT says does not depend on where a match was continued."""
    options: dict[str, Any] = {"block": 3000, "progress": False}
    whole = cp.match("leduc_poker", [leduc, "random"], 6000, **options)
    kept = tmp_path / "match.results"
    cp.match("leduc_poker", [leduc, "random"], 6000, resume=kept, **options)
    kept.write_text("".join(kept.read_text().splitlines(keepends=True)[:2]))
    found = cp.match("leduc_poker", [leduc, "random"], 6000, resume=kept, **options)
    assert found.resumed == 3000
    assert found.compiled
    assert found.agents[0].aivat_mean == whole.agents[0].aivat_mean is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"total": ["a", "b"]},
        {"total": [1.0]},
        {"squares": [math.nan, 1.0]},
        {"faults": []},
        {"faults": [[0], [0]]},
        {"first_fault": [1, 2]},
        {"deals": 9.5},
        {"aivat": 5},
        {"aivat": [[1.0], [1.0]]},
        {"log_end": -5},
    ],
)
def test_a_wrong_block_in_the_results_is_refused(changed: dict[str, Any], tmp_path: Path) -> None:
    kept = tmp_path / "match.results"
    options: dict[str, Any] = {"block": 10, "progress": False}
    cp.match("kuhn_poker", ["random", "probe"], 20, resume=kept, **options)
    first, block, _ = kept.read_text().splitlines()
    kept.write_text(f"{first}\n{json.dumps(json.loads(block) | changed)}\n")
    with pytest.raises(cp.InputError, match="line 2: this is not the block that begins with hand 0"):
        cp.match("kuhn_poker", ["random", "probe"], 20, resume=kept, **options)
