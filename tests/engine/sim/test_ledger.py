"""What the ledger counts as unfinished business at the end of a run."""

from uuid import UUID

import pytest

from engine.core.vocabulary.rows import QueueRowStatus
from engine.sim.ledger import Ledger
from tests.engine.sim.histories import ANSWERS, ASKS, CATALOGS, delivered, endpoint, worlds_begin

LYON_ID = CATALOGS["LYON"].databases["Stock"].broker_instance


@pytest.mark.parametrize(
    ("pinned", "is_unfinished"),
    [(None, True), (LYON_ID, True), (UUID(int=77), False)],
    ids=["to nobody yet", "to LYON", "to another copy"],
)
def test_what_waits_for_an_earlier_message_is_unfinished_unless_the_conversation_is_anothers(pinned, is_unfinished):
    ledger = Ledger()
    history = [
        *worlds_begin(),
        endpoint(ASKS, is_initiator=True, far=pinned),
        endpoint(ANSWERS, is_initiator=False),
        delivered(2, status=QueueRowStatus.DISABLED),
    ]
    for entry in history:
        ledger.observe(entry)
    assert len(list(ledger.unfinished())) == is_unfinished


def test_a_message_to_be_received_is_unfinished_wherever_it_is():
    ledger = Ledger()
    history = [
        *worlds_begin(),
        endpoint(ASKS, is_initiator=True, far=UUID(int=77)),
        endpoint(ANSWERS, is_initiator=False),
        delivered(0),
    ]
    for entry in history:
        ledger.observe(entry)
    assert len(list(ledger.unfinished())) == 1
