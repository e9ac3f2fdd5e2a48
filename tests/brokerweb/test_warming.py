"""What a server process reads before it is asked: afterwards the first answers are found without reading it again."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.config.process.warming import read_what_is_asked_first
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors import draft_flows
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.services.imports import sample_load
from engine import api as engine

pytestmark = pytest.mark.django_db


@pytest.fixture
def estate():
    sample_load("demo-fr-de", user=user_create("loader", Role.ADMIN))
    estate = Estate.objects.get(name="demo-fr-de")
    draft_flows._bases.pop(estate.pk, None)  # of the estate of another test: a rolled back database gives its key again
    return estate


def evaluation_of(estate):
    """The verdicts of all flows that this process remembers."""
    base = draft_flows._bases.get(estate.pk)
    return None if base is None else base.possible


def test_nothing_is_asked_about_in_an_empty_product():
    read_what_is_asked_first()


def test_catalogs_are_read_once(estate, django_assert_max_num_queries):
    read_what_is_asked_first()
    with django_assert_max_num_queries(1):
        assert live_catalogs(estate)


def test_verdicts_wait_for_an_estate_with_an_open_change_set_only(estate, api_as):
    read_what_is_asked_first()
    assert evaluation_of(estate) is None
    editor = api_as(Role.EDITOR)
    assert editor.ask("POST", "/estates/demo-fr-de/change-sets", {}).status_code == 201
    read_what_is_asked_first()
    ready = evaluation_of(estate)
    assert ready.verdicts.keys() == set(engine.what_if.possible_flows(live_catalogs(estate)))
    assert editor.ask("GET", "/estates/demo-fr-de/change-sets/1/flows").status_code == 200
    assert evaluation_of(estate) is ready
