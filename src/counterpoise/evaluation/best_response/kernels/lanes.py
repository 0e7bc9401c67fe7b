"""Sixteen numbers side by side, as LLVM vectors: the same hand in sixteen betting lines.

Kernels `load` lanes from flat arrays of float32 or float64, in which the lanes of a hand stand together, calculate with
them by ``+``, ``-`` and ``*``, and `store` them; offsets count elements. A *card table* holds a sum for each card at
``card * LANES`` and the sum over all hands at ``TOTAL``. Compilers do not find these vectors themselves, because rows
might overlap. Where Numba's compiler is switched off, slices of NumPy do the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

LANES = 16
TOTAL = 52 * LANES
"""Where a card table keeps the sum over all hands."""
TABLE = TOTAL + LANES
"""The length of a card table."""


def zeros(count: int, dtype: Any) -> Any:
    """Return zeros that begin where a vector does: one that lies across two lines of the cache takes twice as long."""
    width, size = LANES * np.dtype(dtype).itemsize, count * np.dtype(dtype).itemsize
    memory = np.zeros(size + width, dtype=np.uint8)
    begin = -memory.ctypes.data % width
    return memory[begin : begin + size].view(dtype)


class LanesType(types.Type):
    """The type of lanes in kernels."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: LanesType) -> None:
        super().__init__(manager, kind, _vector(kind.dtype))


def _vector(dtype: Any) -> Any:
    return ir.VectorType(ir.FloatType() if dtype == types.float32 else ir.DoubleType(), LANES)


def _calculate(symbol: Any, method: str) -> None:
    """Let an operator work on two lanes; products may be fused with sums."""

    @type_callable(symbol)
    def typed(context: Any) -> Any:
        def typer(one: Any, other: Any) -> Any:
            return one if isinstance(one, LanesType) and one == other else None

        return typer

    @lower_builtin(symbol, LanesType, LanesType)
    def lowered(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, method)(*args, flags=("contract",))


_calculate(operator.add, "fadd")
_calculate(operator.sub, "fsub")
_calculate(operator.mul, "fmul")


def _in_kernels(function: Callable[..., Any]) -> Any:
    """Return a function that kernels call, from one that writes LLVM's code for it."""
    return intrinsic(function)


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _vector(kind.dtype).as_pointer())


@_in_kernels
def load(typing_context, row, i):
    """Return the lanes of a row at i."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_place(context, builder, signature.args[0], *args), align=row.dtype.bitwidth // 8)

    return LanesType(row.dtype)(row, i), generate


@_in_kernels
def store(typing_context, row, i, lanes):
    """Write lanes to a row at i."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to = _place(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], to, align=row.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(row, i, lanes), generate


@_in_kernels
def nothing(typing_context, row):
    """Return lanes of 0 of the type of a row."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_vector(row.dtype), [0.0] * LANES)

    return LanesType(row.dtype)(row), generate


@_in_kernels
def cut(typing_context, lanes, least):
    """Return lanes with 0 in place of what is less than a number."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector, whole = _vector(lanes.dtype), ir.IntType(32)
        bound = args[1] if lanes.dtype == types.float64 else builder.fptrunc(args[1], ir.FloatType())
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), bound, ir.Constant(whole, 0))
        every = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(whole, LANES), [0] * LANES))
        zeros = ir.Constant(vector, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered("<", args[0], every), zeros, args[0])

    return lanes(lanes, types.float64), generate


@_in_kernels
def largest(typing_context, one, other):
    """Return the larger one in each lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return one(one, other), generate


@_in_kernels
def some(typing_context, lanes):
    """Return whether any lane is not 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = ir.Constant(_vector(lanes.dtype), [0.0] * LANES)
        bits = builder.bitcast(builder.fcmp_unordered("!=", args[0], zeros), ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))

    return types.boolean(lanes), generate


class _InPython:
    """The same functions on slices, for when the compiler is switched off."""

    @staticmethod
    def load(row, i):
        return row[int(i) : int(i) + LANES].copy()

    @staticmethod
    def store(row, i, lanes):
        row[int(i) : int(i) + LANES] = lanes

    @staticmethod
    def nothing(row):
        return np.zeros(LANES, dtype=row.dtype)

    @staticmethod
    def cut(lanes, least):
        return np.where(lanes < least, 0, lanes).astype(lanes.dtype)

    @staticmethod
    def largest(one, other):
        return np.maximum(one, other)

    @staticmethod
    def some(lanes):
        return bool(lanes.any())


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    names = ("load", "store", "nothing", "cut", "largest", "some")
    globals().update({name: getattr(_InPython, name) for name in names})
