"""The language that a request wants its sentences in, and what the engine says in it: numbered errors and sentences."""

from __future__ import annotations

from typing import Protocol

from django.utils.translation import get_language

from brokerweb.common.errors import NumberedError
from engine import api as engine


class Sentences(Protocol):
    """What an error says: what happened, why, what to do."""

    @property
    def text(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def cure(self) -> str: ...


def asked_language() -> str:
    """`en`, `fr` or `de`: what `Accept-Language` prefers of them, English outside of requests."""
    return get_language() or "en"


def error_words(error: NumberedError) -> Sentences:
    """A numbered error in the asker's language; in English when it is not translated."""
    return engine.translations.translated(asked_language(), error.number, error.parameters) or error


def sentence(text: str) -> str:
    """A sentence that the engine has written in English, in the asker's language; what it did not write stays."""
    return engine.translations.sentence_in(asked_language(), text)
