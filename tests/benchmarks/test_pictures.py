"""What a picture costs, and one of what has changed since, with 10 conversations and with 100,000 (ADR 25).

Every conversation has a message that waits. Between two pictures of a follower there are the events of 250 ms at 5,000
events a second. The yardstick is what the web did before: the whole view, to be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

import pytest

from engine.core.exchange import pictures
from engine.core.exchange.commands import Send
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.inputs import STARTED
from engine.core.instance import Instance
from engine.core.pictures.journal import PictureJournal
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState, DatabaseRows, TransmissionRow
from engine.core.vocabulary.settings import EngineSettings
from engine.storage.work_table import SqliteWorkTable
from tests.benchmarks.measure import in_turns
from tests.support.world import EPOCH, World

SIZES = (10, 100_000)
ROWS = 200
EVENTS = 1_250
TOUCHED = 100
ROUNDS = 9
NOW = Now(Instant(10.0), UtcTime(EPOCH + 10))


def endpoint(number: int) -> ConversationEndpoint:
    return ConversationEndpoint(
        conversation_handle=UUID(int=number),
        conversation_id=UUID(int=2**64 + number),
        is_initiator=True,
        conversation_group_id=UUID(int=2**65 + number),
        service="Client",
        contract="DEFAULT",
        state=ConversationState.CONVERSING,
        far_service=f"Entrepôt {number % 100}",
        lifetime=EPOCH + 1e9,
        send_sequence=1,
    )


def waiting(number: int) -> TransmissionRow:
    return TransmissionRow(
        conversation_handle=UUID(int=number),
        message_sequence_number=0,
        kind=MessageKind.USER,
        message_type_name="DEFAULT",
        message_body=b"x",
        enqueue_time=UtcTime(EPOCH + number % 1_000 / 100),
    )


class Watched:
    """An instance with so many conversations, and what has happened in it since somebody looked."""

    def __init__(self, conversations: int) -> None:
        world = World()
        node = world.instance("PARIS", world.database("Ventes", ["Client"]))
        rows = DatabaseRows(
            name="Ventes",
            endpoints=[endpoint(number) for number in range(conversations)],
            transmission=[waiting(number) for number in range(conversations)],
        )
        settings = EngineSettings()
        self.instance = Instance(node.instance.catalog, [rows], settings, world.entropy, SqliteWorkTable())
        self.journal = PictureJournal(0)
        self._turn([STARTED])
        self.since = self.journal.last
        number = 0
        while self.journal.last - self.since < EVENTS:
            handles = [UUID(int=(number + each) % min(conversations, TOUCHED)) for each in range(TOUCHED)]
            self._turn([Send(command_id=handle, database="Ventes", conversation_handle=handle) for handle in handles])
            number += TOUCHED

    def _turn(self, inputs: Sequence[object]) -> None:
        self.instance.begin(NOW)
        for each in inputs:
            self.instance.take(each)
        events: tuple[BrokerEvent, ...] = self.instance.finish().events
        if events:
            self.journal.note(self.journal.last + 1, events)

    def asking(self, query: pictures.PictureQuery) -> Callable[[], int]:
        def ask() -> int:
            self.instance.picture(query, self.journal, NOW)
            return 1

        return ask

    def comparing(self) -> int:
        self.instance.view(1_000_000)
        return 1


@pytest.mark.timeout(900)
def test_pictures(show: Callable[[str, list[list[str]]], None]) -> None:
    watched = {size: Watched(size) for size in SIZES}
    contestants: dict[str, Callable[[], int]] = {}
    for size, each in watched.items():
        asked = {
            "summary": pictures.SummaryQuery(),
            "conversations": pictures.ConversationsQuery(rows_max=ROWS),
            "conversations since": pictures.ConversationsQuery(rows_max=ROWS, since=each.since),
            "transmissions": pictures.TransmissionsQuery(rows_max=ROWS),
            "transmissions since": pictures.TransmissionsQuery(rows_max=ROWS, since=each.since),
            "queues since": pictures.QueuesQuery(since=each.since),
            "unchanged": pictures.MirroredRoutesQuery(since=each.since),
        }
        contestants |= {f"{name} {size}": each.asking(query) for name, query in asked.items()}
        contestants[f"whole view {size}"] = each.comparing
    figures = in_turns(contestants, rounds=ROUNDS)
    few, many = SIZES
    rows = [["picture", f"{few:,} conversations, ms", f"{many:,} conversations, ms", "ratio"]]
    for name in [*asked, "whole view"]:
        one, other = figures[f"{name} {few}"].median * 1e3, figures[f"{name} {many}"].median * 1e3
        rows.append([name, f"{one:.2f}", f"{other:.2f}", f"{other / one:,.1f}"])
    show(f"pictures of at most {ROWS} rows; since: {EVENTS:,} events that touch up to {TOUCHED} conversations", rows)
    bound = figures[f"whole view {many}"].median / 20
    for name in asked:
        assert figures[f"{name} {many}"].median < bound, name
