"""Hosts without a worker around them: who answers for an instance, and what happens when something goes wrong."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest

from engine.core.catalog.changes import CatalogChange, EndpointCreated, EndpointDropped
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.exchange.commands import ApplyCatalog
from engine.core.exchange.inputs import TIMER_FIRED
from engine.core.link.handshake import Peer
from engine.core.link.negotiation import Method, Protection
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import CatalogRevision, CommandId, EndpointName, EstateName, InstanceName
from engine.core.vocabulary.limits import INBOX_BYTES_MAX
from engine.core.vocabulary.messages import LinkChange, LinkState, TcpAddress
from engine.core.vocabulary.moment import Duration
from engine.hosting.errors import EngineUnavailable
from engine.hosting.host import EngineHost
from engine.hosting.hosted import HostedInstance
from engine.hosting.inbox import next_batch
from engine.hosting.settings import HostingSettings
from engine.storage.errors import StoreFailed
from tests.support.waiting import until
from tests.support.wire_messages import message

DEMO, PARIS = EstateName("démo"), InstanceName("PARIS")
KEY = (DEMO, PARIS)
PEER = Peer(
    instance="LYON",
    arbitration_id=UUID(int=1),
    principal=None,
    method=Method.VOUCHED,
    protection=Protection.SIGNED,
    listening_port=None,
)
LINK = SimpleNamespace(leads_to=None, connection=SimpleNamespace(known_peer=PEER, role=LinkRole.DIALLING))
"""As much of a connection as is looked at."""
LYON = TcpAddress("lyon", 4022)


class Host(EngineHost):
    """A host that remembers which queues it was told to consume."""

    def __init__(self, data_directory: Path, retry_seconds: float) -> None:
        self.consumed: set[tuple[str, str]] = set()
        settings = HostingSettings(data_directory=data_directory, retry_seconds=Duration(retry_seconds))
        super().__init__(settings, wake=None, on_hosted=self._follow)

    def _follow(self, estate: str, instance: str, is_hosted: bool) -> None:
        (self.consumed.add if is_hosted else self.consumed.discard)((estate, instance))

    def on_loop(self, act: Callable[[], object]) -> None:
        """Do something on the host's thread and wait until it is done."""

        async def asked() -> None:
            act()

        self._ask(asked())

    def lose(self, key: tuple[EstateName, InstanceName]) -> None:
        """The instance's store fails."""
        self.on_loop(lambda: self._roster._instances[key]._fail(StoreFailed("the disk is gone"), []))


StartHost = Callable[[float], Host]
NEVER = 1000.0


@pytest.fixture
def start_host(tmp_path: Path) -> Iterator[StartHost]:
    hosts: list[Host] = []

    def start(retry_seconds: float = 0.05) -> Host:
        host = Host(tmp_path / "engine", retry_seconds)
        hosts.append(host)
        host.start()
        return host

    yield start
    for host in hosts:
        host.stop()


def mend(host: Host) -> None:
    """One round of looking after what is not alive."""

    host._ask(host._roster.look(mends=True))


def answers(host: Host) -> bool:
    try:
        host.read_view(DEMO, PARIS, 1)
    except EngineUnavailable:
        return False
    return True


def test_a_host_that_lost_an_instance_to_another_one_consumes_its_queue_no_more(start_host: StartHost):
    first = start_host(NEVER)
    first.open_instance(*KEY)
    second = start_host(NEVER)
    first.lose(KEY)
    assert first.consumed == {KEY}, "until somebody else has it, it says why it does not work"
    mend(second)
    mend(first)
    assert (first.consumed, second.consumed) == (set(), {KEY})
    assert not answers(first)
    assert answers(second)


def test_a_host_asked_to_open_what_another_one_has_taken_lets_go_of_it(start_host: StartHost):
    first, second = start_host(NEVER), start_host(NEVER)
    first.open_instance(*KEY)
    first.lose(KEY)
    mend(second)
    assert not first.open_instance(*KEY)
    assert first.consumed == set()


@pytest.mark.parametrize("forgets", [False, True])
def test_a_host_lets_go_of_an_instance_that_another_one_has_taken_and_closed(start_host: StartHost, forgets: bool):
    first, second = start_host(NEVER), start_host(NEVER)
    first.open_instance(*KEY)
    first.lose(KEY)
    mend(second)
    second.close_instance(*KEY, forgets=forgets)
    mend(first)
    assert first.consumed == set()
    assert first._roster._instances == {}


def test_the_file_of_a_closed_instance_is_not_opened_again_until_it_changes(start_host: StartHost, tmp_path: Path):
    first, second = start_host(NEVER), start_host(NEVER)
    first.open_instance(*KEY)
    first.close_instance(*KEY)
    mend(first)
    (folder,) = {path.parent for path in tmp_path.rglob("PARIS.sqlite3")}
    os.utime(folder, ns=(0, 0))
    mend(first)
    assert folder.stat().st_mtime_ns == 0, "opening a store makes a log beside it"

    second.open_instance(*KEY)
    second.lose(KEY)
    mend(first)
    assert first.consumed == {KEY}, "another host has opened it meanwhile"


def test_an_instance_is_noted_as_closed_before_anything_that_may_fail(start_host: StartHost):
    host = start_host(NEVER)
    host.open_instance(*KEY)
    # The directory of ports is lost: the entry cannot be removed.
    host.on_loop(lambda: host._around.directory._connection.execute("DROP TABLE listeners"))
    with pytest.raises(EngineUnavailable, match="cannot be closed"):
        host.close_instance(*KEY)
    mend(host)
    assert host.consumed == set()
    assert not answers(host)


def test_no_commands_have_no_replies_and_nobody_waits_for_them(start_host: StartHost):
    host = start_host(NEVER)
    host.open_instance(*KEY)
    # Whoever waits in vain hears that the engine did not answer.
    assert host.execute(*KEY, []) == []


def change_catalog(host: Host, instance: str, revision: int, change: CatalogChange) -> None:
    command = ApplyCatalog(
        command_id=CommandId(uuid4()),
        base=CatalogRevision(revision - 1),
        revision=CatalogRevision(revision),
        changes=(change,),
    )
    host.execute(DEMO, InstanceName(instance), [command])


def test_a_port_that_was_occupied_is_taken_when_it_becomes_free(start_host: StartHost):
    host = start_host(0.05)
    endpoint = EndpointCreated(endpoint=Endpoint(EndpointName("Broker"), 4022, EndpointState.STARTED))
    first, second = (InstanceName(name) for name in ("SERVER\\A", "SERVER\\B"))
    for name in (first, second):
        host.open_instance(DEMO, name)
        change_catalog(host, name, 1, endpoint)
        until(lambda: host.read_view(DEMO, first, 1).listening_port is not None, "the first one listens")
    until(lambda: host.read_view(DEMO, second, 1).listening_error.startswith("9692"), "the port is occupied")
    change_catalog(host, first, 2, EndpointDropped(name="Broker"))
    until(lambda: host.read_view(DEMO, second, 1).listening_port is not None, "the second one listens")
    assert host.read_view(DEMO, second, 1).listening_error == ""


def test_a_timeout_inside_the_engine_is_not_taken_for_its_silence(start_host: StartHost):
    host = start_host(NEVER)

    async def runs_out() -> None:
        raise TimeoutError("of its own")

    with pytest.raises(TimeoutError, match="of its own"):
        host._ask(runs_out())


def test_who_asks_while_the_engine_ends_hears_that_it_is_stopped(start_host: StartHost):
    host = start_host(NEVER)
    heard: list[BaseException] = []

    def ask() -> None:
        try:
            host._ask(asyncio.Event().wait())
        except BaseException as error:
            heard.append(error)

    asker = threading.Thread(target=ask)
    asker.start()
    until(lambda: bool(host._asked), "it is asked")
    closed = host._loop
    host.stop()
    asker.join(60)
    assert [str(each) for each in heard] == ["The engine is stopped."]
    assert isinstance(heard[0], EngineUnavailable)

    host._loop = closed
    with pytest.raises(EngineUnavailable, match="stopped"):
        host.read_view(*KEY, 1)
    host._loop = None


def test_a_report_of_a_connection_that_was_hung_up_meanwhile_does_not_reach_the_instance(start_host: StartHost):
    host = start_host(NEVER)
    host.open_instance(*KEY)
    hosted: HostedInstance = host._roster._instances[KEY]
    batches: list[list[LinkState]] = []

    def act() -> None:
        dialer = hosted._dialer
        for hangs_up in (False, True):
            dialer.dial(LYON)
            call = dialer._calls[LYON]
            report = LinkChange(address=LYON, state=LinkState.CONNECTED, peer=None, error=None, detail="")
            call.reports.append(report)
            hosted._put_report(report)
            if hangs_up:
                dialer.hang_up(LYON)
            batch = next_batch(hosted._inbox, hosted._dialer.stands)
            batches.append([each.report.state for each in batch if each.report is not None])

    host.on_loop(act)
    assert batches == [[LinkState.CONNECTED], []]


def test_a_report_is_looked_at_after_what_came_before_it_was_done(start_host: StartHost):
    host = start_host(NEVER)
    host.open_instance(*KEY)
    hosted = host._roster._instances[KEY]
    sizes: list[int] = []

    def act() -> None:
        hosted._dialer.dial(LYON)
        report = LinkChange(address=LYON, state=LinkState.CONNECTED, peer=None, error=None, detail="")
        hosted._dialer._calls[LYON].reports.append(report)
        hosted._put([])
        hosted._put_report(report)
        hosted._put_report(report)
        hosted._put([])
        sizes.extend(len(next_batch(hosted._inbox, hosted._dialer.stands)) for _ in range(3))

    host.on_loop(act)
    assert sizes == [1, 3, 0]


def test_what_is_due_is_done_however_busy_the_network_keeps_an_instance(start_host: StartHost):
    """There is a turn in every round of the loop, and what is due is found out by each of them."""
    host = start_host(NEVER)
    host.open_instance(*KEY)
    instance = host._roster._instances[KEY]
    driver, inputs = instance._driver, []
    process = driver.process

    def look(batch):
        inputs.extend(batch)
        replies = process(batch)
        if TIMER_FIRED not in inputs:
            instance._alarm.arm(instance._around.clock.now().monotonic)
            if len(inputs) < 1000:
                instance._put_messages(LINK, [message(len(inputs), b"")])
        return replies

    def act() -> None:
        driver.process = look
        instance._put_messages(LINK, [message(0, b"")])

    host.on_loop(act)
    until(lambda: TIMER_FIRED in inputs, "the timer rings")
    assert len(inputs) < 10


def test_7_1_an_instance_that_is_busy_does_not_read_its_neighbours_until_it_has_caught_up(start_host: StartHost):
    host = start_host(NEVER)
    host.open_instance(*KEY)
    instance = host._roster._instances[KEY]
    held: list[bool] = []

    def flood() -> None:
        body = bytes(1024 * 1024)
        for number in range(INBOX_BYTES_MAX // len(body) + 1):
            instance._put_messages(LINK, [message(number, body)])
            held.append(instance._switchboard.is_held)

    host.on_loop(flood)
    assert held[0] is False
    assert held[-1] is True
    until(lambda: not instance._switchboard.is_held, "it reads again")
    assert instance._inbox_bytes == 0
