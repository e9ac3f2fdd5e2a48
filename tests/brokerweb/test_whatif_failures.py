"""What can fail, flows under failures, and what time alone does, over the API."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.services.imports import sample_load
from brokerweb.whatif.api.failures import MatrixOut
from brokerweb.whatif.api.schemas import FaultOut
from brokerweb.whatif.selectors.basis import BasisAsked, basis_of
from engine import api as engine

pytestmark = pytest.mark.django_db

WHAT_IF = "/estates/demo-fr-de/what-if"
LYON = {"kind": "instance", "instance": "LYON"}
PARIS = {"kind": "instance", "instance": "PARIS"}


@pytest.fixture(scope="module", autouse=True)
def estate(rows_of_file):
    with rows_of_file():
        sample_load("demo-fr-de", user=user_create("loader", Role.ADMIN))


@pytest.fixture
def viewer(api_as):
    return api_as(Role.VIEWER)


def matrix(viewer, **asked):
    answer = viewer.ask("POST", f"{WHAT_IF}/matrix", asked)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def orders(found):
    """The row of the orders that PARIS sends to LYON."""
    wanted = ("PARIS", "//exemple.fr/Ventes/Guichet", "//exemple.fr/Commandes/Réception")
    names = ("instance", "service", "to_service")
    return next(row for row in found["rows"] if tuple(row["question"][name] for name in names) == wanted)


def test_every_kind_of_thing_can_fail(viewer):
    found = viewer.ask("GET", f"{WHAT_IF}/failures").json()
    assert {each["kind"] for each in found} == {"instance", "link", "endpoint", "database", "queue", "partner"}
    assert [each["instance"] for each in found if each["kind"] == "partner"] == ["BERLIN"]


def test_a_failure_loses_flows_and_the_dead_sender_is_no_loss(viewer):
    found = matrix(viewer, failures=[[LYON], [PARIS]])
    assert [each["faults"][0]["instance"] for each in found["totals"]] == ["LYON", "PARIS"]
    reception = orders(found)
    assert (reception["base"]["disposition"], reception["base"]["works"]) == ("delivered", True)
    down, mute = reception["cells"]
    assert (down["disposition"], down["change"], down["works"]) == ("unreachable", "lost", False)
    assert (mute["disposition"], mute["change"]) == ("sender-down", None)
    assert found["totals"][0]["lost"] > 0
    assert found["totals"][1]["sender_down"] > 0
    assert found["is_whole"]


def test_flows_that_no_failure_changes_are_left_out_when_asked(viewer):
    queue = {"kind": "queue", "instance": "LYON", "database": "Entrepôt", "queue": "dbo.Commandes reçues"}
    every = matrix(viewer, failures=[[queue]])
    changed = matrix(viewer, failures=[[queue]], only_changed=True)
    assert len(changed["rows"]) == sum(row["cells"][0]["change"] not in (None, "unchanged") for row in every["rows"])
    assert 0 < len(changed["rows"]) < len(every["rows"])
    assert changed["totals"] == every["totals"]


def test_what_is_supposed_holds_below_every_failure(viewer):
    hub = {"kind": "instance", "instance": "HUB"}
    found = matrix(viewer, faults=[LYON], failures=[[hub]])
    reception = orders(found)
    assert reception["base"]["disposition"] == "unreachable"
    assert reception["cells"][0]["change"] == "unchanged"


def test_a_failure_of_what_is_not_there_is_refused_where_it_stands(viewer):
    answer = viewer.ask(
        "POST", f"{WHAT_IF}/matrix", {"failures": [[LYON], [PARIS, {"kind": "instance", "instance": "NOWHERE"}]]}
    )
    assert answer.status_code == 404
    assert answer.json()["pointer"].startswith("/failures/1/1")


RECEPTION = {
    "instance": "PARIS",
    "database": "Ventes",
    "service": "//exemple.fr/Ventes/Guichet",
    "to_service": "//exemple.fr/Commandes/Réception",
}


def test_one_flow_is_asked_under_what_it_depends_on_and_under_two_at_once(viewer):
    depends = viewer.ask("POST", f"{WHAT_IF}/dependencies", {"question": RECEPTION}).json()
    assert {each["instance"] for each in depends if each["kind"] == "instance"} == {"PARIS", "LYON"}
    found = matrix(viewer, question=RECEPTION, failures=[[each] for each in depends])
    assert (found["flows"], len(found["rows"])) == (1, 1)
    # Whatever it depends on takes it away, unless it takes its sender or parks what has arrived or what comes back.
    kinds = [each["kind"] for each in depends]
    kept = [kind for kind, cell in zip(kinds, found["rows"][0]["cells"], strict=True) if cell["works"]]
    assert kept == ["queue", "queue"]
    link = {"kind": "link", "instance": "LYON", "other": "PARIS"}
    pair = matrix(viewer, question=RECEPTION, failures=[[link, LYON]])
    assert [each["kind"] for each in pair["totals"][0]["faults"]] == ["link", "instance"]
    assert pair["totals"][0]["lost"] == 1


def test_a_flow_of_nobody_has_no_dependencies(viewer):
    answer = viewer.ask("POST", f"{WHAT_IF}/dependencies", {"question": {**RECEPTION, "service": "Nobody"}})
    assert (answer.status_code, answer.json()["pointer"]) == (404, "/question/service")
    answer = viewer.ask("POST", f"{WHAT_IF}/matrix", {"failures": [[LYON]], "question": {**RECEPTION, "database": "X"}})
    assert (answer.status_code, answer.json()["pointer"]) == (404, "/question/database")


def test_a_column_is_of_at_least_one_fault(viewer):
    assert viewer.ask("POST", f"{WHAT_IF}/matrix", {"failures": [[]]}).status_code == 422


def test_a_route_that_expires_takes_its_flows_along(viewer):
    asked = {"at": "2024-03-01T00:00:00Z", "until": "2024-04-30T00:00:00Z"}
    found = viewer.ask("POST", f"{WHAT_IF}/future", asked).json()
    (event,) = found["events"]
    assert event["at"] == "2024-03-31T22:00:00Z"
    assert event["route"] == {"instance": "PARIS", "database": "Ventes", "route": "Soldes de printemps"}
    assert viewer.ask("POST", f"{WHAT_IF}/future", {**asked, "until": "2024-03-31T21:59:59Z"}).json()["events"] == []


def test_what_is_written_without_its_shape_is_as_the_shape_has_it(viewer):
    failures = viewer.ask("GET", f"{WHAT_IF}/failures").json()
    assert [FaultOut(**each).model_dump(mode="json") for each in failures] == failures
    found = matrix(viewer, failures=[[each] for each in failures[:5]])
    assert MatrixOut(**found).model_dump(mode="json") == found
    assert any(cell["number"] for row in found["rows"] for cell in row["cells"])


def test_the_matrix_follows_a_draft_and_keeps_what_is_live_apart(viewer, api_as):
    before = matrix(viewer, failures=[[LYON]])
    editor = api_as(Role.EDITOR)
    assert editor.ask("POST", "/estates/demo-fr-de/change-sets", {}).status_code == 201
    assert matrix(viewer, failures=[[LYON]], change_set=1) == before
    drop = {"action": "drop", "filter": {"text": "lyon"}}
    dropped = editor.ask("POST", "/estates/demo-fr-de/objects/route/edits?change_set=1", drop, If_Match='"1-0"')
    assert dropped.status_code == 200, dropped.json()
    after = matrix(viewer, failures=[[LYON]], change_set=1)
    assert after != before
    basis = basis_of("demo-fr-de", BasisAsked(change_set=1))
    failure = engine.what_if.Fault(kind=engine.what_if.FaultKind.INSTANCE, instance="LYON")
    flows = engine.what_if.possible_flows(basis.catalogs)
    anew = engine.what_if.matrix(basis.catalogs, flows, [(failure,)], at=basis.instant)
    assert {row["key"]: row["cells"][0]["disposition"] for row in after["rows"]} == {
        row.key: row.cells[0].disposition.value for row in anew.rows
    }
    assert matrix(viewer, failures=[[LYON]]) == before
