"""How kernels are compiled.

Kernels that allocate nothing are compiled without counting references, which takes a sixth of the time of a traversal,
and more when threads share arrays. Numba has no public name for that option; it is named here and nowhere else.
"""

from __future__ import annotations

from typing import Any

LEAN: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
"""A kernel that allocates nothing, with arithmetic as written."""
KERNEL: dict[str, Any] = LEAN | {
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz", "nnan", "ninf"},
}
"""A traversal of a public tree."""
PART: dict[str, Any] = KERNEL | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Its parts: called from kernels only, so without wrappers for Python."""
EXACT: dict[str, Any] = PART | {"fastmath": {"nsz", "nnan", "ninf"}}
"""Where regrets are added: in the order written. The difference of two values comes first; added one by one to a large
regret, a tiny gain would be lost, and regret matching would mix evenly instead of playing the better action."""
ONCE: dict[str, Any] = KERNEL | {"inline": "always"}
"""Parts with a single caller: as text of the caller, since LLVM works on a function once for itself and once more for
each function above it."""
