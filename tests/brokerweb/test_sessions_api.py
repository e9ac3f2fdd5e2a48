"""Transactions, groups, timers and the switch of a queue over HTTP, against the real engine."""

from uuid import uuid4

import pytest

from brokerweb.accounts.rights import Role
from tests.support.each import for_each
from tests.support.waiting import until

GROUP = "aaaaaaaa-0000-4000-8000-000000000001"


@pytest.fixture
def operator(live_estate, api_as):
    return api_as(Role.OPERATOR)


@pytest.fixture
def instance(live_estate):
    return f"/estates/{live_estate.name}/instances/PARIS"


@pytest.fixture
def paris(instance):
    return f"{instance}/databases/Ventes"


@pytest.fixture
def lyon(live_estate):
    return f"/estates/{live_estate.name}/instances/LYON/databases/Stock"


def begin(client, database, **clauses):
    body = {"from_service": "//test/Commandes", "to_service": "//test/Réception", **clauses}
    return client.ask("POST", f"{database}/conversations", body)


def begun(client, database, **clauses):
    answer = begin(client, database, **clauses)
    assert answer.status_code == 201, answer.json()
    return answer.json()


def transaction_of(client, instance):
    answer = client.ask("POST", f"{instance}/transactions")
    assert answer.status_code == 201
    return answer.json()["transaction"]


def send(client, database, handle, *bodies, **more):
    answer = client.ask("POST", f"{database}/conversations/{handle}/messages", {"bodies": list(bodies), **more})
    assert answer.status_code == 201, answer.json()


def waiting_in(client, database):
    return client.ask("GET", f"{database}/queues/File/messages").json()["total"]


def view_of(client, database):
    instance, name = database.split("/databases/")
    view = client.ask("GET", f"{instance}/view").json()
    return next(each for each in view["databases"] if each["name"] == name)


def test_statements_of_a_transaction_count_when_it_commits(operator, instance, paris, lyon):
    transaction = transaction_of(operator, instance)
    handle = begun(operator, paris, transaction=transaction)["conversation_handle"]
    send(operator, paris, handle, "a", transaction=transaction)
    assert view_of(operator, paris)["conversation_endpoints"] == []
    answer = operator.ask("POST", f"{instance}/transactions/{transaction}/commit")
    assert (answer.status_code, answer.json()) == (200, {"is_committed": True})
    until(lambda: waiting_in(operator, lyon) == 1, "the message arrived after the commit")


def test_what_is_rolled_back_has_not_happened(operator, instance, paris):
    transaction = transaction_of(operator, instance)
    begun(operator, paris, transaction=transaction)
    answer = operator.ask("POST", f"{instance}/transactions/{transaction}/rollback")
    assert answer.json() == {"is_committed": False}
    assert view_of(operator, paris)["conversation_endpoints"] == []


@for_each(("end", "code"), [("commit", 3902), ("rollback", 3903)])
def test_a_transaction_that_is_not_open_has_its_number(operator, instance, end, code):
    answer = operator.ask("POST", f"{instance}/transactions/{uuid4()}/{end}")
    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_groups_are_named_found_joined_and_moved_to(operator, paris, lyon):
    first = begun(operator, paris, related_conversation_group=GROUP)
    assert first["conversation_group_id"] == GROUP
    second = begun(operator, paris, related_conversation=first["conversation_handle"])
    assert second["conversation_group_id"] == GROUP
    other = begun(operator, paris)
    assert other["conversation_group_id"] != GROUP
    path = f"{paris}/conversations/{other['conversation_handle']}/move"
    moved = operator.ask("POST", path, {"conversation_group_id": GROUP})
    assert (moved.status_code, moved.json()) == (200, {"conversation_group_id": GROUP})

    send(operator, paris, other["conversation_handle"], "a")
    until(lambda: waiting_in(operator, lyon) == 1, "the message arrived")
    found = operator.ask("POST", f"{lyon}/queues/File/conversation-group", {}).json()["conversation_group_id"]
    (message,) = operator.ask("POST", f"{lyon}/queues/File/receive", {"conversation_group_id": found}).json()[
        "messages"
    ]
    assert message["conversation_group_id"] == found
    nothing = operator.ask("POST", f"{lyon}/queues/File/conversation-group", {})
    assert nothing.json() == {"conversation_group_id": None}


def test_a_dialog_joins_one_group_that_is_there(operator, paris):
    both = begin(operator, paris, related_conversation_group=GROUP, related_conversation=GROUP)
    assert (both.status_code, both.json()["pointer"]) == (400, "/related_conversation_group")
    unknown = begin(operator, paris, related_conversation=GROUP)
    assert (unknown.status_code, unknown.json()["code"]) == (404, 8426)
    assert unknown.json()["pointer"] == "/related_conversation"


def test_encryption_is_asked_for_and_waits_for_its_binding(operator, paris, lyon):
    handle = begun(operator, paris, encryption=True)["conversation_handle"]
    send(operator, paris, handle, "a")
    until(
        lambda: [row["transmission_status_number"] for row in view_of(operator, paris)["transmission_queue"]] == [9727],
        "no binding fits",
    )
    assert waiting_in(operator, lyon) == 0


def test_a_conversation_timer_fires_into_its_own_queue(operator, paris):
    handle = begun(operator, paris)["conversation_handle"]
    answer = operator.ask("POST", f"{paris}/conversations/{handle}/timer", {"timeout_seconds": 1})
    assert answer.status_code == 200
    assert answer.json()["dialog_timer"].endswith("Z")
    until(lambda: waiting_in(operator, paris) == 1, "the timer fired")
    wrong = operator.ask("POST", f"{paris}/conversations/{handle}/timer", {"timeout_seconds": 0})
    assert (wrong.status_code, wrong.json()["code"]) == (422, 153)


def test_a_poisoned_queue_says_why_and_is_switched_on_again(operator, live_estate, paris, lyon):
    instance = f"/estates/{live_estate.name}/instances/LYON"
    handle = begun(operator, paris)["conversation_handle"]
    send(operator, paris, handle, "poison")
    until(lambda: waiting_in(operator, lyon) == 1, "the message arrived")
    for _ in range(5):
        transaction = transaction_of(operator, instance)
        operator.ask("POST", f"{lyon}/queues/File/receive", {"transaction": transaction})
        operator.ask("POST", f"{instance}/transactions/{transaction}/rollback")
    (queue,) = view_of(operator, lyon)["queues"]
    assert (queue["is_enabled"], queue["poison"]["rollbacks"]) == (False, 5)
    (endpoint,) = view_of(operator, lyon)["conversation_endpoints"]
    assert queue["poison"]["conversation_handle"] == endpoint["conversation_handle"]
    refused = operator.ask("POST", f"{lyon}/queues/File/receive", {})
    assert (refused.status_code, refused.json()["code"]) == (422, 9617)
    answer = operator.ask("POST", f"{lyon}/queues/dbo.File/status", {"is_enabled": True})
    assert (answer.status_code, answer.json()) == (200, {"is_enabled": True})
    (queue,) = view_of(operator, lyon)["queues"]
    assert (queue["is_enabled"], queue["poison"]) == (True, None)


@pytest.fixture
def viewing(live_estate, api_as):
    return api_as(Role.VIEWER)


@for_each(
    ("path", "body"),
    [
        ("{instance}/transactions", None),
        ("{paris}/queues/File/status", {"is_enabled": False}),
        ("{paris}/queues/File/conversation-group", {}),
        (f"{{paris}}/conversations/{GROUP}/timer", {"timeout_seconds": 1}),
        (f"{{paris}}/conversations/{GROUP}/move", {"conversation_group_id": GROUP}),
    ],
)
def test_a_viewer_does_none_of_it(viewing, instance, paris, path, body):
    answer = viewing.ask("POST", path.format(instance=instance, paris=paris), body)
    assert answer.status_code == 403
