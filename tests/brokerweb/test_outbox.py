"""The outbox keeps the order per instance, tries again with patience, and never loses a message."""

from datetime import timedelta
from threading import Thread

import pytest
from django.utils import timezone

from brokerweb.common.outbox.deliveries import Deliveries
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.common.outbox.services import (
    RETRY_SECONDS,
    DeliveryFailed,
    outbox_append,
    outbox_drain,
    outbox_release_claims,
)

pytestmark = pytest.mark.django_db


class Courier:
    """Delivers into a list; fails for the instances it was told of."""

    def __init__(self, *, failing: set[str] = frozenset()):
        self.failing = failing
        self.delivered: list[tuple[str, int]] = []

    def __call__(self, message):
        if message.instance_name in self.failing:
            raise DeliveryFailed(f"{message.instance_name} does not answer")
        self.delivered.append((message.instance_name, message.revision))


def append(instance, revision):
    return outbox_append(
        estate_name="demo", instance_name=instance, base_revision=revision - 1, revision=revision, changes=[]
    )


def drain(deliver):
    return outbox_drain(deliver, Deliveries())


def make_everything_due():
    OutboxMessage.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def test_messages_of_an_instance_go_out_in_their_order_and_are_gone():
    for revision in (1, 2, 3):
        append("PARIS", revision)
    courier = Courier()
    assert drain(courier) == 3
    assert courier.delivered == [("PARIS", 1), ("PARIS", 2), ("PARIS", 3)]
    assert not OutboxMessage.objects.exists()


def test_one_instance_can_be_brought_up_to_date_alone():
    append("LYON", 1)
    append("PARIS", 1)
    append("PARIS", 2)
    courier = Courier()
    assert outbox_drain(courier, Deliveries(), instance=("demo", "PARIS")) == 2
    assert courier.delivered == [("PARIS", 1), ("PARIS", 2)]
    assert list(OutboxMessage.objects.values_list("instance_name", flat=True)) == ["LYON"]
    assert outbox_drain(courier, Deliveries(), instance=("other", "LYON")) == 0


def test_an_instance_that_does_not_answer_holds_up_its_own_messages_only():
    append("LYON", 1)
    append("PARIS", 1)
    append("LYON", 2)
    append("PARIS", 2)
    courier = Courier(failing={"LYON"})
    drain(courier)
    assert courier.delivered == [("PARIS", 1), ("PARIS", 2)]
    assert [message.revision for message in OutboxMessage.objects.all()] == [1, 2]


def test_a_failed_message_says_why_and_waits_longer_each_time():
    append("LYON", 1)
    waits = []
    for _ in range(len(RETRY_SECONDS) + 1):
        make_everything_due()
        before = timezone.now()
        drain(Courier(failing={"LYON"}))
        message = OutboxMessage.objects.get()
        waits.append(round((message.next_attempt_at - before).total_seconds()))
    assert waits == [*RETRY_SECONDS, RETRY_SECONDS[-1]]
    assert message.attempts == len(waits)
    assert message.last_error == "LYON does not answer"


def test_a_message_that_waits_is_not_tried_before_its_time():
    append("LYON", 1)
    drain(Courier(failing={"LYON"}))
    courier = Courier()
    assert drain(courier) == 0
    make_everything_due()
    assert drain(courier) == 1


def test_what_another_process_is_delivering_is_left_alone_until_its_claim_runs_out():
    message = append("LYON", 1)
    append("LYON", 2)
    OutboxMessage.objects.filter(pk=message.pk).update(claimed_until=timezone.now() + timedelta(seconds=30))
    courier = Courier()
    assert drain(courier) == 0
    OutboxMessage.objects.filter(pk=message.pk).update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert drain(courier) == 2
    assert courier.delivered == [("LYON", 1), ("LYON", 2)]


def test_what_a_killed_process_was_delivering_goes_out_at_once_when_its_claim_is_taken_back():
    append("LYON", 1)
    append("LYON", 2)
    OutboxMessage.objects.filter(revision=1).update(claimed_until=timezone.now() + timedelta(seconds=60), attempts=1)
    courier = Courier()
    assert drain(courier) == 0
    assert outbox_release_claims() == 1
    assert drain(courier) == 2
    assert courier.delivered == [("LYON", 1), ("LYON", 2)]


def broken(message):
    raise RuntimeError("no such column")


def test_a_fault_in_the_deliverer_is_seen_and_loses_nothing():
    append("PARIS", 1)
    with pytest.raises(RuntimeError):
        drain(broken)
    message = OutboxMessage.objects.get()
    assert message.claimed_until is None
    assert message.last_error == "RuntimeError: no such column"


def test_an_end_waits_for_the_delivery_that_is_under_way_and_leaves_the_rest():
    append("LYON", 1)
    append("PARIS", 1)
    deliveries, ends = Deliveries(), []

    def deliver(message):
        assert not deliveries.end(0.01)
        ends.append(Thread(target=lambda: ends.append(deliveries.end(60))))
        ends[0].start()

    assert outbox_drain(deliver, deliveries) == 1
    ends[0].join(60)
    assert ends[1] is True
    assert [message.instance_name for message in OutboxMessage.objects.all()] == ["PARIS"]
    assert OutboxMessage.objects.get().claimed_until is None


def test_a_delivery_that_fails_is_no_longer_under_way():
    append("LYON", 1)
    deliveries = Deliveries()
    with pytest.raises(RuntimeError):
        outbox_drain(broken, deliveries)
    assert deliveries.end(0)
    assert outbox_drain(Courier(), deliveries) == 0


def test_nothing_to_deliver_ends_at_once():
    deliveries = Deliveries()
    assert outbox_drain(Courier(), deliveries) == 0
    assert deliveries.end(0)
