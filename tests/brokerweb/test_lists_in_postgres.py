"""Lists when the dashboard's database is PostgreSQL: page by page what SQLite answers for the same estate."""

import itertools
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import connection

from brokerweb.topology.listing import SORTS, Kind
from brokerweb.topology.selectors import listing
from brokerweb.topology.selectors.listing import ListAsked, ObjectList
from brokerweb.topology.services.bulk import changes_decide
from brokerweb.topology.services.change_sets import change_set_create
from brokerweb.topology.services.imports import estate_import
from brokerweb.topology.services.listing import MANY_ROWS
from engine import api as engine
from tests.brokerweb.postgres_dashboard import dashboard_in
from tests.support.postgres_server import running_postgres

pytestmark = pytest.mark.django_db

COUNT = 40
STEP = 31
FILTERS = (
    {},
    {"text": "dépôt-1"},
    {"text": "_"},
    {"text": "nowhere"},
    {"service": "//EXEMPLE"},
    {"target": "host7"},
    {"instance": "lyon"},
    {"instance": "PARIS", "database": "Ventes"},
    {"is_expired": False},
    {"state": "LOCAL"},
)


def script(instance: str, count: int) -> str:
    """Routes with names that languages sort in another way than code points do, and that LIKE would misread."""
    lines = [f":CONNECT {instance}\nGO\nCREATE DATABASE Ventes;\nGO\nUSE Ventes;\nGO\n"]
    for number in range(count):
        name = f"{'Éé_eZ-a%'[number % 8]}ntrepôt {number * 7 % count}"
        where = "LOCAL" if number % 3 == 0 else f"TCP://host{number % 11}.exemple.fr:4022"
        lines.append(
            f"CREATE ROUTE [{name}] WITH SERVICE_NAME = N'//exemple.fr/Dépôt-{number % 17}', ADDRESS = N'{where}'"
            f"{', LIFETIME = 86400' if number % 4 == 0 else ''};\n"
        )
    return "".join(lines)


def make_estate():
    """Two instances, and a change set that adds, alters and drops."""
    files = [engine.imports.ImportFile(f"{name}.sql", script(name, COUNT)) for name in ("PARIS", "LYON")]
    estate_import(estate_name="listes", files=files, user=None)
    change_set_create("listes", title="", user=None)
    route = {"database": "Ventes", "name": "Éntrepôt 0"}
    changes = [
        {"change": "route-dropped", **route},
        {"change": "route-created", "database": "Ventes", "route": {"name": "ÉÉ", "address": {"type": "local"}}},
    ]
    changes_decide("listes", {"PARIS": changes}, summary="Some", change_set=1, user=None, expected_revision=None)


def every_answer() -> dict[str, list[list[tuple[str, str, str | None]]]]:
    """The pages of every filter and order, live, and of the first two filters in the change set."""
    found = {}
    asked_for = [(asked, None) for asked in FILTERS] + [(asked, 1) for asked in FILTERS[:2]]
    for (asked, change_set), sort, is_descending in itertools.product(asked_for, SORTS, (False, True)):
        rows = ObjectList(
            "listes", ListAsked(kind=Kind.ROUTE, **asked, sort=sort, is_descending=is_descending), change_set
        )
        pages = [rows.slice(begin, begin + STEP) for begin in range(0, rows.total, STEP)]
        named = [[(each.row.place, each.row.name, each.effect) for each in page] for page in pages]
        assert sum(map(len, named)) == rows.total
        found[f"{asked} {sort} {is_descending} {change_set}"] = named
    return found


@pytest.fixture(scope="module")
def server():
    with running_postgres() as started:
        yield started


@contextmanager
def read_how(way):
    """Take one of the ways to the rows, without as many rows."""
    with pytest.MonkeyPatch.context() as patch:
        if way != "read at once":
            patch.setattr(listing, "READ_MAX", 0)
        if way == "in the order of an index":
            patch.setattr(listing, "SORTED_MAX", 0)
        yield


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_page_is_the_same_on_both_databases(server):
    assert connection.vendor == "sqlite"
    make_estate()
    wanted = every_answer()
    with dashboard_in(server):
        assert connection.vendor == "postgresql"
        call_command("migrate", verbosity=0)
        make_estate()
        for way in ("read at once", "sorted when found", "in the order of an index"):
            with read_how(way):
                assert every_answer() == wanted, way


@pytest.mark.slow
def test_after_many_rows_the_server_knows_the_table(server):
    with dashboard_in(server), connection.cursor() as cursor:
        call_command("migrate", verbosity=0)
        file = engine.imports.ImportFile("rome.sql", script("ROME", MANY_ROWS))
        estate_import(estate_name="many", files=[file], user=None)
        cursor.execute("SELECT relallvisible, reltuples FROM pg_class WHERE relname = 'topology_listedobject'")
        pages_seen_by_all, rows = cursor.fetchone()
        assert pages_seen_by_all > 0
        assert rows >= MANY_ROWS
