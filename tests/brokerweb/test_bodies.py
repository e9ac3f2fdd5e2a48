"""Bodies are opaque bytes; the console shows them readable where they can be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerweb.operations.bodies import SHOWN_BYTES_MAX, readable_body

PRINTABLE = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1)


@pytest.mark.parametrize(
    ("body", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("Größe 12 — entrepôt".encode(), "Größe 12 — entrepôt", "utf-8"),
        ("Bestellung".encode("utf-16-le"), "Bestellung", "utf-16"),
        ("\ufeffBestellung".encode("utf-16-le"), "Bestellung", "utf-16"),
        (b"\xef\xbb\xbf<Order/>", "<Order/>", "utf-8"),
        (b"<Order>\n\t<Line/>\r\n</Order>", "<Order>\n\t<Line/>\r\n</Order>", "utf-8"),
        (b"\x00\x01\x02", "000102", "hex"),
        (b"\xff", "ff", "hex"),
        (b"\xff\xfe\x00\xd8", "fffe00d8", "hex"),
    ],
)
def test_a_body_is_read_as_what_it_is(body, text, encoding):
    assert readable_body(body) == (text, encoding)


@given(PRINTABLE)
def test_utf_8_is_always_read_back(text):
    assert readable_body(text.encode()) == (text, "utf-8")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
def test_what_n_quotes_send_is_always_read_back(text):
    assert readable_body(text.encode("utf-16-le")) == (text, "utf-16")


@pytest.mark.parametrize(("codec", "encoding"), [("utf-8", "utf-8"), ("utf-16-le", "utf-16")])
@pytest.mark.parametrize("shift", range(4))
def test_a_long_body_is_cut_between_characters(codec, encoding, shift):
    text = "x" * shift + "😀" * SHOWN_BYTES_MAX
    shown, found = readable_body(text.encode(codec))
    assert found == encoding
    assert text.startswith(shown)
    assert SHOWN_BYTES_MAX - 4 < len(shown.encode(codec)) <= SHOWN_BYTES_MAX
