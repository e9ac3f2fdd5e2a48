"""Files that somebody has spoilt are refused with places, and never make the reader fall over."""

import string

from hypothesis import given
from hypothesis import strategies as st

from engine.training.reading import read_scenario
from tests.support.thoroughness import examples
from tests.support.training_files import FILES, SMALL

SHIPPED = FILES[0].read_text("utf-8")
WORDS = [
    "null", "~", "[]", "{}", "|", ">", "-1", "1e999", "&a", "*a", "!!binary x", "'", '"', ": ", "#", "\t", "\n", "  ",
    "[[[[", "99999999999999999999999999", "2026-99-99", "sys.routes", "CREATE ROUTE", "GO", "\u2028", "é", "\ud7ff",
]  # fmt: skip


def check(text: str) -> None:
    scenario, faults = read_scenario("m.yaml", text)
    assert (scenario is None) is bool(faults)
    lines = text.count("\n") + 2
    for fault in faults:
        assert 1 <= fault.line <= lines
        assert fault.column >= 1
        assert fault.text.split(":")[0].isdigit(), fault


@examples(300)
@given(st.data())
def test_pieces_are_replaced(data: st.DataObject):
    text = SMALL
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 40, len(text))))
        piece = data.draw(st.sampled_from(WORDS) | st.text(string.printable, max_size=8))
        text = text[:start] + piece + text[end:]
    check(text)


@examples(40)
@given(st.data())
def test_lines_of_a_shipped_file_are_lost_doubled_and_moved(data: st.DataObject):
    lines = SHIPPED.split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(["lose", "double", "move", "indent"])):
            case "lose":
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "move":
                lines.insert(data.draw(st.integers(0, len(lines) - 1)), lines.pop(at))
            case _:
                lines[at] = " " + lines[at]
    check("\n".join(lines))


@examples(100)
@given(st.text(max_size=60))
def test_any_text(text: str):
    check(text)
