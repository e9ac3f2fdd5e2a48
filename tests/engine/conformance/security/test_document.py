"""docs/protocol/security.md says what the tables say."""

from tests.support.security_document import ARRIVING, DOCUMENT, WAITING, regenerated


def test_the_generated_parts_are_up_to_date():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert regenerated(text) == text, "run `make docs`"


def test_the_generated_parts_are_there():
    text = regenerated(DOCUMENT.read_text(encoding="utf-8"))
    assert "| has none | ON | waits, 9727 | anonymous | waits, 9731" in text
    assert "binding -- binding with ANONYMOUS = ON --> anonymous" in text
    for number in (*WAITING, *ARRIVING):
        assert f"| {number} |" in text
