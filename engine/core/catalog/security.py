"""Users, master key, certificates and bindings of a database, as frozen values (protocol.md 9; tsql.md 6).

Names are compared without regard to letter case, as those of routes are; the spelling given first is kept. A private
key is here only under the master key of the database, the master key only under the key of the server.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from engine.core.vocabulary.dialog_security import CertificateReference, SealedKey
from engine.core.vocabulary.identifiers import (
    CertificateName,
    LoginName,
    RemoteServiceBindingName,
    ServiceName,
    UserName,
)
from engine.core.vocabulary.limits import (
    CERTIFICATE_BYTES_MAX,
    CERTIFICATE_KEY_BITS_MAX,
    CERTIFICATE_KEY_BITS_STEP,
    CERTIFICATE_NOTICE_SECONDS,
)
from engine.core.vocabulary.moment import UtcTime

DBO: Final = UserName("dbo")
"""The user that owns what nobody else was named for."""
PUBLIC: Final = UserName("public")
"""Everybody: as whom the sender of an unsecured or anonymous dialog counts."""
BUILT_IN_USERS: Final = (DBO, UserName("guest"))
"""Users that every database has."""
BUILT_IN_ROLES: Final = (PUBLIC, UserName("db_owner"), UserName("db_ddladmin"), UserName("db_securityadmin"))
"""Principals that every database has and that own no certificates (28083)."""
SYSTEM_ADMINISTRATOR: Final = LoginName("sa")
"""The login behind `dbo` of `master`: it may do everything, whatever was denied to it."""


class PrincipalKind(StrEnum):
    """What stands behind a user."""

    USER = "user"
    """A login, or nothing: such a user may own certificates."""
    MAPPED_TO_KEY = "mapped-to-key"
    """CREATE USER … FOR CERTIFICATE or ASYMMETRIC KEY: no user of a binding (28083)."""


class User(msgspec.Struct, frozen=True):
    """A user of a database: owns services and certificates, and stands for a far side."""

    name: UserName
    kind: PrincipalKind = PrincipalKind.USER
    login: LoginName | None = None
    """Who it is on the server; None is WITHOUT LOGIN. A login that does not exist leaves the user an orphan."""


class Login(msgspec.Struct, frozen=True):
    """A login of the server; how it proves itself to a session is not modelled."""

    name: LoginName


class ConnectPermission(msgspec.Struct, frozen=True):
    """CONNECT on the broker endpoint, granted or denied to a login or to `public` (protocol.md 7.3; tsql.md 12)."""

    grantee: LoginName
    is_denied: bool = False


class MasterKey(msgspec.Struct, frozen=True):
    """The database master key: under it private keys and session keys are stored."""

    key: SealedKey
    is_encrypted_by_server: bool = True
    """Off, nobody but a person with the password opens it, so the broker cannot use it (28054)."""


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """A certificate of a user. The bytes are public; `private_key` is None for one that came from elsewhere."""

    name: CertificateName
    owner: UserName = DBO
    certificate: bytes
    """X.509, DER."""
    subject: str
    reference: CertificateReference
    starts_at: UtcTime
    expires_at: UtcTime
    key_bits: int
    private_key: SealedKey | None = None
    is_password_protected: bool = False
    """ENCRYPTION BY PASSWORD: there is a private key, but the broker cannot open it (9737)."""
    is_active_for_begin_dialog: bool = True
    """Whether new dialogs may choose it; arriving messages find it in any case."""


class Validity(StrEnum):
    """How a certificate stands at an instant."""

    NOT_YET_VALID = "not-yet-valid"
    VALID = "valid"
    EXPIRES_SOON = "expires-soon"
    """Valid, and to be replaced."""
    EXPIRED = "expired"


def validity_of(certificate: Certificate, at: UtcTime) -> Validity:
    """How a certificate stands; one that has less than 30 days left expires soon (diagnose.md SBD-509)."""
    if at < certificate.starts_at:
        return Validity.NOT_YET_VALID
    if at > certificate.expires_at:
        return Validity.EXPIRED
    is_near = certificate.expires_at - at < CERTIFICATE_NOTICE_SECONDS
    return Validity.EXPIRES_SOON if is_near else Validity.VALID


class RemoteServiceBinding(msgspec.Struct, frozen=True):
    """Which user's certificate stands for a service elsewhere, and whether we stay anonymous towards it."""

    name: RemoteServiceBindingName
    service_name: ServiceName
    user: UserName
    is_anonymous: bool = False
    owner: UserName = DBO


class Unusable(StrEnum):
    """Why a certificate does not serve for a new dialog."""

    NO_PRIVATE_KEY = "no-private-key"
    PASSWORD_PROTECTED = "password-protected"  # noqa: S105
    NOT_ACTIVE = "not-active"
    NOT_YET_VALID = "not-yet-valid"
    EXPIRED = "expired"
    KEY_LENGTH = "key-length"
    TOO_LARGE = "too-large"


NUMBER_OF: Final[dict[Unusable, int]] = {
    Unusable.NO_PRIVATE_KEY: 9733,
    Unusable.PASSWORD_PROTECTED: 9737,
    Unusable.NOT_ACTIVE: 9735,
    Unusable.NOT_YET_VALID: 28024,
    Unusable.EXPIRED: 28025,
    Unusable.KEY_LENGTH: 9730,
    Unusable.TOO_LARGE: 9734,
}
"""The status a waiting message shows for each (views.md 3)."""


def flaw_of(certificate: Certificate, now: UtcTime, *, needs_private_key: bool) -> Unusable | None:
    """Why a certificate does not serve at `now`, the lasting reasons first; None when it does (protocol.md 9.2)."""
    if len(certificate.certificate) >= CERTIFICATE_BYTES_MAX:
        return Unusable.TOO_LARGE
    if certificate.key_bits % CERTIFICATE_KEY_BITS_STEP or certificate.key_bits > CERTIFICATE_KEY_BITS_MAX:
        return Unusable.KEY_LENGTH
    if needs_private_key and certificate.is_password_protected:
        return Unusable.PASSWORD_PROTECTED
    if needs_private_key and certificate.private_key is None:
        return Unusable.NO_PRIVATE_KEY
    if certificate.expires_at <= now:
        return Unusable.EXPIRED
    if certificate.starts_at > now:
        return Unusable.NOT_YET_VALID
    return None if certificate.is_active_for_begin_dialog else Unusable.NOT_ACTIVE
