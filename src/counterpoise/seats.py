"""Who acts: the number of a seat (0, 1, ...) or one of these two."""

CHANCE = -1
TERMINAL = -2
