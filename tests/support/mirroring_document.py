"""The generated parts of docs/protocol/mirroring.md: its two state machines.

`python -m tests.support.mirroring_document` writes them anew; a test compares.
"""

import re
from pathlib import Path

from engine.core.mirroring.states import PARTNER_TRANSITIONS, ROUTE_TRANSITIONS
from tests.support.state_diagrams import diagram, table

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "mirroring.md"

_PART = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def regenerated(document: str) -> str:
    """The document with its generated parts as they ought to be."""
    parts = {
        "route-diagram": diagram(ROUTE_TRANSITIONS),
        "route-table": table(ROUTE_TRANSITIONS),
        "partner-diagram": diagram(PARTNER_TRANSITIONS),
        "partner-table": table(PARTNER_TRANSITIONS),
    }
    return _PART.sub(lambda found: f"{found[1]}{parts[found[2]]}{found[3]}", document)


def main() -> None:
    """Write the document anew."""
    DOCUMENT.write_text(regenerated(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
