"""The driver of trainings: measured, saved, resumed bit for bit, stopped; wrong input in one sentence."""

import multiprocessing
import time
from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.deep import METHODS, Fitter, load_networks, train_networks
from counterpoise.deep.deep_cfr import DeepCFR
from counterpoise.deep.files import Trained
from counterpoise.errors import Cancelled, Diverged, InputError
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.store import cpz
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import checkpoint_of

KUHN = "deep-cfr(traversals=20, steps=3, batch=16, policy_steps=3, hidden=[8], memory=500)"
DICE = "rebel(updates=8, width=8, games=4, play_throughs=2)"
SETTINGS = [("kuhn_poker", KUHN), pytest.param("liars_dice(faces=2)", DICE, marks=pytest.mark.slow)]


def weights(path: Path) -> np.ndarray:
    return np.concatenate([network.flat() for network in load_networks(path).networks.values()])


@pytest.mark.slow
@pytest.mark.parametrize(("game", "method"), SETTINGS)
def test_a_resumed_training_ends_with_the_same_weights(game: str, method: str, tmp_path: Path) -> None:
    """One seed gives the same weights, in one go or in two."""
    whole, parts = tmp_path / "whole.cpz", tmp_path / "parts.cpz"
    found = train_networks(game, method, iterations=4, seed=3, out=whole, progress=False)
    train_networks(game, method, iterations=2, seed=3, out=parts, progress=False)
    again = train_networks(resume=parts, iterations=4, out=parts, progress=False)
    assert again.iterations == found.iterations == 4
    np.testing.assert_array_equal(weights(whole), weights(parts))
    assert again.exploitability == found.exploitability == found.trace[-1].exploitability
    assert again.trace[-1].iteration == 4
    other = tmp_path / "other.cpz"
    train_networks(game, method, iterations=4, seed=4, out=other, progress=False)
    assert not np.array_equal(weights(whole), weights(other))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "method"), [*SETTINGS, ("kuhn_poker", "nfsp(episodes=16, batch=8, hidden=[8])")])
def test_the_file_is_taken_where_a_strategy_is(game: str, method: str, tmp_path: Path) -> None:
    """What `evaluate` recomputes from the table is what training has measured."""
    found = train_networks(game, method, iterations=1, out=tmp_path / "a.cpz", progress=False)
    assert cp.exploitability(game, cp.load_strategy(tmp_path / "a.cpz")) == pytest.approx(
        found.exploitability, abs=1e-9
    )
    assert found.to_json()["exploitability"] == found.exploitability
    result = cp.match(game, [f"strategy:{tmp_path / 'a.cpz'}", "random"], hands=50, progress=False)
    assert result.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}


def test_a_method_without_networks_leaves_its_strategy(tmp_path: Path) -> None:
    found = train_networks("kuhn_poker", "regression-cfr(regressor=table)", iterations=20, out=tmp_path / "a.cpz")
    assert not found.trained.networks
    assert cp.exploitability("kuhn_poker", cp.load_strategy(tmp_path / "a.cpz")) == pytest.approx(found.exploitability)


class CancelAfterTwo(SilentProgress):
    """Presses Ctrl-C, so to speak, when the second step is shown."""

    def __init__(self, token: CancelToken) -> None:
        self.token, self.shown = token, 0

    def show(self, fraction: float | None, figure: str) -> None:
        self.shown += 1
        if self.shown == 2:
            self.token.cancel()


@pytest.mark.slow
def test_a_cancelled_training_keeps_what_it_has_found(tmp_path: Path) -> None:
    token = CancelToken()
    found = train_networks(
        "kuhn_poker", KUHN, iterations=50, out=tmp_path / "a.cpz", progress=CancelAfterTwo(token), cancel=token
    )
    assert found.interrupted
    assert found.iterations == 2
    assert (
        train_networks(resume=tmp_path / "a.cpz", iterations=3, out=tmp_path / "a.cpz", progress=False).iterations == 3
    )


def test_a_training_that_is_cancelled_before_its_first_step_has_no_result(tmp_path: Path) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        train_networks("kuhn_poker", KUHN, iterations=5, out=tmp_path / "a.cpz", progress=False, cancel=token)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_no_process_outlives_a_checkpoint_that_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "a.cpz"
    train_networks("liars_dice(faces=2)", DICE, iterations=1, out=out, progress=False)
    header, arrays = read_cpz(checkpoint_of(out))
    write_cpz(checkpoint_of(out), "network training", header, arrays | {"replay.counts": np.array([-1, 0, 0])})
    with pytest.raises(InputError, match="is damaged"):
        train_networks(resume=out, iterations=2, workers=2, progress=False)
    assert not multiprocessing.active_children()


def test_diverged_networks_leave_the_last_good_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "a.cpz"
    train_networks("kuhn_poker", KUHN, iterations=1, out=out, progress=False)
    before = checkpoint_of(out).read_bytes(), out.read_bytes()
    draw = Fitter.fit

    def broken(self, batches, rate=None):
        return draw(self, batches._replace(targets=np.full_like(batches.targets, np.nan)), rate)

    monkeypatch.setattr(Fitter, "fit", broken)
    with pytest.raises(Diverged, match=r"iteration 1 of deep-cfr.*has iteration 1$"):
        train_networks(resume=out, iterations=3, out=out, progress=False)
    assert (checkpoint_of(out).read_bytes(), out.read_bytes()) == before


def test_large_memories_are_resumed_without_reading_them_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every array on the disk, of which memory would not hold a tenth: the same training goes on."""
    out, method = tmp_path / "a.cpz", KUHN.replace("memory=500", "memory=20000")
    train_networks("kuhn_poker", method.replace("=20,", "=1000,"), iterations=2, out=out, progress=False)
    samples = sum(array.nbytes for name, array in read_cpz(checkpoint_of(out))[1].items() if "memory" in name)
    monkeypatch.setattr(cpz, "LARGE", 2000)
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("M", (), {"available": samples // 5})())
    found = train_networks(resume=out, iterations=3, progress=False)
    monkeypatch.undo()
    assert samples > 150_000
    assert found.exploitability == train_networks(resume=out, iterations=3, progress=False).exploitability


class Notes(SilentProgress):
    """Keeps the sentences that stay."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def note(self, sentence: str) -> None:
        self.sentences.append(sentence)


def diverge(*given: object) -> None:
    raise Diverged("the loss is not a number any more")


def test_a_figure_that_diverges_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The network of the average is fitted anew for every figure: that one diverges says nothing of the training."""
    monkeypatch.setattr(DeepCFR, "exploitability", diverge)
    notes = Notes()
    found = train_networks("kuhn_poker", KUHN, iterations=2, progress=notes)
    assert (found.iterations, found.trace, found.exploitability) == (2, [], None)
    assert "iteration 2 could not be measured: the loss is not a number any more" in notes.sentences


def test_a_result_that_diverges_leaves_the_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "a.cpz"
    with monkeypatch.context() as patched:
        patched.setattr(DeepCFR, "result", diverge)
        with pytest.raises(
            Diverged, match=r"iteration 2 of deep-cfr.*on kuhn_poker\); .*a\.training\.cpz has iteration 2$"
        ):
            train_networks("kuhn_poker", KUHN, iterations=2, out=out, progress=False)
        with pytest.raises(Diverged, match=r"nothing had been saved before$"):
            train_networks("kuhn_poker", KUHN, iterations=2, progress=False)
    assert not out.exists()
    assert train_networks(resume=out, iterations=3, out=out, progress=False).iterations == 3


def test_cpu_seconds_count_the_result_and_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = DeepCFR.result

    def long_result(self: DeepCFR) -> Trained:
        end = time.process_time() + 0.5
        while time.process_time() < end:
            pass
        return result(self)

    out = tmp_path / "a.cpz"
    before = train_networks("kuhn_poker", KUHN, iterations=1, out=out, progress=False)
    monkeypatch.setattr(DeepCFR, "result", long_result)
    after = train_networks(resume=out, iterations=1, out=out, progress=False)
    assert after.cpu_seconds - read_cpz(checkpoint_of(out))[0]["spent"]["cpu_seconds"] >= 0.5
    assert after.seconds >= before.trace[-1].seconds + 0.5


def test_a_training_is_resumed_by_its_own_method(tmp_path: Path) -> None:
    out = tmp_path / "a.cpz"
    train_networks("kuhn_poker", KUHN, iterations=1, out=out, progress=False)
    with pytest.raises(InputError, match=r"is a training by deep-cfr\(.*\), not nfsp$"):
        train_networks(resume=out, method="nfsp", iterations=2, progress=False)
    assert train_networks(resume=out, method=KUHN, iterations=2, progress=False).iterations == 2


def test_iterations_whose_networks_no_file_holds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InputError, match="iterations must be at most 50000, as a file holds no more networks, not 50001"
    ):
        train_networks("kuhn_poker", f"single-{KUHN}", iterations=50_001, progress=False)
    assert METHODS.build("single-deep-cfr(keep_every=3)").most_iterations == 150_000
    for unlimited in (KUHN, "single-deep-cfr(regressor=table)", "nfsp"):
        assert METHODS.build(unlimited).most_iterations is None
    monkeypatch.setattr("counterpoise.deep.deep_cfr.MOST_NETWORKS", 4)
    assert train_networks("kuhn_poker", f"single-{KUHN}", minutes=60, progress=False).iterations == 2
    monkeypatch.setattr("counterpoise.deep.files.MOST_NETWORKS", 0)
    found = train_networks("kuhn_poker", KUHN, iterations=1, out=tmp_path / "a.cpz", progress=False)
    assert found.unsaved == "a file holds 0 networks, not 1"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"game": None}, "game is missing"),
        ({"iterations": None}, "minutes or iterations must say when training ends"),
        ({"iterations": 0}, "iterations must be a whole number"),
        ({"method": "deep-cfr(traversals=0)"}, "traversals must be a whole number of at least 1"),
        ({"method": "deep-cfr(batch=100000000000)"}, "batch must be a whole number from 1 to 1000000"),
        ({"method": "deep-cfr(traversals=100000000000)"}, "traversals must be a whole number from 1 to 1000000"),
        ({"method": "nfsp(episodes=1000000000000)"}, "episodes must be a whole number from 1 to 1000000"),
        ({"method": "nfsp(batch=1000000000000)"}, "batch must be a whole number from 1 to 1000000"),
        ({"method": "nfsp(updates=1000000000000)"}, "updates must be a whole number from 1 to 1000000"),
        ({"method": "deep-cfr(speed=3)"}, "has no parameter 'speed'"),
        ({"method": "deep"}, "unknown method 'deep'"),
        ({"game": "kuhn_poker(players=3)"}, "needs a two-player zero-sum game"),
        ({"game": "goofspiel(cards=3)", "method": DICE}, "rebel knows liars_dice"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"workers": 0}, "workers must be a whole number"),
        ({"workers": 2}, "deep-cfr trains in one process: leave out workers"),
        ({"workers": 2, "method": "nfsp"}, "nfsp trains in one process: leave out workers"),
        ({"out": "missing/folder/a.cpz"}, "does not exist"),
        ({"out": "a.training.cpz"}, "which is the name of a checkpoint"),
    ],
)
def test_wrong_input_is_one_sentence(given: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        train_networks(**{"game": "kuhn_poker", "method": KUHN, "iterations": 1, "progress": False} | given)


def test_checkpoints_of_another_kind_version_or_game_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "a.cpz"
    train_networks("kuhn_poker", KUHN, iterations=1, out=out, progress=False)
    with pytest.raises(InputError, match="is a training of kuhn_poker, not leduc_poker"):
        train_networks("leduc_poker", resume=out, iterations=2, progress=False)
    header, arrays = read_cpz(checkpoint_of(out))
    for change, sentence in (
        ({"training_version": 7}, "is a training of version 7; this program reads up to 1"),
        ({"spent": {}}, "is damaged: its header is incomplete .spent"),
        ({"method": "deep-cfr(speed=1)"}, "has no parameter 'speed'"),
    ):
        write_cpz(checkpoint_of(out), "network training", header | change, arrays)
        with pytest.raises(InputError, match=sentence):
            train_networks(resume=out, iterations=2, progress=False)
    write_cpz(checkpoint_of(out), "network training", header, {name: arrays[name] for name in list(arrays)[1:]})
    with pytest.raises(InputError, match="is damaged: its arrays do not describe this training"):
        train_networks(resume=out, iterations=2, progress=False)
    checkpoint_of(out).unlink()
    with pytest.raises(InputError, match="has no checkpoint beside it"):
        train_networks(resume=out, iterations=2, progress=False)
    with pytest.raises(InputError, match=r"none\.cpz does not exist"):  # the file that was named, not its checkpoint
        train_networks(resume=tmp_path / "none.cpz", iterations=2, progress=False)


def test_the_methods_that_users_name() -> None:
    assert {"deep-cfr", "single-deep-cfr", "nfsp", "regression-cfr", "rebel"} <= set(METHODS)
