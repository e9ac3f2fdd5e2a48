"""`Texts`: what a scenario says, in every language of the product; `said`: the sentences of gradings."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Final

import msgspec

from engine.core.vocabulary.translations import TRANSLATIONS

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "fr", "de")
"""Every text is there in each of them, or the file is refused."""


class Texts(msgspec.Struct, frozen=True):
    """One text in all languages."""

    en: str
    fr: str
    de: str

    def of(self, language: str) -> str:
        """The text in a language; in English where there is none."""
        return {"fr": self.fr, "de": self.de}.get(language, self.en)


def everywhere(say: Callable[[str], str]) -> Texts:
    """What `say` says, in every language."""
    return Texts(*map(say, LANGUAGES))


def said(language: str, name: str, **parameters: object) -> str:
    """A sentence of `sentences.toml`, filled in; `KeyError` for one that there is not."""
    return sentences_in(language)[name].format_map(parameters)


@cache
def sentences_in(language: str) -> Mapping[str, str]:
    """Every sentence of a language, by name."""
    name = f"sentences.{language}.toml" if language in TRANSLATIONS else "sentences.toml"
    found: dict[str, str] = tomllib.loads(resources.files("engine.training").joinpath(name).read_text("utf-8"))
    return found
