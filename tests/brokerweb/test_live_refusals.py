"""Who may not see a live view, or no longer: refused with a number and a reason, and told nothing else."""

from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from brokerweb.accounts.rights import RIGHTS, Right, Role
from brokerweb.accounts.services import user_create, user_update
from brokerweb.live import protocol
from tests.brokerweb.live_browser import Browser
from tests.support.each import for_each
from tests.support.waiting import SECONDS_MAX


@pytest.fixture
def quick_heartbeats(monkeypatch):
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 0.2)


@pytest.fixture
def no_heartbeat(monkeypatch):
    """Nobody is looked up again at a beat: what is heard was heard at once."""
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 3_600)


def expire(session_key):
    """The session's time is over since a second."""
    changed = Session.objects.filter(session_key=session_key).update(expire_date=timezone.now() - timedelta(seconds=1))
    assert changed == 1


async def test_nobody_is_refused_before_anything_is_told(transactional_db):
    async with Browser(None) as browser:
        browser.acks = False
        await browser.hear("refused")
        assert browser.heard == [{"type": "refused", "code": 4401, "reason": "unauthenticated"}]


FOREIGN = [
    b"https://evil.example",
    b"http://localhost:9999",
    b"https://localhost:8443",
    b"http://127.0.0.1",
    b"http://localhost.evil.example",
    b"http://localhost:port",
    b"http://trusted.example",
    b"https://trusted.example:444",
    b"null",
    b"",
]


@for_each("origin", FOREIGN)
async def test_a_page_of_another_site_hears_why_and_nothing_else(viewer, origin, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://trusted.example", "https://*.deep.example"]
    async with Browser(viewer, origin=(b"origin", origin)) as browser:
        browser.acks = False
        assert await browser.next() == {"type": "refused", "code": 4410, "reason": "origin"}
        closed = await browser.socket.receive_output(SECONDS_MAX)
        assert closed == {"type": "websocket.close", "code": 4410}
        # Servers take no number that is more than one, and close with their own instead.
        assert type(closed["code"]) is int


@for_each(
    "origin",
    [
        b"http://localhost",
        b"http://localhost:80",
        # A proxy that ends TLS and passes the host on.
        b"https://localhost",
        # One that does not, and is trusted by name.
        b"https://trusted.example",
        b"https://very.deep.example",
    ],
)
async def test_a_page_that_may_change_things_may_look(viewer, origin, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://trusted.example", "https://*.deep.example"]
    async with Browser(viewer, origin=(b"origin", origin)) as browser:
        await browser.greet()


async def test_who_logs_out_hears_no_more(live_estate, viewer, quick_heartbeats):
    async with Browser(viewer) as browser:
        await browser.greet()
        await sync_to_async(viewer.logout)()
        assert (await browser.hear("refused"))["reason"] == "unauthenticated"


async def test_who_is_switched_off_hears_no_more_at_once(live_estate, viewer, no_heartbeat):
    async with Browser(viewer) as browser:
        await browser.greet()
        await browser.subscribe(1, live_estate.name, "estate")
        await browser.hear("snapshot")
        await sync_to_async(user_update)(viewer.user.username, is_active=False)
        assert (await browser.hear("refused"))["code"] == 4401


async def test_a_session_that_has_expired_is_refused_at_once(viewer):
    await sync_to_async(expire)(viewer.session.session_key)
    async with Browser(viewer) as browser:
        browser.acks = False
        await browser.hear("refused")
        assert browser.heard == [{"type": "refused", "code": 4401, "reason": "unauthenticated"}]


async def test_whose_session_expires_hears_no_more(live_estate, viewer, quick_heartbeats):
    async with Browser(viewer) as browser:
        await browser.greet()
        await browser.subscribe(1, live_estate.name, "queues")
        await browser.hear("snapshot")
        await sync_to_async(expire)(viewer.session.session_key)
        assert await browser.hear("refused") == {"type": "refused", "code": 4401, "reason": "unauthenticated"}


async def test_a_role_that_may_not_view_is_refused_before_anything_is_told(viewer, monkeypatch):
    monkeypatch.setitem(RIGHTS, Role.VIEWER, frozenset())
    async with Browser(viewer) as browser:
        browser.acks = False
        await browser.hear("refused")
        assert browser.heard == [{"type": "refused", "code": 4403, "reason": "forbidden"}]


async def test_who_may_view_no_longer_hears_no_more_at_once(live_estate, viewer, monkeypatch, no_heartbeat):
    monkeypatch.setitem(RIGHTS, Role.OPERATOR, RIGHTS[Role.OPERATOR] - {Right.VIEW})
    async with Browser(viewer) as browser:
        await browser.greet()
        await browser.subscribe(1, live_estate.name, "estate")
        await browser.hear("snapshot")
        await sync_to_async(user_update)(viewer.user.username, role=Role.OPERATOR)
        assert await browser.hear("refused") == {"type": "refused", "code": 4403, "reason": "forbidden"}


async def test_whose_rights_have_changed_is_told_once_and_goes_on_hearing(live_estate, viewer, quick_heartbeats):
    async with Browser(viewer) as browser:
        await browser.greet()
        await browser.subscribe(1, live_estate.name, "estate")
        await browser.hear("snapshot")
        await sync_to_async(user_update)(viewer.user.username, role=Role.OPERATOR)
        assert await browser.hear("rights") == {"type": "rights"}
        await sync_to_async(user_update)(viewer.user.username, reads_payloads=True)
        await browser.hear("rights")
        browser.heard.clear()
        for _ in range(3):
            await browser.hear("hb")
        assert {message["type"] for message in browser.heard} == {"hb"}


async def test_one_person_has_so_many_connections_and_takes_none_from_others(viewer, monkeypatch):
    monkeypatch.setattr("brokerweb.live.services.hub.SOCKETS_OF_ONE_MAX", 2)
    other = Client()
    await sync_to_async(other.force_login)(await sync_to_async(user_create)("other", Role.VIEWER))
    async with Browser(viewer) as first, Browser(other) as theirs:
        async with Browser(viewer) as second:
            for each in (first, second, theirs):
                await each.greet()
            async with Browser(viewer) as third:
                third.acks = False
                await third.hear("refused")
                assert third.heard[-1] == {"type": "refused", "code": 4429, "reason": "too-many"}
        async with Browser(viewer) as fourth:
            await fourth.greet()
