"""Johanson 2016, figure 4.11 on sixteen cards and two rounds: sizes are decided, levels only once they are settled."""

import pytest

from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.reproduce import EXPERIMENTS
from counterpoise.reproduce.harness.verdicts import Reason

SMALL = "limit_holdem(board=[0, 3], ranks=4, max_bets=2)"


@pytest.mark.slow
def test_what_is_decided_and_what_is_not(perform) -> None:
    """Information sets, bytes and the trunk are as printed; a level that training still moves decides nothing."""
    report = perform("johanson-4.11", game=SMALL, flops=None, seconds=2.0)
    verdicts = {claim.id: claim for claim in report.claims}
    assert [verdicts[id].holds for id in ("sizes", "floppy", "trunk")] == [True, True, True]
    levels = report.data["2 buckets, half"], report.data["2 buckets, whole"]
    assert levels[1]["boards"] > levels[0]["boards"]
    moved = abs(levels[1]["exploitability"] / levels[0]["exploitability"] - 1)
    reached = verdicts["2-buckets-reached"]
    assert reached.holds is (None if moved >= 0.02 else False)  # another game is not exploitable for as much
    if moved >= 0.02:
        assert reached.reason == Reason.UNSETTLED
    assert len(report.claims) == 6


@pytest.mark.slow
def test_an_estimate_has_an_interval(perform) -> None:
    """With some flops alone the level is an interval, and the tables say of how many flops."""
    report = perform("johanson-4.11", game=SMALL, counts=(2,), flops=4, seconds=1.0)
    assert report.data["2 buckets, whole"]["half_width"] > 0
    assert "(4 flops)" in report.tables[0].rows[0][-3]


@pytest.mark.slow
def test_a_stop_while_it_is_judged_leaves_a_report() -> None:
    """Ctrl-C in a best response: sizes are decided, the level was not measured."""
    token = CancelToken()

    class Stops(SilentProgress):
        def begin(self, job: str) -> None:
            if job.startswith("best response"):
                token.cancel()

    report = EXPERIMENTS["johanson-4.11"].run(Stops(), cancel=token, seconds=1.0, game=SMALL, flops=4)
    verdicts = {claim.id: claim for claim in report.claims}
    assert report.interrupted
    assert verdicts["sizes"].holds
    assert verdicts["2-buckets-reached"].reason == Reason.NOT_MEASURED
