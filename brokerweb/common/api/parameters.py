"""Query parameters, as strict as bodies: one that nobody reads is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from brokerweb.common.api.shape import Request
from brokerweb.common.errors import NotInChangeSet, UnknownParameter

CHANGE_SET = "change_set"


def refuse_unknown(request: HttpRequest, asked: Request) -> None:
    """`UnknownParameter` for the first query parameter that is no field of what was asked.

    The framework hands over only the parameters it knows, so that `extra="forbid"` never sees the others.
    """
    known = [field.alias or name for name, field in type(asked).model_fields.items()]
    for name in request.GET:
        if name not in known:
            raise UnknownParameter(
                _("The address has a parameter {name}, which it does not take: {value}.").format(
                    name=name, value=", ".join(known)
                )
            )


def refuse_change_set(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of every operation: `NotInChangeSet` for one that is asked to work in a change set and cannot.

    The framework would not hand over the parameter, and what was meant for a draft would be done to what is live.
    """

    @wraps(operation)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        asked = kwargs.get("asked")
        is_known = CHANGE_SET in kwargs or (isinstance(asked, Request) and CHANGE_SET in type(asked).model_fields)
        if CHANGE_SET in request.GET and not is_known:
            raise NotInChangeSet(
                _("{method} {path} cannot be asked for in a change set.").format(
                    method=request.method, path=request.path
                )
            )
        return operation(request, *args, **kwargs)

    return answer
