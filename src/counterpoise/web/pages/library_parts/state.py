"""The state of the page of the library, and words for sizes and times."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from counterpoise.web.pages.query import Query


@dataclass(frozen=True)
class Shelf(Query):
    """What the page shows."""

    PATH: ClassVar[str] = "/library"

    text: str = ""
    """Words that all shown files have in their name, title, tags or details."""
    kind: str = ""
    tag: str = ""
    open: str = ""
    """The file or job that is open."""


def size_words(bytes: int) -> str:
    """Return a size on the disk.

    >>> size_words(300), size_words(15_000), size_words(2_500_000)
    ('300 bytes', '15 kB', '2.5 MB')
    """
    for unit, least in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if bytes >= least:
            return f"{bytes / least:.3g} {unit}"
    return f"{bytes} bytes"


def time_words(seconds: float) -> str:
    """Return a time of this machine's clock, such as "3 May 2026, 14:05"."""
    return time.strftime("%d %b %Y, %H:%M", time.localtime(seconds)).removeprefix("0")
