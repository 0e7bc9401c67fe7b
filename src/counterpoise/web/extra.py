"""What the extra [web] installs, and what is said without it."""

from __future__ import annotations

from importlib.util import find_spec

from counterpoise.errors import InputError


def require_web() -> None:
    """Say in a sentence which extra is missing if the web application cannot start."""
    missing = [name for name in ("fastapi", "nicegui", "uvicorn") if find_spec(name) is None]
    if missing:
        raise InputError(
            f"the web application needs {' and '.join(missing)}, which the extra [web] installs: "
            'pip install "counterpoise[web]"'
        )
