"""Test traffic against the real engine: it arrives, is answered, ends without a trace, and is nobody else's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest
from django.db import transaction

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Decision, Estate
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.traffic.generator import generator, pair, step
from brokerweb.traffic.generator.generator import TrafficGenerator
from brokerweb.traffic.models import TrafficRun, TrafficState
from brokerweb.traffic.services.holding import HeldRun, run_release, run_renew, runs_claim
from engine import api as engine
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.estates import decide
from tests.support.each import for_each
from tests.support.waiting import SECONDS_MAX, until

PAIR = {
    "from_instance": "PARIS",
    "from_database": "Ventes",
    "from_service": "//test/Commandes",
    "to_service": "//test/Réception",
}


@pytest.fixture(scope="module", autouse=True)
def quick_looks() -> Iterator[None]:
    """The worker looks for runs, and a run for its end, more often than a product needs to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step, "LOOK_SECONDS", 0.1)
        patch.setattr(generator, "BEAT_SECONDS", 0.1)
        patch.setattr(pair, "QUIET_SECONDS", 0.5)
        yield


@pytest.fixture
def operator(live_estate: Estate, api_as: Callable[[Role], ApiClient]) -> ApiClient:
    return api_as(Role.OPERATOR)


@pytest.fixture
def base(live_estate: Estate) -> Iterator[str]:
    yield f"/estates/{live_estate.name}/traffic"
    # The worker goes on between tests: what a test has left running would meet the next one.
    TrafficRun.objects.filter(estate=live_estate).update(state=TrafficState.STOPPING)
    until(lambda: not TrafficRun.objects.exclude(state=TrafficState.STOPPED).exists(), "the traffic has ended")


def start(client: ApiClient, base: str, *pairs: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = {"pairs": pairs or [PAIR], "rate": 50.0, "dialog_messages": 5, **more}
    answer = client.ask("POST", f"{base}/start", body)
    assert answer.status_code == 200, answer.content
    return answer.json()


def read(client: ApiClient, base: str) -> dict[str, Any]:
    return client.ask("GET", base).json()


def stop(client: ApiClient, base: str) -> dict[str, Any]:
    assert client.ask("POST", f"{base}/stop").status_code == 200
    until(lambda: read(client, base)["state"] == "stopped", "the traffic has stopped")
    return read(client, base)


def figures(client: ApiClient, base: str) -> dict[str, Any]:
    found = read(client, base)["pairs"]
    return found[0] if found else {"sent": 0, "received": 0, "answered": 0, "failed": 0, "waiting": 0, "is_held": False}


def ends(client: ApiClient, base: str) -> list[tuple[str, str]]:
    """Every end of a conversation of the estate that is not closed: its database and state."""
    found = []
    for place in ("PARIS/databases/Ventes", "LYON/databases/Stock"):
        address = base.replace(
            "/traffic", f"/instances/{place}/views/sys.conversation_endpoints?column=state&rows=1000"
        )
        found += [(place, row[0]) for row in client.ask("GET", address).json()["rows"] if row[0] != "CD"]
    return found


def queued(client: ApiClient, base: str, place: str) -> int:
    address = base.replace("/traffic", f"/instances/{place}/queues/dbo.File/messages")
    return client.ask("GET", address).json()["total"]


def test_messages_arrive_are_answered_and_end_without_a_trace(operator: ApiClient, base: str):
    assert read(operator, base)["state"] == "never"
    begun = start(operator, base, reply_ratio=1.0, size=1000)
    assert (begun["state"], begun["started_by"], begun["plan"]["size"]) == ("running", "the-operator", 1000)
    until(lambda: figures(operator, base)["answered"] >= 20, "twenty answers have come back")
    assert read(operator, base)["rate"] > 10
    ended = stop(operator, base)
    pair = ended["pairs"][0]
    assert pair["sent"] == pair["received"] == pair["replied"] == pair["answered"]
    assert pair["dialogs"] == -(-pair["sent"] // 5)
    assert (pair["failed"], pair["errors"], pair["waiting"], ended["left_open"], ended["rate"]) == (0, [], 0, 0, 0)
    until(lambda: ends(operator, base) == [], "nothing is left open")
    assert [queued(operator, base, place) for place in ("PARIS/databases/Ventes", "LYON/databases/Stock")] == [0, 0]


def test_a_share_is_answered_as_asked(operator: ApiClient, base: str):
    start(operator, base, reply_ratio=0.25)
    until(lambda: figures(operator, base)["received"] >= 40, "forty have arrived")
    pair = stop(operator, base)["pairs"][0]
    assert pair["replied"] == pair["answered"] == pair["received"] // 4


def test_a_contract_without_answers_has_none_and_bodies_fit_their_type(operator: ApiClient, base: str):
    ordered = PAIR | {"contract": "//test/Commander", "message_type": "//test/Commande"}
    start(operator, base, ordered, reply_ratio=1.0, size=3)
    until(lambda: figures(operator, base)["received"] >= 10, "XML that is well formed arrives")
    pair = stop(operator, base)["pairs"][0]
    assert (pair["replied"], pair["failed"]) == (0, 0)


def test_messages_of_others_stay_in_their_queues(operator: ApiClient, base: str):
    shop = base.replace("/traffic", "/instances/PARIS/databases/Ventes")
    begun = operator.ask(
        "POST", f"{shop}/conversations", {"from_service": "//test/Commandes", "to_service": "//test/Réception"}
    ).json()
    operator.ask("POST", f"{shop}/conversations/{begun['conversation_handle']}/messages", {"bodies": ["not yours"]})
    until(lambda: queued(operator, base, "LYON/databases/Stock") == 1, "it is in LYON's queue")
    start(operator, base)
    until(lambda: figures(operator, base)["received"] >= 20, "test traffic arrives in the same queue")
    stop(operator, base)
    stock = base.replace("/traffic", "/instances/LYON/databases/Stock/queues/dbo.File/messages")
    left = operator.ask("GET", stock).json()["messages"]
    assert [message["message_body"] for message in left] == ["not yours"]
    assert sorted({place for place, _ in ends(operator, base)}) == ["LYON/databases/Stock", "PARIS/databases/Ventes"]


@pytest.mark.slow
def test_what_does_not_arrive_is_held_told_and_cleaned_up(operator: ApiClient, base: str, live_estate: Estate):
    decide(InstancePlace(live_estate.name, "PARIS"), [engine.RouteDropped(database="Ventes", name="vers_lyon")])
    until(lambda: read(operator, base) is not None and applied(live_estate), "PARIS has no route any more")
    start(operator, base)
    until(lambda: figures(operator, base)["is_held"], "nothing more is sent")
    held = figures(operator, base)
    assert held["waiting"] == held["sent"] >= 500
    assert held["received"] == 0
    ended = stop(operator, base)
    assert (ended["left_open"], ends(operator, base)) == (0, [])
    assert transmission(operator, base) == []


def applied(estate: Estate) -> bool:
    rows = estate.instances.values_list("desired_revision", "applied_revision")
    return all(wanted == has for wanted, has in rows)


def transmission(client: ApiClient, base: str) -> list[Any]:
    address = base.replace("/traffic", "/instances/PARIS/databases/Ventes/views/sys.transmission_queue")
    return client.ask("GET", address).json()["rows"]


def test_what_the_target_refuses_is_counted_by_its_number(operator: ApiClient, base: str, live_estate: Estate):
    place = InstancePlace(live_estate.name, "LYON")
    decide(place, [engine.ServiceAltered(database="Stock", name="//test/Réception", drops=("DEFAULT",))])
    until(lambda: applied(live_estate), "LYON accepts DEFAULT no more")
    start(operator, base)
    until(lambda: figures(operator, base)["failed"] >= 2, "errors have come back")
    [error] = stop(operator, base)["pairs"][0]["errors"]
    assert error["code"] == -8408
    assert "contract" in error["text"]
    assert ends(operator, base) == []


def test_a_queue_with_a_reader_is_left_to_it(operator: ApiClient, base: str, live_estate: Estate):
    read_by_procedure = []

    def reader(session: engine.ReaderSession, rows: list[engine.QueueRow]) -> None:
        for row in rows:
            if row.message_type_name.endswith("/EndDialog"):
                session.end(row.conversation_handle)
            else:
                read_by_procedure.append(row.message_body)

    engine.register_reader("dbo.lire", engine.receiving(reader))
    try:
        activation = engine.ActivationPatch(
            procedure_name="dbo.lire", is_enabled=True, max_queue_readers=1, execute_as="OWNER"
        )
        place = InstancePlace(live_estate.name, "LYON")
        decide(place, [engine.QueueAltered(database="Stock", name="dbo.File", activation=activation)])
        until(lambda: applied(live_estate), "LYON's queue has a reader")
        start(operator, base)
        until(lambda: len(read_by_procedure) >= 20, "the reader reads")
        ended = stop(operator, base)
        assert ended["pairs"][0]["received"] == 0
        assert len(read_by_procedure) >= 20
        until(lambda: ends(operator, base) == [], "the reader has ended its side")
        assert len(read_by_procedure) == ended["pairs"][0]["sent"]
    finally:
        engine.unregister_reader("dbo.lire")


def test_pairs_that_routing_delivers_are_offered(operator: ApiClient, base: str):
    offers = operator.ask("GET", f"{base}/offers").json()
    assert [(each["from_service"], each["to_instance"], each["to_service"]) for each in offers] == [
        ("//test/Réception", "PARIS", "//test/Commandes"),
        ("//test/Commandes", "LYON", "//test/Réception"),
    ]
    assert offers[1]["terms"] == [
        {"contract": "//test/Commander", "message_type": "//test/Commande"},
        {"contract": "DEFAULT", "message_type": "DEFAULT"},
    ]


def test_one_run_at_a_time_and_every_start_and_stop_is_in_the_log(operator: ApiClient, base: str, live_estate: Estate):
    start(operator, base)
    second = operator.ask("POST", f"{base}/start", {"pairs": [PAIR]})
    assert (second.status_code, second.json()["code"]) == (409, "traffic-runs")
    stop(operator, base)
    stop(operator, base)
    start(operator, base)
    told = Decision.objects.filter(estate=live_estate).order_by("sequence").values_list("summary", "author_name")
    assert list(told)[-3:] == [
        ("Start test traffic: 1 pairs, 50 messages a second each, 256 bytes", "the-operator"),
        ("Stop test traffic", "the-operator"),
        ("Start test traffic: 1 pairs, 50 messages a second each, 256 bytes", "the-operator"),
    ]


@for_each(
    ("body", "code", "pointer"),
    [
        ({"pairs": []}, "bad-field", "/pairs"),
        ({"pairs": [PAIR], "rate": 0}, "bad-field", "/rate"),
        ({"pairs": [PAIR], "rate": 200.5}, "bad-field", "/rate"),
        ({"pairs": [PAIR], "reply_ratio": 1.5}, "bad-field", "/reply_ratio"),
        ({"pairs": [PAIR], "dialog_messages": 0}, "bad-field", "/dialog_messages"),
        ({"pairs": [PAIR], "size": 1024 * 1024, "rate": 20}, "malformed", "/size"),
        ({"pairs": [PAIR, PAIR]}, "malformed", "/pairs"),
        ({"pairs": [PAIR | {"contract": f"c{n}"} for n in range(6)], "rate": 200}, "malformed", "/rate"),
        ({"pairs": [PAIR, PAIR | {"from_instance": "ROME"}]}, 15151, "/pairs/1"),
        ({"pairs": [PAIR | {"from_database": "Nulle"}]}, 911, "/pairs/0"),
        ({"pairs": [PAIR | {"from_service": "//test/Nulle"}]}, 15151, "/pairs/0"),
        ({"pairs": [PAIR | {"to_service": "//test/Nulle"}]}, 15151, "/pairs/0"),
        ({"pairs": [PAIR | {"contract": "//test/Nul"}]}, 15151, "/pairs/0"),
        ({"pairs": [PAIR | {"message_type": "//test/Nul"}]}, 15151, "/pairs/0"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_field(
    operator: ApiClient, base: str, body: dict[str, Any], code: int | str, pointer: str
):
    answer = operator.ask("POST", f"{base}/start", body)
    problem = answer.json()
    assert (problem["code"], problem["pointer"]) == (code, pointer), problem
    assert not TrafficRun.objects.exists()


# ── who generates ────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def unclaimed(operator: ApiClient, base: str, running_engine: engine.EmbeddedEngine) -> TrafficRun:
    """A run that the worker of this process does not see: somebody else has it."""
    start(operator, base)
    until(lambda: figures(operator, base)["sent"] > 0, "the worker generates")
    return TrafficRun.objects.get()


def lapse() -> None:
    """As if the holder had been silent for as long as a lease lasts."""
    TrafficRun.objects.update(expires_at="2026-01-01T00:00:00Z")


def taken_over() -> HeldRun:
    """The run in the hands of another holder; the first one cannot renew in between."""
    with transaction.atomic():
        lapse()
        [second] = runs_claim("second")
    return second


def test_a_run_has_one_holder_and_a_former_one_writes_nothing(unclaimed: TrafficRun):
    assert runs_claim("second") == [], "the first one is alive"
    second = taken_over()
    assert second.fence == unclaimed.fence + 1
    assert second.is_taken_over
    assert runs_claim("third") == []
    assert run_renew(second) is TrafficState.RUNNING
    former = HeldRun(**{**fields(second), "holder": unclaimed.holder, "fence": unclaimed.fence})
    assert run_renew(former) is None
    run_release(former, is_over=True)
    row = TrafficRun.objects.get()
    assert (row.holder, row.state) == ("second", TrafficState.RUNNING)
    run_release(second, is_over=True)


def test_who_is_silent_does_not_generate(unclaimed: TrafficRun, operator: ApiClient, base: str):
    [row] = TrafficRun.objects.all()
    until(lambda: read(operator, base)["rate"] > 0, "it sends")
    assert read(operator, base)["is_generated"]
    # A holder of another process, of whom nothing is heard any more: the worker of this one waits for its lease.
    TrafficRun.objects.update(holder="killed", fence=row.fence + 1)
    told = read(operator, base)
    assert told["is_generated"]
    TrafficRun.objects.update(state=TrafficState.STOPPED)
    lapse()
    told = read(operator, base)
    assert (told["is_generated"], told["rate"]) == (False, 0.0)
    TrafficRun.objects.update(state=TrafficState.STOPPING)


def fields(held: HeldRun) -> dict[str, Any]:
    return {name: getattr(held, name) for name in held.__struct_fields__}


def test_a_generator_that_has_lost_its_run_falls_silent_and_the_next_one_goes_on(
    unclaimed: TrafficRun, operator: ApiClient, base: str
):
    second = taken_over()
    # The first one notices with its next renewal, and touches nothing any more: what it had open is the second's.
    sent = read(operator, base)["pairs"][0]["sent"]
    is_ending = Event()
    thread = Thread(target=TrafficGenerator(second, is_ending).run)
    thread.start()
    try:
        until(lambda: read(operator, base)["pairs"][0]["sent"] > sent + 20, "the second one goes on counting")
        assert TrafficRun.objects.get().holder == "second"
    finally:
        is_ending.set()
        thread.join(SECONDS_MAX)
    assert TrafficRun.objects.get().holder != "second", "it is given back, and nobody has to wait for its lease"
    until(lambda: TrafficRun.objects.get().holder not in ("", "second"), "somebody has taken it up")
    ended = stop(operator, base)
    assert ended["left_open"] == 0
    assert ends(operator, base) == []
