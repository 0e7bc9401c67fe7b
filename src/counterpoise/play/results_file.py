"""The file of a match that can be continued: a line that says what is played, then one line per finished block.

Lines are appended whole, after the hands of the block are in the log. A process that is killed leaves at most one
incomplete line, and hands in the log that no line counts; both are cut off when the match is continued, so that no hand
is lost or played twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from counterpoise.errors import InputError
from counterpoise.parameters import is_number, is_whole
from counterpoise.play.blocks import MatchBlock
from counterpoise.play.rules import FAULTS
from counterpoise.store.files import check_writable, naming

FORMAT = "counterpoise match 1"
MOST_COUNT, MOST_SUM = 10**15, 1e100
"""The most deals and faults of a block and bytes of a log, and the largest sums of one: squares of them are floats."""


class ResultsFile:
    """Appends blocks to a file, and their hands to a log; either may be left out."""

    def __init__(
        self, path: str | os.PathLike[str] | None, log: str | os.PathLike[str] | None, played: Mapping[str, Any]
    ) -> None:
        for file in (path, log):
            if file is not None:
                check_writable(file)
        self.blocks: list[MatchBlock] = []
        """The blocks that were there already."""
        header = {"format": FORMAT, **played, "log": None if log is None else str(log)}
        log_end = 0
        self._file: IO[bytes] | None = None
        self._log: IO[bytes] | None = None
        if path is not None:
            whole, kept, log_end = _read(Path(path), header, self.blocks)
            self._file = open(path, "r+b" if whole else "wb")  # noqa: SIM115
            self._file.truncate(kept)
            self._file.seek(kept)
            if not whole:
                self._append(self._file, json.dumps(header) + "\n")
        if log is not None:
            kept_log = log_end if self.blocks else 0
            if kept_log and (not Path(log).is_file() or Path(log).stat().st_size < kept_log):
                raise InputError(f"{log} does not hold the hands that {path} counts: it was changed or removed")
            self._log = open(log, "r+b" if kept_log else "wb")  # noqa: SIM115
            self._log.truncate(kept_log)
            self._log.seek(kept_log)

    @property
    def log_begun(self) -> bool:
        """Whether the log has its heading already."""
        return self._log is not None and self._log.tell() > 0

    def write_log(self, text: str) -> None:
        """Append a text to the log."""
        if self._log is not None:
            self._append(self._log, text)

    def add(self, block: MatchBlock) -> None:
        """Append a finished block: first its hands, then its line."""
        self.write_log(block.log)
        if self._file is not None:
            end = self._log.tell() if self._log is not None else 0
            line = {key: value for key, value in block._asdict().items() if key != "log"} | {"log_end": end}
            self._append(self._file, json.dumps(line) + "\n")

    def close(self) -> None:
        """Flush everything to the disk."""
        for file in (self._log, self._file):
            if file is not None:
                os.fsync(file.fileno())
                file.close()

    def _append(self, file: IO[bytes], text: str) -> None:
        with naming(file.name):
            file.write(text.encode())
            file.flush()


def _read(path: Path, header: Mapping[str, Any], blocks: list[MatchBlock]) -> tuple[bool, int, int]:
    """Read the blocks of an earlier match; return whether there was one, how many bytes are whole, and of the log."""
    if not path.is_file() or not path.stat().st_size:
        return False, 0, 0
    lines = path.read_bytes().splitlines(keepends=True)
    if not lines[0].endswith(b"\n"):
        if not json.dumps(header).encode().startswith(lines[0]):  # killed while it wrote its first line
            raise InputError(f"{path} is no match of Counterpoise")
        return False, 0, 0
    kept, log_end = len(lines[0]), 0
    try:
        found = json.loads(lines[0])
        if found.get("format") != FORMAT:
            raise ValueError
    except (ValueError, AttributeError, RecursionError):
        raise InputError(f"{path} is no match of Counterpoise") from None
    differ = [
        f"{key} {'are' if key.endswith('s') else 'is'} {_told(found.get(key))}, not {_told(value)}"
        for key, value in header.items()
        if found.get(key) != value
    ]
    if differ:
        raise InputError(
            f"{path} is of another match: its {'; its '.join(differ)}; name another file, or the match it is of"
        )
    expected = 0
    for number, line in enumerate(lines[1:], start=2):
        if not line.endswith(b"\n"):
            break
        try:
            values = json.loads(line)
            log_end = values.pop("log_end")
            block = MatchBlock(**values)
            if block.first != expected or not _proper(block, len(header["agents"])) or not _is_count(log_end):
                raise ValueError
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InputError(f"{path}, line {number}: this is not the block that begins with hand {expected}") from None
        blocks.append(block)
        expected += block.deals
        kept += len(line)
    return True, kept, log_end


def _proper(block: MatchBlock, players: int) -> bool:
    """Return whether a block has deals, and all players' numbers where they are required."""
    numbers = [block.total, block.squares, block.seconds, block.decisions, *(block.aivat or ())]
    return (
        _is_count(block.deals)
        and block.deals >= 1
        and all(len(row) == players and all(map(_is_sum, row)) for row in numbers)
        and len(block.faults) == len(block.first_fault) == players
        and all(len(row) == len(FAULTS) and all(map(_is_count, row)) for row in block.faults)
        and all(isinstance(text, str) for text in block.first_fault)
    )


def _told(value: Any) -> str:
    """Return a setting of a match in words."""
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return "none" if value is None else str(value)


def _is_count(value: Any) -> bool:
    return is_whole(value) and 0 <= value <= MOST_COUNT


def _is_sum(value: Any) -> bool:
    return is_number(value) and abs(value) <= MOST_SUM
