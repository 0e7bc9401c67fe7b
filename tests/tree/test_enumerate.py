"""Enumeration: sizes, layout, and refusals."""

import threading
import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import Cancelled
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.tree import Strategy, enumerate_game, estimate_nodes
from counterpoise.tree.enumerate import _RECENT, _cache_key, _Enumeration

SIZES = [  # name, histories, terminals, infosets, sequences per player (Brown 2020, section 2.4 and recounts)
    ("kuhn_poker", 55, 30, 12, (13, 13)),
    ("leduc_poker", 1_936, 1_116, 288, (337, 337)),
    ("leduc_poker(merge_suits=False)", 9_451, 5_520, 936, (1_093, 1_093)),
    ("goofspiel(cards=3)", 139, 36, 92, (58, 58)),
    ("goofspiel(cards=4)", 2_229, 576, 1_474, (917, 917)),
    ("goofspiel", 55_731, 14_400, 36_852, (22_906, 22_906)),
    ("liars_dice(dice=1, faces=4)", 8_177, 4_080, 1_024, (1_021, 1_021)),
    ("liars_dice(dice=1, faces=5)", 51_176, 25_575, 5_120, (5_116, 5_116)),
    ("leduc5", 269_560, 177_684, 34_224, (50_233, 50_233)),
    ("liars_dice(dice=1, faces=6)", 294_877, 147_420, 24_576, (24_571, 24_571)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "nodes", "terminals", "infosets", "sequences"), SIZES)
def test_sizes(name, nodes, terminals, infosets, sequences):
    """Published and recounted sizes, exactly."""
    tree = enumerate_game(cp.load(name))
    assert (tree.nodes, tree.terminals, tree.infosets) == (nodes, terminals, infosets)
    assert tuple(tree.sequences) == sequences


@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker"])
def test_layout(name):
    """Parents before children, children together, probabilities of a chance node's children sum to 1."""
    tree = enumerate_game(cp.load(name))
    h = tree.histories
    assert (h.parent[1:] < np.arange(1, tree.nodes)).all()
    for node in np.flatnonzero(h.player != TERMINAL):
        children = np.arange(h.first_child[node], h.first_child[node] + h.children[node])
        assert (h.parent[children] == node).all()
        if h.player[node] == CHANCE:
            assert h.probability[children].sum() == pytest.approx(1)
        else:
            assert h.children[node] == len(tree.table.actions[h.infoset[node]])
            assert h.player[node] == tree.table.owner[h.infoset[node]]
    assert (tree.form.parent < tree.form.start).all()
    assert (tree.table.start == tree.form.start).all()
    assert tree.table.size == tree.sequences.sum()


def test_payoff_table_reproduces_uniform_play():
    """The expected value under uniform play equals a walk over the rules themselves."""
    game = cp.load("leduc_poker")

    def walk(state):
        who = game.player(state)
        if who == TERMINAL:
            return game.payoffs(state)[0]
        if who == CHANCE:
            return sum(p * walk(game.next(state, outcome)) for outcome, p in game.chance(state))
        actions = game.actions(state)
        return sum(walk(game.next(state, action)) for action in actions) / len(actions)

    uniform = Strategy.uniform(enumerate_game(game))
    assert cp.expected_value(game, uniform)[0] == pytest.approx(walk(game.initial()), abs=1e-12)


def test_size_estimate_is_close():
    estimate = estimate_nodes(cp.load("leduc_poker"), probes=2000)
    assert abs(estimate.nodes - 1_936) < 4 * estimate.error < 500


def test_refuses_what_does_not_fit():
    """The refusal names the size, the memory it needs and the memory there is, before that memory is taken."""
    with pytest.raises(cp.InputError, match=r"too large to enumerate: about .* histories need .* 2.0 MB may be used"):
        enumerate_game(cp.load("liars_dice(dice=1, faces=7)"), memory_limit=2_000_000)
    with pytest.raises(cp.InputError, match="too large to enumerate"):
        enumerate_game(cp.load("goofspiel(cards=8)"))
    with pytest.raises(cp.InputError, match=r"may be used; solve it as a spot: counterpoise spot FILE$"):
        enumerate_game(cp.load("examples/spots/turn.toml"), memory_limit=1_000_000_000)


class Wide:
    """Fifty actions, 200 moves; counts the states that exist at a time."""

    players, alive, most = 1, 0, 0

    class State:
        def __init__(self, moves):
            self.moves = moves
            Wide.alive += 1
            Wide.most = max(Wide.most, Wide.alive)

        def __del__(self):
            Wide.alive -= 1

    def initial(self):
        return self.State(0)

    def player(self, state):
        return 0 if state.moves < 200 else -2

    def actions(self, state):
        return [f"a{number}" for number in range(50)]

    def next(self, state, action):
        return self.State(state.moves + 1)

    def infoset(self, state):
        return str(state.moves)

    def payoffs(self, state):
        return (0.0,)


def test_a_huge_game_is_refused_before_its_states_fill_the_memory():
    with pytest.raises(cp.InputError, match=r"Wide is too large to enumerate: more than 1e\+300 histories"):
        enumerate_game(Wide())
    assert Wide.most < 3000


def test_few_probes_are_enough_for_a_hopeless_estimate():
    Wide.most = 0
    assert estimate_nodes(Wide(), probes=10**9, enough=1e9).nodes == pytest.approx(1e300)


def test_progress_is_reported():
    seen, watched = [], SilentProgress()
    watched.show = lambda fraction, figure: seen.append((fraction, figure))
    enumerate_game(cp.load("goofspiel(cards=5, order=descending)"), progress=watched)
    assert seen
    assert all(0 < fraction <= 1 and "histories" in figure for fraction, figure in seen)


def test_a_cancelled_enumeration_stops():
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        enumerate_game(cp.load("goofspiel(cards=5, order=ascending)"), cancel=cancel)


class _Broken:
    """A coin game with one fault, chosen by name."""

    players = 2

    def __init__(self, fault):
        self.fault = fault

    def initial(self):
        return ""

    def player(self, state):
        if not state:
            return CHANCE
        wrong = {"player": 7, "bool": True, "float": 0.0, "nobody": None, "negative": -3}
        return TERMINAL if len(state) == 3 else wrong.get(self.fault, 0)

    def chance(self, state):
        return [("h", 0.5), ("t", 0.4 if self.fault == "chance" else 0.5)]

    def actions(self, state):
        if self.fault == "actions" and state.startswith("t"):
            return ("a", "c")
        wrong = {"none": (), "twice": ("a", "a"), "numbers": (1, 2), "no list": None}
        return wrong.get(self.fault, ("a", "b"))

    def next(self, state, action):
        return state + action

    def infoset(self, state):
        if self.fault == "recall":
            return "same"
        if self.fault in ("label", "unhashable"):
            return 5 if self.fault == "label" else [state]
        return f"after {state[1:]}" if self.fault == "actions" else state

    def payoffs(self, state):
        return (float("nan"), 0.0) if self.fault == "payoffs" else (1.0, -1.0)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("chance", "chance probabilities sum to 0.9 instead of 1"),
        ("recall", "imperfect recall: player 0 reaches infoset 'same'"),
        ("actions", "has actions"),
        ("none", "has no action"),
        ("payoffs", "payoffs must be 2 finite numbers"),
        ("player", "player 7 is neither a seat"),
        ("bool", "player True is neither a seat"),
        ("float", "player 0.0 is neither a seat"),
        ("nobody", "player None is neither a seat"),
        ("negative", "player -3 is neither a seat"),
        ("label", "infoset of player 0 must be a string, not 5"),
        ("unhashable", "infoset of player 0 must be a string, not "),
        ("twice", "player 0 at infoset 'h' has an action twice: a, a"),
        ("numbers", "has the action 1, which is not a string"),
        ("no list", "must have a list of actions, not None"),
    ],
)
def test_faulty_games_are_refused(fault, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        enumerate_game(_Broken(fault))
    enumerate_game(_Broken("nothing"))


@pytest.mark.parametrize("players", [0, 200, 1.5, None])
def test_number_of_players(players):
    game = _Broken("nothing")
    game.players = players
    with pytest.raises(cp.InputError, match="players must be a whole number from 1 to 127"):
        enumerate_game(game)


class Chain:
    """One player moves on and on; `length` moves in all, each with `width` actions."""

    players = 1

    def __init__(self, length, width):
        self.length, self.width = length, width

    def initial(self):
        return 0

    def player(self, state):
        return TERMINAL if state == self.length else 0

    def actions(self, state):
        return [str(k) for k in range(self.width)]

    def next(self, state, action):
        return state + 1 if action == "0" or self.width > 2 else self.length

    def infoset(self, state):
        return str(state)

    def payoffs(self, state):
        return (0.0,)


def test_a_game_that_never_ends_is_refused():
    endless = Chain(-1, 1)
    with pytest.raises(cp.InputError, match="Chain does not end: a history has more than 10,000 moves"):
        enumerate_game(endless)
    with pytest.raises(cp.InputError, match="does not end"):
        estimate_nodes(endless)
    assert enumerate_game(Chain(9_999, 2)).nodes == 2 * 9_999 + 1


def test_sizes_beyond_floats(monkeypatch):
    """No infinity and no warning; the refusal says that the size is a lower bound."""
    huge = Chain(600, 10)
    monkeypatch.setattr("counterpoise.tree.enumerate.PROGRESS_NODES", 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimate = estimate_nodes(huge, probes=5)
        assert estimate.nodes == pytest.approx(1e300)
        assert np.isfinite(estimate.error)
        with pytest.raises(cp.InputError, match=r"Chain is too large to enumerate: more than 1e\+300 histories need "):
            enumerate_game(huge)


@pytest.mark.long
@pytest.mark.parametrize("name", ["goofspiel", "liars_dice(dice=1, faces=5)"])
def test_accounted_memory_is_what_is_needed(name):
    """The refusal's arithmetic, and what a tree says it holds, against a measurement of this very process."""
    import tracemalloc

    work = _Enumeration(cp.load(name), None, None, None)
    tracemalloc.start()
    tree = work.tree()
    _, peak = tracemalloc.get_traced_memory()
    accounted = work._bytes()
    del work
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.8 * peak < accounted < 2 * peak
    assert 0.8 * held < tree.memory_bytes < 1.3 * held


@dataclass
class Mutable(Chain):
    """Compares by value but may change, so it has no hash; the plain class `Chain` compares by identity."""

    length: int = 3
    width: int = 1


@dataclass(frozen=True)
class Frozen:
    width: int = 2
    extra: list[int] = field(default_factory=list)


def test_games_that_may_change_are_never_stale():
    for game in (Chain(3, 1), Mutable()):
        assert enumerate_game(game).nodes == 4
        game.length = 5
        assert enumerate_game(game).nodes == 6
    assert _cache_key(Frozen()) is None
    assert _cache_key(cp.load("kuhn_poker")) is not None


def test_games_of_one_content_are_enumerated_once(tmp_path):
    text = 'EFG 2 R "duel" { "A" "B" } p "" 1 1 "draw" { "yes" "no" } 0 t "" 1 "" { 1, -1 } t "" 0'
    (tmp_path / "a.efg").write_text(text)
    for name in ("kuhn_poker", str(tmp_path / "a.efg")):
        assert enumerate_game(name) is enumerate_game(name)
    before = enumerate_game(str(tmp_path / "a.efg"))
    (tmp_path / "a.efg").write_text(text.replace("1, -1", "2, -2"))
    assert enumerate_game(str(tmp_path / "a.efg")) is not before
    assert enumerate_game(cp.from_efg(text)) is enumerate_game(cp.from_efg(text))


def test_openspiel_games_are_told_apart():
    """By the name they were loaded by; all matrix games of OpenSpiel share one name."""
    pyspiel = pytest.importorskip("pyspiel")
    assert enumerate_game("openspiel:kuhn_poker") is enumerate_game("openspiel:kuhn_poker()")
    assert cp.from_openspiel("kuhn_poker") != cp.from_openspiel("kuhn_poker(players=3)")
    win, lose = (pyspiel.create_matrix_game([[x]], [[-x]]) for x in (1.0, -1.0))
    assert enumerate_game(cp.from_openspiel(win)) is enumerate_game(cp.from_openspiel(win))
    assert enumerate_game(cp.from_openspiel(win)) is not enumerate_game(cp.from_openspiel(lose))


def test_kept_trees_are_bounded(monkeypatch):
    names = [f"kuhn_poker(players={n})" for n in (2, 3, 4)]
    trees = [enumerate_game(name) for name in names]
    assert [enumerate_game(name) for name in names] == trees
    monkeypatch.setattr("counterpoise.tree.enumerate.RECENT_BYTES", trees[2].memory_bytes - 1)
    again = enumerate_game("kuhn_poker(players=4)")
    assert again is trees[2]
    assert enumerate_game("coin_toss").nodes > 1
    assert sum(tree.memory_bytes for tree in _RECENT.values()) < trees[2].memory_bytes
    assert enumerate_game("kuhn_poker(players=4)") is not trees[2]


@pytest.mark.slow
def test_many_threads_may_enumerate():
    failures = []

    def work(seed):
        try:
            for k in range(10):
                name = f"leduc_poker(ranks={2 + (seed + k) % 5})" if k % 3 else f"kuhn_poker(players={2 + seed % 2})"
                assert enumerate_game(name).name == cp.load(name).name
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_names_are_games_everywhere():
    uniform = Strategy.uniform(enumerate_game("kuhn_poker"))
    game = cp.load("kuhn_poker")
    assert cp.exploitability("kuhn_poker", uniform) == cp.exploitability(game, uniform)
    assert cp.nash_conv("kuhn_poker", uniform) == cp.nash_conv(game, uniform)
    assert cp.expected_value("kuhn_poker", uniform) == cp.expected_value(game, uniform)
    assert cp.best_response("kuhn_poker", uniform, 1).value == cp.best_response(game, uniform, np.int64(1)).value
    assert cp.exact("kuhn_poker").value[0] == pytest.approx(-1 / 18)
    for wrong in (5, None, object()):
        with pytest.raises(cp.InputError, match="a game is a name or an object with the methods"):
            cp.exploitability(wrong, uniform)
    for player in (True, False, 2, -1, 0.0, "0", None, [0]):
        with pytest.raises(cp.InputError, match="player must be a seat from 0 to 1, not"):
            cp.best_response("kuhn_poker", uniform, player)
