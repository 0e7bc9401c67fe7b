"""An agent that follows a saved strategy, by translation where the table has seen bets that it does not know.

The strategy is a table of all information sets or, in hold'em that is dealt, the networks that were trained for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, get_args

from counterpoise.abstraction.translation import Translation
from counterpoise.agents.base import KnownAgent, agent
from counterpoise.agents.table_games import same_but_for_bets
from counterpoise.errors import InputError
from counterpoise.games import Game, load
from counterpoise.games.base import Action, Observation, game_name
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour
from counterpoise.names import suggest
from counterpoise.parameters import require_choice
from counterpoise.search.hand_translation import HandTranslator
from counterpoise.store.cpz import read_header
from counterpoise.tree.strategy import Strategy, load_strategy

if TYPE_CHECKING:
    from counterpoise.agents.base import FloatArray
    from counterpoise.agents.dealt_networks import DealtNetworks
    from counterpoise.deep.sampled_game import Policy
    from counterpoise.tree import Tree


@agent("strategy")
@dataclass
class StrategyAgent(KnownAgent):
    """Follows the strategy in a .cpz file that `solve` or `train` has saved for the same game: strategy:FILE.

    In hold'em the table may allow other bets than the strategy knows. A bet that it does not know is translated to one
    or both of its neighbours, by `translation`.
    """

    file: str = ""
    """The file with the strategy, the run, or the networks of a method such as deep-cfr or nfsp."""
    translation: Translation = "pseudo-harmonic"
    """How a bet between two known ones is translated: by the pseudo-harmonic mapping, by its midpoint, or to the
    nearest."""
    member: str = ""
    """The member to follow if the file holds a portfolio."""

    def __post_init__(self) -> None:
        require_choice("strategy: translation", self.translation, get_args(Translation))
        if not self.file:
            raise InputError("strategy: name its file after a colon, as in strategy:leduc.cpz")
        self.strategy: Strategy | DealtNetworks
        self.strategy = _member_of(self.file, self.member) if self.member else _read(self.file)
        self.switches = not isinstance(self.strategy, Strategy) and self.strategy.drawn
        self._translator: HandTranslator | None = None
        self._policy: Policy | None = None

    @classmethod
    def of(cls, strategy: Strategy, file: str = "", member: str = "") -> Self:
        """Return an agent that follows a strategy in memory."""
        own = cls.__new__(cls)
        own.file, own.member, own.translation = file, member, "pseudo-harmonic"
        own.strategy, own._translator, own._policy = strategy, None, None
        return own

    @property
    def name(self) -> str:
        """The name from which `make_agent` makes this agent again."""
        usual = {"translation": "pseudo-harmonic", "member": ""}
        changed = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        brackets = ", ".join(f"{name}={value!r}" for name, value in changed.items())
        return (f"strategy:{self.file}" if self.file else "strategy") + (f"({brackets})" if brackets else "")

    @property
    def home(self) -> str:
        """The name of the game that it was made for."""
        return self.strategy.game

    @property
    def table_game(self) -> str:
        """The name of the game whose information sets it has in a table, "" if networks play."""
        return self.strategy.game if isinstance(self.strategy, Strategy) else ""

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of the probabilities, or of the weights of networks."""
        return f"{self.name}@{_digest(self.strategy)[:12]}"

    def prepare(self) -> None:
        """Refuse a game that the strategy is not for; only the bets of hold'em may differ."""
        name = game_name(self.game)
        if name == self.strategy.game:
            home: Game = self.game
        else:
            home = load(self.strategy.game) if isinstance(self.game, Holdem) else self.game
            if not isinstance(self.game, Holdem) or not same_but_for_bets(self.game, home):
                raise InputError(f"{self} is for {self.strategy.game}, not for {name}")
        if isinstance(home, Holdem) and isinstance(self.game, Holdem):
            self._translator = HandTranslator(home, self.game, self._answers, self.seat, self.translation)

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        if isinstance(self.strategy, Strategy):
            if self.strategy.table.candidates((self.seat, observation.infoset)):
                return self.strategy[self.seat, observation.infoset]
        else:
            self._draw(self.strategy, observation.public)
            if self.strategy.knows(observation.public):
                return self.strategy.of_hand(self._policy, self.seat, observation.public, observation.private)
        if self._translator is None:
            raise InputError(f"{self} has no information set {observation.infoset!r}")
        return self._translator.mixture(observation.public, observation.private)

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        networks = self.strategy
        if isinstance(networks, Strategy):
            return super().probabilities(public)
        if networks.drawn:
            raise InputError(f"{self} draws a network for each hand: it does not say what it would do with other hands")
        return networks.of_all_hands(self.seat, public) if networks.knows(public) else super().probabilities(public)

    def _draw(self, networks: DealtNetworks, public: tuple[str, ...]) -> None:
        """Draw the network of a hand before its first decision, if there are several."""
        assert isinstance(self.game, Holdem)
        if networks.drawn and (self._policy is None or not self._has_acted(self.game, public)):
            self._policy = networks.draw(self.random.getrandbits(64))
            self.prepare()  # the translator remembers what another network has played

    def _has_acted(self, game: Holdem, public: tuple[str, ...]) -> bool:
        betting = game.betting_after(())
        for event in public:
            if betting.to_act == self.seat:
                return True
            betting = game.betting_next(betting, event)
        return False

    def _answers(self, line: tuple[str, ...], hand: str) -> Mapping[Action, float]:
        if isinstance(self.strategy, Strategy):
            return self.strategy[self.seat, f"{hand}:{':'.join(line)}"]
        if self._policy is None:
            return self.strategy.of_all_hands(self.seat, line).of_hand(hand)
        return self.strategy.of_hand(self._policy, self.seat, line, hand)

    def tabulate(self, tree: Tree) -> FloatArray | None:
        """Return its strategy for all seats if it is a table for this game."""
        if not isinstance(self.strategy, Strategy):
            return None
        if self.strategy.game != tree.name or not self.strategy.table.same_as(tree.table):
            return None
        return self.strategy.probabilities


def _read(file: str) -> Strategy | DealtNetworks:
    """Return the strategy of a file, or its networks if they are for hold'em that is dealt."""
    if read_header(file).get("kind") != "networks":
        return load_strategy(file)
    from counterpoise.agents.dealt_networks import DealtNetworks
    from counterpoise.deep.files import load_networks

    trained = load_networks(file)
    return DealtNetworks(trained, file) if trained.strategy is None else trained.strategy


def _digest(strategy: Strategy | DealtNetworks) -> str:
    if isinstance(strategy, Strategy):
        return hashlib.sha256(strategy.probabilities.tobytes()).hexdigest()
    return strategy.digest


def _member_of(file: str, name: str) -> Strategy:
    """Return the strategy of a member of a portfolio."""
    from counterpoise.exploit.enumerated.portfolio import load_portfolio

    members = {member.name: member.strategy for member in load_portfolio(file).members}
    if name not in members:
        raise InputError(f"strategy: member must be one of {file}, not {name!r}: {suggest(name, members)}")
    return members[name]
