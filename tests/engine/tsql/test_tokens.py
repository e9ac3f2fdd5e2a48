"""Taking a script apart: quotes, comments, and the lines that belong to the client."""

import time

import pytest

from engine.tsql.tokens import Token, TokenKind, Tokens


def all_of(stream: Tokens) -> list[Token]:
    found = [stream[0]]
    while found[-1].kind is not TokenKind.END:
        found.append(stream[len(found)])
    return found


def values(text: str) -> list[str]:
    return [token.value for token in all_of(Tokens(text))[:-1]]


def kinds(text: str) -> list[TokenKind]:
    return [token.kind for token in all_of(Tokens(text))[:-1]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[a]]b]", "a]b"),
        ("[a.b c]", "a.b c"),
        ("[]", ""),
        ('"d""e"', 'd"e'),
        ("'l''été'", "l'été"),
        ("N'l''été'", "l'été"),
        ("n'x'", "x"),
        ("''", ""),
        ("'a\nb'", "a\nb"),
        ("[--]", "--"),
        ("'/*'", "/*"),
    ],
)
def test_quotes_are_taken_off_and_doubled_ones_halved(text: str, value: str) -> None:
    assert values(text) == [value]


def test_words_are_folded_and_keep_their_text() -> None:
    (word, _) = all_of(Tokens("Größe"))
    assert (word.text, word.value) == ("Größe", "GRÖSSE")


def test_block_comments_nest() -> None:
    assert values("a /* b /* c */ d */ e") == ["A", "E"]


def test_a_comment_hides_quotes_and_a_quote_hides_comments() -> None:
    assert values("a -- it's\nb '--' c") == ["A", "B", "--", "C"]


@pytest.mark.parametrize("line", ["GO", "go", "  Go  ", "GO 5", "GO;", "GO -- fin", "GO\r"])
def test_go_alone_on_its_line_ends_a_batch(line: str) -> None:
    assert kinds(f"a\n{line}\nb") == [TokenKind.WORD, TokenKind.SEPARATOR, TokenKind.WORD]


@pytest.mark.parametrize("text", ["GO TO", "x GO", "GO5", "GOTO", "'\nGO\n'", "/*\nGO\n*/"])
def test_go_elsewhere_ends_nothing(text: str) -> None:
    assert TokenKind.SEPARATOR not in kinds(text)


def test_a_line_that_begins_with_a_colon_belongs_to_the_client() -> None:
    assert kinds(":CONNECT PARIS\n!!dir\na:b") == [
        TokenKind.COMMAND,
        TokenKind.COMMAND,
        TokenKind.WORD,
        TokenKind.PUNCTUATION,
        TokenKind.WORD,
    ]


@pytest.mark.parametrize(
    ("text", "expected"), [("a 'b", "'"), ("a [b", "]"), ('a "b', '"'), ("a /* /* */ b", "*/"), ("a N'b", "'")]
)
def test_what_is_never_closed_is_told_with_its_place(text: str, expected: str) -> None:
    stream = Tokens("x\n" + text)
    all_of(stream)
    (unclosed,) = stream.unclosed
    assert (unclosed.expected, unclosed.line) == (expected, 2)
    assert unclosed.column in (3, 4)


def test_after_an_unclosed_quote_reading_goes_on_in_the_next_line() -> None:
    stream = Tokens("a [b\nc")
    assert [token.text for token in all_of(stream)] == ["a", "[b", "c", ""]
    assert stream[1].kind is TokenKind.LOST


def test_lines_and_columns_count_from_one() -> None:
    places = [(token.line, token.column) for token in all_of(Tokens("\ufeffa b\r\n  c"))]
    assert places == [(1, 1), (1, 3), (2, 3), (2, 4)]


def test_comments_of_a_known_form_are_hints() -> None:
    stream = Tokens("x --  Broker_Instance :  abc  \r\n-- note: y")
    all_of(stream)
    (hint,) = stream.hints
    assert (hint.word, hint.value, hint.line) == ("broker_instance", "abc", 1)


def test_every_bracket_that_is_never_closed_is_told_once() -> None:
    stream = Tokens("[a]\n" + "[\n" * 20_000)
    all_of(stream)
    assert [found.line for found in stream.unclosed] == list(range(2, 20_002))
    assert stream[0].kind is TokenKind.QUOTED_NAME


def test_blank_lines_hide_no_client_line() -> None:
    assert kinds("a \n\n \t\n  GO\n\n\n:CONNECT x") == [TokenKind.WORD, TokenKind.SEPARATOR, TokenKind.COMMAND]


def test_tokens_that_are_let_go_leave_the_others_where_they_are() -> None:
    stream = Tokens("a " * 20_000 + "z")
    assert stream[15_000].line == 1
    stream.let_go(14_999)
    assert [token.column for token in stream.between(14_999, 15_001)] == [29_999, 30_001]
    assert (stream[20_000].value, stream[20_001].kind, stream[30_000].kind) == ("Z", TokenKind.END, TokenKind.END)


@pytest.mark.parametrize("text", ["[a ]] b", "'a '' b", '"a "" b', "[]]"])
def test_what_is_doubled_closes_nothing_whatever_follows(text: str) -> None:
    for more in ("", "\nx", "\nx ]] y '' z \"\""):
        stream = Tokens(text + more)
        first = all_of(stream)[0]
        assert (first.kind, first.text) == (TokenKind.LOST, text)


def test_brackets_that_no_bracket_closes_are_read_in_one_pass() -> None:
    start = time.process_time()
    stream = Tokens("[x\n" * 40_000 + "]]")
    all_of(stream)
    assert len(stream.unclosed) == 40_000
    assert time.process_time() - start < 5, "looking for the end of each takes minutes"
