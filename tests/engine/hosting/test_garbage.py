"""What a worker's garbage collector looks at (engine/hosting/garbage)."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from engine.hosting.garbage import GarbagePolicy


class Knot:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


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
