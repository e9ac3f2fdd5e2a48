"""What the catalog says of listening, and which change of it restarts an endpoint that serves (protocol.md 6)."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from engine.core.catalog.endpoint_rules import credential_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint
from engine.core.vocabulary.dialog_security import SealedKey

ENDPOINT_CHANGED: Final = 11295
CERTIFICATE_CHANGED: Final = 11296


class ListenerTerms(NamedTuple):
    """The endpoint, what it proves itself with, and under which names it is found."""

    endpoint: Endpoint | None
    credential: tuple[bytes, SealedKey | None] | None
    host_names: tuple[str, ...]

    @classmethod
    def of(cls, catalog: InstanceCatalog) -> Self:
        """As they are in a catalog."""
        return cls(catalog.endpoint, credential_of(catalog), catalog.host_names)

    def reason_to_restart(self, served: ListenerTerms | None) -> int | None:
        """Why connections of an endpoint that serves under other terms are closed; None when they may stay."""
        if served is None:
            return None
        if served.endpoint != self.endpoint:
            return ENDPOINT_CHANGED
        return CERTIFICATE_CHANGED if served.credential != self.credential else None
