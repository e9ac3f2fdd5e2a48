"""docs/protocol/queues.md says what the tables of the code say."""

import re

from tests.support.queues_document import DOCUMENT, generated_parts, regenerated


def test_the_generated_parts_are_the_ones_of_the_code():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert regenerated(text) == text, "run `make docs`"
    assert set(re.findall(r"<!-- generated: (\S+) -->", text)) == set(generated_parts())
