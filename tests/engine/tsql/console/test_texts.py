"""Long texts are worked on in pieces, and nobody sees where one piece ends."""

from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tsql import spending
from engine.tsql.console import texts
from engine.tsql.console.failing import StatementFailed

TEXTS = st.text("aAbB ßΣσςİ\U0001f600", max_size=12)
SIZES = st.integers(1, 5)


@contextmanager
def in_pieces_of(size):
    """How long a piece is."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (spending, texts):
            patch.setattr(module, "PIECE", size)
        yield


@given(one=TEXTS, other=TEXTS, size=SIZES)
def test_texts_compare_as_if_whole(one, other, size):
    with in_pieces_of(size):
        left, right = one.rstrip(" ").casefold(), other.rstrip(" ").casefold()
        assert texts.compare_caseless(one, other) == (left > right) - (left < right)


@given(text=TEXTS, old=TEXTS, new=TEXTS, size=SIZES)
def test_replacing_goes_from_left_to_right_in_any_letter_case(text, old, new, size):
    with in_pieces_of(size):
        made, at = "", 0
        while at < len(text):
            if old and texts._folded(text[at : at + len(old)]) == texts._folded(old):
                made, at = made + new, at + len(old)
            else:
                made, at = made + text[at], at + 1
        assert texts.replaced(text, old, new) == made


@given(text=TEXTS, size=SIZES)
def test_letters_change_one_by_one(text, size):
    with in_pieces_of(size):
        assert texts.changed(text, str.upper) == text.upper()
        assert len(texts.folded(text)) == len(text)
        assert texts.folded(text.upper()) == texts.folded(text) or "ß" in text or "İ" in text


@given(body=st.binary(max_size=24), size=SIZES)
def test_bytes_are_decoded_as_if_whole(body, size):
    with in_pieces_of(size):
        even = body[: len(body) // 2 * 2]
        assert texts.decoded(even, "utf-16-le") == even.decode("utf-16-le", "replace")
        assert texts.decoded(body, "cp1252") == body.decode("cp1252", "replace")
        assert texts.encoded(body.decode("latin-1"), "utf-16-le") == body.decode("latin-1").encode("utf-16-le")


@pytest.mark.parametrize(
    "make",
    [
        lambda: texts.replaced("a" * 3_000, "A", "b" * 7_000),
        lambda: texts.joined(["a" * 5_000_000] * 2),
        lambda: texts.decoded(b"a" * 17_000_000, "utf-16-le"),
    ],
)
def test_no_text_is_made_beyond_the_bound(make):
    with pytest.raises(StatementFailed) as refused:
        make()
    assert refused.value.number == 8657
