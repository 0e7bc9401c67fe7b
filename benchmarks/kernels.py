"""Kernels of public games, loaded (or compiled) before anything is timed."""

from __future__ import annotations

from counterpoise.solvers import Algorithm
from counterpoise.spots import Spot
from counterpoise.spots.engine import build_game, make_solver

TINY = Spot(board="2s 2h 2d 2c 3s", pot=2, stack=2, oop="AsAh", ip="KsKh", river={"bet": ["100%"]})


def load_kernels(settings: Algorithm, bits: int) -> None:
    """Iterate and measure once on the smallest of spots."""
    solver = make_solver(settings, build_game(TINY), 1, bits)
    solver.step()
    solver.exploitability()
    solver.values()
