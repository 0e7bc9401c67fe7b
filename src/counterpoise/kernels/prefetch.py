"""Ask the processor for memory that will be read soon, so that the read need not wait for it; nothing else changes."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic


@intrinsic
def _prefetch(typing_context, array, index):
    """Fetch the cache line of ``array[index]`` of a flat array; the index is unsigned and inside of it."""
    signature = types.void(array, index)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        byte = ir.IntType(8).as_pointer()
        address = builder.bitcast(builder.gep(data, [args[1]]), byte)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.globals.get("llvm.prefetch.p0i8") or ir.Function(
            builder.module, kind, "llvm.prefetch.p0i8"
        )
        # For writing too, to be kept in all caches, data.
        builder.call(function, [address, ir.Constant(number, 1), ir.Constant(number, 3), ir.Constant(number, 1)])
        return context.get_dummy_value()

    return signature, generate


def _nothing(array, index):
    """Do nothing, where the compiler is switched off."""


prefetch: Any = _nothing if getattr(config, "DISABLE_JIT", False) else _prefetch
