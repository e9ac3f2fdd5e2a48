"""The generated part of docs/protocol/forwarding.md: why a forwarder drops a message."""

from pathlib import Path

from engine.core.handlers.forwarding import DROP_REASONS
from engine.core.vocabulary.errors import catalogue

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "forwarding.md"


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    rows = ["| number | what | when |", "|---|---|---|"]
    rows += [f"| {number} | {catalogue()[number].text} | {when} |" for number, when in DROP_REASONS.items()]
    return {"drop-reasons": "\n".join([*rows, ""])}
