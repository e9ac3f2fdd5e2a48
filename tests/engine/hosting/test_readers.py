"""Internal readers in a real host: registered callables on threads of their own (protocol.md 17.2)."""

import math
import re
import threading
from pathlib import Path
from uuid import uuid4

import pytest

from engine.core.catalog.changes import DatabaseCreated, QueueCreated, ServiceCreated
from engine.core.catalog.objects import Activation, Queue, Service
from engine.core.exchange.commands import ApplyCatalog, BeginDialog, Receive, Send
from engine.core.exchange.events import QueueActivation
from engine.core.vocabulary.errors import LocalProtocolError
from engine.hosting.app import configure
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from engine.hosting.host import EngineHost
from engine.hosting.readers import receiving, register_reader, registered_reader, unregister_reader
from engine.hosting.settings import HostingSettings
from tests.support.queues_document import DOCUMENT
from tests.support.waiting import until

PROCEDURE = "dbo.compter"
PLACE = ("démo", "PARIS")
END_DIALOG = "http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog"


class Office:
    """A host with one instance; Client asks Guichet, whose queue starts the reader."""

    def __init__(self, folder, readers):
        self.host = EngineHost(
            HostingSettings(data_directory=folder, wakes_web=False), wake=None, on_hosted=lambda *_: None
        )
        self.host.start()
        self.host.open_instance(*PLACE, pace=10.0)
        active = Activation(PROCEDURE, readers, "SELF")
        changes = (
            DatabaseCreated(database="Ventes", broker_instance=uuid4()),
            QueueCreated(database="Ventes", queue=Queue("dbo.Client")),
            QueueCreated(database="Ventes", queue=Queue("dbo.Guichet", activation=active)),
            *(
                ServiceCreated(database="Ventes", service=Service(name, f"dbo.{name}", ("DEFAULT",)))
                for name in ("Client", "Guichet")
            ),
        )
        self.do(ApplyCatalog, base=0, revision=1, changes=changes)

    def do(self, command, **fields):
        [reply] = self.host.execute(*PLACE, [command(command_id=uuid4(), **fields)])
        return reply

    def ask(self, *bodies):
        handle = self.do(BeginDialog, database="Ventes", from_service="Client", to_service="Guichet")
        handle = handle.conversation_handle
        for body in bodies:
            self.do(Send, database="Ventes", conversation_handle=handle, body=body)
        return handle

    def answers(self):
        rows = self.do(Receive, database="Ventes", queue="dbo.Client", top=100).messages
        return [row.message_body for row in rows if row.message_type_name != END_DIALOG]

    def told(self):
        events = self.host.events_after(*PLACE, 0, 100_000)
        return [
            (event.subclass.value, event.number, event.text)
            for _, event in events
            if isinstance(event, QueueActivation)
        ]


@pytest.fixture
def office(tmp_path):
    offices = []

    def opened(reader, readers=1):
        if reader is not None:
            register_reader(PROCEDURE.upper(), reader)
        offices.append(Office(tmp_path / "engine", readers))
        return offices[-1]

    yield opened
    for each in offices:
        each.host.stop()
    unregister_reader(PROCEDURE)


def answer_all(session):
    """The usual reader: a transaction for each batch, until nothing comes any more."""
    while True:
        with session.transaction():
            rows = session.receive(top=10)
            for row in rows:
                session.send(row.conversation_handle, b"re " + row.message_body)
        if not rows:
            return


def test_a_registered_callable_reads_answers_and_returns(office):
    place = office(answer_all)
    place.ask(b"a", b"b")
    found = []
    until(lambda: found.extend(place.answers()) or len(found) == 2, "it happens")
    assert found == [b"re a", b"re b"]
    until(lambda: [each[:2] for each in place.told()][:2] == [("started", None), ("ended", None)], "it happens")
    place.ask(b"c")
    until(lambda: place.answers() == [b"re c"], "it happens")


def test_a_reader_that_raises_is_aborted_with_28088_and_its_transaction_rolled_back(office):
    failures = []

    def fail_once(session):
        session.begin()
        [row] = session.receive()
        if not failures:
            failures.append(row.message_body)
            raise ValueError("unlesbar")
        session.commit()

    place = office(fail_once)
    place.ask(b"a")
    until(lambda: len(place.told()) >= 4, "it happens")
    aborted = [each for each in place.told() if each[0] == "aborted"]
    assert [number for _, number, _ in aborted] == [28088]
    assert "ValueError: unlesbar" in aborted[0][2]
    assert place.host.read_view(*PLACE, 10).databases[-1].queues[1].ready == 0


def test_a_transaction_left_open_aborts_with_8415_and_is_rolled_back(office):
    def leave_open(session):
        session.begin()
        session.receive()

    place = office(leave_open)
    place.ask(b"a")
    until(lambda: ("aborted", 8415) in [each[:2] for each in place.told()], "it happens")


def test_a_procedure_that_nobody_registered_is_aborted_with_its_name(office):
    place = office(None)
    place.ask(b"a")
    until(lambda: len(place.told()) == 2, "it happens")
    _, number, text = place.told()[1]
    assert number == 28088
    assert PROCEDURE in text


def test_receiving_has_a_transaction_for_each_receive_and_ends_when_nothing_comes(office):
    seen = []

    def reply(session, rows):
        assert session.has_open_transaction
        seen.append([row.message_body for row in rows])
        session.send(rows[0].conversation_handle, b"re " + rows[0].message_body)
        if len(seen) == 1:
            raise ValueError("unlesbar")

    place = office(receiving(reply, top=2))
    place.ask(b"a", b"b", b"c")
    found = []
    until(lambda: found.extend(place.answers()) or len(found) == 2, "it happens")
    assert found == [b"re a", b"re c"], "what was sent before it raised was not sent"
    assert seen[-2:] == [[b"a", b"b"], [b"c"]]
    until(lambda: [end for end, *_ in place.told()][-1] == "ended", "it happens")


def test_several_readers_work_at_once_and_each_group_has_one_of_them(office):
    together, seen = threading.Barrier(2, timeout=60), []

    def meet(session):
        with session.transaction():
            rows = session.receive(top=10, wait_seconds=10)
            seen.append({row.conversation_group_id for row in rows})
            together.wait()

    place = office(meet, readers=2)
    place.ask(b"a")
    place.ask(b"b")
    until(lambda: [each[0] for each in place.told()].count("ended") == 2, "it happens")
    assert all(len(groups) == 1 for groups in seen)
    assert seen[0] != seen[1]


def test_a_session_that_waits_is_handed_what_comes(office):
    found, is_waiting = [], threading.Event()

    def wait_for_more(session):
        session.receive()
        is_waiting.set()
        found.extend(session.receive(wait_seconds=20))

    place = office(wait_for_more)
    place.ask(b"a")
    assert is_waiting.wait(60)
    place.ask(b"b")
    until(lambda: [row.message_body for row in found] == [b"b"], "it happens")


def test_refusals_are_errors_with_their_number(office):
    numbers = []

    def break_rules(session):
        session.receive()
        for statement in (
            lambda: session.send(uuid4(), b"x"),
            lambda: session.end(uuid4()),
            lambda: session.begin_timer(uuid4(), 1),
            session.commit,
            session.roll_back,
        ):
            with pytest.raises(LocalProtocolError) as caught:
                statement()
            numbers.append(caught.value.number)

    place = office(break_rules)
    place.ask(b"a")
    until(lambda: len(numbers) == 5, "it happens")
    assert numbers == [8426, 8426, 8426, 3902, 3903]


def test_the_example_of_the_documentation_works(office):
    text = DOCUMENT.read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    scope = {}
    exec(compile(example, str(DOCUMENT), "exec"), scope)
    unregister_reader("dbo.answer")
    place = office(scope["answer"])
    place.ask(b"a", b"b")
    found = []
    until(lambda: found.extend(place.answers()) or found == [b"done", b"done"], "both are answered")


def test_a_host_that_stops_lets_no_session_wait_on(office):
    is_waiting, has_returned = threading.Event(), threading.Event()

    def wait_for_ever(session):
        session.receive()
        is_waiting.set()
        with pytest.raises(EngineUnavailable):
            session.receive(wait_seconds=math.inf)
        has_returned.set()

    place = office(wait_for_ever)
    place.ask(b"a")
    assert is_waiting.wait(60)
    place.host.stop()
    assert has_returned.wait(60)


def test_modules_of_readers_are_imported_when_the_worker_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    module = tmp_path / "readers_of_this_test.py"
    module.write_text("from engine.api import register_reader\nregister_reader('dbo.eingebaut', print)\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    configure(
        HostingSettings(data_directory=tmp_path / "engine", wakes_web=False, reader_modules=("readers_of_this_test",))
    )
    assert registered_reader("dbo.eingebaut") is None
    engine = EmbeddedEngine()
    engine.start()
    engine.stop()
    assert registered_reader("dbo.eingebaut") is print
    unregister_reader("dbo.eingebaut")
