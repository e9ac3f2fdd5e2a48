"""What a process remembers of a draft is what it would read: after decisions in it, undone ones, and live ones."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import ListedObject
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.drafts import change_set_at, draft_catalogs, draft_edits, draft_instance
from brokerweb.topology.services.bulk import changes_decide
from brokerweb.topology.services.undo import draft_redo, draft_undo
from engine import api as engine
from tests.brokerweb.draft_contract import estate_with_draft

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def estate():
    return estate_with_draft()


@pytest.fixture
def user():
    return user_create("somebody", Role.EDITOR)


def decide(user, instance, name, change_set):
    route = {"name": name, "address": {"type": "local"}}
    changes = {instance: [{"change": "route-created", "database": "Ventes", "route": route}]}
    changes_decide("paire", changes, summary="", change_set=change_set, user=user, expected_revision=None)


def test_after_every_step_the_draft_is_what_is_live_now_with_its_edits(estate, user):
    steps = [
        lambda: decide(user, "PARIS", "r1", 1),
        lambda: decide(user, "PARIS", "r2", 1),
        lambda: decide(user, "PARIS", "live", None),
        lambda: draft_undo("paire", 1, user=user, expected_sequence=None),
        lambda: draft_redo("paire", 1, user=user, expected_sequence=None),
        lambda: draft_undo("paire", 1, user=user, expected_sequence=None),
        lambda: decide(user, "PARIS", "r3", 1),
    ]
    seen = set()
    for step in steps:
        # One instance first, then all: both ways of remembering.
        draft_instance(change_set_at("paire", 1), "PARIS")
        draft_catalogs(change_set_at("paire", 1))
        step()
        draft = change_set_at("paire", 1)
        wanted = draft_edits(draft).edits
        expected = {
            name: engine.revisions.merge(live, wanted.get(name, {})).catalog
            for name, live in estate_catalogs(estate).items()
        }
        assert draft_instance(draft, "PARIS").merge.catalog == expected["PARIS"]
        assert draft_catalogs(draft) == expected
        seen.add(frozenset(expected["PARIS"].databases[engine.DatabaseName("Ventes")].routes))
    assert len(seen) >= 5


def test_a_decision_in_a_draft_reads_nothing_again_that_is_live(user):
    draft_catalogs(change_set_at("paire", 1))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        decide(user, "PARIS", "r1", 1)
        decide(user, "PARIS", "r2", 1)
        assert len(draft_catalogs(change_set_at("paire", 1))) == 2
    assert not [each["sql"] for each in queries if 'FROM "topology_route"' in each["sql"]]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads the rows")
def test_texts_of_a_list_are_looked_for_in_an_index(estate):
    wanted = ListedObject.objects.filter(estate=estate, kind="route", search__contains="depot").values("pk")
    assert "USING COVERING INDEX listed_by_name" in wanted.explain()
