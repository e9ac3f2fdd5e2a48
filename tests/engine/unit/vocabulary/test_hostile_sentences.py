"""Sentences that look like words of ours within words of ours, over and over, are read in bounded work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.vocabulary import phrasebook
from engine.core.vocabulary.errors import catalogue
from engine.core.vocabulary.phrasebook import Phrasebook
from engine.core.vocabulary.translations import phrases_in, sentence_in
from tests.support.bounded_process import begin, run_bounded
from tests.support.each import for_each
from tests.support.thoroughness import examples

TEMPLATES = {"a": "{x} is {y}", "b": "the {x} of {y}: {z}.", "c": "{x}, {y}", "d": "{x}{y}", "e": "alone", "f": "{x}!"}


@given(
    name=st.sampled_from(sorted(TEMPLATES)),
    values=st.lists(st.text("ab is,:.!of the", max_size=8), min_size=3, max_size=3),
)
@examples(1000)
def test_what_a_template_has_made_is_found_with_parts_that_make_it_again(name, values):
    text = TEMPLATES[name].format(x=values[0], y=values[1], z=values[2])
    found = dict(Phrasebook(TEMPLATES).found(text))
    assert name in found
    assert all(TEMPLATES[each].format_map(parts) == text for each, parts in found.items())


def test_a_name_stands_in_a_template_once():
    # What comes again would have to be the same, and then the first place is not always the right one.
    templates = [*phrases_in("en").values(), *(entry.text for entry in catalogue().values())]
    names = [[name for _, name, _, _ in phrasebook._FORMATTER.parse(each) if name] for each in templates]
    assert [each for each in names if len(set(each)) < len(each)] == []


def hostile():
    """Everything that the engine says, again and again, as long as it is looked for."""
    for template in [*phrases_in("en").values(), *(entry.text for entry in catalogue().values())]:
        literals = [literal for literal, *_ in phrasebook._FORMATTER.parse(template)]
        for text in ("".join(literals[1:]) * 2000, template * 100, f"{template}, " * 100):
            begin(template[:60])
            sentence_in("fr", (literals[0] + text)[:1998])


def test_every_text_is_read_in_bounded_work():
    assert run_bounded(__name__)


@for_each("language", ["fr", "de"])
def test_words_within_words_are_said(language):
    said = sentence_in(language, "102: Syntax error near 'a', expected an expression")
    assert "an expression" not in said


@pytest.mark.parametrize("text", ["Instance a of estate b cannot be opened: " * 40, ", ".join(["nothing"] * 300)])
def test_nothing_is_read_too_deeply(text):
    assert sentence_in("fr", text)


if __name__ == "__main__":
    hostile()
