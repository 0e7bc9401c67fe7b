"""What the guard refuses, over WebSockets too: foreign hosts and origins, requests without the token, large bodies."""

from __future__ import annotations

import warnings

import pytest
from starlette.websockets import WebSocketDisconnect

from counterpoise.errors import InputError
from counterpoise.web.application import make_application
from counterpoise.web.security import MOST_BODY, Guard, is_loopback
from counterpoise.web.serve import page_address, serve
from counterpoise.web.server import Server, ServerSettings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient
    from starlette.testclient import WebSocketDenialResponse

TOKEN = "a-token-of-the-tests"
OWN_HOST = {"Host": "127.0.0.1:8642"}


def client_of(tmp_path, host="127.0.0.1", token=None, at="http://127.0.0.1:8642"):
    server = Server(tmp_path, ServerSettings(host=host, token=token))
    return TestClient(make_application(server, pages=False), base_url=at, follow_redirects=False)


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    return client_of(tmp_path_factory.mktemp("local"))


@pytest.fixture(scope="module")
def application(tmp_path_factory):
    return client_of(tmp_path_factory.mktemp("guarded"), "0.0.0.0", TOKEN, "http://192.168.1.5:8642")


@pytest.fixture
def guarded(application):
    application.cookies.clear()
    return application


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "localhost", "[::1]:8642", "LOCALHOST:1"])
def test_own_hosts_are_served(local, host):
    assert local.get("/api/v1/jobs", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8642",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.168.1.5",
        "",
        "a@127.0.0.1",
    ],
)
def test_foreign_host_is_refused(local, host):
    """DNS rebinding: the name of another site may resolve to this machine, but it stands in the header."""
    answer = local.get("/api/v1/jobs", headers={"Host": host})
    assert answer.status_code == 403
    assert "another host" in answer.json()["detail"]


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1.evil.example", "http://127.0.0.1:9999", "null", "file://"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_foreign_origin_is_refused(local, origin, method):
    """CSRF: a page elsewhere cannot hide where it comes from, nor can one on another port of this machine."""
    answer = local.request(method, "/api/v1/jobs", headers={"Origin": origin})
    assert answer.status_code == 403
    assert "another site" in answer.json()["detail"]


def test_own_origin_is_served(local):
    assert local.get("/api/v1/jobs", headers={"Origin": "http://127.0.0.1:8642"}).status_code == 200


def test_fetches_of_other_sites_without_origin_are_refused_and_links_are_followed(local):
    picture = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert local.get("/api/v1/jobs", headers=picture).status_code == 403
    assert local.get("/api/v1/jobs", headers=link).status_code == 200
    assert local.post("/api/v1/jobs", headers=link).status_code == 403


def test_pages_of_other_sites_show_nothing_of_ours_in_a_frame(local):
    """Clickjacking: a frame is a navigation too, and its clicks are the user's."""
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert local.get("/api/v1/jobs", headers=link | {"Sec-Fetch-Dest": "iframe"}).status_code == 403
    answer = local.get("/api/v1/jobs", headers=link | {"Sec-Fetch-Dest": "document"})
    assert (answer.status_code, answer.headers["x-frame-options"]) == (200, "DENY")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, OWN_HOST | {"Origin": "http://evil.example"}])
def test_websockets_are_guarded_too(local, headers):
    with (
        pytest.raises((WebSocketDisconnect, WebSocketDenialResponse)),
        local.websocket_connect("/api/v1/events", headers=headers),
    ):
        pass
    with local.websocket_connect("/api/v1/events", headers=OWN_HOST | {"Origin": "http://127.0.0.1:8642"}):
        pass


def test_token_is_demanded_and_taken_from_header_cookie_or_first_address(guarded):
    assert guarded.get("/api/v1/jobs").status_code == 401
    assert guarded.get("/api/v1/jobs", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert guarded.get("/api/v1/jobs", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    first = guarded.get(f"/api/v1/jobs?token={TOKEN}&text=a")
    assert first.status_code == 303
    assert first.headers["location"] == "/api/v1/jobs?text=a"
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "SameSite=Lax" in first.headers["set-cookie"]
    assert guarded.get("/api/v1/jobs").status_code == 200  # the cookie is kept
    guarded.cookies.clear()
    beside = {"Cookie": f'other={{"a": [1]}}; counterpoise_token={TOKEN}'}  # what other servers of the machine set
    assert guarded.get("/api/v1/jobs", headers=beside).status_code == 200


def test_a_word_called_token_of_a_call_is_left_to_the_call(guarded):
    known = {"Authorization": f"Bearer {TOKEN}"}
    spot = {"board": "Ks 7d 4c Jd 2s", "pot": 10, "stack": 20, "oop": "AA", "ip": "QQ", "river": {"bet": ["50%"]}}
    name = guarded.post("/api/v1/spots/save", json={"spot": spot, "name": "a"}, headers=known).json()["name"]
    token = guarded.get("/api/v1/library/deletion", params={"name": name}, headers=known).json()["token"]
    deleted = guarded.delete("/api/v1/library/file", params={"name": name, "token": token}, headers=known)
    assert (deleted.status_code, deleted.json()) == (200, {"deleted": name})


def test_token_does_not_send_the_browser_elsewhere(guarded):
    answer = guarded.get(f"/%2Fevil.example/?token={TOKEN}")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/evil.example")


def test_websocket_needs_the_token(guarded):
    with (
        pytest.raises((WebSocketDisconnect, WebSocketDenialResponse)),
        guarded.websocket_connect("/api/v1/events", headers=OWN_HOST),
    ):
        pass
    with guarded.websocket_connect("/api/v1/events", headers=OWN_HOST | {"Authorization": f"Bearer {TOKEN}"}):
        pass


def test_any_address_takes_numbers_and_no_names(guarded):
    known = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/api/v1/jobs", headers=known | {"Host": "10.0.0.7:8642"}).status_code == 200
    assert guarded.get("/api/v1/jobs", headers=known | {"Host": "evil.example"}).status_code == 403


def test_large_bodies_are_refused_by_their_length_and_while_they_arrive(local):
    def pieces():
        for _ in range(2 + MOST_BODY // 2**20):
            yield b" " * 2**20

    stated = local.post("/api/v1/spots/check", content=b" " * (MOST_BODY + 1))
    arriving = local.post("/api/v1/spots/check", content=pieces())
    assert (stated.status_code, arriving.status_code) == (413, 413)
    assert "4 MB" in stated.json()["detail"]
    assert "4 MB" in arriving.json()["detail"]


def test_loopback():
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "192.168.1.5", "example.com", "")))


def test_address_of_the_first_page():
    assert page_address("127.0.0.1", 80, "opened/a b.toml") == "http://127.0.0.1:80/?open=opened%2Fa%20b.toml"
    assert page_address("::1", 80, None, "secret") == "http://[::1]:80/?token=secret"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"token": "short"}, "token must be"),
        ({"token": "with a space in it"}, "token must be"),
        ({"port": 70000}, "port must be"),
        ({"host": "no.such.name.invalid"}, "host must be"),
        ({"host": "192.0.2.1"}, "cannot listen"),
    ],
)
def test_serve_refuses_in_a_sentence(options, sentence, tmp_path):
    with pytest.raises(InputError, match=sentence):
        serve(library=tmp_path, headless=True, **options)


def test_guard_lets_other_scopes_pass():
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["type"])

    import asyncio

    asyncio.run(Guard(app, "127.0.0.1")({"type": "lifespan"}, None, None))
    assert seen == ["lifespan"]
