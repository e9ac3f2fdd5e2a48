"""One script at hosted instances and at those of a sandbox, through the same functions: same answers, rows, events."""

from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import msgspec
import pytest

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import apply_changes
from engine.core.exchange import pictures
from engine.core.exchange.commands import BeginDialog, Command, CommitTransaction, EndConversation, Receive, Send
from engine.core.exchange.replies import DialogBegun, MessagesReceived, Refusal, Reply
from engine.core.exchange.system_views import ColumnFilter, SystemViewQuery
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CatalogRevision
from engine.hosting import client
from engine.hosting.app import celery_app, configure
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from engine.hosting.sandboxes.entry_log import MemoryEntryLog
from engine.hosting.sandboxes.registry import keep_sandboxes, keeping_sandboxes, sandbox_keeper
from engine.hosting.settings import HostingSettings
from engine.sandbox.actions import FaultBegun
from engine.sandbox.spec import SandboxSpec
from engine.whatif.faults import Fault, FaultKind
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    ORDERS,
    PARIS,
    QUEUE,
    STOCK,
    VENTES,
    WAREHOUSE,
    define,
    side,
)
from tests.support.no_garbage_policy import collector_left_alone
from tests.support.waiting import until

SANDBOX = "~practice"
VIEWS = (
    "sys.conversation_endpoints",
    "sys.conversation_groups",
    "sys.transmission_queue",
    "sys.service_queues",
    "sys.services",
    "sys.routes",
    "dbo.Courrier",
)
PLACES = ((PARIS, VENTES), (LYON, STOCK))


def catalog(name: str, *changes: Any) -> InstanceCatalog:
    made = apply_changes(InstanceCatalog(name=name), list(changes))
    return msgspec.structs.replace(made, revision=CatalogRevision(1))


@pytest.fixture(autouse=True)
def nobody_keeps_sandboxes() -> Iterator[None]:
    """The dashboard keeps those of its trainees in this process; it does again afterwards."""
    with keeping_sandboxes(None):
        yield


@pytest.fixture
def log() -> MemoryEntryLog:
    log = practice()
    keep_sandboxes(log)
    return log


def practice() -> MemoryEntryLog:
    """The log of a sandbox of both instances."""
    log = MemoryEntryLog()
    sides = (
        (PARIS, side(VENTES, ORDERS, UUID(int=1), "TCP://lyon:4022", WAREHOUSE)),
        (LYON, side(STOCK, WAREHOUSE, UUID(int=2), "TCP://paris:4022", ORDERS)),
    )
    catalogs = tuple(catalog(name, *changes) for name, changes in sides)
    log.open(SANDBOX, SandboxSpec(seed=1, begins_at=1_790_000_000.0, instances=catalogs))
    return log


class Script:
    """One order, answered; the answer is in the queue, a second order waits to be received."""

    def __init__(self, estate: str) -> None:
        self.estate = estate
        self.replies: list[Reply] = []
        begun = self.ask(PARIS, BeginDialog, database=VENTES, from_service=ORDERS, to_service=WAREHOUSE)
        assert isinstance(begun, DialogBegun)
        self.handle = begun.conversation_handle
        for body in (b"one", b"two"):
            self.ask(PARIS, Send, database=VENTES, conversation_handle=self.handle, body=body)
        received = self.receive(LYON, STOCK)
        assert isinstance(received, MessagesReceived)
        (order,) = received.messages
        self.ask(LYON, Send, database=STOCK, conversation_handle=order.conversation_handle, body=b"done")
        self.ask(LYON, EndConversation, database=STOCK, conversation_handle=UUID(int=5))
        self.receive(PARIS, VENTES)
        self.ask(LYON, Send, database=STOCK, conversation_handle=order.conversation_handle, body=b"more")
        self.pass_until_acknowledged()

    def ask(self, instance: str, kind: type[Command], **fields: Any) -> Reply:
        (reply,) = client.execute(self.estate, instance, [kind(command_id=uuid4(), **fields)])
        self.replies.append(reply)
        return reply

    def receive(self, instance: str, database: str) -> Reply:
        return self.ask(instance, Receive, database=database, queue=QUEUE, top=1, waitfor_milliseconds=30_000)

    def pass_until_acknowledged(self) -> None:
        if self.estate == SANDBOX:
            sandbox_keeper().step(SANDBOX, 5.0)
        until(
            lambda: not any(self.view(*place, "sys.transmission_queue").rows for place in PLACES),
            "everything is acknowledged",
        )

    def view(self, instance: str, database: str, name: str) -> Any:
        query = SystemViewQuery(view=name, database=database, rows_max=100)
        return client.read_system_view(self.estate, instance, query)


class Played(NamedTuple):
    """The script carried out at hosted instances and at those of a sandbox, and the log of that."""

    live: Script
    practised: Script
    log: MemoryEntryLog


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """Once for all tests that only ask afterwards."""
    folder, before, log = tmp_path_factory.mktemp("engine"), celery_app.hosting, practice()
    configure(HostingSettings(data_directory=folder, wakes_web=False))
    engine = EmbeddedEngine()
    with collector_left_alone():
        engine.start()
    define()
    with keeping_sandboxes(log):
        practised = Script(SANDBOX)
    yield Played(Script(ESTATE), practised, log)
    engine.stop()
    if before is not None:
        configure(before)


@pytest.fixture
def scripts(played: Played) -> tuple[Script, Script]:
    keep_sandboxes(played.log)
    return played.live, played.practised


class Alike:
    """What differs from run to run told by its place: ids by the order in which they come, times by being there."""

    def __init__(self) -> None:
        self._ids: dict[UUID, str] = {}

    def of(self, value: Any, key: str = "") -> Any:
        if isinstance(value, msgspec.Struct):
            fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
            return type(value).__name__, {name: self.of(each, name) for name, each in fields}
        if isinstance(value, list | tuple):
            return [self.of(each) for each in value]
        if isinstance(value, dict):
            return {self.of(name): self.of(each, str(name)) for name, each in value.items()}
        if isinstance(value, UUID):
            return self._ids.setdefault(value, f"id {len(self._ids)}")
        if isinstance(value, float):
            return "time"
        return value


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("place", PLACES)
def test_system_views_show_the_same_rows(scripts, name, place):
    live, practised = (script.view(*place, name) for script in scripts)
    assert live.columns == practised.columns
    rows = [Alike().of(sorted(page.rows, key=_order)) for page in (live, practised)]
    assert rows[0] == rows[1]


def _order(row: tuple[Any, ...]) -> list[str]:
    return [str(cell) for cell in row if isinstance(cell, str | int)]


def test_replies_are_the_same(scripts):
    live, practised = scripts
    assert isinstance(live.replies[5], Refusal), "one of the commands is refused"
    assert Alike().of(live.replies) == Alike().of(practised.replies)


def test_the_instance_view_has_the_same_rows(scripts):
    for instance, _ in PLACES:
        live, practised = (client.read_view(script.estate, instance, 50) for script in scripts)
        assert type(live) is type(practised)
        assert Alike().of(live.databases) == Alike().of(practised.databases)
        assert (live.revision, practised.listening_port) == (practised.revision, 4022)


QUERIES = (
    pictures.ConversationsQuery(),
    pictures.QueuesQuery(),
    pictures.TransmissionsQuery(),
    pictures.SummaryQuery(),
)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: type(query).__name__)
def test_pictures_have_the_same_shape(scripts, query):
    for instance, _ in PLACES:
        live, practised = (client.read_pictures(script.estate, instance, [query])[0] for script in scripts)
        assert type(live) is type(practised)
        assert len(getattr(live, "rows", ())) == len(getattr(practised, "rows", ()))
        since = msgspec.structs.replace(query, since=practised.sequence)
        (unchanged,) = client.read_pictures(SANDBOX, instance, [since])
        assert type(unchanged).__name__ in ("Unchanged", type(practised).__name__)


def test_messages_and_explanations_are_the_same(scripts):
    live, practised = (client.peek_queue(script.estate, LYON, STOCK, QUEUE, 10) for script in scripts)
    assert Alike().of(live) == Alike().of(practised)
    assert [row.message_body for row in practised.messages] == [b"two"]
    whys = [client.explain_transmission(script.estate, PARIS, VENTES, script.handle) for script in scripts]
    told = [[why.state, why.waiting, why.number, why.is_same, why.now.decision] for why in whys]
    assert Alike().of(told[0]) == Alike().of(told[1])


def test_events_are_of_the_same_kinds_for_both_ends(scripts):
    # A sandbox begins with its catalogs; whether an acknowledgement rides on a message is a matter of moments.
    elsewhere = {"CatalogApplied", "DatabaseBrokerChanged", "RemoteAcknowledgementSent", "ConversationTouched"}
    for instance, _ in PLACES:
        live, practised = (client.events_after(script.estate, instance, 0, 1_000) for script in scripts)
        assert [number for number, _ in practised] == list(range(1, len(practised) + 1))
        kinds = [{type(event).__name__ for _, event in found} - elsewhere for found in (live, practised)]
        assert kinds[0] == kinds[1]


def test_what_is_not_there_has_the_same_numbers(scripts):
    for script in scripts:
        for ask in (
            lambda estate: client.peek_queue(estate, LYON, STOCK, "dbo.Nothing", 1),
            lambda estate: client.explain_transmission(estate, PARIS, VENTES, UUID(int=9)),
            lambda estate: client.read_system_view(
                estate,
                PARIS,
                SystemViewQuery(view="sys.routes", database=VENTES, filters=(ColumnFilter(column="no", value=None),)),
            ),
        ):
            with pytest.raises(LocalProtocolError) as caught:
                ask(script.estate)
            assert caught.value.number in (15151, 8426, 207)
        (picture,) = client.read_pictures(script.estate, PARIS, [pictures.QueuesQuery(database="no")])
        assert (type(picture), picture.number) == (LocalProtocolError, 911)


def test_a_wait_is_given_up_through_the_client(log):
    # Of a clock that stands still: the wait is a step to its end, so the time is over.
    wait = Receive(command_id=uuid4(), database=STOCK, queue=QUEUE, waitfor_milliseconds=60_000)
    assert client.execute(SANDBOX, LYON, [wait]) == [MessagesReceived(messages=())]
    assert sandbox_keeper().look(SANDBOX, lambda sandbox: sandbox.seconds) == pytest.approx(60.0, abs=0.1)
    client.cancel_wait(SANDBOX, LYON, uuid4())


def test_what_a_sandbox_has_not_is_said(log):
    for ask in (
        lambda: client.open_instance(SANDBOX, PARIS),
        lambda: client.close_instance(SANDBOX, PARIS),
        lambda: client.open_session(SANDBOX, PARIS),
        lambda: client.read_view(SANDBOX, "ROME", 1),
        lambda: client.read_view("~other", PARIS, 1),
        lambda: client.cancel_wait(SANDBOX, "ROME", uuid4()),
        lambda: client.execute(SANDBOX, "ROME", [CommitTransaction(command_id=uuid4(), transaction=uuid4())]),
    ):
        with pytest.raises(EngineUnavailable):
            ask()
    sandbox_keeper().perform(SANDBOX, FaultBegun(fault=Fault(kind=FaultKind.INSTANCE, instance=LYON)))
    with pytest.raises(EngineUnavailable, match="LYON is down"):
        client.read_view(SANDBOX, LYON, 1)


def test_without_a_keeper_nobody_answers():
    with pytest.raises(EngineUnavailable, match="keeps no sandboxes"):
        client.read_view(SANDBOX, PARIS, 1)


def test_commands_at_a_sandbox_that_is_used_up_are_refused_with_its_number():
    log = MemoryEntryLog()
    catalogs = (catalog(PARIS, *side(VENTES, ORDERS, UUID(int=1), "TCP://lyon:4022", WAREHOUSE)),)
    log.open(SANDBOX, SandboxSpec(seed=1, begins_at=1_790_000_000.0, instances=catalogs, happenings_max=1))
    keep_sandboxes(log)
    begin = BeginDialog(command_id=uuid4(), database=VENTES, from_service=ORDERS, to_service=WAREHOUSE)
    assert isinstance(client.execute(SANDBOX, PARIS, [begin])[0], DialogBegun)
    assert [reply.number for reply in client.execute(SANDBOX, PARIS, [begin, begin])] == [10928, 10928]
