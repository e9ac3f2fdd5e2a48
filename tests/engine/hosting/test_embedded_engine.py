"""Two real instances in one embedded worker, over real TCP, with real files, asked through real Celery tasks."""

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import pytest
from celery.result import AsyncResult
from celery.worker import state as worker_state

from engine.core.catalog.changes import HostNamesSet, RouteAltered
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import NetworkAddress
from engine.core.exchange.commands import EndConversation, Receive, Send
from engine.core.exchange.replies import MessageSent, Refusal
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import CommandId, ConversationHandle, EstateName, InstanceName, RouteName
from engine.core.vocabulary.messages import TcpAddress
from engine.hosting import bootstep, client
from engine.hosting.app import CONTROL_QUEUE, celery_app, configure
from engine.hosting.bootstep import running_host
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from engine.hosting.garbage import GarbagePolicy, running_policy
from engine.hosting.settings import HostingSettings
from engine.storage.commit_log.file import LOG_BYTES_MAX
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PACE,
    PARIS,
    QUEUE,
    STOCK,
    VENTES,
    apply,
    ask,
    begin_dialog,
    database,
    define,
    ready_at_lyon,
    receive_all,
    send,
    set_endpoint,
    waiting_at_paris,
)
from tests.support.waiting import SECONDS_MAX, until


def test_a_hundred_messages_cross_the_network_once_and_in_order(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    for number in range(100):
        send(handle, number)
    until(lambda: ready_at_lyon() == 100, "all have arrived")
    until(lambda: waiting_at_paris() == 0, "all are acknowledged")
    assert receive_all() == list(range(100))


def test_the_far_broker_id_is_known_after_the_first_acknowledgement(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    assert database(PARIS).conversation_endpoints[0].far_broker_instance is None
    send(handle, 0)
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")
    assert database(PARIS).conversation_endpoints[0].far_broker_instance == database(LYON).broker_instance


def test_messages_wait_with_a_numbered_reason_while_the_far_endpoint_is_stopped(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    send(handle, 0)
    until(lambda: waiting_at_paris() == 0, "the connection is up")

    set_endpoint(LYON, 2, EndpointState.STOPPED)
    until(lambda: client.read_view(ESTATE, LYON, 0).listening_port is None, "LYON does not listen any more")
    for number in range(1, 11):
        send(handle, number)
    until(
        lambda: {row.transmission_status_number for row in database(PARIS).transmission_queue} <= {9754, 9755},
        "every row says that the connection is lost or refused",
    )
    assert waiting_at_paris() == 10
    assert ready_at_lyon() == 1

    set_endpoint(LYON, 3, EndpointState.STARTED)
    until(lambda: waiting_at_paris() == 0, "the queue has drained")
    assert receive_all() == list(range(11))


def test_a_stop_and_a_start_lose_nothing_and_repeat_nothing(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    set_endpoint(LYON, 2, EndpointState.STOPPED)
    for number in range(20):
        send(handle, number)

    engine.stop()
    engine.start()

    assert waiting_at_paris() == 20
    set_endpoint(LYON, 3, EndpointState.STARTED)
    until(lambda: ready_at_lyon() == 20, "all have arrived")
    assert receive_all() == list(range(20))


def test_a_worker_treats_the_garbage_of_its_process_while_it_runs(settings: HostingSettings):
    configure(settings)
    engine = EmbeddedEngine()
    with patch.object(bootstep, "GarbagePolicy", GarbagePolicy):
        engine.start()
    try:
        assert type(running_policy()) is GarbagePolicy
    finally:
        engine.stop()
    assert running_policy() is None


def test_no_commands_have_no_replies(engine: EmbeddedEngine):
    assert client.execute(ESTATE, "ROME", [], timeout_seconds=0.2) == []


def test_a_command_delivered_twice_is_carried_out_once(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    command = Send(command_id=CommandId(uuid4()), database=VENTES, conversation_handle=handle, body=b"0")
    assert client.execute(ESTATE, PARIS, [command, command]) == [MessageSent(message_sequence_number=0)] * 2
    engine.stop()
    engine.start()
    assert ask(PARIS, command) == MessageSent(message_sequence_number=0)
    until(lambda: ready_at_lyon() == 1, "it has arrived")
    assert receive_all() == [0]


def test_a_refused_command_is_answered_with_its_number_and_the_next_ones_go_on(engine: EmbeddedEngine):
    define()
    unknown = ConversationHandle(uuid4())
    commands = [
        Send(command_id=CommandId(uuid4()), database=VENTES, conversation_handle=unknown, body=b"0"),
        Receive(command_id=CommandId(uuid4()), database=VENTES, queue=QUEUE),
        EndConversation(command_id=CommandId(uuid4()), database=VENTES, conversation_handle=unknown),
    ]
    first, second, third = client.execute(ESTATE, PARIS, commands)
    assert isinstance(first, Refusal)
    assert not isinstance(second, Refusal)
    assert isinstance(third, Refusal)
    assert first.number == third.number == 8426


def test_many_clients_at_once_are_served(engine: EmbeddedEngine):
    define()
    handles = [begin_dialog() for _ in range(8)]
    with ThreadPoolExecutor(8) as clients:
        list(clients.map(lambda handle: [send(handle, number) for number in range(25)], handles))
    until(lambda: ready_at_lyon() == 200, "all have arrived")
    assert sorted(receive_all()) == sorted(list(range(25)) * 8)


def test_a_queue_is_peeked_at_without_taking_anything(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    for number in range(3):
        send(handle, number)
    until(lambda: ready_at_lyon() == 3, "all have arrived")
    peek = client.peek_queue(ESTATE, LYON, STOCK, QUEUE, 2)
    assert ([row.message_body for row in peek.messages], peek.total) == ([b"0", b"1"], 3)
    with pytest.raises(BrokerError) as caught:
        client.peek_queue(ESTATE, LYON, STOCK, "dbo.Nothing", 2)
    assert caught.value.number == 15151


def test_the_event_log_is_read_from_any_number_on(engine: EmbeddedEngine):
    define()
    last = client.read_view(ESTATE, PARIS, 0).last_event
    events = client.events_after(ESTATE, PARIS, 0, 1000)
    assert [number for number, _ in events] == list(range(1, last + 1))
    assert client.events_after(ESTATE, PARIS, last - 1, 1000) == events[-1:]


def test_an_instance_that_nobody_hosts_is_unavailable_in_a_clear_sentence(engine: EmbeddedEngine):
    with pytest.raises(EngineUnavailable, match=r"Instance ROME of estate démo did not answer within 0\.2 seconds"):
        client.read_view(ESTATE, "ROME", 1, timeout_seconds=0.2)


def test_a_closed_instance_stays_closed_until_it_is_opened(engine: EmbeddedEngine):
    define()
    client.close_instance(ESTATE, LYON)
    engine.stop()
    engine.start()
    with pytest.raises(EngineUnavailable):
        client.read_view(ESTATE, LYON, 1, timeout_seconds=0.5)
    client.open_instance(ESTATE, LYON)
    assert client.read_view(ESTATE, LYON, 1).revision == 1


def test_a_forgotten_instance_starts_from_nothing(engine: EmbeddedEngine, settings: HostingSettings):
    define()
    client.close_instance(ESTATE, LYON, forgets=True)
    assert not list(settings.data_directory.rglob("LYON*"))
    client.open_instance(ESTATE, LYON)
    assert client.read_view(ESTATE, LYON, 1).revision == 0


def test_names_that_no_file_system_likes_are_hosted(engine: EmbeddedEngine, settings: HostingSettings):
    estate, instance = "../Évry/é.", "PARIS\\VENTES"
    client.open_instance(estate, instance)
    engine.stop()
    engine.start()
    assert client.read_view(estate, instance, 1).name == instance
    assert {path.relative_to(settings.data_directory).parts[0] for path in settings.data_directory.rglob("*")}
    assert not list(settings.data_directory.parent.glob("*vry*"))


def test_an_instance_opened_again_at_another_pace_keeps_its_state(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    client.open_instance(ESTATE, PARIS, pace=PACE * 2)
    send(handle, 0)
    until(lambda: ready_at_lyon() == 1, "it has arrived")


def test_two_instances_of_one_server_cannot_listen_on_one_port(engine: EmbeddedEngine):
    define()
    apply(LYON, 2, HostNamesSet(host_names=("paris",)))
    until(lambda: client.read_view(ESTATE, LYON, 1).listening_error != "", "LYON says that it cannot listen")
    view = client.read_view(ESTATE, LYON, 1)
    assert view.listening_port is None
    assert view.listening_error.startswith("9692")
    assert "PARIS" in view.listening_error

    apply(LYON, 3, HostNamesSet(host_names=("lyon-ag",)))
    until(lambda: client.read_view(ESTATE, LYON, 1).listening_port is not None, "LYON listens again")


def test_an_instance_is_found_under_every_name_of_its_server(engine: EmbeddedEngine):
    define()
    apply(LYON, 2, HostNamesSet(host_names=("lyon-ag.exemple.fr",)))
    address = NetworkAddress("TCP://lyon-ag.exemple.fr:4022", TcpAddress("lyon-ag.exemple.fr", 4022))
    apply(PARIS, 2, RouteAltered(database=VENTES, name=RouteName("VersLAutre"), address=address))
    send(begin_dialog(), 0)
    until(lambda: ready_at_lyon() == 1, "it has arrived")


def test_a_failed_store_stops_its_instance_alone_and_it_comes_back(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    send(handle, 0)
    until(lambda: ready_at_lyon() == 1, "it has arrived")
    # The disk is full for PARIS: SQLite may not take another page, and the log has no room for so much.
    running_host()._roster._instances[ESTATE, PARIS].store._connection.pragma("max_page_count", 1)

    body = bytes(LOG_BYTES_MAX)
    with pytest.raises(EngineUnavailable, match=r"PARIS has stopped.*full"):
        ask(PARIS, Send(command_id=CommandId(uuid4()), database=VENTES, conversation_handle=handle, body=body))

    assert receive_all() == [0]

    def works() -> bool:
        try:
            send(handle, 1)
        except EngineUnavailable:
            return False
        return True

    until(works, "PARIS is loaded anew")
    until(lambda: ready_at_lyon() == 1, "it has arrived")
    assert receive_all() == [1]


def test_a_damaged_store_is_named_and_the_others_come_up(engine: EmbeddedEngine, settings: HostingSettings):
    define()
    engine.stop()
    (damaged,) = settings.data_directory.rglob("PARIS.sqlite3")
    damaged.write_bytes(b"no database" * 100)
    engine.start()
    with pytest.raises(EngineUnavailable, match=r"PARIS of estate démo cannot be opened.*not a database"):
        client.read_view(ESTATE, PARIS, 1)
    assert client.read_view(ESTATE, LYON, 1).revision == 1


def test_signals_stay_with_the_main_thread(settings: HostingSettings):
    signals = (signal.SIGINT, signal.SIGTERM)
    # Not the defaults: whoever runs the tests in the background has SIGINT ignored.
    before = [signal.getsignal(each) for each in signals]
    configure(settings)
    engine = EmbeddedEngine()
    engine.start()
    assert [signal.getsignal(each) for each in signals] == before
    engine.stop()
    assert [signal.getsignal(each) for each in signals] == before


def test_an_engine_that_is_stopped_answers_nobody_and_leaves_no_thread(settings: HostingSettings):
    configure(settings)
    before = set(threading.enumerate())
    engine = EmbeddedEngine()
    engine.start()
    define()
    engine.stop()
    with pytest.raises(EngineUnavailable, match="does not host"):
        running_host()
    # Nobody waits for the renewals: a book of leases may take its time to answer.
    for each in set(threading.enumerate()) - before:
        each.join(60)
    left = {each.name for each in set(threading.enumerate()) - before}
    assert left == set()


@pytest.fixture
def slow_task() -> Iterator[threading.Event]:
    """Lets go on a task that then reads PARIS. A worker started after this knows the task."""
    may_go_on = threading.Event()

    @celery_app.task(name=SLOW_TASK, throws=EngineUnavailable)
    def slow() -> str:
        may_go_on.wait(60)
        return running_host().read_view(EstateName(ESTATE), InstanceName(PARIS), 1).name

    yield may_go_on
    del celery_app.tasks[SLOW_TASK]


SLOW_TASK = "tests.slow"


def send_slow_task() -> AsyncResult:
    result = celery_app.send_task(SLOW_TASK, queue=CONTROL_QUEUE)
    until(lambda: any(each.name == SLOW_TASK for each in worker_state.active_requests), "it is running")
    return result


def test_a_task_that_runs_when_the_worker_is_told_to_stop_is_finished_first(
    slow_task: threading.Event, engine: EmbeddedEngine
):
    define()
    result = send_slow_task()
    stopping = threading.Thread(target=engine.stop)
    stopping.start()
    until(lambda: "engine-last-tasks" in {each.name for each in threading.enumerate()}, "the stop waits for the task")
    slow_task.set()
    stopping.join(SECONDS_MAX)
    assert result.get(timeout=SECONDS_MAX, disable_sync_subtasks=False) == PARIS


def test_a_task_that_does_not_end_holds_the_instances_up_for_a_bounded_time(
    slow_task: threading.Event, engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bootstep, "TASKS_SECONDS_MAX", 0.2)
    define()
    result = send_slow_task()
    stopping = threading.Thread(target=engine.stop)
    stopping.start()
    until(lambda: not bootstep._running, "the host is gone")
    slow_task.set()
    stopping.join(SECONDS_MAX)
    with pytest.raises(EngineUnavailable):
        result.get(timeout=SECONDS_MAX, disable_sync_subtasks=False)


def test_a_data_directory_that_cannot_be_used_is_a_clear_failure(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    configure(HostingSettings(data_directory=tmp_path / "file" / "engine", wakes_web=False))
    with pytest.raises(EngineUnavailable, match="could not start") as refused:
        EmbeddedEngine().start()
    assert isinstance(refused.value.__cause__, NotADirectoryError)
