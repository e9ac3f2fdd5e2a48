"""A draft that loses hundreds of flows: pages, places that rows keep, and two people who work on it at once."""

from threading import Barrier, Thread

import pytest
from django.db import connection

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Estate, IntendedLoss
from brokerweb.topology.services import observed_flows
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.support.thoroughness import THOROUGH

ESTATE = "/estates/paire"
SETS = f"{ESTATE}/change-sets"
FLOWS = f"{SETS}/1/flows"
DRAFT = "?change_set=1"
SERVICES = 400 if THOROUGH else 120


@pytest.fixture(autouse=True)
def estate(transactional_db, monkeypatch):
    """PARIS sends to many services in LYON by one route for each of two kinds of name."""
    paris, lyon = pair_catalogs()
    names = [f"//test/{'Haut' if number % 4 else 'Bas'}/{number:03}" for number in range(SERVICES)]
    services = [
        engine.ServiceCreated(database="Stock", service=engine.Service(name, "dbo.File", ("DEFAULT",)))
        for name in names
    ]
    routes = [
        engine.RouteCreated(
            database="Ventes",
            route=engine.Route(name=name.replace("/", "-"), address=tcp_lyon(), service_name=name),
        )
        for name in names
    ]
    estate = make_estate([engine.apply_changes(paris, routes), engine.apply_changes(lyon, services)])
    # Nobody runs the estate here, and one look at instances that do not answer is enough.
    monkeypatch.setattr(observed_flows, "_looks", {estate.pk: (observed_flows.monotonic(), ("LYON", "PARIS"))})
    return estate


def tcp_lyon() -> engine.NetworkAddress:
    return engine.NetworkAddress("TCP://lyon:4022", engine.TcpAddress("lyon", 4022))


@pytest.fixture
def stopped(editor):
    """A draft in which LYON takes nothing any more."""
    assert editor.ask("POST", SETS, {}).status_code == 201
    answer = editor.decide(f"{ESTATE}/instances/LYON/endpoint{DRAFT}", {"state": "STOPPED"})
    assert answer.status_code == 200, answer.json()


def flows(client, query=""):
    answer = client.ask("GET", f"{FLOWS}{query}")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def keys(client, query):
    return [row["key"] for row in flows(client, query)["rows"]]


def intend(client, names, **headers):
    return client.ask("POST", f"{FLOWS}/intended", {"keys": names, "intended": True}, **headers)


@pytest.mark.slow
def test_pages_of_many_losses_hold_each_once_and_a_tick_moves_none(editor, stopped):
    first = flows(editor, "?change=lost&rows=100")
    assert first["lost"] == first["unticked"] == first["matching"] >= SERVICES
    pages = [keys(editor, f"?change=lost&rows=100&page={page + 1}") for page in range(first["pages"])]
    names = [name for page in pages for name in page]
    assert len(names) == len(set(names)) == first["lost"]

    assert intend(editor, [names[0], names[150], names[-1]]).status_code == 200
    again = [keys(editor, f"?change=lost&rows=100&page={page + 1}") for page in range(first["pages"])]
    assert again == pages
    assert flows(editor)["unticked"] == len(names) - 3
    left = [name for name in names if name not in (names[0], names[150], names[-1])]
    assert keys(editor, "?change=lost&unticked=true&rows=1000") == left
    beyond = flows(editor, "?change=lost&unticked=true&rows=100&page=99")
    assert beyond["page"] == beyond["pages"]
    assert beyond["rows"][-1]["key"] == left[-1]


def test_all_of_a_kind_are_ticked_in_one_step_and_stand_in_the_log_as_one(editor, stopped):
    high = keys(editor, "?change=lost&instance=PARIS&text=%2FHaut%2F&rows=1000")
    assert len(high) == SERVICES * 3 // 4
    before = flows(editor)
    answer = intend(editor, high)
    assert answer.status_code == 200, answer.json()
    assert answer.json()["sequence"] == before["sequence"] + 1
    assert flows(editor)["unticked"] == before["unticked"] - len(high)
    assert flows(editor, "?change=lost&unticked=true&instance=PARIS&text=%2FHaut%2F")["matching"] == 0

    tag = editor.ask("GET", f"{SETS}/1")["ETag"]
    assert editor.ask("POST", f"{SETS}/1/apply", If_Match=tag).json()["code"] == "losses-unticked"
    assert intend(editor, keys(editor, "?change=lost&unticked=true&rows=1000")).status_code == 200
    tag = editor.ask("GET", f"{SETS}/1")["ETag"]
    assert editor.ask("POST", f"{SETS}/1/apply", If_Match=tag).status_code == 200
    assert Estate.objects.get().revision == 2


@pytest.mark.slow
def test_two_people_who_tick_at_once_lose_none_of_each_others_ticks(editor, api_as, stopped):
    other = api_as(Role.ADMIN)
    names = keys(editor, "?change=lost&rows=1000")
    shares = {"the-editor": names[:250], f"the-{Role.ADMIN}": names[200:]}
    start, answers = Barrier(2), {}

    def tick(client, who):
        start.wait(60)
        answers[who] = intend(client, shares[who]).status_code
        connection.close()

    threads = [Thread(target=tick, args=each) for each in ((editor, "the-editor"), (other, f"the-{Role.ADMIN}"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == dict.fromkeys(shares, 200)
    assert flows(editor)["unticked"] == 0
    ticks = dict(IntendedLoss.objects.values_list("digest", "author_name"))
    assert len(ticks) == len(names)
    assert set(ticks.values()) == set(shares)


@pytest.mark.slow
def test_a_tick_stands_while_somebody_else_edits_and_falls_when_the_edit_mends_its_flow(editor, api_as, stopped):
    other = api_as(Role.ADMIN)
    names = keys(editor, "?change=lost&rows=1000")
    assert intend(editor, names[:10]).status_code == 200
    queue = {"change": "queue-created", "database": "Ventes", "queue": {"name": "dbo.Autre"}}
    made = other.decide(f"{ESTATE}/changes{DRAFT}", {"summary": "q", "changes": {"PARIS": [queue]}})
    assert made.status_code == 200, made.json()
    assert flows(editor)["unticked"] == len(names) - 10

    started = other.decide(f"{ESTATE}/instances/LYON/endpoint{DRAFT}", {"state": "STARTED"})
    assert started.status_code == 200, started.json()
    assert intend(editor, names).json()["code"] == "loss-gone"
    assert (flows(editor)["lost"], IntendedLoss.objects.count()) == (0, 0)
