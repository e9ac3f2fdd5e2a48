"""From trees to the values of statements about users, keys, certificates and bindings (see `build`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lark import Token as Leaf

from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import PrincipalKind
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.vocabulary.errors import CatalogError
from engine.tsql.security_statements import (
    AlterBinding,
    AlterCertificate,
    AlterMasterKey,
    AlterServiceOwner,
    BackupCertificate,
    BindingOptions,
    CertificateSource,
    CreateBinding,
    CreateCertificate,
    CreateLogin,
    CreateMasterKey,
    CreateUser,
    DropMasterKey,
    MasterKeyAction,
    PrivateKeyOptions,
    SecurityStatement,
    SetConnectPermission,
    SetPermission,
)
from engine.tsql.statement_base import ObjectName
from engine.tsql.trees import Incomplete, Node, check_once, clause_of, is_on, leaves, names, part, parts


def owner_of(tree: Node) -> str | None:
    """The user behind AUTHORIZATION; None when the clause is not there."""
    clause = part(tree, "authorization")
    return None if clause is None else str(names(clause)[0])


# --- master keys and users -------------------------------------------------------------------------------------------


def _create_master_key(tree: Node, **base: Any) -> CreateMasterKey:
    return CreateMasterKey(**base)


def _alter_master_key(tree: Node, **base: Any) -> AlterMasterKey:
    word = leaves(tree)[0].type
    action = MasterKeyAction[word] if word in MasterKeyAction.__members__ else MasterKeyAction.REGENERATE
    return AlterMasterKey(action=action, **base)


def _drop_master_key(tree: Node, **base: Any) -> DropMasterKey:
    return DropMasterKey(**base)


def _create_user(tree: Node, **base: Any) -> CreateUser:
    source = leaves(tree, "CERTIFICATE", "ASYMMETRIC")
    kind = PrincipalKind.MAPPED_TO_KEY if source else PrincipalKind.USER
    return CreateUser(name=names(tree)[0], kind=kind, login=_login(tree), **base)


def _login(tree: Node) -> str | None:
    """FOR LOGIN name; WITHOUT LOGIN has none, and a user about whom nothing is said has the login of its name."""
    if not leaves(tree):
        return names(tree)[0].parts[-1]
    named = leaves(tree, "NAME")
    return str(named[0]) if named and leaves(tree, "LOGIN") else None


def _create_login(tree: Node, **base: Any) -> CreateLogin:
    return CreateLogin(name=names(tree)[0], **base)


def _set_connect_permission(tree: Node, **base: Any) -> SetConnectPermission:
    verb = PermissionVerb(leaves(tree, *PermissionVerb)[0].type)
    grantees = tuple(str(leaf) for leaf in leaves(tree, "NAME"))
    return SetConnectPermission(verb=verb, name=names(tree)[0], grantees=grantees, **base)


def _set_permission(tree: Node, **base: Any) -> SetPermission:
    permissions = leaves(parts(tree, "permissions")[0])
    securable = Securable.SERVICE if leaves(tree, "SERVICE") else Securable.QUEUE
    wanted = "SEND" if securable is Securable.SERVICE else "RECEIVE"
    if not any(leaf.type == wanted for leaf in permissions):
        raise Incomplete(f"{wanted} as the permission on a {securable.lower()}")
    return SetPermission(
        verb=PermissionVerb(leaves(tree, *PermissionVerb)[0].type),
        securable=securable,
        name=names(tree)[0],
        grantees=tuple(str(leaf) for leaf in leaves(tree, "NAME")),
        has_others=any(leaf.type != wanted for leaf in permissions),
        **base,
    )


# --- certificates ----------------------------------------------------------------------------------------------------


def _text_after(tree: Node) -> Leaf:
    return leaves(tree, "STRING", "BINARY")[0]


def _create_certificate(tree: Node, **base: Any) -> CreateCertificate:
    name = names(tree)[0]
    given: dict[str, Any] = {}
    words = []
    for option in (each for each in tree.children if not isinstance(each, Leaf)):
        match option.data:
            case "certificate_subject" | "certificate_start" | "certificate_expiry":
                words.append(_FIELDS[option.data].upper())
                given[_FIELDS[option.data]] = clause_of(_text_after(option))
            case "certificate_password":
                given["is_password_protected"] = True
            case "certificate_binary":
                given["binary"] = clause_of(_text_after(option))
            case "certificate_file":
                given["file"] = clause_of(_text_after(option))
            case "private_key":
                given["private_key"] = _private_key(option, name)
            case _:
                # Name, owner and switch are asked for by themselves.
                pass
    check_once(words, name)
    source = CertificateSource(**given)
    if source.binary is None and source.file is None and source.subject is None:
        raise Incomplete("SUBJECT = 'name'")
    active = part(tree, "certificate_active")
    is_active = None if active is None else is_on(active)
    return CreateCertificate(name=name, owner=owner_of(tree), source=source, is_active=is_active, **base)


def _private_key(tree: Node, name: ObjectName) -> PrivateKeyOptions:
    given: dict[str, Any] = {}
    words = []
    for option in (each for each in tree.children if not isinstance(each, Leaf)):
        word, field = _KEY_OPTIONS[option.data]
        words.append(word)
        text = _text_after(option)
        given[field] = True if field == "has_binary" else clause_of(text) if field == "file" else str(text)
    check_once(words, name)
    return PrivateKeyOptions(**given)


_KEY_OPTIONS = {
    "key_file": ("FILE", "file"),
    "key_binary": ("BINARY", "has_binary"),
    "key_decryption": ("DECRYPTION", "decryption"),
    "key_encryption": ("ENCRYPTION", "encryption"),
}


def _backup_certificate(tree: Node, **base: Any) -> BackupCertificate:
    name = names(tree)[0]
    [target], keys = parts(tree, "certificate_file"), parts(tree, "private_key")
    private_key = _private_key(keys[0], name) if keys else None
    if private_key is not None and private_key.file is None:
        raise Incomplete("FILE = 'path'")
    if private_key is not None and private_key.encryption is None:
        raise Incomplete("ENCRYPTION BY PASSWORD = 'password'")
    return BackupCertificate(name=name, file=clause_of(_text_after(target)), private_key=private_key, **base)


_FIELDS = {
    "certificate_subject": "subject",
    "certificate_start": "start_date",
    "certificate_expiry": "expiry_date",
}


def _alter_certificate(tree: Node, **base: Any) -> AlterCertificate:
    active = part(tree, "certificate_active")
    is_active = None if active is None else is_on(active)
    is_dropped = active is None and part(tree, "private_key") is None
    return AlterCertificate(name=names(tree)[0], is_active=is_active, drops_private_key=is_dropped, **base)


# --- bindings and owners ---------------------------------------------------------------------------------------------


def _binding_options(tree: Node, name: ObjectName) -> BindingOptions:
    users, switches = parts(tree, "binding_user"), parts(tree, "binding_anonymous")
    check_once([*("USER" for _ in users), *("ANONYMOUS" for _ in switches)], name)
    return BindingOptions(
        user=str(leaves(users[0])[0]) if users else None, is_anonymous=is_on(switches[0]) if switches else None
    )


def _create_binding(tree: Node, **base: Any) -> CreateBinding:
    name = names(tree)[0]
    options = _binding_options(tree, name)
    if options.user is None:
        raise Incomplete("USER = a name")
    service = clause_of(leaves(tree, "STRING")[0])
    return CreateBinding(name=name, owner=owner_of(tree), service=service, options=options, **base)


def _alter_binding(tree: Node, **base: Any) -> AlterBinding:
    name = names(tree)[0]
    return AlterBinding(name=name, options=_binding_options(tree, name), **base)


def _alter_service_owner(tree: Node, **base: Any) -> AlterServiceOwner:
    service, owner = names(tree)
    if len(owner.parts) > 1:
        raise CatalogError(9609, name=str(owner))
    return AlterServiceOwner(name=service, owner=owner.parts[0], **base)


SECURITY_BUILDERS: dict[str, Callable[..., SecurityStatement]] = {
    "create_master_key": _create_master_key,
    "alter_master_key": _alter_master_key,
    "drop_master_key": _drop_master_key,
    "create_user": _create_user,
    "create_login": _create_login,
    "connect_permission": _set_connect_permission,
    "broker_permission": _set_permission,
    "create_certificate": _create_certificate,
    "alter_certificate": _alter_certificate,
    "backup_certificate": _backup_certificate,
    "create_binding": _create_binding,
    "alter_binding": _alter_binding,
    "alter_service_owner": _alter_service_owner,
}
