"""Action translation: which bet of an abstraction stands for one that it does not have (BROWN 5.1, the baseline there).

Sizes are fractions of the pot. A bet x between the neighbouring sizes A < B of the abstraction is taken

- `pseudo-harmonic`: for A with probability f(x) = (B - x)(1 + A) / ((B - A)(1 + x)), else for B;
- `midpoint`: for A if x is below (A + B + 2AB) / (A + B + 2), where f is 1/2, else for B;
- `nearest`: for whichever is nearer.

Size 0, a check or a call, is below all bets; above the largest size everything is the largest.

`translated` makes the exact strategy of a player who follows a solution of the small game through a translation. It
keeps *shadows*: the places in the small game where it may believe to be, each with the probability of the translations
that lead there and with the player's own reach. At a real decision it plays the mixture of what its shadows play, and
a shadow's bet is made as the same fraction of the real pot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, as_game, game_name
from counterpoise.parameters import is_amount, require_seat

Translation = Literal["pseudo-harmonic", "midpoint", "nearest"]
SizeOf = Callable[[str], float | None]
Behaviour = dict[tuple[int, str], dict[str, float]]
"""{(player, infoset): {action: probability}}."""

_CALL = "c"


def translate(size: float, sizes: Iterable[float], translation: Translation = "pseudo-harmonic") -> dict[float, float]:
    """The sizes of an abstraction that a bet stands for, with their probabilities; size 0 is a check or a call.

    >>> translate(0.75, [0.5, 1])
    {0.5: 0.42857142857142855, 1: 0.5714285714285714}
    >>> translate(0.75, [0.5, 1], "midpoint"), translate(3, [0.5, 1])
    ({1: 1.0}, {1: 1.0})
    """
    _require_translation(translation)
    sizes = tuple(sizes)
    if not is_amount(size) or not all(is_amount(one) for one in sizes):
        raise InputError(f"sizes must be finite fractions of the pot of at least 0, not {size!r} among {sizes!r}")
    known = sorted({0.0, *sizes})
    below, above = [one for one in known if one <= size], [one for one in known if one > size]
    if not above or below[-1] == size:
        return {below[-1]: 1.0}
    low, high = below[-1], above[0]
    if translation == "pseudo-harmonic":
        share = share_of_smaller(size, low, high)
        return {low: share, high: 1 - share}
    threshold = midpoint(low, high) if translation == "midpoint" else (low + high) / 2
    return {low if size < threshold else high: 1.0}


def share_of_smaller(size: float, low: float, high: float) -> float:
    """f of the pseudo-harmonic mapping: how often a bet between two sizes is taken for the smaller one."""
    if not (all(is_amount(one) for one in (size, low, high)) and low < high and low <= size <= high):
        raise InputError(f"size must be a fraction of the pot between {low!r} and a larger {high!r}, not {size!r}")
    return (high - size) * (1 + low) / ((high - low) * (1 + size))


def midpoint(low: float, high: float) -> float:
    """The bet that the pseudo-harmonic mapping takes for either size equally often.

    >>> midpoint(0, 1), round(midpoint(1 / 3, 1), 12)
    (0.3333333333333333, 0.6)
    """
    if not (is_amount(low) and is_amount(high)):
        raise InputError(f"sizes must be finite fractions of the pot of at least 0, not {low!r} and {high!r}")
    return (low + high + 2 * low * high) / (low + high + 2)


def bet_size(action: str) -> float | None:
    """The size in an action's name: 0.75 of "r0.75", 0 of "c" (check or call), nothing for "f" (fold)."""
    if action == "f":
        return None
    if action == _CALL:
        return 0.0
    try:
        return float(action.removeprefix("r"))
    except ValueError:
        raise InputError(f"action {action!r} names no size: give `size_of`, a function from actions to sizes") from None


class Shadow(NamedTuple):
    """A state of the small game, how likely translations lead there, and own reach of the player and of the other."""

    state: Any
    chance: float = 1.0
    reach: float = 1.0
    other: float = 1.0


def translated(
    game: Game | str,
    small: Game | str,
    strategy: Mapping[Any, Mapping[str, float]],
    player: int,
    translation: Translation = "pseudo-harmonic",
    size_of: SizeOf = bet_size,
) -> Behaviour:
    """What `player` does at each of its infosets of `game` if it plays a strategy for `small` by translation.

    Both have the same cards, and actions of one name mean the same; only `small` lacks some of the bets. Where the
    shadows' answer is not possible, or the real bet was none to them, the player calls.
    """
    translator = Translator(as_game(game), as_game(small), strategy, player, translation, size_of)
    translator.visit(translator.game.initial(), [Shadow(translator.small.initial())])
    return translator.found


class Translator:
    """A player at work who follows a strategy for the small game by translation."""

    def __init__(
        self,
        game: Game,
        small: Game,
        strategy: Mapping[Any, Mapping[str, float]],
        player: int,
        translation: Translation = "pseudo-harmonic",
        size_of: SizeOf = bet_size,
    ) -> None:
        require_seat("player", player, game.players)
        _require_translation(translation)
        self.game, self.small, self.strategy, self.player = game, small, strategy, player
        self.translation, self.size_of = translation, size_of
        self.found: Behaviour = {}

    def visit(self, state: Any, shadows: list[Shadow]) -> None:
        """Everything below a state of the game."""
        actor = self.game.player(state)
        if actor == TERMINAL:
            return
        if actor == CHANCE:
            waiting = [self._up_to_chance(shadow) for shadow in shadows]
            for outcome, _ in self.game.chance(state):
                self.visit(self.game.next(state, outcome), [self._dealt(shadow, outcome) for shadow in waiting])
            return
        actions = self.game.actions(state)
        if actor == self.player:
            self.found[actor, self.game.infoset(state)] = self._mixture(shadows, tuple(actions))
        for action in actions:
            self.visit(self.game.next(state, action), self._after(state, shadows, action))

    def follow(self, state: Any, shadow: Any, history: Iterable[str]) -> list[Shadow]:
        """The shadows after a real public history, for states of both games after the same private deal; none if the
        deal rules the history out."""
        shadows = [Shadow(shadow)]
        for step in history:
            if self.game.player(state) == CHANCE:
                if not dict(self.game.chance(state)).get(step, 0.0) > 0:
                    return []
                shadows = [self._dealt(self._up_to_chance(one), step) for one in shadows]
            else:
                shadows = self._after(state, shadows, step)
            state = self.game.next(state, step)
        return shadows

    def _after(self, state: Any, shadows: list[Shadow], action: str) -> list[Shadow]:
        """The shadows after a real action."""
        if self.game.player(state) != self.player:
            return [after for shadow in shadows for after in self._heard(shadow, action)]
        actions = tuple(self.game.actions(state))
        return [
            self._moved(shadow, action)._replace(reach=shadow.reach * self._answer(shadow, actions)[action])
            for shadow in shadows
        ]

    def _mixture(self, shadows: list[Shadow], actions: tuple[str, ...]) -> dict[str, float]:
        """What the player does, its shadows weighted by how it got to them."""
        weights = [shadow.chance * shadow.reach for shadow in shadows]
        if not sum(weights) > 0:  # the player never comes here: believe in the translations alone
            weights = [shadow.chance for shadow in shadows]
        answers = [self._answer(shadow, actions) for shadow in shadows]
        return {
            action: sum(weight * answer[action] for weight, answer in zip(weights, answers, strict=True)) / sum(weights)
            for action in actions
        }

    def _answer(self, shadow: Shadow, actions: tuple[str, ...]) -> dict[str, float]:
        """What the player does in reality when its shadow is there."""
        if _CALL not in actions:
            raise InputError(f"{game_name(self.game)} has no action {_CALL!r} (check or call) among {actions!r}")
        answer = dict.fromkeys(actions, 0.0)
        if self.small.player(shadow.state) != self.player:
            answer[_CALL] = 1.0
            return answer
        for action, probability in self.strategy[self.player, self.small.infoset(shadow.state)].items():
            answer[action if action in answer else _CALL] += probability
        return answer

    def _heard(self, shadow: Shadow, action: str) -> list[Shadow]:
        """Where the shadow is after an action of somebody else, translated if the small game lacks it."""
        if self.small.player(shadow.state) < 0:
            return [shadow]
        possible = self.small.actions(shadow.state)
        size = self.size_of(action)
        taken_for = {action: 1.0}
        if action not in possible and size is not None:
            by_size = {one: name for name in possible if (one := self.size_of(name)) is not None}
            likely = translate(size, by_size, self.translation)
            taken_for = {by_size[one]: probability for one, probability in likely.items()}
        own = self.strategy[self.small.player(shadow.state), self.small.infoset(shadow.state)]
        return [
            self._moved(shadow, name)._replace(
                chance=shadow.chance * probability, other=shadow.other * own.get(name, 1.0)
            )
            for name, probability in taken_for.items()
        ]

    def _moved(self, shadow: Shadow, action: str) -> Shadow:
        """The shadow after an action, or where it was if the action is not possible there."""
        if self.small.player(shadow.state) < 0 or action not in self.small.actions(shadow.state):
            return shadow
        return shadow._replace(state=self.small.next(shadow.state, action))

    def _up_to_chance(self, shadow: Shadow) -> Shadow:
        """The shadow at the next chance event, everybody calling."""
        while self.small.player(shadow.state) >= 0:
            shadow = shadow._replace(state=self.small.next(shadow.state, _CALL))
        return shadow

    def _dealt(self, shadow: Shadow, outcome: str) -> Shadow:
        if self.small.player(shadow.state) == TERMINAL:
            return shadow
        return shadow._replace(state=self.small.next(shadow.state, outcome))


def _require_translation(translation: str) -> None:
    if translation not in get_args(Translation):
        raise InputError(f"translation must be pseudo-harmonic, midpoint or nearest, not {translation!r}")
