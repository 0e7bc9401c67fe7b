"""The library: names stay inside, files are checked, nothing is deleted by chance."""

from __future__ import annotations

import errno
import os
import pickle
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.web.library import Library
from counterpoise.web.pages.start import told_apart
from tests.web.conftest import SOLVED, TURN

OUTSIDE = [
    *("../secret.toml", "/etc/passwd", "spots/../../secret.toml", "..", ".hidden.toml", "spots//a.toml"),
    *("tags.json", "jobs/1/order.json", "jobs/1/log.txt", "play/1/hands.phhs", "spots/a.py"),
    *("spots/./a.toml", "C:\\a.toml", "a\0.toml", "spots/.counterpoise-1.toml", "", "a" * 300, "spots/\ud800.toml"),
]


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path / "library")


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_never_lead_out(library, tmp_path, name):
    (tmp_path / "secret.toml").write_text("secret")
    with pytest.raises(InputError):
        library.path(name)
    with pytest.raises(InputError):
        library.path(name, must_exist=False)


@pytest.mark.parametrize("name", [name for name in OUTSIDE if name and "\ud800" not in name])
def test_names_never_lead_out_through_the_api(api, name):
    for path in ("/library/file", "/library/entry", "/library/deletion", "/spots/file", "/solutions/node"):
        assert api.get(path, params={"name": name}).status_code in (404, 422)


def test_links_out_of_the_folder_are_refused_and_not_listed(library, tmp_path):
    secret = tmp_path / "secret.toml"
    cp.Spot(**TURN).save(secret)
    os.symlink(secret, library.root / "spots" / "link.toml")
    os.symlink(tmp_path, library.root / "spots" / "folder")
    for name in ("spots/link.toml", "spots/folder/secret.toml"):
        with pytest.raises(InputError, match="leads out"):
            library.path(name)
    os.symlink(library.root / "spots" / "loop.toml", library.root / "spots" / "loop.toml")
    with pytest.raises(InputError, match=r"leads out|no file"):
        library.path("spots/loop.toml")
    assert library.entries() == []


def test_a_spot_is_saved_with_one_suffix(library):
    names = [library.save_spot(cp.Spot(**TURN), name).name for name in ("con.toml", "con", "turn.2")]
    assert names == ["spots/con.toml", "spots/con (2).toml", "spots/turn.2.toml"]


def test_files_of_the_same_words_are_told_apart(library):
    entries = [library.save_spot(cp.Spot(**TURN), name) for name in ("one", "two", "three")]
    told = told_apart(list(zip(entries, ["turn", "turn", "flop"], strict=True)))
    assert [entry for entry, _ in told] == entries
    assert [words.partition(", saved ")[0] for _, words in told] == ["turn", "turn", "flop"]
    assert [", saved " in words for _, words in told] == [True, True, False]


def test_files_are_described_searched_tagged_and_renamed(server):
    library = server.library
    entries = {entry.name: entry for entry in library.entries()}
    assert set(entries) == {SOLVED, "spots/turn.toml"}
    assert (entries[SOLVED].kind, entries["spots/turn.toml"].kind) == ("solution", "spot")
    assert entries[SOLVED].details["board"] == TURN["board"]
    assert entries[SOLVED].size_bytes == (library.root / SOLVED).stat().st_size
    assert [one.name for one in library.entries("small DCFR")] == [SOLVED]
    assert [one.name for one in library.entries(kind="spot")] == ["spots/turn.toml"]
    library.tag(SOLVED, ["study", "turns"])
    assert [one.name for one in library.entries(tag="study")] == [SOLVED]
    assert [one.name for one in library.entries("turns")] == [SOLVED]
    renamed = library.rename(SOLVED, "solutions/other.cpz")
    assert renamed.tags == ["study", "turns"]
    with pytest.raises(InputError, match="no file"):
        library.entry(SOLVED)
    for new in ("solutions/other.toml", "other.cpz", "jobs/a.cpz", "spots/turn.toml", "../a.cpz"):
        with pytest.raises(InputError):
            library.rename("solutions/other.cpz", new)
    assert Library(library.root).entry("solutions/other.cpz").tags == ["study", "turns"]
    copy = library.copy("solutions/other.cpz", "solutions/copy.cpz")
    assert library.path(copy.name).read_bytes() == library.path("solutions/other.cpz").read_bytes()
    with pytest.raises(InputError, match="already"):
        library.copy("spots/turn.toml", "spots/turn.toml")


def test_deletion_needs_the_token_of_the_file_as_it_is(server):
    library = server.library
    token = library.deletion_token("spots/turn.toml")
    for wrong in ("", "0" * 24, library.deletion_token(SOLVED)):
        with pytest.raises(InputError, match="confirm"):
            library.delete("spots/turn.toml", wrong)
    cp.Spot(**TURN | {"pot": 101}).save(library.root / "spots" / "turn.toml")
    with pytest.raises(InputError, match="confirm"):
        library.delete("spots/turn.toml", token)  # it has changed since
    library.delete("spots/turn.toml", library.deletion_token("spots/turn.toml"))
    assert [entry.name for entry in library.entries()] == [SOLVED]


@pytest.mark.slow
def test_uploads_are_checked_and_a_taken_name_gets_a_number(library, solved_bytes):
    for expected in ("uploads/turn.cpz", "uploads/turn (2).cpz"):
        entry = library.upload("turn.cpz", [solved_bytes[:1000], solved_bytes[1000:]], 2**30)
        assert (entry.name, entry.kind) == (expected, "solution")
    text = cp.Spot(**TURN).to_toml().encode()
    assert library.upload("a.toml", [text], 2**20).kind == "spot"


@pytest.mark.slow
def test_bad_uploads_leave_nothing(library, solved_bytes, tmp_path):
    damaged = bytearray(solved_bytes)
    damaged[len(damaged) // 2] ^= 0xFF
    pickled = tmp_path / "pickled.cpz"
    with zipfile.ZipFile(pickled, "w") as file:
        file.writestr("header.json", pickle.dumps({"kind": "spot"}))
    for name, content in (
        ("cut.cpz", solved_bytes[:-100]),
        ("damaged.cpz", bytes(damaged)),
        ("pickled.cpz", pickled.read_bytes()),
        ("empty.cpz", b""),
        ("bad.toml", b"board = 3"),
        ("bad.json", b"[" * 100_000),
        ("bad.efg", b"no game"),
        ("program.py", b"print()"),
        ("a/b.toml", b""),
        ("../b.toml", b""),
    ):
        with pytest.raises(InputError) as refused:
            library.upload(name, [content], 2**30)
        assert str(tmp_path) not in str(refused.value)
    with pytest.raises(InputError, match="larger"):
        library.upload("large.cpz", [b"0" * 2**20] * 3, 2 * 2**20)
    assert list((library.root / "uploads").iterdir()) == []


@pytest.mark.slow
def test_upload_download_and_deletion_through_the_api(api, solved_bytes):
    uploaded = api.post("/uploads", params={"name": "mine.cpz"}, content=solved_bytes)
    assert uploaded.status_code == 201
    name = uploaded.json()["name"]
    assert api.get("/library/file", params={"name": name}).content == solved_bytes
    assert api.post("/uploads", params={"name": "bad.cpz"}, content=b"nothing").status_code == 422
    token = api.get("/library/deletion", params={"name": name}).json()["token"]
    assert api.delete("/library/file", params={"name": name, "token": "wrong"}).status_code == 422
    assert api.delete("/library/file", params={"name": name, "token": token}).status_code == 200
    assert api.get("/library/file", params={"name": name}).status_code == 404


def test_a_file_from_outside_is_read_and_never_changed(library, tmp_path, solved_bytes):
    path = tmp_path / "elsewhere.cpz"
    path.write_bytes(solved_bytes)
    name = library.open_file(path)
    assert name == "opened/elsewhere.cpz"
    assert library.path(name) == path
    assert library.entries()[0].kind == "solution"
    for change in (lambda: library.rename(name, "solutions/a.cpz"), lambda: library.deletion_token(name)):
        with pytest.raises(InputError, match="outside"):
            change()
    with pytest.raises(InputError, match="is no file"):
        library.open_file(tmp_path / "none.cpz")
    path.unlink()
    assert library.entries() == []
    with pytest.raises(InputError, match="not there any more"):
        library.entry(name)


def test_spots_saved_at_the_same_time_are_all_kept(library):
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda pot: library.save_spot(cp.Spot(**TURN | {"pot": pot}), "same"), range(1, 17)))
    assert len({entry.name for entry in kept}) == 16
    assert {cp.Spot.load(library.path(entry.name)).pot for entry in kept} == set(range(1, 17))


def test_parts_of_uploads_and_deletions_that_a_killed_server_left_are_removed(library):
    old, new = (library.root / "uploads" / f".partial-{word}.cpz" for word in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"a part")
    os.utime(old, (0, 0))
    half = library.root / "jobs" / ".deleted-20260101-120000-0123abcd"
    half.mkdir()
    (half / "result.cpz").write_bytes(b"a part")
    Library(library.root)
    assert (old.exists(), new.exists(), half.exists()) == (False, True, False)


def test_a_full_disk_and_a_file_that_vanishes_are_told_in_a_sentence(api, shared, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("counterpoise.web.library.Upload.write", full)
        answer = api.post("/uploads", params={"name": "a.toml"}, content=b"pot = 1")
    assert answer.status_code == 507
    assert "No space left" in answer.json()["detail"]
    assert not list((shared.library.root / "uploads").glob(".*"))
    monkeypatch.setattr(shared.library, "path", lambda name: shared.library.root / "spots" / "gone.toml")
    assert api.get("/library/entry", params={"name": "spots/gone.toml"}).status_code == 404


def test_sentences_name_files_as_the_library_does(api, shared):
    (shared.library.root / "solutions" / "bad.cpz").write_bytes(b"nothing")
    told = api.get("/solutions/figures", params={"name": "solutions/bad.cpz"}).json()["detail"]
    assert told.startswith("solutions/bad.cpz is not a whole .cpz file")
