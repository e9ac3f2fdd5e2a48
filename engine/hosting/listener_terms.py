"""What the catalog says of listening, which change restarts an endpoint, and what prevents it (protocol.md 6)."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from engine.core.catalog.endpoint_rules import credential_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint
from engine.core.vocabulary.dialog_security import SealedKey
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.identifiers import BrokerInstanceId, InstanceName
from engine.transport.link import words

PORT_IN_USE, CANNOT_LISTEN = 9692, 9693
ENDPOINT_CHANGED: Final = 11295
CERTIFICATE_CHANGED: Final = 11296


class ListenerTerms(NamedTuple):
    """The endpoint, what it proves itself with, under which names it is found, and for whom it speaks."""

    endpoint: Endpoint | None
    credential: tuple[bytes, SealedKey | None] | None
    host_names: tuple[str, ...]
    brokers: tuple[BrokerInstanceId, ...]

    @classmethod
    def of(cls, catalog: InstanceCatalog) -> Self:
        """As they are in a catalog."""
        brokers = tuple(each.broker_instance for each in catalog.databases.values())
        return cls(catalog.endpoint, credential_of(catalog), catalog.host_names, brokers)

    def reason_to_restart(self, served: ListenerTerms | None) -> int | None:
        """Why connections of an endpoint that serves under other terms are closed; None when they may stay."""
        if served is None:
            return None
        if served.endpoint != self.endpoint:
            return ENDPOINT_CHANGED
        return CERTIFICATE_CHANGED if served.credential != self.credential else None


def port_in_use(port: int, occupant: InstanceName) -> str:
    """Another instance of the same server listens there."""
    return f"{status_text(PORT_IN_USE, value=port)} by instance {occupant}"


def cannot_listen(error: OSError) -> str:
    """The machine refuses."""
    return status_text(CANNOT_LISTEN, detail=words(error))
