"""What the ledger counts as unfinished business at the end of a run."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.backup import AttachOption
from engine.core.exchange.changes import DropDatabaseRows, DropEndpoint
from engine.core.vocabulary.rows import QueueRowStatus
from engine.sim.ledger import Ledger
from tests.engine.sim.histories import (
    ANSWERS,
    ASKS,
    CATALOGS,
    committed,
    delivered,
    endpoint,
    restored,
    stored,
    trimmed,
    worlds_begin,
)
from tests.engine.sim.worlds import CONVERSATION, mirrored_pair

LYON_ID = CATALOGS["LYON"].databases["Stock"].broker_instance
AGAIN = ("LYON", "Stock", UUID(int=5))
"""The endpoint that a late copy of message 0 makes after a restore."""
ELSEWHERE = ("LYON", "Lager", UUID(int=7))


def begun_anew(*, first=ANSWERS, had=3, restore=lambda: restored(ANSWERS), acknowledged=2, arrived=(3, 4), at=3.0):
    """`first` has received the first `had` of five messages; LYON goes back; then a late copy of message 0 comes.

    PARIS has heard that all up to `acknowledged` have arrived; of the others `arrived` come after the restore.
    """
    return [
        *worlds_begin(),
        endpoint(ASKS, is_initiator=True, far=LYON_ID),
        *(stored(number) for number in range(5)),
        endpoint(first, is_initiator=False, receive_sequence=had),
        *restore(),
        msgspec.structs.replace(endpoint(AGAIN, is_initiator=False, receive_sequence=1), at=at),
        trimmed(acknowledged),
        *(delivered(number, side=AGAIN, status=QueueRowStatus.DISABLED) for number in arrived),
    ]


def had_less():
    """What the restore takes is less than somebody else had."""
    return [endpoint(ANSWERS, is_initiator=False, receive_sequence=2), *restored(ANSWERS)]


def lost_after_the_restore():
    """What was begun anew goes well, and is then lost by nothing that could be restored."""
    third = ("LYON", "Stock", UUID(int=6))
    begun = [endpoint(AGAIN, is_initiator=False, receive_sequence=5), endpoint(third, is_initiator=False)]
    gone = committed("LYON", DropEndpoint(database="Stock", conversation_handle=AGAIN[2]))
    held = delivered(3, side=third, order=30, status=QueueRowStatus.DISABLED)
    return [begun[0], gone, msgspec.structs.replace(begun[1], at=4.0), held]


def unfinished(history):
    ledger = Ledger()
    for entry in history:
        ledger.observe(entry)
    return list(ledger.unfinished())


def test_a_dialog_that_was_begun_anew_after_a_restore_lacks_what_the_restore_took():
    """protocol.md 3.2, 3.5, 8.7: nobody has it any more, and nothing that travels says so."""
    assert unfinished(begun_anew()) == []
    assert unfinished(begun_anew(had=4, acknowledged=2)) == [], "the last acknowledgement may be lost on its way"


@pytest.mark.parametrize(
    "history",
    [
        begun_anew(acknowledged=3, arrived=[4]),
        begun_anew(acknowledged=0, arrived=[2, 3, 4]),
        begun_anew(acknowledged=0, arrived=[1, 2, 3, 4]),
        begun_anew(arrived=[4]),
        begun_anew(restore=list),
        begun_anew(restore=lambda: restored(ANSWERS, AttachOption.ENABLE_BROKER)),
        begun_anew(at=1.5),
        [*begun_anew(), endpoint(ANSWERS, is_initiator=False, receive_sequence=3)],
        [*begun_anew(first=ELSEWHERE, restore=had_less), committed("LYON", DropDatabaseRows(database="Lager"))],
        [*begun_anew(had=1), *lost_after_the_restore()],
    ],
    ids=[
        "acknowledged to the last before the restore too early",
        "a message that its sender has still",
        "a message that is not handed on",
        "nothing is repeated",
        "no restore",
        "a restore to the same point in time",
        "begun before the restore",
        "the first target is there",
        "another database had it",
        "lost without a restore, after one",
    ],
)
def test_nothing_else_excuses_what_a_dialog_lacks(history):
    told = unfinished(history)
    assert [text for text in told if "never acknowledged" in text]
    assert [text for text in told if "waits for an earlier one" in text]


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
    [order, back] = restored(ANSWERS)
    for entry in [*worlds_begin(), endpoint(ANSWERS, is_initiator=False), delivered(0)]:
        ledger.observe(entry)
    ledger.observe(order)
    assert ledger.rewound == set()
    ledger.observe(back)
    assert ledger.rewound == {CONVERSATION}
    assert [(each.place, each.is_rewound) for each in ledger.returns] == [(("LYON", "Stock"), True)]
    assert list(ledger.unfinished()) == [], "what was in the queue is gone with the rest"
