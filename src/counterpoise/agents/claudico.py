"""Claudico: two asymmetric blueprints, and the river solved once, in buckets, when it is reached.

See Brown 2020, section 6.2.

1. Cards and bets: as Tartanian7, with more buckets for the small blind, and more bets for the opponent than for the
   agent in each of two solves.
2. Before the last round: the blueprint; bets that it lacks are translated.
3. On reaching the last round: what is left is solved once with the ranges of the blueprint for both seats (unsafe), in
   the buckets and with the bets of the blueprint, but with the real pot. Later bets that this endgame lacks are
   translated into its own; nothing is solved again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from counterpoise.agents.base import Agent, Measured, agent
from counterpoise.agents.halves import HalvesAgent
from counterpoise.agents.recipes import TrainedByRecipe
from counterpoise.agents.searching import Deadline, SearchClock
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.blueprint.blueprint import normalised
from counterpoise.errors import InputError
from counterpoise.games.base import game_name
from counterpoise.games.holdem import Holdem, NoLimitHoldem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.jobs import run_steps
from counterpoise.sampling.endgame import Endgame
from counterpoise.search.public_belief import PublicBelief


@dataclass(frozen=True)
@settings_of("claudico")
class ClaudicoSearch:
    """How it solves endgames; `settings/claudico.toml` says what each number means and where it is from."""

    endgame_iterations: int = SETTING
    fast_iterations: int = SETTING


@agent("claudico")
@dataclass
@settings_of("claudico")
class Claudico(TrainedByRecipe, HalvesAgent):
    """Looks its play up and solves the river once, in buckets: claudico:FOLDER, two seats."""

    source = "Brown 2020, section 6.2"
    measured = Measured(34, 0.016)

    endgames: bool = SETTING
    """Whether the last round is solved when it is reached; the original did so in part of its match only."""
    search: ClaudicoSearch = ClaudicoSearch()
    """How endgames are solved."""

    def prepare(self) -> None:
        """Refuse a game that the blueprint is not for, and games that are not no-limit hold'em for two."""
        super().prepare()
        if not isinstance(self.game, NoLimitHoldem) or self.game.players != 2:
            raise InputError(f"claudico plays no-limit hold'em with two seats, not {game_name(self.game)}")

    def without_search(self) -> Agent | None:
        """Return the agent that looks up the last round too."""
        return replace(self, endgames=False) if self.endgames else None

    def observe(self, belief: PublicBelief, event: str) -> PublicBelief:
        """Return the belief after a public event; a new one when the last round begins."""
        keep = belief.after(event)
        return keep.follow(self._solved(keep)) if self.endgames and keep.enters_last_round(belief) else keep

    def _solved(self, belief: PublicBelief) -> EndgameStrategy:
        clock, deadline = SearchClock(), Deadline(self.seconds)
        game, home = belief.game, self.blueprint.game
        assert isinstance(game, NoLimitHoldem)
        assert isinstance(home, NoLimitHoldem)
        rules = replace(game, sizes=home.sizes, button_sizes=home.button_sizes)
        board = public_cards(belief.public)
        found = Endgame(
            rules, belief.betting, board, belief.ranges, self.blueprint.buckets_after(belief.public, self.seat)
        )
        planned = self.search.fast_iterations if self.fast else self.search.endgame_iterations
        run_steps(found, planned, deadline)
        cut = found.iteration < planned
        note = clock.note(belief.public, "endgame", found.tree.nodes, found.iteration, cut_short=cut)
        self.searches.append(note)
        return EndgameStrategy(rules, belief.public, found)


@dataclass(frozen=True, eq=False)
class EndgameStrategy:
    """The solution of an endgame as a `RangeStrategy`."""

    game: Holdem
    public: tuple[str, ...]
    endgame: Endgame

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck."""
        tree = self.endgame.tree
        node = tree.node_after(line[len(self.public) :])
        rows = normalised(self.endgame.weights(node))
        live = self.game.deck.live_hands(public_cards(line))
        return Behaviour(self.game.deck.hand_names, tree.labels(node), rows * live[:, None])
