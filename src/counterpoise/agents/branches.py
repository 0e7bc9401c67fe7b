"""Play by the self-improver's branches: find the branch that a bet leads into, and follow it.

See Brown 2020, section 6.4.

A searching agent asks `enter_branch` after each bet of its opponent in the first round; the belief that it gets follows
the branch as it would follow any strategy, later bets translated. `BranchAnswers` answers by public history alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from counterpoise.agents.blueprint_strategy import BlueprintStrategy
from counterpoise.betting.rules import CALL
from counterpoise.betting.sizes import label
from counterpoise.blueprint.branches import BlueprintBranches, Branch
from counterpoise.blueprint.gaps import Bet
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour
from counterpoise.search.action_translation import pot_share
from counterpoise.search.public_belief import AbstractState, PublicBelief


def enter_branch(branches: BlueprintBranches, belief: PublicBelief, event: str) -> PublicBelief | None:
    """Return the belief of a branch after a bet of the opponent; None if no branch answers it.

    Only the first round has branches, and only a belief of the blueprint leads into one.
    """
    told = read_event(event)
    if belief.betting.round or not isinstance(belief.strategy, BlueprintStrategy) or not isinstance(told, ActionEvent):
        return None
    action = told.bet
    place = max(belief.states, key=lambda one: one.chance).place
    if action <= CALL or place.to_act != belief.betting.to_act:
        return None
    branch = branches.find(Bet(place.public, pot_share(belief.game.betting, belief.betting, action)))
    if branch is None:
        return None
    taken = label(branch.total)
    known = branch.behaviour(place.public)
    reach = belief.ranges.copy()
    # The opponent's range is what the solution bets the branch's size with.
    reach[belief.betting.to_act] *= known.table[:, known.actions.index(taken)]
    there = AbstractState(replace(place, game=branch.game, of=branch).play(branch.total), 1.0, tuple(reach))
    return replace(belief, strategy=branch, table=belief.table.play(action), states=(there,))


@dataclass(frozen=True)
class BranchAnswers:
    """The strategy of a blueprint's branches at a table."""

    game: Holdem
    """The game at the table, whose menu may differ from the blueprint's."""
    branches: BlueprintBranches

    def answer(self, public: tuple[str, ...]) -> Behaviour | None:
        """Return what the seat to act does with every hand after a public history; None if no branch is entered.

        The other seat is its opponent.
        """
        seat = self.game.betting_after(public).to_act
        belief = PublicBelief.start(self.game, BlueprintStrategy(self.branches.blueprint), seat=seat)
        for event in public:
            theirs = belief.betting.to_act not in (seat, -1)
            entered = enter_branch(self.branches, belief, event) if theirs else None
            belief = entered or belief.after(event)
        return belief.behaviour() if isinstance(belief.strategy, Branch) else None
