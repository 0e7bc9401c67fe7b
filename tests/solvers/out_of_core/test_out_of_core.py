"""CFR+ past memory: sizes, the same bytes whoever works, and against the same game solved in one piece."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.jobs.processes import KeptProcesses, other_workers
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.public import Learning, Profile, Traverser, build_holdem
from counterpoise.solvers.out_of_core import OutOfCoreRun, Partition, parts
from counterpoise.solvers.out_of_core.blocks import BlockName, FolderBlocks, MemoryBlocks
from counterpoise.solvers.out_of_core.folder import RunFolder, settings_of_folder
from counterpoise.solvers.out_of_core.kernels.fixed_point import MOST
from counterpoise.solvers.out_of_core.parts import CFR_PLUS, PartQuestion, PartWorker
from counterpoise.solvers.out_of_core.regrets import RegretCoder
from counterpoise.solvers.out_of_core.run import require_memory
from counterpoise.solvers.out_of_core.solver import OutOfCoreSolver
from tests.solvers.out_of_core.small import SMALL, TURN, digest, run, solved


@pytest.fixture(scope="module")
def whole() -> tuple[Path, OutOfCoreRun]:
    """A run of six iterations without a stop, in one process; copied where a test continues it."""
    return solved()


@pytest.mark.parametrize("game", [SMALL, TURN])
def test_parts_are_the_whole_game(game):
    """At a fine scale two iterations leave what CFR+ in one piece leaves."""
    partition = Partition.of(cp.load(game), 4)
    solver = OutOfCoreSolver(partition, (2.0**16,) * (len(partition.game.board) - 1), MemoryBlocks())
    in_one = build_holdem(partition.rules)
    regrets, traverser = Profile(in_one), Traverser(in_one)
    for _ in range(2):
        for seat in range(2):
            solver.update()
            traverser.update(Learning(regrets, regrets, Profile.without_numbers(in_one)), CFR_PLUS, seat)
    np.testing.assert_allclose(solver.best_responses(), traverser.best_response_values(regrets), rtol=0, atol=1e-4)
    for seat, (entries, _) in enumerate(in_one.stored_before(1)):
        own, _ = solver.trunk.stored_on(seat, 0, 0)
        expected = np.maximum(regrets.store.wide[entries], 0)
        np.testing.assert_allclose(solver.regrets.store.wide[own], expected, rtol=1e-4, atol=1e-3)


def test_regrets_survive_their_coding():
    game = Partition.of(cp.load(SMALL), 4).build(1)
    coder, random = RegretCoder(game, (8.0,)), np.random.default_rng(0)
    for largest in (0.0, 3.0, 1e6):
        regrets, found = Profile(game), Profile(game)
        regrets.store.wide[...] = random.uniform(-largest, largest, game.entries)
        for seat in range(2):
            block, cut = coder.encode(regrets, seat)
            assert cut == 0
            coder.decode(block, seat, found, "a block")
            again, _ = coder.encode(found, seat)
            assert again == block  # what was cut to whole numbers stays as it is
            assert coder.size(seat) < game.entries  # padding, and hands that suits make alike, are left out
        kept = found.store.wide[found.store.wide > 0]
        assert np.array_equal(kept * 8, np.trunc(kept * 8))
    regrets.store.wide[...] = 1e9
    largest, cut = coder.encode(regrets, 0)
    assert cut == coder.size(0)
    coder.decode(largest, 0, found, "a block")
    kept = found.store.wide[found.store.wide > 0]
    assert coder.encode(found, 0) == (largest, cut)
    assert kept.max() == MOST / 8


def test_blocks_of_a_run_survive_their_coding(whole):
    """Every block that a run has left is what its regrets are coded as again, to the byte."""
    folder = RunFolder(whole[0], Partition.of(cp.load(SMALL), 4), settings_of_folder(whole[0]).scales)
    for part in range(folder.partition.parts):
        game = folder.partition.build(part)
        coder = RegretCoder(game, folder.scales)
        for seat in range(2):
            block, regrets = folder.blocks.read(BlockName(part, seat, 6)).regrets, Profile(game)
            coder.decode(block, seat, regrets, "a block")
            assert coder.encode(regrets, seat)[0] == block


def test_damaged_bits_are_refused():
    """Whatever stands in a block, it is read as regrets or refused; nothing outside of it is touched."""
    game = Partition.of(cp.load(SMALL), 4).build(1)
    coder, random, regrets = RegretCoder(game, (8.0,)), np.random.default_rng(1), Profile(game)
    regrets.store.wide[...] = random.uniform(-10, 1000, game.entries)
    block, _ = coder.encode(regrets, 0)
    for wrong in (b"", block[:-1], block + b"x", block[:-8], block + bytes(8), b"\xff" * len(block)):
        with pytest.raises(cp.InputError, match="a block is damaged"):
            coder.decode(wrong, 0, Profile(game), "a block")
    for _ in range(200):
        flipped = bytearray(block)
        flipped[int(random.integers(len(block)))] ^= 1 << int(random.integers(8))
        found = Profile(game)
        try:
            coder.decode(bytes(flipped), 0, found, "a block")
        except cp.InputError:
            continue
        assert found.store.wide.min() >= 0


def test_nothing_depends_on_who_works_or_when_it_stopped(whole, tmp_path):
    """Memory, a stop in between, and two processes end in the same bytes."""
    folder, found = whole
    stopped = tmp_path / "stopped"
    run(stopped, 2)
    again = run(stopped, 6, workers=2)
    assert digest(stopped) == digest(folder)
    in_memory = run(None, 6)
    for other in (again, in_memory):
        assert (other.exploitability, other.value_bracket) == (found.exploitability, found.value_bracket)
        assert other.first_round == found.first_round
    assert len(list(folder.glob("*.regrets"))) == 2 * 2 * found.parts  # two generations of two seats
    done = run(folder, 6)  # nothing is left to do
    assert (done.regrets, done.bits_per_regret) == (found.regrets, found.bits_per_regret)


def test_a_damaged_trunk_takes_the_run_back(whole, tmp_path):
    folder = tmp_path / "damaged"
    run(folder, 4)
    newest = max(folder.glob("trunk-*.cpz"))
    newest.write_bytes(newest.read_bytes()[:-50])
    (folder / "trunk-old.cpz").write_text("x")
    run(folder, 6)
    assert digest(folder) == digest(whole[0])


class Notes(SilentProgress):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_a_damaged_file_takes_the_run_back(whole, tmp_path):
    folder = tmp_path / "damaged"
    run(folder, 4)
    damage(folder / "part000001-seat1-00000004.regrets")
    progress = Notes()
    run(folder, 6, progress=progress)
    assert "part000001-seat1-00000004.regrets is damaged: its checksum is wrong; going back" in progress.notes[-1]
    assert digest(folder) == digest(whole[0])


def test_blocks_whose_values_do_not_fit_are_made_again(whole, tmp_path):
    """Checksum and key are those of the block of the next update; values and the count behind them are made up."""
    folder, later = tmp_path / "early", tmp_path / "later"
    run(folder, 1)
    run(later, 2)
    made_up = [
        lambda values: values[:0],
        lambda values: values[:-1],
        lambda values: np.append(values, 0.0),
        lambda values: values * np.nan,
        lambda values: values + 1e300,
        lambda values: np.append(values[:-1], 0.5),
    ]
    for path in sorted(later.glob("*-00000002.regrets")):
        part, seat = int(path.name[4:10]), int(path.name[15])
        store, name = FolderBlocks(later, path.read_bytes()[12:28]), BlockName(part, seat, 2)
        block = store.read(name)
        FolderBlocks(folder, store.game).write(name, block._replace(values=made_up[part + seat](block.values)))
    (folder / "part000000-seat0-00000000.regrets").mkdir()  # nor do folders of such names matter
    run(folder, 6)
    assert digest(folder) == digest(whole[0])


def test_damage_that_measuring_finds_is_mended_before_the_run_ends(whole, tmp_path):
    """The run goes back and does the iterations again; the trace has each point once, in every state that is saved."""
    folder = tmp_path / "damaged"
    before = run(folder, 4)
    damage(folder / "part000001-seat1-00000004.regrets")
    again = run(folder, 4)
    assert (again.iterations, again.exploitability) == (4, before.exploitability)
    assert again.trace == before.trace
    state = settings_of_folder(folder)
    assert state is not None
    assert [point[0] for point in state.trace] == [4]
    (folder / "trunk-0000000008.cpz").unlink()
    state = settings_of_folder(folder)
    assert state is not None
    assert (min(state.generations), state.trace) == (3, [])


def damage(path: Path) -> None:
    """Change one bit of a file."""
    raw = bytearray(path.read_bytes())
    raw[-3] ^= 1
    path.write_bytes(raw)


def test_folders_that_cannot_be_continued_are_refused(whole, tmp_path):
    folder, _ = whole
    with pytest.raises(cp.InputError, match="is of another run: its game is"):
        run(folder, 7, TURN)
    with pytest.raises(cp.InputError, match="is of another run: its deals_per_part is 4, not 5"):
        run(folder, 7, deals_per_part=5)
    for game in ("leduc_poker", "no_limit_holdem", "limit_holdem(seats=3)"):
        with pytest.raises(cp.InputError, match="out of core"):
            run(None, 1, game)
    for scale in (3.0, -1.0, 2.0**40, [1.0, 2.0]):
        with pytest.raises(cp.InputError, match="scale must be"):
            run(None, 1, scale=scale)
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(cp.InputError, match="is a file, not a folder"):
        run(file, 1)


def test_a_cancelled_run_is_continued(whole, tmp_path):
    folder, token = tmp_path / "cancelled", CancelToken()
    early = run(folder, 6, measure_at=[1], cancel=token, on_point=lambda point: token.cancel())
    assert early.interrupted
    assert early.iterations < 6
    assert [point.iteration for point in early.trace] == [1]
    run(folder, 6)
    assert digest(folder) == digest(whole[0])


def test_cpu_seconds_of_earlier_work_are_not_counted(tmp_path):
    """Workers that have done other work before, as a cluster may have."""
    with other_workers(2) as workers:
        assert isinstance(workers, KeptProcesses)
        workers._cpu = 1e6
        found = run(tmp_path, 1, workers=workers)
    state = settings_of_folder(tmp_path)
    assert state is not None
    assert 0 < state.cpu_seconds < 1e5
    assert found.cpu_seconds < 1e5
    (tmp_path / "trunk-0000000002.cpz").unlink()
    earlier = settings_of_folder(tmp_path)
    assert earlier is not None
    assert 0 < earlier.cpu_seconds < 1e5


def test_memory_counts_the_workers_of_this_machine(monkeypatch):
    """Those of other machines of a cluster have memory of their own."""
    partition = Partition.of(cp.load("limit_holdem(board=[0, 3])"), 1)

    def free(parts):
        available = 1e6 * parts * partition.part_megabytes
        monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=available))

    cores = os.cpu_count() or 1
    free(cores + 0.5)
    require_memory(partition, KeptProcesses(5_000))
    free(cores - 0.5)
    for workers in (KeptProcesses(5_000), cores):
        with pytest.raises(cp.InputError, match=f"in each of {cores} processes"):
            require_memory(partition, workers)


def test_two_runs_never_work_in_one_folder(whole, tmp_path):
    refused = []

    def run_again(point):
        with pytest.raises(cp.InputError, match="another run is at work"):
            run(tmp_path, 6)
        refused.append(point.iteration)

    run(tmp_path, 6, measure_at=[2, 6], on_point=run_again)
    assert refused == [2, 6]
    assert digest(tmp_path) == digest(whole[0])


@pytest.mark.parametrize("game", [SMALL, TURN])
def test_regrets_do_not_depend_on_the_parts(game):
    """One part with all first deals is the game in one piece; parts of one and of four deals leave the same bits."""
    found = []
    for deals in (1, 4, 1_000):
        partition = Partition.of(cp.load(game), deals)
        scales = (16.0,) * (len(partition.game.board) - 1)
        solver = OutOfCoreSolver(partition, scales, MemoryBlocks())
        for _ in range(6):
            solver.update()
        by_board = {}
        for part in range(partition.parts):
            own = partition.build(part)
            coder, regrets = RegretCoder(own, scales), Profile(own)
            for seat, generation in enumerate(solver.generations):
                coder.decode(solver.store.read(BlockName(part, seat, generation)).regrets, seat, regrets, "a block")
            for number, tree in enumerate(own.street_trees):
                for board in np.flatnonzero(own.street_of == tree.street).tolist() if tree.street else ():
                    for seat in range(2):
                        entries, _ = own.stored_on(seat, number, board)
                        rows = regrets.store.wide[entries].reshape(-1, int(own.boards.stride[seat, board]))
                        held = own.board_nodes[board].hands[seat]
                        live = ~np.isin(own.hands[seat][held], own.board_nodes[board].cards).any(axis=1)
                        by_board[number, own.board_nodes[board].cards, seat] = rows[:, : len(held)][:, live]
        found.append((by_board, solver.regrets.store.wide, solver.best_responses().tolist()))
    *others, (whole, trunk, responses) = found
    for cut, trunk_of_cut, responses_to_cut in others:
        assert cut.keys() == whole.keys()
        assert all(np.array_equal(cut[key], whole[key]) for key in cut)
        assert np.array_equal(trunk_of_cut, trunk)
        assert responses_to_cut == responses


def test_a_worker_holds_one_part_at_a_time(tmp_path, monkeypatch):
    """However many parts there are: the regrets of one, and as much again for their code."""
    monkeypatch.setattr(parts, "KEPT_BYTES", 0)
    partition = Partition.of(cp.load(SMALL), 1)
    solver = OutOfCoreSolver(partition, (8.0,), RunFolder(tmp_path, partition, (8.0,)).blocks)
    for _ in range(4):
        solver.update()
    worker, largest = solver.worker, max(partition.build(part).entries for part in range(partition.parts))
    assert partition.parts == 20
    assert not worker._kept
    assert worker._numbers.nbytes + worker._scratch._tokens.nbytes <= 2 * 4 * largest


@pytest.mark.parametrize("workers", [1, 3])
def test_blocks_are_fetched_before_they_are_read(workers):
    """A worker asks for the blocks of the part that it will do next: with three workers the third one from here."""

    class Watched(MemoryBlocks):
        def __init__(self) -> None:
            super().__init__()
            self.asked: set[BlockName] = set()

        def expect(self, name: BlockName) -> None:
            self.asked.add(name)

    partition, store = Partition.of(cp.load(SMALL), 2), Watched()
    solver = OutOfCoreSolver(partition, (8.0,), store)
    for _ in range(2):
        solver.update()
    worker = PartWorker(partition, (8.0,), store)
    reach = np.ones((partition.lines, partition.game.deck.hand_count), dtype=np.float32)
    for part in range(0, partition.parts, workers):
        store.asked.clear()
        worker.do(PartQuestion(part, 0, (1, 1)), reach)
        following = part + (workers if part else 1)
        assert store.asked == {BlockName(following, seat, 1) for seat in range(2) if following < partition.parts}


def test_a_block_that_is_gone_may_be_expected(tmp_path):
    RunFolder(tmp_path, Partition.of(cp.load(SMALL), 4), (8.0,)).blocks.expect(BlockName(0, 0, 1))
