"""Sentences that are stored: by the name of a template with what fills it, and worded for whoever reads them.

Each app registers its templates, English ones that are marked for translation, in a module of its own. What is stored
beside them is their English text: for logs, for the hash chain of the audit, and for rows that have nothing else,
those of before there were sayings and those that a person has written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, Final

from django.utils.translation import gettext as in_language
from django.utils.translation import override

Filler = Callable[[Any], str]
"""What a placeholder of a certain name is filled with, in the language of the moment, from what is stored."""

_templates: Final[dict[str, str]] = {}
_fillers: Final[dict[str, Filler]] = {}


class Saying(str):
    """An English sentence that can be said in other languages. `said` is JSON, and what is stored beside the text."""

    said: dict[str, Any]

    def __new__(cls, text: str, said: dict[str, Any]) -> Saying:
        made = super().__new__(cls, text)
        made.said = said
        return made


def register_sayings(templates: Mapping[str, str], fillers: Mapping[str, Filler] | None = None) -> None:
    """Make templates known by name, and how placeholders are filled that hold more than a name or a number."""
    _templates.update(templates)
    _fillers.update(fillers or {})


def saying(name: str, /, **parameters: Any) -> Saying:
    """The sentence of a template; parameters are what JSON can hold. `KeyError` for a template that is not known."""
    with override("en"):
        text = _worded(name, parameters)
    return Saying(text, {"name": name, "parameters": parameters})


def said_of(text: str) -> dict[str, Any] | None:
    """What is stored beside a sentence; None for one that a person has written."""
    return text.said if isinstance(text, Saying) else None


def worded(said: Mapping[str, Any] | None, text: str) -> str:
    """A stored sentence in the asker's language; `text` as it is where nothing else is stored, or known any more."""
    if said is None or said["name"] not in _templates:
        return text
    return _worded(said["name"], said["parameters"])


def _worded(name: str, parameters: Mapping[str, Any]) -> str:
    template = _templates[name]
    wanted = {each for _, each, _, _ in Formatter().parse(template) if each is not None}
    filled = {each: _fillers[each](parameters[each]) if each in _fillers else parameters[each] for each in wanted}
    return in_language(template).format(**filled)
