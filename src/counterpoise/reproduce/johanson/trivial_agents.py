"""Johanson 2016, table 2.1: the exploitability of agents without cards in whole limit hold'em."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from counterpoise.abstraction.features import Moments
from counterpoise.abstraction.strength import HoldemCards, last_street_wins
from counterpoise.agents import make_agent
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.ignoring_cards import answer_players_without_cards
from counterpoise.evaluation.best_response.players import Players
from counterpoise.games import load
from counterpoise.games.holdem import LimitHoldem
from counterpoise.jobs.pieces import Work
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, listed

AGENTS = ("always-fold", "always-call", "always-raise", "probe")
NAMES = {"probe": "50 % call, 50 % raise"}
BETS = {2: (1, 2), 4: (1, 1, 2, 2)}
"""Big blinds that a bet of each round is."""
BOARDS_AT_ONCE = 64


def trivial_agents(lab: Lab, rounds: int = 4) -> Iterator[Declared]:
    """Answer all four agents in one pass over all boards, and Always-Call by its closed form as well."""
    known = lab.published("trivial_agents")
    printed, more = known[f"{rounds} rounds"], known[f"{rounds} rounds, more"]
    found = Figures(missing="{} was not answered")
    cards = HoldemCards(streets=rounds)
    with lab.stoppable():
        game = load("limit_holdem" if rounds == 4 else "limit_holdem(board=[0, 3])")
        assert isinstance(game, LimitHoldem)
        lab.begin(f"best responses in {game.name}")
        players = [_seated(game, name) for name in AGENTS]
        values = answer_players_without_cards(LimitBetting.of(game), players, _work(lab))
        found.update(zip(AGENTS, values * 1000 / game.blinds[1], strict=True))
        lab.begin("always-call by its closed form")
        found["terms"] = closed_form_terms(cards, _work(lab))
    lab.data["mbb_per_game"] = {name: found[name].tolist() for name in AGENTS if name in found}  # by seat

    def mean(name: str) -> float:
        return float(found[name].mean())

    def seat(name: str, number: int) -> str:
        return f"{found[name][number]:.4f}"

    def listed_seat(name: str, number: int) -> str:
        return f"{more['seats'][name][number]:.4f}" if name in more["seats"] else "-"

    yield by_row(
        "Exploitability, mbb/g",
        "agent",
        AGENTS,
        {
            "exploitability": (
                lambda name: f"{mean(name):.4f}",
                lambda name: f"{printed[name]:.2f}" if name in printed else "-",
            ),
            "answered as big blind": (lambda name: seat(name, 0), lambda name: listed_seat(name, 0)),
            "answered as small blind": (lambda name: seat(name, 1), lambda name: listed_seat(name, 1)),
        },
    )
    numbers = range(rounds)
    yield by_row(
        "Always-Call: what betting with the better hand wins, in bets per game",
        "round",
        [cards.names[number] for number in numbers],
        {
            "bets won": (
                lambda name: f"{found['terms'][cards.names.index(name)]:.6f}",
                lambda name: f"{more['terms'][cards.names.index(name)]:.6f}" if "terms" in more else "-",
            )
        },
    )

    def exact() -> Verdict:
        told = ", ".join(f"{NAMES.get(name, name)} {mean(name):.2f}" for name in printed)
        return all(round(mean(name), 2) == printed[name] for name in printed), told

    def blinds() -> Verdict:
        return bool(np.allclose(found["always-fold"], [500, 1000], atol=1e-9)), listed(found["always-fold"], ".2f")

    def closed_form() -> Verdict:
        total = 1000 * float(np.dot(found["terms"], BETS[rounds]))
        return abs(total - mean("always-call")) < 1e-6, f"{total:.6f} and {mean('always-call'):.6f}"

    def order() -> Verdict:
        by_loss = sorted(AGENTS, key=mean)
        return by_loss == ["always-fold", "always-call", "probe", "always-raise"], ", ".join(by_loss)

    yield Claim("printed-digits", exact)
    yield Claim("folds-blinds", blinds)
    yield Claim("closed-form", closed_form)
    yield Claim("order", order)


def closed_form_terms(cards: HoldemCards, work: Work) -> list[float]:
    """Return E[(2 E_r - 1)+] of every round, E_r being the expected hand strength given the cards seen by then.

    Nobody folds to Always-Call and exactly one bet can be added in a round, whoever acts first: it is worth making
    whenever the hand wins more often than not.
    """
    wins = last_street_wins(cards, work)
    terms = []
    for street in range(cards.streets):
        boards, features = cards.boards(street), Moments(cards, street, wins)
        total, weight = 0.0, 0
        for begin in range(0, boards.size, BOARDS_AT_ONCE):
            work.cancel.check()
            numbers = np.arange(begin, min(begin + BOARDS_AT_ONCE, boards.size))
            alike = boards.representative[numbers]
            place, hand = np.nonzero(alike == np.arange(cards.deck.hand_count))
            counts = [np.bincount(row[row >= 0], minlength=cards.deck.hand_count) for row in alike]
            count = np.array(counts)[place, hand] * boards.multiplicity[numbers][place]
            strength = features.points(numbers[place], hand)[:, 0]
            total += float(count @ np.maximum(2 * strength - 1, 0))
            weight += int(count.sum())
            work.progress.show(numbers[-1] / boards.size, f"{boards.size:,} boards of the {cards.names[street]}")
        terms.append(total / weight)
    return terms


def _seated(game: LimitHoldem, name: str) -> Players:
    first, second = (make_agent(name).sit(game, seat, Random(0)) for seat in range(2))
    return first, second


def _work(lab: Lab) -> Work:
    return Work(progress=lab.progress, cancel=lab.cancel)
