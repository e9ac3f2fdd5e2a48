"""The driver's one order: commit, then dial and send, then publish, then arm. And what a failed commit means."""

import pytest

from engine.core.catalog.changes import RouteCreated
from engine.core.exchange.commands import Send
from engine.core.exchange.events import ForwardedMessageSent
from engine.core.exchange.inputs import TIMER_FIRED
from engine.core.vocabulary.messages import LinkChange, LinkState, TcpAddress
from engine.runtime.driver import DriverFailed, InstanceDriver
from engine.storage.errors import StoreFailed
from tests.support.wire_messages import message
from tests.support.world import World, route


class Recorder:
    """Stands at all ports of a driver and writes down the order of what happens."""

    def __init__(self, node):
        self.node = node
        self.happened = []
        self.refuses = False
        self.armed = None

    def reply_of(self, command_id):
        return self.node.store.reply_of(command_id)

    def commit(self, changes, events):
        if self.refuses:
            raise StoreFailed("disk full")
        self.happened.append("commit")
        return self.node.store.commit(changes, events)

    def send(self, outbound):
        self.happened.append("send")

    def dial(self, address):
        self.happened.append("dial")

    def publish(self, first, events):
        self.happened.append("publish")

    def arm(self, at):
        self.happened.append("arm")
        self.armed = at


@pytest.fixture
def recorded():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    recorder = Recorder(paris)
    driver = InstanceDriver(
        paris.instance, store=recorder, transport=recorder, sink=recorder, alarm=recorder, clock=world
    )
    sends = [
        Send(command_id=world.entropy.new_uuid(), database="Ventes", conversation_handle=dialog, body=b"%d" % number)
        for number in range(3)
    ]
    return recorder, driver, sends


def test_nothing_leaves_before_it_is_committed_and_a_batch_is_one_commit(recorded):
    recorder, driver, sends = recorded
    replies = driver.process(sends)
    assert [reply.message_sequence_number for reply in replies] == [0, 1, 2]
    assert recorder.happened == ["commit", "dial", "publish", "arm"]


def test_a_failed_commit_lets_nothing_out_and_the_driver_refuses_everything_after_it(recorded):
    recorder, driver, sends = recorded
    recorder.refuses = True
    with pytest.raises(StoreFailed):
        driver.process(sends)
    assert recorder.happened == []
    recorder.refuses = False
    with pytest.raises(DriverFailed):
        driver.process(sends)


def test_the_same_command_twice_in_one_batch_happens_once(recorded):
    _, driver, sends = recorded
    first, second = driver.process([sends[0], sends[0]])
    assert first == second
    assert driver.instance.view(10).databases[-1].transmission_queue_total == 1


@pytest.fixture
def hub():
    """A forwarder whose link to BERLIN is up."""
    world = World()
    node = world.instance("HUB", [RouteCreated(database="msdb", route=route("Entrepôt", "berlin"))], forwards=True)
    recorder = Recorder(node)
    driver = InstanceDriver(
        node.instance, store=recorder, transport=recorder, sink=recorder, alarm=recorder, clock=world
    )
    driver.process([message(0)])
    driver.process([LinkChange(address=TcpAddress("berlin", 4022), state=LinkState.LOGGED_IN, peer="BERLIN")])
    world.seconds += 1
    driver.process([TIMER_FIRED])
    recorder.happened.clear()
    return world, recorder, driver


def passed_on(recorder):
    events = [event for _, event in recorder.node.store.events_after(0, 10_000)]
    return [event.message_sequence_number for event in events if isinstance(event, ForwardedMessageSent)]


def test_what_passes_through_waits_for_no_disk_and_is_told_a_moment_later(hub):
    world, recorder, driver = hub
    for number in range(1, 4):
        driver.process([message(number)])
    assert recorder.happened == ["send", "arm"] * 3
    assert passed_on(recorder) == [0]
    world.seconds = recorder.armed
    assert world.seconds <= 1.05
    driver.process([TIMER_FIRED])
    assert recorder.happened[6:] == ["commit", "publish", "arm"]
    assert passed_on(recorder) == [0, 1, 2, 3]


def test_where_commits_cost_nothing_what_passes_through_is_told_at_once(hub):
    world, recorder, _ = hub
    driver = InstanceDriver(
        recorder.node.instance,
        store=recorder,
        transport=recorder,
        sink=recorder,
        alarm=recorder,
        clock=world,
        holds_events=False,
    )
    for number in (1, 2):
        driver.process([message(number)])
    assert recorder.happened == ["commit", "send", "publish", "arm"] * 2
    assert passed_on(recorder) == [0, 1, 2]
    assert recorder.armed is None or recorder.armed > world.seconds + 1.0, "nobody has to come back for it"


def test_what_is_held_is_told_before_what_happens_later(hub):
    _, recorder, driver = hub
    driver.process([message(1)])
    driver.process([LinkChange(address=TcpAddress("berlin", 4022), state=LinkState.CLOSED, error=64)])
    assert recorder.happened[-3:] == ["commit", "publish", "arm"]
    told = [type(event).__name__ for _, event in recorder.node.store.events_after(0, 1000)]
    last = {name: number for number, name in enumerate(told)}
    assert last["ForwardedMessageSent"] < last["ConnectionStateChanged"]
    assert passed_on(recorder) == [0, 1]


def test_an_instance_that_is_closed_has_told_everything(hub):
    _, recorder, driver = hub
    driver.process([message(1)])
    driver.settle()
    assert passed_on(recorder) == [0, 1]
    driver.settle()
    assert recorder.happened == ["send", "arm", "commit", "publish"]


def test_no_more_is_held_than_a_bounded_number(hub):
    _, recorder, driver = hub
    for start in range(1, 5000, 500):
        driver.process([message(number) for number in range(start, start + 500)])
    assert len(passed_on(recorder)) > 4096
