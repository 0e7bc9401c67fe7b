"""Finished abstractions: rows, symmetry, recall, files."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.abstraction.boards import renamings
from counterpoise.abstraction.features import Moments
from counterpoise.abstraction.kernels.strength import DEAD
from counterpoise.abstraction.strength import HoldemCards
from counterpoise.cards import STANDARD_DECK, Deck, isomorphism, parse_cards
from counterpoise.errors import Cancelled, InputError
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.store.cpz import read_cpz, write_cpz

SMALL = {"deck": Deck(ranks=5), "sample": 4000, "progress": False}
TABLES = {
    "IR-KE-KO": {"buckets": (25, 12, 12, 12)},
    "IR-KO-KE": {"buckets": (6, 8, 8, 8)},
    "IR-KP-PHS": {"buckets": (5, 9, 9, 9)},
    "PR-PHS-PHS": {"buckets": ("5x2", 2, 3, 2)},
    "PR-KE-KO": {"buckets": (4, 3, 3, 3)},
    "IR-C-C-KE-KO": {"buckets": (10, 10)},
    "IR-KE-PHS": {"buckets": (4, 5, 5, 5), "public": 3},
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CardAbstraction]:
    folder = tmp_path_factory.mktemp("cache")
    return {name: cp.abstraction(name, cache=folder, **SMALL, **more) for name, more in TABLES.items()}


def boards(deck: Deck, count: int, seed: int = 0) -> list[list[int]]:
    generator = np.random.default_rng(seed)
    sizes = generator.choice([3, 4, 5], count)
    return [generator.choice(deck.cards, size, replace=False).tolist() for size in sizes]


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_rows_are_invariant_under_all_renamings(tables: dict[str, CardAbstraction], name: str) -> None:
    table, maps = tables[name], renamings(Deck(ranks=5))
    for board in boards(table.deck, 100):
        row = table.row(board)
        assert ((row < 0) == ~table.deck.live_hands(board)).all()
        assert row.max() < table.buckets[table.street(board)]
        for cards, hands in zip(maps.card_maps, maps.hand_maps, strict=True):
            assert (table.row(cards[board].tolist())[hands] == row).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_file_keeps_everything(tables: dict[str, CardAbstraction], name: str, tmp_path: Path) -> None:
    table = tables[name]
    table.save(tmp_path / "table.cpz")
    loaded = CardAbstraction.load(tmp_path / "table.cpz", table.deck)
    assert loaded.buckets == table.buckets
    for board in [[], *boards(table.deck, 12)]:
        assert (loaded.row(board) == table.row(board)).all()


@pytest.mark.slow
def test_bucket_counts_and_numbers(tables: dict[str, CardAbstraction]) -> None:
    assert tables["IR-KE-KO"].buckets == (25, 12, 12, 12)
    assert tables["PR-PHS-PHS"].buckets == (10, 20, 60, 120)
    assert tables["IR-KE-PHS"].buckets == (4, 15, 15, 15)
    assert tables["IR-C-C-KE-KO"].buckets == (25, 7760, 10, 10)
    table = tables["IR-KE-KO"]
    assert table.bucket("AsAh") == table.row("")[int(table.deck.hand_table[48, 49])]
    with pytest.raises(InputError, match="shares a card"):
        table.bucket("AsAh", "As Kd Qd")
    with pytest.raises(InputError, match="0, 3, 4, 5 cards"):
        table.row("As Kd")
    with pytest.raises(InputError, match="repeated"):
        table.row([48, 48, 44])


@pytest.mark.slow
def test_perfect_recall_refines_history(tables: dict[str, CardAbstraction]) -> None:
    """A bucket of perfect recall says in which buckets the hand was before."""
    for name, widths in (("PR-PHS-PHS", (2, 3, 2)), ("PR-KE-KO", (3, 3, 3))):
        table = tables[name]
        for board in (cards for cards in boards(table.deck, 30) if len(cards) == 5):
            live = table.deck.live_hands(board)
            rows = [table.row(board[:count])[live] for count in (0, 3, 4, 5)]
            for street, width in enumerate(widths):
                assert (rows[street + 1] // width == rows[street]).all()


@pytest.mark.slow
def test_imperfect_recall_may_forget(tables: dict[str, CardAbstraction]) -> None:
    """Buckets of imperfect recall join hands whose earlier buckets differ."""
    table = tables["IR-KE-KO"]
    board = parse_cards("As Kd Qc Jh", table.deck)
    live = table.deck.live_hands(board)
    before, now = table.row(board[:3])[live], table.row(board)[live]
    assert any(len(set(before[now == bucket])) > 1 for bucket in set(now))


@pytest.mark.slow
def test_public_cluster_is_never_left(tables: dict[str, CardAbstraction]) -> None:
    """The cluster is constant along 10^4 deals; buckets of different clusters are disjoint."""
    table, deals, inside = tables["IR-KE-PHS"], 10_000, 5
    generator = np.random.default_rng(1)
    cards = generator.permuted(np.tile(table.deck.cards, (deals, 1)), axis=1)[:, :7]
    hands = table.deck.hand_table[cards[:, 0], cards[:, 1]]
    found = [table.hand_buckets(hands, np.ascontiguousarray(cards[:, 2 : 2 + count])) for count in (3, 4, 5)]
    clusters = [buckets // inside for buckets in found]
    assert (clusters[0] == clusters[1]).all()
    assert (clusters[1] == clusters[2]).all()
    for buckets in found:
        own = [set(buckets[clusters[0] == cluster].tolist()) for cluster in range(3)]
        assert all(own)
        assert not any(one & other for place, one in enumerate(own) for other in own[:place])
    # Public information alone decides: all hands of a flop are in its cluster, whatever order its cards came in.
    for board in cards[:50, 2:5].tolist():
        rows = [table.row(list(order)) for order in permutations(board)]
        assert len({int(one) // inside for row in rows for one in row[row >= 0]}) == 1


@pytest.mark.slow
def test_canonical_rows_are_lossless(tables: dict[str, CardAbstraction]) -> None:
    table = tables["IR-C-C-KE-KO"]
    for board in (cards for cards in boards(table.deck, 20) if len(cards) == 3):
        assert (table.row(board) == isomorphism((2, 3), table.deck).hand_classes(board)).all()
    lossless = cp.abstraction("IR-C-C-C-PHS", (4,), **SMALL)
    board = parse_cards("As Kd Qc Jh", table.deck)
    assert (lossless.row(board) == isomorphism((2, 3, 1), table.deck).hand_classes(board)).all()


def test_percentiles_follow_strength(small: HoldemCards, wins: np.ndarray) -> None:
    """PHS on the river is monotone in strength, and in E[HS^2] before the flop."""
    table = cp.abstraction("IR-PHS-PHS", (5, 5, 5, 8), **SMALL)
    board = parse_cards("As Kd Qc Jh Th", table.deck)
    live = table.deck.live_hands(board)
    strength, row = table.features(board)[live, 0], table.row(board)[live]
    assert all(strength[row == at].max() < strength[row > at].min() for at in set(row) if (row > at).any())
    hands = np.arange(190)
    square = Moments(small, 0, wins).points(np.zeros_like(hands), hands)[:, 1]
    early = table.row("")
    assert all(square[early == at].max() < square[early > at].min() for at in range(4))
    assert np.bincount(early).max() <= 190 / 5 + 12


def test_same_seed_same_table_whatever_the_threads(tmp_path: Path) -> None:
    rows = [
        cp.abstraction("IR-KE-KO", (5, 6), cache=tmp_path / str(threads), threads=threads, **SMALL).row("As Kd Qc")
        for threads in (1, 2)
    ]
    assert (rows[0] == rows[1]).all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "processes"), [("IR-KP-PHS", 2), ("PR-KE-KO", 7)])
def test_same_table_whatever_the_processes(
    tables: dict[str, CardAbstraction], name: str, processes: int, tmp_path: Path
) -> None:
    found = cp.abstraction(name, cache=tmp_path, processes=processes, **SMALL, **TABLES[name])
    assert found.digest == tables[name].digest


class StopAt(SilentProgress):
    """Cancels when a job with a given word begins, or when a figure with it is shown; remembers everything."""

    def __init__(self, word: str = "nothing") -> None:
        self.word, self.cancel = word, CancelToken()
        self.jobs: list[str] = []
        self.figures: list[str] = []
        self.notes: list[str] = []

    def begin(self, job: str) -> None:
        self.jobs.append(job)
        self._stop(job)

    def show(self, fraction: float | None, figure: str) -> None:
        self.figures.append(f"{self.jobs[-1]}: {figure}")
        self._stop(self.figures[-1])

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def _stop(self, text: str) -> None:
        if self.word in text:
            self.cancel.cancel()


def test_interrupted_build_continues(tmp_path: Path) -> None:
    """Finished streets are kept: after a stop only the others are computed, to the same result."""
    settings = SMALL | {"cache": tmp_path / "kept"}
    stopped = StopAt("of the flop")
    with pytest.raises(Cancelled, match=r"2 of 4 streets finished.*kept in .*kept/abstraction: start the same build"):
        cp.abstraction("IR-PHS-PHS", (3, 4, 4, 4), **(settings | {"progress": stopped}), cancel=stopped.cancel)
    again = StopAt()
    resumed = cp.abstraction("IR-PHS-PHS", (3, 4, 4, 4), **(settings | {"progress": again}))
    assert not any("of the turn" in job for job in again.jobs)
    assert any("of the flop" in job for job in again.jobs)
    fresh = cp.abstraction("IR-PHS-PHS", (3, 4, 4, 4), **SMALL)
    for board in [[], *boards(fresh.deck, 10)]:
        assert (resumed.row(board) == fresh.row(board)).all()
    for file in (tmp_path / "kept" / "abstraction").iterdir():
        file.write_bytes(b"damaged")
    assert (cp.abstraction("IR-PHS-PHS", (3, 4, 4, 4), **settings).row("") == fresh.row("")).all()


@pytest.mark.parametrize("name", ["IR-KE-KO", "PR-KE-KO"])
def test_build_interrupted_within_a_street_continues(tmp_path: Path, name: str) -> None:
    """Runs of k-means, groups and rows are kept one by one: none is computed twice, to the same result."""
    settings = SMALL | {"cache": tmp_path / "kept"}
    buckets = (3, 4, 4, 4)
    stopped, again = StopAt("clusters of the turn: run 2"), StopAt()
    with pytest.raises(Cancelled):
        cp.abstraction(name, buckets, **(settings | {"progress": stopped}), cancel=stopped.cancel)
    kept = {file.name for file in (tmp_path / "kept" / "abstraction").iterdir()}
    assert any("-run-0" in file for file in kept) == (name == "IR-KE-KO")
    resumed = cp.abstraction(name, buckets, **(settings | {"progress": again}))
    if name == "IR-KE-KO":
        assert not any("clusters of the turn: run 1" in figure for figure in again.figures)
        assert any("clusters of the turn: run 2" in figure for figure in again.figures)
    left = {file.name for file in (tmp_path / "kept" / "abstraction").iterdir()}
    assert {file.split("-")[1] for file in left} == {"street", "clusters"}
    assert len(left) == 5, "only finished streets and opponent clusters stay"
    fresh = cp.abstraction(name, buckets, **SMALL)
    for board in [[], *boards(fresh.deck, 10)]:
        assert (resumed.row(board) == fresh.row(board)).all()


@pytest.mark.parametrize("name", ["IR-KE-KO", "PR-KE-KO"])
def test_another_river_rebuilds_the_river_only(tmp_path: Path, name: str) -> None:
    settings, told = SMALL | {"cache": tmp_path}, StopAt()
    first = cp.abstraction(name, (3, 4, 4, 4), **settings)
    second = cp.abstraction(name, (3, 4, 4, 5), **(settings | {"progress": told}))
    assert [job for job in told.jobs if " of the " in job] == ["features of the river", told.jobs[-1]]
    assert "clusters of the river" in told.jobs[-1]
    assert (first.row("As Kd Qc Jh") == second.row("As Kd Qc Jh")).all()
    fresh = cp.abstraction(name, (3, 4, 4, 5), **SMALL)
    assert (fresh.row("As Kd Qc Jh Th") == second.row("As Kd Qc Jh Th")).all()


def test_empty_buckets_are_mentioned(small: HoldemCards, wins: np.ndarray, tmp_path: Path) -> None:
    """There are fewer strengths than buckets; the build says so, and so does the file."""
    told = StopAt()
    table = cp.abstraction("IR-PHS-PHS", (3, 4, 4, 200), **(SMALL | {"progress": told}))
    every = np.unique(np.concatenate([table.row(board.tolist()) for board in small.boards(3).cards]))
    assert table.filled == (3, 4, 4, len(every) - 1)  # and -1 for dead hands
    empty = 200 - table.filled[3]
    assert empty >= 200 - len(np.unique(wins[wins != DEAD]))
    assert told.notes[-1] == (
        f"empty, as fewer hands differ by these features: {empty} of the 200 buckets of the river"
    )
    table.save(tmp_path / "table.cpz")
    assert CardAbstraction.load(tmp_path / "table.cpz").filled == table.filled
    full = StopAt()
    cp.abstraction("IR-PHS-PHS", (3, 4, 4, 4), **(SMALL | {"progress": full}))
    assert not any("empty" in note for note in full.notes)


def test_tables_of_others_are_refused(tmp_path: Path) -> None:
    table, path = cp.abstraction("IR-PHS-PHS", (3, 4), **SMALL), tmp_path / "table.cpz"
    table.save(path)
    with pytest.raises(InputError, match="deck of 20 cards, not 52"):
        CardAbstraction.load(path, STANDARD_DECK)
    header, arrays = read_cpz(path)
    write_cpz(path, "abstraction", header | {"abstraction_version": 2}, arrays)
    with pytest.raises(InputError, match="version 2; this program reads up to 1"):
        CardAbstraction.load(path)
    write_cpz(path, "abstraction", header, {name: array for name, array in arrays.items() if "model_1" in name})
    with pytest.raises(InputError, match="damaged"):
        CardAbstraction.load(path).row("As Kd Qc")
    wrong = [("rows_0", arrays["rows_0"][:, :5]), ("rows_0", arrays["rows_0"] + 9), ("rows_0", arrays["rows_0"] / 2)]
    for name, array in [*wrong, ("model_1_outer", arrays["model_1_outer"][:, :1])]:
        write_cpz(path, "abstraction", header, arrays | {name: array})
        with pytest.raises(InputError, match="damaged"):
            CardAbstraction.load(path)


@pytest.mark.long
def test_whole_deck_rows_are_invariant(tmp_path: Path) -> None:
    """Percentile buckets of 52 cards: 100 random boards, 1,326 hands, all 24 renamings."""
    table = cp.abstraction("IR-PHS-PHS", (169, 50, 50, 50), cache=tmp_path, progress=False)
    maps = renamings(STANDARD_DECK)
    for board in boards(STANDARD_DECK, 100):
        row = table.row(board)
        for cards, hands in zip(maps.card_maps, maps.hand_maps, strict=True):
            assert (table.row(cards[board].tolist())[hands] == row).all()
