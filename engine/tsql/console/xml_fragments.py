"""`Fragments`: what the xml method query finds, written as xml with the namespaces that it needs."""

from __future__ import annotations

from io import StringIO
from typing import Final

from engine.tsql.console.texts import check_length
from engine.tsql.console.xml_paths import SEPARATOR
from engine.tsql.spending import spend

_XML: Final = "http://www.w3.org/XML/1998/namespace"
_IN_TEXT: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#x0D;"}
_IN_ATTRIBUTE: Final = {**_IN_TEXT, '"': "&quot;", "\t": "&#x09;", "\n": "&#x0A;"}
_TEXT_TABLE, _ATTRIBUTE_TABLE = str.maketrans(_IN_TEXT), str.maketrans(_IN_ATTRIBUTE)
_NOTHING: Final[dict[str, str | None]] = {}


class _Fragment:
    """One piece that is found, up to here."""

    def __init__(self, place: int) -> None:
        self.place: Final = place
        """Its number among the pieces that are kept."""
        self.written = StringIO()
        self.depth = 0
        self.names: list[str] = []
        self.spaces: dict[str, str] = {"": "", "xml": _XML}
        """Namespaces by their prefixes, where the fragment is now."""
        self._before: list[dict[str, str | None]] = []
        """Of each element that is open: the namespaces that its declarations have covered, None for none."""
        self.is_tag_open = False

    def go_down(self) -> None:
        """An element begins."""
        self.depth += 1
        self.names.append("")
        self._before.append(_NOTHING)

    def declare(self, declared: dict[str, str]) -> None:
        """Declarations of the element that began last."""
        if declared:
            self._before[-1] = {prefix: self.spaces.get(prefix) for prefix in declared}
            self.spaces.update(declared)

    def go_up(self) -> str:
        """An element is over. Returns its name."""
        self.depth -= 1
        for prefix, space in self._before.pop().items():
            if space is None:
                del self.spaces[prefix]
            else:
                self.spaces[prefix] = space
        return self.names.pop()


class Fragments:
    """Collects elements and texts in the order of the document; one may be inside of another."""

    takes_one, needs_text = False, True

    def __init__(self) -> None:
        self._open: list[_Fragment] = []
        self._kept: list[str] = []
        """Those that began with the outermost one that is open, or after it; an empty text for one that is open."""
        self._written = StringIO()
        """Those before."""
        self._length = 0

    def written(self) -> str:
        """All of them, one behind the other."""
        return self._written.getvalue()

    def begin(self, name: str, attributes: dict[str, str], *, is_found: bool) -> None:
        """An element begins; the one around the document has no name and is not written."""
        spend()
        if is_found:
            self._begin_fragment()
        for fragment in self._open:
            fragment.go_down()
            if name:
                self._begin_in(fragment, name, attributes)

    def say(self, text: str, *, is_markup: bool = False) -> None:
        """Text of the element that is open, or a comment or an instruction as it is written."""
        for fragment in self._open:
            self._write(fragment, text if is_markup else text.translate(_TEXT_TABLE))

    def end(self) -> bool:
        """An element is over."""
        for fragment in self._open:
            name = fragment.go_up()
            if name and fragment.is_tag_open:
                fragment.is_tag_open = False
                self._write(fragment, "/>")
            elif name:
                self._write(fragment, f"</{name}>")
        is_over = bool(self._open) and self._open[-1].depth == 0
        if is_over:
            self._end_fragment()
        return is_over

    def take(self, text: str) -> None:
        """A text that is found."""
        self._begin_fragment()
        self._write(self._open[-1], text.translate(_TEXT_TABLE))
        self._end_fragment()

    def _begin_fragment(self) -> None:
        self._open.append(_Fragment(len(self._kept)))
        self._kept.append("")

    def _end_fragment(self) -> None:
        fragment = self._open.pop()
        self._kept[fragment.place] = fragment.written.getvalue()
        if not self._open:
            self._written.writelines(self._kept)
            self._kept.clear()

    def _begin_in(self, fragment: _Fragment, name: str, attributes: dict[str, str]) -> None:
        declared: dict[str, str] = {}
        written = [f"<{self._spelled(fragment, name, declared)}"]
        fragment.names[-1] = written[0][1:]
        for attribute, value in attributes.items():
            spend()
            spelled = self._spelled(fragment, attribute, declared, is_attribute=True)
            written.append(f' {spelled}="{value.translate(_ATTRIBUTE_TABLE)}"')
        for prefix, space in declared.items():
            shown = f"xmlns:{prefix}" if prefix else "xmlns"
            written.append(f' {shown}="{space.translate(_ATTRIBUTE_TABLE)}"')
        fragment.declare(declared)
        self._write(fragment, "".join(written))
        fragment.is_tag_open = True

    @staticmethod
    def _spelled(fragment: _Fragment, name: str, declared: dict[str, str], *, is_attribute: bool = False) -> str:
        """A name with its prefix; what is not declared in the fragment yet is added to `declared`."""
        space, local, prefix = ([*name.split(SEPARATOR), ""] if SEPARATOR in name else ["", name, ""])[:3]
        if not (is_attribute and not space) and declared.get(prefix, fragment.spaces.get(prefix)) != space:
            declared[prefix] = space
        return f"{prefix}:{local}" if prefix else local

    def _write(self, fragment: _Fragment, text: str) -> None:
        if fragment.is_tag_open:
            fragment.is_tag_open = False
            text = ">" + text if text != "/>" else text
        self._length += len(text)
        check_length(self._length)
        fragment.written.write(text)
