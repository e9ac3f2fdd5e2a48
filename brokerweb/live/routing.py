"""Addresses of websockets, and from whose pages they may be opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import ParseResult, urlparse

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.http import HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.urls import path, re_path
from django.utils.http import is_same_domain

from brokerweb.live.consumers import foreign_socket, live_socket, unknown_socket

websocket_urlpatterns = [path("ws/live", live_socket)]

LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
"""What Django serves in debug mode when nothing else is said."""


class OwnPagesOnly(OriginValidator):
    """Lets pages of the allowed hosts and of trusted origins through; others are told why not, not merely refused."""

    def __init__(self, application: Any) -> None:
        super().__init__(application, settings.ALLOWED_HOSTS or (LOCAL_HOSTS if settings.DEBUG else []))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        origins, hosts = (_headers(scope, name) for name in (b"origin", b"host"))
        is_own = len(origins) == 1 and len(hosts) == 1 and self._is_own(origins[0], hosts[0])
        return await (self.application if is_own else foreign_socket)(scope, receive, send)

    def _is_own(self, origin: str, host: str) -> bool:
        """As Django asks of a POST: a page of the host that is asked, port included, or one that is trusted by name.

        Cookies know no ports: any other program of the same machine would be let in with them.
        """
        try:
            asked = urlparse(origin)
            if _place(asked) == _place(urlparse(f"{asked.scheme}://{host}")):
                return bool(self.valid_origin(asked))
        except ValueError:
            return False
        # Django's own reading of the setting, with its wildcards.
        check = CsrfViewMiddleware(lambda _request: HttpResponse())
        is_named = origin in check.allowed_origins_exact
        return is_named or any(
            is_same_domain(asked.netloc, pattern) for pattern in check.allowed_origin_subdomains.get(asked.scheme, ())
        )


def _headers(scope: Any, wanted: bytes) -> list[str]:
    return [value.decode("latin1") for name, value in scope["headers"] if name == wanted]


def _place(url: ParseResult) -> tuple[str | None, int | None]:
    return url.hostname, url.port or {"http": 80, "https": 443}.get(url.scheme)


def guarded(addresses: Sequence[Any]) -> Any:
    """An application of addresses that only our own pages reach, with the session of who asks.

    A websocket at another address is denied (403); it was an error of the server, with a line of the log for each.
    """
    return OwnPagesOnly(AuthMiddlewareStack(URLRouter([*addresses, re_path("", unknown_socket)])))
