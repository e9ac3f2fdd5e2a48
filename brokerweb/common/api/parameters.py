"""Query parameters, as strict as bodies: one that nobody reads is refused."""

from __future__ import annotations

from django.http import HttpRequest

from brokerweb.common.api.shape import Request
from brokerweb.common.errors import UnknownParameter


def refuse_unknown(request: HttpRequest, asked: Request) -> None:
    """`UnknownParameter` for the first query parameter that is no field of what was asked.

    The framework hands over only the parameters it knows, so that `extra="forbid"` never sees the others.
    """
    known = [field.alias or name for name, field in type(asked).model_fields.items()]
    for name in request.GET:
        if name not in known:
            raise UnknownParameter(f"The address has a parameter {name}, which it does not take: {', '.join(known)}.")
