"""System views asked for through Celery: every cell arrives as the type of its column."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from engine.core.exchange.system_views import ColumnFilter, SystemViewQuery, SystemViewRows, ViewColumn
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import MSDB
from engine.hosting import client
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.envelope import SystemViewAnswer, system_view_decoder, text
from tests.engine.hosting.two_instances import ESTATE, LYON, PARIS, VENTES, begin_dialog, define, send, waiting_at_paris
from tests.support.waiting import until

CELLS = {
    "uniqueidentifier": UUID(int=7),
    "bit": True,
    "tinyint": 1,
    "bigint": 2**63 - 1,
    "datetime": datetime(2026, 1, 31, tzinfo=UTC).timestamp(),
    "binary(6)": bytes(range(6)),
    "varbinary(max)": b"\x00\xff",
    "nvarchar(256)": "Entrepôt",
    "sysname": "00000000-0000-0000-0000-000000000007",
}


def test_cells_keep_their_type_on_the_way():
    columns = tuple(ViewColumn(name=kind, type=kind, nullable=True) for kind in CELLS)
    page = SystemViewRows(
        view="sys.x", columns=columns, rows=(tuple(CELLS.values()), (None,) * len(columns)), next_offset=4
    )
    arrived = system_view_decoder.decode(text(SystemViewAnswer.of(page))).page()
    assert arrived == page
    assert [type(cell) for cell in arrived.rows[0]] == [type(cell) for cell in CELLS.values()]


def test_a_page_without_rows_keeps_its_columns():
    page = SystemViewRows(
        view="sys.x", columns=(ViewColumn(name="a", type="int", nullable=False),), rows=(), next_offset=None
    )
    assert system_view_decoder.decode(text(SystemViewAnswer.of(page))).page() == page


def test_a_view_is_read_through_the_client_and_a_mistake_has_its_number(engine: EmbeddedEngine):
    define()
    handles = [begin_dialog() for _ in range(3)]
    page = client.read_system_view(
        ESTATE,
        PARIS,
        SystemViewQuery(
            view="sys.conversation_endpoints",
            database=VENTES,
            columns=("conversation_handle", "lifetime"),
            filters=(ColumnFilter(column="state", value="SO"),),
            rows_max=2,
        ),
    )
    assert [row[0] for row in page.rows] == handles[:2]
    assert isinstance(page.rows[0][1], float)
    assert page.next_offset == 2
    route_one = ColumnFilter(column="route_id", value="one")
    for number, query in (
        (208, SystemViewQuery(view="sys.nothing", database=VENTES)),
        (911, SystemViewQuery(view="sys.routes", database="Nulle")),
        (
            245,
            SystemViewQuery(view="sys.routes", database=VENTES, filters=(route_one,)),
        ),
    ):
        with pytest.raises(BrokerError) as caught:
            client.read_system_view(ESTATE, PARIS, query)
        assert caught.value.number == number


def connections(instance: str) -> list[dict[str, object]]:
    query = SystemViewQuery(view="sys.dm_broker_connections", database=MSDB)
    page = client.read_system_view(ESTATE, instance, query)
    return [dict(zip((column.name for column in page.columns), row, strict=True)) for row in page.rows]


def bytes_sent() -> list[object]:
    return [each["total_bytes_sent"] for each in connections(PARIS)]


def test_both_ends_show_the_connection_how_it_is_protected_and_what_went_over_it(engine: EmbeddedEngine):
    define()
    send(begin_dialog(), 1)
    until(lambda: waiting_at_paris() == 0, "the message is acknowledged")
    until(lambda: [each["total_bytes_received"] for each in connections(LYON)] == bytes_sent(), "nothing is under way")
    (here,), (there,) = connections(PARIS), connections(LYON)
    for end, is_accept, peer in ((here, False, LYON), (there, True, PARIS)):
        assert (end["state_desc"], end["login_state"], end["login_state_desc"]) == ("LOGGED_IN", 12, "ONLINE")
        assert (end["is_accept"], end["principal_name"], end["authentication_method"]) == (is_accept, peer, "VOUCHED")
        assert (end["encryption_algorithm"], end["encryption_algorithm_desc"]) == (3, "AES")
        assert isinstance(end["peer_arbitration_id"], UUID)
        assert end["connect_time"] <= end["login_time"] <= end["last_activity_time"]
    assert here["connection_id"] != there["connection_id"]
    assert here["total_fragments_sent"] == there["total_fragments_received"] >= 1
    assert there["total_fragments_sent"] >= 1
    assert here["total_bytes_sent"] == there["total_bytes_received"] > 0
    assert min(here["total_sends"], here["total_receives"], there["total_sends"]) > 0
