"""Paths of xml: what they find, in which order, and how often."""

import tracemalloc

import pytest

from engine.tsql.console import xml_values
from engine.tsql.console.failing import StatementFailed
from engine.tsql.console.xml_paths import path_of
from tests.support.console_world import Consoles

SEVERAL = "several"
LIBRARY = '<l xmlns:p="u"><b id="1"><t>One</t></b> <b id="2"><t>T<i>w</i>o</t><p:t>three</p:t></b><b/></l>'


def found(document, path):
    known = path_of(path)
    assert known is not None
    try:
        value = xml_values.value(document, known)
    except xml_values.SeveralFound:
        value = SEVERAL
    assert xml_values.exists(document, known) == (value is not None)
    return value


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/l/b/t", SEVERAL),
        ("(/l/b/t)[1]", "One"),
        ("(/l/b/t)[2]", "Two"),
        ("(/l/b/t)[3]", None),
        ("(/l/b/t)[0]", None),
        ("(//t/text())[2]", "T"),
        ("(//t/text())[3]", "o"),
        ("(//t//text())[3]", "w"),
        ("(//@id)[2]", "2"),
        ("(/l//@id)[1]", "1"),
        ("/l/@id", None),
        ("/l/b/i", None),
        ("/*/*/*/i", "w"),
        ("/l", "One Twothree"),
        ("//l", "One Twothree"),
        ("//xml", None),
        ("declare namespace q='u'; //q:t", "three"),
        ("declare namespace q='u'; //q:*", "three"),
        ('declare default element namespace "u"; //t', "three"),
        (" ( /l/b/t ) [ 1 ] ", "One"),
        ("/l[1]/b[1]/t[1]", "One"),
        ("l[1]/b[2]/t[1]", "Two"),
        ("/l/b[1]/@id", "1"),
        ("/l[1]/b[2]/@id", "2"),
        ("/l/b[3]/@id", None),
        ("/l/b[4]", None),
        ("/l/b[0]", None),
        ("/l/b/t[1]", SEVERAL),
        ("(/l/b/t[1])[2]", "Two"),
        ("(/l/b)[2]/t[1]", "Two"),
        ("(/l/b)[2]/*[2]", "three"),
        ("(/l/b)[2]//i", "w"),
        ("((//b)[2]/t)[1]", "Two"),
        ("//b[2]/t", "Two"),
        ("//*[2]/i", None),
        ("//b[2]/*:t", SEVERAL),
        ("/*:l/*:b/*:i", None),
        ("/l/b[2]/t/text()[2]", "o"),
        ("/l/b/@id[1]", SEVERAL),
        ("/l/b[1]/@id[2]", None),
        (".", "One Twothree"),
        ("(/)[1]", "One Twothree"),
        ("(.)[2]", None),
    ],
)
def test_paths_find(path, expected):
    assert found(LIBRARY, path) == expected


@pytest.mark.parametrize(
    ("path", "count"),
    [("/a//a", 29), ("//a", 30), ("//a//a", 29), ("//a//a//a//a", 27), ("//a/a", 29), ("/a//a//a/a", 27)],
)
def test_each_element_is_found_once_however_many_ways_lead_there(path, count):
    document = "".join(f"<a n='{number}'>" for number in range(30)) + "</a>" * 30
    assert found(document, f"({path}/@n)[{count}]") == "29"
    assert found(document, f"({path}/@n)[{count + 1}]") is None


@pytest.mark.parametrize(
    "path",
    [
        *("a b", "..", "/a/..", "/.", "/a[@b='c']", "count(/a)", "@a", "(/a)[1][1]", "((/a)[1])[1]", "(/a),(/b)"),
        *(
            "(" * 20 + "/a" + ")" * 20,
            "/a/child::b",
            "/1a",
            "/a/",
            "/a[",
            "/a[1]x",
            "(/a",
            "/a)",
            "//",
            "/p:a",
            "/a/@b/c",
            "/a/text()/b",
            "/@*",
            "/a[1234567]",
        ),
        *("/a" * 101, "/" + "a" * 4000),
    ],
)
def test_paths_that_are_not_understood(path):
    assert path_of(path) is None


@pytest.mark.parametrize(
    ("text", "line", "column", "detail"),
    [
        ("x<a", 1, 4, "not well-formed (invalid token)"),
        ("\n\n <?xml version='1.0'?>\n<a></b>", 4, 6, "mismatched tag"),
        (" <?xml version='1.0'?><a></b>", 1, 28, "mismatched tag"),
        ("<a>&x;</a>", 1, 4, "undefined entity"),
        ("<!DOCTYPE a><a/>", 1, 3, "a document type is not allowed"),
        ("<a/><?xml version='1.0'?>", 1, 5, "XML or text declaration not at start of entity"),
    ],
)
def test_mistakes_have_their_place_in_the_text(text, line, column, detail):
    with pytest.raises(xml_values.NotWellFormed) as refused:
        xml_values.check(text)
    assert (refused.value.line, refused.value.column, refused.value.detail) == (line, column, detail)


@pytest.mark.parametrize(
    "text",
    ["", " ", "<a/><b/>", "x", "<a><![CDATA[<!DOCTYPE]]></a>", "\ufeff<?xml version='1.0' encoding='utf-16'?><a/>"],
)
def test_pieces_of_documents_are_xml(text):
    xml_values.check(text)


def test_elements_inside_of_each_other_have_a_bound():
    deep = "<a>" * xml_values.DEPTH_MAX
    xml_values.check(deep + "</a>" * xml_values.DEPTH_MAX)
    with pytest.raises(StatementFailed) as refused:
        xml_values.check(deep + "<a/>" + "</a>" * xml_values.DEPTH_MAX)
    assert refused.value.number == 6335


def fragments(document, path):
    known = path_of(path)
    assert known is not None
    return xml_values.fragments(document, known)


@pytest.mark.parametrize(
    ("document", "path", "expected"),
    [
        ("<a><b>1</b><b/></a>", "/a/b", "<b>1</b><b/>"),
        ("<a><b>1</b><b/></a>", "/a/b[2]", "<b/>"),
        ("<a><b>1</b><b/></a>", "(/a/b)[1]", "<b>1</b>"),
        ("<a><b>1</b></a>", "/a/c", ""),
        ("<a><a>1</a></a>", "//a", "<a><a>1</a></a><a>1</a>"),
        ("<a>x &lt; y<!--c--><?p q?></a>", "/a", "<a>x &lt; y<!--c--><?p q?></a>"),
        ("<a>x &lt; y</a>", "/a/text()", "x &lt; y"),
        ("<a b='&quot;&amp;&#10;'/>", "/a", '<a b="&quot;&amp;&#x0A;"/>'),
        ("x<a/>", ".", "x<a/>"),
        ("<a xmlns='u'><b/></a>", "/*/*", '<b xmlns="u"/>'),
        ("<p:a xmlns:p='u'><p:b p:c='1' d='2'><b/></p:b></p:a>", "/*/*", '<p:b p:c="1" d="2" xmlns:p="u"><b/></p:b>'),
        ("<a xmlns='u'><b xmlns='v' xml:lang='en'/></a>", "/*", '<a xmlns="u"><b xml:lang="en" xmlns="v"/></a>'),
    ],
)
def test_query_writes_what_a_path_finds(document, path, expected):
    found = fragments(document, path)
    assert found == expected
    xml_values.check(found)


@pytest.mark.slow
def test_fragments_inside_of_each_other_have_a_bound():
    with pytest.raises(StatementFailed) as refused:
        fragments("<a>" * 5000 + "</a>" * 5000, "//a")
    assert refused.value.number == 8657


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ("<a/>" * 30_000, "/a"),
        ("<a>x</a>" * 30_000, "/a/text()"),
        (
            "".join(f"<p{n}:a xmlns:p{n}='{n}'>" for n in range(2_000))
            + "".join(f"</p{n}:a>" for n in reversed(range(2_000))),
            "/*",
        ),
    ],
)
def test_what_query_finds_takes_memory_by_its_length(document, path):
    tracemalloc.start()
    try:
        fragments(document, path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("depth", [1, 3])
def test_a_namespace_counts_until_its_element_ends(depth):
    inner = "<p:b xmlns:p='v'/>" * depth
    found = fragments(f"<r><p:a xmlns:p='u'>{inner}<p:c/></p:a></r>", "/r/*")
    assert found == f'<p:a xmlns:p="u">{inner.replace(chr(39), chr(34))}<p:c/></p:a>'


DOCUMENT = "DECLARE @x xml = N'<Payment><Status k=\"7\">2</Status><Status>3</Status></Payment>';\n"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("@x.value('/Payment[1]/Status[1]', 'int')", 2),
        ("@x.value('Payment[1]/Status[2]', 'int')", 3),
        ("@x.value('/Payment[1]/Status[1]/@k', 'bigint')", 7),
        ("@x.exist('/Payment/Status[2]')", True),
        ("@x.exist('/Payment/Status[3]')", False),
        ("@x.query('/Payment/Status[2]')", "<Status>3</Status>"),
        ("@x.query('/Payment/Status[1]').value('.', 'int')", 2),
        ("CAST(@x.query('/Payment/Nothing') AS nvarchar(9))", ""),
    ],
)
def test_methods_take_positions(expression, expected):
    assert Consoles().open().rows(f"{DOCUMENT}SELECT {expression}") == [(expected,)]


@pytest.mark.parametrize(
    "expression",
    [
        "@x.value('/Payment[Status = 2]', 'int')",
        "@x.query('/Payment/Status/@k')",
        "@x.nodes('/Payment')",
        "@x.value('/Payment[1]')",
        "@x.value(@p, 'int')",
    ],
)
def test_a_path_that_is_not_understood_is_refused_before_its_batch_runs(expression):
    script = f"PRINT 'ran';\nDECLARE @p sysname;\n{DOCUMENT}IF 1 = 0 SELECT {expression};"
    outputs = Consoles().open().run(script)
    assert [(each.number, each.line) for each in outputs] == [(40517, 4)]


def test_a_document_is_not_changed():
    assert Consoles().open().failure(f"{DOCUMENT}SET @x.modify('delete /Payment')").number == 40517


def test_a_column_may_be_named_with_its_table():
    script = f"{DOCUMENT}SELECT t.x.value('Payment[1]/Status[2]', 'int') FROM (SELECT @x AS x) AS t"
    assert Consoles().open().rows(script) == [(3,)]
