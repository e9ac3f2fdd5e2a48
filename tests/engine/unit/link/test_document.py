"""docs/protocol/links.md says what the tables of the code say."""

from tests.support.link_document import DOCUMENT, generated_parts, regenerated


def test_the_document_is_what_the_code_says():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == regenerated(text), "stale: make docs"


def test_every_generated_part_has_its_place():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [name for name in generated_parts() if f"<!-- generated: {name} -->" not in text] == []
