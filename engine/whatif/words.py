"""`said`: the sentences of what-ifs, from `sentences.toml` and `sentences.LANGUAGE.toml`, and nowhere else.

Decisions, losses and ends travel as codes with parameters; whoever asks for words names a language. A language that
there are no sentences in is answered in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from importlib import resources
from typing import Any

from engine.core.routing.precedence import CHOOSE_RULES, MATCH_RULES, ChooseStep, MatchStep, StepRule
from engine.core.vocabulary.errors import Parameter, text_of
from engine.core.vocabulary.translations import TRANSLATIONS, translated

ENGLISH = "en"
SIGNIFICANT_DIGITS = 4
"""Of a share in per cent."""


@cache
def sentences_in(language: str) -> Mapping[str, Mapping[str, str]]:
    """Every section of a language, by the names of its sentences; without the rules of routing."""
    rules = {f"{step}_{part}" for step in ("match", "choose") for part in ("conditions", "effects")}
    return {section: said for section, said in _file(language).items() if section not in rules}


def said(language: str, section: str, name: str, **parameters: object) -> str:
    """A sentence, filled in; `KeyError` for one that there is not."""
    return sentences_in(language)[section][name].format_map(parameters)


def rule_in(language: str, step: MatchStep | ChooseStep) -> StepRule:
    """What a step of routing asks, and what follows."""
    if language not in TRANSLATIONS:
        return MATCH_RULES[step] if isinstance(step, MatchStep) else CHOOSE_RULES[step]
    kind, known = "match" if isinstance(step, MatchStep) else "choose", _file(language)
    number = str(int(step))
    return StepRule(known[f"{kind}_conditions"][number], known[f"{kind}_effects"][number])


def number_said(language: str, number: int, **parameters: Parameter) -> str:
    """A number of the error catalogue with its text, as a sentence: "9750: No route fits service 'S'."."""
    known = translated(language, number, parameters)
    return f"{number}: {text_of(number, **parameters) if known is None else known.text}."


def percent(language: str, share: float) -> str:
    """A share of 1 in per cent, without the sign: "33.33"."""
    text = f"{share * 100:.{SIGNIFICANT_DIGITS}g}"
    return text if language not in TRANSLATIONS else text.replace(".", ",")


def per_cent(language: str, share: float, *, digits: int = 0) -> str:
    """A share of 1 in per cent with its sign: "33%", "33\u00a0%"."""
    text = f"{share:.{digits}%}"
    return text if language not in TRANSLATIONS else text.replace(".", ",").replace("%", "\u00a0%")


def either(language: str, items: Sequence[str]) -> str:
    """One of several: "A, B or C"."""
    return _listed(language, "either", items)


def both(language: str, items: Sequence[str]) -> str:
    """All of several: "A, B and C"."""
    return _listed(language, "both", items)


def clauses(language: str, items: Sequence[str]) -> str:
    """One after another: "A; B; C"."""
    return reduce(lambda first, last: said(language, "lists", "clauses", first=first, last=last), items)


def _listed(language: str, name: str, items: Sequence[str]) -> str:
    if len(items) < 2:
        return "".join(items)
    return said(language, "lists", name, first=", ".join(items[:-1]), last=items[-1])


def _file(language: str) -> dict[str, dict[str, Any]]:
    return _table(f"sentences.{language}.toml" if language in TRANSLATIONS else "sentences.toml")


@cache
def _table(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files("engine.whatif").joinpath(name).read_text("utf-8"))
