"""From statements about users, keys, certificates and bindings to catalog changes.

Keys are made here, by the `KeySmith` of the deployment: what leaves is a public certificate, and private keys sealed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from engine.core.catalog.changes import CatalogChange, ServiceAltered
from engine.core.catalog.names import same_name
from engine.core.catalog.permissions import Securable
from engine.core.catalog.route_rules import parse_service_name
from engine.core.catalog.security import DBO, Login, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    MasterKeyAltered,
    MasterKeyCreated,
    MasterKeyDropped,
    MasterKeyRegenerated,
    PermissionSet,
    RemoteServiceBindingAltered,
    RemoteServiceBindingCreated,
    UserCreated,
)
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, PermissionVerb
from engine.core.vocabulary.identifiers import (
    CertificateName,
    DatabaseName,
    EndpointName,
    LoginName,
    QueueName,
    RemoteServiceBindingName,
    ServiceName,
    UserName,
)
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.certificates import CertificateTranslator
from engine.tsql.security_statements import (
    AlterBinding,
    AlterCertificate,
    AlterMasterKey,
    AlterServiceOwner,
    BackupCertificate,
    CreateBinding,
    CreateCertificate,
    CreateLogin,
    CreateMasterKey,
    CreateUser,
    DropMasterKey,
    MasterKeyAction,
    SecurityStatement,
    SetConnectPermission,
    SetPermission,
)
from engine.tsql.statement_base import ObjectName
from engine.tsql.workshop import Workshop

_SingleStatement = (
    CreateMasterKey
    | AlterMasterKey
    | DropMasterKey
    | CreateUser
    | CreateLogin
    | CreateCertificate
    | AlterCertificate
    | CreateBinding
    | AlterBinding
    | AlterServiceOwner
)
"""Statements that ask for one change each."""


class SecurityTranslator:
    """Translates for one database at one instant."""

    def __init__(
        self,
        database: DatabaseName,
        now: UtcTime,
        workshop: Workshop,
        simple: Callable[[ObjectName], str],
        queue: Callable[[ObjectName], tuple[DatabaseName, QueueName]],
    ) -> None:
        self._database = database
        self._now = now
        self._workshop = workshop
        self._simple = simple
        self._queue = queue
        self.warnings: list[str] = []
        self._certificates = CertificateTranslator(database, now, workshop, self.warnings)

    def changes_of(self, statement: SecurityStatement) -> list[CatalogChange]:
        """The changes a statement asks for; `CatalogError` when its texts alone are wrong."""
        if isinstance(statement, SetConnectPermission):
            return self._connect_permissions(statement)
        if isinstance(statement, SetPermission):
            return self._permissions(statement)
        if isinstance(statement, BackupCertificate):
            self._certificates.back_up(self._simple(statement.name), statement)
            return []
        return [self._change_of(statement)]

    def _connect_permissions(self, statement: SetConnectPermission) -> list[CatalogChange]:
        """One change for each grantee; a login that another script makes is made here, as owners are."""
        name, is_login = EndpointName(self._simple(statement.name)), self._workshop.is_login
        changes: list[CatalogChange] = []
        for grantee in map(LoginName, statement.grantees):
            if is_login is not None and not is_login(grantee):
                self.warnings.append(f"Login '{grantee}' is made, because a permission is given to it.")
                changes.append(LoginCreated(login=Login(grantee)))
            changes.append(ConnectPermissionSet(name=name, verb=statement.verb, grantee=grantee))
        return changes

    def _permissions(self, statement: SetPermission) -> list[CatalogChange]:
        """One change for each grantee; a user that another script makes is made here, as owners are."""
        database = self._database
        if statement.securable is Securable.SERVICE:
            name: str = self._simple(statement.name)
        else:
            database, name = self._queue(statement.name)
        if statement.has_others:
            permission = "SEND" if statement.securable is Securable.SERVICE else "RECEIVE"
            self.warnings.append(f"Of these permissions only {permission} is modelled; the others are left out.")
        changes: list[CatalogChange] = []
        is_user, is_taken = self._workshop.is_user, statement.verb is PermissionVerb.REVOKE
        for grantee in dict.fromkeys(map(UserName, statement.grantees)):
            is_here = same_name(database, self._database)
            if not is_taken and is_here and is_user is not None and not is_user(grantee):
                self.warnings.append(f"User '{grantee}' is made, because a permission is given to it.")
                changes.append(UserCreated(database=database, user=User(grantee)))
            changes.append(
                PermissionSet(
                    database=database, securable=statement.securable, name=name, verb=statement.verb, grantee=grantee
                )
            )
        return changes

    def _change_of(self, statement: _SingleStatement) -> CatalogChange:
        match statement:
            case CreateMasterKey() | AlterMasterKey() | DropMasterKey():
                return self._master_key(statement)
            case CreateUser():
                login = None if statement.login is None else LoginName(statement.login)
                user = User(UserName(self._simple(statement.name)), statement.kind, login)
                return UserCreated(database=self._database, user=user)
            case CreateLogin():
                return LoginCreated(login=Login(LoginName(self._simple(statement.name))))
            case CreateCertificate():
                certificate = self._certificates.made(self._simple(statement.name), statement)
                return CertificateCreated(database=self._database, certificate=certificate)
            case AlterCertificate():
                return CertificateAltered(
                    database=self._database,
                    name=CertificateName(self._simple(statement.name)),
                    is_active_for_begin_dialog=statement.is_active,
                    drops_private_key=statement.drops_private_key,
                )
            case CreateBinding() | AlterBinding():
                return self._binding(statement)
            case AlterServiceOwner():
                name = ServiceName(self._simple(statement.name))
                return ServiceAltered(database=self._database, name=name, owner=UserName(statement.owner))
            case _:
                assert_never(statement)

    def _master_key(self, statement: CreateMasterKey | AlterMasterKey | DropMasterKey) -> CatalogChange:
        match statement:
            case CreateMasterKey():
                key = MasterKey(self._workshop.use(self._database).new_master_key())
                return MasterKeyCreated(database=self._database, master_key=key)
            case AlterMasterKey(action=MasterKeyAction.REGENERATE):
                key = MasterKey(self._workshop.use(self._database).new_master_key())
                return MasterKeyRegenerated(database=self._database, master_key=key)
            case AlterMasterKey():
                is_encrypted = statement.action is MasterKeyAction.ADD
                return MasterKeyAltered(database=self._database, is_encrypted_by_server=is_encrypted)
            case DropMasterKey():
                return MasterKeyDropped(database=self._database)

    def _binding(self, statement: CreateBinding | AlterBinding) -> CatalogChange:
        name = RemoteServiceBindingName(self._simple(statement.name))
        options = statement.options
        user = None if options.user is None else UserName(options.user)
        if isinstance(statement, AlterBinding):
            return RemoteServiceBindingAltered(
                database=self._database, name=name, user=user, is_anonymous=options.is_anonymous
            )
        assert user is not None, "a binding without user is no statement"
        binding = RemoteServiceBinding(
            name,
            parse_service_name(statement.service.value),
            user,
            bool(options.is_anonymous),
            UserName(statement.owner or DBO),
        )
        return RemoteServiceBindingCreated(database=self._database, binding=binding)
