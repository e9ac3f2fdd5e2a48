"""Connections between hosted instances that prove themselves with certificates, over real TCP (protocol.md 7.3)."""

import pytest

from engine.core.exchange.events import MessageDelivered
from engine.core.trace.classes import TraceClass
from engine.core.trace.rows import trace_rows
from engine.core.vocabulary.identifiers import MASTER
from engine.hosting import client
from engine.hosting.embedded import EmbeddedEngine
from tests.engine.hosting.proved_estate import HUB, ProvedInstance, defined, pair, statuses
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PACE,
    PARIS,
    begin_dialog,
    ready_at_lyon,
    receive_all,
    send,
    waiting_at_paris,
)
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("engine", "keys")


def exchange(count: int = 1) -> None:
    handle = begin_dialog()
    for number in range(count):
        send(handle, number)
    until(lambda: waiting_at_paris() == 0, "every message is acknowledged")


def refused_at(instance: ProvedInstance) -> tuple[int, int | None]:
    login = instance.logins()[-1]
    return login.subclass, login.number


def test_7_3_two_instances_prove_themselves_and_both_show_who_the_other_is():
    paris, lyon = pair()
    exchange()
    for here, there in ((paris, lyon), (lyon, paris)):
        (connection,) = here.connections()
        certificates = {row["name"]: row for row in here.rows("sys.certificates", MASTER)}
        theirs = certificates[f"{there.name} own"]
        assert connection["authentication_method"] == "CERTIFICATE"
        assert connection["principal_name"] == f"{there.name} user"
        assert connection["peer_certificate_id"] == theirs["certificate_id"]
        assert connection["encryption_algorithm_desc"] == "AES"
        assert theirs["pvt_key_encryption_type"] == "NA"
        assert theirs["cert_serial_number"] == there.certificate().reference.serial
        (endpoint,) = here.rows("sys.service_broker_endpoints")
        assert (endpoint["connection_auth"], endpoint["connection_auth_desc"]) == (4, "CERTIFICATE")
        assert endpoint["certificate_id"] == certificates["own"]["certificate_id"]
        assert certificates["own"]["pvt_key_encryption_type"] == "MK"
        (login,) = here.logins()
        assert (login.subclass, login.principal, login.method) == (1, f"{there.name} user", "CERTIFICATE")
        assert (login.own_methods, login.peer_methods) == ("CERTIFICATE", "CERTIFICATE")


def test_7_3_a_forwarder_proves_itself_to_both_and_they_need_not_know_each_other():
    paris, hub, lyon = defined(PARIS, neighbour="hub"), defined(HUB), defined(LYON, neighbour="hub")
    for instance in (paris, hub, lyon):
        instance.listen()
    for one, other in ((paris, hub), (hub, paris), (hub, lyon), (lyon, hub)):
        one.know(other)
    exchange(20)
    assert receive_all() == list(range(20))
    assert {each["principal_name"] for each in hub.connections()} == {"PARIS user", "LYON user"}
    assert {each["principal_name"] for each in (*paris.connections(), *lyon.connections())} == {"HUB user"}


def test_7_3_a_peer_whose_certificate_is_unknown_waits_until_it_is_made_known():
    paris, lyon = defined(PARIS, neighbour="lyon"), defined(LYON, neighbour="paris")
    paris.listen()
    lyon.listen()
    paris.know(lyon)
    send(begin_dialog(), 1)
    until(lambda: statuses() == {9751}, "PARIS is told why its message waits")
    assert refused_at(lyon) == (5, 28036)
    assert "PARIS own" in lyon.logins()[-1].text
    lyon.know(paris)
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")


def test_7_3_the_dialling_end_does_not_talk_to_somebody_it_does_not_know_either():
    paris, lyon = defined(PARIS, neighbour="lyon"), defined(LYON, neighbour="paris")
    paris.listen()
    lyon.listen()
    lyon.know(paris)
    send(begin_dialog(), 1)
    until(lambda: statuses() == {28036}, "PARIS says that it does not know LYON")
    assert ready_at_lyon() == 0


def test_7_3_without_connect_a_known_peer_waits_until_it_is_granted():
    paris, lyon = defined(PARIS, neighbour="lyon"), defined(LYON, neighbour="paris")
    paris.listen()
    lyon.listen()
    paris.know(lyon)
    lyon.know(paris, grants=False)
    send(begin_dialog(), 1)
    until(lambda: statuses() == {9752}, "PARIS is told why its message waits")
    assert refused_at(lyon) == (6, 28034)
    lyon.grant(paris)
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")


def test_7_3_with_connect_granted_to_public_a_stranger_is_let_in_and_a_denial_keeps_everybody_out():
    paris, lyon = defined(PARIS, neighbour="lyon"), defined(LYON, neighbour="paris")
    paris.listen()
    lyon.listen()
    paris.run("GRANT CONNECT ON ENDPOINT::Broker TO public;")
    lyon.run("GRANT CONNECT ON ENDPOINT::Broker TO public;")
    exchange()
    (connection,) = lyon.connections()
    assert (connection["principal_name"], connection["peer_certificate_id"]) == ("public", None)
    lyon.run(
        "DENY CONNECT ON ENDPOINT::Broker TO public; ALTER ENDPOINT Broker FOR SERVICE_BROKER (ENCRYPTION = REQUIRED);"
    )
    send(begin_dialog(), 2)
    until(lambda: statuses() == {9751}, "PARIS is a stranger that may not connect")


@pytest.mark.parametrize(
    "dates",
    [
        "START_DATE = '2020-01-01', EXPIRY_DATE = '2021-01-01'",
        "START_DATE = '2090-01-01', EXPIRY_DATE = '2091-01-01'",
    ],
    ids=["expired", "not valid yet"],
)
def test_7_3_a_certificate_outside_its_dates_is_not_accepted_and_one_within_is(dates: str):
    paris, lyon = pair()
    paris.certify("other", clause=dates)
    lyon.know(paris, "other")
    paris.run("ALTER ENDPOINT Broker FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE [other]);")
    send(begin_dialog(), 1)
    until(lambda: statuses() == {9751}, "PARIS is told why its message waits")
    assert refused_at(lyon) == (5, 28035)
    paris.run("ALTER ENDPOINT Broker FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE [own]);")
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")


def test_159_a_wrong_certificate_is_traced_with_class_subclass_and_number_and_brings_no_message():
    _, lyon = pair()
    lyon.run("DROP CERTIFICATE [PARIS own];")
    handle = begin_dialog()
    for number in range(20):
        send(handle, number)
    until(lambda: statuses() == {9751}, "PARIS is told why its messages wait")
    events = [event for _, event in client.events_after(ESTATE, LYON, 0, 100_000)]
    traced = [row for event in events for row in trace_rows(event) if row.event_class is TraceClass.AUDIT_BROKER_LOGIN]
    assert {(int(row.event_class), row.subclass_name) for row in traced} == {(159, "Authentication Failure")}
    assert {refused_at(lyon)} == {(5, 28036)}
    assert not [event for event in events if isinstance(event, MessageDelivered)]
    assert (ready_at_lyon(), waiting_at_paris(), lyon.connections()) == (0, 20, [])
    for row in lyon.rows("sys.dm_broker_connections"):
        assert row["total_fragments_received"] == 0


def test_7_3_an_endpoint_with_certificates_and_one_with_windows_have_nothing_in_common_until_one_says_both():
    paris, lyon = pair()
    paris.run("ALTER ENDPOINT Broker FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS);")
    send(begin_dialog(), 1)
    until(lambda: statuses() == {9758}, "PARIS is told why its message waits")
    assert refused_at(lyon) == (4, 28027)
    login = lyon.logins()[-1]
    assert (login.own_methods, login.peer_methods) == ("CERTIFICATE", "VOUCHED")
    paris.run("ALTER ENDPOINT Broker FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS CERTIFICATE [OWN]);")
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")
    assert lyon.connections()[0]["authentication_method"] == "CERTIFICATE"


def test_11296_a_certificate_is_changed_under_way_and_no_message_is_lost():
    paris, lyon = pair()
    handle = begin_dialog()
    for number in range(200):
        send(handle, number)
        if number == 60:
            paris.certify("next")
            lyon.know(paris, "next")
        elif number == 120:
            paris.run("ALTER ENDPOINT Broker FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE [next]);")
        elif number == 160:
            paris.run("DROP CERTIFICATE [own];")
            lyon.run("DROP CERTIFICATE [PARIS own];")
    until(lambda: waiting_at_paris() == 0, "every message is acknowledged")
    assert receive_all() == list(range(200))
    certificates = {row["name"]: row["certificate_id"] for row in lyon.rows("sys.certificates", MASTER)}
    assert [each["peer_certificate_id"] for each in lyon.connections()] == [certificates["PARIS next"]]


def test_11296_a_certificate_made_anew_under_its_name_restarts_the_connections():
    paris, lyon = pair()
    exchange()
    before = len(lyon.logins())
    paris.run(
        "ALTER ENDPOINT Broker FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS); DROP CERTIFICATE [own];"
        "CREATE CERTIFICATE [own] WITH SUBJECT = 'PARIS anew', EXPIRY_DATE = '2040-01-01';"
        "ALTER ENDPOINT Broker FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE [own]);"
    )
    send(begin_dialog(), 1)
    until(lambda: statuses() == {9751}, "LYON does not know the new certificate")
    lyon.run("DROP CERTIFICATE [PARIS own];")
    lyon.know(paris)
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")
    assert len(lyon.logins()) > before


def test_7_3_a_permission_that_is_taken_back_counts_from_the_next_connection_on():
    paris, lyon = pair()
    handle = begin_dialog()
    send(handle, 0)
    until(lambda: waiting_at_paris() == 0, "the first message is acknowledged")
    lyon.grant(paris, "REVOKE", "FROM")
    send(handle, 1)
    until(lambda: waiting_at_paris() == 0, "the connection stays")
    lyon.run("ALTER ENDPOINT Broker FOR SERVICE_BROKER (MESSAGE_FORWARD_SIZE = 11);")
    send(handle, 2)
    until(lambda: statuses() == {9752}, "it is not opened again")
    assert refused_at(lyon) == (6, 28034)
    lyon.grant(paris)
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")
    assert receive_all() == [0, 1, 2]


def test_an_instance_that_is_opened_anew_proves_itself_with_what_its_store_holds(engine: EmbeddedEngine):
    paris, lyon = pair()
    exchange()
    for instance in (paris, lyon):
        client.close_instance(ESTATE, instance.name)
        client.open_instance(ESTATE, instance.name, pace=PACE)
    exchange()
    assert lyon.connections()[0]["principal_name"] == "PARIS user"
