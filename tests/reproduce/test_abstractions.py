"""Johanson 2016, tables 5.3 to 5.5 and figures 2.3 to 11.4 on tiny games: what must hold whatever the size."""

import pytest

from counterpoise.public.buckets import gather
from counterpoise.reproduce.harness.report import Lab
from counterpoise.reproduce.johanson.abstraction_tables import AGENTS
from counterpoise.reproduce.johanson.abstractions import CFR, Study, refined

TINY = {"ranks": 3, "count": 2, "iterations": 64}


@pytest.fixture(scope="module")
def study() -> Study:
    return Study(Lab(), ranks=3)


def rows(report, at: int) -> dict[str, dict[str, str]]:
    """The rows of a table by their first cell."""
    table = report.tables[at].to_json()
    return {row[table["columns"][0]]: row for row in table["rows"]}


@pytest.mark.slow
def test_no_agent_wins_more_than_a_best_response(perform) -> None:
    """Winnings are exact: no agent takes more than a best response would, and what one wins another loses.

    Each seating is evaluated by itself, in single precision.
    """
    report = perform("johanson-5.3", **TINY)
    won = report.data["crosstable"]
    assert len(won) == 132
    runs = next(iter(report.data["runs"].values()))
    for one in AGENTS:
        exploitability = runs[f"{one}, {CFR}"]["trace"][-1]["exploitability"]
        for other in AGENTS:
            if one != other:
                assert won[f"{other} against {one}"] <= exploitability + 1e-4
                assert won[f"{other} against {one}"] == pytest.approx(-won[f"{one} against {other}"], abs=1e-3)
    assert any(abs(value) > 1 for value in won.values())


@pytest.mark.slow
def test_sizes_are_equal_and_published_figures_stand_beside_ours(perform) -> None:
    """Abstractions differ in size by less than a bucket of flop and turn, and table 5.4 has all 24 printed figures."""
    report = perform("johanson-5.4", **TINY)
    sizes = [int(row["infosets"].replace(",", "")) for row in rows(report, 0).values()]
    assert len(sizes) == 12
    assert max(sizes) - min(sizes) <= 48
    assert rows(report, 2)["KE-KO"]["IR, reference"] == "64.8"
    assert [claim.holds for claim in report.claims].count(None) == 0


def test_three_ways_to_spread_buckets(perform) -> None:
    """The same buckets per round without recall, or moved to early rounds, make a game of about the same size."""
    report = perform("johanson-5.5", **TINY)
    perfect, alike, moved = rows(report, 0).values()
    assert perfect["infosets"] == alike["infosets"] == "344"
    assert int(moved["infosets"]) <= 344


@pytest.mark.slow
def test_strict_refinement_is_no_more_exploitable(perform) -> None:
    """CFR-BR in a chain of perfect-recall abstractions that refine each other (Waugh's third theorem)."""
    report = perform("johanson-2.3", ranks=3, counts=(2,), iterations=2_048)
    assert report.claim("refined-br").holds


def test_refined_buckets_keep_recall_and_both_partitions(study: Study) -> None:
    """Hands that share a refined bucket share one of each, and perfect recall is kept."""
    coarse, other = (gather(study.game, study.build(study.perfect("PHS", "PHS", count))) for count in (2, 3))
    fine = refined(coarse, other, study.game)
    assert fine.remember(study.game)
    assert (fine.count >= coarse.count).all()
    last = int(study.game.boards.begin[0, study.game.street_of.argmax()])
    for one in (coarse, other):
        turns = slice(last, int(study.game.boards.begin[1, 0]))
        pairs = set(zip(fine.bucket_of_hand[turns].tolist(), one.bucket_of_hand[turns].tolist(), strict=True))
        assert len(pairs) == len({bucket for bucket, _ in pairs})


def test_perfect_and_imperfect_recall_are_paired_by_size(study: Study) -> None:
    """The tables' abstractions are as large as the largest that fits into the size of perfect recall."""
    entry = Study(Lab()).equal("KE", "KO", 8)
    assert entry.buckets == (25, 398, 398)
    assert Study(Lab()).size(8) == 19_232
    assert study.moved("PHS", "PHS", 4).buckets[0] == 9


@pytest.mark.parametrize(
    ("id", "sizes", "curves"),
    [
        ("johanson-2.4", {"counts": (3,), "public": 2}, 4),
        ("johanson-2.6", {"counts": (2,)}, 3),
        ("johanson-4.10", {"count": 3}, 3),
        ("johanson-5.4-sizes", {"counts": (2, 3)}, 8),
        ("johanson-11.3", {"counts": (3,)}, 6),
        ("johanson-11.4", {"buckets": (5, 20)}, 5),
    ],
)
def test_figures_judge_all_their_claims(perform, id: str, sizes: dict[str, object], curves: int) -> None:
    """Every family is solved at every size, and no claim is left untested."""
    report = perform(id, ranks=3, iterations=64, **sizes)
    assert sum(len(runs) for runs in report.data["runs"].values()) == curves
    assert [claim.holds for claim in report.claims].count(None) == 0
