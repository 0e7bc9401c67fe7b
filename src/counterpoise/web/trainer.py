"""The trainer: decisions dealt from a saved solution, what an answer loses against it, and how one gets better.

A question is a function of the solution, a number and what is trained, so that a link to it shows the same question:
both hands are dealt by the ranges, the hand is played by the solution, and one of your decisions on the way is asked.
"""

from __future__ import annotations

import json
import threading
import time
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from counterpoise.betting.sizes import STREETS
from counterpoise.betting.words import PLAYERS
from counterpoise.cards import parse_card
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.spots import Deal, Decision
from counterpoise.store import atomic_write
from counterpoise.web.library import LONGEST_NAME, Library
from counterpoise.web.solutions import OpenSolution, Solutions
from counterpoise.web.views.node import ActionView, Crumb, actions_of, line_words, view_path
from counterpoise.web.views.numbers import figure

FILE = "trainer.json"
MOST_DEALS = 50
"""Hands that are dealt until one has a decision of the kind that is trained."""
GOOD_PCT = 0.5
"""An answer that loses at most this much of the pot, in per cent, counts as good."""
MOST_KEPT = 500
Player = Literal["oop", "ip", "any"]
Street = Literal["flop", "turn", "river", "any"]


class Drill(BaseModel):
    """What is trained."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    solution: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    number: Annotated[int, Field(ge=0, lt=2**53)]
    """Which question: the same number, the same question."""
    player: Player = "any"
    street: Street = "any"


class Question(BaseModel):
    """A decision to make."""

    drill: Drill
    node: str
    board: str
    player: str
    hand: str
    pot: int
    path: list[Crumb]
    actions: list[ActionView]
    """The actions without frequencies and EV, which would give the answer away."""


class Verdict(BaseModel):
    """What an answer is worth."""

    action: str
    best: str
    lost: float
    """EV lost against the best action with this hand, in chips."""
    lost_pct: float
    """EV lost in per cent of the pot."""
    good: bool
    strategy: dict[str, float | None]
    """How often the solution takes each action with this hand."""
    ev: dict[str, float | None]


class Kept(BaseModel):
    """One answer."""

    when: float
    solution: str
    node: str
    line: str = ""
    """The way to the node in words."""
    hand: str
    player: str
    street: str
    action: str
    lost: float
    lost_pct: float


class Group(BaseModel):
    """Answers of a kind, together."""

    decisions: int = 0
    good: int = 0
    lost: float = 0.0
    lost_pct: float = 0.0
    """The mean in per cent of the pot."""


class Statistics(BaseModel):
    """How the answers were."""

    all: Group
    by_street: dict[str, Group]
    by_player: dict[str, Group]
    latest: list[Kept]


_KEPT = TypeAdapter(list[Kept])


class Trainer:
    """Asks, judges and remembers."""

    def __init__(self, library: Library, solutions: Solutions) -> None:
        self.library, self.solutions, self._lock = library, solutions, threading.Lock()

    def ask(self, drill: Drill) -> Question:
        """Return the question of a number; refused if the solution has no decision of the kind."""
        opened = self.solutions.open(drill.solution)
        node, hand = self._find(opened, drill)
        hidden = [action.model_copy(update={"frequency": None, "ev": None}) for action in actions_of(node)]
        return Question(
            drill=drill,
            node=node.id,
            board=node.board,
            player=node.player,
            hand=hand,
            pot=node.pot,
            path=view_path(node),
            actions=hidden,
        )

    def judge(self, drill: Drill, action: str, *, keep: bool = True) -> Verdict:
        """Return what an answer loses, and remember it; without `keep` only look, as when a page is shown again."""
        opened = self.solutions.open(drill.solution)
        node, hand = self._find(opened, drill)
        if action not in node.actions:
            raise InputError(f"{shown(action)} is not possible: {', '.join(node.actions)}")
        worth, mixed = node.action_evs(hand), node.strategy(hand)
        best = max(worth, key=lambda name: worth[name])
        lost = worth[best] - worth[action]
        verdict = Verdict(
            action=action,
            best=best,
            lost=lost,
            lost_pct=100 * lost / node.pot,
            good=100 * lost / node.pot <= GOOD_PCT,
            strategy={name: figure(share) for name, share in mixed.items()},
            ev={name: figure(value) for name, value in worth.items()},
        )
        if keep:
            self._keep(drill, node, hand, verdict)
        return verdict

    def statistics(self, solution: str = "") -> Statistics:
        """Return how the answers were, of one solution or of all."""
        kept = [one for one in self._read() if not solution or one.solution == solution]
        return Statistics(
            all=_group(kept),
            by_street={street: _group([one for one in kept if one.street == street]) for street in STREETS[1:]},
            by_player={player: _group([one for one in kept if one.player == player]) for player in PLAYERS},
            latest=kept[-20:][::-1],
        )

    def _find(self, opened: OpenSolution, drill: Drill) -> tuple[Decision, str]:
        """Return the decision and the hand of a question."""
        random = np.random.default_rng(drill.number)
        for _ in range(MOST_DEALS):
            found = _play(opened, drill, random)
            if found is not None:
                return found
        who = "a player" if drill.player == "any" else drill.player.upper()
        where = "" if drill.street == "any" else f" on the {drill.street}"
        raise InputError(f"in {shown(drill.solution)} hardly any hand comes to a decision of {who}{where}")

    def _keep(self, drill: Drill, node: Decision, hand: str, verdict: Verdict) -> None:
        entry = Kept(
            when=time.time(),
            solution=drill.solution,
            node=node.id,
            line=line_words(view_path(node)),
            hand=hand,
            player=node.player,
            street=STREETS[node.place.state.round],
            action=verdict.action,
            lost=verdict.lost,
            lost_pct=verdict.lost_pct,
        )
        with self._lock:
            kept = [*self._read(), entry][-MOST_KEPT:]
            with atomic_write(self.library.root / FILE) as file:
                file.write(json.dumps([one.model_dump() for one in kept]).encode())

    def _read(self) -> list[Kept]:
        try:
            return _KEPT.validate_json((self.library.root / FILE).read_bytes())
        except (OSError, ValidationError):  # not there yet, or of another version: nothing is remembered
            return []


def _play(opened: OpenSolution, drill: Drill, random: np.random.Generator) -> tuple[Decision, str] | None:
    """Deal both hands, play the hand by the solution, and return one of the decisions that are trained, if any."""
    seat = int(random.integers(2)) if drill.player == "any" else PLAYERS.index(drill.player)
    node: Decision | Deal = opened.node()
    hands = _deal(node, random)
    if hands is None:
        return None
    held = {int(card) for side, k in enumerate(hands) for card in node.game.hands[side][k]}
    found: list[Decision] = []
    while True:
        if isinstance(node, Deal):
            cards = [card for card in node.cards if parse_card(card) not in held]
            node = opened.node(f"{node.id}:{random.choice(cards)}")
            continue
        mover = node.place.state.to_act
        if mover == seat and drill.street in ("any", STREETS[node.place.state.round]):
            found.append(node)
        mixed = np.nan_to_num(node.probabilities[:, hands[mover]])
        if mixed.sum() <= 0:
            break
        label = node.actions[int(random.choice(len(mixed), p=mixed / mixed.sum()))]
        if next(action.after for action in actions_of(node) if action.label == label) == "end":
            break
        node = opened.node(f"{node.id}:{label}")
    if not found:
        return None
    chosen = found[int(random.integers(len(found)))]
    return chosen, chosen.hand_names[seat][hands[seat]]


def _deal(node: Decision | Deal, random: np.random.Generator) -> tuple[int, int] | None:
    """Return a hand of each player, as often as the two are dealt; None if none are."""
    first = node.weights(0)
    if not node.pair_mass > 0:
        return None
    own = int(random.choice(len(first), p=first / first.sum()))
    apart = ~np.isin(node.game.hands[1], node.game.hands[0][own]).any(axis=1)
    second = node.reaches[1] * apart
    return own, int(random.choice(len(second), p=second / second.sum()))


def _group(kept: list[Kept]) -> Group:
    count = len(kept)
    return Group(
        decisions=count,
        good=sum(one.lost_pct <= GOOD_PCT for one in kept),
        lost=sum(one.lost for one in kept),
        lost_pct=sum(one.lost_pct for one in kept) / count if count else 0.0,
    )
