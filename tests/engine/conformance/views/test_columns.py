"""Every view has the vendor's columns: names, order, types, nullability; `columns.txt` has them (views.md 1, 2)."""

from pathlib import Path

import pytest

from engine.core.exchange.system_views import python_type
from engine.core.system_views.conversation_views import queue_contents
from engine.core.system_views.query import SYSTEM_VIEWS
from tests.engine.conformance.views.lively import lively_world
from tests.support.each import for_each
from tests.support.view_reading import page_of, rows_of

OUTSIDE_THE_LAW = {"sys.dm_os_performance_counters"}
WITHOUT_ROWS_HERE = {"sys.procedures", "sys.event_notifications"}


def expected() -> dict[str, list[tuple[str, str, bool]]]:
    views: dict[str, list[tuple[str, str, bool]]] = {}
    for line in (Path(__file__).parent / "columns.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            columns = views[line] = []
            continue
        name, kind, null = line.split()
        columns.append((name, kind, null == "YES"))
    return views


EXPECTED = expected()
VIEWS = {view.name: view for view in SYSTEM_VIEWS} | {"queue": queue_contents("dbo.File")}


def test_every_view_of_the_law_is_there_and_no_other():
    assert set(VIEWS) - OUTSIDE_THE_LAW == set(EXPECTED)


@for_each("name", sorted(EXPECTED))
def test_the_columns_are_the_vendors_in_the_vendors_order(name):
    assert [(column.name, column.type, column.nullable) for column in VIEWS[name].columns] == EXPECTED[name]


@pytest.fixture(scope="module")
def nodes():
    _, *nodes = lively_world()
    return nodes


@pytest.mark.parametrize("name", sorted(set(VIEWS) - {"queue"} - WITHOUT_ROWS_HERE))
def test_cells_are_of_the_type_of_their_column_and_null_only_where_it_may_be(nodes, name):
    shown = 0
    for node in nodes:
        for database in node.instance.catalog.databases:
            page = page_of(node, name, database, rows_max=1000)
            for row in page.rows:
                shown += 1
                for column, cell in zip(page.columns, row, strict=True):
                    if cell is None:
                        assert column.nullable, column.name
                    else:
                        assert type(cell) is python_type(column.type), column.name
    assert shown > 0


def test_a_queue_read_as_a_table_has_its_columns_too(nodes):
    paris = nodes[0]
    (row,) = rows_of(paris, "dbo.Caisse", "Ventes")
    assert [(name, type(cell)) for name, cell in row.items()] == [
        (column.name, python_type(column.type)) for column in VIEWS["queue"].columns
    ]
    assert (row["message_body"], row["service_name"], row["validation"], row["status"]) == (b"deux", "Caisse", "N ", 1)


def test_a_binding_tells_whom_it_is_for(nodes):
    (row,) = rows_of(nodes[0], "sys.remote_service_bindings", "Ventes")
    assert (row["name"], row["remote_service_name"], row["is_anonymous_on"]) == ("Lien", "Anderswo", True)
    assert row["principal_id"] == 1
    assert row["remote_principal_id"] > 65536
