"""The history of an estate gives its catalogs at any revision; at the newest they are what the rows say."""

import pytest

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.history import catalogs_at, catalogs_from_history
from brokerweb.topology.services.imports import sample_load
from brokerweb.topology.services.instance import broker_renew, conversations_error, endpoint_set_state
from engine import api as engine
from tests.brokerweb.estates import PAGE_OF_VENTES, PARIS, import_live, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

SECURED = """\
:CONNECT PARIS
USE Ventes;
CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Geheim!123';
CREATE USER Vendeur WITHOUT LOGIN;
CREATE CERTIFICATE Sceau AUTHORIZATION Vendeur WITH SUBJECT = 'PARIS';
CREATE REMOTE SERVICE BINDING Liaison TO SERVICE '//test/Réception' WITH USER = Vendeur;
DENY SEND ON SERVICE::[//test/Commandes] TO Vendeur;
CREATE BROKER PRIORITY Urgent FOR CONVERSATION SET (PRIORITY_LEVEL = 9);
DROP ROUTE vers_lyon;
:CONNECT BERLIN
-- host: berlin
CREATE DATABASE Lager;
"""


def grown_estate() -> Estate:
    estate = make_estate(pair_catalogs())
    endpoint_set_state(PARIS, "STOPPED", user=None)
    broker_renew(PAGE_OF_VENTES, user=None)
    import_live(estate.name, engine.imports.ImportFile("secured.sql", SECURED))
    conversations_error(PAGE_OF_VENTES, user=None)
    estate.refresh_from_db()
    return estate


def test_the_newest_revision_of_the_history_is_what_the_rows_say():
    estate = grown_estate()
    assert estate.revision == 5
    assert catalogs_from_history(estate, 5) == estate_catalogs(estate)
    assert catalogs_at(estate, 5) == estate_catalogs(estate)


def test_the_sample_is_its_history():
    sample_load("demo-fr-de", user=None)
    estate = Estate.objects.get()
    assert catalogs_from_history(estate, estate.revision) == estate_catalogs(estate)


def test_earlier_revisions_are_as_they_were():
    estate = make_estate(pair_catalogs())
    before = estate_catalogs(estate)
    endpoint_set_state(PARIS, "STOPPED", user=None)
    estate.refresh_from_db()
    assert catalogs_at(estate, 0) == {}
    assert catalogs_at(estate, 1) == before
    stopped = catalogs_at(estate, 2)
    assert stopped["PARIS"].endpoint.state == "STOPPED"
    assert (stopped["PARIS"].revision, stopped["LYON"].revision) == (2, 1)
    assert stopped["LYON"] == before["LYON"]


@pytest.mark.parametrize("revision", [-1, 2])
def test_a_revision_that_there_is_not(revision):
    estate = make_estate(pair_catalogs())
    with pytest.raises(ObjectNotFound):
        catalogs_at(estate, revision)
