"""Paths of xml: what they find, in which order, and how often."""

import pytest

from engine.tsql.console import xml_values
from engine.tsql.console.failing import StatementFailed

SEVERAL = "several"
LIBRARY = '<l xmlns:p="u"><b id="1"><t>One</t></b> <b id="2"><t>T<i>w</i>o</t><p:t>three</p:t></b><b/></l>'


def found(document, path):
    known = xml_values.path_of(path)
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
        *("", "a", "/a/", "/a[", "/a[1]x", "(/a", "/a)", "//", "/p:a", "/a/@b/c", "/a/text()/b", "/@*", "/a[1234567]"),
        *("/a" * 101, "/" + "a" * 4000),
    ],
)
def test_paths_that_are_not_understood(path):
    assert xml_values.path_of(path) is None


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
