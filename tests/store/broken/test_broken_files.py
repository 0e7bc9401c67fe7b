"""Broken files of every kind are refused in a sentence: never a crash, never a traceback, never an endless loop."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.schemas import SCHEMAS
from tests.store.broken.breaking import Arrays, Change, changes, declared_limits
from tests.store.broken.child import Child, Ending
from tests.store.broken.samples import SAMPLES, Sample, made

HAS_JAX = importlib.util.find_spec("jax") is not None
NAMES = tuple(name for name, sample in SAMPLES.items() if not sample.needs_jax)
LEAST_FILES = 5000
"""Broken files of the long tests together."""
STRIDE = 3
"""Of all changes the long tests try every third; every field has several."""
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
        if fault := fault_of(ending):
            yield f"{name}, {change.field}: {change.how}, {what}: {fault}"


def fault_of(ending: Ending) -> str:
    """Return what is wrong with how a file was taken; nothing if it was used, or refused in a sentence."""
    if ending.how in ("crashed", "endless", "failed"):
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
    for use in range(len(SAMPLES[name].uses)):
        tried += [(field[(11 * number + use) % len(field)], use) for number, field in enumerate(own.values())][use::8]
    assert not list(faults(child, folder, name, tried))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_changes_of_every_field_are_used(name: str, folder: Path, child: Child) -> None:
    """Every third change of a file, loaded and used by one command after the other."""
    uses = len(SAMPLES[name].uses)
    tried = [(change, number % uses) for number, change in enumerate(all_changes(folder, name)[::STRIDE])]
    assert not list(faults(child, folder, name, tried))


@pytest.mark.long
def test_there_are_thousands_of_them(folder: Path) -> None:
    assert sum(len(all_changes(folder, name)[::STRIDE]) for name in NAMES) >= LEAST_FILES


@pytest.mark.long
@pytest.mark.skipif(not HAS_JAX, reason="networks are trained with JAX")
@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.needs_jax])
def test_checkpoints_of_networks(name: str, folder: Path, child: Child) -> None:
    own = by_field(changes(made(folder, name), {}))
    tried = [(field[(7 * number) % len(field)], 0) for number, field in enumerate(own.values())]
    assert not list(faults(child, folder, name, tried))


# ---- what a trial found ----

Broken = Callable[[dict[str, Any], Arrays], None]


def _one_cluster_far_below(header: dict[str, Any], arrays: Arrays) -> None:
    arrays["cluster_of"] = arrays["cluster_of"].astype(np.int64)
    arrays["cluster_of"][5] = -(10**9)


def _a_cluster_too_many(header: dict[str, Any], arrays: Arrays) -> None:
    arrays["cluster_of"] = arrays["cluster_of"].copy()
    arrays["cluster_of"][5] = 8


def _buckets_of_the_first_cluster(header: dict[str, Any], arrays: Arrays) -> None:
    arrays["rows_2"] = np.minimum(arrays["rows_2"], 1)


def _rolled(header: dict[str, Any], arrays: Arrays) -> None:
    arrays["public"] = np.roll(arrays["public"], 1)


def _with_entry(name: str, value: Any, kind: Any = None) -> Broken:
    def change(header: dict[str, Any], arrays: Arrays) -> None:
        arrays[name] = arrays[name].astype(kind or arrays[name].dtype)
        arrays[name].reshape(-1)[0] = value

    return change


def _as(name: str, kind: str) -> Broken:
    def change(header: dict[str, Any], arrays: Arrays) -> None:
        arrays[name] = arrays[name].astype(kind)

    return change


def _dead_row(header: dict[str, Any], arrays: Arrays) -> None:
    arrays["rows_1"] = arrays["rows_1"].copy()
    arrays["rows_1"][0] = 0


def _falling(header: dict[str, Any], arrays: Arrays) -> None:
    arrays["model_3_outer"] = arrays["model_3_outer"][:, ::-1].copy()


def _in_header(name: str, value: str) -> Broken:
    def change(header: dict[str, Any], arrays: Arrays) -> None:
        header[name] = value

    return change


REFUSED: dict[str, tuple[str, Broken]] = {
    "a cluster of an opponent far below 0": ("ko", _one_cluster_far_below),
    "a cluster of an opponent too many": ("ko", _a_cluster_too_many),
    "rows of the turn in the first public bucket": ("public", _buckets_of_the_first_cluster),
    "public buckets rolled by one": ("public", _rolled),
    "a column beyond the features": ("public", _with_entry("model_3_columns", 5)),
    "a column below the features": ("public", _with_entry("model_3_columns", -3)),
    "a public bucket out of range": ("public", _with_entry("public", 2)),
    "rows of 16 bits with a sign": ("ko", _as("rows_1", "int16")),
    "clusters as floats": ("ko", _as("cluster_of", "float64")),
    "a dead row": ("ko", _dead_row),
    "a cut point that is no number": ("public", _with_entry("model_3_outer", np.nan)),
    "falling cut points": ("public", _falling),
    "complex cut points": ("public", _as("model_3_outer", "complex128")),
    "a billion updates": ("values", _in_header("method", "rebel(updates=1000000000)")),
    "a huge betting tree in a blueprint": ("blueprint", _in_header("game", "limit_holdem(seats=10)")),
    "a huge betting tree in a training": ("training", _in_header("game", "no_limit_holdem(seats=6)")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_trial_found_is_refused(case: str, folder: Path, child: Child) -> None:
    """In a sentence, wherever the file is used."""
    name, change = REFUSED[case]
    header, arrays = read_cpz(made(folder, name))
    change(header, arrays)
    write_cpz(folder / "broken.cpz", SAMPLES[name].kind, header, arrays)
    for use in range(len(SAMPLES[name].uses)):
        ending = child.do(name, use, folder / "broken.cpz", folder, seconds=60)
        assert ending.how == "refused", ending
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
    "game", ["no_limit_holdem(seats=6)", "limit_holdem(seats=10)", "no_limit_holdem(sizes=['5%', '10%', '20%', '50%'])"]
)
def test_a_huge_betting_tree_is_refused_before_it_is_built(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import counterpoise as cp
    from counterpoise.sampling.betting_tree import NodeCollector, build_betting_tree

    monkeypatch.setattr(NodeCollector, "_expand", lambda *_: pytest.fail("it is being built"))
    rules: Any = cp.load(game)
    with pytest.raises(cp.InputError, match="more than 5,000,000 betting nodes"):
        build_betting_tree(rules)


@pytest.mark.slow
def test_sound_files_are_used(folder: Path, child: Child) -> None:
    """Every command takes the samples as they are: what is refused above is refused for its change."""
    for name in NAMES:
        sample: Sample = SAMPLES[name]
        for use in range(len(sample.uses)):
            assert child.do(name, use, made(folder, name), folder, seconds=300).how == "fine", (name, use)
