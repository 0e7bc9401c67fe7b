"""Addresses of pages: every state of a page is in its query, so that back, reload and shared links work."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from counterpoise.errors import InputError

MOST_BYTES = 2**20
"""What a packed state may hold."""


def address(path: str, query: Mapping[str, str | None]) -> str:
    """Return an address with those words of a query that are not empty."""
    words = {key: value for key, value in query.items() if value}
    return f"{path}?{urlencode(words, safe=':/,')}" if words else path


def pack(state: object) -> str:
    """Return a state of JSON's types as a short text for an address."""
    content = json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(zlib.compress(content, 9)).decode().rstrip("=")


def unpack(text: str) -> Any:
    """Return what `pack` made a text of; refused in a sentence if it is damaged.

    >>> unpack(pack({"pot": 100}))
    {'pot': 100}
    """
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        reader = zlib.decompressobj()
        content = reader.decompress(packed, MOST_BYTES)
        if not reader.eof:
            raise ValueError("cut off")
        return json.loads(content)
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        raise InputError("the address is damaged: copy the whole link") from None
