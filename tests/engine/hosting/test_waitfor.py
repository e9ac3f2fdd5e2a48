"""WAITFOR in a real host: callers on threads, a store on disk (protocol.md 12)."""

import asyncio
import logging
import math
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from engine.core.catalog.changes import DatabaseCreated, QueueCreated, ServiceCreated
from engine.core.catalog.objects import Activation, Queue, Service
from engine.core.exchange.commands import (
    WAIT_FOR_EVER,
    ApplyCatalog,
    BeginDialog,
    BeginTransaction,
    GetConversationGroup,
    Receive,
    RollbackTransaction,
    Send,
    SetQueueStatus,
)
from engine.core.exchange.replies import MessagesReceived
from engine.core.exchange.system_views import SystemViewQuery
from engine.hosting.errors import EngineUnavailable
from engine.hosting.host import EngineHost
from engine.hosting.settings import HostingSettings
from tests.support.waiting import until

PLACE = ("démo", "PARIS")
MONITORS = SystemViewQuery(database="Ventes", view="sys.dm_broker_queue_monitors", columns=("tasks_waiting",))


class Counter:
    """A host with one instance, a client and a counter, and callers that wait at the counter on threads."""

    def __init__(self, folder):
        self.host = EngineHost(
            HostingSettings(data_directory=folder, wakes_web=False), wake=None, on_hosted=lambda *_: None
        )
        self.host.start()
        self.host.open_instance(*PLACE)
        self.threads = ThreadPoolExecutor(64)
        # An event of activation that starts nobody, so that there is a monitor to ask.
        watched = Activation("dbo.personne", 1, "SELF")
        changes = (
            DatabaseCreated(database="Ventes", broker_instance=uuid4()),
            QueueCreated(database="Ventes", queue=Queue("dbo.Client")),
            QueueCreated(database="Ventes", queue=Queue("dbo.Guichet", activation=watched)),
            *(
                ServiceCreated(database="Ventes", service=Service(name, f"dbo.{name}", ("DEFAULT",)))
                for name in ("Client", "Guichet")
            ),
        )
        self.do(ApplyCatalog, base=0, revision=1, changes=changes)

    def do(self, command, **fields):
        [reply] = self.host.execute(*PLACE, [command(command_id=uuid4(), **fields)])
        return reply

    def wait(self, command=Receive, waitfor_milliseconds=WAIT_FOR_EVER, **fields):
        """A caller on a thread of its own; returns when the instance knows that it waits."""
        before = self.waiting()
        fields = {"command_id": uuid4(), "database": "Ventes", "queue": "dbo.Guichet"} | fields
        given = command(waitfor_milliseconds=waitfor_milliseconds, **fields)
        answer = self.threads.submit(self.host.execute, *PLACE, [given])
        until(lambda: answer.done() or self.waiting() == before + 1, "it waits")
        return answer

    def waiting(self):
        return self.host.read_system_view(*PLACE, MONITORS).rows[0][0]

    def ask(self, body):
        handle = self.do(BeginDialog, database="Ventes", from_service="Client", to_service="Guichet")
        self.do(Send, database="Ventes", conversation_handle=handle.conversation_handle, body=body)

    def read(self):
        rows = self.do(Receive, database="Ventes", queue="dbo.Guichet", top=100).messages
        return [row.message_body for row in rows]

    def stop(self):
        self.host.stop()
        self.threads.shutdown()


@pytest.fixture
def counter(tmp_path):
    counter = Counter(tmp_path / "engine")
    yield counter
    counter.stop()


def bodies(answer):
    [reply] = answer.result(60)
    return [row.message_body for row in reply.messages]


def test_callers_are_served_in_the_order_in_which_they_came(counter):
    answers = [counter.wait() for _ in range(3)]
    for number, answer in enumerate(answers):
        counter.ask(b"%d" % number)
        assert bodies(answer) == [b"%d" % number]
    assert counter.waiting() == 0


def test_the_time_runs_out_with_the_empty_set(counter):
    assert bodies(counter.wait(waitfor_milliseconds=50)) == []
    [reply] = counter.wait(GetConversationGroup, waitfor_milliseconds=50).result(60)
    assert reply.conversation_group_id is None


def test_a_queue_that_is_switched_off_answers_who_waits(counter):
    answer = counter.wait()
    counter.do(SetQueueStatus, database="Ventes", queue="dbo.Guichet", is_enabled=False)
    [refusal] = answer.result(60)
    assert refusal.number == 9617


def test_in_a_transaction_that_is_rolled_back_the_message_goes_to_the_next_who_waits(counter):
    transaction = counter.do(BeginTransaction).transaction
    first, second = counter.wait(transaction=transaction), counter.wait()
    counter.ask(b"a")
    assert bodies(first) == [b"a"]
    assert not second.done()
    counter.do(RollbackTransaction, transaction=transaction)
    assert bodies(second) == [b"a"]


def test_a_caller_that_gives_up_leaves_no_trace(counter):
    command = Receive(command_id=uuid4(), database="Ventes", queue="dbo.Guichet", waitfor_milliseconds=WAIT_FOR_EVER)
    asked = counter.host._roster.hosted(PLACE).execute([command])
    with pytest.raises(EngineUnavailable):
        counter.host._ask(asked, 0.2)
    until(lambda: counter.waiting() == 0, "nobody waits any more")
    counter.ask(b"a")
    assert counter.read() == [b"a"]


def test_a_wait_that_is_cancelled_is_answered_with_the_empty_set(counter):
    command_id = uuid4()
    answer = counter.wait(command_id=command_id)
    counter.host.cancel_wait(*PLACE, command_id)
    assert bodies(answer) == []
    counter.host.cancel_wait(*PLACE, command_id)
    counter.ask(b"a")
    assert counter.read() == [b"a"]


def test_a_command_that_two_wait_for_is_carried_out_once_and_answered_to_both(counter):
    command_id = uuid4()
    first = counter.wait(command_id=command_id)
    again = Receive(command_id=command_id, database="Ventes", queue="dbo.Guichet", waitfor_milliseconds=WAIT_FOR_EVER)
    second = counter.threads.submit(counter.host.execute, *PLACE, [again])
    counter.do(BeginTransaction)
    counter.ask(b"a")
    assert bodies(first) == bodies(second) == [b"a"]
    assert counter.read() == []


def test_commands_behind_a_wait_do_not_wait_for_it(counter):
    handle = counter.do(BeginDialog, database="Ventes", from_service="Client", to_service="Guichet")
    commands = [
        Receive(command_id=uuid4(), database="Ventes", queue="dbo.Guichet", waitfor_milliseconds=WAIT_FOR_EVER),
        Send(command_id=uuid4(), database="Ventes", conversation_handle=handle.conversation_handle, body=b"a"),
    ]
    received, sent = counter.host.execute(*PLACE, commands)
    assert [row.message_body for row in received.messages] == [b"a"]
    assert sent.message_sequence_number == 0


def test_a_host_that_stops_tells_who_waits(counter, caplog):
    answers = [counter.wait() for _ in range(3)]
    with caplog.at_level(logging.WARNING):
        counter.host.stop()
        for answer in answers:
            with pytest.raises(EngineUnavailable):
                answer.result(60)
    assert caplog.records == []


async def seconds_until_next_turn(instance):
    """As far as the instance knows."""
    if instance._turn is not None:
        return 0.0
    timer = instance._alarm._timer
    return math.inf if timer is None else timer.when() - asyncio.get_running_loop().time()


def test_an_idle_waiter_costs_no_turn_of_its_instance(counter):
    for _ in range(50):
        counter.wait()
    instance = counter.host._roster.hosted(PLACE)
    until(lambda: counter.host._ask(seconds_until_next_turn(instance)) > 60, "it has nothing to do")


def test_no_answer_of_a_waiter_is_lost_among_many(counter):
    answers = [counter.wait() for _ in range(40)]
    for number in range(40):
        counter.ask(b"%d" % number)
    assert sorted(int(bodies(answer)[0]) for answer in answers) == list(range(40))
    assert counter.do(Receive, database="Ventes", queue="dbo.Guichet") == MessagesReceived(messages=())
