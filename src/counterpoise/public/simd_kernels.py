"""Eight float32 at a time, as LLVM vectors: what a compiler cannot find by itself in a showdown.

A showdown walks the hands in order of strength and keeps running sums per card, which is a chain of dependent
steps. But the same walk serves eight reach vectors at once, one per lane. So eight rows are interleaved (hand by
hand, eight lanes together), swept once, and spread back into rows. Rows are float32, the card table with the running
sums is float64: there sums of float32 are exact enough for equal masses to cancel to exactly zero, which matters
because regret matching turns the smallest positive number into a pure strategy. Arrays are flat; offsets count
elements.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
TOTAL = 64 * LANES
"""Where a card table keeps the sum over all hands; the sum of card c starts at ``c * LANES``."""

_INDEX = ir.IntType(64)
_VECTOR = ir.VectorType(ir.FloatType(), LANES)


def _constant(value: int) -> ir.Constant:
    return ir.Constant(_INDEX, value)


def _data(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    return context.make_array(array_type)(context, builder, array).data


def _at(builder: Any, data: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _load(builder: Any, data: Any, index: Any) -> Any:
    return builder.load(_at(builder, data, index), align=4)


def _store(builder: Any, vector: Any, data: Any, index: Any) -> None:
    builder.store(vector, _at(builder, data, index), align=4)


class _Sums:
    """The card table: the opponent's mass met so far, per card, eight lanes of float64 each."""

    type = ir.VectorType(ir.DoubleType(), LANES)

    def __init__(self, context: Any, builder: Any, array_type: Any, array: Any) -> None:
        self.builder, self.data = builder, _data(context, builder, array_type, array)

    def zero(self) -> Any:
        total = cgutils.alloca_once(self.builder, self.type)
        self.builder.store(ir.Constant(self.type, [0.0] * LANES), total)
        return total

    def at(self, index: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(self.data, [index]), self.type.as_pointer())

    def load(self, index: Any) -> Any:
        return self.builder.load(self.at(index), align=4)

    def store(self, vector: Any, index: Any) -> None:
        self.builder.store(vector, self.at(index), align=4)

    def without(self, total: Any, card: Any, other: Any) -> Any:
        """The total minus the sums of two cards, as float32."""
        left = self.builder.fsub(self.builder.fsub(total, self.load(card)), self.load(other))
        return self.builder.fptrunc(left, _VECTOR)

    def meet(self, source: Any, hand: Any, total: Any, cards: tuple[Any, Any]) -> None:
        """Add the opponent's hand to the total and to the sums of its two cards."""
        builder = self.builder
        met = builder.fpext(_load(builder, source, builder.mul(hand, _constant(LANES))), self.type)
        builder.store(builder.fadd(builder.load(total), met), total)
        for which in cards:
            card = _number(builder, which, hand)
            self.store(builder.fadd(self.load(card), met), card)


def _number(builder: Any, data: Any, index: Any) -> Any:
    return builder.zext(builder.load(builder.gep(data, [index])), _INDEX)


def _loop(builder: Any, low: Any, high: Any) -> Any:
    return cgutils.for_range_slice(builder, low, high, _constant(1), _INDEX)


def _transpose(builder: Any, rows: list[Any]) -> list[Any]:
    """The 8x8 transpose of eight vectors, by pairs, then fours, then halves."""

    def mixed(one: Any, other: Any, lanes: list[int]) -> Any:
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), lanes)
        return builder.shuffle_vector(one, other, mask)

    pairs = []
    for k in range(0, 8, 2):
        pairs.append(mixed(rows[k], rows[k + 1], [0, 8, 1, 9, 4, 12, 5, 13]))
        pairs.append(mixed(rows[k], rows[k + 1], [2, 10, 3, 11, 6, 14, 7, 15]))
    fours = []
    for k in (0, 4):
        for part in (0, 1):
            fours.append(mixed(pairs[k + part], pairs[k + part + 2], [0, 1, 8, 9, 4, 5, 12, 13]))
            fours.append(mixed(pairs[k + part], pairs[k + part + 2], [2, 3, 10, 11, 6, 7, 14, 15]))
    low = [mixed(fours[k], fours[k + 4], [0, 1, 2, 3, 8, 9, 10, 11]) for k in range(4)]
    high = [mixed(fours[k], fours[k + 4], [4, 5, 6, 7, 12, 13, 14, 15]) for k in range(4)]
    return low + high


@intrinsic
def interleave(typing_context, block, rows, offsets, count):
    """``block[8*k + j] = rows[offsets[j] + k]`` for k < count (a multiple of 8) and the eight offsets."""
    signature = types.void(block, rows, offsets, count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        out, source, where = (_data(context, builder, sig.args[k], args[k]) for k in range(3))
        begins = [_number(builder, where, _constant(j)) for j in range(LANES)]
        with cgutils.for_range(builder, builder.udiv(args[3], _constant(LANES)), intp=_INDEX) as loop:
            first = builder.mul(loop.index, _constant(LANES))
            rows8 = [_load(builder, source, builder.add(begin, first)) for begin in begins]
            for lane, vector in enumerate(_transpose(builder, rows8)):
                hand = builder.mul(builder.add(first, _constant(lane)), _constant(LANES))
                _store(builder, vector, out, hand)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def spread(typing_context, rows, offsets, block, count):
    """The inverse of `interleave`: ``rows[offsets[j] + k] = block[8*k + j]``."""
    signature = types.void(rows, offsets, block, count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        out, where, source = (_data(context, builder, sig.args[k], args[k]) for k in range(3))
        begins = [_number(builder, where, _constant(j)) for j in range(LANES)]
        with cgutils.for_range(builder, builder.udiv(args[3], _constant(LANES)), intp=_INDEX) as loop:
            first = builder.mul(loop.index, _constant(LANES))
            hands = [
                _load(builder, source, builder.mul(builder.add(first, _constant(m)), _constant(LANES)))
                for m in range(LANES)
            ]
            for begin, vector in zip(begins, _transpose(builder, hands), strict=True):
                _store(builder, vector, out, builder.add(begin, first))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def sweep(typing_context, ties, low, high, own, opponent, card_a, card_b, met_a, met_b, reach, out, table):
    """Walk the tie groups ``ties[low:high]`` from weakest to strongest; ``out`` gets F(before) + F(after) its group.

    F(x) is the opponent's mass among the hands met so far that share no card with the own hand: the total minus
    the sums of the two cards (``card_a``, ``card_b`` of own hands, ``met_a``, ``met_b`` of the opponent's, as table
    offsets). A group is four numbers; the own hands are ``ties[4*g + own]`` to the next, the opponent's likewise.
    The table must be zero at the start and holds the sums over all hands at the end.
    """
    signature = types.void(ties, low, high, own, opponent, card_a, card_b, met_a, met_b, reach, out, table)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        groups, a, b, x, y, source, target = (
            _data(context, builder, sig.args[k], args[k]) for k in (0, 5, 6, 7, 8, 9, 10)
        )
        sums = _Sums(context, builder, sig.args[11], args[11])
        total = sums.zero()

        def mass(hand: Any) -> Any:
            cards = _number(builder, a, hand), _number(builder, b, hand)
            return sums.without(builder.load(total), *cards)

        with _loop(builder, args[1], args[2]) as (group, _):
            base = builder.mul(group, _constant(4))
            own_at, met_at = builder.add(base, args[3]), builder.add(base, args[4])
            own_low, met_low = _number(builder, groups, own_at), _number(builder, groups, met_at)
            own_high = _number(builder, groups, builder.add(own_at, _constant(1)))
            met_high = _number(builder, groups, builder.add(met_at, _constant(1)))
            with _loop(builder, own_low, own_high) as (hand, _):
                _store(builder, mass(hand), target, builder.mul(hand, _constant(LANES)))
            with _loop(builder, met_low, met_high) as (hand, _):
                sums.meet(source, hand, total, (x, y))
            with _loop(builder, own_low, own_high) as (hand, _):
                at = builder.mul(hand, _constant(LANES))
                _store(builder, builder.fadd(_load(builder, target, at), mass(hand)), target, at)
        sums.store(builder.load(total), _constant(TOTAL))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_up(typing_context, met_a, met_b, reach, table, count):
    """Only the sums of `sweep`: total and per-card mass of ``count`` opponent hands, without an order."""
    signature = types.void(met_a, met_b, reach, table, count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, y, source = (_data(context, builder, sig.args[k], args[k]) for k in range(3))
        sums = _Sums(context, builder, sig.args[3], args[3])
        total = sums.zero()
        with cgutils.for_range(builder, args[4], intp=_INDEX) as loop:
            sums.meet(source, loop.index, total, (x, y))
        sums.store(builder.load(total), _constant(TOTAL))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def settle(typing_context, card_a, card_b, same, reach, table, wins, mass, count):
    """After a sweep: ``wins`` becomes weaker minus stronger mass, ``mass`` all of the opponent's compatible mass.

    F(before) + F(after) - F(all) is weaker minus stronger; the opponent's mass adds back the hand ``same`` as the
    own one, which both card sums removed (JOHANSON 2.4.2; ``same`` points at a zero where there is none).
    """
    signature = types.void(card_a, card_b, same, reach, table, wins, mass, count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b, twin, source = (_data(context, builder, sig.args[k], args[k]) for k in range(4))
        sums = _Sums(context, builder, sig.args[4], args[4])
        out, left = (_data(context, builder, sig.args[k], args[k]) for k in (5, 6))
        total = sums.load(_constant(TOTAL))
        with cgutils.for_range(builder, args[7], intp=_INDEX) as loop:
            hand = loop.index
            at = builder.mul(hand, _constant(LANES))
            everything = sums.without(total, _number(builder, a, hand), _number(builder, b, hand))
            _store(builder, builder.fsub(_load(builder, out, at), everything), out, at)
            again = _load(builder, source, builder.mul(_number(builder, twin, hand), _constant(LANES)))
            _store(builder, builder.fadd(everything, again), left, at)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def fetch_add(typing_context, counter):
    """The number in ``counter[0]`` (uint64), which grows by one in the same atomic step: how threads share tasks."""
    signature = types.uint64(counter)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = _data(context, builder, sig.args[0], args[0])
        return builder.atomic_rmw("add", data, _constant(1), "seq_cst")

    return signature, generate
