"""Statements that are read whole and change nothing here, each with its reason."""

from __future__ import annotations

from typing import Final

from engine.core.vocabulary.identifiers import InstanceName
from engine.tsql.security_statements import AlterCertificate, SetConnectPermission
from engine.tsql.statements import AlterEndpoint, Drop, DroppedKind, MaintainQueue, MirroringEndpoint, Statement

_HOUSEKEEPING: Final = "Housekeeping of the queue's storage, which is not modelled."
_PRIVATE_KEY: Final = "No private key is taken from a script or a file; the certificate stays as it is."
_MIRRORING: Final = "The endpoint of database mirroring is not modelled: partners are told by SET PARTNER."


class Unmodelled:
    """Follows an import: what is said about an endpoint of mirroring says nothing about the broker's."""

    def __init__(self) -> None:
        self._endpoints: set[tuple[InstanceName, str]] = set()

    def reason(self, instance: InstanceName, statement: Statement) -> str | None:
        """Why a statement changes nothing; None when it may."""
        match statement:
            case MaintainQueue():
                return _HOUSEKEEPING
            case AlterCertificate(is_active=None, drops_private_key=False):
                return _PRIVATE_KEY
            case MirroringEndpoint():
                self._endpoints.add((instance, str(statement.name).casefold()))
                return _MIRRORING
            case AlterEndpoint() | SetConnectPermission() | Drop(kind=DroppedKind.ENDPOINT):
                return _MIRRORING if (instance, str(statement.name).casefold()) in self._endpoints else None
            case _:
                return None
