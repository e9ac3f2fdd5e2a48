"""The generated parts of docs/protocol/identity.md: the delivery switch."""

from pathlib import Path

from engine.core.catalog.broker_states import BROKER_TRANSITIONS, BrokerState
from tests.support.state_diagrams import diagram, table

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "identity.md"


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {
        "switch-diagram": diagram(BROKER_TRANSITIONS, initial=BrokerState.ENABLED),
        "switch-table": table(BROKER_TRANSITIONS),
    }
