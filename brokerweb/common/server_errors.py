"""Problems of the server itself: it has too much to do, or no room."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from brokerweb.common.errors import WebProblem


class ServerBusy(WebProblem):
    """The server has as much to do as it takes at once."""

    code = "server-busy"
    retry_seconds = 5
    """After how long the request may be repeated, as `Retry-After` says."""
    usual_why = gettext_lazy("Connections and memory have a bound, so that the broker beside them goes on working.")
    usual_cure = gettext_lazy("Try again in a moment.")


class StorageFull(WebProblem):
    """A disk that something was to be written to is full."""

    code = "disk-full"
    usual_why = gettext_lazy("What is not on the disk does not count, so nothing was done.")
    usual_cure = gettext_lazy("Make room there, then try again.")
