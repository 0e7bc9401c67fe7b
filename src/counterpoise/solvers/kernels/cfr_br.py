"""CFR against a best responder over the sequence form: many iterations in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import Discounts, update_regrets
from counterpoise.solvers.kernels.cfr import add_to_average, match_regrets
from counterpoise.tree.kernels.sequence_form import gradient, infoset_value


@njit(**LEAN, error_model="numpy")
def iterate(form, iterations, seats, trunk, tables, answers, values):
    """Run `iterations` iterations of CFR-BR for each of the CFR players from the first of `seats` on.

    See Johanson 2016, section 4.3.

    Each CFR player has an answerer of its own, so that two runs share the arrays: the plans of the CFR players and
    those of their answerers. The answer is to the very strategy which is updated against it. In the answerer's
    `trunk` (a flag per infoset) both are those in force before the update.
    """
    plain = Discounts(1.0, 1.0, 0.0)
    for _ in range(iterations):
        for player in range(seats[0], seats[1] + 1):
            other = 1 - player
            # The answerer responds to the strategy in force: best below the trunk, regret matching inside.
            gradient(form, other, tables.reach, values)
            _answer(form, other, trunk, values, answers)
            _follow_answer(form, other, trunk, answers)
            # The CFR player learns against that answer.
            gradient(form, player, answers.reach, values)
            match_regrets(form, player, plain, values, tables.regrets, tables.strategy)
            add_to_average(form, player, 1.0, tables.strategy, tables.reach, tables.average)
            # Only now may the answerer's trunk move: both updates met the same strategies.
            _advance_trunk(form, other, trunk, answers.strategy, answers.reach)


@njit(**LEAN, error_model="numpy")
def _answer(form, player, trunk, values, answers):
    """Bottom-up pass: regret matching in the trunk (for the next iteration), below it the best action."""
    answer, regrets, plain = answers.strategy, answers.regrets, Discounts(1.0, 1.0, 0.0)
    i = np.uint64(form.first_infoset[player + 1])
    while i > form.first_infoset[player]:
        i -= np.uint64(1)
        low, high = form.start[i], form.stop[i]
        # Trunk: the answerer learns by regret matching.
        if trunk[i]:
            value = infoset_value(low, high, answer, values)
            update_regrets(low, high, values, value, plain, regrets, answer)
        else:
            # Below the trunk: all on the action of the largest value.
            best = low
            for s in range(low, high):
                answer[s] = 0.0
                if values[s] > values[best]:
                    best = s
            answer[best] = 1.0
            value = values[best]
        # Pass the value of the infoset to the sequence before it.
        values[form.parent[i]] += value


@njit(**LEAN)
def _follow_answer(form, player, trunk, answers):
    """Top-down pass: the plan of this iteration, whose trunk is in place already, and its sum."""
    answer, reach, average = answers.strategy, answers.reach, answers.average
    average[form.first_sequence[player]] += 1.0
    for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
        above = reach[form.parent[i]]
        for s in range(form.start[i], form.stop[i]):
            if not trunk[i]:
                reach[s] = above * answer[s]
            average[s] += reach[s]


@njit(**LEAN)
def _advance_trunk(form, player, trunk, answer, reach):
    """Put the next iteration's plan of the trunk in place; nothing of the trunk lies below anything else."""
    for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
        if trunk[i]:
            above = reach[form.parent[i]]
            for s in range(form.start[i], form.stop[i]):
                reach[s] = above * answer[s]
