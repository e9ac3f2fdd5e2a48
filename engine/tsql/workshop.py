"""`Workshop`: with what statements about keys and certificates are carried out in one database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.endpoint_rules import is_grantee
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.catalog.security import Certificate, MasterKey
from engine.core.catalog.security_rules import may_own
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.keys import KeySmith
from engine.tsql.server_files import ServerFiles


class Workshop(msgspec.Struct, frozen=True):
    """Where keys are made for one database: by whom, and under which master key."""

    smith: KeySmith | None = None
    master_key: MasterKey | None = None
    is_user: Callable[[str], bool] | None = None
    """Whether the database has a user or role; None asks nobody."""
    is_login: Callable[[str], bool] | None = None
    """Whether the instance has a login, or it is `public`; None asks nobody."""
    certificate: Callable[[str], Certificate | None] = lambda name: None
    """A certificate of the database; None when there is none of that name."""
    files: ServerFiles | None = None
    """Certificate files; None where there are none (15208, 15240)."""

    def use(self, database: DatabaseName) -> KeySmith:
        """The smith; 28054 where none is at hand."""
        if self.smith is None:
            raise CatalogError(28054, database=database)
        return self.smith


NO_WORKSHOP: Final = Workshop()


def workshop_of(
    catalog: InstanceCatalog, database: DatabaseName | None, smith: KeySmith | None, files: ServerFiles | None
) -> Workshop:
    """The workshop of a database of an instance; None is a database that there is not."""

    def is_login(name: str) -> bool:
        return is_grantee(catalog, name)

    key = None if database is None else spelling_in(catalog.databases, database)
    if key is None:
        return Workshop(smith, is_login=is_login, files=files)
    found: DatabaseCatalog = catalog.databases[key]

    def certificate(name: str) -> Certificate | None:
        spelled = spelling_in(found.certificates, name)
        return None if spelled is None else found.certificates[spelled]

    return Workshop(smith, found.master_key, lambda name: may_own(found, name), is_login, certificate, files)
