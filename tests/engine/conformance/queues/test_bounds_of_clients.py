"""Everything that a client can make an instance keep has its bound, in number and in bytes (error 1204)."""

from uuid import UUID, uuid4

from engine.core.exchange.commands import EndConversation, GetConversationGroup
from engine.core.handlers.broker import Broker
from engine.core.handlers.dynamic_routing import pause_requests
from engine.core.handlers.inbound import accept
from engine.core.queues.transactions import TimerToSet, TransactionBook
from engine.core.transmission.links import LinkBook
from engine.core.transmission.work_table import MemoryWorkTable
from engine.core.vocabulary.limits import (
    LINKS_KEPT_MAX,
    REQUEST_PAUSES_MAX,
    TRANSACTION_BYTES_MAX,
    TRANSACTION_GROUPS_MAX,
    TRANSACTION_STATEMENT_BYTES,
    TRANSACTIONS_BYTES_MAX,
)
from engine.core.vocabulary.messages import LinkChange, LinkState, TcpAddress
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import EngineSettings
from tests.support.world import EPOCH

BIG = "x" * (TRANSACTION_BYTES_MAX // 2 + 1)


def test_what_a_transaction_holds_back_has_a_bound_in_bytes_too(desk):
    client = desk.ask()
    session = desk.begin()
    replies = [desk.say(client, BIG, transaction=session) for _ in range(3)]
    assert [reply.message_sequence_number for reply in replies[:2]] == [0, 1]
    assert (replies[2].number, dict(replies[2].parameters)["limit"]) == (1204, TRANSACTION_BYTES_MAX)
    assert desk.end(client, transaction=session).number == 1204
    assert desk.receive(session).number == 1204
    desk.roll_back(session)
    assert desk.say(client, "a").message_sequence_number == 0


def test_all_transactions_together_hold_back_no_more_than_their_bound(desk):
    client = [desk.ask() for _ in range(5)]
    sessions = [desk.begin() for _ in range(5)]
    full = "x" * (TRANSACTIONS_BYTES_MAX // 4)
    for at in range(4):
        assert desk.say(client[at], full, transaction=sessions[at]).message_sequence_number == 0
    refused = desk.say(client[4], "a", transaction=sessions[4])
    assert (refused.number, dict(refused.parameters)["limit"]) == (1204, TRANSACTIONS_BYTES_MAX)
    desk.roll_back(sessions[0])
    assert desk.say(client[4], "a", transaction=sessions[4]).message_sequence_number == 0


def test_statements_count_with_a_header_and_with_the_text_of_an_error():
    book = TransactionBook()
    begun = [UUID(int=1), UUID(int=2)]
    for each in begun:
        book.begin(each, 0.0, None)
    ended = EndConversation(
        command_id=uuid4(), database="Ventes", conversation_handle=uuid4(), error_code=1, error_description="é" * 100
    )
    book.hold_back(book.open[begun[0]], ended, 0.0)
    book.hold_back(book.open[begun[1]], TimerToSet("Ventes", uuid4(), 0.0), 0.0)
    assert book.open[begun[0]].held_bytes == TRANSACTION_STATEMENT_BYTES + 200
    assert book.held_bytes == 2 * TRANSACTION_STATEMENT_BYTES + 200
    book.close(book.open[begun[0]])
    assert book.held_bytes == TRANSACTION_STATEMENT_BYTES
    book.close(book.open[begun[1]])
    assert book.held_bytes == 0


def test_the_groups_that_a_transaction_locks_have_a_bound(desk):
    """A RECEIVE of one conversation that finds nothing locks its group and holds nothing back."""
    client = desk.ask()
    session = desk.begin()
    broker = desk.node.instance._broker
    own = broker.transactions.open[session]
    for _ in range(TRANSACTION_GROUPS_MAX):
        broker.transactions.lock(own, "Ventes", uuid4())
    assert desk.receive(session, queue="Client", conversation_handle=client).number == 1204
    assert desk.do(GetConversationGroup, queue="dbo.Guichet", transaction=session).number == 1204
    desk.roll_back(session)
    assert desk.receive(desk.begin(), queue="Client", conversation_handle=client).messages == ()


def test_pauses_between_requests_end_in_time_and_are_bounded(desk):
    broker = Broker(desk.node.instance.catalog, EngineSettings(), desk.world.entropy, accept, MemoryWorkTable())
    broker.begin(Now(Instant(0.0), UtcTime(EPOCH)))
    pause_requests(broker, "Ventes", "Ancien")
    broker.begin(Now(Instant(1.0), UtcTime(EPOCH + 1)))
    for number in range(REQUEST_PAUSES_MAX):
        pause_requests(broker, "Ventes", f"Service{number}")
    assert len(broker.asks_again_at) == REQUEST_PAUSES_MAX
    assert ("Ventes", "Ancien") not in broker.asks_again_at
    broker.begin(Now(Instant(1000.0), UtcTime(EPOCH + 1000)))
    pause_requests(broker, "Ventes", "Nouveau")
    assert list(broker.asks_again_at) == [("Ventes", "Nouveau")]


def test_beyond_the_bound_connections_that_nobody_uses_are_forgotten():
    book = LinkBook(EngineSettings().link)
    addresses = [TcpAddress(f"h{number}", 4022) for number in range(LINKS_KEPT_MAX)]
    for address in addresses:
        book.dialling(address)
        book.apply(LinkChange(address=address, state=LinkState.CLOSED, error=8474), Instant(0.0))
    assert book.forget_unused(lambda address: False) == []
    waited_for, held, under_way = addresses[:3]
    book[waited_for].conversations["Ventes", UUID(int=1)] = None
    book.dialling(under_way)
    book[TcpAddress("one-more", 4022)].error = 8474
    forgotten = book.forget_unused(lambda address: address == held)
    assert len(forgotten) == LINKS_KEPT_MAX + 1 - 3
    assert [address for address, _ in book.items()] == [waited_for, held, under_way]
