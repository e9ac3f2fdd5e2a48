"""Names and numbers of real things, so that what is invented at random also meets what there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from brokerweb.live.topics import TOPICS
from brokerweb.topology.models import Database, Estate, Queue, Route, Service
from engine.api import questions
from tests.brokerweb.conftest import ApiClient

KINDS = ("route", "queue", "service", "database", "contract", "message-type", "endpoint", "instance")
VIEWS = (
    "sys.routes",
    "sys.conversation_endpoints",
    "sys.transmission_queue",
    "sys.service_queues",
    "sys.databases",
    "sys.dm_broker_connections",
)


@dataclass(frozen=True)
class Names:
    """What addresses and bodies may name: places belong together, other values by the name of their field."""

    places: list[dict[str, Any]]
    """Path parameters, each a set that fits together; the dialog and the transaction are those of the first."""
    values: dict[str, list[Any]]
    """Values of a body's fields, or of query parameters, by their name."""


def names_of(estate: Estate, admin: ApiClient) -> Names:
    """What there is in an estate, after a dialog, a change set, a backup and a suppressed finding were made in it."""
    base = f"/estates/{estate.name}"
    shop = f"{base}/instances/PARIS/databases/Ventes"
    begun = _made(
        admin.ask(
            "POST",
            f"{shop}/conversations",
            {"from_service": "//exemple.fr/Ventes/Guichet", "to_service": "//beispiel.de/Lager/Größenprüfung"},
        )
    )
    handle = begun["conversation_handle"]
    _made(admin.ask("POST", f"{shop}/conversations/{handle}/timer", {"timeout_seconds": 1}))
    backup = _made(admin.ask("POST", f"{shop}/backups", {}))["id"]
    number = _made(admin.ask("POST", f"{base}/change-sets", {"title": "For a test"}))["number"]
    finding = admin.ask("GET", f"{base}/findings").json()["findings"][0]["key"]
    suppression = _made(admin.ask("POST", f"{base}/findings/suppressions", {"key": finding, "reason": "a test"}))["id"]
    question = {
        "instance": "PARIS",
        "database": "Ventes",
        "service": "//exemple.fr/Ventes/Guichet",
        "to_service": "//beispiel.de/Lager/Größenprüfung",
    }
    assertion = _made(admin.ask("POST", f"{base}/assertions", {"question": question}))["id"]
    transaction = _made(admin.ask("POST", f"{base}/instances/PARIS/transactions"))["transaction"]
    token = _made(admin.ask("POST", "/me/tokens", {"name": "a test", "scopes": ["view"]}))["id"]
    _made(admin.ask("POST", "/users", {"username": "olga", "role": "operator"}))
    group = _made(admin.ask("POST", "/training/groups", {"name": "a shift", "members": ["olga"]}))["id"]
    common = {
        "estate": estate.name,
        "handle": handle,
        "transaction": transaction,
        "number": number,
        "revision": 1,
        "backup": backup,
        "suppression": suppression,
        "assertion": assertion,
        "token": token,
        "username": "olga",
        "sample": "demo-fr-de",
        "job": str(uuid4()),
        "session": str(uuid4()),
        "run": str(uuid4()),
        "table": "messages",
        "lesson": "forwarding",
        "group": group,
    }
    return Names(
        _places(estate, common), _values(common | {"finding": finding, "conversations": begun["conversation_group_id"]})
    )


def _places(estate: Estate, common: dict[str, Any]) -> list[dict[str, Any]]:
    places = []
    for position, database in enumerate(Database.objects.filter(instance__estate=estate).select_related("instance")):
        here: dict[str, Any] = {"instance": database.instance.name, "database": database.name}
        for field, model in (("queue", Queue), ("service", Service), ("route", Route)):
            found = model.objects.filter(database=database).order_by("pk").first()
            here[field] = "none-here" if found is None else found.name
        here["view"] = VIEWS[position % len(VIEWS)]
        here["kind"] = KINDS[position % len(KINDS)]
        here["question"] = list(questions.QUESTIONS)[position % len(questions.QUESTIONS)]
        here["topic"] = list(TOPICS)[position % len(TOPICS)]
        places.append(common | here)
    places.sort(key=lambda place: place["database"] != "Ventes")
    return places


def _values(made: dict[str, Any]) -> dict[str, list[Any]]:
    services = list(Service.objects.values_list("name", flat=True))
    databases = list(Database.objects.values_list("name", flat=True).distinct())
    queue_names = list(Queue.objects.values_list("name", flat=True).distinct())
    return {
        "estate": [made["estate"]],
        "instance": ["PARIS", "BERLIN", "LYON", "HUB"],
        "database": databases,
        "from_instance": ["PARIS", "BERLIN", "LYON", "HUB"],
        "from_database": databases,
        "from_service": services,
        "to_service": services,
        "to_service_name": services,
        "message_sequence_number": [0],
        "service_name": services,
        "service": services,
        "contract": [None, "//beispiel.de/Lager/Prüfvertrag"],
        "message_type": [None, "//beispiel.de/Lager/Prüfauftrag"],
        "queue": queue_names,
        "name": [*Route.objects.values_list("name", flat=True)[:6], "neu"],
        "backup": [made["backup"]],
        "kind": list(KINDS),
        "change_set": [made["number"]],
        "key": [made["finding"]],
        "conversation_handle": [made["handle"]],
        "conversation_group_id": [made["conversations"]],
        "related_conversation": [None, made["handle"]],
        "related_conversation_group": [None],
        "error_code": [None],
        "error_description": [None],
        "lifetime_seconds": [None, 600],
        "timeout_seconds": [1, 3600],
        "encryption": [False],
        "broker_instance": [None],
        "mirror_address": [None],
        "transaction": [None, None, made["transaction"]],
        "grantee": ["public", "dbo"],
        "address": ["LOCAL", "TRANSPORT", "TCP://hub:4022", "tcp://nowhere"],
        "sample": ["demo-fr-de"],
        "scenario": ["first-route", "silent-queue"],
        "topic": list(TOPICS),
        "time_zone": ["UTC", "browser", "Europe/Berlin"],
        "to_broker_instance": [None, "CURRENT DATABASE", "e97c4b16-3ad5-4821-bf60-7d05c2e8a906"],
    }


def _made(answer: Any) -> dict[str, Any]:
    assert answer.status_code in (200, 201), answer.content
    made: dict[str, Any] = answer.json()
    return made
