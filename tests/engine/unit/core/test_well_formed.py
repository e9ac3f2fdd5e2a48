"""Bodies that are to be XML: what is, what is not, and what no body may cost."""

import pytest

from engine.core.dialog import well_formed
from engine.core.dialog.well_formed import xml_fault
from tests.support.bounded_process import begin, run_bounded


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"<a/>", ""),
        ("<?xml version='1.0' encoding='utf-16'?><é/>".encode("utf-16"), ""),
        (b"<!DOCTYPE a SYSTEM 'a.dtd'><a/>", ""),
        (b"<a>" * 10_000 + b"</a>" * 10_000, ""),
        (b"<a>" + b"<b/>" * 600_000 + b"</a>", ""),
        (None, "no element found, line 1, column 1"),
        (b"<a>\n<b></a>", "mismatched tag, line 2, column 6"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "a document type declares something, line 1, column 13"),
        (b"<a>" * 600_000, "more than 10000 elements inside of each other, line 1, column 30004"),
    ],
)
def test_what_keeps_a_body_from_being_xml(body, fault):
    assert xml_fault(body) == fault


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_where_a_body_is_cut_is_not_seen(monkeypatch, size):
    bodies = [b"<a b='c'>&amp;<!-- x --><![CDATA[y]]></a>", b"<a>\n<b></a>", "<é>".encode("utf-16"), b"\xff"]
    whole = [xml_fault(body) for body in bodies]
    monkeypatch.setattr(well_formed, "PIECE", size)
    assert [xml_fault(body) for body in bodies] == whole


def hostile():
    """Bodies whose senders mean harm."""
    chain = "".join(f'<!ENTITY e{number} "&e{number + 1};">' for number in range(200_000))
    for name, body in {
        "a chain of entities": f'<!DOCTYPE a [{chain}<!ENTITY e200000 "x">]><a>&e0;</a>'.encode(),
        "open elements": b"<a>" * 10_000_000,
        "new names": b"<a>" + b"".join(b"<a%d/>" % number for number in range(2_000_000)) + b"</a>",
        "one comment": b"<!--" + b"x" * 100_000_000,
        "one attribute": b'<a b="' + b"x" * 100_000_000,
        "blanks": b" " * 100_000_000,
    }.items():
        begin(name)
        if not xml_fault(body):
            raise AssertionError(name)


@pytest.mark.slow
def test_no_body_costs_much():
    assert run_bounded(__name__)


if __name__ == "__main__":
    hostile()
