"""The library: one folder of saved spots, solutions, runs, blueprints and uploads, and what is said of each file.

A file is named by its path inside the folder, such as ``solutions/turn.cpz``. No name leads out of it: names with
``..``, absolute ones, hidden ones and links that point elsewhere are refused.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import shutil
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.store import atomic_write, check_folder
from counterpoise.web.library_files import SUFFIXES, FileFacts, check_file, file_facts
from counterpoise.web.processes import ORDER_FILE
from counterpoise.web.uploads import PARTIAL, Upload

if TYPE_CHECKING:
    from counterpoise.spots import Spot

FOLDERS = ("spots", "solutions", "runs", "blueprints", "uploads")
JOBS = "jobs"
AGENT_FOLDERS = "blueprints"
"""The folder that has folders of agents, which need several files."""
OWN_FILES = ("job.json", ORDER_FILE)
"""Files of jobs that say what to do and how it goes."""
OPENED = "opened"
"""The folder, of names only, of files that the user opened from outside."""
LONGEST_NAME, MOST_TAGS, LONGEST_TAG = 200, 20, 40
DELETED = ".deleted-"
"""How the names of folders begin that are being deleted."""
STALE_SECONDS = 24 * 3600.0
"""The time after which an unfinished upload is taken to be abandoned."""
FORBIDDEN = set('\\:*?"<>|')
_TAGS = TypeAdapter(dict[str, list[str]])


class Entry(BaseModel):
    """One file of the library."""

    name: str
    """The path inside the library."""
    kind: str
    """What it holds: a solution, a search, a spot, a run, a blueprint, a game, ..."""
    title: str
    details: dict[str, str | float | int | None] = {}
    tags: list[str] = []
    size_bytes: int
    modified: float
    """Seconds since 1970."""
    problem: Annotated[str | None, Field(description="Why the file cannot be used, if so.")] = None


class NoFile(InputError):
    """A file that the library does not have."""


class Library:
    """The folder, by the names of its files."""

    def __init__(self, root: Path) -> None:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the library folder {root}: {error.strerror or error}") from None
        check_folder(root, f"cannot write into the library folder {root}")
        self.root = root.resolve()
        for name in (*FOLDERS, JOBS):
            (self.root / name).mkdir(exist_ok=True)
        self._remove_stale()
        self._secret, self._lock = secrets.token_bytes(32), threading.RLock()
        self._known: dict[Path, tuple[tuple[int, int], FileFacts]] = {}
        self._opened: dict[str, Path] = {}

    # ---- names ----

    def path(self, name: str, *, must_exist: bool = True) -> Path:
        """Return the file of a name; refused if it is not inside the library, or not there."""
        if name in self._opened:
            found = self._opened[name]
            if must_exist and not found.is_file():
                raise NoFile(f"{shown(name)} is not there any more")
            return found
        parts = check_name(name)
        found = self.root.joinpath(*parts)
        if parts[0] not in (*FOLDERS, JOBS) or found.suffix.lower() not in SUFFIXES or found.name in OWN_FILES:
            raise InputError(f"a name in the library is a path such as solutions/turn.cpz, not {shown(name)}")
        if not self._inside(found):
            raise InputError(f"{shown(name)} leads out of the library")
        if must_exist and not found.is_file():
            raise NoFile(f"the library has no file {shown(name)}")
        return found

    def folder(self, name: str) -> Path:
        """Return the folder of an agent, such as ``blueprints/mine``; refused if it is not inside the library."""
        parts = check_name(name)
        found = self.root.joinpath(*parts)
        if len(parts) != 2 or parts[0] != AGENT_FOLDERS or not found.is_dir():
            raise InputError(f"the library has no folder {shown(name)}: that of an agent is blueprints/NAME")
        if not all(path.resolve().is_relative_to(self.root) for path in (found, *found.rglob("*"))):
            raise InputError(f"{shown(name)} leads out of the library")
        return found

    def agent_folders(self) -> dict[str, str]:
        """Return the folders that `train-agent` has made in the library: by name, the agent that each is for."""
        from counterpoise.agents.searching import TRAINED_FOR

        told = sorted((self.root / AGENT_FOLDERS).glob(f"*/{TRAINED_FOR}"))
        return {self.name_of(path.parent): path.read_text(errors="replace").strip() for path in told}

    def name_of(self, path: Path) -> str:
        """Return the name of a file inside the library."""
        return path.relative_to(self.root).as_posix()

    def by_name(self, sentence: str) -> str:
        """Return a sentence in which files of the library have their names instead of their paths."""
        return sentence.replace(f"{self.root}{os.sep}", "")

    def open_file(self, path: str | os.PathLike[str]) -> str:
        """Let a file from outside be read under a name of its own, which is returned; checked as an upload is."""
        found = Path(path).resolve()
        if not found.is_file():
            raise InputError(f"{path} is no file")
        if found.is_relative_to(self.root):
            return self.name_of(found)
        check_file(found, arrays=False)
        name = f"{OPENED}/{found.name}"
        self._opened[name] = found
        return name

    # ---- what there is ----

    def entry(self, name: str) -> Entry:
        """Return what is known of one file."""
        return self._entry(name, self.path(name), self._tags())

    def entries(self, text: str = "", kind: str = "", tag: str = "") -> list[Entry]:
        """Return the files that have all words of a text in their name, title, tags or details, the newest first."""
        tags, words = self._tags(), text.lower().split()
        found = []
        for name, path in self._files():
            with suppress(FileNotFoundError):  # deleted or renamed since it was listed
                found.append(self._entry(name, path, tags))
        chosen = [
            entry
            for entry in found
            if (not kind or entry.kind == kind) and (not tag or tag in entry.tags) and _has_words(entry, words)
        ]
        return sorted(chosen, key=lambda entry: (-entry.modified, entry.name))

    def size_bytes(self) -> int:
        """Return what the whole folder takes on the disk."""
        total = 0
        for path in self.root.rglob("*"):
            with suppress(FileNotFoundError):  # files of running jobs come and go
                status = path.lstat()
                total += status.st_size if stat.S_ISREG(status.st_mode) else 0
        return total

    # ---- changes ----

    def free_name(self, name: str) -> str:
        """Return the name, with a number before its ending if there is such a file already."""
        path = self.path(name, must_exist=False)
        number, stem = 1, path.stem
        while path.exists():
            number += 1
            path = path.with_name(f"{stem} ({number}){path.suffix}")
        return self.name_of(path)

    def save_spot(self, spot: Spot, name: str) -> Entry:
        """Keep a spot under ``spots/``, its name with or without .toml; a name that is taken gets a number."""
        if "/" in name:
            raise InputError("the name of a spot is a file name without folders")
        with self._lock:
            found = self.free_name(f"spots/{name.removesuffix('.toml') or name}.toml")
            spot.save(self.path(found, must_exist=False))
        return self.entry(found)

    def upload(self, name: str, pieces: Iterable[bytes], most_bytes: int) -> Entry:
        """Keep a file that arrives in pieces under ``uploads/``, checked before it has its name; return its entry.

        A name that is taken gets a number.
        """
        with self.uploading(name, most_bytes) as upload:
            for piece in pieces:
                upload.write(piece)
            return upload.finish()

    def uploading(self, name: str, most_bytes: int) -> Upload:
        """Return a file that is being uploaded, to be written piece by piece."""
        parts = check_name(name)
        if len(parts) != 1:
            raise InputError(f"an upload is named by its file name alone, not {shown(name)}")
        if Path(name).suffix.lower() not in SUFFIXES:
            raise InputError(f"{shown(name)} is no kind of file for the library: it takes {', '.join(SUFFIXES)}")
        return Upload(self, name, most_bytes)

    def keep_upload(self, part: Path, name: str) -> Entry:
        """Give a file that was uploaded and checked its name."""
        with self._lock:
            free = self.free_name(f"uploads/{name}")
            os.rename(part, self.path(free, must_exist=False))
        return self.entry(free)

    def copy(self, name: str, new: str) -> Entry:
        """Keep a copy of a file under another name, such as a job's result among the solutions."""
        with self._lock:
            before, after = self.path(name), self._free_place(name, new)
            with before.open("rb") as source, atomic_write(after) as target:
                shutil.copyfileobj(source, target)
        return self.entry(new)

    def rename(self, name: str, new: str) -> Entry:
        """Give a file another name inside the library, with the same ending; a name that is taken is refused."""
        with self._lock:
            before, after = self._own_file(name), self._free_place(name, new)
            os.rename(before, after)
            tags = self._tags()
            tags[new] = tags.pop(name, [])
            self._write_tags(tags)
        return self.entry(new)

    def tag(self, name: str, tags: list[str]) -> Entry:
        """Give a file these tags, and no others."""
        self.path(name)
        if len(tags) > MOST_TAGS:
            raise InputError(f"a file has at most {MOST_TAGS} tags, not {len(tags)}")
        for tag in tags:
            if not tag.strip() or len(tag) > LONGEST_TAG or not tag.isprintable():
                raise InputError(f"a tag is a word of at most {LONGEST_TAG} letters, not {shown(tag)}")
        with self._lock:
            self._write_tags(self._tags() | {name: sorted({tag.strip() for tag in tags})})
        return self.entry(name)

    def deletion_token(self, name: str) -> str:
        """Return the word that confirms the deletion of a file as it is now."""
        status = self._own_file(name).stat()
        told = f"{name}\0{status.st_mtime_ns}\0{status.st_size}".encode()
        return hmac.new(self._secret, told, hashlib.sha256).hexdigest()[:24]

    def delete(self, name: str, token: str) -> None:
        """Delete a file for good; `token` is what `deletion_token` returned, so that nothing is deleted by chance."""
        with self._lock:
            if not hmac.compare_digest(token.encode(), self.deletion_token(name).encode()):
                raise InputError(f"confirm the deletion of {shown(name)} with the token that was given for it")
            self._own_file(name).unlink()
            tags = self._tags()
            if tags.pop(name, None) is not None:
                self._write_tags(tags)

    def delete_folder(self, folder: Path) -> None:
        """Delete the folder of a job."""
        if folder.parent != self.root / JOBS:
            raise InputError(f"{folder} is no folder of a job")
        hidden = folder.with_name(f"{DELETED}{folder.name}")
        with suppress(FileNotFoundError):  # deleted by hand
            folder.rename(hidden)  # at once: a server that is killed leaves no half of a job behind
        shutil.rmtree(hidden, ignore_errors=True)

    # ---- inside ----

    def _remove_stale(self) -> None:
        """Remove what a killed server has left of uploads and deletions that it never finished."""
        for path in (self.root / JOBS).glob(f"{DELETED}*"):
            shutil.rmtree(path, ignore_errors=True)
        for path in (self.root / "uploads").glob(f"{PARTIAL}*"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > STALE_SECONDS:
                    path.unlink()

    def _free_place(self, name: str, new: str) -> Path:
        """Return where a file gets a new name; refused if the name is taken, elsewhere or of another ending."""
        after, ending = self.path(new, must_exist=False), self.path(name).suffix
        if check_name(new)[0] not in FOLDERS or len(check_name(new)) != 2:
            raise InputError(f"a file belongs into one of {', '.join(FOLDERS)}: {shown(new)} is not there")
        if after.suffix.lower() != ending.lower():
            raise InputError(f"the new name must end in {ending}, as {shown(name)} does")
        if after.exists():
            raise InputError(f"there is a file {shown(new)} already")
        return after

    def _inside(self, path: Path) -> bool:
        """Return whether a path, links followed, is one inside the library; a loop of links is not."""
        try:
            return path.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError):
            return False

    def _own_file(self, name: str) -> Path:
        if name in self._opened:
            raise InputError(f"{shown(name)} lies outside of the library, so it is not changed")
        path = self.path(name)
        if check_name(name)[0] == JOBS:
            raise InputError(f"{shown(name)} belongs to a job: delete the job, or save a copy")
        return path

    def _files(self) -> Iterator[tuple[str, Path]]:
        yield from sorted(self._opened.items())
        for path in sorted(self.root.rglob("*")):
            parts = path.relative_to(self.root).parts
            if (
                parts[0] in (*FOLDERS, JOBS)
                and path.suffix.lower() in SUFFIXES
                and path.name not in OWN_FILES
                and not any(part.startswith(".") for part in parts)
                and path.is_file()
                and self._inside(path)
            ):
                yield self.name_of(path), path

    def _entry(self, name: str, path: Path, tags: dict[str, list[str]]) -> Entry:
        status = path.stat()
        mark = status.st_mtime_ns, status.st_size
        known = self._known.get(path)
        if known is None or known[0] != mark:
            known = self._known[path] = mark, file_facts(path)
        facts = known[1]
        return Entry(
            name=name,
            kind=facts.kind,
            title=facts.title or Path(name).stem,
            details=facts.details,
            tags=tags.get(name, []),
            size_bytes=status.st_size,
            modified=status.st_mtime,
            problem=facts.problem,
        )

    def _tags(self) -> dict[str, list[str]]:
        try:
            return _TAGS.validate_json((self.root / "tags.json").read_bytes())
        except (OSError, ValidationError):  # not there yet, or edited by hand into nonsense: no tags
            return {}

    def _write_tags(self, tags: dict[str, list[str]]) -> None:
        with atomic_write(self.root / "tags.json") as file:
            file.write(json.dumps({name: own for name, own in sorted(tags.items()) if own}, indent=1).encode())


def check_name(name: str) -> list[str]:
    """Return the parts of a name; refused if a part is hidden, empty, ``..`` or has characters that files lack."""
    parts = name.split("/") if isinstance(name, str) else []
    fine = 0 < len(name) <= LONGEST_NAME and all(
        part and not part.startswith(".") and part.strip() == part and part.isprintable() and not FORBIDDEN & set(part)
        for part in parts
    )
    try:
        name.encode()
    except UnicodeEncodeError:
        fine = False
    if not fine or any(len(part.encode()) > LONGEST_NAME for part in parts):
        raise InputError(f"a name in the library is a path such as solutions/turn.cpz, not {shown(name)}")
    return parts


def _has_words(entry: Entry, words: list[str]) -> bool:
    text = " ".join([entry.name, entry.kind, entry.title, *entry.tags, *map(str, entry.details.values())]).lower()
    return all(word in text for word in words)
