"""Disks that fail: before, in the middle of, and after a commit, or because they are full."""

import pytest

from engine.core.exchange.changes import PutCommandReply
from engine.core.exchange.replies import MessageSent
from engine.sim.store import CommitFault, PowerLost, SimulatedStore
from engine.storage.errors import StoreFailed
from tests.engine.sim.worlds import HANDLE, OTHER_HANDLE

CHANGES = [
    PutCommandReply(command_id=handle, reply=MessageSent(message_sequence_number=at), replied_at=1.0)
    for at, handle in enumerate((HANDLE, OTHER_HANDLE))
]


@pytest.fixture
def told():
    return []


@pytest.fixture
def store(told):
    return SimulatedStore("PARIS", lambda changes, events: told.append(list(changes)))


def kept(store):
    return [store.reply_of(change.command_id) is not None for change in CHANGES]


def test_a_sound_disk_keeps_everything_and_tells_of_it(store, told):
    store.commit(CHANGES, [])
    assert kept(store) == [True, True]
    assert told == [CHANGES]


@pytest.mark.parametrize(
    ("fault", "share", "is_kept"),
    [
        (CommitFault.BEFORE, 0.5, False),
        (CommitFault.TORN, 0.0, False),
        (CommitFault.TORN, 0.5, False),
        (CommitFault.TORN, 1.0, True),
        (CommitFault.AFTER, 0.5, True),
    ],
)
def test_a_crash_leaves_all_of_a_commit_or_nothing_and_strikes_once(store, told, fault, share, is_kept):
    store.next_fault, store.torn_share = fault, share
    with pytest.raises(PowerLost):
        store.commit(CHANGES, [])
    assert kept(store) == [is_kept, is_kept]
    assert told == ([CHANGES] if is_kept else [])
    store.commit([], [])


def test_a_full_disk_refuses_until_there_is_room(store):
    store.is_full = True
    with pytest.raises(StoreFailed, match="No space left"):
        store.commit(CHANGES, [])
    assert kept(store) == [False, False]
    store.is_full = False
    store.commit(CHANGES, [])
    assert kept(store) == [True, True]
