"""RECEIVE and GET CONVERSATION GROUP: the messages of one group leave, or its lock is taken (protocol.md 12)."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from engine.core.catalog.names import spelling_in, with_schema
from engine.core.exchange.commands import GetConversationGroup, Receive
from engine.core.exchange.events import MessagesTaken
from engine.core.exchange.replies import ConversationGroupFound, MessagesReceived
from engine.core.handlers import activation, waiting
from engine.core.handlers.broker import Broker
from engine.core.handlers.session import Session, database_of
from engine.core.queues.transactions import MessagesToTake
from engine.core.vocabulary.errors import LimitExceeded, LocalProtocolError
from engine.core.vocabulary.identifiers import ConversationGroupId, DatabaseName, QueueName
from engine.core.vocabulary.limits import RECEIVE_MESSAGES_MAX
from engine.core.vocabulary.rows import QueueRow


def receive(broker: Broker, command: Receive) -> MessagesReceived | None:
    """Take up to `top` messages of the best group, or of the group or conversation asked for.

    None for a WAITFOR that has found nothing: it waits, and when something comes it is tried again.
    """
    name = _queue_to_read(broker, command)
    if not 0 < command.top <= RECEIVE_MESSAGES_MAX:
        raise LimitExceeded(1060, value=command.top, limit=RECEIVE_MESSAGES_MAX)
    session = Session(broker, command)
    session.check_room()
    _check_filter(session, command, name)
    queue = broker.queue(command.database, name)
    rows = queue.next_messages(
        command.top, command.conversation_handle, command.conversation_group_id, session.reader()
    )
    if command.waitfor_milliseconds is not None and waiting.goes_on(broker, session, command, name, found=bool(rows)):
        return None
    broker.counters.sql_receives += 1
    has_filter = command.conversation_handle is not None or command.conversation_group_id is not None
    activation.received(broker, command.database, name, is_empty=not rows, has_filter=has_filter)
    if not rows:
        return MessagesReceived(messages=())
    received = _take(broker, session, command.database, name, rows)
    while command.many_groups and len(received) < command.top and session.has_room():
        rows = queue.next_messages(command.top - len(received), reader=session.reader())
        if not rows:
            break
        received += _take(broker, session, command.database, name, rows)
    return MessagesReceived(messages=received)


def _take(
    broker: Broker, session: Session, database: DatabaseName, name: QueueName, rows: list[QueueRow]
) -> tuple[QueueRow, ...]:
    """Messages of one group leave the queue, now or at the commit."""
    taken = MessagesToTake(database, name, tuple(rows))
    if session.transaction is None:
        take_away(broker, taken)
    else:
        session.lock(session.reader().group_of(rows[0].conversation_handle, rows[0].conversation_group_id))
        session.hold_back(taken)
        broker.queue(database, name).take(row.queuing_order for row in rows)
    return taken.rows


def take_away(broker: Broker, taken: MessagesToTake) -> None:
    """A RECEIVE commits: its messages leave the queue that they are in now."""
    orders: dict[QueueName, list[int]] = {}
    for handle, of_one in groupby(taken.rows, key=attrgetter("conversation_handle")):
        endpoint = broker.conversations.get((taken.database, handle))
        if endpoint is not None:
            name, _ = broker.queue_of(endpoint)
            orders.setdefault(name, []).extend(row.queuing_order for row in of_one)
    for name, places in orders.items():
        broker.consume(taken.database, name, places)
        broker.poison.forget(taken.database, name)
        broker.activity.stir(taken.database, name)
        broker.tell(MessagesTaken(at=broker.now.utc, database=taken.database, queue=name, count=len(places)))


def get_conversation_group(broker: Broker, command: GetConversationGroup) -> ConversationGroupFound | None:
    """The group that a RECEIVE would read next, locked if there is a transaction; as `receive`, it may wait for one."""
    name = _queue_to_read(broker, command)
    session = Session(broker, command)
    session.check_room()
    group = broker.queue(command.database, name).best_group(session.reader())
    found = group is not None
    if command.waitfor_milliseconds is not None and waiting.goes_on(broker, session, command, name, found=found):
        return None
    activation.received(broker, command.database, name, is_empty=group is None, has_filter=False)
    if group is not None:
        session.lock(group)
    return ConversationGroupFound(conversation_group_id=group)


def _queue_to_read(broker: Broker, command: Receive | GetConversationGroup) -> QueueName:
    """The queue as the catalog spells it; 15151 when there is none, 9617 when it is off."""
    name = queue_name_of(broker, command.database, command.queue)
    if not broker.catalog.databases[command.database].queues[name].is_enabled:
        raise LocalProtocolError(9617, queue=name, database=command.database)
    return name


def _check_filter(session: Session, command: Receive, queue: QueueName) -> None:
    """WHERE names a conversation (8426) or a group (8436) of the queue, which nobody else has locked (1222).

    WAITFOR waits for the lock as well.
    """
    handle, group = command.conversation_handle, command.conversation_group_id
    wanted: list[ConversationGroupId] = []
    if handle is not None:
        row = session.row(handle)
        service = session.database.services.get(row.service)
        if service is None or service.queue != queue:
            raise LocalProtocolError(8426, conversation_handle=str(handle))
        wanted.append(row.conversation_group_id)
    if group is not None:
        if session.queue_of_group(group) != queue:
            raise LocalProtocolError(8436, value=str(group), queue=queue)
        wanted.append(group)
    if wanted and (command.waitfor_milliseconds is None or session.may_lock(*wanted)):
        session.lock(*wanted)


def queue_name_of(broker: Broker, database: DatabaseName, name: QueueName) -> QueueName:
    """A queue as the catalog spells it, in any letter case, `dbo` where no schema is named; 15151 without one."""
    queues = database_of(broker, database).queues
    spelled = spelling_in(queues, name) or spelling_in(queues, with_schema(name))
    if spelled is not None:
        return spelled
    raise LocalProtocolError(15151, value="queue", name=name, database=database)
