"""The gate of Apply: a change set that loses flows is applied once somebody has said of each loss that it is meant."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.topology.flows import digest_of, question_to_json
from brokerweb.topology.models import Decision, Estate, IntendedLoss, ObservedFlow
from brokerweb.topology.services import observed_flows
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
SETS = f"{ESTATE}/change-sets"
FLOWS = f"{SETS}/1/flows"
ROUTES = f"{ESTATE}/instances/PARIS/databases/Ventes/routes"
DRAFT = "?change_set=1"
ORDERS = "[PARIS] [Ventes] [//test/Commandes] [//test/Réception] -"


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())


@pytest.fixture
def estate(db):
    return Estate.objects.get()


@pytest.fixture(autouse=True)
def silence_is_known(estate, monkeypatch):
    """Nobody runs the estate here, and one look at instances that do not answer is enough."""
    looks = {(estate.pk, estate.name): (observed_flows.monotonic(), ("LYON", "PARIS"))}
    monkeypatch.setattr(observed_flows, "_looks", looks)


@pytest.fixture
def other(api_as):
    return api_as(Role.ADMIN)


@pytest.fixture
def draft(editor):
    assert editor.ask("POST", SETS, {}).status_code == 201


@pytest.fixture
def losing(editor, draft):
    """The draft leads orders to a port where nobody listens."""
    assert alter(editor, "TCP://nowhere:4022").status_code == 200


def alter(client, address, where=DRAFT):
    tag = client.ask("GET", f"{ESTATE}{where}")["ETag"]
    return client.ask("PATCH", f"{ROUTES}/vers_lyon{where}", {"address": address}, If_Match=tag)


def flows(client, query=""):
    answer = client.ask("GET", f"{FLOWS}{query}")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def lost(client):
    return {row["key"]: row for row in flows(client, "?change=lost")["rows"]}


def intend(client, keys, intended=True, **headers):
    return client.ask("POST", f"{FLOWS}/intended", {"keys": list(keys), "intended": intended}, **headers)


def apply(client, number=1, tag=None):
    tag = tag or client.ask("GET", f"{SETS}/{number}")["ETag"]
    return client.ask("POST", f"{SETS}/{number}/apply", If_Match=tag)


def test_a_draft_that_loses_nothing_passes(editor, draft):
    assert alter(editor, "TCP://LYON:4022").status_code == 200
    found = flows(editor)
    assert (found["lost"], found["unticked"]) == (0, 0)
    assert found["flows"] == found["unchanged"] > 0
    assert apply(editor).status_code == 200


def test_a_loss_stops_apply_until_somebody_ticks_it_and_the_log_says_who(editor, losing):
    answer = apply(editor)
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (409, "losses-unticked")
    assert "//test/Commandes in Ventes on PARIS to //test/Réception" in problem["detail"]
    assert Estate.objects.get().revision == 1

    found = lost(editor)
    assert ORDERS in found
    row = found[ORDERS]
    assert (row["before"], row["after"], row["before_route"]) == ("delivered", "nobody-there", "vers_lyon")
    assert (row["is_intended"], row["intended_by"], row["is_observed"]) == (False, None, False)

    answer = intend(editor, found)
    assert answer.status_code == 200, answer.json()
    assert answer.json()["sequence"] == 2
    row = lost(editor)[ORDERS]
    assert (row["is_intended"], row["intended_by"]["author"]) == (True, "the-editor")
    assert flows(editor)["unticked"] == 0
    logged = Decision.objects.order_by("-sequence").first()
    assert (logged.author.get_username(), logged.object_count) == ("the-editor", 0)
    told = editor.ask("GET", f"{ESTATE}/audit").json()["items"][0]
    assert {each["name"] for each in told["objects"]} == set(found)
    assert told["objects"][0]["fields"] == [{"name": "intended", "before": False, "after": True}]
    assert apply(editor).status_code == 200
    applied = lost(editor)
    assert applied[ORDERS]["intended_by"]["author"] == "the-editor"


def test_a_tick_that_is_taken_back_stops_apply_again(editor, losing):
    keys = lost(editor)
    intend(editor, keys)
    assert intend(editor, [ORDERS], intended=False).json()["sequence"] == 3
    assert flows(editor)["unticked"] == 1
    assert [row["key"] for row in flows(editor, "?change=lost")["rows"]] == sorted(keys)
    assert [row["key"] for row in flows(editor, "?unticked=true")["rows"]] == [ORDERS]
    assert apply(editor).json()["code"] == "losses-unticked"


def test_saying_it_twice_says_nothing(editor, other, losing):
    keys = lost(editor)
    assert intend(editor, keys).json()["sequence"] == 2
    assert intend(other, keys).json()["sequence"] == 2
    assert lost(editor)[ORDERS]["intended_by"]["author"] == "the-editor"


def test_what_is_not_lost_cannot_be_meant_to_be(editor, losing):
    answer = intend(editor, ["[LYON] [Stock] [//test/Réception] [//nowhere] -"])
    assert (answer.status_code, answer.json()["code"]) == (409, "loss-gone")
    assert not IntendedLoss.objects.exists()


def test_a_tick_falls_with_its_loss_and_does_not_come_back(editor, losing):
    intend(editor, lost(editor))
    alter(editor, "TCP://lyon:4022")
    assert not IntendedLoss.objects.exists()
    alter(editor, "TCP://nowhere:4022")
    assert apply(editor).json()["code"] == "losses-unticked"


def test_a_tick_falls_when_the_change_is_undone(editor, losing):
    intend(editor, lost(editor))
    assert editor.ask("POST", f"{SETS}/1/undo").status_code == 200
    assert not IntendedLoss.objects.exists()
    assert editor.ask("POST", f"{SETS}/1/redo").status_code == 200
    assert apply(editor).json()["code"] == "losses-unticked"


def test_the_gate_goes_by_what_is_live_at_that_moment_not_by_what_a_page_has_shown(editor, other, draft):
    stopped = editor.decide(f"{ESTATE}/instances/LYON/endpoint{DRAFT}", {"state": "STOPPED"})
    assert stopped.status_code == 200, stopped.json()
    intend(editor, lost(editor))
    assert flows(editor)["unticked"] == 0
    tag = editor.ask("GET", f"{SETS}/1")["ETag"]
    gain_returns(other)
    answer = apply(editor, tag=tag)
    assert (answer.status_code, answer.json()["code"]) == (409, "losses-unticked")
    assert "//test/Stock/Retours" in answer.json()["detail"]
    assert all("//test/Stock/Retours" in row["key"] for row in flows(editor, "?unticked=true")["rows"])


def gain_returns(client):
    """A service in LYON and a route to it, live: two revisions, and a flow that was not there before."""
    back = {"name": "retours", "address": "TCP://lyon:4022", "service_name": "//test/Stock/Retours"}
    service = {"name": "//test/Stock/Retours", "queue": "dbo.File", "contracts": ["DEFAULT"]}
    made = {"change": "service-created", "database": "Stock", "service": service}
    assert client.decide(f"{ESTATE}/changes", {"summary": "s", "changes": {"LYON": [made]}}).status_code == 200
    assert client.ask("POST", ROUTES, back).status_code == 201


def test_somebody_elses_edit_after_the_look_is_refused_when_it_is_named(editor, other, losing):
    keys = lost(editor)
    tag = editor.ask("GET", f"{SETS}/1")["ETag"]
    alter(other, "TCP://elsewhere:4022")
    assert intend(editor, keys, If_Match=tag).status_code == 412
    assert not IntendedLoss.objects.exists()


def test_a_revert_loses_what_the_revision_has_gained(editor):
    gain_returns(editor)
    assert editor.ask("POST", f"{ESTATE}/revisions/3/revert").status_code == 201
    assert any("//test/Stock/Retours" in key for key in lost(editor))
    assert apply(editor).json()["code"] == "losses-unticked"
    intend(editor, lost(editor))
    assert apply(editor).status_code == 200


def test_a_flow_that_only_traffic_has_shown_is_guarded_too(editor, estate, draft):
    pinned = engine.what_if.FlowQuestion(
        instance="PARIS",
        database="Ventes",
        service="//test/Commandes",
        to_service="//test/Réception",
        broker_instance=pair_catalogs()[1].databases["Stock"].broker_instance,
    )
    key = engine.what_if.flow_key(pinned)
    now = estate.revisions.get().created_at
    ObservedFlow.objects.create(
        estate=estate, digest=digest_of(key), question=question_to_json(pinned), first_seen=now, last_seen=now
    )
    assert editor.decide(f"{ESTATE}/instances/LYON/databases/Stock/new-broker{DRAFT}").status_code == 200
    found = lost(editor)
    assert found.keys() == {key}
    assert found[key]["is_observed"] is True
    assert apply(editor).json()["code"] == "losses-unticked"
    intend(editor, [key])
    assert apply(editor).status_code == 200


def test_instances_that_are_silent_are_named_and_nothing_waits_for_them(editor, losing):
    found = flows(editor)
    assert found["unread"] == ["LYON", "PARIS"]
    assert found["lost"] > 0


def test_a_look_at_instances_that_nobody_runs_ends_in_time(estate):
    seen = observed_flows.look_at_traffic(estate.name, ["PARIS", "LYON"])
    assert (seen.flows, set(seen.unread)) == (frozenset(), {"PARIS", "LYON"})


def test_a_draft_that_does_not_fit_is_refused_for_that_and_its_ticks_stay(editor, other, losing):
    intend(editor, lost(editor))
    queue = {"change": "queue-created", "database": "Ventes", "queue": {"name": "dbo.Autre"}}
    assert other.decide(f"{ESTATE}/changes", {"summary": "q", "changes": {"PARIS": [queue]}}).status_code == 200
    moved = {"change": "service-altered", "database": "Ventes", "name": "//test/Commandes", "queue": "dbo.Autre"}
    assert editor.decide(f"{ESTATE}/changes{DRAFT}", {"summary": "s", "changes": {"PARIS": [moved]}}).status_code == 200
    gone = {"change": "queue-dropped", "database": "Ventes", "name": "dbo.Autre"}
    assert other.decide(f"{ESTATE}/changes", {"summary": "d", "changes": {"PARIS": [gone]}}).status_code == 200
    assert flows(editor)["sequence"] == 3
    assert apply(editor).json()["code"] != "losses-unticked"
    assert IntendedLoss.objects.exists()


def test_rows_are_filtered_and_paged(editor, losing):
    found = flows(editor)
    assert [row["change"] for row in found["rows"]] == sorted(
        (row["change"] for row in found["rows"]), key=["lost", "moved", "gained"].index
    )
    page = flows(editor, "?rows=1&page=2")
    assert (page["page"], page["pages"]) == (2, max(1, found["matching"]))
    assert flows(editor, "?instance=LYON&change=lost")["rows"] == [
        row for row in found["rows"] if row["change"] == "lost" and row["question"]["instance"] == "LYON"
    ]
    assert flows(editor, "?text=r%C3%A9CEPTION&change=lost")["matching"] >= 1
    assert editor.ask("GET", f"{FLOWS}?fate=lost").json()["code"] == "unknown-field"


def test_a_discarded_change_set_has_no_flows_and_a_viewer_ticks_nothing(editor, api_as, losing):
    viewer = api_as(Role.VIEWER)
    keys = lost(viewer)
    assert intend(viewer, keys).status_code == 403
    editor.ask("DELETE", f"{SETS}/1")
    answer = viewer.ask("GET", FLOWS)
    assert (answer.status_code, answer.json()["code"]) == (409, "change-set-closed")
    assert intend(editor, keys).status_code == 409
