"""Values of pairs of hands where a betting tree is cut: by dealt boards, or by roll-outs.

`ends` has the exact values on one board, `hand_classes` their means before the flop, `hands` after it, and `rollouts`
samples the rest of the hand.
"""
