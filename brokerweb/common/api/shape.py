"""The base of everything that travels over the API."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any, ClassVar, Final

from ninja import Schema
from pydantic import AfterValidator, ConfigDict, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from engine.api import errors

UNKNOWN_NAMES_MAX: Final = 20
"""Unknown fields of an object that are listed one by one."""


class Shape(Schema):
    """A schema whose fields are explained by the docstrings under them, in the code and in the OpenAPI document."""

    model_config = ConfigDict(use_attribute_docstrings=True)


def _brief(value: Any) -> Any:
    if isinstance(value, str):
        return errors.shortened(value)
    if isinstance(value, dict):
        return {_brief(name): _brief(each) for name, each in value.items()}
    return [_brief(each) for each in value] if isinstance(value, list | tuple) else value


Brief = Annotated[str, AfterValidator(errors.shortened)]
"""A sentence in an answer: what a request has given is cut in it, however long it was."""
BriefValues = Annotated[dict[str, Any], AfterValidator(_brief)]


class Request(Shape):
    """What a client sends. A field that is not known is refused: it is a misspelt one, or one of another version.

    So is a NUL in a text: PostgreSQL keeps none, and other databases end a text there.
    """

    model_config = ConfigDict(extra="forbid")
    takes_any_text: ClassVar[frozenset[str]] = frozenset()
    """Fields whose texts are bytes to the store, bodies and scripts, or are judged under a number before that."""

    @model_validator(mode="before")
    @classmethod
    def without_many_unknown_names(cls, value: Any) -> Any:
        """The value as it is; one mistake, with the first names and their count, for many unknown names.

        Pydantic makes a mistake of each, which takes a hundred times the memory of the name.
        """
        if isinstance(value, dict) and len(value) > UNKNOWN_NAMES_MAX:
            known = {field.alias or name for name, field in cls.model_fields.items()}
            count = sum(name not in known for name in value)
            if count > UNKNOWN_NAMES_MAX:
                unknown = (errors.shortened(name) for name in value if name not in known)
                names = list(islice(unknown, UNKNOWN_NAMES_MAX))
                context = {"names": names, "count": count}
                raise PydanticCustomError("extra_forbidden", "Extra inputs are not permitted", context)
        return value

    @field_validator("*", mode="after")
    @classmethod
    def without_nul(cls, value: Any, info: ValidationInfo) -> Any:
        """The value as it is; a mistake of the field when a text in it holds a NUL."""
        if info.field_name not in cls.takes_any_text and _holds_nul(value):
            raise PydanticCustomError("nul_in_text", "Input should not hold the character U+0000")
        return value


def _holds_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_holds_nul(each) for pair in value.items() for each in pair)
    return isinstance(value, list) and any(map(_holds_nul, value))
