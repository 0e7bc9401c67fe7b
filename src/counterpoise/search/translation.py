"""Players who follow a solution of a smaller game by action translation (Brown 2020, section 5.1, the baseline there).

A `Translator` follows a solution of a smaller game through a translation. It is in that game only as a *shadow* of
where it really is. After a bet that the small game lacks its shadow has seen one of the two neighbouring bets, at
random; so there are several shadows, each with the probability of the translations that led there and, hand by hand,
with the player's own reach on its way. At a real decision a hand plays the mixture of what it plays at its shadows,
weighted by both. That is its exact strategy, whose exploitability a best response tells.

In hold'em a shadow's bet is made as the same share of the real pot, or the nearest there is; all-in stays all-in. Bets
are whole chips there: two bets are of the same share if they would be without the rounding to chips in their two pots.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, get_args

import numpy as np

from counterpoise.abstraction.translation import Translation, translate
from counterpoise.betting.rules import CALL, FOLD
from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.parameters import require_choice, require_seat
from counterpoise.public import HoldemGame, Profile, PublicGame, PublicNode, Step, build_dense
from counterpoise.public.dense import Behaviour
from counterpoise.search.action_translation import all_in, check_down, pot_after_call, pot_share
from counterpoise.search.range_agents import require_same_game, tabulate_agent, walk_agent
from counterpoise.search.subgame import FloatArray

SizeOf = Callable[[str], float | None]
"""From an action of a small game to its size: 0 for a check or call, None for a fold."""

_CALL = "c"


def bet_size(action: str) -> float | None:
    """Return the size in an action's name: 0.75 of "r0.75", 0 of "c" (check or call), nothing for "f" (fold)."""
    if action == "f":
        return None
    if action == _CALL:
        return 0.0
    try:
        return float(action.removeprefix("r"))
    except ValueError:
        raise InputError(f"action {action!r} names no size: give `size_of`, a function from actions to sizes") from None


class Shadow(NamedTuple):
    """Where the player may believe to be: a node of a smaller game, perhaps its end, and the strategies there."""

    at: PublicNode
    profile: Profile
    chance: float
    """How likely translations lead there."""
    reach: FloatArray
    """The player's own reach, by hand of the game of `at`."""
    other: FloatArray
    """The other player's."""


class Translator:
    """A player who follows a blueprint by translation (a `RangeAgent`).

    Where an answer of a shadow is not possible, or the real bet was none to it, the player calls. `size_of` says how
    large the bets of a small game are; in hold'em chips say so.
    """

    def __init__(
        self,
        blueprint: Profile,
        player: int,
        translation: Translation = "pseudo-harmonic",
        size_of: SizeOf = bet_size,
    ) -> None:
        require_seat("player", player)
        require_choice("translation", translation, get_args(Translation))
        self.blueprint, self.player, self.translation, self.size_of = blueprint, player, translation, size_of
        self.call = CALL if isinstance(blueprint.game, HoldemGame) else _CALL

    def start(self) -> list[Shadow]:
        """Return the only shadow at the beginning."""
        return [self.shadow(self.blueprint)]

    def shadow(self, profile: Profile) -> Shadow:
        """Return the certain shadow at the beginning of a game."""
        own, other = (np.ones(profile.game.hand_counts[seat]) for seat in (self.player, 1 - self.player))
        return Shadow(profile.game.root, profile, 1.0, own, other)

    def strategy(self, at: PublicNode, view: list[Shadow]) -> FloatArray:
        """Return the mixture of what the shadows do, [action, hand]."""
        if self.call not in at.actions:
            raise InputError(f"{at.game.name} has no action {self.call!r} (check or call) among {at.actions!r}")
        reach = np.sum([shadow.chance * shadow.reach for shadow in view], axis=0)
        never = ~(reach > 0)  # then believe in the translations alone
        mixed = np.zeros((len(at.actions), len(never)))
        for shadow in view:
            believed = shadow._replace(reach=np.where(never, 1.0, shadow.reach))
            for made, following in self._answers(at, believed):
                mixed[at.actions.index(made)] += shadow.chance * following.reach
        total = mixed.sum(axis=0)
        return at.game.from_hands_of(view[0].at.game, self.player, mixed / np.where(total > 0, total, 1.0))

    def after(self, at: PublicNode, view: list[Shadow], action: Step) -> list[Shadow]:
        """Return the shadows after a real action."""
        follow = self._moved if at.player == self.player else self._observe
        return [following for shadow in view for following in follow(at, shadow, action)]

    def dealt(self, view: list[Shadow], to: PublicNode) -> list[Shadow]:
        """Return the shadows on the next board, everybody having called; a hand that is over for one stays over."""
        found = []
        for shadow in view:
            end = check_down(shadow.at, lambda at: at.kind == "decision", lambda at: at.child(self.call))
            found.append(shadow._replace(at=end.deal(to.game.last_deal(to.dealt))) if end.kind == "deal" else shadow)
        return found

    def _answers(self, at: PublicNode, shadow: Shadow) -> list[tuple[Step, Shadow]]:
        """Return what the player may really do because of a shadow, and the shadow after that."""
        if shadow.at.kind != "decision" or shadow.at.player != self.player:
            return [(self.call, shadow)]
        found = []
        for (action, following), row in zip(shadow.at.children(), shadow.at.strategy(shadow.profile), strict=True):
            made = _table_action(at, shadow.at, action, self.call)
            if not isinstance(at.game, HoldemGame) and made in shadow.at.actions:
                following = shadow.at.child(made)  # where a bet is not possible the shadow calls too
            found.append((made, shadow._replace(at=following, reach=shadow.reach * row)))
        return found

    def _moved(self, at: PublicNode, shadow: Shadow, action: Step) -> list[Shadow]:
        """Return where a shadow is after the player's own action, or where it was if it would not have acted so."""
        found = [following for made, following in self._answers(at, shadow) if made == action]
        return found or [shadow._replace(reach=np.zeros_like(shadow.reach))]

    def _observe(self, at: PublicNode, shadow: Shadow, action: Step) -> list[Shadow]:
        """Return where a shadow is after an action of the opponent, translated."""
        if shadow.at.kind != "decision" or shadow.at.player == self.player:
            return [shadow]
        share = self._size(at, action)
        taken = {action: 1.0} if action in shadow.at.actions else {}
        if share is not None:
            sizes = {size: one for one in shadow.at.actions if (size := self._size(shadow.at, one)) is not None}
            nearest = min(sizes, key=lambda size: abs(size - share))
            rounding = _rounding(at) + _rounding(shadow.at)
            alike = self.call not in (action, sizes[nearest]) and abs(nearest - share) <= rounding
            likely = translate(nearest if alike else share, sizes, self.translation)
            taken = {sizes[size]: chance for size, chance in likely.items()}
        rows = dict(zip(shadow.at.actions, shadow.at.strategy(shadow.profile), strict=True))
        return [
            shadow._replace(at=shadow.at.child(one), chance=shadow.chance * likely, other=shadow.other * rows[one])
            for one, likely in taken.items()
        ] or [shadow]

    def _size(self, at: PublicNode, action: Step) -> float | None:
        if isinstance(at.game, HoldemGame):
            return None if action == FOLD else pot_share(at.game.betting, at.state, action)
        return self.size_of(action)


def play_translated(
    whole: PublicGame, blueprint: Profile, player: int, translation: Translation = "pseudo-harmonic"
) -> Profile:
    """Return what a player does everywhere in `whole` who plays a blueprint for a smaller game by translation."""
    require_same_game(whole, blueprint.game)
    return tabulate_agent(whole, player, Translator(blueprint, player, translation))


def translated(
    game: Game | str,
    small: Game | str,
    strategy: Behaviour,
    player: int,
    translation: Translation = "pseudo-harmonic",
    size_of: SizeOf = bet_size,
) -> dict[tuple[int, str], dict[str, float]]:
    """Return what `player` does at each of its infosets of `game` if it plays a strategy for `small` by translation.

    Both have the same cards, and actions of one name mean the same; only `small` lacks some of the bets.
    """
    require_seat("player", player)
    whole = build_dense(as_game(game), forced=True)
    smaller = build_dense(as_game(small), whole.deals.hands, forced=True)
    agent = Translator(smaller.profile(strategy), player, translation, size_of)
    return {
        (player, label): dict(zip(node.actions, chosen[:, hand].tolist(), strict=True))
        for node, chosen in walk_agent(whole, player, agent)
        for hand, label in whole.labels(node).items()
    }


def _table_action(at: PublicNode, shadow: PublicNode, action: Step, call: Step) -> Step:
    """Return the real action that a shadow's stands for.

    In hold'em all-in is all-in, and every other bet the one of the nearest share of the pot.
    """
    if not isinstance(at.game, HoldemGame) or not isinstance(shadow.game, HoldemGame):
        return action if action in at.actions else call
    bets = [bet for bet in at.actions if bet > CALL]
    if action <= CALL or not bets:
        return action if action in at.actions else CALL
    largest = all_in(at.game.betting, at.state)
    if action == all_in(shadow.game.betting, shadow.state) and largest in bets:
        return largest
    share, betting = pot_share(shadow.game.betting, shadow.state, action), at.game.betting
    return min(bets, key=lambda bet: abs(pot_share(betting, at.state, bet) - share))


def _rounding(at: PublicNode) -> float:
    """Return how much half a chip is of the pot; nothing where bets are not chips."""
    return 0.5 / pot_after_call(at.game.betting, at.state) if isinstance(at.game, HoldemGame) else 0.0
