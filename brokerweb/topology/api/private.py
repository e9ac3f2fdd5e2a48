"""The one guard before every operation of the API that is asked about a private estate."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from brokerweb.common.api.parameters import CHANGE_SET
from brokerweb.common.sandbox_errors import SandboxHasNone
from brokerweb.topology.private_estates import admitted, is_private

Operation = Callable[..., Any]


def guard_private(*, looks: Collection[str], acts: Collection[str]) -> Callable[[Operation], Operation]:
    """Decorator of every operation: of private estates those of `looks` read, and those of `acts` are their owner's.

    Both are names of operations. Everything else has no meaning there, and answers `SandboxHasNone`; who may not see
    the private estate hears what they hear of a name that no estate has.
    """

    def decorator(operation: Operation) -> Operation:
        # A function that would hide a service is called as its operation with an underline.
        name = operation.__name__.rstrip("_")

        @wraps(operation)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            estate = kwargs.get("estate")
            if isinstance(estate, str) and is_private(estate):
                admitted(estate, request.auth, acts=name in acts)  # type: ignore[attr-defined]
                if (name not in looks and name not in acts) or CHANGE_SET in request.GET:
                    raise SandboxHasNone(
                        _("{method} {path}: a sandbox has nothing of the kind.").format(
                            method=request.method, path=request.path
                        )
                    )
            return operation(request, *args, **kwargs)

        return answer

    return decorator
