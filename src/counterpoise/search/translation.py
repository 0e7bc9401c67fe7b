"""Players who follow a solution of a smaller game by action translation (Brown 2020, section 5.1, the baseline there).

Tabulated over the whole game this is an exact strategy, so that a best response computes its exploitability;
`public_belief` says how it is found for all hands at once.
"""

from __future__ import annotations

from typing import get_args

import numpy as np

from counterpoise.abstraction.translation import Translation
from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.parameters import require_choice, require_seat
from counterpoise.public import Profile, PublicGame, PublicNode, Step, build_dense
from counterpoise.search.action_translation import SizeOf, bet_size
from counterpoise.search.places import SolvedPlace, TreePlace
from counterpoise.search.public_belief import AbstractState, TranslatedPlay
from counterpoise.search.range_agents import require_same_game, tabulate_agent, walk_agent
from counterpoise.search.subgame import FloatArray
from counterpoise.tree.evaluation import AnyStrategy


class Translator:
    """A player who follows a blueprint by translation (a `RangeAgent`).

    `size_of` returns the sizes of bets in a small game; in hold'em they follow from the chips.
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

    def start(self, root: PublicNode) -> TranslatedPlay:
        """Return play at the root of the tree at the table, and of the blueprint's."""
        return self.follow(self.blueprint, root)

    def follow(self, profile: Profile, at: PublicNode) -> TranslatedPlay:
        """Return play that follows the strategies of a game whose root is where play is at the table."""
        place = SolvedPlace(profile.game.root, profile, size_of=self.size_of)
        reach = tuple([np.ones(count) for count in profile.game.hand_counts])
        states = (AbstractState(place, 1.0, reach),)
        return TranslatedPlay(TreePlace(at, size_of=self.size_of), states, self.translation, self.player)

    def strategy(self, at: PublicNode, belief: TranslatedPlay) -> FloatArray:
        """Return the mixture of what the player does at the abstract states, [action, hand]."""
        call = belief.table.bets.call
        if call not in at.actions:
            raise InputError(f"{at.game.name} has no action {call!r} (check or call) among {at.actions!r}")
        mixed = belief.mixture()
        home = belief.states[0].place.node.game
        never = np.zeros(home.hand_counts[self.player])
        rows = np.array([mixed.get(action, never) for action in at.actions])
        return at.game.from_hands_of(home, self.player, rows)

    def after(self, at: PublicNode, belief: TranslatedPlay, action: Step) -> TranslatedPlay:
        """Return play after an action at the table."""
        return belief.act(action)

    def dealt(self, belief: TranslatedPlay, to: PublicNode) -> TranslatedPlay:
        """Return play on the next board."""
        return belief.deal(to.game.last_deal(to.dealt), TreePlace(to, size_of=self.size_of))


def play_translated(
    whole: PublicGame, blueprint: Profile, player: int, translation: Translation = "pseudo-harmonic"
) -> Profile:
    """Return the strategy in `whole` of a player who follows a blueprint of a smaller game by translation."""
    require_same_game(whole, blueprint.game)
    return tabulate_agent(whole, player, Translator(blueprint, player, translation))


def translated(
    game: Game | str,
    small: Game | str,
    strategy: AnyStrategy,
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
