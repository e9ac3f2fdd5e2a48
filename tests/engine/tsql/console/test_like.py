"""LIKE: what a pattern means, held against a matcher that tries everything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tsql.console.failing import StatementFailed
from engine.tsql.console.like import PATTERN_LENGTH_MAX, like
from tests.support.thoroughness import examples


def tried(text, units):
    """Whether a text is what units say, of which each is a star or a set of characters."""
    if not units:
        return not text
    if units[0] is None:
        return any(tried(text[start:], units[1:]) for start in range(len(text) + 1))
    return bool(text) and text[0] in units[0] and tried(text[1:], units[1:])


EVERY = "abcABC-^"
UNITS = {
    "%": None,
    "_": EVERY,
    "a": "aA",
    "B": "bB",
    "[a-b]": "abAB",
    "[^a]": EVERY.translate({ord("a"): None, ord("A"): None}),
    "[b-a]": "",
    "[c-]": "cC-",
    "[^^]": EVERY.replace("^", ""),
    "[^]": "^",
}


@given(text=st.text(EVERY, max_size=7), written=st.lists(st.sampled_from(list(UNITS)), max_size=7))
@examples(2000)
def test_a_pattern_matches_what_some_choice_for_its_stars_matches(text, written):
    assert like(text, "".join(written), None, is_exact=False) == tried(text, [UNITS[each] for each in written])


@pytest.mark.parametrize(
    ("text", "pattern", "escape", "is_exact", "expected"),
    [
        ("50%", "50!%", "!", False, True),
        ("50x", "50!%", "!", False, False),
        ("A", "a", None, True, False),
        ("STRASSE", "stra%", None, False, True),
        ("ΟΔΟΣ", "οδο%σ", None, False, True),
        ("a\nb", "a%b", None, False, True),
        ("[x", "[x", None, False, True),
        ("", "%%", None, False, True),
        ("a" * 300_000 + "b", "%a_b", None, False, True),
        ("a" * 300_000 + "bc", "%a_b", None, False, False),
        ("x" * 131_070 + "needle", "%need%le", None, False, True),
    ],
)
def test_what_patterns_mean(text, pattern, escape, is_exact, expected):
    assert like(text, pattern, escape, is_exact=is_exact) is expected


def test_a_pattern_has_an_end():
    with pytest.raises(StatementFailed) as refused:
        like("a", "a" * (PATTERN_LENGTH_MAX + 1), None, is_exact=False)
    assert refused.value.number == 8657
