"""Problems of the server itself: it has too much to do."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from brokerweb.common.errors import WebProblem


class ServerBusy(WebProblem):
    """The server has as much to do as it takes at once."""

    code = "server-busy"
    usual_why = gettext_lazy("Connections and memory have a bound, so that the broker beside them goes on working.")
    usual_cure = gettext_lazy("Try again in a moment.")
