"""The generated parts of docs/protocol/mirroring.md: its two state machines."""

from pathlib import Path

from engine.core.mirroring.states import PARTNER_TRANSITIONS, ROUTE_TRANSITIONS
from engine.core.vocabulary.mirrors import MirrorState, PartnerState
from tests.support.state_diagrams import diagram, table

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "mirroring.md"


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {
        "route-diagram": diagram(ROUTE_TRANSITIONS, initial=MirrorState.UNKNOWN),
        "route-table": table(ROUTE_TRANSITIONS),
        "partner-diagram": diagram(PARTNER_TRANSITIONS, initial=PartnerState.INACTIVE),
        "partner-table": table(PARTNER_TRANSITIONS),
    }
