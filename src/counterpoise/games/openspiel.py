"""OpenSpiel's games as games of this package, and strategies as OpenSpiel policies.

1. A game is named as OpenSpiel names it, ``goofspiel(num_cards=4,imp_info=True)``; simultaneous moves become
   turns in which the later players do not see what the earlier ones chose.
2. A state wraps one `pyspiel.State`, which is never changed: `next` asks it for a child.
3. Information sets are OpenSpiel's information state strings. A game of perfect information that has none
   gets its histories instead.
4. Actions are OpenSpiel's own strings, with the action id behind them where a string occurs twice in a state.
5. What is seen is known where OpenSpiel says it: in sequential games of perfect information everybody sees every
   action and chance outcome, and some others (Kuhn, Leduc) have observers of what is public and what is private.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, ObservedRules, make_distinct
from counterpoise.games.registry import OPENSPIEL_PREFIX
from counterpoise.names import suggest
from counterpoise.parameters import shown


def from_openspiel(game: Any) -> OpenSpielGame:
    """Return the game that OpenSpiel loads from a string, or a `pyspiel.Game` that you have loaded yourself.

    Payoffs are OpenSpiel's returns, in OpenSpiel's unit. Refused are games whose chance OpenSpiel only samples,
    mean-field games, and games of hidden or simultaneous moves without information states.

    >>> from_openspiel("kuhn_poker(players=3)").name
    'openspiel:kuhn_poker(players=3)'
    """
    pyspiel = _import("pyspiel")
    if isinstance(game, pyspiel.Game):
        return _adapted(game, str(game))
    if not isinstance(game, str):
        raise InputError(f"from_openspiel takes the name of a game or a pyspiel.Game, not {shown(game)}")
    text = re.sub(r"\s*([(),=])\s*", r"\1", game.strip().removeprefix(OPENSPIEL_PREFIX))
    loaded = _load(pyspiel, text)
    reloadable = loaded.get_type().short_name in pyspiel.registered_names()
    adapted = _adapted(loaded, str(loaded) if reloadable else text)
    if "filename" not in loaded.get_parameters():
        adapted._source = None  # the name says everything
    return adapted


def to_openspiel_policy(game: OpenSpielGame | str, probabilities: Mapping[tuple[int, str], Mapping[str, float]]) -> Any:
    """Return the `pyspiel.TabularPolicy` that plays `probabilities[player, infoset][action]` in `game.spiel`.

    The game may be given by its name, ``openspiel:NAME``. An action that is left out gets probability 0; an information
    set that is left out is not in the policy. For a game of simultaneous moves the policy is one of its turn-based
    form, which is what `game.spiel` is.
    """
    if isinstance(game, str):
        if not game.startswith(OPENSPIEL_PREFIX):
            raise InputError(f"{game} is not a game from OpenSpiel: load it as {OPENSPIEL_PREFIX}NAME")
        game = from_openspiel(game)
    if not game.has_information_states:
        raise InputError(f"{game.name} has no information states in OpenSpiel, so it can have no policy there")
    table: dict[str, list[tuple[int, float]]] = {}
    wanted = dict(probabilities)
    for (player, infoset), ids in _action_ids(game):
        if not wanted:
            break
        chosen = wanted.pop((player, infoset), None)
        if chosen is None:
            continue
        unknown = [action for action in chosen if action not in ids]
        if unknown:
            raise InputError(
                f"infoset {infoset!r} of {game.name} has no action {unknown[0]!r}: {suggest(unknown[0], ids)}"
            )
        row = [(number, float(chosen.get(action, 0.0))) for action, number in ids.items()]
        if table.setdefault(infoset, row) != row:
            raise InputError(
                f"two players of {game.name} share the infoset {infoset!r}, "
                "so one OpenSpiel policy cannot hold both strategies"
            )
    if wanted:
        player, infoset = next(iter(wanted))
        raise InputError(f"{game.name} has no infoset {infoset!r} of player {player}")
    return _import("pyspiel").TabularPolicy(table)


class OpenSpielState:
    """One `pyspiel.State` and the step that led to it, with its actions translated when they are first asked for."""

    __slots__ = ("_ids", "before", "public", "spiel", "step")

    def __init__(self, spiel: Any, before: OpenSpielState | None = None, step: str = "") -> None:
        self.spiel, self.before, self.step = spiel, before, step
        self._ids: dict[str, int] | None = None
        self.public: tuple[str, ...] | None = None  # unknown until it is asked for

    @property
    def ids(self) -> dict[str, int]:
        """OpenSpiel's action id of every action label (or chance outcome) of this state."""
        if self._ids is None:
            player = self.spiel.current_player()
            if player == CHANCE:
                # Not legal_actions(), which some games leave empty at their chance nodes.
                numbers = [number for number, _ in self.spiel.chance_outcomes()]
            else:
                numbers = self.spiel.legal_actions()
            names = [self.spiel.action_to_string(player, number) for number in numbers]
            self._ids = dict(zip(make_distinct(names, numbers, "{} ({})", "'"), numbers, strict=True))
        return self._ids

    def __str__(self) -> str:
        return str(self.spiel)


class OpenSpielGame:
    """Adapter from a `pyspiel.Game` to the rules of this package; made by `from_openspiel`."""

    def __init__(self, game: Any, text: str) -> None:
        pyspiel = _import("pyspiel")
        kind = game.get_type()
        if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
            raise InputError(f"{text} is a mean-field game, which has no finite game tree of its own")
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise InputError(f"{text} only samples its chance outcomes, but a game tree needs their probabilities")
        sequential = kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        perfect = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        self.has_information_states = bool(kind.provides_information_state_string)
        if not self.has_information_states and not (sequential and perfect):
            raise InputError(
                f"{text} has no information states in OpenSpiel (no information_state_string), "
                "so its information sets are undefined"
            )
        self.spiel = game if sequential else pyspiel.convert_to_turn_based(game)
        self.players = int(game.num_players())
        self.name = OPENSPIEL_PREFIX + text.removesuffix("()")
        self._source: Any = game

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        """Compare names, and the `pyspiel.Game` if it was not loaded by name: all matrix games have one name."""
        return isinstance(other, OpenSpielGame) and self.name == other.name and self._source is other._source

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"from_openspiel({self.name.removeprefix(OPENSPIEL_PREFIX)!r})"

    def initial(self) -> OpenSpielState:
        return OpenSpielState(self.spiel.new_initial_state())

    def player(self, state: OpenSpielState) -> int:
        seat = int(state.spiel.current_player())
        return seat if seat >= CHANCE else TERMINAL

    def actions(self, state: OpenSpielState) -> Sequence[str]:
        """Return OpenSpiel's strings of the legal actions, in the order of their ids."""
        return tuple(state.ids)

    def chance(self, state: OpenSpielState) -> Sequence[tuple[str, float]]:
        """Return OpenSpiel's strings of the chance outcomes, with their probabilities."""
        probability = dict(state.spiel.chance_outcomes())
        return [(label, probability[number]) for label, number in state.ids.items()]

    def next(self, state: OpenSpielState, action: str) -> OpenSpielState:
        """Return a new state; the given one stays as it is."""
        return OpenSpielState(state.spiel.child(state.ids[action]), state, action)

    def infoset(self, state: OpenSpielState) -> str:
        """Return the information state string of the acting player (the history if the game has none)."""
        if self.has_information_states:
            return str(state.spiel.information_state_string())
        return str(state.spiel.history_str())

    def payoffs(self, state: OpenSpielState) -> Sequence[float]:
        """Return OpenSpiel's returns: everything received from the root on."""
        return tuple(state.spiel.returns())


class ObservedOpenSpielGame(OpenSpielGame, ObservedRules):
    """A game of which OpenSpiel says what is public and what is private; made by `from_openspiel`.

    Without observers every action and chance outcome is public and nothing is private.
    """

    observers: tuple[Any, Any] | None = None
    __hash__ = OpenSpielGame.__hash__  # a class of its own says when two games are equal

    def public(self, state: OpenSpielState) -> tuple[str, ...]:
        """Return steps from the root, or what OpenSpiel's public observer has said after each step that changed it."""
        unknown = [state]
        while unknown[-1].public is None and unknown[-1].before is not None:
            unknown.append(unknown[-1].before)
        for each in reversed(unknown):
            if each.public is None:
                each.public = self._events(each)
        return state.public or ()

    def private(self, state: OpenSpielState, seat: int) -> str:
        """Return what OpenSpiel's private observer says."""
        return self.observers[1].string_from(state.spiel, seat) if self.observers else ""

    def _events(self, state: OpenSpielState) -> tuple[str, ...]:
        before = (state.before.public or ()) if state.before is not None else ()
        event = self.observers[0].string_from(state.spiel, 0) if self.observers else state.step
        return before if event == (before[-1] if before and self.observers else "") else (*before, event)


def _adapted(game: Any, text: str) -> OpenSpielGame:
    """Return the adapter of a game, observed if OpenSpiel says what is seen."""
    pyspiel, kind = _import("pyspiel"), game.get_type()
    adapted = OpenSpielGame(game, text)
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        return adapted
    if kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        return ObservedOpenSpielGame(game, text)
    observation = _import("open_spiel.python.observation")
    seen = []
    for public, private in (
        (True, pyspiel.PrivateInfoType.NONE),
        (False, pyspiel.PrivateInfoType.SINGLE_PLAYER),
    ):
        what = pyspiel.IIGObservationType(public_info=public, perfect_recall=True, private_info=private)
        try:
            with _silenced_stderr():
                observer = observation.make_observation(game, what)
                observer.string_from(game.new_initial_state(), 0)
        except Exception:  # OpenSpiel has no way to ask whether a game has this observer
            return adapted
        seen.append(observer)
    observed = ObservedOpenSpielGame(game, text)
    observed.observers = (seen[0], seen[1])
    return observed


def _action_ids(game: OpenSpielGame) -> Iterator[tuple[tuple[int, str], Mapping[str, int]]]:
    """Yield every information set of the game once, with the action ids of its labels."""
    seen = set()
    stack = [game.initial()]
    while stack:
        state = stack.pop()
        player = game.player(state)
        if player == TERMINAL:
            continue
        if player >= 0:
            key = (player, game.infoset(state))
            if key not in seen:
                seen.add(key)
                yield key, state.ids
        stack.extend(game.next(state, action) for action in reversed(state.ids))


def _load(pyspiel: Any, text: str) -> Any:
    name = text.partition("(")[0]
    if name.startswith("python_"):
        importlib.import_module("open_spiel.python.games")  # registers the games that are written in Python
    known = pyspiel.registered_names()
    if name not in known:
        raise InputError(f"unknown OpenSpiel game {shown(name)}: {suggest(name, known)}")
    # OpenSpiel ignores whatever follows the closing bracket.
    if text != name and not text.endswith(")"):
        raise InputError(f"{shown(text)} cannot be read: write name(key=value,...)")
    try:
        with _silenced_stderr():
            return pyspiel.load_game(text)
    except Exception as error:
        raise InputError(f"OpenSpiel cannot load {shown(text)}: {_one_sentence(str(error))}") from None


def _one_sentence(message: str) -> str:
    """Return what OpenSpiel's C++ says about a wrong parameter, without file names and line breaks."""
    unknown = re.match(r"Unknown parameter '(.*?)\)*'\. Available parameters are:(.*)", message)
    if unknown:
        allowed = [name.strip() for name in unknown[2].split(",") if name.strip()]
        if unknown[1] in allowed:
            return f"parameter {shown(unknown[1])} has no value"
        hint = suggest(unknown[1], allowed) if allowed else "the game takes no parameters"
        return f"unknown parameter {shown(unknown[1])}: {hint}"
    wrong_type = re.match(r"Wrong type for parameter (\w+)\. Expected type: k(\w+), got k\w+ with (.*)", message)
    if wrong_type:
        return f"parameter {wrong_type[1]!r} must be of type {wrong_type[2].lower()}, not {wrong_type[3]}"
    condition, *values = re.sub(r"^\S+\.(cc|h):\d+ ", "", message.strip()).splitlines() or ["no reason given"]
    detail = " ".join(" ".join(values).split())
    if detail or condition.startswith("CHECK_"):
        return f"{condition} does not hold" + (f" ({detail})" if detail else "")
    return condition.rstrip(".").replace(". ", "; ")


@contextlib.contextmanager
def _silenced_stderr() -> Iterator[None]:
    """Silence OpenSpiel's C++, which prints an error before it raises it: the caller says it in one sentence."""
    try:
        saved = os.dup(2)
    except OSError:
        yield
        return
    try:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def _import(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError('OpenSpiel is not installed: this needs `pip install "counterpoise[openspiel]"`') from None
