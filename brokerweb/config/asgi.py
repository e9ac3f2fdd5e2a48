"""The ASGI application: HTTP to Django, websockets to channels, both behind the same sessions and allowed hosts."""

from __future__ import annotations

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.dev")
# Before the consumers are imported: they need the models.
django_application = get_asgi_application()

from brokerweb.config.metrics.websockets import counted_sockets  # noqa: E402
from brokerweb.live.routing import websocket_urlpatterns  # noqa: E402

sockets = URLRouter(websocket_urlpatterns)
application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(counted_sockets(sockets))),
    }
)
