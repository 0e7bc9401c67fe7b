"""Eight float64 side by side, as LLVM vectors: the same hand in eight betting lines.

Rows are flat arrays in which the lanes of a hand stand together; offsets count elements. A *card table* holds a sum for
each card at ``card * LANES`` and the sum over all hands at ``TOTAL``. Compilers do not find these vectors themselves,
because rows might overlap. Where Numba's compiler is switched off, slices of NumPy do the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
TOTAL = 52 * LANES
"""Where a card table keeps the sum over all hands."""
TABLE = TOTAL + LANES
"""The length of a card table."""

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


def _at(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _places(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Return the places that pairs of an array and an offset stand for."""
    return [_at(context, builder, signature.args[k], args[k], args[k + 1]) for k in range(0, len(args), 2)]


def _load(builder: Any, place: Any) -> Any:
    return builder.load(place, align=8)


@intrinsic
def add(typing_context, out, i, row, j):
    """Add the lanes of `row` at j to those of `out` at i."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, source = _places(context, builder, signature, args)
        builder.store(builder.fadd(_load(builder, to), _load(builder, source)), to, align=8)
        return context.get_dummy_value()

    return types.void(out, i, row, j), generate


@intrinsic
def multiply(typing_context, out, i, row, j, other, k):
    """Write the product of the lanes of `row` at j and of `other` at k to `out` at i."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, one, two = _places(context, builder, signature, args)
        builder.store(builder.fmul(_load(builder, one), _load(builder, two)), to, align=8)
        return context.get_dummy_value()

    return types.void(out, i, row, j, other, k), generate


@intrinsic
def keep_best(typing_context, out, i, row, j):
    """Write the larger of the lanes of `out` at i and of `row` at j to `out`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, source = _places(context, builder, signature, args)
        one, two = _load(builder, to), _load(builder, source)
        builder.store(builder.select(builder.fcmp_ordered(">", two, one), two, one), to, align=8)
        return context.get_dummy_value()

    return types.void(out, i, row, j), generate


def _without_cards(context: Any, builder: Any, signature: Any, args: Any) -> tuple[Any, Any]:
    """Return where `out` is, and the sum over all hands in a table less those of two cards."""
    to = _at(context, builder, signature.args[0], args[0], args[1])
    total, first, second = (
        _load(builder, _at(context, builder, signature.args[2], args[2], index))
        for index in (ir.Constant(ir.IntType(64), TOTAL), args[3], args[4])
    )
    return to, builder.fsub(builder.fsub(total, first), second)


@intrinsic
def rest(typing_context, out, i, table, a, b):
    """Write the sum over all hands less those with the cards at a and b to `out` at i."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, found = _without_cards(context, builder, signature, args)
        builder.store(found, to, align=8)
        return context.get_dummy_value()

    return types.void(out, i, table, a, b), generate


@intrinsic
def add_rest(typing_context, out, i, table, a, b):
    """Add the sum over all hands less those with the cards at a and b to `out` at i."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, found = _without_cards(context, builder, signature, args)
        builder.store(builder.fadd(_load(builder, to), found), to, align=8)
        return context.get_dummy_value()

    return types.void(out, i, table, a, b), generate


@intrinsic
def absorb(typing_context, table, row, at, cards, begin, end):
    """Add the hands from `begin` to `end` of a row that begins with hand number `at` to a card table.

    `cards` is the pair of arrays with the places of both cards of each hand. The sum over all stays in a register.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds, whole = signature.args, ir.IntType(64)
        total = cgutils.alloca_once(builder, _VECTOR)
        place = _at(context, builder, kinds[0], args[0], ir.Constant(whole, TOTAL))
        builder.store(_load(builder, place), total)
        pair = [builder.extract_value(args[3], k) for k in range(2)]
        numbers = [context.make_array(kinds[3].types[k])(context, builder, pair[k]).data for k in range(2)]
        with cgutils.for_range_slice(builder, args[4], args[5], ir.Constant(whole, 1), whole) as (hand, _):
            offset = builder.mul(builder.add(args[2], hand), ir.Constant(whole, LANES))
            met = _load(builder, _at(context, builder, kinds[1], args[1], offset))
            builder.store(builder.fadd(builder.load(total), met), total)
            for data in numbers:
                card = _at(context, builder, kinds[0], args[0], builder.load(builder.gep(data, [hand])))
                builder.store(builder.fadd(_load(builder, card), met), card, align=8)
        builder.store(builder.load(total), place, align=8)
        return context.get_dummy_value()

    return types.void(table, row, at, cards, begin, end), generate


@intrinsic
def add_showdown(typing_context, out, i, table, a, b, row, j, worth, k):
    """Add to `out` what a hand wins at a showdown: the lanes of `row` less what it can meet in all, times `worth`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, met = _without_cards(context, builder, signature, args)
        swept, factor = (_load(builder, _at(context, builder, signature.args[n], args[n], args[n + 1])) for n in (5, 7))
        product = builder.fmul(builder.fsub(swept, met), factor)
        builder.store(builder.fadd(_load(builder, to), product), to, align=8)
        return context.get_dummy_value()

    return types.void(out, i, table, a, b, row, j, worth, k), generate


@intrinsic
def add_fold(typing_context, out, i, table, a, b, row, j, worth, k):
    """Add to `out` what a hand gets at a fold: all that it can meet times `worth`; `row` has the same hand's reach.

    The same hand has both cards, so that it was taken away twice.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, met = _without_cards(context, builder, signature, args)
        same, factor = (_load(builder, _at(context, builder, signature.args[n], args[n], args[n + 1])) for n in (5, 7))
        product = builder.fmul(builder.fadd(met, same), factor)
        builder.store(builder.fadd(_load(builder, to), product), to, align=8)
        return context.get_dummy_value()

    return types.void(out, i, table, a, b, row, j, worth, k), generate


class _InPython:
    """The same functions on slices, for when the compiler is switched off."""

    @staticmethod
    def add(out, i, row, j):
        _cut(out, i)[:] += _cut(row, j)

    @staticmethod
    def multiply(out, i, row, j, other, k):
        _cut(out, i)[:] = _cut(row, j) * _cut(other, k)

    @staticmethod
    def keep_best(out, i, row, j):
        np.maximum(_cut(out, i), _cut(row, j), out=_cut(out, i))

    @staticmethod
    def rest(out, i, table, a, b):
        _cut(out, i)[:] = _cut(table, TOTAL) - _cut(table, a) - _cut(table, b)

    @staticmethod
    def add_rest(out, i, table, a, b):
        _cut(out, i)[:] += _cut(table, TOTAL) - _cut(table, a) - _cut(table, b)

    @staticmethod
    def absorb(table, row, at, cards, begin, end):
        for hand in range(int(begin), int(end)):
            for place in (TOTAL, cards[0][hand], cards[1][hand]):
                _cut(table, place)[:] += _cut(row, (int(at) + hand) * LANES)

    @staticmethod
    def add_showdown(out, i, table, a, b, row, j, worth, k):
        met = _cut(table, TOTAL) - _cut(table, a) - _cut(table, b)
        _cut(out, i)[:] += (_cut(row, j) - met) * _cut(worth, k)

    @staticmethod
    def add_fold(out, i, table, a, b, row, j, worth, k):
        met = _cut(table, TOTAL) - _cut(table, a) - _cut(table, b)
        _cut(out, i)[:] += (met + _cut(row, j)) * _cut(worth, k)


def _cut(row: Any, begin: Any) -> Any:
    return row[int(begin) : int(begin) + LANES]


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    names = ("add", "multiply", "keep_best", "rest", "add_rest", "absorb", "add_showdown", "add_fold")
    globals().update({name: getattr(_InPython, name) for name in names})
