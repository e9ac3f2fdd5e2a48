"""docs/protocol/dialogs.md says what the table says."""

from engine.core.dialog.states import TABLE
from tests.support.dialog_document import DOCUMENT, generated_parts
from tests.support.generated import filled


def test_the_generated_parts_are_up_to_date():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert filled(text, generated_parts()) == text, "make docs"


def test_the_document_holds_every_transition_and_an_arrow_for_each_change_of_state():
    parts = generated_parts()
    assert parts["transitions"].count("\n| ") == len(TABLE) + 1
    changes = {(each.state, each.after) for each in TABLE if each.state is not each.after}
    assert parts["state-diagram"].count("-->") == len(changes)
    assert set(parts) == {"state-diagram", "transitions"}
    assert all(f"<!-- generated: {name} -->" in DOCUMENT.read_text(encoding="utf-8") for name in parts)
