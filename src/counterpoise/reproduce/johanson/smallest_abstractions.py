"""Johanson 2016, figure 4.11: CFR-BR in two and three buckets per round of whole limit hold'em.

The strategies are trained against a responder with a trunk of two rounds, over boards that are dealt, and are judged by
best responses over a stratified sample of flops. The source ran 48 cores for days; here both take some minutes, so that
what depends on convergence is decided only by a run of many hours (`--seconds`).
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.abstraction import CardAbstraction, abstraction
from counterpoise.abstraction.sizes import abstraction_size
from counterpoise.blueprint import Blueprint, TrainSettings
from counterpoise.blueprint.blueprint import BlueprintPlayer
from counterpoise.blueprint.train import TrainingRun
from counterpoise.evaluation.best_response.answer import WalkPlan, answer_players
from counterpoise.games import load
from counterpoise.games.holdem import LimitHoldem
from counterpoise.jobs import Limits
from counterpoise.jobs.pieces import Work
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Interval, IntervalVerdict, Verdict, below, inside, settled
from counterpoise.sampling import build_betting_tree
from counterpoise.sampling.responder import responder_bytes
from counterpoise.sampling.tables import TableLayout

SECONDS = 120.0
"""What training takes in all unless told otherwise."""
HALF, WHOLE = "half", "whole"
FLOPPY = 1_440_000
"""Bytes of a floppy disk of 1.44 MB."""
EXACT = 0.01
"""By which share a figure that stands for a printed one may differ from it."""


def smallest(
    lab: Lab, game: str = "limit_holdem", counts: tuple[int, ...] = (2, 3), flops: int | None = 4
) -> Iterator[Declared]:
    """Train each abstraction for half of its time, judge it, and again; without `flops` best responses are exact."""
    known, found = lab.published("cfr_br")["smallest"], Figures(missing="{} was not judged")
    rules, published = load(game), load("limit_holdem")
    assert isinstance(rules, LimitHoldem)
    assert isinstance(published, LimitHoldem)
    with lab.stoppable():
        for count in counts:
            lab.begin(f"{count} buckets")
            rounds = len(rules.board)
            made = abstraction(
                "PR-PHS-PHS", [count] * rounds, deck=rules.deck, progress=lab.progress, cancel=lab.cancel
            )
            _train(lab, rules, made, count, flops, found)
    sizes = {count: abstraction_size([count**k for k in range(1, 5)]) for count in counts}
    tree = build_betting_tree(published)
    trunk, _ = responder_bytes(tree, TableLayout.of(tree, [1] * tree.rounds), 2)

    def told(count: int, when: str) -> str:
        return str(found[count, when])

    yield by_row(
        f"CFR-BR in {rules.name}, mbb/g by best responses, and boards dealt",
        "buckets per round",
        counts,
        {
            "information sets": (
                lambda count: f"{sizes[count].total_infosets:,}",
                lambda count: f"{known['infosets'][count]:,}",
            ),
            "after half the time": lambda count: told(count, HALF),
            "exploitability": (
                lambda count: told(count, WHOLE),
                lambda count: f"{known['exploitability'][count]:.3f}",
            ),
            "boards": lambda count: f"{found[count, 'boards']:,}",
        },
    )

    def same_size() -> Verdict:
        ours = {count: size.total_infosets for count, size in sizes.items()}
        return all(known["infosets"][count] == size for count, size in ours.items()), str(ours)

    def fits() -> Verdict:
        pairs = [size.total_pairs for size in sizes.values()]
        return max(pairs) <= FLOPPY, f"{max(pairs):,} probabilities of a byte each"

    def memory() -> Verdict:
        printed = known["trunk_mb"]
        return abs(trunk / 1e6 - printed) <= EXACT * printed, f"{trunk / 1e6:.2f} MB, printed {printed} MB"

    def level(count: int) -> Interval:
        """Return the exploitability of a strategy that more training no longer changes much."""
        half, whole = found[count, HALF], found[count, WHOLE]
        settled(half.mean, whole.mean, f"CFR-BR in {count} buckets")
        return Interval(whole.mean, whole.half, whole.size, "flops")

    def reached(count: int) -> IntervalVerdict:
        printed = known["exploitability"][count]
        return inside(level(count), (1 - EXACT) * printed, (1 + EXACT) * printed)

    def ordered() -> IntervalVerdict:
        few, more = level(counts[0]), level(counts[-1])
        gap = Interval(more.mean - few.mean, more.half + few.half, few.size, "flops")
        return below(gap, 0.0, f"{few} and {more}")

    yield Claim("sizes", same_size)
    yield Claim("floppy", fits)
    yield Claim("trunk", memory)
    for count in counts:
        yield Claim("reached", reached, count, about=f"{count} buckets")
    yield Claim("larger-better", ordered)


def _train(lab: Lab, game: LimitHoldem, made: CardAbstraction, count: int, flops: int | None, found: Figures) -> None:
    """Train one abstraction in two halves of its time and judge it after each."""
    run = TrainingRun.begin(game, made, TrainSettings(method="cfr-br"), Work(progress=lab.progress, cancel=lab.cancel))
    for when in (HALF, WHOLE):
        trained = run.go(Limits(seconds=(lab.seconds or SECONDS) / 4))
        found[count, "boards"] = trained.iterations
        lab.check()
        found[count, when] = _judge(lab, trained.blueprint, f"CFR-BR in {count} buckets", flops)
        lab.data[f"{count} buckets, {when}"] = {
            "boards": trained.iterations,
            "exploitability": found[count, when].mean,
            "half_width": found[count, when].half,
            "memory_mb": trained.memory_mb,
        }


def _judge(lab: Lab, blueprint: Blueprint, name: str, flops: int | None) -> Interval:
    """Return what best responses win from a strategy, in mbb/g."""
    players = [BlueprintPlayer(blueprint, seat) for seat in range(2)]
    judged = answer_players(
        blueprint.game, players, name, plan=WalkPlan(flops=flops), progress=lab.progress, cancel=lab.cancel
    )
    lab.check()  # one that was stopped says nothing
    return Interval(judged.exploitability, judged.half_width or 0.0, judged.flops or 0, "flops")
