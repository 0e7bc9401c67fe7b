"""Johanson 2016, table 5.2: information sets of three abstractions of limit hold'em, and sizes that other figures rest
on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import mul

from counterpoise.abstraction.sizes import LIMIT_HOLDEM, abstraction_size, betting_size, fitting_buckets
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict

ROUNDS = ("1", "2", "3", "4")
TOTAL = "total"


def bookkeeping(lab: Lab) -> Iterator[Declared]:
    """Count decision points by walking the betting tree, and multiply."""
    known = lab.published("abstraction_sizes")
    table, printed, tree = known["table"], known["printed"], betting_size(LIMIT_HOLDEM)
    sizes = {name: abstraction_size(row["buckets"], tree) for name, row in table.items()}

    def infosets(name: str, part: str) -> int:
        return sizes[name].total_infosets if part == TOTAL else sizes[name].infosets[int(part) - 1]

    def figure(name: str, part: str) -> int:
        return int(table[name][TOTAL] if part == TOTAL else table[name]["infosets"][int(part) - 1])

    for name in table:
        columns = {
            "buckets": lambda part, name=name: None if part == TOTAL else sizes[name].buckets[int(part) - 1],
            "infosets": lambda part, name=name: infosets(name, part),
            "printed": lambda part, name=name: figure(name, part),
            "": lambda part, name=name: "" if infosets(name, part) == figure(name, part) else "misprint",
        }
        yield by_row(f"Abstract information sets, {name}", "round", (*ROUNDS, TOTAL), columns)

    def misprints() -> Verdict:
        wrong = [
            f"{name} round {part}: {figure(name, part):,} should be {infosets(name, part):,}".replace(
                "round total", TOTAL
            )
            for name in table
            for part in (*ROUNDS, TOTAL)
            if figure(name, part) != infosets(name, part)
        ]
        return not wrong, "; ".join(wrong)

    def nearly_equal() -> Verdict:
        totals = [size.total_infosets for size in sizes.values()]
        return max(totals) <= 1.001 * min(totals), ", ".join(f"{total:,}" for total in totals)

    def exchange() -> Verdict:
        ours = [tree.exchange(3, street) for street in range(3)]
        return ours == printed["exchange"], _listed(ours)

    def recall_forbids() -> Verdict:
        limit, most = sizes["IR 169-9000-9000-9000"].total_infosets, 1
        while _perfect(169, most + 1) <= limit:
            most += 1
        told = f"{most} fit: {_perfect(169, most):,} infosets, while {most + 1} take {_perfect(169, most + 1):,}"
        return most == 4, told

    def paired() -> Verdict:
        pairs = list(zip(printed["perfect"], printed["imperfect"], strict=True))
        own = [(_perfect(k, k), abstraction_size((169, n, n, n)).total_infosets) for k, n in pairs]
        told = ", ".join(
            f"PR {k} {one:,} and IR {n} {other:,}" for (k, n), (one, other) in zip(pairs, own, strict=True)
        )
        return all(0.98 <= one / other <= 1.02 for one, other in own), told

    def fair() -> Verdict:
        equal = sizes["IR 169-9000-9000-9000"].total_infosets
        found = fitting_buckets((169, None, None, printed["fair"][-1]), infosets=equal)
        total = abstraction_size(found).total_infosets
        return list(found) == printed["fair"] and total == equal, f"{_listed(found)}: {total:,} infosets"

    def nesting() -> Verdict:
        outer, inner, product = printed["nesting"]
        told = f"{outer} x {inner} = {outer * inner:,}; {product:,} = {outer} x {product // outer}"
        return outer * inner == product, told

    def canonical() -> Verdict:
        own = {name: abstraction_size(row["buckets"]).total_infosets / 1e6 for name, row in known["canonical"].items()}
        holds = all(abs(own[name] - row["millions"]) <= 1 for name, row in known["canonical"].items())
        return holds, ", ".join(f"{name} {millions:.1f} M" for name, millions in own.items())

    yield Claim("decision-points", lambda: (list(tree.decisions) == printed["sequences"], _listed(tree.decisions)))
    yield Claim("printed-right", misprints)
    yield Claim("equally-large", nearly_equal)
    yield Claim("exchange", exchange)
    yield Claim("recall-forbids", recall_forbids)
    yield Claim("paired", paired)
    yield Claim("fair", fair)
    yield Claim("nesting", nesting)
    yield Claim("canonical", canonical)


def _perfect(first: int, later: int) -> int:
    """Return the infosets of a perfect-recall abstraction that cuts every bucket into `later` on each later round."""
    return abstraction_size(tuple(accumulate((first, later, later, later), mul))).total_infosets


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:,.10g}" for number in numbers)
