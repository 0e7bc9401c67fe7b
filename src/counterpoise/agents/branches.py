"""Playing by the self-improver's branches: which of them a bet leads into, and what is done there.

See Brown 2020, section 6.4.

A searching agent asks `enter_branch` after each bet of its opponent in the first round; the view that it gets follows
the branch as it would follow any plan, later bets translated. `BranchAnswers` answers by public history alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from counterpoise.agents.views import BlueprintPlan, PlanShadow, View
from counterpoise.betting.rules import CALL
from counterpoise.betting.sizes import label, read_label
from counterpoise.blueprint.branches import Branch, Branches
from counterpoise.blueprint.gaps import Bet
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour
from counterpoise.search.translation import pot_share


def enter_branch(branches: Branches, view: View, event: str) -> View | None:
    """Return the view of a branch after a bet of the opponent; None if no branch answers it.

    Only the first round has branches, and only a view of the blueprint leads into one.
    """
    if view.betting.round or not isinstance(view.plan, BlueprintPlan) or event[:1] != "b":
        return None
    action = read_label(event)
    shadow = max(view.shadows, key=lambda one: one.chance)
    if action <= CALL or shadow.betting.to_act != view.betting.to_act:
        return None
    branch = branches.find(Bet(shadow.line, pot_share(view.game.betting, view.betting, action)))
    if branch is None:
        return None
    taken = label(branch.total)
    known = branch.behaviour(shadow.line)
    reach = view.ranges.copy()
    # The opponent's range is what the solution bets the branch's size with.
    reach[view.betting.to_act] *= known.table[:, known.actions.index(taken)]
    there = PlanShadow(branch.rules.betting_next(shadow.betting, taken), (*shadow.line, taken), 1.0, reach)
    betting = view.game.betting_next(view.betting, event)
    return replace(view, plan=branch, public=(*view.public, event), betting=betting, shadows=(there,))


@dataclass(frozen=True)
class BranchAnswers:
    """What a blueprint with branches does at a table, where a branch says it."""

    game: Holdem
    """The game at the table, whose menu may differ from the blueprint's."""
    branches: Branches

    def answer(self, public: tuple[str, ...]) -> Behaviour | None:
        """Return what the seat to act does with every hand after a public history; None if no branch is entered.

        The other seat is its opponent.
        """
        seat = self.game.betting_after(public).to_act
        view = View.start(self.game, BlueprintPlan(self.branches.blueprint), seat=seat)
        for event in public:
            theirs = view.betting.to_act not in (seat, -1)
            entered = enter_branch(self.branches, view, event) if theirs else None
            view = entered or view.after(event)
        return view.behaviour() if isinstance(view.plan, Branch) else None
