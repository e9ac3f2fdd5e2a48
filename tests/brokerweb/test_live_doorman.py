"""Who the browsers of a live view are is asked of the database for many together, and believed for no time at all."""

import asyncio
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.accounts.selectors import session_users
from brokerweb.accounts.services import user_create, user_update
from brokerweb.live.services.doorman import Doorman


@pytest.fixture
def people(transactional_db):
    """Twenty persons, each with a session; users by their keys."""
    found = {}
    for number in range(20):
        client, user = Client(), user_create(f"somebody-{number}", Role.VIEWER)
        client.force_login(user)
        found[client.session.session_key] = user
    return found


def test_two_questions_are_enough_for_all(people):
    with CaptureQueriesContext(connection) as asked:
        assert session_users(people.keys()) == people
    assert len(asked) == 2


def test_whose_session_has_ended_is_nobody(people):
    closed, expired, off, changed, unknown, fine = [*list(people)[:5], list(people)[6]]
    Session.objects.filter(session_key=closed).delete()
    Session.objects.filter(session_key=expired).update(expire_date=timezone.now() - timedelta(seconds=1))
    user_update(people[off].username, is_active=False)
    people[changed].set_password("another one, and long enough")
    people[changed].save()
    session = Session.objects.get(session_key=unknown)
    session.session_data = "what this server has never signed"
    session.save()
    keys = [closed, expired, off, changed, unknown, fine, "no session is called that"]
    assert session_users(keys) == {fine: people[fine]}


def test_a_session_that_was_opened_by_a_way_in_that_is_closed_now_is_nobody(people, settings):
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.RemoteUserBackend"]
    assert session_users(people.keys()) == {}


async def test_who_asks_at_the_same_moment_is_asked_for_together(people):
    doorman, (key, user) = Doorman(), next(iter(people.items()))
    questions = [doorman.user(each) for each in [*people, key, None]]
    answers = await asyncio.gather(*questions)
    assert answers == [*people.values(), user, None]
    await sync_to_async(user_update)(user.username, is_active=False)
    assert await doorman.user(key) is None, "what was answered is not believed later"


async def test_who_does_not_wait_any_more_takes_the_answer_from_nobody(people):
    doorman, (key, user) = Doorman(), next(iter(people.items()))
    leaving, staying = asyncio.create_task(doorman.user(key)), asyncio.create_task(doorman.user(key))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await staying == user
