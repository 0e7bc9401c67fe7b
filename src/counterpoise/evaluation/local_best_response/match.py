"""Hands of a local best response against an agent: a lower bound on the agent's exploitability, with an interval.

1. Every deal is played twice, with the seats exchanged, by the cards of (seed, deal); the two rooms are one sample.
2. The agent acts by its probabilities with the hand it was dealt. The local best response sees only what its seat sees.
3. A hand has two values: the chips won, and the mean over all hands that the agent might have held at its end (the
   estimator `ac`, for the known agent). Both have the same mean. Exchanging seats removes the luck of the cards from
   the first; the second removes that of the agent's hand. The estimate is the mean of the two, which was fixed before
   anything was played.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

from counterpoise.agents.base import Agent, draw_action
from counterpoise.agents.make import AgentLike, make_agent
from counterpoise.evaluation.local_best_response.actions import DEFAULT_PLAN, read_actions
from counterpoise.evaluation.local_best_response.player import RUN_OUTS, LocalBestResponse, check_game
from counterpoise.games import Game, as_game
from counterpoise.games.base import CHANCE, TERMINAL, draw_chance, game_name
from counterpoise.games.holdem import Holdem, HoldemState
from counterpoise.games.units import unit_of
from counterpoise.intervals import Tally, rounded
from counterpoise.jobs import Driver, JobHistory, JobResult, Limits, PiecesJob
from counterpoise.jobs.processes import WorkersLike, at_most, check_processes, map_in_order
from counterpoise.parameters import require_whole
from counterpoise.play.chance import CARDS, HandRandom, agent_stream
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.store.json import JsonResult

DEFAULT_HANDS = 1000
BLOCK = 10
"""Deals that are played together."""


@dataclass(frozen=True, kw_only=True)
class LocalResponse(JobResult, JsonResult):
    """What a local best response wins from an agent per hand, in `unit` (mbb where there is a big blind).

    `mean` is a lower bound on the agent's exploitability, within its interval.
    """

    game: str
    agent: str
    actions: str
    hands: int
    """Deals; each is played in both seats."""
    unit: str
    mean: float
    ci95: float
    """Half the width of the 95 % interval."""
    deviation: float
    """The standard deviation of a deal, the mean of its two hands."""
    money: float
    """The mean of the chips that were won."""
    money_ci95: float
    all_cards: float
    """The mean over the hands that the agent might have held."""
    all_cards_ci95: float
    seats: tuple[float, float]
    """The mean of the hands in which it sat at seat 0, and at seat 1."""
    seed: int

    @property
    def lower_bound(self) -> float:
        """A lower bound on the agent's exploitability with 97.5 % confidence."""
        return self.mean - self.ci95


def local_best_response(
    game: Game | str,
    agent: AgentLike,
    hands: int = DEFAULT_HANDS,
    *,
    actions: str = DEFAULT_PLAN,
    seed: int = 0,
    run_outs: int = RUN_OUTS,
    processes: WorkersLike = 1,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> LocalResponse:
    """Return what a local best response wins from an agent whose probabilities are known, in mbb per hand.

    The game is limit or no-limit hold'em for two, with any deck. `hands` counts deals, each played in both seats.
    `actions` says what it may do: a name of `actions.PLANS` or a text such as "c / f,c,75%,allin", a part for each
    round. Chances to win are exact, except before the flop with decks of 13 to 51 cards, where `run_outs` boards are
    sampled. Ctrl-C keeps what was played.

    >>> found = local_best_response("limit_holdem(ranks=4)", "always-fold", 20, progress=False)
    >>> found.mean, found.ci95  # it never folds first, and every bet wins what is in the pot
    (750.0, 0.0)
    """
    rules = check_game(as_game(game))
    player = make_agent(agent)
    require_whole("hands", hands)
    require_whole("seed", seed, 0)
    require_whole("run_outs", run_outs, 10)
    check_processes(processes)
    read_actions(actions)
    token = cancel or CancelToken()
    job = LocalJob(LocalSetup(rules, player, actions, seed, run_outs), hands, processes, token)
    with as_progress(progress) as display:
        display.begin(f"local best response to {player}")
        return Driver(job, Limits(iterations=hands), display, cancel=token).run()


@dataclass
class LocalSums:
    """What the deals so far have brought, in chips."""

    deals: int = 0
    both: Tally = field(default_factory=Tally)
    money: Tally = field(default_factory=Tally)
    cards: Tally = field(default_factory=Tally)
    """The means over the hands that the agent might have held."""
    seats: tuple[float, float] = (0.0, 0.0)

    def add(self, block: LocalBlock) -> None:
        """Take in the deals of a block."""
        for tally, sums in zip((self.both, self.money, self.cards), block.sums, strict=True):
            tally.add(block.deals, *sums)
        self.seats = self.seats[0] + block.seats[0], self.seats[1] + block.seats[1]
        self.deals += block.deals


class LocalJob(PiecesJob["LocalBlock", LocalResponse]):
    """The deals of a local best response, played a block at a time."""

    def __init__(self, setup: LocalSetup, hands: int, processes: WorkersLike, cancel: CancelToken) -> None:
        self.setup, self.hands, self.cancel, self.sums = setup, hands, cancel, LocalSums()
        self.dealer = LocalDealer(setup)
        opener = setup.game.betting_after(()).to_act
        self.dealer.responses[opener].behaviour(())  # refuses an agent that is not known, before anything is played
        self.unit, self.scale = unit_of(setup.game)
        self.workers = at_most(processes, -(-hands // BLOCK))

    @property
    def iteration(self) -> int:
        """Deals so far."""
        return self.sums.deals

    def pieces(self) -> Generator[LocalBlock, None, None]:
        """Yield the blocks of deals that are left."""
        plan = ((first, min(BLOCK, self.hands - first)) for first in range(self.iteration, self.hands, BLOCK))
        yield from map_in_order(self.setup.make_player, self.dealer.play, plan, self.workers, self.cancel)

    def take(self, found: LocalBlock) -> None:
        """Count a block."""
        self.sums.add(found)

    def state(self) -> LocalSums:
        """Return the sums so far; hands follow from their numbers."""
        return deepcopy(self.sums)

    def restore(self, state: LocalSums) -> None:
        """Continue after the deals that were counted elsewhere."""
        self.sums = deepcopy(state)

    def figure(self, latest: None) -> str:
        """Return what is known so far."""
        both, scale = self.sums.both, self.scale
        mean, half_width = rounded(scale * both.mean, 4, "+"), rounded(scale * both.ci95, 2)
        return f"{self.iteration:,} deals  {mean} ± {half_width} {self.unit}/hand"

    def result(self, measured: None, history: JobHistory) -> LocalResponse:
        """Return what the local best response has won."""
        setup, sums, scale = self.setup, self.sums, self.scale
        return LocalResponse(
            game=game_name(setup.game),
            agent=setup.agent.name,
            actions=setup.actions,
            hands=sums.deals,
            unit=self.unit,
            mean=scale * sums.both.mean,
            ci95=scale * sums.both.ci95,
            deviation=scale * sums.both.deviation,
            money=scale * sums.money.mean,
            money_ci95=scale * sums.money.ci95,
            all_cards=scale * sums.cards.mean,
            all_cards_ci95=scale * sums.cards.ci95,
            seats=(scale * sums.seats[0] / max(sums.deals, 1), scale * sums.seats[1] / max(sums.deals, 1)),
            seed=setup.seed,
            **history.spent,
        )


class LocalBlock(NamedTuple):
    """Sums over the deals of a block, in chips; a sample is the mean of a deal's two rooms."""

    deals: int
    sums: list[tuple[float, float]]
    """Sum and sum of squares of the estimate, of the money and of the mean over the agent's hands."""
    seats: tuple[float, float]


class LocalSetup(NamedTuple):
    """Everything that defines how its hands are played."""

    game: Holdem
    agent: Agent
    actions: str
    seed: int
    run_outs: int

    def make_player(self) -> Callable[[int, int], LocalBlock]:
        """Return the dealer of blocks of hands."""
        return LocalDealer(self).play


class LocalDealer:
    """Plays deals in both seats."""

    def __init__(self, setup: LocalSetup) -> None:
        self._setup = setup
        self._cards, self._random = HandRandom(), HandRandom()
        players = [setup.agent.sit(setup.game, seat, self._random) for seat in (0, 1)]
        self.responses = [
            LocalBestResponse(setup.game, player, setup.actions, run_outs=setup.run_outs, seed=setup.seed)
            for player in players
        ]
        """The local best response to the agent in each seat."""

    def play(self, first: int, deals: int) -> LocalBlock:
        """Play the deals from `first` on."""
        money, cards, seats = list[float](), list[float](), [0.0, 0.0]
        for hand in range(first, first + deals):
            rooms = [self._play(hand, room, self.responses[1 - room]) for room in (0, 1)]  # it sits at seat `room`
            cards.append((rooms[0][0] + rooms[1][0]) / 2)
            money.append((rooms[0][1] + rooms[1][1]) / 2)
            seats = [total + sum(own) / 2 for total, own in zip(seats, rooms, strict=True)]
        both = [(paid + fair) / 2 for paid, fair in zip(money, cards, strict=True)]
        tallies = [Tally.of(samples) for samples in (both, money, cards)]
        return LocalBlock(deals, [(tally.total, tally.squares) for tally in tallies], (seats[0], seats[1]))

    def _play(self, hand: int, room: int, response: LocalBestResponse) -> tuple[float, float]:
        """Play one hand; return the response's mean winnings over the agent's range, and its winnings in chips."""
        setup, game, seat = self._setup, self._setup.game, response.seat
        self._cards.begin(setup.seed, hand, CARDS)
        self._random.begin(setup.seed, hand, agent_stream(room, 2, 1 - seat))
        state: HoldemState = game.initial()
        while (mover := game.player(state)) != TERMINAL:
            if mover == CHANCE:
                step = draw_chance(game, state, self._cards)
            elif mover == seat:
                step = response.choose(state.events, response.hand_number(state.hands[seat]))
            else:
                step = self._act(response, state)
            state = game.next(state, step)
        return response.expected_payoff(state, state.events), float(game.payoffs(state)[seat])

    def _act(self, response: LocalBestResponse, state: HoldemState) -> str:
        """Draw what the agent does with the hand that it has."""
        behaviour = response.behaviour(state.events)
        row = behaviour.table[response.hand_number(state.hands[response.player.seat])]
        mixed = dict(zip(behaviour.actions, (row / row.sum()).tolist(), strict=True))
        return draw_action(mixed, self._random.random())
