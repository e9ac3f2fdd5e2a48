"""The numbered texts in other languages than English, under the same numbers; what is missing is said in English.

`error_catalogue.LANGUAGE.toml` beside the English one holds as much as is translated. The vendor translates its texts
in `sys.messages` alike: one text for each number and language, with the same parameters in every one of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

from engine.core.vocabulary.errors import CatalogueEntry

TRANSLATIONS: Final = ("fr", "de")
"""The languages, as HTTP names them, that there are texts in besides English."""


@cache
def catalogue_in(language: str) -> dict[int, CatalogueEntry]:
    """The numbered texts of a language as far as they are translated; none for a language that is not known."""
    if language not in TRANSLATIONS:
        return {}
    name = f"error_catalogue.{language}.toml"
    source = resources.files("engine.core.vocabulary").joinpath(name).read_text("utf-8")
    return {int(number): msgspec.convert(entry, CatalogueEntry) for number, entry in tomllib.loads(source).items()}


def translated(language: str, number: int, parameters: Mapping[str, Any]) -> CatalogueEntry | None:
    """An error's texts in a language, filled in; None when they are to be said in English.

    That is when they are not translated, or when a parameter that they name is not among those given.
    """
    entry = catalogue_in(language).get(number)
    if entry is None:
        return None
    try:
        return CatalogueEntry(
            entry.text.format_map(parameters), entry.why.format_map(parameters), entry.cure.format_map(parameters)
        )
    except KeyError:
        return None
