"""States of pages as dataclasses whose fields are the words of the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

from counterpoise.errors import InputError
from counterpoise.web.jobs.requests import MOST_LIMIT

BETWEEN = ";"
"""What stands between several names in one field, since the settings of a name have commas."""


@dataclass(frozen=True)
class Query:
    """A state of a page, every field of which is a text with a default."""

    PATH: ClassVar[str] = "/"

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Return the state that a query means; words that are not known are left out."""
        words: dict[str, Any] = {field.name: query[field.name] for field in fields(cls) if field.name in query}
        return cls(**words)

    @classmethod
    def from_address(cls, url: object) -> Self:
        """Return the state of an address."""
        return cls.of(dict(parse_qsl(urlsplit(str(url)).query, keep_blank_values=True)))

    @property
    def address(self) -> str:
        """The address of the state, words at their default left out."""
        words = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = {name: value for name, value in words.items() if value != getattr(type(self), name)}
        return f"{self.PATH}?{urlencode(changed, safe=':/,;')}" if changed else self.PATH


def split_names(text: str) -> list[str]:
    """Return the names in a field that holds several.

    >>> split_names("cfr; dcfr(alpha=1, beta=0);")
    ['cfr', 'dcfr(alpha=1, beta=0)']
    """
    return [name.strip() for name in text.split(BETWEEN) if name.strip()]


def positive_number(name: str, text: str) -> float:
    """Return the number that is typed into a field; refused if it is none that a limit may be.

    >>> positive_number("target", "0.5")
    0.5
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= MOST_LIMIT:
        raise InputError(f"{name} must be a positive number, not {text!r}")
    return number


def sentence(error: object) -> str:
    """Return what is wrong as a sentence that begins with a capital letter.

    >>> sentence(ValueError("the pot is empty"))
    'The pot is empty'
    """
    words = str(error)
    return words[:1].upper() + words[1:]
