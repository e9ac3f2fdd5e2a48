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


class _Fragment:
    """One piece that is found, up to here."""

    def __init__(self) -> None:
        self.written = StringIO()
        self.depth = 0
        self.names: list[str] = []
        self.scopes: list[dict[str, str]] = [{"": "", "xml": _XML}]
        """Namespaces by their prefixes, for each element that is open."""
        self.is_tag_open = False


class Fragments:
    """Collects elements and texts in the order of the document; one may be inside of another."""

    takes_one, needs_text = False, True

    def __init__(self) -> None:
        self._open: list[_Fragment] = []
        self._all: list[_Fragment] = []
        self._length = 0

    def written(self) -> str:
        """All of them, one behind the other."""
        return "".join(each.written.getvalue() for each in self._all)

    def begin(self, name: str, attributes: dict[str, str], *, is_found: bool) -> None:
        """An element begins; the one around the document has no name and is not written."""
        spend()
        if is_found:
            self._begin_fragment()
        for fragment in self._open:
            fragment.depth += 1
            fragment.names.append("")
            fragment.scopes.append(fragment.scopes[-1])
            if name:
                self._begin_in(fragment, name, attributes)

    def say(self, text: str, *, is_markup: bool = False) -> None:
        """Text of the element that is open, or a comment or an instruction as it is written."""
        for fragment in self._open:
            self._write(fragment, text if is_markup else text.translate(_TEXT_TABLE))

    def end(self) -> bool:
        """An element is over."""
        for fragment in self._open:
            fragment.depth -= 1
            fragment.scopes.pop()
            name = fragment.names.pop()
            if name and fragment.is_tag_open:
                fragment.is_tag_open = False
                self._write(fragment, "/>")
            elif name:
                self._write(fragment, f"</{name}>")
        is_over = bool(self._open) and self._open[-1].depth == 0
        if is_over:
            self._open.pop()
        return is_over

    def take(self, text: str) -> None:
        """A text that is found."""
        self._begin_fragment()
        self._write(self._open.pop(), text.translate(_TEXT_TABLE))

    def _begin_fragment(self) -> None:
        self._open.append(_Fragment())
        self._all.append(self._open[-1])

    def _begin_in(self, fragment: _Fragment, name: str, attributes: dict[str, str]) -> None:
        declared: dict[str, str] = {}
        written = [f"<{self._spelled(fragment, name, declared)}"]
        fragment.names[-1] = written[0][1:]
        for attribute, value in attributes.items():
            spelled = self._spelled(fragment, attribute, declared, is_attribute=True)
            written.append(f' {spelled}="{value.translate(_ATTRIBUTE_TABLE)}"')
        for prefix, space in declared.items():
            shown = f"xmlns:{prefix}" if prefix else "xmlns"
            written.append(f' {shown}="{space.translate(_ATTRIBUTE_TABLE)}"')
        if declared:
            fragment.scopes[-1] = {**fragment.scopes[-1], **declared}
        self._write(fragment, "".join(written))
        fragment.is_tag_open = True

    @staticmethod
    def _spelled(fragment: _Fragment, name: str, declared: dict[str, str], *, is_attribute: bool = False) -> str:
        """A name with its prefix; what is not declared in the fragment yet is added to `declared`."""
        space, local, prefix = ([*name.split(SEPARATOR), ""] if SEPARATOR in name else ["", name, ""])[:3]
        if not (is_attribute and not space) and {**fragment.scopes[-1], **declared}.get(prefix) != space:
            declared[prefix] = space
        return f"{prefix}:{local}" if prefix else local

    def _write(self, fragment: _Fragment, text: str) -> None:
        if fragment.is_tag_open:
            fragment.is_tag_open = False
            text = ">" + text if text != "/>" else text
        self._length += len(text)
        check_length(self._length)
        fragment.written.write(text)
