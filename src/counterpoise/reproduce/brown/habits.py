"""Brown 2020, section 6.6: what Pluribus' strategy does otherwise than people: no limps but by the small blind, and
donk bets.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.blueprint.duels import packed_average, play_visits
from counterpoise.blueprint.frequencies import Rate, donk_rate, limp_rates
from counterpoise.reproduce.brown.blueprints import DEAL_SEED, BlueprintSetting
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict


def limps_and_donks(
    lab: Lab, game: str, hands: int = 480_000, snapshots: int = 6, deals: int = 100_000, period: int | None = None
) -> Iterator[Declared]:
    """Train a blueprint for six seats and measure how often its snapshots limp and donk-bet, hands doubling."""
    marks = [hands // 2**k for k in reversed(range(snapshots))]
    limps, donks = Figures(), Figures()
    with lab.stoppable():
        setting = BlueprintSetting.of(lab, game, deals, period)
        small_blind = setting.tree.players - 1 if setting.tree.players == 2 else 0
        lab.begin("snapshots")
        run = setting.begin(0)
        for mark in marks:
            run.walk_until(mark)
            visits = play_visits(run.walks, packed_average(run.walks), deals, DEAL_SEED)
            by_seat = limp_rates(setting.tree, visits)
            limps[mark, "small blind"] = by_seat.pop(small_blind)
            limps[mark, "others"] = sum(by_seat.values(), Rate(0, 0))
            donks[mark] = donk_rate(setting.tree, visits)
            lab.show(mark / hands, f"{mark:,} hands, others limp {limps[mark, 'others'].share:.1%}")
    lab.data["snapshots"] = [
        {
            "hands": mark,
            "limps_of_others": limps[mark, "others"].share,
            "limps_of_small_blind": limps[mark, "small blind"].share,
            "donk_bets": donks[mark].share,
        }
        for mark in marks
        if mark in donks
    ]
    yield by_row(
        "Share of the opportunities, 95 % intervals",
        "hands trained",
        marks,
        {
            "limps, small blind": lambda mark: told(limps[mark, "small blind"]),
            "limps, other seats": lambda mark: told(limps[mark, "others"]),
            "donk bets": lambda mark: told(donks[mark]),
        },
    )

    def falls() -> Verdict:
        first, last = limps[marks[0], "others"], limps[marks[-1], "others"]
        return last.share + 2 * (first.error + last.error) < first.share, f"from {told(first)} to {told(last)}"

    def only_small_blind() -> Verdict:
        own, others = limps[marks[-1], "small blind"], limps[marks[-1], "others"]
        return own.share - 2 * own.error > others.share + 2 * others.error, f"{told(own)} and {told(others)}"

    def gone() -> Verdict:
        last = limps[marks[-1], "others"]
        return last.share < 0.05, told(last)

    def donk_bets() -> Verdict:
        last = donks[marks[-1]]
        return last.share > 0.05, f"{told(last)} of {last.opportunities:,} opportunities"

    yield Claim("limps-fall", falls)
    yield Claim("small-blind", only_small_blind)
    yield Claim("limps-gone", gone)
    yield Claim("donk-bets", donk_bets)


def told(rate: Rate) -> str:
    """Return a share in per cent with its interval."""
    return f"{rate.share:.1%} ± {1.96 * rate.error:.1%}"
