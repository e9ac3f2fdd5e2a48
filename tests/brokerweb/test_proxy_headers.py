"""What only a proxy can know is believed of proxies alone."""

from ipaddress import ip_network

import pytest
from asgiref.testing import ApplicationCommunicator

from brokerweb.config.asgi import application
from brokerweb.config.proxy_headers import without_claims
from tests.brokerweb.live_browser import ORIGIN
from tests.support.waiting import SECONDS_MAX

pytestmark = pytest.mark.django_db(transaction=True)

PROXIES = (ip_network("10.0.0.0/24"),)


async def answer(path="/", client="192.0.2.7", root_path="", headers=()):
    """Status and headers of an answer to a request as Daphne hands it on."""
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "root_path": root_path,
        "scheme": "http",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *headers],
        "client": (client, 50000),
        "server": ("127.0.0.1", 8000),
    }
    asked = ApplicationCommunicator(application, scope)
    await asked.send_input({"type": "http.request", "body": b"", "more_body": False})
    started = await asked.receive_output(SECONDS_MAX)
    await asked.wait(SECONDS_MAX)
    return started["status"], {name.decode().lower(): value.decode() for name, value in started["headers"]}


@pytest.mark.parametrize("root_path", ["", "//evil.example", "/%2Fevil.example", "/elsewhere", "https://evil.example"])
async def test_no_client_moves_the_dashboard_to_another_place(root_path):
    for path in ("/", "/live", "/admin"):
        status, headers = await answer(path, root_path=root_path)
        assert status in (301, 302)
        assert "evil" not in headers["location"]
        assert headers["location"].startswith(("/login?next=/", "/admin/"))


async def test_no_client_moves_a_websocket_either():
    scope = {
        "type": "websocket",
        "path": "/ws/live",
        "raw_path": b"/ws/live",
        "root_path": "//evil.example",
        "scheme": "ws",
        "query_string": b"",
        "headers": [ORIGIN, (b"host", b"localhost")],
        "client": ("192.0.2.7", 50000),
        "server": ("127.0.0.1", 8000),
        "subprotocols": [],
    }
    asked = ApplicationCommunicator(application, scope)
    await asked.send_input({"type": "websocket.connect"})
    assert (await asked.receive_output(SECONDS_MAX))["type"] == "websocket.accept"
    await asked.send_input({"type": "websocket.disconnect", "code": 1000})
    await asked.wait(SECONDS_MAX)
    assert scope["root_path"] == ""


@pytest.mark.parametrize(
    ("client", "trusted", "is_believed"),
    [("10.0.0.5", PROXIES, True), ("192.0.2.7", PROXIES, False), ("", PROXIES, False), ("192.0.2.7", (), True)],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_who_is_no_proxy_cannot_say_that_the_connection_was_secure(settings, kind, client, trusted, is_believed):
    settings.TRUSTED_PROXIES = trusted
    said, heard = [(b"X-Forwarded-Proto", b"https"), (b"x-forwarded-for", b"10.0.0.9")], []

    async def inner(scope, _receive, _send):
        heard.extend(scope["headers"])

    scope = {"type": kind, "root_path": "/x", "headers": said, "client": (client, 50000) if client else None}
    await without_claims(inner)(scope, None, None)
    assert heard == (said if is_believed else said[1:])
