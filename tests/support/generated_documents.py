"""Documents with parts that are made from the code, so that they cannot say anything else than the code does.

A part stands between `<!-- generated: its name -->` and `<!-- end -->`. `make docs` writes every part anew, and
`tests/docs/test_generated_documents.py` fails for one that is stale.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.support import (
    diagnosis_document,
    dialog_document,
    forwarding_document,
    identity_document,
    link_document,
    metrics_document,
    mirroring_document,
    questions_document,
    queues_document,
    routing_document,
    security_document,
    views_document,
)

PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol"

DOCUMENTS: Mapping[Path, Callable[[], Mapping[str, str]]] = {
    dialog_document.DOCUMENT: dialog_document.generated_parts,
    forwarding_document.DOCUMENT: forwarding_document.generated_parts,
    link_document.DOCUMENT: link_document.generated_parts,
    queues_document.DOCUMENT: queues_document.generated_parts,
    routing_document.DOCUMENT: routing_document.generated_parts,
    identity_document.DOCUMENT: identity_document.generated_parts,
    mirroring_document.DOCUMENT: mirroring_document.generated_parts,
    metrics_document.DOCUMENT: metrics_document.generated_parts,
    views_document.DOCUMENT: views_document.generated_parts,
    security_document.DOCUMENT: security_document.generated_parts,
    diagnosis_document.DOCUMENT: diagnosis_document.generated_parts,
    questions_document.DOCUMENT: questions_document.generated_parts,
}
"""For each document, what makes its parts by their names."""

_PART = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def regenerated(text: str, parts: Mapping[str, str]) -> str:
    """The document's text with its generated parts as they ought to be."""
    return _PART.sub(lambda found: f"{found[1]}{parts[found[2]]}{found[3]}", text)


def part_names(text: str) -> list[str]:
    """The names of the generated parts, in the order of the document."""
    return [name for _, name, _ in _PART.findall(text)]


def main() -> None:
    """Write every document anew."""
    for path, make_parts in DOCUMENTS.items():
        path.write_text(regenerated(path.read_text("utf-8"), make_parts()), "utf-8")


if __name__ == "__main__":
    main()
