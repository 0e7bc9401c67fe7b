"""Eight float32 at a time, as LLVM vectors: what a compiler cannot find by itself in a showdown.

A showdown walks the hands in order of strength and keeps running sums per card, which is a chain of dependent steps.
But the same walk serves eight reach vectors at once, one per lane. So eight rows are interleaved (hand by hand, eight
lanes together), swept once, and taken apart into rows again. Rows are float32, running sums are whole numbers: each
lane is scaled so that all its mass is 2^30. Sums of whole numbers are exact, so equal masses cancel to exactly zero,
which matters because regret matching turns the smallest positive number into a pure strategy. Arrays are flat; offsets
count elements. ``work`` is the `Work` of a traversal, of which these read and write the rows named in each.

Where Numba's compiler is switched off the functions of `simd_in_python` stand in, and a test compares the two.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
TOTAL = 64 * LANES
"""Where a card table keeps the sum over all hands; the sum of card c starts at ``c * LANES``."""

_INDEX = ir.IntType(64)
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_WHOLE = ir.VectorType(ir.IntType(32), LANES)
_UNITS = float(2**30)
"""What all mass of a lane is, in whole numbers."""


def _constant(value: int) -> ir.Constant:
    return ir.Constant(_INDEX, value)


def _data(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    return context.make_array(array_type)(context, builder, array).data


def _member(context: Any, builder: Any, tuple_type: Any, value: Any, at: int | str) -> Any:
    """Return the data of an array in a tuple, by its place or by its name."""
    place = tuple_type.fields.index(at) if isinstance(at, str) else at
    return _data(context, builder, tuple_type.types[place], builder.extract_value(value, place))


def _sums(context: Any, builder: Any, tuple_type: Any, value: Any, name: str) -> _Sums:
    return _Sums(builder, _member(context, builder, tuple_type, value, name))


def _at(builder: Any, data: Any, index: Any, vector: Any = _VECTOR) -> Any:
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def _load(builder: Any, data: Any, index: Any, vector: Any = _VECTOR) -> Any:
    return builder.load(_at(builder, data, index, vector), align=4)


def _store(builder: Any, entries: Any, data: Any, index: Any, vector: Any = _VECTOR) -> None:
    builder.store(entries, _at(builder, data, index, vector), align=4)


class _Sums:
    """The card table: the opponent's mass met so far, per card, eight lanes of whole numbers each."""

    def __init__(self, builder: Any, data: Any) -> None:
        self.builder, self.data = builder, data

    def zero(self) -> Any:
        total = cgutils.alloca_once(self.builder, _WHOLE)
        self.builder.store(ir.Constant(_WHOLE, [0] * LANES), total)
        return total

    def at(self, index: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(self.data, [index]), _WHOLE.as_pointer())

    def load(self, index: Any) -> Any:
        return self.builder.load(self.at(index), align=4)

    def store(self, vector: Any, index: Any) -> None:
        self.builder.store(vector, self.at(index), align=4)

    def without(self, total: Any, card: Any, other: Any) -> Any:
        """Return the total minus the sums of two cards."""
        return self.builder.sub(self.builder.sub(total, self.load(card)), self.load(other))

    def meet(self, source: Any, hand: Any, scale: Any, total: Any, cards: tuple[Any, Any]) -> None:
        """Add the opponent's hand to the total and to the sums of its two cards."""
        builder = self.builder
        met = _whole(builder, source, hand, scale)
        builder.store(builder.add(builder.load(total), met), total)
        for which in cards:
            card = _number(builder, which, hand)
            self.store(builder.add(self.load(card), met), card)


def _whole(builder: Any, source: Any, hand: Any, scale: Any) -> Any:
    """Return the mass of a hand in whole numbers."""
    mass = _load(builder, source, builder.mul(hand, _constant(LANES)))
    return builder.fptosi(builder.fmul(mass, scale), _WHOLE)


def _scales(builder: Any, totals: Any) -> tuple[Any, Any]:
    """Return, per lane, units per mass and mass per unit; both are zero where there is no mass."""
    total = _load(builder, totals, _constant(0))
    zero, units = ir.Constant(_VECTOR, [0.0] * LANES), ir.Constant(_VECTOR, [_UNITS] * LANES)
    some = builder.fcmp_ordered(">", total, ir.Constant(_VECTOR, [1e-30] * LANES))
    return builder.select(some, builder.fdiv(units, total), zero), builder.fdiv(total, units)


def _number(builder: Any, data: Any, index: Any) -> Any:
    return builder.zext(builder.load(builder.gep(data, [index])), _INDEX)


def _loop(builder: Any, low: Any, high: Any) -> Any:
    return cgutils.for_range_slice(builder, low, high, _constant(1), _INDEX)


def _transpose(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the 8x8 transpose of eight vectors, by pairs, then fours, then halves."""

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
def interleave(typing_context, block, rows, offsets, count, totals):
    """``block[8*k + j] = rows[offsets[j] + k]`` for k < count (a multiple of 8) and the eight offsets.

    ``totals[j]`` becomes the sum of lane j.
    """
    signature = types.void(block, rows, offsets, count, totals)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        out, source, where = (_data(context, builder, sig.args[k], args[k]) for k in range(3))
        begins = [_number(builder, where, _constant(j)) for j in range(LANES)]
        sums = _data(context, builder, sig.args[4], args[4])
        total = cgutils.alloca_once(builder, _VECTOR)
        builder.store(ir.Constant(_VECTOR, [0.0] * LANES), total)
        with cgutils.for_range(builder, builder.udiv(args[3], _constant(LANES)), intp=_INDEX) as loop:
            first = builder.mul(loop.index, _constant(LANES))
            rows8 = [_load(builder, source, builder.add(begin, first)) for begin in begins]
            hands = _transpose(builder, rows8)
            for lane, vector in enumerate(hands):
                hand = builder.mul(builder.add(first, _constant(lane)), _constant(LANES))
                _store(builder, vector, out, hand)
            while len(hands) > 1:
                hands = [builder.fadd(hands[k], hands[k + 1]) for k in range(0, len(hands), 2)]
            builder.store(builder.fadd(builder.load(total), hands[0]), total)
        _store(builder, builder.load(total), sums, _constant(0))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def deinterleave(typing_context, rows, offsets, block, count):
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
def sweep(typing_context, ties, bounds, own, cards, met_cards, work):
    """Walk the tie groups ``ties[low:high]`` from weakest to strongest; ``work.swept`` gets F(before) + F(after) each.

    F(x) is the opponent's mass (``work.block``) among the hands met so far that share no card with the own hand: the
    total minus the sums of the two cards (``cards`` of own hands, ``met_cards`` of the opponent's, as table offsets). A
    group is four numbers; the own hands are ``ties[4*g + own]`` to the next (own is 0 or 2), the opponent's the other
    two. ``work.table`` must be zero at the start and holds the sums over all hands at the end.
    """
    signature = types.void(ties, bounds, own, cards, met_cards, work)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        groups = _data(context, builder, sig.args[0], args[0])
        low, high = (builder.extract_value(args[1], k) for k in range(2))
        a, b = (_member(context, builder, sig.args[3], args[3], k) for k in range(2))
        x, y = (_member(context, builder, sig.args[4], args[4], k) for k in range(2))
        source, mass = (_member(context, builder, sig.args[5], args[5], name) for name in ("block", "totals"))
        target, sums = (_sums(context, builder, sig.args[5], args[5], name) for name in ("swept", "table"))
        scale, _ = _scales(builder, mass)
        total = sums.zero()
        opponent = builder.xor(args[2], _constant(2))

        def met(hand: Any) -> Any:
            cards = _number(builder, a, hand), _number(builder, b, hand)
            return sums.without(builder.load(total), *cards)

        with _loop(builder, low, high) as (group, _):
            base = builder.mul(group, _constant(4))
            own_at, met_at = builder.add(base, args[2]), builder.add(base, opponent)
            own_low, met_low = _number(builder, groups, own_at), _number(builder, groups, met_at)
            own_high = _number(builder, groups, builder.add(own_at, _constant(1)))
            met_high = _number(builder, groups, builder.add(met_at, _constant(1)))
            with _loop(builder, own_low, own_high) as (hand, _):
                target.store(met(hand), builder.mul(hand, _constant(LANES)))
            with _loop(builder, met_low, met_high) as (hand, _):
                sums.meet(source, hand, scale, total, (x, y))
            with _loop(builder, own_low, own_high) as (hand, _):
                at = builder.mul(hand, _constant(LANES))
                target.store(builder.add(target.load(at), met(hand)), at)
        sums.store(builder.load(total), _constant(TOTAL))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_up(typing_context, met_cards, work, count):
    """Add the mass of ``count`` opponent hands to the total and to the sums of their cards, without an order."""
    signature = types.void(met_cards, work, count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, y = (_member(context, builder, sig.args[0], args[0], k) for k in range(2))
        source, mass = (_member(context, builder, sig.args[1], args[1], name) for name in ("block", "totals"))
        sums = _sums(context, builder, sig.args[1], args[1], "table")
        scale, _ = _scales(builder, mass)
        total = sums.zero()
        with cgutils.for_range(builder, args[2], intp=_INDEX) as loop:
            sums.meet(source, loop.index, scale, total, (x, y))
        sums.store(builder.load(total), _constant(TOTAL))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def settle(typing_context, cards, same, work, count):
    """After a sweep: ``work.block_wins`` becomes weaker minus stronger mass, ``work.block_mass`` all compatible mass.

    F(before) + F(after) - F(all) is weaker minus stronger; the opponent's mass adds back the hand ``same`` as the
    own one, which both card sums removed (Johanson 2016, section 2.4.2; ``same`` points at a zero where there is none).
    """
    signature = types.void(cards, same, work, count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (_member(context, builder, sig.args[0], args[0], k) for k in range(2))
        twin = _data(context, builder, sig.args[1], args[1])
        source, all_mass, out, left = (
            _member(context, builder, sig.args[2], args[2], name)
            for name in ("block", "totals", "block_wins", "block_mass")
        )
        sums, both = (_sums(context, builder, sig.args[2], args[2], name) for name in ("table", "swept"))
        scale, unit = _scales(builder, all_mass)
        total = sums.load(_constant(TOTAL))
        with cgutils.for_range(builder, args[3], intp=_INDEX) as loop:
            hand = loop.index
            at = builder.mul(hand, _constant(LANES))
            everything = sums.without(total, _number(builder, a, hand), _number(builder, b, hand))
            difference = builder.sitofp(builder.sub(both.load(at), everything), _VECTOR)
            _store(builder, builder.fmul(difference, unit), out, at)
            again = _whole(builder, source, _number(builder, twin, hand), scale)
            compatible = builder.sitofp(builder.add(everything, again), _VECTOR)
            _store(builder, builder.fmul(compatible, unit), left, at)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def fetch_add(typing_context, counter):
    """Return the number in ``counter[0]`` (uint64) and add one to it in one atomic step: how threads share tasks."""
    signature = types.uint64(counter)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = _data(context, builder, sig.args[0], args[0])
        return builder.atomic_rmw("add", data, _constant(1), "seq_cst")

    return signature, generate


@intrinsic
def largest(typing_context, row, count):
    """Return the largest absolute value among the first ``count`` (a multiple of 8) float32 of a row."""
    signature = types.float32(row, count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = _data(context, builder, sig.args[0], args[0])
        most = cgutils.alloca_once(builder, _VECTOR)
        builder.store(ir.Constant(_VECTOR, [0.0] * LANES), most)
        no_sign = ir.Constant(_WHOLE, [0x7FFFFFFF] * LANES)
        with cgutils.for_range(builder, builder.udiv(args[1], _constant(LANES)), intp=_INDEX) as loop:
            entries = _load(builder, source, builder.mul(loop.index, _constant(LANES)))
            size = builder.bitcast(builder.and_(builder.bitcast(entries, _WHOLE), no_sign), _VECTOR)
            so_far = builder.load(most)
            builder.store(builder.select(builder.fcmp_ordered(">", size, so_far), size, so_far), most)
        found = builder.load(most)
        lanes = [builder.extract_element(found, ir.Constant(ir.IntType(32), lane)) for lane in range(LANES)]
        while len(lanes) > 1:
            pairs = zip(lanes[::2], lanes[1::2], strict=True)
            lanes = [builder.select(builder.fcmp_ordered(">", one, other), one, other) for one, other in pairs]
        return lanes[0]

    return signature, generate


@intrinsic
def add_matrix(typing_context, values, matrix, stride, reach, count):
    """Multiply a matrix, ``count`` rows of ``stride`` numbers, by a reach vector and add the product to the values.

    `values`, `matrix` and `reach` are pairs: a flat array and where its part of it begins, all of float32 or all of
    float64. Eight sums at a time stay in registers, which matters when there are few hands; ``stride`` is a multiple
    of 8.
    """
    signature = types.void(values, matrix, stride, reach, count)
    double = values.types[0].dtype == types.float64
    vector = ir.VectorType(ir.DoubleType() if double else ir.FloatType(), LANES)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pairs = (0, 1, 3)
        out, entries, weights = (_member(context, builder, sig.args[k], args[k], 0) for k in pairs)
        at, begin, reach_at = (builder.extract_value(args[k], 1) for k in pairs)
        width, height = args[2], args[4]
        lane = ir.Constant(ir.IntType(32), 0)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        total = cgutils.alloca_once(builder, vector)
        with cgutils.for_range(builder, builder.udiv(width, _constant(LANES)), intp=_INDEX) as part:
            first = builder.mul(part.index, _constant(LANES))
            place = builder.add(at, first)
            builder.store(_load(builder, out, place, vector), total)
            with cgutils.for_range(builder, height, intp=_INDEX) as loop:
                weight = builder.load(builder.gep(weights, [builder.add(reach_at, loop.index)]))
                spot = builder.insert_element(ir.Constant(vector, ir.Undefined), weight, lane)
                spread8 = builder.shuffle_vector(spot, spot, everywhere)
                row = builder.add(builder.add(begin, builder.mul(loop.index, width)), first)
                product = builder.fmul(_load(builder, entries, row, vector), spread8, flags=["contract"])
                builder.store(builder.fadd(builder.load(total), product, flags=["contract"]), total)
            _store(builder, builder.load(total), out, place, vector)
        return context.get_dummy_value()

    return signature, generate


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    from counterpoise.public.kernels import simd_in_python as twins

    names = ("interleave", "deinterleave", "sweep", "add_up", "settle", "fetch_add", "largest", "add_matrix")
    globals().update({name: getattr(twins, name) for name in names})
