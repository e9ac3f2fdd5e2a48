"""The ASGI application: HTTP to Django, websockets to channels, both behind the same sessions and allowed hosts."""

from __future__ import annotations

import os
import sys

import django
from channels.routing import ProtocolTypeRouter

from brokerweb.config.process.descriptors import raise_descriptor_limit, requests_max
from brokerweb.config.process.heap import return_free_memory, share_heaps
from brokerweb.config.process.refusal import ends_with_a_sentence
from brokerweb.config.process.turns import share_turns

raise_descriptor_limit()
share_heaps()
return_free_memory()
share_turns()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.dev")
# Before the consumers are imported: they need the models.
with ends_with_a_sentence():
    django.setup(set_prefix=False)

    from django.conf import settings

    from brokerweb.config.data_directory import ensure_no_restore

    ensure_no_restore(settings.ENVIRONMENT.data_directory)


from brokerweb.common.disconnects import noting_disconnects  # noqa: E402
from brokerweb.common.request_body import BodyHandler  # noqa: E402
from brokerweb.common.request_line import in_line  # noqa: E402
from brokerweb.config.metrics.websockets import counted_sockets  # noqa: E402
from brokerweb.config.process.warming import warm_up  # noqa: E402
from brokerweb.config.proxy_headers import without_claims  # noqa: E402
from brokerweb.console.routing import websocket_urlpatterns as console_urlpatterns  # noqa: E402
from brokerweb.live.routing import guarded, websocket_urlpatterns  # noqa: E402

if "daphne.server" in sys.modules:
    from brokerweb.config.http.factory import BoundedFactory

    # Whoever starts Daphne, `manage.py run` or its own command: that has no place to name a factory.
    sys.modules["daphne.server"].HTTPFactory = BoundedFactory  # type: ignore[attr-defined]

warm_up()
application = without_claims(
    ProtocolTypeRouter(
        {
            "http": in_line(noting_disconnects(BodyHandler()), requests_max()),
            "websocket": counted_sockets(guarded([*websocket_urlpatterns, *console_urlpatterns])),
        }
    )
)
