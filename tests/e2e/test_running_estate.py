"""The sample estate in a process of its own, over HTTP: what the issue of this product promises first.

No browser here: the same requests that the page makes, so that `kill -9` and stopped endpoints can be tried with
many messages and in any order.
"""

from __future__ import annotations

from itertools import chain
from shutil import copytree
from typing import Any

import pytest

from tests.support.running import Client, Running, database_path
from tests.support.waiting import until

ESTATE = "demo-fr-de"
HUNDRED = [f"commande {number}" for number in range(100)]


@pytest.fixture(scope="module")
def estate(product):
    with Client.logged_in(product[1]) as client:
        yield product[0], client


def _topology_that_runs(client: Client) -> dict[str, Any]:
    """The sample estate, once the engine has all that is wanted of it: that takes a moment after a start."""
    seen: dict[str, Any] = {}

    def runs() -> bool:
        seen.update(client.topology(ESTATE))
        return all(each["applied_revision"] == each["desired_revision"] for each in seen["instances"])

    until(runs, what="that the engine runs what is wanted")
    return seen


class Dialog:
    """A dialog from a service of PARIS to a service of LYON that PARIS has a direct route to."""

    def __init__(self, client: Client) -> None:
        self.client = client
        topology = _topology_that_runs(client)
        self.instances = {instance["name"]: instance for instance in topology["instances"]}
        self.route = next(
            (database["name"], route["service_name"])
            for database in self.instances["PARIS"]["databases"]
            for route in database["routes"]
            if route["target_instance"] == "LYON" and route["service_name"] and not route["mirror_address"]
        )
        self.database, self.to_service = self.route
        self.far_database, self.queue, self.contract, self.message_type = self._far_end()
        self.from_service = next(
            database["services"][0]["name"]
            for database in self.instances["PARIS"]["databases"]
            if database["name"] == self.database
        )
        self.path = database_path(ESTATE, "PARIS", self.database)
        begun = client.post_json(
            f"{self.path}/conversations",
            {"from_service": self.from_service, "to_service": self.to_service, "contract": self.contract},
        )
        begun.raise_for_status()
        self.handle = begun.json()["conversation_handle"]

    def _far_end(self) -> tuple[str, str, str, str]:
        for database in self.instances["LYON"]["databases"]:
            for service in database["services"]:
                if service["name"] == self.to_service:
                    contract = next(c for c in database["contracts"] if c["name"] == service["contracts"][0])
                    uses = [use for use in contract["uses"] if use["sent_by"] != "TARGET"]
                    return database["name"], service["queue"], contract["name"], uses[0]["message_type"]
        raise AssertionError(f"LYON has no service {self.to_service}")

    def send(self, bodies: list[str]) -> dict:
        sent = self.client.post_json(
            f"{self.path}/conversations/{self.handle}/messages",
            {"message_type": self.message_type, "bodies": [_xml(body) for body in bodies]},
        )
        return sent.raise_for_status().json()

    def take(self, top: int = 1000) -> list[str]:
        taken = self.client.post_json(
            f"{database_path(ESTATE, 'LYON', self.far_database)}/queues/{self.queue}/receive", {"top": top}
        )
        messages = taken.raise_for_status().json()["messages"]
        return [message["message_body"] for message in messages]

    def waiting(self) -> list[dict]:
        """Rows of this dialog in the transmission queue of PARIS."""
        rows = self._database("PARIS", self.database)["transmission_queue"]
        return [row for row in rows if row["conversation_handle"] == self.handle]

    def far_broker_instance(self) -> str | None:
        endpoints = self._database("PARIS", self.database)["conversation_endpoints"]
        return next(e for e in endpoints if e["conversation_handle"] == self.handle)["far_broker_instance"]

    def ready_at_lyon(self) -> int:
        queues = self._database("LYON", self.far_database)["queues"]
        return next(queue["ready"] for queue in queues if queue["name"] == self.queue)

    def _database(self, instance: str, database: str) -> dict:
        view = self.client.get(f"estates/{ESTATE}/instances/{instance}/view").raise_for_status().json()
        return next(each for each in view["databases"] if each["name"] == database)


def _xml(body: str) -> str:
    return f"<m>{body}</m>"


def test_a_hundred_messages_wait_arrive_in_order_and_tell_the_far_broker_id(estate):
    _, client = estate
    dialog = Dialog(client)
    assert dialog.far_broker_instance() is None
    assert dialog.send(HUNDRED)["count"] == 100
    until(lambda: dialog.ready_at_lyon() == 100, what="100 messages in LYON's queue")
    until(lambda: dialog.waiting() == [], what="the acknowledgement")
    far = next(d for d in dialog.instances["LYON"]["databases"] if d["name"] == dialog.far_database)
    assert dialog.far_broker_instance() == far["broker_instance"]
    assert dialog.take() == [_xml(body) for body in HUNDRED]
    assert dialog.take() == []


def test_a_stopped_endpoint_keeps_rows_waiting_with_a_number_and_a_start_drains_them(estate):
    _, client = estate
    dialog = Dialog(client)
    endpoint = f"estates/{ESTATE}/instances/LYON/endpoint"
    client.post_json(endpoint, {"state": "STOPPED"}).raise_for_status()
    dialog.send(HUNDRED[:10])
    numbers = {9753, 9754, 9755, 9759}
    until(
        lambda: len(dialog.waiting()) == 10 and dialog.waiting()[0]["transmission_status_number"] in numbers,
        what="ten rows with a status number",
    )
    assert dialog.waiting()[0]["transmission_status"].startswith("97")
    client.post_json(endpoint, {"state": "STARTED"}).raise_for_status()
    until(lambda: dialog.waiting() == [], what="an empty transmission queue")
    assert dialog.take() == [_xml(body) for body in HUNDRED[:10]]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": "ohne Port", "service_name": "X", "address": "TCP://lyon"}, 9744),
        ({"name": "leer", "service_name": "X", "address": ""}, 9659),
        (
            {"name": "halb", "service_name": "X", "address": "TCP://lyon:4022", "mirror_address": "TCP://berlin:4022"},
            9661,
        ),
        ({"name": "AutoCreatedLocal", "address": "LOCAL"}, 2714),
    ],
)
def test_a_wrong_route_is_refused_with_its_number_and_leaves_the_estate_as_it_was(estate, fields, code):
    _, client = estate
    before = client.topology(ESTATE)
    # A database of PARIS that has the catch-all, so that its name is taken.
    database = next(
        database["name"]
        for instance in before["instances"]
        for database in instance["databases"]
        if any(route["name"] == "AutoCreatedLocal" for route in database["routes"]) and instance["name"] == "PARIS"
    )
    refused = client.post(
        f"{database_path(ESTATE, 'PARIS', database)}/routes",
        json=fields,
        headers={**client.csrf, "If-Match": f'"{before["revision"]}"'},
    )
    problem = refused.json()
    assert refused.status_code in (400, 409, 422), problem
    assert problem["code"] == code
    assert problem["detail"]
    assert client.topology(ESTATE) == before


def test_a_script_with_a_syntax_error_says_where_and_changes_nothing(estate):
    _, client = estate
    before = client.topology(ESTATE)
    good, bad = "CREATE ROUTE Gut WITH ADDRESS = 'LOCAL'", "CREATE ROUTE Schlecht WIHT ADDRESS = 'LOCAL'"
    script = f":CONNECT PARIS\nUSE msdb\nGO\n{good}\n{bad}\n"
    order = {"estate": ESTATE, "files": [{"name": "faute.sql", "text": script}]}
    [problem] = client.post_json("imports", {**order, "dry_run": True}).json()["problems"]
    assert (problem["file"], problem["line"], problem["column"]) == ("faute.sql", 5, 23)
    assert problem["code"] == 102
    assert "WITH" in problem["detail"]
    refused = client.post_json("imports", {**order, "dry_run": False})
    assert refused.status_code == 400
    assert refused.json()["code"] == 102
    place = refused.json()["parameters"]
    assert (place["file"], place["line"], place["column"]) == ("faute.sql", 5, 23)
    assert client.topology(ESTATE) == before


def test_killed_in_the_middle_and_started_again_every_message_arrives_once_and_in_order(first_start, tmp_path):
    product = Running(copytree(first_start[0], tmp_path / "data"))
    with Client.logged_in(product.start()) as client:
        dialog = Dialog(client)
        dialog.send(HUNDRED[:60])
        dialog.send(HUNDRED[60:])
    # At once: the acknowledgements wait for half a second, so rows are in flight, and some have arrived.
    product.kill()
    try:
        with Client.logged_in(product.start()) as client:
            dialog.client = client
            until(lambda: dialog.waiting() == [], what="the transmission queue running empty")
            taken: list[str] = list(chain.from_iterable(iter(lambda: dialog.take(7), [])))
            assert taken == [_xml(body) for body in HUNDRED]
    finally:
        assert product.stop() == 0
