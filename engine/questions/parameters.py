"""What questions take: told to whoever fills it in, and read from what was filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec.inspect import Field, FloatType, IntType, Metadata, StructType, Type, UnionType, UUIDType, type_info

from engine.core.catalog.address import parse_broker_instance
from engine.core.vocabulary.errors import CatalogError
from engine.questions.table import Q

UNUSABLE: Final = 153


class ParameterKind(StrEnum):
    """What is to be chosen or typed."""

    INSTANCE = "instance"
    DATABASE = "database"
    """Of the instance that `instance` names."""
    SERVICE = "service"
    """Of the database that `database` names, or of the estate where the question names none."""
    TO_SERVICE = "to_service"
    """Any name of a service, also of one that is nowhere."""
    BROKER_INSTANCE = "broker_instance"
    INTEGER = "integer"
    NUMBER = "number"


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One of what a question takes."""

    name: str
    kind: ParameterKind
    is_required: bool
    default: float | None = None
    """Of a number that is left out; names that are left out mean all."""
    minimum: float | None = None
    maximum: float | None = None


def parameters_of(question: type[msgspec.Struct]) -> tuple[Parameter, ...]:
    """What a question takes, in the order in which it is filled in."""
    return tuple(_told(field) for field in _fields(question))


def read(name: str, question: type[Q], given: Mapping[str, object]) -> Q:
    """The question `name` with what was given; numbers and ids may be texts, and None is left out.

    Raises `CatalogError` 153 for what it does not take, lacks, or for a value that is none or out of its range.
    """
    fields = {field.name: _told(field) for field in _fields(question)}
    for key in given:
        if key not in fields:
            raise CatalogError(UNUSABLE, value=key, name=name, detail="the question takes nothing of this name")
    found: dict[str, Any] = {}
    for each in fields.values():
        value = given.get(each.name)
        if value is not None and value != "":
            found[each.name] = _read(each, value)
        elif each.is_required:
            raise CatalogError(UNUSABLE, value="Nothing", name=each.name, detail="the question needs it")
    return question(**found)


def _read(parameter: Parameter, value: object) -> object:
    match parameter.kind:
        case ParameterKind.INTEGER | ParameterKind.NUMBER:
            return _in_range(parameter, value)
        case _ if not isinstance(value, str):
            raise CatalogError(UNUSABLE, value=str(value), name=parameter.name, detail="it is no name")
        case ParameterKind.BROKER_INSTANCE:
            return parse_broker_instance(value)
        case _:
            return value


def _in_range(parameter: Parameter, value: object) -> float:
    number = _number(value)
    is_whole = parameter.kind is ParameterKind.INTEGER
    if number is None or (is_whole and number != int(number)):
        detail = "it is no whole number" if is_whole else "it is no number"
        raise CatalogError(UNUSABLE, value=f"'{value}'", name=parameter.name, detail=detail)
    low, high = parameter.minimum, parameter.maximum
    assert low is not None, "numbers of questions have a range"
    assert high is not None, "numbers of questions have a range"
    if not low <= number <= high:
        detail = f"it must be between {low:g} and {high:.15g}"
        raise CatalogError(UNUSABLE, value=str(value), name=parameter.name, detail=detail)
    return int(number) if is_whole else number


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) <= 1e300 else None


def _fields(question: type[msgspec.Struct]) -> Iterator[Field]:
    found = type_info(question)
    assert isinstance(found, StructType), "questions are structs"
    yield from found.fields


def _told(field: Field) -> Parameter:
    kind = _bare(field.type)
    limits = (kind.ge, kind.le) if isinstance(kind, IntType | FloatType) else (None, None)
    default = field.default if isinstance(field.default, int | float) else None
    return Parameter(
        name=field.name,
        kind=_kind(field.name, kind),
        is_required=field.required,
        default=default,
        minimum=limits[0],
        maximum=limits[1],
    )


def _bare(kind: Type) -> Type:
    """The type of a value that is there."""
    while isinstance(kind, Metadata | UnionType):
        kind = kind.type if isinstance(kind, Metadata) else kind.types[0]
    return kind


def _kind(name: str, kind: Type) -> ParameterKind:
    match kind:
        case IntType():
            return ParameterKind.INTEGER
        case FloatType():
            return ParameterKind.NUMBER
        case UUIDType():
            return ParameterKind.BROKER_INSTANCE
        case _:
            return ParameterKind(name)
