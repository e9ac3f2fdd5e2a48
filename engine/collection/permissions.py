"""Who something of a database belongs to, and what a server permits to whom (tsql.md 12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from engine.collection.document import DatabaseViews, PermissionRow
from engine.collection.names import Names
from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import DBO, PUBLIC, PrincipalKind, User
from engine.core.catalog.security_changes import PermissionSet
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.vocabulary.identifiers import DatabaseName, LoginName, UserName

VERBS: Final = {"G": PermissionVerb.GRANT, "W": PermissionVerb.GRANT, "D": PermissionVerb.DENY}
"""By `state`; R is a permission of a column, which nothing here has."""
_CLASS_OF: Final = {Securable.QUEUE: 1, Securable.SERVICE: 17}
_MAPPED_TO_KEY: Final = ("C", "K")
_PUBLIC_ID: Final = 0


class Principals:
    """The users of one database, as far as the broker has to do with them."""

    def __init__(self, views: DatabaseViews, names: Names, database: DatabaseName, logins: dict[str, str]) -> None:
        self._names = names
        self._views = views
        self._database = database
        self._logins = logins
        """Names of logins by their sid."""
        self._permissions: dict[tuple[int, int], list[PermissionRow]] = {}
        for row in views.database_permissions:
            self._permissions.setdefault((row.class_, row.major_id), []).append(row)

    def users(self) -> Iterator[User]:
        """The users that something of the broker belongs to, or is permitted to; built-in ones not among them."""
        views, vendors = self._views, self._names.vendors
        numbers = [row.principal_id for row in views.services if row.service_id not in vendors.services]
        numbers += [row.principal_id for row in views.certificates]
        numbers += [row.principal_id for row in views.remote_service_bindings]
        numbers += [row.remote_principal_id for row in views.remote_service_bindings]
        numbers += [row.grantee_principal_id for row in views.database_permissions]
        for number in dict.fromkeys(numbers):
            row = self._names.user(number)
            if row is not None:
                login = self._logins.get(row.sid or "")
                kind = PrincipalKind.MAPPED_TO_KEY if row.type.strip() in _MAPPED_TO_KEY else PrincipalKind.USER
                yield User(UserName(row.name), kind, None if login is None else LoginName(login))

    def owner(self, number: int | None) -> UserName:
        """Who something belongs to; what belongs to a role of people's own making is taken for dbo's."""
        row = self._names.user(number)
        return DBO if row is None else UserName(row.name)

    def permissions(
        self, securable: Securable, number: int, name: str, owner: UserName, notice: Callable[[str], None]
    ) -> Iterator[CatalogChange]:
        """SEND or RECEIVE as the server has it: nothing is permitted that no row permits."""
        said: list[tuple[PermissionVerb, UserName]] = [(PermissionVerb.REVOKE, PUBLIC)]
        for row in self._permissions.get((_CLASS_OF[securable], number), ()):
            grantee = self._grantee(row)
            if grantee is None:
                found = self._names.principals.get(row.grantee_principal_id)
                who = "somebody unknown" if found is None else f"'{found.name}'"
                notice(f"{row.permission_name} on '{name}' for {who}, no user of its own, is left out.")
            elif row.state in VERBS and grantee.casefold() != owner.casefold():
                said.append((VERBS[row.state], grantee))
        for verb, grantee in said:
            yield PermissionSet(database=self._database, securable=securable, name=name, verb=verb, grantee=grantee)

    def _grantee(self, row: PermissionRow) -> UserName | None:
        if row.grantee_principal_id == _PUBLIC_ID:
            return PUBLIC
        user = self._names.user(row.grantee_principal_id)
        return None if user is None else UserName(user.name)
