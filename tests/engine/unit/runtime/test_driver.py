"""The driver's one order: commit, then dial and send, then publish, then arm. And what a failed commit means."""

import pytest

from engine.core.exchange.commands import Send
from engine.runtime.driver import DriverFailed, InstanceDriver
from engine.storage.errors import StoreFailed
from tests.support.world import World, route


class Recorder:
    """Stands at all ports of a driver and writes down the order of what happens."""

    def __init__(self, node):
        self.node = node
        self.happened = []
        self.refuses = False

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
