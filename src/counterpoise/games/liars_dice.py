"""Liar's Dice for two players, one round (Brown 2020, section 2.4.6)."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoise.games.base import CHANCE, register
from counterpoise.games.dice import DiceBidding, DiceState, Ladder, finished, rising_bids
from counterpoise.parameters import require_choice, require_whole


@register("liars_dice")
@dataclass(frozen=True)
class LiarsDice(DiceBidding):
    """Each player rolls `dice` dice with `faces` faces; the loser of the one challenge pays 1 to the winner.

    A bid must name more dice, or as many of a higher face; under `bidding_rule="reset_quantity"` a higher
    face, or more dice of the same face (OpenSpiel has both rules). The highest face is wild. The challenge is
    "liar": the bidder wins if the claim holds. Infosets read "4:1-3/2-1": own roll, then the bids "one 3",
    "two 1s". Value for the first player: 1/16 with 1 x 4, 1/125 with 1 x 5, -0.0271 with 1 x 6.
    """

    dice: int = 1
    """Dice of each player, 1 to 5."""
    faces: int = 6
    """Faces of a die, 1 to 9; the highest is wild."""
    bidding_rule: str = "reset_face"
    """A bid names more dice or as many of a higher face; reset_quantity: a higher face or more dice of the same."""

    challenge = "liar"

    def __post_init__(self) -> None:
        require_whole("liars_dice: dice", self.dice, 1, 5)
        require_whole("liars_dice: faces", self.faces, 1, 9)
        require_choice("liars_dice: bidding_rule", self.bidding_rule, ("reset_face", "reset_quantity"))

    @property
    def face_names(self) -> str:
        return "123456789"[: self.faces]

    def initial(self) -> DiceState:
        return DiceState(CHANCE, (self.dice, self.dice), starter=0)

    def ladder(self, total: int) -> Ladder:
        return rising_bids(total, self.face_names, self.challenge, self.bidding_rule == "reset_quantity")

    def after_challenge(self, state: DiceState, winner: int) -> DiceState:
        return finished(state, 1.0 if winner == 0 else -1.0)
