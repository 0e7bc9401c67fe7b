"""Johanson 2016, tables 2.2, 11.1, 11.2 and 11.5: winnings and exploitability order agents differently.

The agents of the competitions are not ours to play. Their printed figures are checked against each other, and a round
robin of our own agents in Leduc, exact in every cell, shows the same disagreement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from counterpoise.agents import make_agent
from counterpoise.evaluation.estimators.statistics import implied_deviation
from counterpoise.evaluation.tournament import CrossTable
from counterpoise.exploit import counter_strategy
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, Table, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.search.limited_rules import joined
from counterpoise.solvers import solve
from counterpoise.tree import Strategy, Tree, enumerate_game, evaluate

GAME = "leduc_poker"
ROCKHOPPER, PULPO = "Rockhopper", "PULPO"
SOLVED, ROUGH, HUNTER = "equilibrium", "rough equilibrium", "hunter of the weak"
WEAK = ("random", "always-call", "probe")


def competitions(lab: Lab, iterations: int = 1000) -> Iterator[Declared]:
    """Compare printed winnings with exploitability, and let agents of ours play a round robin."""
    printed = lab.published("competitions")
    for year in ("2010", "2012"):
        yield _printed_table(year, printed[year])
    agents = {year: {name: row for name, row in printed[year].items() if name != "opponents"} for year in printed}
    yield Claim("orders-differ", _orders_differ, agents["2010"])
    yield Claim("bounds", _bounds, printed)
    yield Claim("mirrored", _mirrored, printed["2010"])
    yield Claim("slumbot", _slumbot, agents["2012"])
    ours = Figures(missing="the round robin was not played")
    with lab.stoppable():
        ours["table"], ours["exploitability"] = _round_robin(lab, iterations)

    def disagree() -> Verdict:
        table, exploitability = ours["table"], ours["exploitability"]
        bankroll = [one.name for one in table.total_bankroll()]
        safest = sorted(exploitability, key=exploitability.get)
        told = f"by bankroll {' > '.join(bankroll)}; by exploitability {' < '.join(safest)}"
        return bankroll[0] != safest[0], told

    def runoff() -> Verdict:
        table = ours["table"]
        order = table.runoff_ranking()
        return order[0] == SOLVED, f"instant run-off: {' > '.join(order)}"

    if "table" in ours:
        table: CrossTable = ours["table"]
        heads, rows = table.cells()
        told = [f"{1000 * ours['exploitability'][name]:.1f}" for name in table.names]
        rows = [[*row, own] for row, own in zip(rows, told, strict=True)]
        yield Table("Our agents in Leduc, mA per game, exact", [*heads, "exploitability"], rows)
        lab.data["round robin"] = table.to_json() | {"exploitability": ours["exploitability"]}
    yield Claim("own-orders-differ", disagree)
    yield Claim("own-runoff", runoff)


def play_money(lab: Lab) -> Iterator[Declared]:
    """Read standard deviations off the printed intervals."""
    rows = lab.published("competitions")["play-money"]
    implied = {name: implied_deviation(half, games) for name, (games, _, half) in rows.items()}
    yield by_row(
        "Table 11.5, mbb per game",
        "agent",
        rows,
        {
            "games": lambda name: rows[name][0],
            "wins": lambda name: f"{rows[name][1]} ± {rows[name][2]}",
            "implied SD": lambda name: implied[name],
        },
    )

    def consistent() -> Verdict:
        return all(5000 <= own <= 6000 for own in implied.values()), f"implied SDs {listed(implied.values(), '.0f')}"

    def ahead() -> Verdict:
        *polaris, hunter = rows
        gaps = {}
        for name in polaris:
            gaps[name] = rows[hunter][1] - rows[name][1], math.hypot(rows[hunter][2], rows[name][2])
        told = ", ".join(f"{gap:.0f} ± {half:.0f} more than {name}" for name, (gap, half) in gaps.items())
        return all(gap > half for gap, half in gaps.values()), told

    yield Claim("consistent", consistent)
    yield Claim("dbr-ahead", ahead)


def _printed_table(year: str, printed: Mapping[str, Any]) -> Table:
    rows = {name: row for name, row in printed.items() if name != "opponents"}

    def won(name: str, place: int) -> str:
        mean, half = rows[name][1 + place]
        return f"{mean} ± {half}" if half else str(mean)

    ranks = {name: place + 1 for place, name in enumerate(sorted(rows, key=lambda one: rows[one][0]))}
    columns: dict[str, Any] = {
        f"vs {other}": lambda name, place=place: won(name, place) for place, other in enumerate(printed["opponents"])
    }
    columns |= {"exploitability": lambda name: f"{rows[name][0]:.3f}", "rank by it": lambda name: ranks[name]}
    return by_row(f"Limit agents of {year}, mbb per game, as printed", "agent", rows, columns)


def _orders_differ(rows: Mapping[str, Any]) -> Verdict:
    safest = sorted(rows, key=lambda name: rows[name][0])
    told = f"{ROCKHOPPER}, first of the competition, is number {safest.index(ROCKHOPPER) + 1} by exploitability; "
    told += f"{PULPO}, first by bankroll, number {safest.index(PULPO) + 1}"
    return safest[0] not in (ROCKHOPPER, PULPO), told


def _bounds(printed: Mapping[str, Any]) -> Verdict:
    """Return whether no agent loses more to another than its exploitability."""
    closest = ""
    largest = 0.0
    for year in ("2010", "2012"):
        rows = {name: row for name, row in printed[year].items() if name != "opponents"}
        for name, (exploitability, *cells) in rows.items():
            for other, (mean, _) in zip(printed[year]["opponents"], cells, strict=True):
                for loser, loss, most in ((name, -mean, exploitability), (other, mean, rows[other][0])):
                    if loss / most > largest:
                        largest, closest = loss / most, f"{loser} loses {loss} of {most:.0f} in {year}"
    return largest <= 1, f"at most {largest:.0%}: {closest}"


def _mirrored(printed: Mapping[str, Any]) -> Verdict:
    """Return whether each win is the other's loss, within the printed intervals."""
    opponents, gaps = printed["opponents"], []
    for place, name in enumerate(opponents):
        for other_place, other in enumerate(opponents[:place]):
            own, half = printed[name][1 + other_place]
            met, other_half = printed[other][1 + place]
            gaps.append((f"{name} {own:+d}, {other} {met:+d}", abs(own + met) <= math.hypot(half, other_half)))
    return all(fits for _, fits in gaps), "; ".join(told for told, _ in gaps)


def _slumbot(rows: Mapping[str, Any]) -> Verdict:
    by_risk = sorted(rows, key=lambda name: rows[name][0])
    by_result = sorted(rows, key=lambda name: -rows[name][1][0])
    told = f"by exploitability {' < '.join(by_risk)}; against Slumbot {' > '.join(by_result)}"
    return by_risk[0] == by_result[0] == "Slumbot" and by_risk != by_result, told


def _round_robin(lab: Lab, iterations: int) -> tuple[CrossTable, dict[str, float]]:
    """Return what agents win from each other in mA, exactly, and how exploitable each is in antes."""
    tree = enumerate_game(GAME)
    players = dict[str, Strategy]()
    for name, count in ((SOLVED, iterations), (ROUGH, max(iterations // 20, 1))):
        lab.begin(f"{name}, {count:,} iterations of CFR+")
        run = solve(GAME, "cfr+", iterations=count, progress=lab.progress, cancel=lab.cancel)
        players[name] = run.strategy
    for name in WEAK:
        table = make_agent(name).tabulate(tree)
        assert table is not None
        players[name] = Strategy(tree.name, tree.table, table)
    lab.begin("a response to random play that gives up some safety")
    hunting = counter_strategy(
        GAME, WEAK[0], "rnr(p=0.9)", iterations=iterations, progress=lab.progress, cancel=lab.cancel
    )
    players[HUNTER] = hunting.strategy
    names = list(players)
    values = [[_value(tree, players[own], players[other]) for other in names] for own in names]
    risks = {name: evaluate(tree, player.on(tree)).exploitability for name, player in players.items()}
    return CrossTable(tuple(names), values, None, "mA"), risks


def _value(tree: Tree, own: Strategy, other: Strategy) -> float:
    """Return what one strategy wins from another in mA, the mean of both seats."""
    seats = joined(tree, (own, other)), joined(tree, (other, own))
    won = 500 * sum(float(evaluate(tree, profile).expected[seat]) for seat, profile in enumerate(seats))
    return round(won, 9) + 0.0
