"""Who may talk to the server: requests from this machine's own pages and programs, and those that know the token.

A page of another site that is open in the user's browser can send requests to 127.0.0.1 too. It cannot choose the
header Host (a name of its own that resolves to 127.0.0.1 still shows there: DNS rebinding) and cannot hide the header
Origin, so that a foreign Host or Origin is refused, for WebSockets too. It cannot show our pages inside its own, where
clicks could be stolen, either. Bodies are bounded while they arrive.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import socket
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 4 * 2**20
"""Bytes that the body of a request may have."""
MOST_UPLOAD = 2 * 2**30
"""Bytes of a file that is uploaded."""
UPLOAD_PATH = "/api/v1/uploads"
COOKIE = "counterpoise_token"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY_ADDRESS = ("0.0.0.0", "::", "")
ANSWER_HEADERS = (
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
"""What every answer tells the browser: no page of another site shows it in a frame, guesses its type or is told where
a link was followed."""


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine only."""
    if host in LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Middleware in front of everything: refuses a foreign Host or Origin, a missing token, and bodies too large."""

    def __init__(self, app: ASGIApp, host: str, token: str | None = None) -> None:
        self.app, self.host, self.token = app, host, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed, refuse the rest in a sentence."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers, send = _Headers(scope), _with_headers(send)
        if (refusal := self._refusal(scope, headers)) is not None:
            await _refuse(scope, receive, send, *refusal)
        elif scope["type"] == "http" and scope["method"] == "GET" and self._is_token(given := _token_in_query(scope)):
            await _remember_token(scope, send, given)
        else:
            bounded = _Bounded(scope, headers, receive)
            if bounded.too_large:
                await _refuse(scope, receive, send, 413, bounded.sentence)
            else:
                await self.app(scope, bounded if scope["type"] == "http" else receive, send)

    def _refusal(self, scope: Scope, headers: _Headers) -> tuple[int, str] | None:
        host = headers.get("host")
        if headers.count("host") > 1 or not self._own_name(_host_name(host)):
            return 403, "the request names another host than this server, so it is refused"
        for origin in headers.all("origin"):
            if not _same_origin(origin, host):
                return 403, "the request comes from a page of another site, so it is refused"
        # Browsers say so themselves of requests without Origin, such as those of pictures; links may be followed.
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            followed = scope["type"] == "http" and scope["method"] == "GET"
            framed = headers.get("sec-fetch-dest") not in ("document", "")
            if not followed or framed or headers.get("sec-fetch-mode") != "navigate":
                return 403, "the request comes from a page of another site, so it is refused"
        if self.token is not None and not self._knows_token(scope, headers):
            return 401, "this server demands its token: open the address that it printed, or send Authorization: Bearer"
        return None

    def _own_name(self, name: str) -> bool:
        """Return whether a host name is one that this server is reached by."""
        if is_loopback(self.host):
            return is_loopback(name)
        if self.host not in ANY_ADDRESS:
            return name == self.host.lower()
        if is_loopback(name) or name == socket.gethostname().lower():
            return True
        try:
            ipaddress.ip_address(name)  # a number is no name that somebody else could point here
        except ValueError:
            return False
        return True

    def _knows_token(self, scope: Scope, headers: _Headers) -> bool:
        bearer = headers.get("authorization").removeprefix("Bearer ")
        return any(map(self._is_token, (bearer, _cookie(headers), _token_in_query(scope))))

    def _is_token(self, word: str) -> bool:
        return self.token is not None and hmac.compare_digest(word.encode(), self.token.encode())


class _Headers:
    """The headers of a request, as text."""

    def __init__(self, scope: Scope) -> None:
        self._pairs = [(name.lower().decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]

    def all(self, name: str) -> list[str]:
        return [value for key, value in self._pairs if key == name]

    def get(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    def count(self, name: str) -> int:
        return len(self.all(name))


class _Bounded:
    """Receives the body of a request up to its bound; what is longer is cut off and told to the caller."""

    def __init__(self, scope: Scope, headers: _Headers, receive: Receive) -> None:
        self.receive, self.got = receive, 0
        path = scope.get("path", "")
        self.most = MOST_UPLOAD if path == UPLOAD_PATH else MOST_BODY
        length = headers.get("content-length")
        self.too_large = length.isdecimal() and int(length[:20]) > self.most
        self.sentence = f"the body of a request may have {self.most // 2**20} MB here, not more"

    async def __call__(self) -> Message:
        message = await self.receive()
        if message["type"] == "http.request":
            self.got += len(message.get("body", b""))
            if self.got > self.most:
                raise HTTPException(413, self.sentence)
        return message


def _host_name(host: str) -> str:
    """Return the name in a header Host, without its port; "" if it is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower() if "@" not in host else ""
    except ValueError:
        return ""


def _same_origin(origin: str, host: str) -> bool:
    scheme, _, place = origin.partition("://")
    return scheme in ("http", "https") and place.lower() == host.lower()


def _cookie(headers: _Headers) -> str:
    return cookie_parser(headers.get("cookie")).get(COOKIE, "")  # whatever other servers of this machine have set


def _query(scope: Scope) -> dict[str, list[str]]:
    return parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def _token_in_query(scope: Scope) -> str:
    return _query(scope).get("token", [""])[0]


async def _remember_token(scope: Scope, send: Send, token: str) -> None:
    """Keep the token in a cookie that no script reads, and let the browser forget the address that has it."""
    rest = urlencode({name: values for name, values in _query(scope).items() if name != "token"}, doseq=True)
    where = quote("/" + scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
    cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Lax"
    headers = [(b"location", where.encode()), (b"set-cookie", cookie.encode("latin-1"))]
    await send({"type": "http.response.start", "status": 303, "headers": [*headers, (b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *ANSWER_HEADERS]}
        await send(message)

    return with_headers


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, sentence: str) -> None:
    if scope["type"] == "websocket":
        await receive()  # the request to connect
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": sentence[:120]})
            return
    prefix = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    body = json.dumps({"detail": sentence}).encode()
    headers: list[Any] = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": f"{prefix}.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}.body", "body": body})
