"""What is wanted reaches the engine, in order, and what the engine has is written down honestly."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.common.outbox.services import outbox_append
from brokerweb.topology.models import Instance
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services import publish
from brokerweb.topology.services.instance import broker_switch, endpoint_set_state
from brokerweb.topology.services.route import route_create
from engine import api as engine
from tests.brokerweb.conftest import is_applied
from tests.support.waiting import until


@pytest.fixture
def ventes(live_estate):
    return DatabasePlace(live_estate.name, "PARIS", "Ventes")


def revision_of(estate, name="PARIS"):
    return engine.read_view(estate.name, name, 0).revision


def row(estate, name="PARIS"):
    return Instance.objects.get(estate=estate, name=name)


def new_route(place, name):
    clauses = {"name": name, "address": "LOCAL"}
    return route_create(place, user=None, expected_revision=None, clauses=clauses)


def test_a_decision_reaches_the_instance_by_itself(live_estate, ventes):
    revision = new_route(ventes, "une")
    until(lambda: is_applied(live_estate), "PARIS has the route")
    assert revision_of(live_estate) == revision == 2
    assert revision_of(live_estate, "LYON") == 1
    until(lambda: not OutboxMessage.objects.exists(), "what was delivered is gone from the outbox")


def test_many_decisions_arrive_in_their_order(live_estate, ventes):
    for number in range(20):
        new_route(ventes, f"r{number}")
    until(lambda: is_applied(live_estate), "PARIS has all of them")
    assert revision_of(live_estate) == 21


def test_a_started_and_stopped_endpoint_is_so_in_the_engine(live_estate, ventes):
    endpoint_set_state(ventes.instance_place, "STOPPED", user=None)
    until(lambda: is_applied(live_estate), "the endpoint is stopped")
    view = engine.read_view(live_estate.name, "PARIS", 0)
    assert view.endpoint_state is engine.EndpointState.STOPPED
    assert view.listening_port is None


def test_what_the_engine_missed_is_sent_again_out_of_the_history(live_estate, ventes):
    new_route(ventes, "une")
    until(lambda: is_applied(live_estate), "PARIS has the route")
    engine.close_instance(live_estate.name, "PARIS", forgets=True)
    broker_switch(ventes, is_enabled=False, user=None)
    until(lambda: is_applied(live_estate), "PARIS is rebuilt from nothing")
    assert revision_of(live_estate) == 3
    (database,) = [each for each in engine.read_view(live_estate.name, "PARIS", 0).databases if each.name == "Ventes"]
    assert database.is_broker_enabled is False


def test_a_store_that_is_gone_is_said_and_no_empty_one_is_made_by_the_next_decision(
    live_estate, ventes, running_engine, api_as
):
    running_engine.stop()
    [path] = settings.ENVIRONMENT.engine_directory.glob(f"{live_estate.name}/PARIS.sqlite3")
    kept = {each: each.read_bytes() for each in path.parent.glob("PARIS.sqlite3*")}
    for each in kept:
        each.unlink()
    running_engine.start()
    try:
        new_route(ventes, "une")
        waiting = OutboxMessage.objects.filter(last_error__contains="5120")
        until(waiting.exists, "the outbox says why it waits")
        assert not path.exists()
        api = api_as(Role.VIEWER)

        def hosting():
            rows = api.ask("GET", f"/estates/{live_estate.name}/hosting").json()
            return next(each for each in rows if each["instance"] == "PARIS")

        until(lambda: hosting()["state"] == "failed", "the table of hosts has it")
        assert "5120: The store of instance 'PARIS' is gone" in hosting()["failure"]
    finally:
        for each, content in kept.items():
            each.write_bytes(content)
    make_everything_due()
    publish.publish_pending()
    until(lambda: is_applied(live_estate), "PARIS has the route")
    assert revision_of(live_estate) == 2


def test_without_an_engine_a_decision_is_drift_and_goes_out_when_it_is_back(
    live_estate, ventes, running_engine, monkeypatch
):
    running_engine.stop()
    try:
        new_route(ventes, "une")
        with monkeypatch.context() as patience:
            patience.setattr(publish, "DELIVERY_SECONDS", 0.3)
            publish.publish_pending()
        instance = row(live_estate)
        assert (instance.desired_revision, instance.applied_revision) == (2, 1)
        message = OutboxMessage.objects.get()
        assert "did not answer" in message.last_error
        assert message.attempts == 1
    finally:
        running_engine.start()
    make_everything_due()
    publish.publish_pending()
    until(lambda: is_applied(live_estate), "PARIS has the route")
    assert revision_of(live_estate) == 2


def test_a_message_for_an_instance_that_is_gone_does_not_come_back(live_estate):
    outbox_append(estate_name=live_estate.name, instance_name="ROME", base_revision=0, revision=9, changes=[])
    publish.publish_pending()
    until(lambda: not OutboxMessage.objects.exists(), "the message is gone")


def test_a_change_that_the_engine_refuses_is_kept_and_said_at_the_instance(live_estate):
    change = {"change": "route-dropped", "database": "Ventes", "name": "jamais vue"}
    Instance.objects.filter(estate=live_estate, name="PARIS").update(desired_revision=2)
    outbox_append(estate_name=live_estate.name, instance_name="PARIS", base_revision=1, revision=2, changes=[[change]])
    publish.publish_pending()
    until(lambda: row(live_estate).apply_error != "", "PARIS has refused")
    instance = row(live_estate)
    assert instance.applied_revision == 1
    assert instance.apply_error.startswith("15151: ")
    until(lambda: OutboxMessage.objects.get().last_error == instance.apply_error, "the message says so too")


def test_an_engine_that_is_ahead_of_a_restored_database_is_said_to_be(live_estate, ventes):
    new_route(ventes, "une")
    until(lambda: is_applied(live_estate), "PARIS has revision 2")
    Instance.objects.filter(estate=live_estate, name="PARIS").update(desired_revision=1, applied_revision=1)
    outbox_append(estate_name=live_estate.name, instance_name="PARIS", base_revision=0, revision=1, changes=[])
    publish.publish_pending()
    until(lambda: "later than the wanted revision" in row(live_estate).apply_error, "PARIS is known to be ahead")


def make_everything_due():
    OutboxMessage.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
