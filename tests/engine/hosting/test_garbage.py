"""What a worker's garbage collector looks at (engine/hosting/garbage)."""

import gc
import sys
import threading
import time
import weakref
from collections.abc import Iterator

import pytest

from engine.hosting.garbage import GarbagePolicy, long_lived_begin, long_lived_leave_out, running_policy


class Knot:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(scope="module", autouse=True)
def _frozen_again() -> Iterator[None]:
    """What the tests have imported is left out for the other tests, and not for those of this file."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.fixture
def policy() -> Iterator[GarbagePolicy]:
    policy = GarbagePolicy()
    yield policy
    policy.stop()


def test_what_has_survived_is_left_out(policy: GarbagePolicy):
    knot = Knot()
    policy.start()
    assert gc.get_freeze_count() > 0
    assert not any(each is knot for each in gc.get_objects())
    young = Knot()
    gc.collect()
    assert not any(each is young for each in gc.get_objects())


@pytest.mark.slow
def test_garbage_among_it_is_found_once_as_much_again_has_survived():
    policy = GarbagePolicy(objects_min=0)
    knot = Knot()
    gone = weakref.ref(knot)
    policy.start()
    del knot
    gc.collect()
    assert gone() is not None, "nobody looks at it"
    kept = [[] for _ in range(gc.get_freeze_count() + 1)]
    gc.collect()
    gc.collect()
    assert gone() is None
    assert len(kept) > 0
    policy.stop()


def test_when_it_stops_python_collects_as_before(policy: GarbagePolicy):
    before = len(gc.callbacks)
    policy.start()
    policy.stop()
    policy.stop()
    assert len(gc.callbacks) == before
    assert gc.get_freeze_count() == 0


def test_a_thread_that_is_making_a_tuple_is_left_alone():
    """A tuple that grows from a generator must belong to nobody else, or CPython refuses to resize it."""
    policy = GarbagePolicy(objects_min=100_000_000)
    done, faults = threading.Event(), []

    def make_tuples() -> None:
        try:
            while not done.is_set():
                tuple([each] for each in range(20_000))
        except SystemError as error:
            faults.append(error)

    def let_it_on(frame: object, event: str, step: object) -> None:
        if event == "c_return":
            time.sleep(0.01)

    maker = threading.Thread(target=make_tuples)
    policy.start()
    maker.start()
    time.sleep(0.01)
    sys.setprofile(let_it_on)  # behind each step of the policy
    try:
        for _ in range(20):
            gc.collect()
    finally:
        sys.setprofile(None)
        done.set()
        maker.join()
        policy.stop()
    assert faults == []


def test_what_was_just_made_is_left_out_without_a_collection(policy: GarbagePolicy):
    policy.start()
    made = [[] for _ in range(1_000)]
    before = gc.get_stats()[2]["collections"]
    long_lived_leave_out()
    assert gc.get_stats()[2]["collections"] == before
    assert not any(each is made for each in gc.get_objects())


@pytest.mark.slow
def test_garbage_among_what_was_left_out_so_is_found_when_there_is_too_much_of_it():
    policy = GarbagePolicy(objects_min=0)
    policy.start()
    knot = Knot()
    gone = weakref.ref(knot)
    long_lived_leave_out()
    del knot
    gc.collect()
    assert gone() is not None, "nobody looks at it"
    kept = [[] for _ in range(gc.get_freeze_count() + 1)]
    long_lived_leave_out()
    gc.collect()
    assert gone() is None
    assert len(kept) > 0
    policy.stop()


def test_one_policy_of_a_process_is_enough(policy: GarbagePolicy):
    policy.start()
    other = GarbagePolicy()
    other.start()
    other.stop()
    assert running_policy() is policy
    assert gc.get_freeze_count() > 0


@pytest.mark.slow
def test_a_process_that_begins_again_looks_at_all_once(policy: GarbagePolicy):
    policy.start()
    knot = Knot()
    gone = weakref.ref(knot)
    long_lived_leave_out()
    del knot
    long_lived_begin()
    assert gone() is None
    assert running_policy() is policy
    assert gc.get_freeze_count() > 0


def test_without_a_policy_nothing_is_left_out():
    long_lived_leave_out()
    assert running_policy() is None
    assert gc.get_freeze_count() == 0
