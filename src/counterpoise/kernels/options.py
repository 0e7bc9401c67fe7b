"""How the kernels of public trees are compiled."""

from __future__ import annotations

from typing import Any

KERNEL: dict[str, Any] = {
    "cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "nnan", "ninf"},
    "_nrt": False,
}  # fmt: skip
"""A traversal: it allocates nothing, so references are not counted (which costs a sixth of the time, and more when
threads share arrays)."""
PART: dict[str, Any] = KERNEL | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Its parts: called from kernels only, so without wrappers for Python."""
EXACT: dict[str, Any] = PART | {"fastmath": {"nsz", "nnan", "ninf"}}
"""Where regrets are added: in the order written. The difference of two values comes first; added one by one to a large
regret, a tiny gain would be lost, and regret matching would mix evenly instead of playing the better action."""
ONCE: dict[str, Any] = KERNEL | {"inline": "always"}
"""Parts with a single caller: as text of the caller, since LLVM works on a function once for itself and once more for
each function above it."""
