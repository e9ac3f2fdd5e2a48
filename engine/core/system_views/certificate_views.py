"""Certificates of a database, of `master` those that endpoints prove themselves with; and whom they are used for."""

from __future__ import annotations

from hashlib import sha1
from typing import Any, Final

from engine.core.catalog.security import Certificate, RemoteServiceBinding
from engine.core.system_views.definition import NULL, Column, Scope, SystemView, fixed
from engine.core.system_views.numbers import user_id
from engine.core.system_views.reading import ViewReader

_ENCRYPTED_BY: Final = {
    "NA": "NO_PRIVATE_KEY",
    "MK": "ENCRYPTED_BY_MASTER_KEY",
    "PW": "ENCRYPTED_BY_PASSWORD",
}


def _key_protection(certificate: Certificate) -> str:
    if certificate.is_password_protected:
        return "PW"
    return "NA" if certificate.private_key is None else "MK"


def _principal_id(_: ViewReader, owned: Certificate | RemoteServiceBinding) -> int:
    return user_id(owned.owner)


CERTIFICATES: Final = SystemView[Certificate](
    name="sys.certificates",
    about="Certificates of the database.",
    scope=Scope.DATABASE,
    rows=lambda reader: reader.database.certificates.values(),
    columns=(
        Column("name", "sysname", "certificate", lambda _, each: each.name),
        Column("certificate_id", "int", "id", lambda reader, each: reader.certificate_id(each.name)),
        Column("principal_id", "int", "owner", _principal_id, NULL),
        Column(
            "pvt_key_encryption_type",
            "char(2)",
            "NA no private key, MK under the master key, PW under a password",
            lambda _, each: _key_protection(each),
        ),
        Column(
            "pvt_key_encryption_type_desc",
            "nvarchar(60)",
            "its words",
            lambda _, each: _ENCRYPTED_BY[_key_protection(each)],
            NULL,
        ),
        Column(
            "is_active_for_begin_dialog",
            "bit",
            "new dialogs may choose it",
            lambda _, each: each.is_active_for_begin_dialog,
            NULL,
        ),
        Column("issuer_name", "nvarchar(442)", "issuer", lambda _, each: each.reference.issuer, NULL),
        Column("cert_serial_number", "nvarchar(64)", "serial number", lambda _, each: each.reference.serial, NULL),
        Column("sid", "varbinary(85)", "login of the certificate", fixed(None), NULL),
        Column("string_sid", "nvarchar(128)", "login of the certificate", fixed(None), NULL),
        Column("subject", "nvarchar(4000)", "subject", lambda _, each: each.subject, NULL),
        Column("expiry_date", "datetime", "UTC, valid until", lambda _, each: each.expires_at, NULL),
        Column("start_date", "datetime", "UTC, valid from", lambda _, each: each.starts_at, NULL),
        Column(
            "thumbprint",
            "varbinary(32)",
            "SHA-1 of the certificate",
            lambda _, each: sha1(each.certificate, usedforsecurity=False).digest(),
        ),
        Column("attested_by", "nvarchar(260)", "internal", fixed(None), NULL),
        Column("pvt_key_last_backup_date", "datetime", "UTC, private key exported", fixed(None), NULL),
        Column("key_length", "int", "bits of the key", lambda _, each: each.key_bits, NULL),
    ),
    differs=(
        "`principal_id` is 1 for dbo; of other users it is derived from the name.",
        "When a private key was written to a file is not kept: `pvt_key_last_backup_date` is NULL.",
    ),
)

REMOTE_SERVICE_BINDINGS: Final = SystemView[RemoteServiceBinding](
    name="sys.remote_service_bindings",
    about="Whose certificate secures dialogs with a service.",
    scope=Scope.DATABASE,
    rows=lambda reader: reader.database.remote_service_bindings.values(),
    columns=(
        Column("name", "sysname", "binding", lambda _, each: each.name),
        Column("remote_service_binding_id", "int", "id", lambda reader, each: reader.binding_id(each.name)),
        Column("principal_id", "int", "owner", _principal_id, NULL),
        Column(
            "remote_service_name", "nvarchar(256)", "service that is bound", lambda _, each: each.service_name, NULL
        ),
        Column("service_contract_id", "int", "0 = all contracts, always", fixed(0)),
        Column(
            "remote_principal_id", "int", "user whose certificate is used", lambda _, each: user_id(each.user), NULL
        ),
        Column("is_anonymous_on", "bit", "ANONYMOUS", lambda _, each: each.is_anonymous),
    ),
    differs=("Ids of principals are 1 for dbo; of other users they are derived from the name.",),
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (CERTIFICATES, REMOTE_SERVICE_BINDINGS)
