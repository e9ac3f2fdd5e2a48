"""What a process remembers of the wanted catalogs is what it would read, and it reads them once."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.services.bulk import changes_decide
from tests.brokerweb.draft_contract import estate_with_draft

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def estate():
    return estate_with_draft()


@pytest.fixture
def user():
    return user_create("somebody", Role.EDITOR)


def decide(user, name):
    route = {"name": name, "address": {"type": "local"}}
    changes = {"PARIS": [{"change": "route-created", "database": "Ventes", "route": route}]}
    changes_decide("paire", changes, summary="", change_set=None, user=user, expected_revision=None)


def now():
    return Estate.objects.get(name="paire")


def test_the_second_look_asks_only_whether_anything_has_changed():
    first = live_catalogs(now())
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert live_catalogs(now()) == first
    assert not [query for query in asked if "topology_route" in query["sql"]]


def test_after_every_revision_it_is_what_is_written(user):
    seen = []
    for name in ("r1", "r2"):
        decide(user, name)
        assert live_catalogs(now()) == estate_catalogs(now())
        seen.append(live_catalogs(now()))
    assert seen[0] != seen[1]


def test_what_was_read_in_a_decision_that_came_to_nothing_is_not_shown_later(user):
    before = live_catalogs(now())
    with transaction.atomic():
        decide(user, "lost")
        assert live_catalogs(now()) != before
        transaction.set_rollback(True)
    assert live_catalogs(now()) == before
    # The number of the revision that was lost is given again.
    decide(user, "kept")
    assert live_catalogs(now()) == estate_catalogs(now())


def test_who_puts_something_into_the_answer_changes_nobody_elses():
    live_catalogs(now()).clear()
    assert live_catalogs(now()) == estate_catalogs(now()) != {}
