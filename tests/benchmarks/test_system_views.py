"""What reading `sys.conversation_endpoints` costs with 100,000 conversations, against passing over a list of them."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import msgspec
import pytest

from engine.core.exchange.system_views import ColumnFilter, SystemViewQuery
from engine.core.instance import Instance
from engine.core.vocabulary.limits import TRANSMISSION_OBJECT_BYTES
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState, DatabaseRows
from engine.core.vocabulary.settings import EngineSettings, TransmissionObjectSettings
from engine.storage.work_table import SqliteWorkTable
from tests.benchmarks.measure import in_turns
from tests.support.world import EPOCH, World

CONVERSATIONS = 100_000
KEPT = 10_000
YARDSTICK = "passing over a list of 100,000"
VIEW = "sys.conversation_endpoints"


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
    )


def make_instance(conversations: int, settings: EngineSettings) -> Instance:
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client"]))
    rows = DatabaseRows(name="Ventes", endpoints=[endpoint(number) for number in range(conversations)])
    return Instance(node.instance.catalog, [rows], settings, world.entropy, SqliteWorkTable())


def reading(instance: Instance, **fields: object) -> Callable[[], int]:
    query = SystemViewQuery(view=VIEW, database="Ventes", **fields)

    def read() -> int:
        instance.system_view(query)
        return 1

    return read


def to_the_end(instance: Instance) -> Callable[[], int]:
    def read() -> int:
        offset: int | None = 0
        while offset is not None:
            page = instance.system_view(SystemViewQuery(view=VIEW, database="Ventes", offset=offset, rows_max=1000))
            offset = page.next_offset
        return 1

    return read


def keeping(objects: int) -> EngineSettings:
    kept = TransmissionObjectSettings(bytes_kept=objects * TRANSMISSION_OBJECT_BYTES)
    return msgspec.structs.replace(EngineSettings(), transmission_objects=kept)


@pytest.mark.timeout(900)
def test_reading_conversation_endpoints(show: Callable[[str, list[list[str]]], None]) -> None:
    in_memory = in_turns(contestants(make_instance(CONVERSATIONS, keeping(CONVERSATIONS))), rounds=3)
    written = in_turns(contestants(make_instance(CONVERSATIONS, keeping(KEPT))), rounds=3)
    table = [["query", "all in memory, ms", "x list", "90,000 in a work table, ms", "x list"]]
    for name in in_memory:
        cells = [name]
        for figures in (in_memory, written):
            median = figures[name].median
            cells += [f"{median * 1e3:.3f}", f"{median / figures[YARDSTICK].median:.2f}"]
        table.append(cells)
    show("sys.conversation_endpoints with 100,000 conversations", table)


def contestants(instance: Instance) -> dict[str, Callable[[], int]]:
    rows = list(range(CONVERSATIONS))
    return {
        YARDSTICK: lambda: sum(1 for _ in rows) // CONVERSATIONS,
        "first 100 rows": reading(instance, rows_max=100),
        "first 100 rows, one column": reading(instance, rows_max=100, columns=("state",)),
        "100 rows in the middle": reading(instance, rows_max=100, offset=CONVERSATIONS // 2),
        "one row by its handle": reading(
            instance, filters=(ColumnFilter(column="conversation_handle", value=str(UUID(int=7_777))),)
        ),
        "100 rows that a filter finds": reading(
            instance, rows_max=100, filters=(ColumnFilter(column="far_service", value="Entrepôt 7"),)
        ),
        "a filter that finds nothing, one query": reading(
            instance, filters=(ColumnFilter(column="state", value="ER"),)
        ),
        "everything, pages of 1,000": to_the_end(instance),
    }
