"""Games with private hands and public actions as one public tree of hand vectors.

`HoldemTree` is a hold'em spot from any street; the kernels know lines (betting), boards and rows of hands, and no
iteration schedule.
"""

from counterpoise.public.engine import NodeValues, PublicTree, Schedule
from counterpoise.public.holdem import HandLock, HoldemTree, TreeSize

__all__ = ["HandLock", "HoldemTree", "NodeValues", "PublicTree", "Schedule", "TreeSize"]
