"""Broken files of every kind are refused in a sentence: never a crash, never a traceback, never an endless loop."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.schemas import SCHEMAS
from tests.store.broken.breaking import Arrays, Change, changes, declared_limits
from tests.store.broken.child import Child, Ending
from tests.store.broken.samples import SAMPLES, Sample, cli, made, take_in

HAS_JAX = importlib.util.find_spec("jax") is not None
NAMES = tuple(name for name, sample in SAMPLES.items() if not sample.needs_jax)
LEAST_FILES = 5000
"""Broken files of the long tests together."""
STRIDE = 3
"""Of the changes of a field the long tests try every third."""
NETWORK_STRIDE = 2
"""Of checkpoints of networks every sixth, as trainings by JAX are slower."""
SENTENCE = 1000
"""Letters of a sentence at most."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of samples."""
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with Child() as found:
        yield found


def all_changes(folder: Path, name: str) -> list[Change]:
    """Return all changes of the file of a sample."""
    path = made(folder, name)
    with declared_limits() as limits:
        SAMPLES[name].load(path, folder)
    return list(changes(path, limits))


def faults(child: Child, folder: Path, name: str, tried: Iterable[tuple[Change, str | int]]) -> Iterator[str]:
    """Yield what goes wrong with broken files of a sample."""
    path = folder / "broken.cpz"
    for change, what in tried:
        change.write(path, SAMPLES[name].kind)
        ending = child.do(name, what, path, folder)
        if ending.how == "diverged" and child.do(name, SAMPLES[name].uses.index(take_in), path, folder).how == "fine":
            continue  # a sound file: its numbers are finite, though far too large for a training to go on from them
        if fault := fault_of(ending):
            yield f"{name}, {change.field}: {change.how}, {what}: {fault}"


def rotated(own: Mapping[str, list[Change]], uses: int) -> Iterator[tuple[Change, int]]:
    """Yield every third change of each field with a use, in turns, so that each field meets every use."""
    for number, every in enumerate(own.values()):
        some = every[number % min(STRIDE, len(every)) :: STRIDE]
        for place in range(max(len(some), uses)):
            yield some[place % len(some)], (place + number) % uses


def fault_of(ending: Ending) -> str:
    """Return what is wrong with how a file was taken; nothing if it was used, or refused in a sentence."""
    if ending.how in ("crashed", "endless", "failed", "diverged"):
        return f"{ending.how}: {ending.told[-600:]}"
    if ending.how == "refused" and (len(ending.told) > SENTENCE or "Traceback" in ending.told):
        return f"no sentence: {ending.told[:600]}"
    return ""


def by_field(every: Iterable[Change]) -> dict[str, list[Change]]:
    found = defaultdict(list)
    for change in every:
        found[change.field].append(change)
    return found


def test_every_kind_of_file_has_a_sample() -> None:
    assert {sample.kind for sample in SAMPLES.values()} == set(SCHEMAS)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "values" else name for name in NAMES]
)
def test_every_field_is_checked(name: str, folder: Path, child: Child) -> None:
    """One change of every field and every array, another one for each, loaded; some are used too."""
    own = by_field(all_changes(folder, name))
    tried: list[tuple[Change, str | int]] = []
    for number, field in enumerate(own.values()):
        tried.append((field[(7 * number) % len(field)], "load"))
        if number % 4 == 0:
            tried.append((field[(11 * number) % len(field)], number // 4 % len(SAMPLES[name].uses)))
    assert not list(faults(child, folder, name, tried))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_changes_of_every_field_are_used(name: str, folder: Path, child: Child) -> None:
    """Every field and every array in several ways, and each of them by every command that takes such a file."""
    tried = rotated(by_field(all_changes(folder, name)), len(SAMPLES[name].uses))
    assert not list(faults(child, folder, name, tried))


@pytest.mark.long
def test_there_are_thousands_of_them(folder: Path) -> None:
    tried = [(name, *one) for name in NAMES for one in rotated(by_field(all_changes(folder, name)), 1)]
    assert len(tried) >= LEAST_FILES


@pytest.mark.long
@pytest.mark.skipif(not HAS_JAX, reason="networks are trained with JAX")
@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.needs_jax])
def test_checkpoints_of_networks(name: str, folder: Path, child: Child) -> None:
    own = by_field(changes(made(folder, name), {}))
    some = {
        field: every[number % NETWORK_STRIDE :: NETWORK_STRIDE] for number, (field, every) in enumerate(own.items())
    }
    tried = rotated(some, len(SAMPLES[name].uses))
    assert not list(faults(child, folder, name, tried))


# ---- what a trial found ----

Broken = Callable[[dict[str, Any], Arrays], None]


def _array(arrays: Arrays, name: str) -> str:
    """Return the name of an array of an abstraction, which may be inside of another file."""
    return name if name in arrays else f"abstraction_0_{name}"


def _changed(name: str, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Broken:
    def broken(header: dict[str, Any], arrays: Arrays) -> None:
        own = _array(arrays, name)
        arrays[own] = change(arrays[own].copy())

    return broken


def _with_entry(name: str, place: int, value: Any, kind: Any = None) -> Broken:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        array = array.astype(kind or array.dtype)
        array.reshape(-1)[place] = value
        return array

    return _changed(name, change)


def _as(name: str, kind: str) -> Broken:
    return _changed(name, lambda array: array.astype(kind))


def _without_row(rows: NDArray[Any]) -> NDArray[Any]:
    rows[0] = 0
    return rows


FAR_BELOW = _with_entry("cluster_of", 5, -(10**9), np.int64)
TOO_MANY = _with_entry("cluster_of", 5, 8)
DEAD_ROW = _changed("rows_1", _without_row)
ROLLED = _changed("public", lambda public: np.roll(public, 1))


def _in_header(name: str, value: str) -> Broken:
    def change(header: dict[str, Any], arrays: Arrays) -> None:
        header[name] = value

    return change


REFUSED: dict[str, tuple[str, Broken]] = {
    "a cluster of an opponent far below 0": ("ko", FAR_BELOW),
    "a cluster of an opponent too many": ("ko", TOO_MANY),
    "rows of the turn in the first public bucket": ("public", _changed("rows_2", lambda rows: np.minimum(rows, 1))),
    "public buckets rolled by one": ("public", ROLLED),
    "a column beyond the features": ("public", _with_entry("model_3_columns", 0, 5)),
    "a column below the features": ("public", _with_entry("model_3_columns", 0, -3)),
    "a public bucket out of range": ("public", _with_entry("public", 0, 2)),
    "rows of 16 bits with a sign": ("ko", _as("rows_1", "int16")),
    "clusters as floats": ("ko", _as("cluster_of", "float64")),
    "a dead row": ("ko", DEAD_ROW),
    "a cut point that is no number": ("public", _with_entry("model_3_outer", 0, np.nan)),
    "falling cut points": ("public", _changed("model_3_outer", lambda cuts: cuts[:, ::-1])),
    "complex cut points": ("public", _as("model_3_outer", "complex128")),
    "a cluster of an opponent far below 0 in a blueprint": ("blueprint", FAR_BELOW),
    "a cluster of an opponent too many in a blueprint": ("blueprint", TOO_MANY),
    "a dead row in a blueprint": ("blueprint", DEAD_ROW),
    "public buckets rolled by one in a training": ("training", ROLLED),
    "a billion updates": ("values", _in_header("method", "rebel(updates=1000000000)")),
    "a huge betting tree in a blueprint": ("blueprint", _in_header("game", "limit_holdem(seats=10)")),
    "a huge betting tree in a training": ("training", _in_header("game", "no_limit_holdem(seats=6)")),
}


WHEN_USED = "a billion updates"
"""An upload keeps it: what the method of networks would take is read when they are judged or play."""


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_trial_found_is_refused(case: str, folder: Path, child: Child) -> None:
    """In a sentence, wherever the file is used."""
    name, change = REFUSED[case]
    header, arrays = read_cpz(made(folder, name))
    change(header, arrays)
    write_cpz(folder / "broken.cpz", SAMPLES[name].kind, header, arrays)
    for use in range(len(SAMPLES[name].uses)):
        ending = child.do(name, use, folder / "broken.cpz", folder, seconds=60)
        assert ending.how == "refused" or (case == WHEN_USED and SAMPLES[name].uses[use] is take_in), (use, ending)
        assert not fault_of(ending)


def test_regrets_whose_sum_is_infinite_are_refused(folder: Path) -> None:
    """An action that is drawn by them would be none."""
    import counterpoise as cp

    header, arrays = read_cpz(made(folder, "run es-mccfr"))
    arrays["state.regrets"][:] = 1.7e308
    write_cpz(folder / "broken.cpz", "run", header, arrays)
    with pytest.raises(cp.InputError, match="array 'regrets' holds 1"):
        cp.solve(resume=folder / "broken.cpz", iterations=5, progress=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        "no_limit_holdem(seats=6, sizes=['50%', '100%', 'allin'])",
        "limit_holdem(seats=10)",
        "no_limit_holdem(sizes=['5%', '10%', '20%', '50%'])",
    ],
)
def test_a_huge_betting_tree_is_refused_before_it_is_built(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the command line."""
    from counterpoise.errors import InputError
    from counterpoise.sampling.betting_tree import NodeCollector

    monkeypatch.setattr(NodeCollector, "_expand", lambda *_: pytest.fail("it is being built"))
    with pytest.raises(InputError, match="more than 5,000,000 betting nodes"):
        cli("train", game, "-n", 1, "--out", tmp_path / "out.cpz")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_sound_files_are_used(folder: Path, child: Child) -> None:
    """Every command takes the samples as they are: what is refused above is refused for its change."""
    for name in NAMES:
        sample: Sample = SAMPLES[name]
        for use in range(len(sample.uses)):
            assert child.do(name, use, made(folder, name), folder, seconds=300).how == "fine", (name, use)
