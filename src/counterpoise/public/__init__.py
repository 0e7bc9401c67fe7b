"""Games with private hands and public actions as one public tree of hand vectors.

`HoldemTree` is a hold'em spot from any street, `mini_holdem` a whole game with a small deck, `DenseTree` any small game
whose actions are public (Kuhn, Leduc, Liar's Dice). The kernels know lines (betting), boards and rows of hands, and
no iteration schedule.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.public.dense import DenseTree
    from counterpoise.public.engine import NodeValues, PublicTree, Schedule
    from counterpoise.public.holdem import HandLock, HoldemTree, Start, TreeSize
    from counterpoise.public.mini_holdem import mini_holdem
    from counterpoise.public.transfer import transfer

__all__ = [
    "DenseTree",
    "HandLock",
    "HoldemTree",
    "NodeValues",
    "PublicTree",
    "Schedule",
    "Start",
    "TreeSize",
    "mini_holdem",
    "transfer",
]

import_lazily(__name__)
