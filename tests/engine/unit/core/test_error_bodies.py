"""What is read of a body that says it is an error."""

import pytest

from engine.core.dialog.error_message import error_body, error_code, error_description


@pytest.mark.parametrize(
    ("body", "code", "description"),
    [
        (error_body(-8489, "a <b> & c"), "-8489", "a <b> & c"),
        (error_body(7, "&" * 3000), "7", "&" * 3000),
        (None, None, ""),
        (b"", None, ""),
        (b"\xff\xfe" + "<Description>never ends".encode("utf-16-le"), None, ""),
        (b"\xff\xfe" + ("<Description>" * 300_000).encode("utf-16-le"), None, ""),
        (b"\xd8" * 4_000_001, None, ""),
    ],
)
def test_codes_and_descriptions(body, code, description):
    assert (error_code(body), error_description(body)) == (code, description)
