"""docs/protocol/security.md names every case of the table and every number."""

from tests.support.security_document import ARRIVING, DOCUMENT, WAITING


def test_the_document_has_every_case_and_every_number():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert "| has none | ON | waits, 9727 | anonymous | waits, 9731" in text
    assert "binding -- binding with ANONYMOUS = ON --> anonymous" in text
    for number in (*WAITING, *ARRIVING):
        assert f"| {number} |" in text
