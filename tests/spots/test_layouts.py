"""Spots see public trees through the methods of games, nodes and profiles, never through their arrays."""

import re
from pathlib import Path

import counterpoise

LAYOUT = re.compile(r"\.(?:boards|board_nodes|board_above|street_trees|lock_arrays|store|arrays\.)\b")


def test_no_array_layouts():
    for package in ("spots", "cli"):
        for path in (Path(counterpoise.__file__).parent / package).glob("*.py"):
            lines = [line for line in path.read_text().splitlines() if not line.strip().startswith("from ")]
            assert not [line for line in lines if LAYOUT.search(line)], path.name
