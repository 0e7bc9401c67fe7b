"""Small spots that every test of this folder may use; the solved ones are shared and must not be changed."""

from __future__ import annotations

import pytest

import counterpoise as cp

RIVER = {
    "board": "Ks 7d 4c Jd 2s",
    "pot": 100,
    "stack": 150,
    "oop": "AhKh,QhJh,7c7s:0.5,AcQc,9h8h",
    "ip": "KdQd,JhTh:0.75,AdAc,6h5h,4d4s",
    "river": {"bet": ["50%", "allin"], "raise": ["allin"]},
}
WIDE_RIVER = {
    "name": "river",
    "board": "Ks 7d 4c Jd 2s",
    "pot": 100,
    "stack": 300,
    "oop": "AKs,AQs,QJs,77,99,TT,A5s,98s,JTs",
    "ip": "AA,KQs,KJs,JTs,44,QTs,T9s,65s,A7s,88",
}
"""Ranges wide enough for sizes to matter; tests say which sizes there are."""
TURN = {
    "board": "Ks 7d 4c Jd",
    "pot": 100,
    "stack": 150,
    "oop": "AhKh,9d8d,7c7s:0.5",
    "ip": "KdQd,JhTh:0.75,AdQc",
    "turn": {"bet": ["50%"]},
    "river": {"bet": ["allin"]},
}


@pytest.fixture(scope="session")
def river():
    return cp.Spot(**RIVER)


@pytest.fixture(scope="session")
def turn():
    return cp.Spot(**TURN)


@pytest.fixture(scope="session")
def solved_river(river):
    return cp.solve_spot(river, target=0.01, progress=False, threads=1)


@pytest.fixture(scope="session")
def solved_turn(turn):
    return cp.solve_spot(turn, target=0.05, progress=False, threads=1)
