"""What the ledger counts as unfinished business at the end of a run."""

from uuid import UUID

import pytest

from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.exchange.changes import DropDatabaseRows, PutCatalog
from engine.core.exchange.commands import RestoreDatabase
from engine.core.vocabulary.rows import DatabaseRows, QueueRowStatus
from engine.sim.history import Issued
from engine.sim.ledger import Ledger
from tests.engine.sim.histories import ANSWERS, ASKS, CATALOGS, committed, delivered, endpoint, worlds_begin
from tests.engine.sim.worlds import CONVERSATION, mirrored_pair

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


def test_a_restore_makes_its_conversations_rewound_and_a_place_is_known_under_one_name():
    ledger = Ledger(mirrored_pair())
    assert ledger.place("WIEN", "Stock") == ledger.place("LYON", "Stock") == ("LYON", "Stock")
    assert ledger.place("LYON", "Stock copy") is None
    catalog = CATALOGS["LYON"]
    backup = DatabaseBackup(definition=catalog.databases["Stock"], rows=DatabaseRows(name="Stock"), taken_at=1.0)
    order = RestoreDatabase(
        command_id=UUID(int=1),
        base=0,
        revision=1,
        database="Stock",
        backup=backup,
        option=AttachOption.ERROR_BROKER_CONVERSATIONS,
    )
    back = committed("LYON", DropDatabaseRows(database="Stock"), PutCatalog(catalog=catalog))
    for entry in [*worlds_begin(), endpoint(ANSWERS, is_initiator=False), delivered(0)]:
        ledger.observe(entry)
    ledger.observe(Issued(at=2.0, instance="LYON", command=order))
    assert ledger.rewound == set()
    ledger.observe(back)
    assert ledger.rewound == {CONVERSATION}
    assert [(each.place, each.is_rewound) for each in ledger.returns] == [(("LYON", "Stock"), True)]
    assert list(ledger.unfinished()) == [], "what was in the queue is gone with the rest"
