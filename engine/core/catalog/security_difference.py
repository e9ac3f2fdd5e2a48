"""The changes to users, keys, certificates and bindings that lead from one database to another (see `difference`).

Yields while the caller applies. Users come first because everything has an owner; whoever owns a user that must go, or
be made anew, is given to `dbo` or dropped first and found missing afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from engine.core.catalog.changes import CatalogChange, ServiceAltered
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import Name, same_name, spelling_in
from engine.core.catalog.security import DBO, Certificate, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyCreated,
    MasterKeyDropped,
    MasterKeyRegenerated,
    RemoteServiceBindingAltered,
    RemoteServiceBindingCreated,
    RemoteServiceBindingDropped,
    UserCreated,
    UserDropped,
)
from engine.core.catalog.security_rules import is_user
from engine.core.vocabulary.identifiers import DatabaseName

Value = TypeVar("Value")


def security_changes(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    """Changes that make `present` secure what `wanted` secures. The caller applies each before it asks for the next."""
    yield from _users(present, wanted)
    yield from _master_key_put(present, wanted)
    yield from _certificates(present, wanted)
    if wanted.master_key is None and present.master_key is not None:
        yield MasterKeyDropped(database=present.name)
    yield from _bindings(present, wanted)


def _found(values: Mapping[Name, Value], name: str) -> Value | None:
    key = spelling_in(values, name)
    return None if key is None else values[key]


def _users(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    for user in list(present.users.values()):
        successor = _found(wanted.users, user.name)
        if successor is None or not _same_user(user, successor):
            yield from _freed(present, user)
            yield UserDropped(database=present.name, name=user.name)
    for user in wanted.users.values():
        if spelling_in(present.users, user.name) is None:
            yield UserCreated(database=present.name, user=user)


def _same_user(one: User, other: User) -> bool:
    return one.kind is other.kind and (one.login or "").casefold() == (other.login or "").casefold()


def _freed(present: DatabaseCatalog, user: User) -> Iterator[CatalogChange]:
    for service in list(present.services.values()):
        if same_name(service.owner, user.name):
            yield ServiceAltered(database=present.name, name=service.name, owner=DBO)
    for certificate in list(present.certificates.values()):
        if same_name(certificate.owner, user.name):
            yield CertificateDropped(database=present.name, name=certificate.name)
    for binding in list(present.remote_service_bindings.values()):
        if same_name(binding.owner, user.name):
            yield RemoteServiceBindingDropped(database=present.name, name=binding.name)


def _master_key_put(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    if wanted.master_key is None:
        return
    if present.master_key is None:
        yield MasterKeyCreated(database=present.name, master_key=wanted.master_key)
    elif present.master_key.key != wanted.master_key.key:
        yield MasterKeyRegenerated(database=present.name, master_key=wanted.master_key)
    elif present.master_key != wanted.master_key:
        yield MasterKeyAltered(database=present.name, is_encrypted_by_server=wanted.master_key.is_encrypted_by_server)


def same_certificate(one: Certificate, other: Certificate) -> bool:
    """Whether two certificates say the same, however their names and owners are spelled."""
    return (
        same_name(one.name, other.name)
        and same_name(one.owner, other.owner)
        and one == msgspec.structs.replace(other, name=one.name, owner=one.owner)
    )


def _alteration(database: DatabaseName, known: Certificate, certificate: Certificate) -> CertificateAltered | None:
    """The ALTER CERTIFICATE that leads from one to the other; None when none does."""
    is_active = certificate.is_active_for_begin_dialog
    change = CertificateAltered(
        database=database,
        name=known.name,
        is_active_for_begin_dialog=None if is_active is known.is_active_for_begin_dialog else is_active,
        drops_private_key=known.private_key is not None and certificate.private_key is None,
    )
    altered = msgspec.structs.replace(known, is_active_for_begin_dialog=is_active)
    if change.drops_private_key:
        altered = msgspec.structs.replace(altered, private_key=None, is_password_protected=False)
    return change if same_certificate(altered, certificate) else None


def _certificates(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    for known in list(present.certificates.values()):
        successor = _found(wanted.certificates, known.name)
        if successor is not None and same_certificate(known, successor):
            continue
        change = None if successor is None else _alteration(present.name, known, successor)
        yield change or CertificateDropped(database=present.name, name=known.name)
    for certificate in wanted.certificates.values():
        if spelling_in(present.certificates, certificate.name) is None:
            yield CertificateCreated(database=present.name, certificate=certificate)


def same_binding(one: RemoteServiceBinding, other: RemoteServiceBinding) -> bool:
    """Whether two bindings say the same, however their names and users are spelled."""
    return (
        same_name(one.name, other.name)
        and same_name(one.user, other.user)
        and same_name(one.owner, other.owner)
        and (one.service_name, one.is_anonymous) == (other.service_name, other.is_anonymous)
    )


def _bindings(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    for known in list(present.remote_service_bindings.values()):
        successor = _found(wanted.remote_service_bindings, known.name)
        can_be_altered = (
            successor is not None
            and successor.service_name == known.service_name
            and same_name(successor.owner, known.owner)
        )
        if not can_be_altered:
            yield RemoteServiceBindingDropped(database=present.name, name=known.name)
    for binding in wanted.remote_service_bindings.values():
        known_binding = _found(present.remote_service_bindings, binding.name)
        if known_binding is None or not same_binding(known_binding, binding):
            yield from _binding_put(present, known_binding, binding)


def _binding_put(
    present: DatabaseCatalog, known: RemoteServiceBinding | None, binding: RemoteServiceBinding
) -> Iterator[CatalogChange]:
    """A binding may have outlived its user; then the user is there for as long as the statement takes."""
    is_orphan = not is_user(present, binding.user)
    if is_orphan:
        yield UserCreated(database=present.name, user=User(binding.user))
    if known is None:
        yield RemoteServiceBindingCreated(database=present.name, binding=binding)
    else:
        yield RemoteServiceBindingAltered(
            database=present.name,
            name=known.name,
            user=None if same_name(known.user, binding.user) else binding.user,
            is_anonymous=None if known.is_anonymous is binding.is_anonymous else binding.is_anonymous,
        )
    if is_orphan:
        yield UserDropped(database=present.name, name=binding.user)
