"""Catalog views and DMVs over HTTP, against the real engine: columns, filters, pages, who sees bodies (views.md)."""

import pytest

from brokerweb.accounts.rights import Role
from tests.support.each import for_each
from tests.support.waiting import until


@pytest.fixture
def operator(live_estate, api_as):
    return api_as(Role.OPERATOR)


@pytest.fixture
def viewer(live_estate, api_as):
    return api_as(Role.VIEWER)


@pytest.fixture
def paris(live_estate):
    return f"/estates/{live_estate.name}/instances/PARIS/databases/Ventes"


@pytest.fixture
def lyon(live_estate):
    return f"/estates/{live_estate.name}/instances/LYON/databases/Stock"


def begin(client, database, to_service="//test/Réception"):
    answer = client.ask(
        "POST", f"{database}/conversations", {"from_service": "//test/Commandes", "to_service": to_service}
    )
    return answer.json()["conversation_handle"]


def page(client, database, view, query=""):
    answer = client.ask("GET", f"{database}/views/{view}{query}")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def as_dicts(found):
    names = [column["name"] for column in found["columns"]]
    return [dict(zip(names, row, strict=True)) for row in found["rows"]]


def problem(client, database, view, query=""):
    answer = client.ask("GET", f"{database}/views/{view}{query}")
    return answer.status_code, answer.json()["code"]


def test_a_viewer_reads_routes_with_the_columns_of_the_vendor(viewer, paris):
    found = page(viewer, paris, "sys.routes")
    assert found["view"] == "sys.routes"
    assert found["columns"][:2] == [
        {"name": "name", "type": "sysname", "nullable": False, "withheld": None},
        {"name": "route_id", "type": "int", "nullable": False, "withheld": None},
    ]
    (route,) = [row for row in as_dicts(found) if row["name"] == "vers_lyon"]
    assert (route["remote_service_name"], route["address"], route["lifetime"]) == (
        "//test/Réception",
        "TCP://lyon:4022",
        None,
    )
    assert found["next_offset"] is None


def test_cells_are_what_json_has_for_them(operator, paris):
    handle = begin(operator, paris)
    (row,) = as_dicts(page(operator, paris, "SYS.Conversation_Endpoints"))
    assert row["conversation_handle"] == handle.upper()
    assert (row["state"], row["is_initiator"], row["is_system"], row["far_broker_instance"]) == ("SO", 1, False, None)
    assert row["dialog_timer"] == "1900-01-01T00:00:00Z"
    assert row["last_send_tran_id"] == "0x000000000000"
    assert row["lifetime"].endswith("Z")


def test_columns_and_filters_and_pages(operator, paris):
    handles = [begin(operator, paris).upper() for _ in range(5)]
    view = "sys.conversation_endpoints"
    found = page(operator, paris, view, "?column=state&column=conversation_handle&rows=2&offset=2")
    assert [column["name"] for column in found["columns"]] == ["state", "conversation_handle"]
    assert found["rows"] == [["SO", handles[2]], ["SO", handles[3]]]
    assert found["next_offset"] == 4
    found = page(operator, paris, view, f"?column=conversation_handle&filter=conversation_handle={handles[1]}")
    assert found["rows"] == [[handles[1]]]
    assert page(operator, paris, view, "?filter=state=CO")["rows"] == []
    assert len(page(operator, paris, view, "?filter=state=SO&is_null=far_broker_instance")["rows"]) == 5


def test_bodies_are_shown_to_who_may_read_payloads_only(operator, viewer, paris, lyon):
    handle = begin(operator, paris)
    operator.ask("POST", f"{paris}/conversations/{handle}/messages", {"bodies": ["AZ"]})
    queue = "dbo.File"
    until(lambda: page(operator, lyon, queue)["rows"], "the message has arrived")
    (row,) = as_dicts(page(operator, lyon, queue))
    assert (row["message_body"], row["message_type_name"], row["status"]) == ("0x415A", "DEFAULT", 1)
    assert page(operator, lyon, queue, "?filter=message_body=0x415a&column=status")["rows"] == [[1]]

    masked = page(viewer, lyon, queue)
    (row,) = as_dicts(masked)
    assert row["message_body"] == "withheld: needs the right read-payloads"
    assert row["message_type_name"] == "DEFAULT"
    assert [each["name"] for each in masked["columns"] if each["withheld"] == "read-payloads"] == ["message_body"]
    assert page(viewer, lyon, queue, "?column=Message_Body")["rows"] == [[row["message_body"]]]
    # What a condition lets pass would tell the body letter by letter.
    for query in ("?filter=message_body=0x415a", "?filter=Message_Body=0x", "?is_null=message_body"):
        assert problem(viewer, lyon, queue, query) == (403, "right-missing")


@for_each(
    ("view", "query", "status", "code"),
    [
        ("sys.nothing", "", 404, 208),
        ("dbo.Nothing", "", 404, 208),
        ("sys.routes", "?column=nothing", 422, 207),
        ("sys.routes", "?filter=nothing=1", 422, 207),
        ("sys.routes", "?is_null=nothing", 422, 207),
        ("sys.routes", "?filter=route_id=one", 422, 245),
        ("sys.routes", "?filter=route_id", 400, "malformed"),
        ("sys.routes", "?rows=0", 422, "bad-field"),
        ("sys.routes", "?rows=1001", 422, "bad-field"),
        ("sys.routes", "?offset=-1", 422, "bad-field"),
        ("sys.routes", "?top=5", 400, "unknown-field"),
    ],
)
def test_what_cannot_be_answered_is_a_problem_with_its_number(viewer, paris, view, query, status, code):
    assert problem(viewer, paris, view, query) == (status, code)


def test_nobody_reads_without_logging_in_nor_a_database_that_is_not_there(viewer, paris, client):
    assert client.get(f"/api/v1{paris}/views/sys.routes").status_code == 401
    assert problem(viewer, paris.replace("Ventes", "Nulle"), "sys.routes") == (404, "not-found")


def test_every_view_can_be_read_by_a_viewer(viewer, operator, paris):
    begin(operator, paris)
    for name in ("sys.dm_broker_connections", "sys.dm_os_performance_counters", "sys.databases", "sys.endpoints"):
        assert page(viewer, paris, name)["view"] == name
    counters = {row["counter_name"]: row["cntr_value"] for row in as_dicts(page(viewer, paris, _COUNTERS, "?rows=500"))}
    assert counters["SQL SEND Total"] == 0


_COUNTERS = "sys.dm_os_performance_counters"
