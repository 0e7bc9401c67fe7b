"""Walks of external sampling against an oracle that knows the rules and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction, HoldemCards, abstraction
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.cards import Deck
from counterpoise.errors import InputError
from counterpoise.kernels.regret_matching import regret_based_probability
from counterpoise.sampling import BettingTree, TableLayout, build_betting_tree
from counterpoise.sampling.external import ExternalSampler, SkippedActions, default_batch, largest_payoff
from counterpoise.sampling.kernels.dealing import deal_hand, seed_hand
from counterpoise.sampling.kernels.external import ALL, Exploration, walk
from counterpoise.sampling.lookup import bucket_lookup, dealt_hand
from tests.sampling.oracle import Oracle, random_strategy

TWO = "limit_holdem(board=[0, 3], ranks=3, max_bets=2)"
SHORT_STACKS = "no_limit_holdem(seats=3, stacks=[300, 700, 450], ranks=4, sizes=['100%', 'allin'], max_bets=2)"
WHOLE_CHIPS = "no_limit_holdem(seats=3, stack=4, ranks=3, board=[0, 3], blinds=[1, 3], whole_chips=True, rake=5)"
PLAIN = Exploration(ALL, 0.0, 0.0, False, 0.0)


def setting(name: str, code: str, buckets: Any = ()) -> tuple[BettingTree, TableLayout, CardAbstraction, Any]:
    """Return tree, layout, abstraction and cards of a game."""
    tree = build_betting_tree(cp.load(name))
    if not buckets:
        cards = HoldemCards(tree.game.deck, tree.rounds)
        buckets = [cards.classes(street) for street in range(tree.rounds)]
    made = abstraction(code, buckets=buckets, deck=tree.game.deck, progress=False, clusters="kmeans")
    return tree, layout_of(tree, [made]), made, bucket_lookup(tree, [made])


def canonical(streets: int) -> str:
    return "IR-" + "-".join("C" * streets)


def drawn(cards: Any, walker: Any, hand: int) -> tuple[list[list[int]], list[int]]:
    """Deal a hand and return it."""
    seed_hand(np.uint64(1), np.uint64(hand), walker.dealt.random)
    deal_hand(cards, walker.dealt)
    shown = walker.dealt.shown
    return shown[:, :2].tolist(), shown[0, 2:].tolist()


def walked(sampling: ExternalSampler, seat: int, skipping: bool = False, exploration: Exploration = PLAIN) -> Any:
    """Walk the dealt hand for one seat and return what is to be added, regrets and averages in layout order."""
    walker = sampling._walkers[0]
    walker.records.used[:] = 0
    walk(sampling.walks, sampling.table, exploration, walker, np.uint32(seat), skipping)
    found, at = np.zeros((2, sampling.layout.size)), 0
    for row in walker.records.row[: walker.records.used[0]].tolist():
        node, offset = row >> 32, row & 0xFFFFFFFF
        count = int(sampling.tree.arrays.actions[node])
        bucket, average = divmod(offset, 2 * count)
        place = int(sampling.layout.start[node]) + bucket * count
        found[int(average > 0), place : place + count] += walker.records.amount[at : at + count]
        at += count
    return found


def statistics(draw: Callable[[], Any], trials: int) -> tuple[Any, Any]:
    """Return mean and standard error of many draws."""
    total, squares = 0.0, 0.0
    for _ in range(trials):
        found = draw()
        total, squares = total + found, squares + found**2
    mean = total / trials
    return mean, np.sqrt(np.maximum(squares / trials - mean**2, 0) / trials)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "code", "buckets", "hands"),
    [
        (TWO, canonical(2), (), 20),
        (SHORT_STACKS, "IR-PHS-PHS", (10, 5, 5, 5), 4),
        (SHORT_STACKS, "PR-PHS-PHS", (3, 2, 2, 2), 2),
        (WHOLE_CHIPS, "IR-PHS-PHS", (5, 4), 10),
    ],
)
def test_walk_finds_regrets_of_dealt_hand(name: str, code: str, buckets: Any, hands: int) -> None:
    """With others who never mix, a walk of a dealt hand finds v(a) - v of the rules exactly, whoever walks."""
    tree, layout, made, cards = setting(name, code, buckets)
    random = np.random.default_rng(3)
    for hand in range(hands):
        for seat in range(tree.players):
            strategy = random_strategy(tree, layout, random, lambda owner, own=seat: owner != own)
            sampling = ExternalSampler(tree, layout, cards)
            sampling.put(strategy)
            dealt, board = drawn(cards, sampling._walkers[0], hand)
            regrets, averages = walked(sampling, seat)
            expected, met = Oracle(tree, layout, made, strategy).deal(dealt, board, seat)
            np.testing.assert_allclose(regrets, expected, atol=1e-3, rtol=1e-5)
            beyond_fold = (averages != met) & (averages == 0)  # a walk ends where its seat folds
            np.testing.assert_allclose(np.where(beyond_fold, met, averages), met, atol=1e-6)
            if tree.players == 2:
                np.testing.assert_allclose(averages, met, atol=1e-6)


@pytest.mark.slow
def test_walk_is_unbiased_when_others_mix() -> None:
    """Averaged over the actions that are drawn, a walk finds what the whole strategies of the others say."""
    tree, layout, made, cards = setting(TWO, canonical(2))
    strategy = random_strategy(tree, layout, np.random.default_rng(4), lambda owner: False)
    sampling = ExternalSampler(tree, layout, cards)
    sampling.put(strategy)
    dealt, board = drawn(cards, sampling._walkers[0], 7)
    expected = np.array(Oracle(tree, layout, made, strategy).deal(dealt, board, 0))
    mean, error = statistics(lambda: walked(sampling, 0), 4000)
    assert np.all(np.abs(mean - expected) <= 5 * error + 1e-5)
    assert np.count_nonzero(expected) > 20


@pytest.mark.slow
def test_importance_weights_keep_skipped_walks_unbiased() -> None:
    """With weights 1 / probability: the mean of many walks is the plain regret, without them it is not."""
    tree, layout, made, cards = setting(TWO, canonical(2))
    random = np.random.default_rng(5)
    strategy = random_strategy(tree, layout, random, lambda owner: owner == 1)
    regrets = np.where(strategy > 0.34, strategy, -random.integers(1, 40, layout.size))
    # A bucket without positive regret plays all alike, and then nothing is skipped.
    current = np.zeros(layout.size)
    for node in np.flatnonzero(tree.decisions).tolist():
        block = np.maximum(layout.block(tree, node, regrets), 0)
        total = block.sum(axis=1, keepdims=True)
        layout.block(tree, node, current)[:] = np.where(
            total > 0, block / np.where(total > 0, total, 1), 1 / block.shape[1]
        )
    sampling = ExternalSampler(tree, layout, cards)
    sampling.put(regrets)
    dealt, board = drawn(cards, sampling._walkers[0], 3)
    seat_one = Oracle(tree, layout, made, current).deal(dealt, board, 0)[0]
    means = {}
    for weighted in (False, True):
        exploration = Exploration(1, -5.0, 5.0, weighted, 0.0)
        means[weighted] = statistics(lambda own=exploration: walked(sampling, 0, True, own)[0], 4000)
    mean, error = means[True]
    assert np.all(np.abs(mean - seat_one) <= 5 * error + 1e-5)
    mean, error = means[False]
    assert np.any(np.abs(mean - seat_one) > 5 * error + 1e-5)


def test_probability_of_exploring() -> None:
    """1 at R = C, one half at C - K, monotone."""
    assert regret_based_probability(-300.0, -300.0, 300.0) == 1
    assert regret_based_probability(5.0, -300.0, 300.0) == 1
    assert regret_based_probability(-600.0, -300.0, 300.0) == 0.5
    shares = [regret_based_probability(float(-300 - k), -300.0, 300.0) for k in range(0, 5000, 7)]
    assert all(later < earlier for earlier, later in pairwise(shares))
    assert shares[-1] < 0.07


def test_frequency_of_exploring() -> None:
    """The share of walks that explore an action is the formula's, within four standard errors."""
    tree, layout, _, cards = setting(TWO, canonical(2))
    regrets = np.zeros(layout.size)
    for node in np.flatnonzero(tree.decisions).tolist():
        layout.block(tree, node, regrets)[:, 0] = 1.0
    actions = int(tree.arrays.actions[0])
    block = layout.block(tree, 0, regrets)
    for action, regret in zip(range(1, actions), (-5.0, -15.0), strict=False):
        block[:, action] = regret
    sampling = ExternalSampler(tree, layout, cards)
    sampling.put(regrets)
    drawn(cards, sampling._walkers[0], 0)
    bucket = int(sampling._walkers[0].dealt.buckets[0, tree.arrays.player[0]])
    exploration = Exploration(1, -5.0, 10.0, False, 0.0)
    seat, trials = int(tree.arrays.player[0]), 2000
    seen = np.zeros(actions)
    for _ in range(trials):
        found = layout.block(tree, 0, walked(sampling, seat, True, exploration)[0])[bucket]
        seen += np.abs(found) > 0
    for action, share in ((1, 1.0), (2, 0.5)):
        assert abs(seen[action] / trials - share) <= 4 * np.sqrt(share * (1 - share) / trials) + 1e-9


def test_skipping_by_hand_spares_last_round_and_ends() -> None:
    """In a hand that skips, bad actions are left out, but not in the last round nor those that end the hand."""
    tree, layout, _, cards = setting(TWO, canonical(2))
    regrets = np.full(layout.size, -1000.0)
    for node in np.flatnonzero(tree.decisions).tolist():
        layout.block(tree, node, regrets)[:, -2 if tree.arrays.actions[node] == 3 else 0] = 1.0
    sampling = ExternalSampler(tree, layout, cards)
    sampling.put(regrets)
    drawn(cards, sampling._walkers[0], 0)
    seat = int(tree.arrays.player[0])
    found = walked(sampling, seat, True, Exploration(2, -100.0, 0.0, False, 1.0))[0]
    bucket = int(sampling._walkers[0].dealt.buckets[0, seat])
    fold, _, bet = layout.block(tree, 0, found)[bucket]
    assert fold != 0, "folding ends the hand"
    assert bet == 0
    plain = walked(sampling, seat)[0]
    last = slice(*layout.round_start[1:3])
    assert np.count_nonzero(found) < np.count_nonzero(plain)
    met = found[last] != 0
    np.testing.assert_array_equal(found[last][met], plain[last][met])


@pytest.mark.slow
def test_deals_are_uniform() -> None:
    """Every hand of the first seat and every flop is dealt equally often (chi-squared)."""
    tree, _, _, cards = setting(TWO, canonical(2))
    dealt = dealt_hand(tree)
    hands, flops = np.zeros(66), np.zeros(12 * 12 * 12)
    number = {card: place for place, card in enumerate(tree.game.deck.cards.tolist())}
    trials = 60_000
    for hand in range(trials):
        seed_hand(np.uint64(9), np.uint64(hand), dealt.random)
        deal_hand(cards, dealt)
        hands[dealt.hand[0]] += 1
        a, b, c = sorted(number[int(card)] for card in dealt.board[0, :3])
        flops[a * 144 + b * 12 + c] += 1
    flops = flops[[a * 144 + b * 12 + c for a, b, c in combinations(range(12), 3)]]
    for counts in (hands, flops):
        mean = trials / len(counts)
        statistic = ((counts - mean) ** 2 / mean).sum()
        assert abs(statistic - (len(counts) - 1)) < 5 * np.sqrt(2 * (len(counts) - 1))
    assert hands.sum() == flops.sum() == trials


@pytest.mark.parametrize(
    ("name", "code", "buckets"),
    [
        ("no_limit_holdem(ranks=3)", canonical(4), ()),
        ("no_limit_holdem(ranks=4)", "PR-PHS-PHS", (2, 2, 2, 2)),
        ("no_limit_holdem(ranks=4, suits=3)", "IR-KE-KE", (4, 5, 5, 5)),
        ("no_limit_holdem(ranks=5, board=[0, 3, 1])", "IR-PHS-PHS", (4, 3, 3)),
        ("no_limit_holdem(ranks=4, suits=3)", "IR-PHS-KO", (4, 5, 5, 5)),
    ],
)
def test_lookup_agrees_with_rows(name: str, code: str, buckets: Any) -> None:
    """Buckets of dealt hands are those of `CardAbstraction.row`, also where the order of cards counts."""
    tree, _, made, cards = setting(name, code, buckets)
    dealt = dealt_hand(tree)
    for hand in range(60):
        seed_hand(np.uint64(2), np.uint64(hand), dealt.random)
        deal_hand(cards, dealt)
        for number, count in enumerate(tree.board_cards):
            row = made.row(dealt.board[0, :count].tolist())
            assert dealt.buckets[number].tolist() == row[dealt.hand].tolist()


def test_lookup_refuses_what_does_not_fit() -> None:
    """Canonical hands on the river of a whole deck have no table."""
    tree = build_betting_tree(cp.load("limit_holdem(max_bets=1)"))
    made = CardAbstraction.__new__(CardAbstraction)
    made.__dict__.update(abstraction(canonical(4), deck=Deck(ranks=3), progress=False).__dict__)
    made.cards = type(made.cards)(Deck(), 4)
    with pytest.raises(InputError, match="imperfect recall"):
        bucket_lookup(tree, [made])


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads: int) -> None:
    """The same seed makes the same tables on any number of threads."""
    tree, layout, _, cards = setting("no_limit_holdem(ranks=4, stack=20)", "IR-PHS-PHS", (8, 6, 6, 6))
    alone, shared = (ExternalSampler(tree, layout, cards, seed=5, batch=20, threads=count) for count in (1, threads))
    for sampling in (alone, shared):
        sampling.run(200)
    assert np.array_equal(alone.table, shared.table)
    assert alone.nodes_touched == shared.nodes_touched
    assert np.array_equal(alone.walks.nodes, shared.walks.nodes)


@pytest.mark.slow
def test_restored_run_continues_the_same() -> None:
    """A run that is restored half-way ends with the same bytes."""
    tree, layout, _, cards = setting(TWO, canonical(2))
    whole = ExternalSampler(tree, layout, cards, seed=1, batch=10)
    whole.run(400)
    first, second = (ExternalSampler(tree, layout, cards, seed=1, batch=10) for _ in range(2))
    first.run(150)
    second.restore({name: array.copy() for name, array in first.arrays().items()})
    second.run(250)
    assert np.array_equal(second.table, whole.table)
    assert second.nodes_touched == whole.nodes_touched


def test_skipping_begins_and_ends() -> None:
    """A run that skips from hand 100 to 250 is plain sampling, then sampling that skips, then plain sampling."""
    tree, layout, _, cards = setting(TWO, canonical(2))
    by_regret: dict[str, Any] = {"kind": "regret", "threshold": 1e-3, "scale": 1e-5}

    def sampler(**skipping: Any) -> ExternalSampler:
        return ExternalSampler(tree, layout, cards, seed=1, batch=10, skipping=SkippedActions(**skipping))

    whole = sampler(**by_regret, after=100, until=250)
    whole.run(400)
    parts = [sampler(), sampler(**by_regret), sampler()]
    counts = [0]
    for before, part, hands in zip([None, *parts], parts, (100, 150, 150), strict=False):
        if before is not None:
            part.restore({name: array.copy() for name, array in before.arrays().items()})
        part.run(hands)
        counts.append(part.nodes_touched)
    assert np.array_equal(parts[-1].table, whole.table)
    assert counts[-1] == whole.nodes_touched
    plain, skipping, again = (nodes / hands for nodes, hands in zip(np.diff(counts), (100, 150, 150), strict=True))
    assert skipping < 0.8 * min(plain, again)


def test_blocks_are_handed_out_on_first_visit() -> None:
    """Fewer sequences have memory than there are; regrets elsewhere are 0."""
    tree, layout, _, cards = setting("no_limit_holdem(seats=3, ranks=4, stack=30)", "IR-PHS-PHS", (8, 6, 6, 6))
    sampling = ExternalSampler(tree, layout, cards, batch=1)
    sampling.run(50)
    assert 0 < sampling.met < int(tree.decisions.sum())
    assert sampling.allocated < 8 * layout.size
    assert not sampling.table[sampling.free :].any()


def test_batches_and_payoffs() -> None:
    """Small tables change after every hand; the largest payoff is the stack."""
    assert [default_batch(entries) for entries in (100, 50_000, 10**6, 10**8)] == [1, 10, 100, 500]
    assert largest_payoff(build_betting_tree(cp.load("no_limit_holdem(stack=20)"))) == 2000
    assert largest_payoff(build_betting_tree(cp.load("no_limit_holdem(seats=3, stack=5, ranks=4)"))) == 1000


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kind": "often"}, "none, regret or hand"),
        ({"threshold": -3}, "above 0"),
        ({"share": 1.5}, "from 0 to 1"),
        ({"after": -1}, "skipping: after must be a whole number"),
        ({"until": 2.5}, "skipping: until must be a whole number"),
        ({"after": 20, "until": 10}, "until must not be before after, 20, as 10 is"),
    ],
)
def test_bad_settings(settings: dict[str, Any], words: str) -> None:
    """Wrong settings of skipping are refused in one sentence."""
    with pytest.raises(InputError, match=words):
        SkippedActions(**settings)
