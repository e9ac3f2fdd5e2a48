"""Dialogs of an instance with itself over a real TCP connection to its own address (routing.md 9, E25)."""

from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest

from engine.core.exchange.commands import BeginDialog, Receive, Send
from engine.core.exchange.events import MessageSentDirectly
from engine.core.vocabulary.rows import QueueRow
from engine.hosting import client
from tests.engine.hosting.proved_estate import ProvedInstance
from tests.engine.hosting.two_instances import ESTATE, LYON, PARIS, QUEUE, ask
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("engine", "keys")

VENTES, COMPTA, CLIENT, INVOICES = "ventes", "compta", "//exemple/Commandes", "//exemple/Factures"
MESSAGES = 50

_SIDE = """
CREATE DATABASE {database};
GO
USE {database};
CREATE QUEUE dbo.Courrier;
CREATE SERVICE [{service}] ON QUEUE dbo.Courrier ([DEFAULT]);
CREATE ROUTE Boucle WITH SERVICE_NAME = N'{far}', ADDRESS = 'TCP://{host}:4022';
"""


def instance(name: str, owner: str = "dbo") -> ProvedInstance:
    """An instance with both services and a started endpoint, which shows a certificate of `owner`."""
    found = ProvedInstance(name)
    found.run(_SIDE.format(database=VENTES, service=CLIENT, far=INVOICES, host="localhost"))
    found.run(_SIDE.format(database=COMPTA, service=INVOICES, far=CLIENT, host=name.lower()))
    found.run(
        "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Geheim-1';"
        "CREATE LOGIN moi WITH PASSWORD = 'Geheim-2', CHECK_POLICY = OFF; CREATE USER moi FOR LOGIN moi;"
        f"CREATE CERTIFICATE [own] AUTHORIZATION {owner} WITH SUBJECT = '{name}', EXPIRY_DATE = '2040-01-01';"
    )
    found.listen()
    return found


def converse(paris: ProvedInstance) -> None:
    """Many messages there, an answer to each of them back; all are acknowledged."""
    dialog = begin()
    for number in range(MESSAGES):
        say(VENTES, dialog, number)
    until(lambda: waiting() == 0, "every question is acknowledged")
    questions = receive(COMPTA)
    for row in questions:
        say(COMPTA, row.conversation_handle, int(row.message_body))
    until(lambda: waiting() == 0, "every answer is acknowledged")
    assert [int(row.message_body) for row in questions] == list(range(MESSAGES))
    assert [int(row.message_body) for row in receive(VENTES)] == list(range(MESSAGES))
    events = client.events_after(ESTATE, paris.name, 0, 100_000)
    assert not any(isinstance(event, MessageSentDirectly) for _, event in events)


def begin() -> UUID:
    begun = ask(PARIS, BeginDialog(command_id=uuid4(), database=VENTES, from_service=CLIENT, to_service=INVOICES))
    return begun.conversation_handle


def say(database: str, handle: UUID, number: int) -> None:
    ask(PARIS, Send(command_id=uuid4(), database=database, conversation_handle=handle, body=str(number).encode()))


def receive(database: str) -> Sequence[QueueRow]:
    return ask(PARIS, Receive(command_id=uuid4(), database=database, queue=QUEUE, top=1000)).messages


def waiting() -> int:
    return sum(each.transmission_queue_total for each in client.read_view(ESTATE, PARIS, 1000).databases)


def test_9_a_loop_back_dialog_goes_over_a_connection_of_the_instance_to_itself():
    """LYON has the same port, so that only the caller can say whom loopback means."""
    instance(LYON)
    paris = instance(PARIS)
    converse(paris)
    ends = paris.connections()
    assert {end["principal_name"] for end in ends} == {"dbo"}
    assert len(ends) == 2, "both ends of one connection, which serves every own address"


def test_9_an_endpoint_that_starts_again_takes_up_what_waited():
    paris = instance(PARIS)
    converse(paris)
    paris.run("ALTER ENDPOINT Broker STATE = STOPPED;")
    say(VENTES, begin(), 7)
    assert waiting() == 1
    paris.run("ALTER ENDPOINT Broker STATE = STARTED;")
    until(lambda: waiting() == 0, "what waited has arrived")
    assert [int(row.message_body) for row in receive(COMPTA)] == [7]


def test_7_3_an_instance_needs_connect_on_its_own_endpoint():
    """Its certificate belongs to a user that has none; `dbo` needs no grant."""
    paris = instance(PARIS, owner="moi")
    say(VENTES, begin(), 7)
    until(lambda: any(login.number == 28034 for login in paris.logins()), "PARIS refuses itself")
    assert waiting() == 1
    paris.run("GRANT CONNECT ON ENDPOINT::Broker TO moi;")
    until(lambda: waiting() == 0, "what waited has arrived")
    assert {end["principal_name"] for end in paris.connections()} == {"moi"}
