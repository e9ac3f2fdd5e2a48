"""AUTHENTICATION and ENCRYPTION of endpoints between two hosted instances, over real TCP (protocol.md 7.3)."""

from engine.core.catalog.changes import EndpointAltered
from engine.core.exchange.events import BrokerEvent, BrokerLoginAudited
from engine.core.vocabulary.messages import LoginEnded
from engine.hosting import client
from engine.hosting.embedded import EmbeddedEngine
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    VENTES,
    apply,
    begin_dialog,
    define,
    ready_at_lyon,
    send,
    waiting_at_paris,
)
from tests.support.waiting import until


def events(instance: str) -> list[BrokerEvent]:
    return [event for _, event in client.events_after(ESTATE, instance, 0, 10_000)]


def logins(instance: str) -> list[LoginEnded]:
    return [event.login for event in events(instance) if isinstance(event, BrokerLoginAudited)]


def statuses() -> set[int | None]:
    [ventes] = [each for each in client.read_view(ESTATE, PARIS, 100).databases if each.name == VENTES]
    return {row.transmission_status_number for row in ventes.transmission_queue}


def test_7_3_endpoints_that_do_not_fit_keep_messages_at_home_until_one_is_altered(engine: EmbeddedEngine):
    define()
    apply(LYON, 2, EndpointAltered(name="Broker", encryption="DISABLED"))
    send(begin_dialog(), 1)
    until(lambda: statuses() == {9758}, "PARIS is told why its message waits")
    refused = logins(LYON)[0]
    assert (refused.subclass, refused.is_accept, refused.number) == (4, True, 28027)
    assert logins(PARIS)[0].subclass == 4

    apply(LYON, 3, EndpointAltered(name="Broker", encryption="SUPPORTED ALGORITHM AES"))
    until(lambda: ready_at_lyon() == 1, "the message has arrived")
    until(lambda: waiting_at_paris() == 0, "it is acknowledged")
    succeeded = logins(PARIS)[-1]
    assert (succeeded.subclass, succeeded.peer, succeeded.protection) == (1, LYON, "AES")
    assert succeeded.login_state == "ONLINE"


def test_11295_an_endpoint_that_is_altered_restarts_its_connections_and_messages_go_on(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    send(handle, 1)
    until(lambda: waiting_at_paris() == 0, "the first message is acknowledged")
    before = len(logins(LYON))
    apply(LYON, 2, EndpointAltered(name="Broker", encryption="SUPPORTED ALGORITHM AES"))
    send(handle, 2)
    until(lambda: ready_at_lyon() == 2, "the second one has arrived")
    assert len(logins(LYON)) > before
