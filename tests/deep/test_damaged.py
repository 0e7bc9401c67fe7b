"""Checkpoints that were edited: every array is checked before anything is computed with it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from counterpoise.deep import METHODS
from counterpoise.deep.run import _restore
from counterpoise.errors import InputError
from counterpoise.games import load

pytest.importorskip("jax")
pytestmark = pytest.mark.slow

FAST = "traversals=20, steps=2, batch=8, policy_steps=2, hidden=[4], memory=60"
LEARNERS = {
    "deep-cfr": ("kuhn_poker", f"deep-cfr({FAST})"),
    "deep-cfr, fine-tuned": ("kuhn_poker", f"deep-cfr({FAST}, from_scratch=False)"),
    "deep-cfr, table": ("kuhn_poker", f"deep-cfr({FAST}, regressor=table)"),
    "deep-cfr, dealt": ("limit_holdem(board=[0, 3], ranks=4)", f"deep-cfr({FAST})"),
    "single-deep-cfr": ("kuhn_poker", f"single-deep-cfr({FAST})"),
    "nfsp": ("kuhn_poker", "nfsp(episodes=16, updates=2, batch=8, hidden=[4], transitions=50, memory=50)"),
    "regression-cfr": ("kuhn_poker", "regression-cfr(regressor=mlp, steps=2, hidden=[4])"),
    "rebel": ("liars_dice(faces=2)", "rebel(updates=4, width=4, games=2, play_throughs=1)"),
}
SHOWN = {"losses", "numbers"}
"""What is only shown may be no number: there is no loss before the first step."""


@pytest.fixture(scope="module", params=LEARNERS)
def learner(request):
    game, method = LEARNERS[request.param]
    found = METHODS.build(method).on(load(game), seed=1)
    found.step()
    return found


def refuses(learner, change: dict) -> None:
    with pytest.raises(InputError, match=r"a\.cpz is damaged: its arrays do not describe this training"):
        _restore(learner, learner.state() | change, Path("a.cpz"))


def test_other_shapes_types_and_numbers_are_refused(learner) -> None:
    state = {name: array.copy() for name, array in learner.state().items()}
    _restore(learner, state, Path("a.cpz"))
    for name, array in state.items():
        refuses(learner, {name: np.stack([array] * 2)})
        if name not in SHOWN:
            refuses(learner, {name: array.astype(np.complex128)})
        if array.dtype.kind == "f" and array.size and name not in SHOWN:
            refuses(learner, {name: np.full_like(array, np.nan)})
        _restore(learner, state, Path("a.cpz"))


@pytest.mark.parametrize("wrong", [-7, 30_000])
def test_indices_are_checked(learner, wrong: int) -> None:
    state = {name: array.copy() for name, array in learner.state().items()}
    indices = [name for name in state if re.search(r"\.(keys|state|states|decisions)$", name) and state[name].size]
    for name in indices:
        refuses(learner, {name: np.full_like(state[name], wrong)})
    if not indices:
        refuses(learner, {"counters": np.array([-1, 0])})
    _restore(learner, state, Path("a.cpz"))


def test_counters_are_not_negative(learner) -> None:
    state = {name: array.copy() for name, array in learner.state().items()}
    for name in state:
        if re.search(r"(^|\.)(counters|counts|seen|steps)$", name):
            refuses(learner, {name: -np.ones_like(state[name])})
    _restore(learner, state, Path("a.cpz"))
