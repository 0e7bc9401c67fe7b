"""Blueprints against the strategies that they were made of, their ranges, their packed forms and their files."""

from __future__ import annotations

import weakref
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.agents.blueprint import BlueprintAgent
from counterpoise.agents.pluribus import Pluribus
from counterpoise.blueprint import Blueprint, load_blueprint, shared_blueprint
from counterpoise.blueprint.blueprint import normalised
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, draw_chance
from counterpoise.games.moves import CALL, FOLD, RAISE
from counterpoise.sampling.kernels.tables import TableRows, pack_rows
from counterpoise.store.cpz import read_cpz, write_cpz


def histories(game: Any, count: int, seed: int = 0) -> list[tuple[tuple[str, ...], int]]:
    """Public histories of random hands, each with the seat to act."""
    random, found = Random(seed), []
    while len(found) < count:
        state = game.initial()
        while (mover := game.player(state)) != TERMINAL:
            if mover == CHANCE:
                state = game.next(state, draw_chance(game, state, random))
                continue
            found.append((game.public(state), mover))
            state = game.next(state, random.choice(game.actions(state)))
    return found[:count]


@pytest.mark.long
def test_a_bucket_for_every_hand_is_the_strategy_itself(blueprint: Blueprint, players: list[Any], small: Any) -> None:
    for public, seat in histories(small, 60):
        ours, theirs = blueprint.probabilities(public), players[seat].probabilities(public)
        assert ours.hands == theirs.hands
        columns = [ours.table[:, ours.actions.index(action)] for action in theirs.actions]
        np.testing.assert_allclose(np.stack(columns, axis=1), theirs.table, atol=2e-6)
        for hand in (0, len(ours.hands) // 2):
            if ours.table[hand].any():
                single = blueprint.mixed(public, ours.hands[hand])
                assert list(single) == list(ours.actions)
                assert list(single.values()) == ours.table[hand].tolist()


def test_reach_is_the_product_of_the_hands_own_actions(blueprint: Blueprint, players: list[Any], small: Any) -> None:
    for public, _ in histories(small, 30, seed=3):
        ranges = blueprint.ranges(public)
        for seat, player in enumerate(players):
            expected = np.ones(small.deck.hand_count)
            for place, event in enumerate(public):
                if event[:1] in ("f", "c", "b") and small.betting_after(public[:place]).to_act == seat:
                    known = player.probabilities(public[:place])
                    expected *= known.table[:, known.actions.index(event)] if event in known.actions else 0.0
            board = "".join(event for event in public if event[:1] not in ("f", "c", "b"))
            dead = [any(card in board for card in (hand[:2], hand[2:])) for hand in small.deck.hand_names]
            np.testing.assert_allclose(ranges[seat], np.where(dead, 0.0, expected), atol=5e-6)


def test_coarse_buckets_play_the_average_of_their_hands(
    small: Any, coarse: CardAbstraction, players: list[Any]
) -> None:
    blueprint = Blueprint.from_players(small, coarse, players)
    first = players[1].probabilities(())
    buckets, found = coarse.row(()), blueprint.probabilities(())
    for bucket in range(3):
        expected = first.table[buckets == bucket].mean(axis=0)
        rows = found.table[buckets == bucket]
        columns = [found.actions.index(action) for action in first.actions]
        np.testing.assert_allclose(rows[:, columns], np.tile(expected, (len(rows), 1)), atol=1e-6)


def test_uniform(small: Any, coarse: CardAbstraction) -> None:
    behaviour = Blueprint.uniform(small, coarse).probabilities(("c", "c", "AsKs8s"))
    live = small.deck.live_hands([48, 44, 24])
    assert (behaviour.table[live] == 1 / 2).all()
    assert not behaviour.table[~live].any()


def test_packed_is_within_a_byte_and_purified_is_certain(blueprint: Blueprint, small: Any) -> None:
    packed, pure, late = blueprint.packed(), blueprint.purified(), blueprint.purified(first_round=1)
    assert (blueprint.bits, packed.bits, pure.bits) == (32, 8, 8)
    for public, _ in histories(small, 40, seed=5):
        exact = blueprint.probabilities(public).table
        live = exact.any(axis=1)
        assert np.abs(packed.probabilities(public).table - exact).max() < 1 / 255
        certain = pure.probabilities(public).table
        assert set(np.unique(certain[live])) <= {0.0, 1.0}
        assert (exact[live][certain[live] == 1] == exact[live].max(axis=1)).all()
        kept = packed if not any(event[:1] not in ("f", "c", "b") for event in public) else pure
        np.testing.assert_array_equal(late.probabilities(public).table, kept.probabilities(public).table)


def test_purified_rows_without_weight_check_or_call(small: Any, blueprint: Blueprint) -> None:
    """A bucket that training never met plays no fold and no bet by being listed first."""
    pure = Blueprint.uniform(small, blueprint.abstractions).purified()
    for public, _ in histories(small, 25, seed=3):
        behaviour = pure.probabilities(public)
        live = behaviour.table.any(axis=1)
        assert (behaviour.table[live].argmax(axis=1) == behaviour.actions.index("c")).all()


def test_biased_views_multiply_one_kind_of_action(blueprint: Blueprint, small: Any) -> None:
    """The probability of a kind times c, renormalised; nothing changes where it is missing or 0."""
    uniform = Blueprint.uniform(small, blueprint.abstractions)
    for one in (blueprint, blueprint.packed(), uniform):
        for kind, letter in ((FOLD, "f"), (CALL, "c"), (RAISE, "b")):
            biased = one.biased(kind, 5)
            for public, _ in histories(small, 15, seed=2):
                before, after = one.probabilities(public), biased.probabilities(public)
                chosen = [action[0] == letter for action in before.actions]
                share = before.table[:, chosen].sum(axis=1, keepdims=True)
                expected = np.where(chosen, 5, 1) * before.table / (1 + 4 * share)
                np.testing.assert_allclose(after.table, expected, atol=1e-6)
    pure = blueprint.purified()
    for public, _ in histories(small, 15, seed=2):
        never = [pure.biased(kind, 0).probabilities(public).table for kind in (FOLD, CALL, RAISE)]
        for table in never:  # an action that is certain stays so, also if its kind is never wanted
            np.testing.assert_array_equal(table, pure.probabilities(public).table)
    with pytest.raises(InputError, match="factor must be"):
        blueprint.biased(FOLD, 1e39)
    with pytest.raises(InputError, match="kind must be 0, 1 or 2"):
        blueprint.biased(3, 5)


def test_sampling_follows_the_probabilities(blueprint: Blueprint) -> None:
    random, shares = Random(1), blueprint.mixed((), "AsQs")
    drawn = [blueprint.sample((), "AsQs", random) for _ in range(4000)]
    for action, share in shares.items():
        assert drawn.count(action) / 4000 == pytest.approx(share, abs=4 * 0.5 / 4000**0.5)


@pytest.mark.slow
def test_an_abstraction_for_each_seat(
    small: Any, lossless: CardAbstraction, coarse: CardAbstraction, players: list[Any]
) -> None:
    mixed = Blueprint.from_players(small, [lossless, coarse], players)
    alone = Blueprint.from_players(small, coarse, players)
    shared = Blueprint.from_players(small, lossless, players)
    for public, seat in histories(small, 30, seed=9):
        expected = (shared, alone)[seat].probabilities(public).table
        np.testing.assert_allclose(mixed.probabilities(public).table, expected, atol=1e-7)
    assert mixed.player(1).probabilities(()).table.shape == (28, 3)


def test_save_and_load(
    blueprint: Blueprint, small: Any, lossless: CardAbstraction, coarse: CardAbstraction, tmp_path: Path
) -> None:
    for number, one in enumerate(
        (blueprint, blueprint.packed(), blueprint.purified(), Blueprint.uniform(small, [lossless, coarse]))
    ):
        path = tmp_path / f"{number}.cpz"
        one.save(path)
        again = load_blueprint(path)
        assert (again.game, again.digest, again.made, again.bits) == (one.game, one.digest, one.made, one.bits)
        for public, _ in histories(small, 5):
            np.testing.assert_array_equal(again.probabilities(public).table, one.probabilities(public).table)


def test_damaged_and_foreign_files(blueprint: Blueprint, lossless: CardAbstraction, tmp_path: Path) -> None:
    path, other = tmp_path / "blueprint.cpz", tmp_path / "other.cpz"
    blueprint.save(path)
    header, arrays = read_cpz(path, "blueprint")

    def refused(sentence: str, **changes: Any) -> None:
        own = {key: value for key, value in changes.items() if key in header}
        write_cpz(other, "blueprint", header | own, arrays | {k: v for k, v in changes.items() if k not in header})
        with pytest.raises(InputError, match=sentence):
            load_blueprint(other)

    refused("'table' must have the shape", table=arrays["table"][:-1])
    refused("'table' must hold uint8 or float32", table=arrays["table"].astype(np.float64))
    refused("not finite", table=np.full_like(arrays["table"], np.nan))
    refused("numbers from 0 to", table=-arrays["table"])
    refused("is of another betting tree", tree="0" * 64)
    refused("is no hold'em", game="kuhn_poker")
    refused("is not the one that its header names", abstraction_digests=["0"])
    refused("reads up to 1", blueprint_version=2)
    refused("game cannot be 7", game=7)
    refused("abstractions cannot be", abstractions=[])
    lossless.save(other)
    with pytest.raises(InputError, match="holds an abstraction, not a blueprint: look at it with counterpoise abs"):
        load_blueprint(other)
    other.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="cut off"):
        load_blueprint(other)


def test_wrong_questions(blueprint: Blueprint, small: Any, lossless: CardAbstraction, coarse: CardAbstraction) -> None:
    for public, sentence in (
        (("b7",), "has no b7 here"),
        (("f",), "nobody is to act after f: the hand is over"),
        (("c", "c"), "3 public cards are due after c:c, not 0"),
    ):
        with pytest.raises(InputError, match=sentence):
            blueprint.probabilities(public)
    with pytest.raises(InputError, match="hand AsKs shares"):
        blueprint.mixed(("c", "c", "AsKs8s"), "AsKs")
    with pytest.raises(InputError, match="seat 0 is not to act after the deal"):
        blueprint.player(0).probabilities(())
    with pytest.raises(InputError, match=r"deck of 8 cards, no_limit_holdem is played with 52"):
        Blueprint.uniform(cp.load("no_limit_holdem"), coarse)  # type: ignore[arg-type]
    longer: Any = cp.load("limit_holdem(board=[0, 3, 1], ranks=8, suits=1)")
    with pytest.raises(InputError, match=r"knows boards of 0, 3 cards, .* has 0, 3, 4"):
        Blueprint.uniform(longer, coarse)
    with pytest.raises(InputError, match="one for each of 2 seats, not 3"):
        Blueprint.uniform(small, [coarse] * 3)
    with pytest.raises(InputError, match=r"must be .* bytes or float32 in a row, not float64"):
        Blueprint(small, coarse, np.zeros(7))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="ways to deal the public cards"):
        Blueprint.from_players(cp.load("limit_holdem"), lossless, [blueprint.player(0), blueprint.player(1)])  # type: ignore[arg-type]


@pytest.mark.parametrize("levels", [255, 15])
def test_packed_probabilities_are_off_by_what_is_said(levels: int) -> None:
    """Of n actions and L levels none is off by more than (n + 1) / (2L - n), and some by more than one level."""
    largest = 0.0
    for count in (2, 4, 12):
        weights = np.random.default_rng(count).dirichlet(np.full(count, 0.5), 2000).astype(np.float32)
        weights[0] = [1 - 0.0294 * (count - 1), *[0.0294] * (count - 1)]
        packed = np.zeros(weights.size, dtype=np.uint8)
        rows = TableRows(*(np.array([one], kind) for one, kind in ((0, "u8"), (2000, "u4"), (count, "u2"), (0, "u2"))))
        pack_rows(weights.ravel(), rows, float(levels), packed)
        off = np.abs(normalised(packed.reshape(weights.shape)) - normalised(weights)).max()
        assert off <= (count + 1) / (2 * levels - count)
        largest = max(largest, off)
    assert largest > 1 / levels


def test_agents_of_one_file_share_a_blueprint(blueprint: Blueprint, tmp_path: Path) -> None:
    """A table of six reads the file once; what nobody holds is given up, and a file that has changed is read again."""
    path = tmp_path / "one.cpz"
    blueprint.save(path)
    first, second = BlueprintAgent(str(path)), BlueprintAgent(str(path))
    assert first.blueprint is second.blueprint
    assert Pluribus(file=str(path)).blueprint is first.blueprint
    changed = Blueprint(blueprint.game, blueprint.abstractions, np.ones_like(blueprint.table), tree=blueprint.tree)
    changed.save(path)
    again = BlueprintAgent(str(path)).blueprint
    assert (again.table == 1).all()
    assert (first.blueprint.table == blueprint.table).all()
    held = weakref.ref(shared_blueprint(path))
    del again
    assert held() is None  # at once, not when cycles are collected: a training makes a table at every checkpoint
    with pytest.raises(InputError, match=r"nothing\.cpz"):
        shared_blueprint(tmp_path / "nothing.cpz")
