"""Logs of matches: written hand by hand, read back and checked against the rules.

The ending of a file's name says which form it has: `.log` lines of the Annual Computer Poker Competition, `.phhs` the
poker hand history format that PokerKit reads, `.jsonl` one JSON object per hand, in any game.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.logs.acpc import AcpcLog as AcpcLog
    from counterpoise.logs.base import Heading as Heading, Log as Log, LogFormat as LogFormat
    from counterpoise.logs.files import log_format as log_format, read_heading as read_heading, read_log as read_log
    from counterpoise.logs.jsonl import JsonLog as JsonLog
    from counterpoise.logs.phh import PhhLog as PhhLog

__all__ = ["AcpcLog", "Heading", "JsonLog", "Log", "LogFormat", "PhhLog", "log_format", "read_heading", "read_log"]

import_lazily(__name__)
