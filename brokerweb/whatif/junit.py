"""Results of assertions as JUnit XML, which every CI reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from xml.etree import ElementTree as Xml

from engine import api as engine

_UNPRINTABLE: Final = re.compile("[^\t\n\r -\ud7ff\ue000-�\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""

Places = Mapping[str, tuple[str, int]]


def junit_xml(results: Sequence[engine.assertions.AssertionResult], suite: str, places: Places) -> bytes:
    """One suite; a case for each assertion, with the file and line in which it stands (`places`, by name)."""
    failures = sum(not result.passed for result in results)
    counts = {"tests": str(len(results)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = Xml.Element("testsuites", counts)
    group = Xml.SubElement(root, "testsuite", {"name": _text(suite), **counts})
    for result in results:
        name = result.assertion.name
        attributes = {"name": _text(name), "classname": _text(suite)}
        if name in places:
            file, line = places[name]
            attributes |= {"file": _text(file), "line": str(line)}
        case = Xml.SubElement(group, "testcase", attributes)
        if not result.passed:
            message = f"expected: {result.expected}; found: {result.actual}"
            failure = Xml.SubElement(case, "failure", {"message": _text(message), "type": ", ".join(result.failed)})
            failure.text = _text("\n".join([message, *filter(None, [result.why]), *result.proof]))
    Xml.indent(root)
    return Xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _text(text: str) -> str:
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)
