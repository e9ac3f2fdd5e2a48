"""Who may send to a service, decided and felt between hosted instances over real TCP (protocol.md 9.3)."""

from uuid import uuid4

import pytest

from engine.core.catalog.changes import ServiceAltered
from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import User
from engine.core.catalog.security_changes import PermissionSet, UserCreated
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.exchange.commands import Receive
from engine.core.exchange.events import ConversationAudited, MessageUndeliverable
from engine.core.exchange.replies import MessagesReceived
from engine.core.vocabulary.identifiers import CommandId
from engine.core.vocabulary.rows import ConversationState
from engine.core.vocabulary.subclasses import AuditFailure
from engine.hosting import client
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    QUEUE,
    STOCK,
    VENTES,
    WAREHOUSE,
    apply,
    ask,
    begin_dialog,
    database,
    define,
    ready_at_lyon,
    receive_all,
    send,
    waiting_at_paris,
)
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("engine")


def permission(verb: str, grantee: str, securable: Securable = Securable.SERVICE) -> PermissionSet:
    name = WAREHOUSE if securable is Securable.SERVICE else QUEUE
    return PermissionSet(database=STOCK, securable=securable, name=name, verb=PermissionVerb(verb), grantee=grantee)


def told_at_lyon(kind: type) -> list[object]:
    return [event for _, event in client.events_after(ESTATE, LYON, 0, 10_000) if isinstance(event, kind)]


def test_9_3_send_is_taken_from_public_and_given_back():
    define()
    apply(LYON, 2, permission("REVOKE", "public"))
    send(begin_dialog(), 1)
    until(
        lambda: [each.state for each in database(PARIS).conversation_endpoints] == [ConversationState.ERROR],
        "PARIS hears that it may not send",
    )
    reply = ask(PARIS, Receive(command_id=CommandId(uuid4()), database=VENTES, queue=QUEUE))
    assert isinstance(reply, MessagesReceived)
    [error] = reply.messages
    assert "<Code>-8494</Code>" in (error.message_body or b"").decode("utf-16")
    assert {event.number for event in told_at_lyon(MessageUndeliverable)} == {11215}

    apply(LYON, 3, permission("GRANT", "public"))
    send(begin_dialog(), 2)
    until(lambda: ready_at_lyon() == 1, "the second dialog is let in")
    assert receive_all() == [2]


def test_9_3_a_message_waits_at_its_sender_until_the_target_may_receive():
    define()
    apply(
        LYON,
        2,
        UserCreated(database=STOCK, user=User("Magasinier")),
        ServiceAltered(database=STOCK, name=WAREHOUSE, owner="Magasinier"),
        permission("REVOKE", "public", Securable.QUEUE),
    )
    send(begin_dialog(), 1)
    until(lambda: bool(told_at_lyon(ConversationAudited)), "LYON says that its user may not receive")
    assert {(each.failure, each.number) for each in told_at_lyon(ConversationAudited)} == {
        (AuditFailure.RUN_AS_TARGET_FAILURE, 8401)
    }
    assert waiting_at_paris() == 1
    apply(LYON, 3, permission("GRANT", "Magasinier", Securable.QUEUE))
    until(lambda: ready_at_lyon() == 1, "the message comes again and is taken in")
    until(lambda: waiting_at_paris() == 0, "and is acknowledged")
    assert receive_all() == [1]
