"""Orders of a worker to itself: which queues it takes."""

import pytest

from engine.hosting import client
from engine.hosting.app import celery_app
from engine.hosting.embedded import EmbeddedEngine
from tests.engine.hosting.two_instances import ESTATE, PARIS


def test_a_queue_whose_order_the_broker_did_not_carry_is_consumed_all_the_same(
    engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
):
    """A connection that was idle for long is closed by many a broker, and the next word on it is lost."""
    carried, refused = celery_app.control.broadcast, []

    def once(*arguments, **options):
        if not refused:
            refused.append(arguments[0])
            raise ConnectionResetError("the broker has closed an idle connection")
        return carried(*arguments, **options)

    monkeypatch.setattr(celery_app.control, "broadcast", once)
    client.open_instance(ESTATE, PARIS)
    assert client.read_view(ESTATE, PARIS, 1).name == PARIS
    assert refused == ["engine_consume"]
