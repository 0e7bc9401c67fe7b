"""Branches: answers to bets that a blueprint lacks, found by the self-improver and kept in a file beside the blueprint.

A branch is a strategy for everything that follows one bet in one situation of the first round: a blueprint over the
betting tree of that situation (`SituationTree`), with the blueprint's own strategies on the path to it. A *defensive*
branch answers bets that are close to its own: nearer to it, as translation sees it, than to any other size of the
situation. An *offensive* one answers only its own size, and only if it is armed, that is, if the last bets in that
situation were all of that size. Sizes are fractions of the pot after a call.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from counterpoise.abstraction.translation import translate
from counterpoise.betting.rules import BetAction
from counterpoise.blueprint.blueprint import Blueprint, layout_of
from counterpoise.blueprint.files import tree_digest
from counterpoise.blueprint.gaps import Bet, Situation, menu_sizes, same_size
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour
from counterpoise.parameters import require
from counterpoise.sampling.situations import SituationRules, SituationTree
from counterpoise.search.action_translation import pot_share
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.headers import BranchesHeader
from counterpoise.store.schemas import SCHEMAS

KIND, VERSION = "branch set", 1
Kind = Literal["defensive", "offensive"]
(_TABLES,) = SCHEMAS[KIND].parts


@dataclass(frozen=True, eq=False)
class Branch:
    """The strategy of everything that follows one bet, which beliefs can follow."""

    kind: Kind
    strategy: Blueprint
    """The strategy over a `SituationTree` with this one bet."""
    control: BetAction | None = None
    """The bet that was solved with it and discarded, in chips."""
    armed: bool = False
    """Whether an offensive branch is used, because all of the opponent's last bets were of this size."""
    hands: int = 0
    """The number of hands that were dealt to find it."""

    @property
    def game(self) -> Holdem:
        """The game of the blueprint."""
        return self.rules.game

    @property
    def rules(self) -> SituationRules:
        """The betting of the branch."""
        tree = self.strategy.tree
        assert isinstance(tree, SituationTree)
        return tree.rules

    @property
    def line(self) -> Situation:
        """The situation."""
        return self.rules.line

    @property
    def total(self) -> BetAction:
        """The bet that it answers, in chips."""
        return self.rules.bets[0]

    @cached_property
    def size(self) -> float:
        """The size as a fraction of the pot after a call."""
        return pot_share(self.rules.betting, self.rules.state, self.total)

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand after a public history of the branch."""
        return self.strategy.probabilities(line)

    def to_json(self) -> dict[str, Any]:
        """Return the bet that it answers, without the strategy, in the types of JSON."""
        return {
            "kind": self.kind,
            "line": list(self.line),
            "size": self.size,
            "total": self.total,
            "control": self.control,
            "armed": self.armed,
            "hands": self.hands,
        }


@dataclass(frozen=True, eq=False)
class BlueprintBranches:
    """All branches of a blueprint."""

    blueprint: Blueprint
    every: tuple[Branch, ...] = field(default_factory=tuple)

    def find(self, bet: Bet) -> Branch | None:
        """Return the branch that answers a bet: an armed one of its size, or the defensive one that it is close to."""
        own = [branch for branch in self.every if branch.line == bet.situation]
        for branch in own:
            if branch.kind == "offensive" and branch.armed and same_size(branch.size, bet.size):
                return branch
        near = {branch.size: branch for branch in own if branch.kind == "defensive"}
        known = [*menu_sizes(self.blueprint.game, bet.situation), *near] if near else []
        for size in known:
            if same_size(size, bet.size):
                return near.get(size)
        return near.get(next(iter(translate(bet.size, known, "midpoint")))) if near else None

    def sizes(self) -> dict[Situation, list[float]]:
        """Return the sizes that defensive branches add to the menu, by situation."""
        found: dict[Situation, list[float]] = {}
        for branch in self.every:
            if branch.kind == "defensive":
                found.setdefault(branch.line, []).append(branch.size)
        return found

    def with_more(self, more: Sequence[Branch]) -> BlueprintBranches:
        """Return all branches with new ones; a new offensive one takes the place of an older one of its situation."""
        replaced = {(branch.kind, branch.line) for branch in more if branch.kind == "offensive"}
        kept = [branch for branch in self.every if (branch.kind, branch.line) not in replaced]
        return BlueprintBranches(self.blueprint, (*kept, *more))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the branches to one file, without the blueprint, whole or not at all."""
        rows = [
            {
                "kind": branch.kind,
                "line": list(branch.line),
                "total": int(branch.total),
                "control": None if branch.control is None else int(branch.control),
                "tree": tree_digest(branch.strategy.tree),
                "armed": branch.armed,
                "hands": branch.hands,
            }
            for branch in self.every
        ]
        header = {
            "game": self.blueprint.game.name,
            "blueprint": self.blueprint.digest,
            "branches_version": VERSION,
            "branches": rows,
        }
        arrays = {f"table {number}": branch.strategy.packed().table for number, branch in enumerate(self.every)}
        write_cpz(path, KIND, header, arrays)


def load_branches(path: str | os.PathLike[str], blueprint: Blueprint) -> BlueprintBranches:
    """Read the branches of a blueprint; one sentence if the file is damaged or of another blueprint."""
    raw, arrays = read_cpz(path, KIND)
    header = BranchesHeader.read(raw, path)
    require(
        header.game == blueprint.game.name and header.blueprint == blueprint.digest,
        f"{path} has branches of another blueprint, of {header.game}",
    )
    found = []
    for number, row in enumerate(header.branches):
        try:
            tree = SituationTree(SituationRules(blueprint.game, tuple(row.line), (row.total,)))
        except (InputError, StopIteration) as error:
            raise InputError(f"{path} is damaged: branch {number + 1} cannot be built ({error})") from None
        if tree_digest(tree) != row.tree:
            raise InputError(f"{path} is of another betting tree of {header.game} than this program builds")
        sizes = {"table": layout_of(tree, blueprint.abstractions).size}
        table = _TABLES.check(path, arrays, sizes, number=number)["table {number}"]
        strategy = Blueprint(blueprint.game, blueprint.abstractions, table, tree=tree)
        found.append(Branch(row.kind, strategy, row.control, row.armed, row.hands))
    return BlueprintBranches(blueprint, tuple(found))
