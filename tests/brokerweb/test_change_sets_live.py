"""Change sets beside the running engine and beside each other: told to browsers, applied for good, never lost."""

import asyncio
import threading

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.errors import ConflictsOpen, RevisionConflict
from brokerweb.topology.models import ChangeSet, Decision, TopologyRevision
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.drafts import change_set_at, draft_catalogs
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.change_sets import change_set_apply, change_set_create
from brokerweb.topology.services.imports import estate_import
from brokerweb.topology.services.route import route_create, route_update
from engine import api as engine
from tests.brokerweb.conftest import ApiClient, is_applied
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.brokerweb.test_live import Browser
from tests.brokerweb.waiting import until

LYON = """
:CONNECT NICE
GO
CREATE DATABASE Dépôt
GO
USE Dépôt
GO
CREATE QUEUE dbo.File
CREATE SERVICE [//test/Dépôt] ON QUEUE dbo.File
CREATE ROUTE vers_paris WITH SERVICE_NAME = '//test/Commandes', ADDRESS = 'TCP://paris:4022'
GO
"""


def new_route(place, name, expected=None):
    clauses = {"name": name, "address": "LOCAL"}
    return route_create(place, user=None, expected_revision=expected, clauses=clauses)


def test_an_applied_change_set_reaches_every_instance_with_one_that_is_new(live_estate):
    change_set_create(live_estate.name, title="", user=None)
    new_route(DatabasePlace(live_estate.name, "PARIS", "Ventes", 1), "une")
    result = estate_import(estate_name=live_estate.name, scripts=[("nice.sql", LYON)], user=None, change_set=1)
    assert (result.is_applied, result.revision, result.sequence) == (True, 1, 2)
    wanted = draft_catalogs(change_set_at(live_estate.name, 1))
    assert set(estate_catalogs(live_estate)) == {"LYON", "PARIS"}

    revision = change_set_apply(live_estate.name, 1, user=None, expected_sequence=2)
    until(lambda: is_applied(live_estate), "the engine has the change set")
    try:
        assert engine.read_view(live_estate.name, "NICE", 0).revision == revision == 2
        found = estate_catalogs(live_estate)
        assert found.keys() == wanted.keys() == {"LYON", "NICE", "PARIS"}
        for name, catalog in found.items():
            assert engine.diff_catalogs(wanted[name], catalog) == ()
    finally:
        engine.close_instance(live_estate.name, "NICE", forgets=True)


async def test_a_browser_hears_of_every_step_in_a_draft(live_estate):
    client = ApiClient()
    await sync_to_async(client.force_login)(await sync_to_async(user_create)("watching", Role.VIEWER))
    async with Browser(client) as browser:
        await browser.subscribe(live_estate.name)
        await browser.hear("topology", revision=1, change_sets=[])
        await sync_to_async(change_set_create)(live_estate.name, title="", user=None)
        await browser.hear("topology", change_sets=[{"number": 1, "sequence": 0}])
        await sync_to_async(new_route)(DatabasePlace(live_estate.name, "PARIS", "Ventes", 1), "une")
        await browser.hear("topology", revision=1, change_sets=[{"number": 1, "sequence": 1}])
        await sync_to_async(change_set_apply)(live_estate.name, 1, user=None, expected_sequence=None)
        await browser.hear("topology", revision=2, change_sets=[])
        await asyncio.to_thread(until, lambda: is_applied(live_estate), "the engine has it")


def at_once(*works):
    """Run in threads, each with a connection of its own; answers what each returned or raised."""
    barrier = threading.Barrier(len(works))
    found = [None] * len(works)

    def run(number, work):
        barrier.wait()
        try:
            found[number] = work()
        except Exception as error:
            found[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.fixture
def estate(transactional_db):
    estate = make_estate(pair_catalogs())
    change_set_create("paire", title="", user=None)
    return estate


def test_edits_of_one_draft_at_the_same_moment_are_all_kept(estate):
    place = DatabasePlace("paire", "PARIS", "Ventes", 1)
    answers = at_once(*(lambda name=name: new_route(place, name) for name in "abcdef"))
    assert sorted(answers) == [1, 2, 3, 4, 5, 6]
    assert set("abcdef") < set(draft_catalogs(change_set_at("paire", 1))["PARIS"].databases["Ventes"].routes)
    assert sorted(Decision.objects.values_list("sequence", flat=True)) == [1, 2, 3, 4, 5, 6, 7]


def test_of_two_edits_from_the_same_state_one_is_told_what_happened(estate):
    place = DatabasePlace("paire", "PARIS", "Ventes", 1)
    answers = at_once(*(lambda name=name: new_route(place, name, 0) for name in "ab"))
    (refused,) = [each for each in answers if each != 1]
    assert isinstance(refused, RevisionConflict)
    assert "Create route" in refused.why


def test_of_two_drafts_of_one_object_applied_at_the_same_moment_one_has_a_conflict(estate):
    change_set_create("paire", title="", user=None)
    for number in (1, 2):
        route_update(
            DatabasePlace("paire", "PARIS", "Ventes", number),
            "vers_lyon",
            user=None,
            expected_revision=None,
            clauses={"address": f"TCP://berlin:{number}"},
        )
    answers = at_once(*(lambda n=n: change_set_apply("paire", n, user=None, expected_sequence=None) for n in (1, 2)))
    (refused,) = [each for each in answers if each != 2]
    assert isinstance(refused, ConflictsOpen)
    assert TopologyRevision.objects.count() == 2
    assert ChangeSet.objects.filter(state="open").count() == 1


def test_a_draft_applied_while_it_is_edited_has_the_edit_or_refuses_it(estate):
    place = DatabasePlace("paire", "PARIS", "Ventes", 1)
    new_route(place, "a")
    applied, edited = at_once(
        lambda: change_set_apply("paire", 1, user=None, expected_sequence=1), lambda: new_route(place, "b")
    )
    routes = estate_catalogs(estate)["PARIS"].databases["Ventes"].routes
    if applied == 2:
        assert edited != 2
        assert "a" in routes
        assert "b" not in routes
    else:
        assert isinstance(applied, RevisionConflict)
        assert edited == 2
        assert "a" not in routes
