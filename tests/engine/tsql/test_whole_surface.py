"""Every statement of the T-SQL surface with every option is read, or stepped over for a reason that names it."""

from engine.tsql.parse import parse_script
from tests.support.each import for_each
from tests.support.tsql_corpus import STEPPED_OVER, UNDERSTOOD


@for_each("text", UNDERSTOOD)
def test_it_is_read(text: str) -> None:
    script = parse_script(text, "s.sql")
    assert (script.problems, script.ignored) == ((), ())
    assert len(script.statements) == 1


@for_each(("words", "text"), [(words, text) for words, texts in STEPPED_OVER.items() for text in texts])
def test_it_is_stepped_over_whole_and_the_reason_names_it(words: str, text: str) -> None:
    script = parse_script(f"{text}\nCREATE QUEUE q", "s.sql")
    assert script.problems == ()
    (ignored,) = script.ignored
    assert words in ignored.why
    assert (ignored.line, ignored.column) == (1, 1)
    assert [statement.place.line for statement in script.statements] == [text.count("\n") + 2]


def test_keywords_are_read_in_any_letter_case_and_across_lines() -> None:
    for text in UNDERSTOOD:
        if "'" in text or "[" in text or '"' in text:
            continue
        script = parse_script("\n".join(text.lower().split(" ")), "s.sql")
        assert (script.problems, script.ignored, len(script.statements)) == ((), (), 1), text


def test_all_of_it_in_one_batch_without_a_semicolon() -> None:
    texts = [text.rstrip(";") for text in UNDERSTOOD]
    script = parse_script("\n".join(texts), "s.sql")
    assert script.problems == ()
    assert len(script.statements) == len(texts)
