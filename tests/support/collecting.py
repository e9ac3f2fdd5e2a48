"""What the collector would write of an instance that runs here: its own columns, read from our own system views.

The columns are those that `docs/collect/collect.sql` names, so that a test fails when one is not the view's.
"""

import json
import re
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from engine.core.catalog.instance import InstanceCatalog
from engine.core.system_views.query import SYSTEM_VIEWS
from tests.support.view_reading import rows_of
from tests.support.world import Node, World

COLLECTOR = Path(__file__).parents[2] / "docs/collect/collect.sql"
_SELECT = re.compile(r"SELECT(?P<columns>(?:(?!SELECT|FROM).)*)FROM sys\.(?P<view>\w+) AS (?P<alias>\w)\b", re.DOTALL)
HERE = {view.name.removeprefix("sys.") for view in SYSTEM_VIEWS}
OF_INSTANCE = ("service_broker_endpoints", "tcp_endpoints")


def columns_by_view() -> dict[str, list[str]]:
    """Which columns of which view the collector selects."""
    text = re.sub(r"--.*", "", COLLECTOR.read_text("utf-8"))
    found: dict[str, list[str]] = {}
    while (select := _SELECT.search(text)) is not None:
        known = found.setdefault(select["view"], [])
        for column in re.findall(rf"\b{select['alias']}\.(\w+)", select["columns"]):
            if column not in known:
                known.append(column)
        # The one around it is found when this one is gone.
        text = text[: select.start()] + text[select.end() :]
    return found


def document_of(catalog: InstanceCatalog) -> dict:
    """The document of an instance with this catalog."""
    node = Node(World(), catalog)
    selected = columns_by_view()

    def rows(view: str, database: str | None = None) -> list[dict]:
        found = rows_of(node, f"sys.{view}", database, columns=tuple(selected[view]), rows_max=1000)
        return [{name: _json(cell) for name, cell in row.items() if cell is not None} for row in found]

    of_database = [
        view
        for view in selected
        if view in HERE
        and view
        not in (*OF_INSTANCE, "databases", "database_mirroring", "remote_service_bindings", "transmission_queue")
    ]
    databases = []
    for name, database in catalog.databases.items():
        row = next(each for each in rows_of(node, "sys.databases") if each["name"] == name)
        views = {view: rows(view, name) for view in of_database}
        for certificate in views["certificates"]:
            data = database.certificates[certificate["name"]].certificate
            certificate["encoded"] = _json(data)
        schemas = {each["schema_id"]: _schema(database, each["name"]) for each in views["service_queues"]}
        views["schemas"] = [{"schema_id": number, "name": schema} for number, schema in schemas.items()]
        shown = {column: _json(cell) for column, cell in row.items() if column in selected["databases"]}
        databases.append(shown | {"sys": views})
    return {
        "format": "service-broker-collection",
        "format_version": 1,
        "server_name": catalog.name,
        "collected_at": "2026-01-01T00:00:00",
        "databases": databases,
        **{view: rows(view) for view in OF_INSTANCE},
    }


def _schema(database, queue):
    return next((name.split(".")[0] for name in database.queues if name.split(".", 1)[1] == queue), "dbo")


def _json(cell):
    match cell:
        case UUID():
            return str(cell).upper()
        case bytes():
            return b64encode(cell).decode()
        case float():
            return datetime.fromtimestamp(cell, UTC).replace(tzinfo=None).isoformat()
        case _:
            return cell


def as_saved(document: dict, how: str = "sqlcmd") -> str:
    """The document as a tool saves it."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    if how == "FOR JSON":
        # Management Studio's own rows of a FOR JSON query, whose blanks nobody has written otherwise.
        return "\r\n".join(["JSON_F52E2B61-18A1-11d1-B105-00805F49916B", *_cut(text, 2033)])
    rows = _cut(text.replace(" ", "\\u0020"), 240)
    if how == "csv":
        return "\r\n".join('"' + row.replace('"', '""') + '"' for row in rows)
    head = ["service_broker_collection".ljust(240), "-" * 240]
    return "\r\n".join([*head, *(row.ljust(256) for row in rows), "", f"({len(rows)} rows affected)", ""])


def _cut(text: str, length: int) -> list[str]:
    return [text[first : first + length] for first in range(0, len(text), length)]
