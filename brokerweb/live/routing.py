"""Addresses of websockets, and from whose pages they may be opened."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlparse

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.urls import path

from brokerweb.live.consumers import foreign_socket, live_socket

websocket_urlpatterns = [path("ws/live", live_socket)]

LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
"""What Django serves in debug mode when nothing else is said."""


class OwnPagesOnly(OriginValidator):
    """Lets pages of the allowed hosts through; others are told why not, instead of a bare refusal."""

    def __init__(self, application: Any) -> None:
        super().__init__(application, settings.ALLOWED_HOSTS or (LOCAL_HOSTS if settings.DEBUG else []))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        origins = [value.decode("latin1") for name, value in scope["headers"] if name == b"origin"]
        is_own = len(origins) == 1 and self.valid_origin(urlparse(origins[0]))
        return await (self.application if is_own else foreign_socket)(scope, receive, send)


websockets = OwnPagesOnly(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))
