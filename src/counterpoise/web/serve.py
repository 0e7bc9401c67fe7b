"""Start the application: check where it may listen, choose a port, open the browser, serve until Ctrl-C."""

from __future__ import annotations

import os
import re
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import quote

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.web.extra import require_web

DEFAULT_PORT = 8642
SWITCH_SECONDS = 0.001
"""How long a thread that computes a node may hold the interpreter before the serving thread gets it."""
TOKEN = re.compile(r"[A-Za-z0-9_-]{8,200}", re.ASCII)


def _say(line: str) -> None:
    """Print a line at once: a program that has started the server waits for its address at the other end of a pipe."""
    print(line, flush=True)


def serve(
    file: str | os.PathLike[str] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    library: str | os.PathLike[str] | None = None,
    headless: bool = False,
    tell: Callable[[str], None] = _say,
) -> None:
    """Serve pages and API until Ctrl-C; open the browser unless `headless`, on a `file` if one is named.

    An address that other machines reach, any but 127.0.0.0/8, ::1 and localhost, demands a `token`, which is made up
    if none is given. Without a `port`, or
    if it is taken, a free one is chosen. `tell` gets the lines that say where the server is.
    """
    require_web()
    import uvicorn

    from counterpoise.web.application import make_application
    from counterpoise.web.security import is_loopback
    from counterpoise.web.server import DEFAULT_LIBRARY, Server, ServerSettings

    if token is not None and not TOKEN.fullmatch(token):
        raise InputError("token must be 8 to 200 letters, digits, - or _")
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    listening = _listen(host, port, tell)
    with listening:
        number = listening.getsockname()[1]
        server = Server(library or DEFAULT_LIBRARY, ServerSettings(host=host, port=number, token=token))
        opened = None if file is None else server.library.open_file(file)
        app = make_application(server)
        address = page_address(host, number, opened, token)
        tell(f"Counterpoise is at {address}")
        tell(f"library: {server.library.root}")
        if not headless:
            threading.Timer(1.0, webbrowser.open, (address,)).start()
        sys.setswitchinterval(SWITCH_SECONDS)
        config = uvicorn.Config(
            app,
            log_level="warning",
            timeout_graceful_shutdown=5,
            ws_max_size=2**24,
            ws_per_message_deflate=False,  # to compress what a click changes takes longer than to send it
        )
        with suppress(KeyboardInterrupt):  # the usual end, which uvicorn passes on
            uvicorn.Server(config).run(sockets=[listening])


def page_address(host: str, port: int, opened: str | None = None, token: str | None = None) -> str:
    """Return the address of the first page, with the file that it opens and the token that it needs."""
    from counterpoise.web.security import ANY_ADDRESS

    name = "127.0.0.1" if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
    words = {"open": opened, "token": token}
    query = "&".join(f"{key}={quote(value, safe='')}" for key, value in words.items() if value is not None)
    return f"http://{name}:{port}/" + (f"?{query}" if query else "")


def _listen(host: str, port: int | None, tell: Callable[[str], None]) -> socket.socket:
    """Return a socket that listens at the address; another port, said so, if the one that was asked for is taken."""
    if port is not None and (isinstance(port, bool) or not 0 <= port <= 65535):
        raise InputError(f"port must be a number from 0 to 65535, not {shown(port)}")
    wanted = DEFAULT_PORT if port is None else port
    try:
        found = socket.getaddrinfo(host or None, wanted, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise InputError(f"host must be an address or a name of this machine, not {shown(host)}") from None
    family, kind, protocol, _, address = found[0]
    for attempt in (wanted, 0):
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((address[0], attempt, *address[2:]))
            made.listen(256)
        except OSError as error:
            made.close()
            if attempt == 0 or error.errno not in (98, 48, 10048, 13):  # in use; not allowed
                raise InputError(f"cannot listen at {host}:{wanted}: {error.strerror or error}") from None
            continue
        if attempt != wanted:
            tell(f"port {wanted} is taken: using {made.getsockname()[1]}")
        return made
    raise InputError(f"cannot listen at {host}:{wanted}")
