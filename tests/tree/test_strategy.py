"""Strategies as mappings, as tables and as files; digests of games."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import UnknownKey
from counterpoise.games import TERMINAL
from counterpoise.store import read_cpz
from counterpoise.tree import Strategy, enumerate_game, game_digest, load_strategy, strategy_arrays, strategy_from


class Named:
    """One decision per seat, with labels and actions of the test's choice."""

    players = 2

    def __init__(self, labels, actions, win=1.0):
        self.labels, self.moves, self.win = labels, actions, win

    def initial(self):
        return ()

    def player(self, state):
        return len(state) if len(state) < 2 else TERMINAL

    def actions(self, state):
        return self.moves

    def next(self, state, action):
        return (*state, action)

    def infoset(self, state):
        return self.labels[len(state)]

    def payoffs(self, state):
        return (self.win, -self.win) if state[0] == state[1] else (-self.win, self.win)


@pytest.fixture
def kuhn():
    return Strategy.uniform(enumerate_game("kuhn_poker"))


@pytest.mark.parametrize("key", ["nope", (1, 2, 3), (0, "nope"), (True, "nope"), 7, None, (), ("0", 0), [0, "0"]])
def test_a_missing_key_is_a_key_error_with_a_sentence(kuhn, key):
    assert kuhn.get(key) is None
    assert kuhn.get(key, 5) == 5
    assert key not in kuhn
    with pytest.raises(KeyError) as caught:
        kuhn[key]
    assert isinstance(caught.value, cp.InputError)
    assert str(caught.value).startswith(("there is no infoset", "an infoset is named by"))


def test_keys_that_are_there(kuhn):
    label = next(iter(kuhn))
    assert label in kuhn
    assert kuhn.get(label) == kuhn[label] == kuhn[kuhn.table.owner[0], label]
    shared = Strategy.uniform(enumerate_game(Named(("same", "same"), ("h", "t"))))
    assert "same" not in shared
    assert (1, "same") in shared
    with pytest.raises(UnknownKey, match=r"belongs to several players: ask for \(player, 'same'\)"):
        shared["same"]
    with pytest.raises(cp.InputError, match="an infoset is named by"):
        Strategy.from_mapping(enumerate_game("kuhn_poker"), {(1, 2, 3): {}})


def test_asking_does_not_search_for_similar_names(kuhn, monkeypatch):
    monkeypatch.setattr("counterpoise.tree.tree.suggest", lambda *args: pytest.fail("searched"))
    assert "nope" not in kuhn
    assert kuhn.get("nope") is None


class Counted(np.ndarray):
    """An array that counts how many numbers are taken out of it."""

    taken = 0

    def tolist(self):
        Counted.taken += self.size
        return super().tolist()


def test_frame_has_one_row_per_action():
    """Linear in the number of infosets: each number is taken from the array once."""
    strategy = Strategy.uniform(enumerate_game("goofspiel(cards=4)"))
    strategy.numbers = strategy.numbers.view(Counted)
    frame = strategy.to_frame()
    assert Counted.taken == len(frame)
    assert len(frame) == strategy.table.size - 2
    assert frame.groupby(["player", "infoset"]).probability.sum().to_numpy() == pytest.approx(1)


def test_any_text_survives_the_file(tmp_path):
    """Trailing NULs, other alphabets, and one long label among short ones (the file grows by that label only)."""
    labels, actions = ("a\0", "é" * 100_000), ("b\0\0", "", "𝄞")
    strategy = Strategy.uniform(enumerate_game(Named(labels, actions)))
    strategy.save(tmp_path / "x.cpz")
    loaded = load_strategy(tmp_path / "x.cpz")
    assert loaded == strategy
    assert list(loaded.table) == [(0, labels[0]), (1, labels[1])]
    assert loaded.table.actions == [actions, actions]
    assert sum(array.nbytes for array in strategy_arrays(strategy).values()) < 250_000


def test_strategy_from_what_was_read_once(tmp_path, kuhn):
    kuhn.save(tmp_path / "x.cpz")
    header, arrays = read_cpz(tmp_path / "x.cpz")
    (tmp_path / "x.cpz").unlink()
    assert strategy_from(header, arrays, "x.cpz") == kuhn
    with pytest.raises(cp.InputError, match=r"x\.cpz holds no strategy: array 'sizes' is missing"):
        strategy_from(header, {name: array for name, array in arrays.items() if name != "sizes"}, "x.cpz")
    same = {"labels": np.zeros_like(arrays["labels"])}  # all labels of one length become one label
    with pytest.raises(cp.InputError, match="is damaged: "):
        strategy_from(header, arrays | same, "x.cpz")


def test_digest_tells_games_apart():
    def digest(*args, **keywords):
        return game_digest(enumerate_game(Named(*args, **keywords)))

    plain = digest(("a", "b"), ("h", "t"))
    assert plain == digest(("a", "b"), ("h", "t"))
    others = {
        digest(("a", "c"), ("h", "t")),
        digest(("a", "b"), ("h", "u")),
        digest(("ab", ""), ("h", "t")),
        digest(("a", "b"), ("h", "t"), win=2.0),
        digest(("a", "b"), ("h", "t", "x")),
    }
    assert len(others | {plain}) == 6
