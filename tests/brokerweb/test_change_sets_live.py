"""Change sets beside the running engine: told to browsers, applied for good."""

import asyncio

from asgiref.sync import sync_to_async

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.drafts import change_set_at, draft_catalogs
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.change_sets import change_set_apply, change_set_create
from brokerweb.topology.services.imports import estate_import
from engine import api as engine
from tests.brokerweb.conftest import ApiClient, is_applied
from tests.brokerweb.draft_contract import new_route
from tests.brokerweb.live_browser import Browser
from tests.support.waiting import until

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


def test_an_applied_change_set_reaches_every_instance_with_one_that_is_new(live_estate):
    change_set_create(live_estate.name, title="", user=None)
    new_route(DatabasePlace(live_estate.name, "PARIS", "Ventes", 1), "une")
    result = estate_import(
        estate_name=live_estate.name, files=[engine.imports.ImportFile("nice.sql", LYON)], user=None, change_set=1
    )
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
        await browser.greet()
        estate = await browser.subscribe(1, live_estate.name, "estate")

        def is_told(revision, *change_sets):
            facts = estate.table.facts
            drafts = [{"number": number, "sequence": sequence} for number, sequence in change_sets]
            return (facts.get("revision"), facts.get("change_sets")) == (revision, drafts)

        await browser.until(lambda: is_told(1))
        await sync_to_async(change_set_create)(live_estate.name, title="", user=None)
        await browser.until(lambda: is_told(1, (1, 0)))
        await sync_to_async(new_route)(DatabasePlace(live_estate.name, "PARIS", "Ventes", 1), "une")
        await browser.until(lambda: is_told(1, (1, 1)))
        await sync_to_async(change_set_apply)(live_estate.name, 1, user=None, expected_sequence=None)
        await browser.until(lambda: is_told(2))
        await asyncio.to_thread(until, lambda: is_applied(live_estate), "the engine has it")
