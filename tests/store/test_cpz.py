"""The .cpz container: round trip, atomic write, and every kind of damage."""

import json
import stat
import zipfile

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.store import check_writable, read_cpz, write_cpz
from counterpoise.store.cpz import _header_checksum

ARRAYS = {"numbers": np.arange(5.0), "names": np.array(["a", "bc"])}


def test_round_trip(tmp_path):
    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {"game": "g"}, ARRAYS)
    header, arrays = read_cpz(path, "test")
    assert header["game"] == "g"
    assert header["kind"] == "test"
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
    assert [p.name for p in tmp_path.iterdir()] == ["x.cpz"]


def test_readable_without_this_package(tmp_path):
    """The documented layout: a zip of header.json and .npy files."""
    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {}, ARRAYS)
    with zipfile.ZipFile(path) as file:
        assert json.loads(file.read("header.json"))["format"] == "counterpoise"
        with file.open("numbers.npy") as member:
            np.testing.assert_array_equal(np.load(member), ARRAYS["numbers"])


def test_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {"generation": 1}, ARRAYS)

    def fail(*args, **keywords):
        raise OSError("disk full")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", fail)
    with pytest.raises(OSError, match="disk full"):
        write_cpz(path, "test", {"generation": 2}, ARRAYS)
    monkeypatch.undo()
    assert read_cpz(path)[0]["generation"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["x.cpz"]


def test_truncated_at_every_tenth(tmp_path):
    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {}, ARRAYS)
    whole = path.read_bytes()
    for tenth in range(10):
        path.write_bytes(whole[: len(whole) * tenth // 10])
        with pytest.raises(cp.InputError, match=r"x\.cpz"):
            read_cpz(path)


def rewrite(path, **members):
    with zipfile.ZipFile(path) as file:
        content = {name: file.read(name) for name in file.namelist()}
    content |= members
    with zipfile.ZipFile(path, "w") as file:
        for name, data in content.items():
            if data is not None:
                file.writestr(name, data)


def test_edited_files_are_refused(tmp_path):
    path = tmp_path / "x.cpz"

    def fresh():
        write_cpz(path, "test", {}, ARRAYS)

    fresh()
    other = tmp_path / "other.npy"
    np.save(other, np.arange(5.0) + 1)
    rewrite(path, **{"numbers.npy": other.read_bytes()})
    with pytest.raises(cp.InputError, match="changed after it was written: array 'numbers'"):
        read_cpz(path)
    fresh()
    rewrite(path, **{"numbers.npy": None})
    with pytest.raises(cp.InputError, match="array 'numbers' is missing"):
        read_cpz(path)
    fresh()
    rewrite(path, **{"header.json": b"{"})
    with pytest.raises(cp.InputError, match="header is not JSON"):
        read_cpz(path)
    fresh()
    rewrite(path, **{"header.json": b'{"format": "counterpoise", "version": 99}'})
    with pytest.raises(cp.InputError, match="format version 99"):
        read_cpz(path)
    fresh()
    header = json.loads(zipfile.ZipFile(path).read("header.json")) | {"kind": "run"}
    rewrite(path, **{"header.json": json.dumps(header).encode()})
    with pytest.raises(cp.InputError, match="its header does not match its checksum"):
        read_cpz(path)
    fresh()
    with pytest.raises(cp.InputError, match="holds a test, not a run"):
        read_cpz(path, "run")


def test_pickled_arrays_are_never_loaded(tmp_path):
    import hashlib
    import pickle

    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {}, ARRAYS)
    evil = tmp_path / "evil.npy"
    np.save(evil, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    data = evil.read_bytes()
    header = read_cpz(path)[0]
    header["arrays"]["numbers"] = hashlib.sha256(data).hexdigest()
    header["checksum"] = _header_checksum(header)
    rewrite(path, **{"numbers.npy": data, "header.json": json.dumps(header).encode()})
    with pytest.raises(cp.InputError, match="cannot be read"):
        read_cpz(path)
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(cp.InputError):
        read_cpz(path)


def test_paths_that_cannot_be_written(tmp_path):
    with pytest.raises(cp.InputError, match=r"folder .* does not exist"):
        check_writable(tmp_path / "no" / "x.cpz")
    with pytest.raises(cp.InputError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(cp.InputError, match="cannot write"):
        check_writable("/proc/x.cpz")
    assert check_writable(tmp_path / "x.cpz") == tmp_path / "x.cpz"
    assert not list(tmp_path.iterdir())


def test_permissions_follow_the_umask(tmp_path):
    path, plain = tmp_path / "x.cpz", tmp_path / "plain"
    write_cpz(path, "test", {}, ARRAYS)
    plain.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_strategies_and_runs_round_trip(tmp_path):
    run = cp.solve("kuhn_poker", "cfr+", iterations=30)
    run.save(tmp_path / "run.cpz")
    run.strategy.save(tmp_path / "strategy.cpz")
    for name in ("run", "strategy"):
        loaded = cp.load_strategy(tmp_path / f"{name}.cpz")
        assert loaded == run.strategy
        assert cp.exploitability(cp.load("kuhn_poker"), loaded) == pytest.approx(run.exploitability)
    again = cp.load_run(tmp_path / "run.cpz")
    assert (again.trace, again.value, again.algorithm) == (run.trace, run.value, run.algorithm)


def test_a_file_that_is_no_strategy(tmp_path):
    path = tmp_path / "x.cpz"
    write_cpz(path, "strategy", {"game": "kuhn_poker"}, ARRAYS)
    with pytest.raises(cp.InputError, match="holds no strategy"):
        cp.load_strategy(path)
    run = cp.solve("kuhn_poker", "cfr", iterations=1)
    from counterpoise.tree import strategy_arrays

    arrays = strategy_arrays(run.strategy)
    for name, broken in {
        "probabilities": arrays["probabilities"] * 2,
        "sizes": arrays["sizes"] + 1,
        "owner": arrays["owner"] + 5,
    }.items():
        write_cpz(path, "strategy", {"game": "kuhn_poker"}, {**arrays, name: broken})
        with pytest.raises(cp.InputError, match="do not describe a strategy"):
            cp.load_strategy(path)
