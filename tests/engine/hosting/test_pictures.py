"""Pictures and explanations asked for through Celery, of an instance that commits to a file."""

from uuid import UUID

import pytest

from engine.core.exchange import pictures
from engine.core.exchange.commands import RetryTransmission
from engine.core.exchange.explaining import RetryEnd
from engine.core.exchange.pictures import Unchanged
from engine.core.exchange.replies import TransmissionRetried
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import DatabaseName
from engine.hosting import client
from engine.hosting.embedded import EmbeddedEngine
from engine.whatif.explanation import with_proofs
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    VENTES,
    ask,
    begin_dialog,
    define,
    send,
    waiting_at_paris,
)
from tests.support.waiting import until


def picture(instance: str, query: pictures.PictureQuery) -> pictures.Picture:
    (found,) = client.read_pictures(ESTATE, instance, [query])
    if isinstance(found, BrokerError):
        raise found
    return found


def test_whoever_follows_hears_what_has_changed_and_then_that_nothing_has(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    whole = picture(PARIS, pictures.ConversationsQuery(database=VENTES))
    assert isinstance(whole, pictures.ConversationsPicture)
    assert [row.key for row in whole.rows] == [f"{handle} {VENTES}"]
    send(handle, 1)
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")
    changes = picture(PARIS, pictures.ConversationsQuery(database=VENTES, since=whole.sequence))
    assert isinstance(changes, pictures.ConversationsPicture)
    assert ([row.key for row in changes.rows], changes.is_whole) == ([f"{handle} {VENTES}"], False)
    again = picture(PARIS, pictures.ConversationsQuery(since=changes.sequence))
    assert isinstance(again, Unchanged)


def test_the_summary_tells_where_the_instance_listens(engine: EmbeddedEngine):
    define()
    summary = picture(LYON, pictures.SummaryQuery())
    assert isinstance(summary, pictures.SummaryPicture)
    assert summary.listening_port is not None
    assert summary.sequence == client.read_view(ESTATE, LYON, 1).last_event


def test_what_waits_is_explained_by_its_decisions_and_a_retry_is_answered(engine: EmbeddedEngine):
    define()
    client.close_instance(ESTATE, LYON)
    handle = begin_dialog()
    send(handle, 1)
    until(lambda: waiting_at_paris() == 1, "the message waits")
    told = client.explain_transmission(ESTATE, PARIS, VENTES, handle)
    assert told.then is not None
    assert told.now.decision.table == told.then.decision.table == VENTES
    proved = with_proofs(told, "fr")
    assert proved.then is not None
    assert proved.now.proof[0] == proved.then.proof[0]
    assert proved.now.proof[0].startswith("Un message quitte la base de données ")
    assert told.retry.end in (RetryEnd.CONNECTS, RetryEnd.SENT)
    retry = RetryTransmission(command_id=UUID(int=77), database=VENTES, conversation_handle=handle)
    reply = ask(PARIS, retry)
    assert isinstance(reply, TransmissionRetried)
    assert reply.waiting == 1


@pytest.mark.parametrize(("database", "number"), [(VENTES, 8426), ("Nulle", 911)])
def test_mistakes_have_their_numbers(engine: EmbeddedEngine, database: str, number: int):
    define()
    with pytest.raises(BrokerError) as caught:
        client.explain_transmission(ESTATE, PARIS, database, UUID(int=5))
    assert caught.value.number == number


def test_a_mistake_stands_in_the_place_of_its_picture_and_takes_none_of_the_others_away(engine: EmbeddedEngine):
    define()
    queries: list[pictures.PictureQuery] = [
        pictures.ConversationsQuery(database=VENTES),
        pictures.TransmissionsQuery(rows_max=0),
        pictures.QueuesQuery(database=DatabaseName("Nulle")),
        pictures.SummaryQuery(),
    ]
    conversations, no_rows, no_database, summary = client.read_pictures(ESTATE, PARIS, queries)
    assert isinstance(conversations, pictures.ConversationsPicture)
    assert isinstance(summary, pictures.SummaryPicture)
    assert conversations.sequence == summary.sequence
    assert [each.number for each in (no_rows, no_database) if isinstance(each, BrokerError)] == [10744, 911]
