"""The settings of blueprint training, their defaults and the reasons for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.betting.tilt import NO_TILT, PayoffTilt
from counterpoise.games.holdem import Holdem, NoLimitHoldem
from counterpoise.parameters import require, require_choice, require_number, require_whole
from counterpoise.sampling.external import SkippedActions
from counterpoise.sampling.tables import TableLayout

Method = Literal["external", "vector", "clusters", "cfr-br"]
Discount = Literal["linear", "none"]
TRUNK = 2
ENTRIES_PER_HAND = 2000
"""A block of linear discount has at least one hand for this many entries, so that discounting takes about 1 % of the
time."""
TWO_SEATS, MORE_SEATS = ("50%", "100%", "allin"), ("100%", "allin")
"""Bet sizes of the menu that no-limit games are trained with unless they name their own."""
MOST_BETS = {3: (3, 2, 2, 2), 4: (3, 1, 1, 1)}
"""Bets per round that tables of three and of more seats are trained with unless the game names its own."""
BUCKETS: tuple[int | str, ...] = (169, "50x4", "50x4", 200)
"""Percentiles of E[HS^2], on flop and turn cut again by E[HS], of the default abstraction for 52 cards."""


@dataclass(frozen=True, kw_only=True)
class TrainSettings:
    """The settings that determine the result of a training, beside game, abstraction and the number of iterations."""

    method: Method = "external"
    """External sampling (any number of seats; an iteration is a hand), vectors of hands (two seats; a board), or
    vectors of hands by public clusters of flops (two seats; a board of every cluster, for one seat), or CFR against a
    best responder without buckets (two seats; a board that ends the trunk, for each seat)."""
    discount: Discount = "linear"
    """Multiply regrets and averages by n/(n+1) after block n (Linear MCCFR), or never."""
    period: int | None = None
    """Iterations of a block; by default one board, or as many hands as take a hundred times as long as discounting."""
    skipping: SkippedActions = field(default_factory=SkippedActions)
    """Which own actions external sampling leaves out."""
    trunk: int = TRUNK
    """CFR-BR: the rounds in which the responder learns, at most all but the last; it answers exactly after them. Two
    are best in limit hold'em (Johanson 2016, section 4.4)."""
    batch: int | None = None
    """Hands that are walked before the tables change; by default 1 in small games, up to 500 in large ones."""
    seed: int = 0
    tilt: PayoffTilt = NO_TILT
    """The percentages by which payoffs grow while regrets are trained (Johanson 2016, section 2.6); figures are those
    of the true game.
    """

    def __post_init__(self) -> None:
        require_choice("method", self.method, get_args(Method))
        require_choice("discount", self.discount, get_args(Discount))
        require_whole("seed", self.seed, 0, 2**63 - 1)
        for name, percent in zip(PayoffTilt._fields, self.tilt, strict=True):
            require_number(f"tilt: {name}", percent, -100, 1000)
        for name in ("period", "batch"):
            if getattr(self, name) is not None:
                require_whole(name, getattr(self, name), 1, 10**12)
        if self.method != "external":
            require(
                self.skipping.kind == "none" or self.method == "clusters",
                "skipping is for method external or clusters: vectors of hands go through all actions",
            )
            require(
                self.skipping.kind != "hand" and not self.skipping.weighted,
                "method clusters skips actions by their regret, unweighted",
            )
            require(self.batch is None, "batch is for method external: vectors of hands go board by board")
        require_whole("trunk", self.trunk, 1, 3)
        if self.method != "cfr-br":
            require(self.trunk == TRUNK, "trunk is for method cfr-br: others have no responder")
        else:
            require(
                self.tilt == NO_TILT, "tilt must be left out with method cfr-br: what one wins the other loses there"
            )

    def block(self, entries: int, batch: int) -> int:
        """Return the iterations of a block of linear discount, whole batches."""
        wanted = self.period or (max(entries // ENTRIES_PER_HAND, 10) if self.method == "external" else 1)
        return -(-wanted // batch) * batch

    def to_json(self) -> dict[str, Any]:
        """Return the settings in the types of JSON."""
        return vars(self) | {"skipping": vars(self.skipping), "tilt": list(self.tilt)}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> TrainSettings:
        """Return the settings that `to_json` made."""
        made = {"skipping": SkippedActions(**content["skipping"]), "tilt": PayoffTilt(*content.get("tilt", NO_TILT))}
        return cls(**(content | made))


def training_game(game: Holdem) -> Holdem:
    """Return a game with the menu of training if it is no-limit and names none of its own.

    Two seats bet half the pot, the pot or all-in; more seats the pot or all-in, with few raises.
    """
    if not isinstance(game, NoLimitHoldem) or _has_menu(game):
        return game
    if game.seats == 2:
        return replace(game, sizes=TWO_SEATS)
    most = MOST_BETS[min(game.seats, max(MOST_BETS))][: len(game.board)]
    return replace(game, sizes=MORE_SEATS, max_bets=most + most[-1:] * (len(game.board) - len(most)))


def _has_menu(game: NoLimitHoldem) -> bool:
    own = game.max_bets, game.button_sizes
    return game.sizes != NoLimitHoldem.sizes or own != (None, None)


def default_abstraction(game: Holdem, **options: Any) -> CardAbstraction:
    """Return the abstraction that games are trained with unless one is given.

    Percentiles are made quickly, and on the river they depend only on the share of hands that are beaten, so the table
    of all river boards takes some seconds.
    """
    from counterpoise.abstraction import HoldemCards, abstraction

    cards = HoldemCards(game.deck, {3: 2, 4: 3, 5: 4}[sum(game.board)])
    wanted = BUCKETS[: cards.streets]
    if game.deck.size < 52:
        most = [min(cards.unordered_classes(street), 50) for street in range(1, cards.streets)]
        wanted = (cards.classes(0), *most)
    found = abstraction("IR-PHS-PHS", buckets=wanted, deck=game.deck, **options)
    for street in range(cards.streets):
        cards.boards(street).forget()
    return found


def fitting_layout(layout: TableLayout, budget: float) -> Sequence[int]:
    """Return the numbers of buckets per round, cut in proportion after the first, whose tables fit in a budget."""
    rounds = [layout.round_start[k + 1] - layout.round_start[k] for k in range(len(layout.round_start) - 1)]
    share = max(min((budget / 8 - rounds[0]) / max(sum(rounds[1:]), 1), 1.0), 0.0)
    most = layout.buckets.max(axis=0).tolist()
    return [most[0], *[max(int(share * count), 1) for count in most[1:]]]
