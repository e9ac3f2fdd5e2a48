"""docs/protocol/dialogs.md says what the table says."""

from engine.core.dialog.states import ROWS_ELSEWHERE, TABLE
from tests.support.dialog_document import generated_parts


def test_the_document_holds_every_transition_and_an_arrow_for_each_change_of_state():
    parts = generated_parts()
    assert parts["transitions"].count("\n| ") == len(TABLE) + len(ROWS_ELSEWHERE)
    changes = {(each.state, each.after) for each in TABLE if each.state is not each.after}
    assert parts["state-diagram"].count("-->") == len(changes)
    assert set(parts) == {"state-diagram", "transitions"}
