"""Traversals of enumerated games: what they sample, compared with enumeration and with a table of regrets."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from counterpoise.deep.deep_cfr import DeepCFRSettings
from counterpoise.deep.enumerated import EnumeratedGame, even
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.kernels.random import seeded, uniform
from counterpoise.tree import enumerate_game


@pytest.fixture(scope="module")
def kuhn():
    return EnumeratedGame(enumerate_game("kuhn_poker"))


@pytest.fixture(scope="module")
def leduc():
    return EnumeratedGame(enumerate_game("leduc_poker"))


def random_policy(game, seed):
    rng = np.random.default_rng(seed)
    rows = rng.random((game.tree.infosets, len(game.actions))) * game.legal(np.arange(game.tree.infosets)[:, None])
    rows /= rows.sum(axis=1, keepdims=True)
    return lambda player, keys: rows[keys[:, 0]]


def exact_advantages(game, profile, player):
    """Return (v(I,a) - v(I)) / pi_{-i}(I) of every own sequence, by walking all histories."""
    histories, start = game.tree.histories, game.tree.form.start
    values = np.zeros(game.tree.nodes)
    for h in range(game.tree.nodes - 1, -1, -1):
        seat, first, count = histories.player[h], histories.first_child[h], histories.children[h]
        children = values[first : first + count]
        if seat == TERMINAL:
            values[h] = histories.payoffs[histories.infoset[h], player]
        elif seat == CHANCE:
            values[h] = children @ histories.probability[first : first + count]
        else:
            low = start[histories.infoset[h]]
            values[h] = children @ profile[low : low + count]
    reach = np.ones(game.tree.nodes)  # of chance and of the opponent
    sums, totals = np.zeros(game.tree.table.size), np.zeros(game.tree.table.size)
    for h in range(game.tree.nodes):
        seat, first, count = histories.player[h], histories.first_child[h], histories.children[h]
        for a in range(count):
            share = histories.probability[first + a] if seat == CHANCE else 1.0
            if seat not in (CHANCE, player):
                share = profile[start[histories.infoset[h]] + a]
            reach[first + a] = reach[h] * share
            if seat == player:
                s = start[histories.infoset[h]] + a
                sums[s] += reach[h] * (values[first + a] - values[h])
                totals[s] += reach[h]
    return sums / np.where(totals > 0, totals, 1.0)


def all_traversals(game, profile, player):
    """Return the mean sample of every own sequence, over all traversals with their probabilities."""
    histories, start = game.tree.histories, game.tree.form.start
    sums, totals = np.zeros(game.tree.table.size), np.zeros(game.tree.table.size)

    def traversals(h):
        """Return (probability, value, samples) of every traversal from a history on."""
        seat, first, count = histories.player[h], histories.first_child[h], histories.children[h]
        if seat == TERMINAL:
            return [(1.0, histories.payoffs[histories.infoset[h], player], [])]
        below = [traversals(first + a) for a in range(count)]
        if seat == player:
            low, found = start[histories.infoset[h]], []
            for branches in product(*below):
                values = np.array([value for _, value, _ in branches])
                mean = values @ profile[low : low + count]
                samples = [(low + a, values[a] - mean) for a in range(count)]
                likely = float(np.prod([p for p, _, _ in branches]))
                found.append((likely, mean, samples + [s for _, _, inner in branches for s in inner]))
            return found
        shares = (
            histories.probability[first : first + count]
            if seat == CHANCE
            else profile[start[histories.infoset[h]] : start[histories.infoset[h]] + count]
        )
        return [(share * p, v, s) for share, branch in zip(shares, below, strict=True) for p, v, s in branch]

    for likely, _, samples in traversals(0):
        for s, advantage in samples:
            sums[s] += likely * advantage
            totals[s] += likely
    return sums / np.where(totals > 0, totals, 1.0)


def test_mean_samples_are_advantages(kuhn):
    """Brown 2020, lemma 11: over all traversals the mean sample is (v(I,a) - v(I)) / pi_{-i}(I)."""
    profile = kuhn.profile(random_policy(kuhn, 1))
    for player in (0, 1):
        expected = exact_advantages(kuhn, profile, player)
        np.testing.assert_allclose(all_traversals(kuhn, profile, player), expected, atol=1e-12)


@pytest.mark.slow
def test_kernel_samples_are_advantages(leduc):
    """For the compiled walk, whose branches share the luck of cards: unbiased, within five standard errors."""
    policy = random_policy(leduc, 2)
    profile = leduc.profile(policy)
    for player in (0, 1):
        found = leduc.walk(player, 100_000, policy, seeded(player))
        expected = leduc.rows_of(exact_advantages(leduc, profile, player)) / leduc.unit
        for infoset in np.unique(found.keys[:, 0]):
            rows = found.advantages[found.keys[:, 0] == infoset]
            if len(rows) > 100:
                error = rows.std(axis=0) / np.sqrt(len(rows))
                assert (np.abs(rows.mean(axis=0) - expected[infoset]) <= 5 * error + 1e-9).all()


def test_visits_follow_reach(leduc):
    """Opponents' infosets are met in proportion to their own reach times chance, own ones to the opponents' reach."""
    policy = random_policy(leduc, 3)
    reach = leduc.tree.infoset_reach(leduc.profile(policy))
    found = leduc.walk(0, 50_000, policy, seeded(4))
    counts = np.bincount(found.keys[:, 0], minlength=leduc.tree.infosets) / 50_000
    own = leduc.infosets_of(0)[:, 0]
    error = np.sqrt(reach[own] / 50_000)
    assert (np.abs(counts[own] - reach[own]) < 6 * error + 1e-3).all()
    np.testing.assert_allclose(found.strategies, policy(1, found.other_keys))


def tabular_k_es(game, seed, traversals, iterations):
    """Plain K-external sampling with weights t: cumulative regrets in a table, in Python, one history at a time."""
    histories, start = game.tree.histories, game.tree.form.start.astype(np.int64)
    stop = game.tree.form.stop.astype(np.int64)
    nodes, accept, alias = game._sampled.nodes, game._sampled.accept, game._sampled.alias
    regrets, random = np.zeros(game.tree.table.size), seeded(seed, 0)

    def matched():
        strategy = np.ones_like(regrets)
        for low, high in zip(start, stop, strict=True):
            positive = np.maximum(regrets[low:high], 0)
            best = regrets[low:high] == regrets[low:high].max()
            strategy[low:high] = positive / positive.sum() if positive.sum() > 0 else best / best.sum()
        return strategy

    def walk(h, player, strategy, weight, depth, luck):
        seat, first, count = histories.player[h], int(histories.first_child[h]), int(histories.children[h])
        if seat == TERMINAL:
            return histories.payoffs[histories.infoset[h], player]
        if seat == CHANCE:
            if depth == len(luck):
                luck.append(uniform(random))
            block, scaled = int(nodes[h, 2]), luck[depth] * count
            column = int(scaled)
            if scaled - column >= accept[block + column]:
                column = int(alias[block + column])
            return walk(first + column, player, strategy, weight, depth + 1, luck)
        low = start[histories.infoset[h]]
        if seat != player:
            edges = np.cumsum(strategy[low : low + count])
            action = int((uniform(random) * edges[-1] >= edges).sum())
            return walk(first + action, player, strategy, weight, depth, luck)
        values = np.array([walk(first + a, player, strategy, weight, depth, luck) for a in range(count)])
        mean = strategy[low : low + count] @ values
        added[low : low + count] += weight * (values - mean)
        return mean

    found = []
    for t in range(1, iterations + 1):
        for player in (0, 1):
            strategy, added = matched(), np.zeros_like(regrets)
            for _ in range(traversals):
                walk(0, player, strategy, float(t), 0, [])
            regrets += added
        found.append(matched())
    return found


def test_table_equals_tabular(leduc):
    """With an exact table, Deep CFR plays what tabular K-external sampling plays with the same random numbers."""
    learner = DeepCFRSettings(traversals=10, regressor="table", average="mixture").on(leduc, seed=5)
    for expected in tabular_k_es(leduc, 5, 10, 10):
        learner.step()
        np.testing.assert_allclose(leduc.profile(learner.policy), expected, atol=1e-9)


def test_walks_are_alike_in_pieces(leduc, monkeypatch):
    """Samples do not depend on how many traversals one compiled call has."""
    whole = leduc.walk(0, 500, lambda _, keys: even(leduc.legal(keys)), seeded(1))
    monkeypatch.setattr("counterpoise.deep.enumerated.MOST_ROOM", 100_000)
    pieces = leduc.walk(0, 500, lambda _, keys: even(leduc.legal(keys)), seeded(1))
    for one, other in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(one, other)
