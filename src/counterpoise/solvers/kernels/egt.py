"""The excessive gap technique over the sequence form: smoothed responses and the primal-dual step.

Plans of both players live in one array of realisation weights. The distance function of a player is the
dilated entropy d(x) = sum over infosets I of beta_I x[parent] (ln|A| + sum_a b_a ln b_a), where b is the
local strategy; it is 0 at uniform play.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.tree.kernels.layouts import TERMINAL_NODE
from counterpoise.tree.kernels.sequence_form import gradient, realisation_weights

GROWTH = 1.3
"""Factor between the smoothing parameters tried for the starting point."""
NEAR = 1e-9
"""Smoothing parameters this close, relatively, are equal; rounding must not decide which one shrinks."""
SMALLEST_SMOOTHING = 1e-100
LARGEST_SMOOTHING = 1e30
SMALLEST_STEP = 1e-15


@njit(**LEAN)
def dilate(form, below, distance, weights, furthest):
    """Write the weight beta_I of every infoset and the largest distance of each player's treeplex.

    `below` and `distance` are work space, one zero per sequence.
    Kroer et al. 2020: beta_I = 2 alpha_I with alpha_I = 1 + max over actions of the sum of 2 alpha_J over the
    infosets J that follow. The distance is convex, so that its maximum is at a pure strategy.
    """
    for back in range(len(form.start)):
        i = np.uint32(len(form.start) - 1 - back)
        # The heaviest and the furthest branch among the actions.
        most, far = 0.0, 0.0
        for s in range(form.start[i], form.stop[i]):
            most = max(most, below[s])
            far = max(far, distance[s])
        # beta_I, and what it adds to the sequence above: weight and the entropy's largest distance.
        weights[i] = 2.0 * (1.0 + most)
        below[form.parent[i]] += weights[i]
        distance[form.parent[i]] += weights[i] * np.log(float(form.stop[i] - form.start[i])) + far
    for player in range(len(furthest)):
        furthest[player] = distance[form.first_sequence[player]]


@njit(**LEAN)
def respond(form, player, smoothing, weights, base, values, strategy, plan):
    """Maximise value against a gradient, less `smoothing` times the distance to local strategy `base`.

    A bottom-up pass with log-sum-exp: b_a ~ base_a exp(q_a / (smoothing beta_I)). `values` holds the gradient on
    entry. Writes the response to `strategy` (which may be `base`) and `plan`; returns the smoothed value.
    """
    low = form.first_infoset[player]
    for back in range(form.first_infoset[player + 1] - low):
        i = np.uint32(form.first_infoset[player + 1] - 1 - back)
        scale = smoothing * weights[i]
        # Log-sum-exp with the largest exponent taken out.
        largest = -np.inf
        for s in range(form.start[i], form.stop[i]):
            if base[s] > 0.0:
                largest = max(largest, values[s])
        total = 0.0
        for s in range(form.start[i], form.stop[i]):
            strategy[s] = base[s] * np.exp(min((values[s] - largest) / scale, 0.0))
            total += strategy[s]
        # Normalise, and pass the smoothed value up.
        for s in range(form.start[i], form.stop[i]):
            strategy[s] /= total
        values[form.parent[i]] += largest + scale * np.log(total)
    # Local strategies to a realisation plan.
    realisation_weights(form, player, strategy, plan)
    return values[form.first_sequence[player]]


@njit(**LEAN)
def excessive_gap(form, prox, smoothing, plan, work):
    """Return both players' smoothed values against the other's plan, less what their payoffs always add up to."""
    total = -prox.payoff_sum
    for player in range(2):
        gradient(form, player, plan, work.values)
        total += respond(
            form, player, smoothing[player], prox.weights, prox.uniform, work.values, work.strategy, work.response
        )
    return total


@njit(**LEAN)
def starting_point(form, prox, gap, work):
    """Find the smallest smoothing, from 1e-4 upwards, whose smoothed responses satisfy the excessive gap."""
    trial = 1e-4
    smoothing, plan = gap.smoothing, gap.plan
    while True:
        smoothing[0] = smoothing[1] = trial
        # Plans: uniform play, its smoothed response, and the smoothed response to that.
        realisation_weights(form, 0, prox.uniform, plan)
        for turn in range(2):
            gradient(form, 1 - turn, plan, work.values)
            respond(form, 1 - turn, trial, prox.weights, prox.uniform, work.values, work.strategy, plan)
        # Keep the first smoothing that satisfies the condition.
        if excessive_gap(form, prox, smoothing, plan, work) <= prox.tolerance or trial > LARGEST_SMOOTHING:
            return
        trial *= GROWTH


@njit(**LEAN)
def likely_gradient(form, nodes, player, plan, limit, out):
    """`gradient` without the branches that chance and the opponent reach with a probability below `limit` (above 0).

    Walks the tree and returns the histories touched.
    """
    own, other, chance, weight = nodes.last[player], nodes.last[1 - player], nodes.chance, nodes.weight[player]
    for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
        out[s] = 0.0
    touched = 0
    n, end = np.uint64(0), np.uint64(len(nodes.end))
    while n < end:
        reach = plan[other[n]]
        # Too unlikely: jump over the whole branch.
        if chance[n] * reach < limit:
            n = np.uint64(nodes.end[n])
            continue
        touched += 1
        if nodes.infoset[n] == TERMINAL_NODE:
            out[own[n]] += weight[n] * reach
        n += np.uint64(1)
    return touched


@njit(**LEAN)
def primal_dual_step(form, nodes, prox, limit, me, tau, gap, work):
    """Write into `mixed` both players' plans after the step of size `tau` that shrinks the smoothing of `me`.

    Three responses: mine to your plan; yours to my plan mixed with that response; and from my response a prox
    step along the gradient against yours, scaled by tau / ((1 - tau) mu). With a `limit` above 0 the gradients come
    from a walk that leaves out branches less likely than that. Returns the histories that the gradients touched.
    """
    plan, mixed, values, strategy = gap.plan, work.mixed, work.values, work.strategy
    touched = 0
    for stage in range(3):
        player = 1 - me if stage == 1 else me
        faced = plan if stage == 0 else mixed
        base = strategy if stage == 2 else prox.uniform
        scale = (1.0 - tau) / tau if stage == 2 else 1.0
        # Gradient against the plan that this stage faces.
        if limit > 0.0:
            touched += likely_gradient(form, nodes, player, faced, limit, values)
        else:
            gradient(form, player, faced, values)
            touched += len(nodes.end)
        # Smoothed response (stages 0 and 1), or the prox step from it (stage 2).
        respond(form, player, scale * gap.smoothing[player], prox.weights, base, values, strategy, mixed)
        # Mix with the old plans: mine before you respond, both after the last stage.
        if stage == 0:
            low, high = form.first_sequence[me], form.first_sequence[me + 1]
        elif stage == 1:
            low, high = form.first_sequence[0], form.first_sequence[0]
        else:
            low, high = form.first_sequence[0], form.first_sequence[2]
        for s in range(low, high):
            mixed[s] = (1.0 - tau) * plan[s] + tau * mixed[s]
    return touched


@njit(**LEAN)
def iterate(form, nodes, prox, threshold, aggressive, steps, gap, work):
    """Run the steps ``steps[0]`` (counted from 1) to ``steps[1]``; returns the histories touched.

    Each step shrinks the larger smoothing parameter by the factor 1 - tau, with tau = 2/(k+2) in step k; the
    aggressive rule keeps tau from step to step and halves it until the excessive-gap condition holds. Gradients of
    step k leave out branches less likely than threshold / k.
    """
    smoothing, plan, mixed, shrunk = gap.smoothing, gap.plan, work.mixed, work.shrunk
    touched = 0
    for k in range(steps[0], steps[1] + 1):
        # Ties go to the first player.
        me = 0 if smoothing[0] >= smoothing[1] * (1.0 - NEAR) else 1
        # Step size: kept from the last step, or 2 / (k + 2).
        tau = gap.step_size[0] if aggressive else 2.0 / (k + 2.0)
        while True:
            touched += primal_dual_step(form, nodes, prox, threshold / k, me, tau, gap, work)
            # Shrink the smoothing that was chosen by 1 - tau.
            shrunk[1 - me] = smoothing[1 - me]
            shrunk[me] = max((1.0 - tau) * smoothing[me], SMALLEST_SMOOTHING)
            if not aggressive or tau < SMALLEST_STEP:
                break
            # Aggressive steps: halve tau until the excessive-gap condition holds.
            touched += 2 * len(nodes.end)
            if excessive_gap(form, prox, shrunk, mixed, work) <= prox.tolerance:
                break
            tau *= 0.5
        # Accept the step.
        gap.step_size[0] = tau
        smoothing[me] = shrunk[me]
        for s in range(len(plan)):
            plan[s] = mixed[s]
    return touched
