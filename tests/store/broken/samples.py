"""A small file of every kind, what loads it, and the commands that take it.

`made` writes them; what loads and uses them is run in the child process of `child.py`.
"""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import counterpoise as cp
from counterpoise.cards import Deck
from counterpoise.cli.app import DONE, MISSED, WRONG_INPUT
from counterpoise.errors import Diverged, InputError

LIMIT = "limit_holdem(ranks=4, max_bets=1)"
NO_LIMIT = "no_limit_holdem(ranks=4, board=[0, 3], stack=6, sizes=['100%', 'allin'])"
FLOP = "limit_holdem(board=[0, 3], ranks=4)"
TINY = "limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=1)"
DICE = "liars_dice(faces=2)"
ALGORITHMS = ("cfr+", "es-mccfr", "os-mccfr", "cfr-br", "hedge", "cfr/total-rbp", "egt", "fp")
DEEP = "traversals=20, steps=2, batch=8, policy_steps=2, hidden=[4], memory=60"
METHODS = {
    "deep-cfr": ("kuhn_poker", f"deep-cfr({DEEP})"),
    "single-deep-cfr": ("kuhn_poker", f"single-deep-cfr({DEEP})"),
    "nfsp": ("kuhn_poker", "nfsp(episodes=16, updates=2, batch=8, hidden=[4], transitions=50, memory=50)"),
    "rebel": (DICE, "rebel(updates=4, width=4, games=2, play_throughs=1)"),
}
SPOT = """
board = "Qs Jh 2h 8d 3c"
pot = 10
stack = 20
oop = "AA,KK,QJs"
ip = "AA,TT,QJs"
[river]
bet = ["100%"]
raise = ["allin"]
"""


def cli(*words: object) -> None:
    """Run a command in this process; wrong input is an `InputError`, any other failure what it is.

    The sentence about wrong input is the last line on standard error, and the only one of its kind. Exit code 1 with
    such a sentence is that of a training that has `Diverged`; no command here has a target that it could miss.
    """
    from counterpoise.cli import app

    told = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(told):
        try:
            app(args=[str(word) for word in words], prog_name="counterpoise")
        except SystemExit as end:
            code = end.code
    lines = told.getvalue().splitlines()
    errors = [number for number, line in enumerate(lines) if line.startswith("error: ")]
    if code == WRONG_INPUT and errors == [len(lines) - 1]:
        raise InputError(lines[-1])
    if code == MISSED and errors == [len(lines) - 1]:
        raise Diverged(lines[-1])
    if code not in (DONE, None):
        raise RuntimeError(f"exit code {code}: {told.getvalue()}")


def command(*words: object) -> Callable[[Path, Path], None]:
    """Return a use: a command in whose words {file} is the file and {folder} the folder of all samples."""

    def use(path: Path, folder: Path) -> None:
        cli(*(word.format(file=path, folder=folder) if isinstance(word, str) else word for word in words))

    return use


def take_in(path: Path, folder: Path) -> None:
    """Check a file as the process does that checks uploads."""
    from counterpoise.web.library_files import check_file

    check_file(path, arrays=True)


@dataclass(frozen=True)
class Sample:
    """A file, how it is loaded and what it is used for."""

    kind: str
    make: Callable[[Path, Path], None]
    """Writes it, given the path and the folder of all samples, in which those before it are."""
    load: Callable[[Path, Path], Any]
    uses: tuple[Callable[[Path, Path], Any], ...]
    after: str = ""
    """The sample whose file it is made from."""
    needs_jax: bool = False


def _abstraction(name: str, *buckets: int, **settings: Any) -> Callable[[Path, Path], None]:
    def make(path: Path, folder: Path) -> None:
        cp.abstraction(
            name, buckets, deck=Deck(4), sample=1000, cache=folder, progress=False, threads=1, **settings
        ).save(path)

    return make


def _step(what: str) -> Sample:
    """Return a finished step of a build; whatever is wrong with it, the build makes it again."""
    build = _abstraction("IR-KE-KO", 3, 4, 4)

    def cache(folder: Path) -> Path:
        return folder / f"steps {what}"

    def make(path: Path, folder: Path) -> None:
        build(folder / "built.cpz", cache(folder))
        steps = (cache(folder) / "abstraction").glob(f"*-{what}-*.cpz")
        largest = max(steps, key=lambda step: step.stat().st_size)
        (cache(folder) / "largest").write_text(largest.name)
        shutil.copy(largest, path)

    def use(path: Path, folder: Path) -> None:
        shutil.copy(path, cache(folder) / "abstraction" / (cache(folder) / "largest").read_text())
        build(folder / "built.cpz", cache(folder))

    return Sample("abstraction step", make, use, (use,))


def _load_abstraction(path: Path, folder: Path) -> Any:
    from counterpoise.abstraction.table import CardAbstraction

    return CardAbstraction.load(path)


def _look(path: Path, folder: Path) -> None:
    found = _load_abstraction(path, folder)
    for board in ("", "As Kd Qc", "As Kd Qc Jh", "As Kd Qc Jh Jd"):
        found.row(board)
        found.bucket("AhKh", board)


def _train(method: str) -> Callable[[Path, Path], None]:
    def use(path: Path, folder: Path) -> None:
        out = folder / "trained.cpz"
        cli("train", LIMIT, "--method", method, "--abstraction", path, "-n", 4, "--threads", 1, "--out", out)

    return use


def _make_no_limit(path: Path, folder: Path) -> None:
    _uniform_blueprint(folder).save(path)
    words = (f"blueprint:{path}", "random", "--hands", 20, "--log", folder / "no limit.jsonl")
    cli("match", *words)


def _make_blueprint(path: Path, folder: Path) -> None:
    words = ("--abstraction", folder / "ko.cpz", "-n", 20, "--threads", 1)
    cli("train", LIMIT, *words, "--out", path)


def _make_training(path: Path, folder: Path) -> None:
    words = ("--abstraction", folder / "public.cpz", "-n", 4, "--threads", 1)
    cli("train", LIMIT, "--method", "clusters", *words, "--out", folder / "clustered.cpz")
    _checkpoint(folder / "clustered.cpz").rename(path)


def _checkpoint(out: Path) -> Path:
    from counterpoise.store.files import checkpoint_of

    return checkpoint_of(out)


def _load_training(path: Path, folder: Path) -> Any:
    from counterpoise.blueprint.checkpoint import read_checkpoint

    return read_checkpoint(path)


def _resume_training(path: Path, folder: Path) -> None:
    cli("train", "--resume", _as_checkpoint(path), "-n", 8, "--threads", 1, "--out", folder / "resumed.cpz")


def _as_checkpoint(path: Path) -> Path:
    """Return a copy of a file whose name is one of checkpoints."""
    return Path(shutil.copy(path, _checkpoint(path.parent / "copied.cpz")))


def _load_blueprint(path: Path, folder: Path) -> Any:
    from counterpoise.blueprint.files import load_blueprint

    return load_blueprint(path)


def _match(agent: str, game: str) -> Callable[[Path, Path], None]:
    return command("match", f"{agent}:{{file}}", "random", "--game", game, "--hands", 4)


def _run(algorithm: str) -> Sample:
    def make(path: Path, folder: Path) -> None:
        cp.solve("kuhn_poker", algorithm, iterations=3, progress=False).save(path)

    uses = (EVALUATE, command("solve", "--resume", "{file}", "-n", 5), *(OF_STRATEGIES if algorithm == "cfr+" else ()))
    return Sample("run", make, lambda path, folder: cp.load_run(path), (*uses, take_in))


EVALUATE = command("evaluate", "{file}")
IMPROVING = ("{folder}/no limit.jsonl", "--hands", 20, "--out", "{folder}/improved.cpz")
OF_STRATEGIES = (
    command("match", "strategy:{file}", "random", "--game", "kuhn_poker", "--hands", 4),
    command("tree", "kuhn_poker", "--strategy", "{file}", "--json"),
    command("best-response", "kuhn_poker", "--agent", "strategy:{file}"),
    command("exploit", "kuhn_poker", "--opponent", "{file}", "-n", 2),
    command("exploit", "kuhn_poker", "--opponent", "random", "--truth", "{file}", "-n", 2),
    command("solve", "kuhn_poker", "--warm-start", "{file}", "--warm-iterations", 2, "-n", 4),
)
"""What commands do with the strategy of a file, whatever else it holds."""
OF_SPOTS = (
    command("spot", "{file}", "--node", "r:0", "--json"),
    command("spot", "--resume", "{file}", "-n", 12, "--threads", 1),
    command("spot", "{folder}/spot.toml", "--warm-start", "{file}", "-n", 3, "--threads", 1),
    command("search", "{file}", "--node", "r:0", "--method", "unsafe", "-n", 2),
    command("match", "spot:{file}", "random", "--hands", 4),
)
OF_ABSTRACTIONS = (
    command("abstraction", "{file}"),
    command("abstraction", "{file}", "--board", "As Kd Qc Jh", "--hand", "AhKh", "--json"),
    command("abstraction", "--compare", "{file}", "{folder}/ko.cpz"),
)
OF_BRANCHES = (
    command("improve", "{folder}/no limit.cpz", *IMPROVING, "--branches", "{file}"),
    command("match", "libratus:{folder}/no limit.cpz(branches='{file}')", "random", "--hands", 1, "--seed", 1),
)
OF_BLUEPRINTS = (
    _match("blueprint", LIMIT),
    command("lbr", "blueprint:{file}", "--hands", 4),
    command("best-response", LIMIT, "--agent", "blueprint:{file}", "--estimate"),
    command("evaluate", "blueprint:{file}", "--game", LIMIT),
)


def _make_spot(path: Path, folder: Path) -> None:
    (folder / "spot.toml").write_text(SPOT)
    cli("spot", folder / "spot.toml", "-n", 10, "--threads", 1, "--out", path)


def _make_portfolio(path: Path, folder: Path) -> None:
    from counterpoise.exploit.enumerated.portfolio import Member, Portfolio

    strategy = cp.solve("kuhn_poker", "cfr", iterations=3, progress=False).strategy
    members = [Member(name, strategy, "rnr(p=0)", (), 0, 0.0, 0.1) for name in ("equilibrium", "other")]
    Portfolio("kuhn_poker", tuple(members)).save(path)


def _load_portfolio(path: Path, folder: Path) -> Any:
    from counterpoise.exploit.enumerated.portfolio import load_portfolio

    return load_portfolio(path)


def _make_growth(path: Path, folder: Path) -> None:
    from counterpoise.solvers.saef import ContinuousLeduc, grow_abstraction

    grow_abstraction(ContinuousLeduc(rounds=1), iterations=20, progress=False).save(path)


def _load_growth(path: Path, folder: Path) -> Any:
    from counterpoise.solvers.saef.result import load_growth

    return load_growth(path)


def _grow(path: Path, folder: Path) -> None:
    from counterpoise.solvers.saef import grow_abstraction

    grow_abstraction(resume=path, iterations=22, seconds=0.2, progress=False)


def _walk(path: Path, folder: Path) -> None:
    agent = f"blueprint:{folder / 'flop.cpz'}"
    cli("best-response", FLOP, "--agent", agent, "--threads", 1, "--resume", path)


def _make_walk(path: Path, folder: Path) -> None:
    _uniform_blueprint(folder, FLOP).save(folder / "flop.cpz")
    _walk(path, folder)


def _trunk(path: Path, folder: Path) -> None:
    own = folder / "continued out of core"
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(folder / "out of core", own)
    shutil.copy(path, own / "trunk-0000000002.cpz")
    cli("solve", TINY, "--out-of-core", own, "-n", 2, "--json")


def _make_trunk(path: Path, folder: Path) -> None:
    own = folder / "out of core"
    cli("solve", TINY, "--out-of-core", own, "-n", 1, "--json")
    (own / "trunk-0000000001.cpz").unlink()
    shutil.copy(own / "trunk-0000000002.cpz", path)


def _make_value_network(path: Path, folder: Path) -> None:
    from counterpoise.deep.files import Trained
    from counterpoise.deep.networks import new_network
    from counterpoise.deep.rebel.learner import value_shape
    from counterpoise.deep.rebel.method import Rebel, belief_game

    rules, method = cp.load(DICE), Rebel(updates=4, width=4, play_throughs=1)
    shape = value_shape(belief_game(rules), method.settings_for(rules))
    network = new_network(shape, np.random.default_rng(0))
    Trained(DICE, method.name, {"values": network}, {"seed": 0}).save(path)


def _make_policy_networks(path: Path, folder: Path) -> None:
    from counterpoise.deep.enumerated import EnumeratedGame
    from counterpoise.deep.files import Trained
    from counterpoise.deep.networks import MlpShape, new_network
    from counterpoise.deep.samplers import as_sampled

    game: Any = as_sampled(cp.load("kuhn_poker"))
    assert isinstance(game, EnumeratedGame)
    shape = MlpShape(inputs=game.inputs, hidden=(4,), outputs=len(game.actions))
    networks = {name: new_network(shape, np.random.default_rng(0)) for name in ("average0", "average1")}
    strategy = cp.solve("kuhn_poker", "cfr", iterations=3, progress=False).strategy
    Trained("kuhn_poker", "nfsp", networks, {"seed": 0}, strategy).save(path)


def _load_networks(path: Path, folder: Path) -> Any:
    from counterpoise.deep.files import load_networks

    return load_networks(path)


def _network_training(method: str) -> Sample:
    game, settings = METHODS[method]

    def make(path: Path, folder: Path) -> None:
        out = folder / f"{method}-networks.cpz"
        cli("train", game, "--method", settings, "-n", 1, "--out", out)
        _checkpoint(out).rename(path)

    def resume(path: Path, folder: Path) -> None:
        cli("train", "--resume", _as_checkpoint(path), "-n", 2, "--out", folder / "resumed-networks.cpz")

    return Sample("network training", make, resume, (resume, take_in), needs_jax=True)


def _uniform_blueprint(folder: Path, rules: str = NO_LIMIT) -> Any:
    from counterpoise.blueprint.blueprint import Blueprint

    found = cp.abstraction("IR-PHS-PHS", (3, 4), deck=Deck(4), sample=1000, cache=folder, progress=False, threads=1)
    game: Any = cp.load(rules)
    return Blueprint.uniform(game, found)


def _make_branches(path: Path, folder: Path) -> None:
    from counterpoise.blueprint.blueprint import Blueprint, layout_of
    from counterpoise.blueprint.branches import BlueprintBranches, Branch
    from counterpoise.sampling.situations import SituationRules, SituationTree

    blueprint = _uniform_blueprint(folder)
    tree = SituationTree(SituationRules(blueprint.game, (), (300,)))
    table = np.zeros(layout_of(tree, blueprint.abstractions).size, dtype=np.uint8)
    answer = Blueprint(blueprint.game, blueprint.abstractions, table, tree=tree)
    BlueprintBranches(blueprint, (Branch("defensive", answer),)).save(path)


def _load_branches(path: Path, folder: Path) -> Any:
    from counterpoise.blueprint.branches import load_branches

    return load_branches(path, _uniform_blueprint(folder))


def _answer(path: Path, folder: Path) -> None:
    for branch in _load_branches(path, folder).every:
        branch.behaviour((*branch.line, f"b{branch.total}"))


def _make_leaf_values(path: Path, folder: Path) -> None:
    from counterpoise.sampling.leaf_values.hand_classes import hand_classes
    from counterpoise.search.round_continuations import RoundSettings
    from counterpoise.search.round_files import save_round_table
    from counterpoise.search.round_table import RoundTable

    blueprint = _uniform_blueprint(folder)
    classes = int(hand_classes(blueprint.game.deck).max()) + 1
    means = np.ones((len(blueprint.tree.round_exits(0)), classes, classes), dtype=np.float32)
    table = RoundTable(blueprint.tree, {(0, 0): means, (1, 0): means})
    save_round_table(table, path, blueprint.digest, RoundSettings())


def _load_leaf_values(path: Path, folder: Path) -> Any:
    from counterpoise.search.round_files import load_round_table

    blueprint = _uniform_blueprint(folder)
    return load_round_table(path, blueprint.tree, blueprint.digest)


def _pick(path: Path, folder: Path) -> None:
    _load_leaf_values(path, folder).picked_by(0)


def _examples(path: Path, folder: Path) -> Any:
    from counterpoise.deep.leaves.checkpoint import ExamplesFile

    return ExamplesFile(path, {"seed": 0}).read()


def _make_examples(path: Path, folder: Path) -> None:
    from counterpoise.deep.leaves.checkpoint import ExamplesFile
    from counterpoise.deep.leaves.examples import LeafExamples
    from counterpoise.deep.leaves.features import FEATURES, PICKS

    inputs, targets = (np.zeros(shape, dtype=np.float32) for shape in ((3, FEATURES), (3, 2, PICKS)))
    ExamplesFile(path, {"seed": 0}).write(LeafExamples((inputs, inputs), (targets, targets)))


def _make_search(path: Path, folder: Path) -> None:
    cli("search", folder / "spot.cpz", "--node", "r:0", "--method", "unsafe", "-n", 10, "--out", path)


def _match_leaf_values(path: Path, folder: Path) -> None:
    """Let modicum play, which reads the values beside its blueprint."""
    from counterpoise.agents.leaf_values import leaves_path

    blueprint = Path(shutil.copy(folder / "no limit.cpz", folder / "with values.cpz"))
    shutil.copy(path, leaves_path(str(blueprint)))
    cli("match", f"modicum:{blueprint}", "random", "--hands", 1, "--seed", 1)


SAMPLES: dict[str, Sample] = {
    "ko": Sample(
        "abstraction",
        _abstraction("IR-KE-KO", 3, 4, 4, 4),
        _load_abstraction,
        (_look, *OF_ABSTRACTIONS, _train("external"), take_in),
    ),
    "public": Sample(
        "abstraction",
        _abstraction("IR-PHS-PHS", 3, 4, 4, 4, public=2),
        _load_abstraction,
        (_look, *OF_ABSTRACTIONS, _train("clusters"), _train("vector"), take_in),
        after="ko",
    ),
    "recall": Sample(
        "abstraction",
        _abstraction("PR-KE-PHS", 2, 2, 2, 2),
        _load_abstraction,
        (_look, *OF_ABSTRACTIONS, _train("external"), take_in),
        after="ko",
    ),
    **{f"step of {what}": _step(what) for what in ("clusters", "street")},
    "blueprint": Sample("blueprint", _make_blueprint, _load_blueprint, (*OF_BLUEPRINTS, take_in), after="ko"),
    "no limit": Sample("blueprint", _make_no_limit, _load_blueprint, (command("improve", "{file}", *IMPROVING),)),
    "training": Sample("training", _make_training, _load_training, (_resume_training, take_in), after="public"),
    "strategy": Sample(
        "strategy",
        lambda path, folder: cp.solve("kuhn_poker", "cfr", iterations=3, progress=False).strategy.save(path),
        lambda path, folder: cp.load_strategy(path),
        (EVALUATE, *OF_STRATEGIES, take_in),
    ),
    **{f"run {algorithm}": _run(algorithm) for algorithm in ALGORITHMS},
    "spot": Sample(
        "spot",
        _make_spot,
        lambda path, folder: cp.load_solution(path),
        (*OF_SPOTS, take_in),
    ),
    "search": Sample(
        "search",
        _make_search,
        lambda path, folder: cp.load_search(path),
        (
            command("search", "{file}", "--json"),
            command("search", "{file}", "--method", "unsafe", "-n", 2),
            take_in,
        ),
        after="spot",
    ),
    "portfolio": Sample("portfolio", _make_portfolio, _load_portfolio, (_match("implicit", "kuhn_poker"), take_in)),
    "growth": Sample("growth", _make_growth, _load_growth, (_grow, take_in)),
    "walk": Sample("best response", _make_walk, _walk, (_walk, take_in)),
    "trunk": Sample("trunk", _make_trunk, _trunk, (_trunk, take_in)),
    "values": Sample("networks", _make_value_network, _load_networks, (EVALUATE, _match("rebel", DICE), take_in)),
    "policies": Sample("networks", _make_policy_networks, _load_networks, (EVALUATE, *OF_STRATEGIES, take_in)),
    "branches": Sample(
        "branch set",
        _make_branches,
        _load_branches,
        (_answer, *OF_BRANCHES, take_in),
        after="no limit",
    ),
    "leaf values": Sample(
        "leaf values", _make_leaf_values, _load_leaf_values, (_pick, _match_leaf_values, take_in), after="no limit"
    ),
    "examples": Sample("leaf examples", _make_examples, _examples, (_examples,)),
    **{method: _network_training(method) for method in METHODS},
}


def made(folder: Path, name: str) -> Path:
    """Return the file of a sample in a folder, where it is made when it is first asked for."""
    path = folder / f"{name.replace('/', '-')}.cpz"
    if not path.exists():
        if SAMPLES[name].after:
            made(folder, SAMPLES[name].after)
        SAMPLES[name].make(path, folder)
    return path
