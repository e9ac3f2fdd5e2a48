"""The ASGI application: HTTP to Django, websockets to channels, both behind the same sessions and allowed hosts."""

from __future__ import annotations

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

from brokerweb.config.process.heap import return_free_memory, share_heaps
from brokerweb.config.process.refusal import ends_with_a_sentence
from brokerweb.config.process.turns import share_turns

share_heaps()
return_free_memory()
share_turns()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.dev")
# Before the consumers are imported: they need the models.
with ends_with_a_sentence():
    django_application = get_asgi_application()

from brokerweb.common.disconnects import noting_disconnects  # noqa: E402
from brokerweb.config.metrics.websockets import counted_sockets  # noqa: E402
from brokerweb.config.process.warming import warm_up  # noqa: E402
from brokerweb.config.proxy_headers import without_claims  # noqa: E402
from brokerweb.console.routing import websocket_urlpatterns as console_urlpatterns  # noqa: E402
from brokerweb.live.routing import guarded, websocket_urlpatterns  # noqa: E402

warm_up()
application = without_claims(
    ProtocolTypeRouter(
        {
            "http": noting_disconnects(django_application),
            "websocket": counted_sockets(guarded([*websocket_urlpatterns, *console_urlpatterns])),
        }
    )
)
