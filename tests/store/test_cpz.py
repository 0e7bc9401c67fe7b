"""The .cpz container: round trip, atomic write, and every kind of damage."""

import errno
import hashlib
import io
import json
import os
import pickle
import stat
import subprocess
import sys
import tracemalloc
import zipfile
from mmap import mmap
from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import Cancelled
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.store import atomic_write, check_writable, cpz, pack_texts, read_cpz, unpack_texts, write_cpz
from counterpoise.store.cpz import _header_checksum, read_header
from counterpoise.store.files import _temporary_prefix

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


def forge(path, data):
    """A file whose array "numbers" is `data`, with checksums that say so."""
    write_cpz(path, "test", {}, ARRAYS)
    header = read_cpz(path)[0]
    header["arrays"]["numbers"] = hashlib.sha256(data).hexdigest()
    header["checksum"] = _header_checksum(header)
    rewrite(path, **{"numbers.npy": data, "header.json": json.dumps(header).encode()})


def test_pickled_arrays_are_never_loaded(tmp_path):
    path = tmp_path / "x.cpz"
    evil = io.BytesIO()
    np.save(evil, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    forge(path, evil.getvalue())
    with pytest.raises(cp.InputError, match="cannot be read"):
        read_cpz(path)
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(cp.InputError):
        read_cpz(path)


def npy(description):
    """The bytes of an .npy file that claims to hold something, followed by 40 bytes."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, description)
    return buffer.getvalue() + bytes(40)


def test_arrays_that_are_not_what_they_claim(tmp_path):
    """An archive inside, a shape of 10**15 numbers, a negative shape, too few bytes, records: one sentence each."""
    path = tmp_path / "x.cpz"
    archive = io.BytesIO()
    np.savez(archive, a=np.arange(3))
    plain = {"descr": "<f8", "fortran_order": False}
    for data in (
        archive.getvalue(),
        npy({**plain, "shape": (10**15,)}),
        npy({**plain, "shape": (-1, -5)}),
        npy({**plain, "shape": (0, 10**30)}),
        npy({**plain, "shape": (4,)}),
        npy({**plain, "shape": (5,), "descr": [("a", "<i4"), ("b", "<i4")]}),
        npy({**plain, "shape": (5,)})[:20],
        b"",
    ):
        forge(path, data)
        with pytest.raises(cp.InputError, match="array 'numbers' cannot be read"):
            read_cpz(path)
    forge(path, npy({**plain, "shape": (5, 1), "fortran_order": True}))
    assert read_cpz(path)[1]["numbers"].shape == (5, 1)


def test_inflating_is_bounded(tmp_path, monkeypatch):
    """The arrays' sizes are added up before any is inflated, and compare with a budget."""
    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {}, {name: np.zeros(10**6) for name in "abc"})
    monkeypatch.setattr(cpz, "MAX_BYTES", 20_000_000)
    monkeypatch.setattr(
        cpz,
        "_inflate",
        lambda file, source, entry, real=cpz._inflate: (
            real(file, source, entry) if entry.filename == "header.json" else pytest.fail("inflated")
        ),
    )
    with pytest.raises(cp.InputError, match=r"its arrays claim 24,000,384 bytes of 20,000,000 allowed"):
        read_cpz(path)


def test_large_arrays_may_stay_on_the_disk(tmp_path, monkeypatch):
    """Memories of samples that are mapped because they are large come back although memory is small."""
    path, large = tmp_path / "x.cpz", np.arange(100_000.0)
    write_cpz(path, "test", {}, ARRAYS | {"large": large, "none": large[:0]})
    monkeypatch.setattr(cpz, "LARGE", 2**19)
    monkeypatch.setattr(cpz.psutil, "virtual_memory", lambda: type("M", (), {"available": 10**6})())
    with pytest.raises(cp.InputError, match=r"does not fit into memory: its arrays take 80\d,\d+ bytes, and half of"):
        read_cpz(path)
    arrays = read_cpz(path, "test", mapped=True)[1]
    np.testing.assert_array_equal(arrays["large"], large)
    assert isinstance(arrays["large"].base, mmap)
    assert not isinstance(arrays["numbers"].base, mmap)
    monkeypatch.setattr(cpz, "unnamed_room", no_room)
    with pytest.raises(cp.InputError, match=r"has an array of 0\.0 GB, for which .* has no room \(No space left"):
        read_cpz(path, mapped=True)


def no_room(folder, size):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_members_as_long_as_they_claim(tmp_path):
    """A member that inflates to more or less than its entry says is refused; so is a method without a bound."""
    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {}, {"numbers": np.zeros(10**5)})
    whole = path.read_bytes()
    claimed = (800_128).to_bytes(4, "little")
    assert whole.count(claimed) >= 2  # in both entries, and in the 64-bit field that some versions of zipfile write too
    for size in (1000, 10**6):
        path.write_bytes(whole.replace(claimed, size.to_bytes(4, "little")))
        with pytest.raises(cp.InputError, match=r"x\.cpz"):
            read_cpz(path)
    write_cpz(path, "test", {}, ARRAYS)
    with zipfile.ZipFile(path) as file:
        content = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        for name, data in content.items():
            file.writestr(name, data)
    with pytest.raises(cp.InputError, match="compressed in an unknown way"):
        read_cpz(path)


def test_number_of_arrays_is_bounded(tmp_path):
    path = tmp_path / "x.cpz"
    with pytest.raises(ValueError, match="at most 1000 arrays"):
        write_cpz(path, "test", {}, {f"a{k}": np.zeros(1) for k in range(1001)})
    write_cpz(path, "test", {}, ARRAYS)
    header = read_cpz(path)[0]
    header["arrays"] = {f"a{k}": "" for k in range(1001)}
    header["checksum"] = _header_checksum(header)
    rewrite(path, **{"header.json": json.dumps(header).encode()})
    with pytest.raises(cp.InputError, match="lists 1,001 arrays"):
        read_cpz(path)


def test_texts_round_trip():
    texts = ["y", "", "a\0", "\0\0", "é€𝄞", "x" * 1000, "\ud800", "z"]
    content, offsets = pack_texts(texts)
    assert unpack_texts(content, offsets) == texts
    assert unpack_texts(*pack_texts([])) == []
    for broken in (offsets[::-1], offsets[1:], offsets[:-1], offsets[:0], offsets + 1, offsets.astype(float)):
        with pytest.raises(ValueError, match="offsets"):
            unpack_texts(content, broken)
    with pytest.raises(UnicodeDecodeError):
        unpack_texts(np.array([0xFF], dtype=np.uint8), np.array([0, 1]))
    with pytest.raises(UnicodeDecodeError):  # between the bytes of one letter
        unpack_texts(*(pack_texts(["é"])[0], np.array([0, 1, 2])))


def test_links_and_special_files_survive(tmp_path):
    """A link keeps pointing at its file, which is replaced; what is no ordinary file is refused."""
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "x.cpz", tmp_path / "link.cpz"
    link.symlink_to(target)
    for generation in (1, 2):
        write_cpz(link, "test", {"generation": generation}, ARRAYS)
        assert link.is_symlink()
        assert read_cpz(target)[0]["generation"] == generation
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "to_pipe").symlink_to(pipe)
    for path in (pipe, tmp_path / "to_pipe"):  # never a real device: a test must not be able to destroy one
        with pytest.raises(cp.InputError, match="not an ordinary file"):
            write_cpz(path, "test", {}, ARRAYS)
        with pytest.raises(cp.InputError, match="not an ordinary file"):
            read_cpz(path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(cp.InputError, match="cannot write"):
        check_writable(loop)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.cpz", "loop", "pipe", "real", "to_pipe"]


def test_permissions_of_a_replaced_file_stay(tmp_path):
    path = tmp_path / "x.cpz"
    for mode in (0o600, 0o640, 0o666):
        path.touch()
        path.chmod(mode)
        write_cpz(path, "test", {}, ARRAYS)
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_umask_is_never_touched(tmp_path, monkeypatch):
    """It belongs to the whole process: other threads would create files with the wrong permissions."""
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("umask was changed"))
    write_cpz(tmp_path / "x.cpz", "test", {}, ARRAYS)


def test_longest_names(tmp_path):
    path = tmp_path / ("x" * 251 + ".cpz")
    assert check_writable(path) == path
    write_cpz(path, "test", {}, ARRAYS)
    assert read_cpz(path)[0]["kind"] == "test"
    for name in ("x" * 256, "nul\0byte"):
        with pytest.raises(cp.InputError, match="cannot write"):
            check_writable(tmp_path / name)


def test_on_disk_before_it_is_renamed(tmp_path, monkeypatch):
    events = []
    monkeypatch.setattr(os, "fsync", lambda handle, real=os.fsync: (events.append("fsync"), real(handle)))
    with atomic_write(tmp_path / "x") as file:
        file.write(b"x")
        assert not (tmp_path / "x").exists()
    assert events == ["fsync"]
    assert (tmp_path / "x").read_bytes() == b"x"


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
        "labels": arrays["labels"] | 0x80,
        "label_offsets": arrays["label_offsets"][::-1],
        "action_offsets": arrays["action_offsets"] * 0,
        "actions": arrays["actions"] * 0,
    }.items():
        write_cpz(path, "strategy", {"game": "kuhn_poker"}, {**arrays, name: broken})
        with pytest.raises(cp.InputError, match="is damaged: "):
            cp.load_strategy(path)


def test_writing_streams_the_arrays(tmp_path):
    """No array is held a second time, as a whole or together with others."""
    arrays = {name: np.zeros(4 * 10**6) for name in "abc"}
    tracemalloc.start()
    try:
        write_cpz(tmp_path / "x.cpz", "test", {}, arrays)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < arrays["a"].nbytes * 1.6  # NumPy hands on pieces of 16 MB
    read = read_cpz(tmp_path / "x.cpz")[1]
    assert all(np.array_equal(read[name], array) for name, array in arrays.items())


def test_files_with_the_header_first_are_read(tmp_path):
    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {}, ARRAYS)
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in reversed(file.namelist())}
    assert next(iter(members)) == "header.json"
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    assert read_cpz(path)[1].keys() == ARRAYS.keys()


def test_the_header_alone(tmp_path):
    path = tmp_path / "x.cpz"
    write_cpz(path, "test", {"game": "g"}, ARRAYS)
    assert read_header(path, "test")["game"] == "g"
    with pytest.raises(cp.InputError, match="holds a test, not a run"):
        read_header(path, "run")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(cp.InputError, match=r"is not a whole \.cpz file"):
        read_header(path)


def test_kinds_have_their_articles(tmp_path):
    write_cpz(tmp_path / "x.cpz", "abstraction", {}, {})
    with pytest.raises(cp.InputError, match="holds an abstraction, not a run or a strategy: look at it with"):
        read_header(tmp_path / "x.cpz", "run", "strategy")
    write_cpz(tmp_path / "x.cpz", "test", {}, {})
    with pytest.raises(cp.InputError, match=r"holds a test, not an abstraction$"):
        read_header(tmp_path / "x.cpz", "abstraction")


def test_npy_headers_of_the_machinery_are_not_quoted(tmp_path):
    """A header that calls a function, or is no dictionary: no word of the parser in the sentence."""
    path = tmp_path / "x.cpz"
    plain = npy({"descr": "<f8", "fortran_order": False, "shape": (5,)})
    for wrong in (b"{'descr': open('x'),", b"((((((((((((((((((((", b"{'descr': '<f8'      "):
        data = plain.replace(b"{'descr': '<f8', 'fo", wrong[:20])
        forge(path, data)
        with pytest.raises(cp.InputError, match=r"\(it does not begin as an \.npy file does\)$"):
            read_cpz(path)


def test_a_cancelled_write_leaves_the_old_file(tmp_path):
    path, cancel, seen, watched = tmp_path / "x.cpz", CancelToken(), [], SilentProgress()
    watched.show = lambda fraction, figure: seen.append((fraction, figure))
    write_cpz(path, "test", {"generation": 1}, ARRAYS, progress=watched, cancel=cancel)
    assert seen[-1] == (1, "saving, 0 MB")
    cancel.cancel()
    with pytest.raises(Cancelled):
        write_cpz(path, "test", {"generation": 2}, ARRAYS, cancel=cancel)
    assert read_header(path)["generation"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["x.cpz"]


KILLED = """
import os, signal, sys
from counterpoise.store import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_leaves_is_removed_at_the_next_start(tmp_path):
    """Of the same target only, and never what a living process is writing."""
    targets = [tmp_path / "a.cpz", tmp_path / "a.cpz", tmp_path / "b.cpz"]
    writers = [
        subprocess.Popen([sys.executable, "-c", KILLED, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for target in targets
    ]
    for writer in writers:
        assert writer.stdout.readline() == b"ready\n"
    assert len(list(tmp_path.iterdir())) == 3
    for writer in (writers[0], writers[2]):
        writer.kill()
        writer.wait()
    check_writable(tmp_path / "a.cpz")
    left = sorted(int(path.name.split("-")[2]) for path in tmp_path.iterdir())
    assert left == sorted([writers[1].pid, writers[2].pid])
    writers[1].communicate()
    assert (tmp_path / "a.cpz").read_bytes() == b"half"
    check_writable(tmp_path / "b.cpz")
    assert [path.name for path in tmp_path.iterdir()] == ["a.cpz"]


def test_what_is_left_and_cannot_be_removed_stops_nobody(tmp_path, monkeypatch):
    """As another user's file in a folder like /tmp, where each may only remove their own."""
    path = tmp_path / "x.cpz"
    left = tmp_path / f"{_temporary_prefix(path)}999999999-00"
    left.touch()
    unlink = Path.unlink

    def refuse(self, missing_ok=False):
        if self == left:
            raise PermissionError(1, "Operation not permitted")
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    write_cpz(path, "test", {}, ARRAYS)
    assert read_cpz(path)[0]["kind"] == "test"
    assert left.exists()
