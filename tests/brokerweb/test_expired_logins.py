"""What Celery beat has removed: sessions and links that nobody can use any more."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from brokerweb.accounts.models import LoginLink
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import LINK_DAYS_KEPT, expired_logins_forget, login_link_create, user_create
from engine.api import celery_app


@pytest.mark.django_db
def test_what_has_ended_goes_and_the_rest_stays():
    user = user_create("anne", Role.VIEWER)
    now = timezone.now()
    ages = {
        "long ago": timedelta(days=LINK_DAYS_KEPT + 1),
        "yesterday": timedelta(days=1),
        "later": timedelta(hours=-1),
    }
    links = {}
    for name, age in ages.items():
        login_link_create(user)
        links[name] = LoginLink.objects.order_by("-pk")[0].pk
        LoginLink.objects.filter(pk=links[name]).update(expires_at=now - age)
        Session.objects.create(session_key=name, session_data="", expire_date=now - age)
    expired_logins_forget()
    assert set(LoginLink.objects.values_list("pk", flat=True)) == {links["yesterday"], links["later"]}
    assert set(Session.objects.values_list("session_key", flat=True)) == {"later"}


def test_every_task_of_beat_is_one_that_a_worker_knows():
    schedule = celery_app.conf.beat_schedule
    assert {each["task"] for each in schedule.values()} <= celery_app.tasks.keys()
    assert schedule.keys() == {"outbox", "logins", "jobs", "assertions", "spark", "export"}
