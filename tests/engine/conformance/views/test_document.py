"""docs/protocol/views.md says what the code does: its generated parts are fresh."""

from tests.support.views_document import DOCUMENT, regenerated

TEXT = DOCUMENT.read_text(encoding="utf-8")


def test_the_generated_parts_are_fresh():
    assert regenerated(TEXT) == TEXT, "run: make docs"


def test_a_stale_part_is_found():
    stale = TEXT.replace("| route_id | int | no |", "| route_id | bigint | no |")
    assert stale != TEXT
    assert regenerated(stale) == TEXT
