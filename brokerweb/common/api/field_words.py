"""What is wrong with a field of a request, in the asker's language, by pydantic's name for the kind of mistake.

English is pydantic's own wording; a kind that is not listed is said in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import get_language
from django.utils.translation import gettext as in_language
from django.utils.translation import gettext_noop as _

OR: Final = _(" or ")
WORDS: Final = {
    "missing": _("Field required"),
    "extra_forbidden": _("Extra inputs are not permitted"),
    "none_required": _("Input should be None"),
    "string_type": _("Input should be a valid string"),
    "string_too_short": _("String should have at least {min_length} characters"),
    "string_too_long": _("String should have at most {max_length} characters"),
    "string_pattern_mismatch": _("String should match pattern '{pattern}'"),
    "int_type": _("Input should be a valid integer"),
    "int_parsing": _("Input should be a valid integer, unable to parse string as an integer"),
    "int_parsing_size": _("Unable to parse input string as an integer, exceeded maximum size"),
    "int_from_float": _("Input should be a valid integer, got a number with a fractional part"),
    "float_type": _("Input should be a valid number"),
    "float_parsing": _("Input should be a valid number, unable to parse string as a number"),
    "finite_number": _("Input should be a finite number"),
    "bool_type": _("Input should be a valid boolean"),
    "bool_parsing": _("Input should be a valid boolean, unable to interpret input"),
    "greater_than": _("Input should be greater than {gt}"),
    "greater_than_equal": _("Input should be greater than or equal to {ge}"),
    "less_than": _("Input should be less than {lt}"),
    "less_than_equal": _("Input should be less than or equal to {le}"),
    "list_type": _("Input should be a valid list"),
    "dict_type": _("Input should be a valid dictionary"),
    "too_short": _("The list should have at least {min_length} items, not {actual_length}"),
    "too_long": _("The list should have at most {max_length} items, not {actual_length}"),
    "literal_error": _("Input should be {expected}"),
    "enum": _("Input should be {expected}"),
    "model_type": _("Input should be an object with fields"),
    "model_attributes_type": _("Input should be a valid dictionary or object to extract fields from"),
    "uuid_type": _("Input should be a valid UUID"),
    "uuid_parsing": _("Input should be a valid UUID, {error}"),
    "datetime_type": _("Input should be a valid datetime"),
    "datetime_parsing": _("Input should be a valid datetime, {error}"),
    "datetime_from_date_parsing": _("Input should be a valid datetime or date, {error}"),
    "timezone_aware": _("Input should have timezone info"),
    "nul_in_text": _("Input should not hold the character U+0000"),
    "url_parsing": _("Input should be a valid URL, {error}"),
}


def flattened(errors: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], int]:
    """One mistake for each unknown name that is listed (`Request`), and how many mistakes there are."""
    mistakes: list[Mapping[str, Any]] = []
    count = 0
    for error in errors:
        context = error.get("ctx") or {}
        mistakes += [{**error, "loc": (*error["loc"], name)} for name in context.get("names", ())] or [error]
        count += context.get("count", 1) if "names" in context else 1
    return mistakes, count


def field_mistake(error: Mapping[str, Any]) -> str:
    """One mistake that pydantic has found, from its error: `type`, `msg`, and what it was filled with, `ctx`."""
    template = WORDS.get(error["type"])
    if template is None or (get_language() or "en") == "en":
        return str(error["msg"])
    context = dict(error.get("ctx") or {})
    if isinstance(expected := context.get("expected"), str):
        context["expected"] = expected.replace(" or ", in_language(OR))
    try:
        return in_language(template).format(**context)
    except KeyError:
        return str(error["msg"])
