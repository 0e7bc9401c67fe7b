"""What the rest of a hand is worth to pairs of hands where a betting tree is cut: by dealt boards, or by roll-outs.

`ends` has the exact values on one board, `hand_classes` their means before the flop, `hands` after it, and `rollouts`
plays the rest a number of times.
"""
