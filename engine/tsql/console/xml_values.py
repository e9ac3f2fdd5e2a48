"""The type xml: text of a document, whether it is well formed, and the simplest paths of its `value` method."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Final
from xml.etree import ElementTree
from xml.sax import SAXParseException, handler, make_parser

_DECLARATION: Final = re.compile(r"\s*<\?xml[^>]*\?>")
_NAMESPACES: Final = re.compile(
    r"\s*declare\s+(?:default\s+element\s+namespace|namespace\s+(?P<prefix>[\w-]+)\s*=)\s*(?P<quote>[\"'])(?P<uri>.*?)(?P=quote)\s*;"
)
_PATH: Final = re.compile(
    r"\(?\s*(?P<path>(?://?(?:text\(\)|@?[\w:*.-]+))+)\s*\)?\s*(?:\[\s*(?P<number>\d{1,6})\s*\])?"
)
_STEP: Final = re.compile(r"(//?)([^/]+)")


def text_of(body: bytes) -> str:
    """The document in a message body: UTF-16 with or without its mark, UTF-8, or single bytes."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    if body.startswith(b"\xef\xbb\xbf"):
        return body.decode("utf-8-sig", "replace")
    if body[1:2] == b"\0":
        return body.decode("utf-16-le", "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def check(text: str) -> None:
    """Raises `SAXParseException` where the text is no xml: a piece of a document, or several, are some."""
    parser = make_parser()  # noqa: S317  no document type, so no entities
    parser.setFeature(handler.feature_external_ges, False)
    parser.setContentHandler(handler.ContentHandler())
    parser.setErrorHandler(handler.ErrorHandler())
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise SAXParseException("a document type is not allowed", None, parser)  # type: ignore[arg-type]
    parser.parse(BytesIO(_as_document(text)))


def _as_document(text: str) -> bytes:
    bare = _DECLARATION.sub("", text.removeprefix("\ufeff"), count=1)
    return f"<xml>{bare}</xml>".encode("utf-8", "replace")


def find(text: str, path: str) -> list[str] | None:
    """The texts that a simple path finds, in order; None for a path beyond what is understood here.

    Understood are `/a/b`, `//b`, `@c`, `text()`, `*` and a number in brackets, with namespaces declared before it.
    """
    spaces, rest = _spaces(path)
    found = _PATH.fullmatch(rest.strip())
    if found is None:
        return None
    nodes: list[ElementTree.Element] = [ElementTree.fromstring(_as_document(text))]  # noqa: S314  checked, no entities
    texts: list[str] | None = None
    for slash, step in _STEP.findall(found["path"]):
        if texts is not None:
            return None
        if step == "text()":
            texts = [node.text for node in nodes if node.text]
        elif step.startswith("@"):
            texts = [node.attrib[step[1:]] for node in nodes if step[1:] in node.attrib]
        else:
            name = _qualified(step, spaces)
            if name is None:
                return None
            nodes = [each for node in nodes for each in (node.iter(name) if slash == "//" else node.findall(name))]
    texts = ["".join(node.itertext()) for node in nodes] if texts is None else texts
    number = found["number"]
    return texts if number is None else texts[int(number) - 1 : int(number)] if int(number) > 0 else []


def _spaces(path: str) -> tuple[dict[str, str], str]:
    spaces: dict[str, str] = {}
    while (found := _NAMESPACES.match(path)) is not None:
        spaces[found["prefix"] or ""] = found["uri"]
        path = path[found.end() :]
    return spaces, path


def _qualified(step: str, spaces: dict[str, str]) -> str | None:
    prefix, colon, name = step.rpartition(":")
    if any(mark in step for mark in "()@"):
        return None
    if name == "*":
        return "*"
    space = spaces.get(prefix)
    if colon and space is None:
        return None
    return f"{{{space}}}{name}" if space else name
