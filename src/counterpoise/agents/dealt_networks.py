"""Networks for hold'em that is dealt, not enumerated, as a strategy: they are asked hand by hand, no table is written.

With a mixture, the result of Single Deep CFR, a player draws one network for a whole hand and plays by it to the end.
Its play then depends on the draw, so that it cannot say what it would do with other hands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards.deck import parse_cards
from counterpoise.deep.dealt import DealtHoldem
from counterpoise.deep.playing import MIXED, mixture_of, policy_of
from counterpoise.errors import InputError
from counterpoise.games.base import Action
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.games.registry import load_saved_game
from counterpoise.names import parse

if TYPE_CHECKING:
    from counterpoise.deep.files import Trained
    from counterpoise.deep.sampled_game import Policy

MOST_KEPT = 256
"""Public histories whose tables of all hands are kept."""


class DealtNetworks:
    """What the networks of a file play in a game of hold'em."""

    def __init__(self, trained: Trained, file: str = "") -> None:
        if parse(trained.method)[0] == "rebel":
            raise InputError(f"{file} holds a network of rebel, which plays by search: let it play as rebel:{file}")
        rules = load_saved_game(file, trained.game)
        if not isinstance(rules, Holdem):
            raise InputError(f"{file} holds networks without the strategy that they play in {trained.game}")
        self.trained, self.game = trained, trained.game
        self.dealt = DealtHoldem(rules)
        self._file = file
        self._policy = policy_of(trained, self.dealt)
        self._mixture = mixture_of(trained, self.dealt) if MIXED in trained.made else None
        self._all_hands = lru_cache(maxsize=MOST_KEPT)(self._find_all_hands)

    def __reduce__(self) -> Any:
        return type(self), (self.trained, self._file)

    @property
    def drawn(self) -> bool:
        """Whether one of several networks is drawn for each hand."""
        return self._mixture is not None

    @property
    def digest(self) -> str:
        """The SHA-256 of all weights."""
        weights = b"".join(network.flat().tobytes() for network in self.trained.networks.values())
        return hashlib.sha256(weights).hexdigest()

    def draw(self, seed: int) -> Policy:
        """Return the policy of the next hand, in which each player of a mixture has drawn a network."""
        mixture, random = self._mixture, np.random.default_rng(seed)
        if mixture is None:
            return self._policy
        drawn = [mixture.draw(player, random) for player in (0, 1)]
        return lambda player, keys: mixture.policy_of(drawn[player], keys)

    def knows(self, public: tuple[str, ...]) -> bool:
        """Return whether all bets of a public history are in the betting tree."""
        return self.dealt.tree.knows(public)

    def of_hand(self, policy: Policy | None, seat: int, public: tuple[str, ...], hand: str) -> Mapping[Action, float]:
        """Return what the networks, or a policy that was drawn, do with a hand after a public history."""
        cards = np.array([parse_cards(hand)], dtype=np.uint8)
        labels, rows = self._ask(policy or self._policy, seat, public, cards)
        return dict(zip(labels, rows[0].tolist(), strict=True))

    def of_all_hands(self, seat: int, public: tuple[str, ...]) -> Behaviour:
        """Return the strategy of the networks with every hand of the deck after a public history; None for a
        mixture."""
        if self.drawn:
            raise InputError("a mixture draws a network for each hand, so that other hands would be played by others")
        return self._all_hands(seat, public)

    def _find_all_hands(self, seat: int, public: tuple[str, ...]) -> Behaviour:
        deck = self.dealt.deck
        labels, rows = self._ask(self._policy, seat, public, deck.hands)
        live = deck.live_hands(public_cards(public))
        return Behaviour(deck.hand_names, labels, np.where(live[:, None], rows, 0.0))

    def _ask(
        self, policy: Policy, seat: int, public: tuple[str, ...], hands: NDArray[np.uint8]
    ) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
        """Return the actions after a public history, and their probabilities [hand, action]."""
        dealt = self.dealt
        node = dealt.tree.node_after(public)
        if dealt.tree.arrays.player[node] != seat:
            raise InputError(f"seat {seat} of {self.game} is not to act after {':'.join(public) or 'the deal'}")
        keys = dealt.keys_of(hands, public_cards(public), node)
        rows = np.asarray(policy(seat, keys), dtype=np.float64)[:, dealt.legal(keys[:1])[0]]
        return dealt.tree.labels(node), rows / rows.sum(axis=1, keepdims=True)
