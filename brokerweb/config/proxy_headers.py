"""Headers that say what only a proxy can know: what a client writes into them is dropped before anything reads it."""

from __future__ import annotations

from typing import Final

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope
from django.conf import settings

from brokerweb.common.client_address import is_trusted

PROTO: Final = b"x-forwarded-proto"


def without_claims(application: ASGI3Application) -> ASGI3Application:
    """ASGI middleware around everything.

    The dashboard is at the root of its host. Daphne takes another place from the header `Daphne-Root-Path` of any
    client, and all redirects would begin with it. `X-Forwarded-Proto` counts from trusted proxies only, once
    TRUSTED_PROXIES names them.
    """

    async def heard(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] in ("http", "websocket"):
            scope["root_path"] = ""
            connected = str((scope.get("client") or ("",))[0])
            if settings.TRUSTED_PROXIES and not is_trusted(connected, settings.TRUSTED_PROXIES):
                scope["headers"] = [each for each in scope["headers"] if each[0].lower() != PROTO]
        await application(scope, receive, send)

    return heard
