"""What the documents say of the code is made from the code: no part is stale, missing or left over."""

from enum import StrEnum
from pathlib import Path

import pytest

from tests.support.generated_documents import DOCUMENTS, PROTOCOL, part_names, regenerated
from tests.support.routing_document import DOCUMENT as ROUTING
from tests.support.state_diagrams import diagram, table


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_generated_part_is_fresh_and_in_its_document(path: Path):
    text, parts = path.read_text("utf-8"), DOCUMENTS[path]()
    assert sorted(part_names(text)) == sorted(parts)
    assert regenerated(text, parts) == text, "run: make docs"


def test_no_document_with_generated_parts_is_forgotten():
    assert {path for path in PROTOCOL.glob("*.md") if part_names(path.read_text("utf-8"))} <= DOCUMENTS.keys()


def test_a_stale_part_is_found():
    text = ROUTING.read_text("utf-8")
    stale = text.replace("| 5 | routes name neither", "| 5 | routes name either")
    assert stale != text
    assert regenerated(stale, DOCUMENTS[ROUTING]()) == text


class State(StrEnum):
    """Of a lamp."""

    OFF = "off"
    ON = "switched-on"


class Input(StrEnum):
    """What happens to a lamp."""

    PRESS = "press"
    PULL = "pull"
    WAIT = "wait"


LAMP = {
    (State.OFF, Input.PRESS): State.ON,
    (State.OFF, Input.PULL): State.ON,
    (State.ON, Input.PRESS): State.OFF,
    (State.ON, Input.WAIT): State.ON,
}


def test_a_diagram_has_one_arrow_for_each_pair_of_states():
    assert diagram(LAMP, initial=State.OFF).splitlines() == [
        "```mermaid",
        "stateDiagram-v2",
        "    [*] --> off",
        "    off --> switched_on: press, pull",
        "    switched_on --> off: press",
        "    switched_on --> switched_on: wait",
        "```",
    ]


def test_a_table_has_an_empty_cell_for_what_is_not_allowed():
    assert table(LAMP).splitlines() == [
        "| state | press | pull | wait |",
        "|---|---|---|---|",
        "| off | switched-on | switched-on |  |",
        "| switched-on | off |  | switched-on |",
    ]
