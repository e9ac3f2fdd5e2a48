"""The clauses AUTHENTICATION and ENCRYPTION of an endpoint, read from the text in which they are kept (tsql.md 8).

The text is that of the statement with single blanks; the name of a certificate stands in brackets.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import CertificateName, EndpointName

CERTIFICATE: Final = "CERTIFICATE"
NEGOTIATE: Final = "NEGOTIATE"
DISABLED: Final = "DISABLED"
SUPPORTED: Final = "SUPPORTED"

_WINDOWS: Final = r"WINDOWS(?: (?:NTLM|KERBEROS|NEGOTIATE))?"
_CERTIFICATE: Final = r"CERTIFICATE \[(?:[^\]]++|\]\])++\]"
_AUTHENTICATION: Final = re.compile(f"{_WINDOWS}(?: {_CERTIFICATE})?|{_CERTIFICATE}(?: {_WINDOWS})?")
_ENCRYPTION: Final = re.compile(r"DISABLED|(?:SUPPORTED|REQUIRED)(?: ALGORITHM (?:AES(?: RC4)?|RC4(?: AES)?))?")
_WORD: Final = re.compile(r"\[(?:[^\]]++|\]\])*+\]?+|[^\s\[]++")


class AuthenticationClause(msgspec.Struct, frozen=True):
    """How an endpoint authenticates."""

    methods: tuple[str, ...]
    """In the order in which they are tried: NTLM, KERBEROS or NEGOTIATE for WINDOWS, and CERTIFICATE."""
    certificate: CertificateName | None
    """Certificate of `master` that the endpoint shows."""


class EncryptionClause(msgspec.Struct, frozen=True):
    """How an endpoint encrypts."""

    level: str
    """DISABLED, SUPPORTED or REQUIRED."""
    algorithms: tuple[str, ...]
    """AES and RC4 in their order; empty when DISABLED."""


def authentication_of(clause: str) -> AuthenticationClause:
    """What an AUTHENTICATION clause says."""
    words = _WORD.findall(clause)
    methods: list[str] = []
    name = None
    for position, word in enumerate(words):
        following = words[position + 1] if position + 1 < len(words) else ""
        if word == "WINDOWS":
            methods.append(following if following in ("NTLM", "KERBEROS") else NEGOTIATE)
        elif word == CERTIFICATE:
            methods.append(CERTIFICATE)
            name = CertificateName(following[1:-1].replace("]]", "]"))
    return AuthenticationClause(tuple(methods), name)


def encryption_of(clause: str) -> EncryptionClause:
    """What an ENCRYPTION clause says; AES where no algorithm is named."""
    level, *words = clause.split()
    algorithms = tuple(word for word in words if word in ("AES", "RC4")) or ("AES",)
    return EncryptionClause(level, () if level == DISABLED else algorithms)


def check_clauses(name: EndpointName, authentication: str, encryption: str) -> None:
    """Refuse a clause that is none of the language (153)."""
    if _AUTHENTICATION.fullmatch(authentication) is None:
        detail = "it is WINDOWS, CERTIFICATE [name], or both in their order"
        raise _refused(name, "AUTHENTICATION", authentication, detail)
    if _ENCRYPTION.fullmatch(encryption) is None:
        detail = "it is DISABLED, SUPPORTED or REQUIRED, the latter two with ALGORITHM AES, RC4 or both"
        raise _refused(name, "ENCRYPTION", encryption, detail)


def _refused(name: EndpointName, clause: str, text: str, detail: str) -> CatalogError:
    return CatalogError(153, name=name, value=f"{clause} = {text}", detail=detail, clause=clause)
