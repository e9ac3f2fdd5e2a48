"""What a real server would export of the events of ours: rows of a trace, and files of CSV."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from engine.core.trace.rows import trace_rows
from tests.pipeline.drawn_events import drawn_estate
from tests.pipeline.traffic import world_of_traffic

HEADER = (
    *("EventClass", "EventSubClass", "StartTime", "EventSequence", "DatabaseName", "GUID", "ObjectName", "RoleName"),
    *("MethodName", "BigintData1", "BigintData2", "TextData", "Error", "Priority", "FileName", "OwnerName"),
    *("TargetUserName", "DBUserName", "IndexID", "ObjectID", "Success", "TargetLoginName", "IntegerData"),
    "ProviderName",
)


def exported(instance: str = "PARIS") -> list[dict[str, Any]]:
    """Events of an instance as its own trace shows them; the caller may change the rows."""
    return [dict(row) for row in _rows(instance)]


@cache
def _rows(instance: str) -> list[dict[str, Any]]:
    rows = []
    for number, event in (world_of_traffic() | drawn_estate(0, 3))[instance]:
        for row in trace_rows(event):
            at = datetime.fromtimestamp(row.columns["StartTime"], UTC).isoformat()
            subclass = "" if row.subclass is None else f"{row.subclass} - {row.subclass_name}"
            common = {"EventClass": row.name, "EventSubClass": subclass, "EventSequence": number}
            rows.append({**row.columns, **common, "StartTime": at})
    return rows


def written(path: Path, rows: list[dict[str, Any]], encoding: str = "utf-8") -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, HEADER)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path
