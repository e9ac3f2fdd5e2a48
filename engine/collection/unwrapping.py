"""The JSON out of what a tool has made of it: headings and row counts around it, rows, padding, a CSV file.

The collector writes no blank into its document, so blanks in one of its files are a tool's. In JSON from elsewhere they
may be parts of names, and only line breaks are taken out: no text of JSON goes over a line.
"""

from __future__ import annotations

import csv
import re
from io import StringIO
from typing import Final

FORMAT: Final = "service-broker-collection"
_BEGIN: Final = re.compile(r'\{"?"?\s*"format"?"\s*:', re.DOTALL)
_BLANK_WITHIN: Final = re.compile(r"\S[ \t]+\S")
_HEAD_LENGTH: Final = 20_000
"""So far into a file headings may go."""
csv.field_size_limit(2**31 - 1)
# A server may stand in one field. The limit is the process's; how long files may be is said by whoever takes them.


def is_collection(text: str) -> bool:
    """Whether a file holds a collector's document rather than T-SQL."""
    head = text[:_HEAD_LENGTH]
    # A row ends after 240 characters, Management Studio's own after 2,033: the first key is in the first of either.
    return _BEGIN.search(head) is not None or head.lstrip("\ufeff \t\r\n").startswith("{")


def unwrapped(text: str) -> str:
    """The document alone. What is no JSON stays as it is, for the reader of JSON to complain about."""
    first = text.find("{")
    if text[first : first + 3] == '{""':
        line = text.rfind("\n", 0, first) + 1
        # Only line ends are ends of lines here: a name may hold other characters at which Python splits.
        rows = csv.reader(StringIO(text[line:], newline=""))
        text = "\n".join(",".join(row) for row in rows)
        first = text.find("{")
    document = text[first : text.rfind("}") + 1]
    if _BLANK_WITHIN.search(document) is None:
        return re.sub(r"[ \t\r\n]+", "", document)
    return re.sub(r"[\r\n]+", "", document)
