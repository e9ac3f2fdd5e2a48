"""Texts of a megabyte that make searches look again and again at what they have seen."""

from __future__ import annotations

from collections.abc import Iterator

LENGTH = 1_000_000

UNITS = {
    **{
        f"U+{ord(letter):04X}": letter
        for letter in "aAß\u03a3\u0130 \t\n\r10.-+e'\"[](){}<>%_#@$,;:/\\&|^=*\x01\ufffd\U0001f600"
    },
    **{unit: unit for unit in ("ab", "''", '""', "]]", "<a>", "</a>", "<a/>", "&amp;", "<!--", "<![CDATA[", "<?xml ")},
    **{unit: unit for unit in ("%a", "_%", "//a", "$(", "/*", "--", "1 ", "1.", "GO\n", "[a-z]", "%9999d", "0x")},
}
"""What is repeated, by names that can be printed."""

AROUND = {
    "end": ("", "x"),
    "number": ("1", "x"),
    "float": ("-.1e", "x"),
    "quoted": ("'", ""),
    "tag": ("<a", "/"),
    "attribute": ('<a b="', ""),
    "document": ("<a>", "</a>"),
    "declaration": ("<?xml", "?>"),
    "guid": ("{01234567-89ab-cdef-0123-456789abcdef", "}"),
    "date": ("2026-01-31T", "Z"),
    "set": ("[^", "]"),
    "path": ("(//a", ")[1]"),
    "namespace": ("declare namespace a='", "'; /a"),
}
"""What stands before and behind, so that it nearly fits."""


def repeated(unit: str, before: str = "", after: str = "", length: int = LENGTH) -> str:
    """A text of this length, or a little less."""
    return before + unit * ((length - len(before) - len(after)) // len(unit)) + after


def hostile_texts() -> Iterator[tuple[str, str]]:
    """Names and texts: each unit alone, and a few of them inside of everything."""
    for name, unit in UNITS.items():
        yield name, repeated(unit)
    for around, (before, after) in AROUND.items():
        for unit in ("a", " ", "1", "0", "["):
            yield f"{around} {unit!r}", repeated(unit, before, after)
