"""The generated part of docs/protocol/forwarding.md: why a forwarder drops a message."""

from pathlib import Path
from typing import Final

from engine.core.forwarding.transmitter import (
    DUPLICATE,
    HOPS_EXHAUSTED,
    OUT_OF_MEMORY,
    OUT_OF_SIZE,
    TIME_OVER_ON_ARRIVAL,
    TIME_OVER_WHILE_WAITING,
)
from engine.core.handlers.forwarding import NO_DESTINATION, NO_OTHER_CONNECTION, NOT_SENT, SHUTTING_DOWN
from engine.core.vocabulary.errors import catalogue

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "forwarding.md"

DROP_REASONS: Final = {
    HOPS_EXHAUSTED: "it arrived with no hop left",
    OUT_OF_MEMORY: "more messages wait here than an instance keeps in memory, however small they are",
    DUPLICATE: "it arrived again while the first copy waits; an unsequenced one takes the place of the older",
    OUT_OF_SIZE: "it arrived, and MESSAGE_FORWARD_SIZE would be exceeded",
    TIME_OVER_WHILE_WAITING: "its link did not come up in time",
    TIME_OVER_ON_ARRIVAL: "it arrived too late",
    NOT_SENT: "its link is up and its buffer is full: the next hop does not read fast enough",
    SHUTTING_DOWN: "the endpoint was stopped or dropped",
    NO_DESTINATION: "the routes of msdb do not lead it to another instance any more, or forwarding was switched off",
    NO_OTHER_CONNECTION: "its connection closed before it was sent, and there is no place to wait for the next one",
}
"""Every number with which a message in transit is dropped, and when (protocol.md 7.4)."""


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    rows = ["| number | what | when |", "|---|---|---|"]
    rows += [f"| {number} | {catalogue()[number].text} | {when} |" for number, when in DROP_REASONS.items()]
    return {"drop-reasons": "\n".join([*rows, ""])}
