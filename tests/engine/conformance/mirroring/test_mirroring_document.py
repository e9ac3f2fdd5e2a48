"""docs/protocol/mirroring.md says what the code does."""

from tests.support.mirroring_document import DOCUMENT, regenerated

TEXT = DOCUMENT.read_text(encoding="utf-8")


def test_the_state_machines_of_the_document_are_those_of_the_code():
    assert regenerated(TEXT) == TEXT, "run: make docs"


def test_a_stale_part_is_written_anew():
    stale = TEXT.replace("KNOWN_A --> SEARCHING", "KNOWN_A --> KNOWN_M")
    assert stale != TEXT
    assert regenerated(stale) == TEXT
