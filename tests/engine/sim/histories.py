"""Entries of made-up histories."""

from uuid import UUID

import msgspec

from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.exchange.changes import (
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    PutCatalog,
    PutEndpoint,
    TrimTransmission,
)
from engine.core.exchange.commands import RestoreDatabase, Send
from engine.core.exchange.replies import MessageSent
from engine.core.vocabulary.messages import (
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    MessageKind,
    TcpAddress,
)
from engine.core.vocabulary.rows import (
    ConversationEndpoint,
    ConversationState,
    DatabaseRows,
    QueueRow,
    QueueRowStatus,
    TransmissionRow,
)
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.history import Arrived, Committed, Issued, Replied, Transmitted
from engine.sim.scenario import catalog_of
from engine.sim.workload.bodies import Letter, write
from tests.engine.sim.worlds import CONVERSATION, HANDLE, HERE, OTHER_HANDLE, pair

ASKS, ANSWERS = ("PARIS", "Ventes", HANDLE), ("LYON", "Stock", OTHER_HANDLE)
LYON = TcpAddress("lyon", 4022)
CATALOGS = {spec.name: catalog_of(spec, SeededEntropy(Dice(1, "test"))) for spec in pair().instances}


def committed(instance, *changes):
    return Committed(at=1.0, instance=instance, changes=changes, events=())


def worlds_begin():
    return [committed(name, PutCatalog(catalog=catalog)) for name, catalog in CATALOGS.items()]


def endpoint(side, *, is_initiator, far=None, **fields):
    row = {
        "conversation_handle": side[2],
        "conversation_id": CONVERSATION,
        "is_initiator": is_initiator,
        "conversation_group_id": UUID(int=99),
        "service": "Client",
        "contract": "DEFAULT",
        "state": ConversationState.CONVERSING,
        "far_service": "Entrepôt",
        "far_broker_instance": far,
        "lifetime": 1e12,
        **fields,
    }
    return committed(side[0], PutEndpoint(database=side[1], endpoint=ConversationEndpoint(**row)))


def stored(number, body=b"x", kind=MessageKind.USER, side=ASKS):
    row = TransmissionRow(
        conversation_handle=side[2],
        message_sequence_number=number,
        kind=kind,
        message_type_name="DEFAULT",
        message_body=body,
        enqueue_time=1.0,
    )
    return committed(side[0], AppendTransmission(database=side[1], row=row))


def trimmed(through, side=ASKS):
    return committed(side[0], TrimTransmission(database=side[1], conversation_handle=side[2], through=through))


def queue_row(number, body=b"x", *, order=None, status=QueueRowStatus.READY, side=ANSWERS, message_type="DEFAULT"):
    return QueueRow(
        queuing_order=number if order is None else order,
        status=status,
        priority=5,
        conversation_group_id=UUID(int=98),
        conversation_handle=side[2],
        message_sequence_number=number,
        service_name="Entrepôt",
        service_contract_name="DEFAULT",
        message_type_name=message_type,
        message_body=body,
        message_enqueue_time=1.0,
    )


def delivered(number, body=b"x", side=ANSWERS, **fields):
    row = queue_row(number, body, side=side, **fields)
    return committed(side[0], AppendQueue(database=side[1], queue="dbo.Entrepôt", row=row))


def transit(kind=MessageKind.USER, number=0, *, hops=16, consumed=0.0, source=HERE, target=None, **fields):
    message = DialogMessage(
        conversation_id=CONVERSATION,
        from_initiator=source == HERE,
        source=DialogTarget("Client", source),
        target=DialogTarget("Entrepôt", target),
        kind=kind,
        sequence=number,
        contract="DEFAULT",
        expires_at=1e12,
        **fields,
    )
    return ForwardedMessage(message=message, hops_remaining=hops, time_to_live=60.0, time_consumed=consumed)


def sent(instance="PARIS", **fields):
    return Transmitted(at=2.0, instance=instance, address=LYON, message=transit(**fields))


def came(instance, **fields):
    return Arrived(at=2.0, instance=instance, message=transit(**fields))


def said(number, side=ASKS, position=None):
    send = Send(
        command_id=UUID(int=100 + number),
        database=side[1],
        conversation_handle=side[2],
        body=write(Letter(side[2], number, ()), 60),
    )
    reply = MessageSent(message_sequence_number=number if position is None else position)
    return [
        Issued(at=1.0, instance=side[0], command=send),
        Replied(at=1.0, instance=side[0], command=send, reply=reply),
    ]


def restored(side, option=AttachOption.ERROR_BROKER_CONVERSATIONS):
    """The database of a side goes back to a time in which it was empty."""
    instance, name, _ = side
    catalog = CATALOGS[instance]
    backup = DatabaseBackup(definition=catalog.databases[name], rows=DatabaseRows(name=name), taken_at=1.0)
    order = RestoreDatabase(command_id=UUID(int=1), base=0, revision=1, database=name, backup=backup, option=option)
    back = committed(instance, DropDatabaseRows(database=name), PutCatalog(catalog=catalog))
    return [Issued(at=2.0, instance=instance, command=order), msgspec.structs.replace(back, at=2.0)]


BOTH_ENDS = [endpoint(ASKS, is_initiator=True), endpoint(ANSWERS, is_initiator=False, far=HERE)]
