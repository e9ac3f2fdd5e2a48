"""A public certificate as the statement that creates it in another database: what two administrators exchange."""

from __future__ import annotations

from engine.core.catalog.security import Certificate


def certificate_script(certificate: Certificate, *, owner: str | None = None) -> str:
    """CREATE CERTIFICATE … FROM BINARY, without any private key; `owner` is the user it gets there."""
    authorization = "" if owner is None else f" AUTHORIZATION {_bracketed(owner)}"
    return (
        f"CREATE CERTIFICATE {_bracketed(certificate.name)}{authorization}\n"
        f"    FROM BINARY = 0x{certificate.certificate.hex().upper()};\n"
    )


def _bracketed(name: str) -> str:
    return "[" + name.replace("]", "]]") + "]"
