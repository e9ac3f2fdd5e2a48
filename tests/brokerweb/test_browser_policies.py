"""Every answer carries the policies for browsers, whoever asks and whatever becomes of it."""

import pytest
from django.test import Client

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create

pytestmark = pytest.mark.django_db

ADDRESSES = [
    "/",
    "/login",
    "/login/link/unknown",
    "/admin/",
    "/admin/login/",
    "/static/brokerweb/pages.css",
    "/assets/gone-12345678.js",
    "/api/v1/me",
    "/api/v1/nothing",
    "/metrics",
    "/logout",
]


def policy(answer):
    parts = (part.split(" ", 1) for part in answer["Content-Security-Policy"].split("; "))
    return dict(parts)


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_answer_has_them(client, address):
    for browser in (client, Client(HTTP_HOST="elsewhere.example")):
        answer = browser.get(address)
        assert policy(answer)["default-src"] == "'none'", answer.status_code
        assert policy(answer)["script-src"] == "'self'"
        assert policy(answer)["frame-ancestors"] == "'none'"
        assert "camera=()" in answer["Permissions-Policy"]


def test_a_fault_of_ours_has_them_too(monkeypatch):
    def broken(_request):
        raise RuntimeError

    monkeypatch.setattr("brokerweb.accounts.api.session._me", broken)
    browser = Client(raise_request_exception=False)
    browser.force_login(user_create("olga", Role.VIEWER))
    answer = browser.get("/api/v1/me")
    assert answer.status_code == 500
    assert policy(answer)["default-src"] == "'none'"
