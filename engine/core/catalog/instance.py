"""One instance: its databases, its endpoint, and the network addresses that are itself."""

from __future__ import annotations

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import Endpoint
from engine.core.catalog.security import ConnectPermission, Login
from engine.core.catalog.spelled_dict import SpelledDict
from engine.core.vocabulary.identifiers import CatalogRevision, DatabaseName, InstanceName, LoginName


class InstanceCatalog(msgspec.Struct, kw_only=True):
    """Everything defined in one instance. Mutable: `revision.apply` is the only writer."""

    name: InstanceName
    revision: CatalogRevision = CatalogRevision(0)
    databases: dict[DatabaseName, DatabaseCatalog] = {}
    endpoint: Endpoint | None = None
    logins: dict[LoginName, Login] = {}
    connect_permissions: dict[LoginName, ConnectPermission] = {}
    """Who may open connections to the endpoint; they go with it."""
    host_names: tuple[str, ...] = ()
    """Further host names and addresses of this server, lower case; loopback is always itself (routing.md E25)."""

    def __post_init__(self) -> None:
        self.databases = SpelledDict(self.databases)
        self.logins = SpelledDict(self.logins)
        self.connect_permissions = SpelledDict(self.connect_permissions)
