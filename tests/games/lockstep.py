"""Walk one of our games and its OpenSpiel twin side by side and assert that they are the same game."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from counterpoise.games import CHANCE, TERMINAL


def assert_same_game(
    ours: Any,
    theirs: Any,
    action: Callable[[str], int],
    deal: Callable[[str], tuple[Sequence[int], int]] = lambda label: ((int(label),), 1),
    scale: float = 1.0,
    walk_deal: Callable[[str], bool] = lambda label: True,
    compare_infosets: bool = True,
) -> int:
    """Compare chance, actions, payoffs (theirs times `scale`) and the partition into infosets.

    `action` and `deal` translate our labels; one of our chance outcomes may be several of theirs in a row, and
    stand for several orders of them. Moves that OpenSpiel makes by itself at the end must be forced in ours.
    Chance outcomes that `walk_deal` refuses are not followed. Returns the number of our nodes compared.
    """
    there: dict[tuple[int, str], str] = {}
    back: dict[tuple[int, str], str] = {}

    def visit(state: Any, twin: Any) -> int:
        player = ours.player(state)
        if player == TERMINAL:
            assert twin.is_terminal()
            for payoff, other in zip(ours.payoffs(state), twin.returns(), strict=True):
                assert math.isclose(payoff, scale * other, abs_tol=1e-9)
            return 1
        if twin.is_terminal():
            labels = [label for label, _ in ours.chance(state)] if player == CHANCE else ours.actions(state)
            assert len(labels) == 1
            return 1 + visit(ours.next(state, labels[0]), twin)
        return 1 + (visit_chance(state, twin) if player == CHANCE else visit_decision(state, twin, player))

    def visit_chance(state: Any, twin: Any) -> int:
        nodes, total = 0, 0.0
        for label, probability in ours.chance(state):
            outcomes, orders = deal(label)
            after, other = twin.clone(), float(orders)
            for each in outcomes:
                other *= dict(after.chance_outcomes())[each]
                after.apply_action(each)
            assert math.isclose(probability, other)
            total += other
            if walk_deal(label):
                nodes += visit(ours.next(state, label), after)
        assert math.isclose(total, 1)
        return nodes

    def visit_decision(state: Any, twin: Any, player: int) -> int:
        assert twin.current_player() == player
        if compare_infosets:
            name, other = ours.infoset(state), twin.information_state_string()
            assert there.setdefault((player, name), other) == other
            assert back.setdefault((player, other), name) == name
        moves = {label: action(label) for label in ours.actions(state)}
        assert sorted(moves.values()) == sorted(twin.legal_actions())
        return sum(visit(ours.next(state, label), twin.child(move)) for label, move in moves.items())

    return visit(ours.initial(), theirs.new_initial_state())
