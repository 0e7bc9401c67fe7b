"""A small file of every other kind that commands read: texts, and the blocks of runs out of core.

Texts are broken as text, one number or word at a time; blocks in their header, their code and their bits.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import Profile
from counterpoise.solvers.out_of_core import Partition
from counterpoise.solvers.out_of_core.blocks import HEADER, BlockName, FolderBlocks
from counterpoise.solvers.out_of_core.kernels.fixed_point import CODE_BITS, CONTEXTS, RUN, SYMBOLS
from counterpoise.solvers.out_of_core.regrets import LENGTH_BYTES, RegretCoder, default_scale
from tests.store.broken.samples import SPOT, TINY, Sample, cli, command, take_in

MOST_PLACES = 40
"""Numbers and words of a text that are changed, spread over it."""
NUMBERS = ("0", "-1", "9" * 20, "9" * 400, "1e999", "nan", "-0.5", "1e308", '"x"', "[]", "")
WORDS = ("", "x" * 5000, "\0", "\x1b[31m[/red]", "no_limit_holdem(seats=10)", "../../etc/passwd", "\ud800", "٣")
FIELDS = ("magic", "version", "game", "part", "seat", "generation", "key", "values", "size", "checksum")


class Broken(NamedTuple):
    """A changed file."""

    how: str
    content: bytes


def text_changes(raw: bytes) -> Iterator[Broken]:
    """Yield changes of a text as a whole, of its lines, and of its numbers and words one at a time."""
    text, size = raw.decode(), len(raw)
    yield from (Broken(how, content) for how, content in _whole(raw).items())
    lines = text.splitlines(keepends=True)
    for number in _spread(len(lines), 8):
        for how, others in (("without", []), ("twice", [lines[number]] * 2), ("half of", [lines[number][: size // 9]])):
            changed = [*lines[:number], *others, *lines[number + 1 :]]
            yield Broken(f"{how} line {number + 1}", "".join(changed).encode())
    for what, pattern, values in (("number", r"-?\d+(\.\d+)?", NUMBERS), ("word", r"[A-Za-z_]\w+", WORDS)):
        found = list(re.finditer(pattern, text))
        for number in _spread(len(found), MOST_PLACES):
            place = found[number]
            for value in values:
                changed_text = text[: place.start()] + value + text[place.end() :]
                yield Broken(f"{what} {place[0]} is {value[:12]!r}", changed_text.encode(errors="surrogatepass"))


def _whole(raw: bytes) -> dict[str, bytes]:
    half = len(raw) // 2
    return {
        "empty": b"",
        "a space": b" ",
        "half": raw[:half],
        "twice": raw * 2,
        "zeros": bytes(300),
        "no text": bytes(range(256)) * 4,
        "a zip file": b"PK\3\4" + bytes(200),
        "with a mark of order": b"\xef\xbb\xbf" + raw,
        "in 16 bits": raw.decode().encode("utf-16"),
        "a byte that is no UTF-8": raw[:half] + b"\xff" + raw[half:],
        "Windows' ends of lines": raw.replace(b"\n", b"\r\n"),
        "without the ends of lines": raw.replace(b"\n", b""),
        "lists without end": b"[" * 100_000,
        "tables without end": b'{"a":' * 100_000,
        "null": b"null\n",
        "a number": b"1\n",
        "a list": b"[]\n",
        "a table": b"{}\n",
        "long": b"a" * 3_000_000,
        "many lines": b"\n" * 300_000,
    }


def _spread(count: int, most: int) -> list[int]:
    return sorted({number * count // min(count, most) for number in range(min(count, most))}) if count else []


def block_changes(raw: bytes) -> Iterator[Broken]:
    """Yield changes of a block of regrets: of its header; of its code and its bits, with a checksum that fits them."""
    header = dict(zip(FIELDS, HEADER.unpack_from(raw), strict=True))
    for how, content in (("empty", b""), ("a header", raw[: HEADER.size]), ("half", raw[: len(raw) // 2])):
        yield Broken(how, content)
    for name, value in header.items():
        wrong = (bytes(len(value)), b"\xff" * len(value)) if isinstance(value, bytes) else (0, 1, 7, 2**31 - 1)
        for other in wrong:
            yield Broken(f"{name} is {other!r}", HEADER.pack(*(header | {name: other}).values()) + raw[HEADER.size :])
    found = raw[HEADER.size : HEADER.size + header["values"]]
    block = raw[HEADER.size + header["values"] :]
    for how, made_up in _blocks(block):
        sizes = {"size": len(made_up), "checksum": zlib.crc32(made_up, zlib.crc32(found))}
        yield Broken(how, HEADER.pack(*(header | sizes).values()) + found + made_up)


def _blocks(block: bytes) -> Iterator[tuple[str, bytes]]:
    random = np.random.default_rng(0)
    code, words = block[8 : 8 + LENGTH_BYTES], block[8 + LENGTH_BYTES :]
    count = len(words) // 8

    def made(code: bytes, words: bytes) -> bytes:
        return (len(words) // 8).to_bytes(8, "little") + code + words

    def noise(count: int) -> bytes:
        return random.bytes(8 * count)

    yield from {"nothing": b"", "a length": block[:8], "a huge length": b"\xff" * 8 + block[8:]}.items()
    yield "a word less", made(code, words[:-8])
    yield "a word more", made(code, words + bytes(8))
    yield "no words", made(code, b"")
    yield "a byte more", block + b"\0"
    for length in (0, 1, CODE_BITS, 15):
        yield f"all codes have {length} bits", made(_code(np.full((CONTEXTS, SYMBOLS), length)), words)
    for symbols in ((0,), (1,), (19,), (int(RUN),), (int(RUN) + 1,), (SYMBOLS - 1,), (0, int(RUN)), (1, SYMBOLS - 1)):
        lengths = np.zeros((CONTEXTS, SYMBOLS), dtype=np.uint8)
        lengths[:, symbols] = 1
        for what, bits in {"noise": noise(count), "0": bytes(8 * count), "1": b"\xff" * 8 * count}.items():
            yield f"symbols {symbols} of {what}", made(_code(lengths), bits)
    for number in range(10):
        yield f"noise {number}", made(code, noise(count))
        yield f"a code of noise {number}", made(random.bytes(LENGTH_BYTES), words)
        flipped = np.frombuffer(words, dtype=np.uint8).copy()
        flipped[random.integers(len(flipped))] ^= 1 << random.integers(8)
        yield f"a bit {number}", made(code, flipped.tobytes())


def _code(lengths: Any) -> bytes:
    flat = np.asarray(lengths, dtype=np.uint8).ravel()
    return bytes((flat[::2] | flat[1::2] << 4).tobytes())


GAME, LIMIT = "leduc_poker", "limit_holdem"
BLOCK = "part000000-seat0-00000002.regrets"
EFG = """EFG 2 R "Chance and two players" { "A" "B" }
c "" 1 "" { "l" 1/2 "r" 0.5 } 0
p "" 1 1 "x" { "u" "d" } 0
p "" 2 1 "y" { "a" "b" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
t "" 3 "" { 0 0 }
t "" 4 "" { 2.5 -2.5 }
"""
SCRIPT = """set_board QsJh2h8d3c
set_pot 0 0 10
set_eff_stack 20
set_range OOP AA,KK,QJs
set_range IP AA,TT,QJs
add_line 0 0
add_line 0 10 10
build_tree
go 1 seconds
show_node r:0
calc_ev OOP r:0
"""
ANSWER = {
    "when": 1.7e9,
    "solution": "solutions/turn.cpz",
    "node": "r:0",
    "hand": "AhKh",
    "player": "oop",
    "street": "turn",
    "action": "check",
    "lost": 0.5,
    "lost_pct": 1.5,
}
CARDS = """recall = "imperfect"
[[streets]]
method = "PHS"
buckets = 3
[[streets]]
method = "PHS"
buckets = 4
[deck]
ranks = 4
"""


def _play(file: str, game: str = LIMIT) -> Callable[[Path, Path], None]:
    def make(path: Path, folder: Path) -> None:
        log, results = folder / f"made{path.suffix if file == 'log' else '.log'}", folder / "made.results"
        results.unlink(missing_ok=True)
        cli("match", "random", "always-call", "--game", game, "--hands", 4, "--log", log, "--resume", results)
        shutil.copy(results if file == "results" else log, path)

    return make


def _text(content: str) -> Callable[[Path, Path], None]:
    return lambda path, folder: path.write_text(content) and None


def _continue_match(path: Path, folder: Path) -> None:
    log, results = folder / "made.log", Path(shutil.copy(path, path.parent / "copied.results"))
    cli("match", "random", "always-call", "--game", LIMIT, "--hands", 5, "--log", log, "--resume", results)


def _make_runs(path: Path, folder: Path) -> None:
    from counterpoise.reproduce.harness.last_run import KeptClaim, KeptRun, KeptRuns

    claims = [KeptClaim(id="rate", text="it is slower", holds=holds, reason="too short") for holds in (True, None)]
    run = KeptRun(commit="0123456789", machine="some, 2 cores", date="2026-01-02 03:04", cpu_seconds=1.5, claims=claims)
    KeptRuns(runs={"cfr-plus-rate": run}).save(path)


def _show_runs(path: Path, folder: Path) -> None:
    cli("reproduce", "--list", "--keep", path)
    cli("reproduce", "--list", "--keep", path, "--json")


def _arena(folder: Path) -> None:
    words = ("random", "always-call", "--game", TINY, "--hands", 4, "--lbr-hands", 2)
    cli("arena", *words, "--no-memory", "--resume", folder)


def _arena_file(ending: str) -> Sample:
    def make(path: Path, folder: Path) -> None:
        own = folder / "arena"
        _arena(own)
        shutil.copy(sorted(own.glob(f"*{ending}"))[0], path)

    def use(path: Path, folder: Path) -> None:
        own = Path(shutil.copytree(folder / "arena", folder / "arena copy", dirs_exist_ok=True))
        shutil.copy(path, sorted(own.glob(f"*{ending}"))[0])
        _arena(own)

    return Sample(f"arena{ending}", make, use, (use,))


def _make_block(path: Path, folder: Path) -> None:
    own = folder / "blocks"
    cli("solve", TINY, "--out-of-core", own, "-n", 2, "--json")
    shutil.copy(own / BLOCK, path)


def _continue_from_block(path: Path, folder: Path) -> None:
    """Both generations are broken, so that nothing is there to go back to."""
    own = folder / "blocks copy"
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(folder / "blocks", own)
    content = path.read_bytes()
    (own / BLOCK).write_bytes(content)
    for trunk in sorted(own.glob("trunk-*.cpz"))[:-1]:
        trunk.unlink()
    cli("solve", TINY, "--out-of-core", own, "-n", 3, "--json")


@cache
def _coder() -> RegretCoder:
    partition = Partition.of(cp.load(TINY))
    return RegretCoder(partition.build(0), (default_scale(partition.game.deck.hand_count),))


def _decode_block(path: Path, folder: Path) -> None:
    own, coder = folder / "one block", _coder()
    own.mkdir(exist_ok=True)
    shutil.copy(path, own / BLOCK)
    game = HEADER.unpack_from((folder / "block.regrets").read_bytes())[FIELDS.index("game")]
    found = FolderBlocks(own, game).read(BlockName(0, 0, 2))
    coder.decode(found.regrets, 0, Profile(coder.game), BLOCK)


def _run_script(path: Path, folder: Path) -> None:
    from counterpoise.upi.loop import converse
    from counterpoise.upi.session import MISTAKE

    said = io.StringIO()
    converse(io.BytesIO(path.read_bytes()), said)
    assert MISTAKE not in said.getvalue(), said.getvalue()[-600:]


def _in_library(name: str, content: Any, use: Callable[[Any], object]) -> Sample:
    def make(path: Path, folder: Path) -> None:
        path.write_text(json.dumps(content))

    def put(path: Path, folder: Path) -> None:
        from counterpoise.web.library import Library

        library = Library(folder / "library")
        (library.root / "spots" / "a.toml").write_text(SPOT)
        shutil.copy(path, library.root / name)
        use(library)

    return _sample("library", make, put)


def _tag(library: Any) -> None:
    library.entries()
    library.tag("spots/a.toml", ["three"])


def _count(library: Any) -> None:
    from counterpoise.web.solutions import Solutions
    from counterpoise.web.trainer import Trainer

    Trainer(library, Solutions(library, 100.0)).statistics()


ID = "20260102-030405-0123abcd"
"""Of the job and of the table whose files are broken."""


def _put(path: Path, own: Path, name: str) -> Path:
    """Return a folder that holds a copy of a file alone, under a name."""
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    shutil.copy(path, own / name)
    return own


def _make_job(path: Path, folder: Path) -> None:
    from counterpoise.web.jobs.requests import SolveSpot
    from counterpoise.web.jobs.state import JobState, TraceRow

    spot = cp.Spot(board="Qs Jh 2h 8d 3c", pot=10, stack=20, oop="AA,KK", ip="AA,TT", river={"bet": ["100%"]})
    state = JobState(id=ID, request=SolveSpot(spot=spot, iterations=5), status="running", created=1.7e9, memory_mb=3)
    state.trace.append(TraceRow(iteration=1, exploitability=0.5, nodes_touched=9, seconds=0.1))
    state.files["result"] = f"jobs/{ID}/result.cpz"
    state.save(folder)
    (folder / "job.json").replace(path)


def _find_job(path: Path, folder: Path) -> None:
    """A server finds the job of an earlier one, shows it, and lets it go on."""
    from counterpoise.web.jobs.jobs import JobLimits, Jobs
    from counterpoise.web.library import Library

    place = folder / "library of a job"
    _put(path, place / "jobs" / ID, "job.json")
    library = Library(place)
    jobs = Jobs(library, JobLimits(at_once=0))
    library.entries()
    try:
        for state in jobs.list():
            state.model_dump_json()
            jobs.resume(state.id)
            jobs.stop(state.id)
    finally:
        jobs.close()


def _make_order(path: Path, folder: Path) -> None:
    from counterpoise.web.jobs.requests import JobOrder, RaceGame

    race = RaceGame(game="kuhn_poker", algorithms=["cfr"], iterations=2)
    order = JobOrder(request=race, paths={"game": "kuhn_poker"}, memory_mb=100, seconds=60)
    order.save(folder)
    (folder / "order.json").replace(path)


def _read_order(path: Path, folder: Path) -> None:
    from counterpoise.web.jobs.requests import JobOrder

    JobOrder.load(_put(path, folder / "ordered", "order.json"))


def _make_session(path: Path, folder: Path) -> None:
    from counterpoise.web.play.models import NewSession, SessionView

    view = SessionView(id=ID, request=NewSession(agents=["random"], seed=3), created=1.7e9, open=True, unit="chips")
    path.write_text(view.model_dump_json())


def _find_session(path: Path, folder: Path) -> None:
    """A server finds the table of an earlier one, and says that it has ended."""
    from counterpoise.web.library import Library
    from counterpoise.web.play.sessions import Sessions

    place = folder / "library of a table"
    _put(path, place / "play" / ID, "session.json")
    sessions = Sessions(Library(place))
    for view in sessions.all():
        view.model_dump_json()
        sessions.leave(view.id)
        with contextlib.suppress(InputError):
            sessions.look(view.id)
            raise AssertionError("a table of an earlier server is not there any more")


def _make_seats(path: Path, folder: Path) -> None:
    from counterpoise.web.play.models import NewSession, SessionOrder

    request = NewSession(agents=["random"], game="kuhn_poker", seed=3)
    order = SessionOrder(
        request=request, game="kuhn_poker", agents=["random"], seed=3, library=str(folder), memory_mb=600
    )
    order.save(folder)
    (folder / "order.json").replace(path)


def _read_seats(path: Path, folder: Path) -> None:
    from counterpoise.web.play.models import SessionOrder

    SessionOrder.load(_put(path, folder / "ordered", "order.json"))


def _sample(kind: str, make: Callable[[Path, Path], None], *uses: Callable[[Path, Path], None]) -> Sample:
    return Sample(kind, make, uses[0], uses)


OTHERS: dict[str, Sample] = {
    "spot.toml": _sample("spot", _text(SPOT), command("spot", "{file}", "-n", 2, "--threads", 1), take_in),
    "spot.json": _sample(
        "spot",
        lambda path, folder: cp.Spot(
            board="Qs Jh 2h 8d 3c", pot=10, stack=20, oop="AA,KK", ip="AA,TT", river={"bet": ["100%"]}
        ).save(path),
        command("spot", "{file}", "-n", 2, "--threads", 1),
        take_in,
    ),
    "log.jsonl": _sample(
        "log",
        _play("log", GAME),
        command("judge", "{file}"),
        command("exploit", GAME, "--portfolio", "{file}", "--types", 1, "-n", 2),
        command("exploit", GAME, "--opponent", "{file}", "--agent", "random", "-n", 2),
    ),
    "log.phhs": _sample("log", _play("log"), command("judge", "{file}")),
    "log.log": _sample("log", _play("log"), command("judge", "{file}")),
    "match.results": _sample("results", _play("results"), _continue_match),
    "runs.json": _sample("runs", _make_runs, _show_runs),
    "match of an arena": _arena_file(".results"),
    "figures of an arena": _arena_file(".json"),
    "rules.game": _sample("game", lambda path, folder: _save_game(path), command("acpc", "game", "{file}")),
    "tree.efg": _sample(
        "game", _text(EFG), command("solve", "{file}", "-n", 2), command("tree", "{file}", "--json"), take_in
    ),
    "cards.toml": _sample("cards", _text(CARDS), command("abstraction", "{file}", "--estimate")),
    "script.txt": _sample("script", _text(SCRIPT), _run_script),
    "tags.json": _in_library("tags.json", {"spots/a.toml": ["one", "two"]}, _tag),
    "trainer.json": _in_library("trainer.json", [ANSWER, ANSWER], _count),
    "job.json": _sample("job", _make_job, _find_job),
    "order of a job": _sample("order", _make_order, _read_order),
    "session.json": _sample("session", _make_session, _find_session),
    "order of a table": _sample("order", _make_seats, _read_seats),
    "block.regrets": _sample("block", _make_block, _continue_from_block, _decode_block),
}


def _save_game(path: Path) -> None:
    from counterpoise.acpc.gamefile import format_game

    path.write_text(format_game(cp.load("limit_holdem")))


def other_changes(name: str, raw: bytes) -> list[Broken]:
    """Return all changes of a file."""
    return list(block_changes(raw) if name.endswith(".regrets") else text_changes(raw))


def made_other(folder: Path, name: str) -> Path:
    """Return the file of a sample in a folder, where it is made when it is first asked for."""
    path = folder / name
    if not path.exists():
        OTHERS[name].make(path, folder)
    return path
