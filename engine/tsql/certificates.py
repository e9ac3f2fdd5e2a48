"""CREATE CERTIFICATE and BACKUP CERTIFICATE: certificates made, given by their bytes, and brought by files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from engine.core.catalog.security import DBO, Certificate
from engine.core.vocabulary.dialog_security import SealedKey
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import CertificateName, DatabaseName, UserName
from engine.core.vocabulary.keys import CertificateFacts
from engine.core.vocabulary.limits import CERTIFICATE_EXPIRY_MAX, CERTIFICATE_START_MIN
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.security_statements import BackupCertificate, CertificateSource, CreateCertificate, PrivateKeyOptions
from engine.tsql.server_files import CANNOT_READ, CANNOT_WRITE, ServerFiles, file_key
from engine.tsql.statement_base import Clause
from engine.tsql.workshop import Workshop

INVALID, NO_MASTER_KEY, NO_CERTIFICATE = 15297, 15581, 15151
WRONG_PASSWORD, NO_PRIVATE_KEY = 15465, 15556

_NO_BYTES: Final = "these are not the bytes of an X.509 certificate with an RSA key"
_DATE_FORMS: Final = ("%Y-%m-%d", "%Y%m%d", "%m/%d/%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S")
_YEAR: Final = 365 * 86_400.0
"""How long a certificate is valid when no statement says."""

_Made = tuple[CertificateFacts, SealedKey | None]


class CertificateTranslator:
    """Translates for one database at one instant."""

    def __init__(self, database: DatabaseName, now: UtcTime, workshop: Workshop, warnings: list[str]) -> None:
        """`warnings` is where what is worth a warning goes."""
        self._database = database
        self._now = now
        self._workshop = workshop
        self._warnings = warnings

    # ── CREATE CERTIFICATE ───────────────────────────────────────────────────────────────────────────────────────
    def made(self, name: str, statement: CreateCertificate) -> Certificate:
        """The certificate. Errors: 153, 15208, 15297, 15465, 15581, 28054."""
        source, keys = statement.source, statement.source.private_key
        facts, private_key = self._made(name, source) if source.subject is not None else self._given(name, source)
        is_password_protected = source.is_password_protected
        if keys is not None and keys.file is not None and keys.encryption is not None:
            is_password_protected = True
        return Certificate(
            name=CertificateName(name),
            owner=UserName(statement.owner or DBO),
            # What only a password opens is of no use to a broker, so it is not kept.
            private_key=None if is_password_protected else private_key,
            is_password_protected=is_password_protected,
            is_active_for_begin_dialog=statement.is_active is not False,
            **{field: getattr(facts, field) for field in facts.__struct_fields__},
        )

    def _given(self, name: str, source: CertificateSource) -> _Made:
        smith = self._workshop.use(self._database)
        if source.file is not None:
            facts = smith.read_certificate(self._read(source.file))
            if facts is None:
                raise CatalogError(CANNOT_READ, name=source.file.value)
        else:
            assert source.binary is not None, "a certificate without source is no statement"
            facts = smith.read_certificate(_bytes(name, source.binary))
            if facts is None:
                raise CatalogError(INVALID, name=name, detail=_NO_BYTES)
        if source.private_key is None:
            return facts, None
        if source.private_key.file is None:
            self._warnings.append(f"No private key is taken from the text of a script; certificate '{name}' has none.")
            return facts, None
        return facts, self._private_key(source.private_key, source.private_key.file, facts)

    def _private_key(self, options: PrivateKeyOptions, file: Clause, facts: CertificateFacts) -> SealedKey:
        wrapped = self._read(file)
        smith, master = self._workshop.use(self._database), self._workshop.master_key
        if options.encryption is not None:
            key = smith.new_master_key()
        elif master is not None:
            key = master.key
        else:
            raise CatalogError(NO_MASTER_KEY, database=self._database)
        found = smith.unwrap_private_key(key, wrapped, options.decryption or "", facts.certificate)
        if found is None:
            raise CatalogError(WRONG_PASSWORD, name=file.value)
        return found

    def _made(self, name: str, source: CertificateSource) -> _Made:
        assert source.subject is not None, "it is made of its subject"
        smith = self._workshop.use(self._database)
        starts_at = self._instant(name, "START_DATE", source.start_date) or self._now
        expires_at = self._instant(name, "EXPIRY_DATE", source.expiry_date)
        if expires_at is None:
            expires_at = min(UtcTime(starts_at + _YEAR), CERTIFICATE_EXPIRY_MAX)
        if not starts_at < expires_at:
            start, end = _date(starts_at), _date(expires_at)
            detail = f"it ends on {end} and begins on {start}; without START_DATE it begins today"
            raise CatalogError(INVALID, name=name, detail=detail, clause="EXPIRY_DATE")
        if not source.subject.value.strip():
            raise CatalogError(INVALID, name=name, detail="its subject is empty")
        master = self._workshop.master_key
        # A key that a password protects needs no master key; it is made under one that is thrown away.
        key = None if master is None else master.key
        if source.is_password_protected:
            key = smith.new_master_key()
        made = None if key is None else smith.new_certificate(key, source.subject.value, starts_at, expires_at)
        if made is None:
            raise CatalogError(NO_MASTER_KEY, database=self._database)
        return made

    def _instant(self, name: str, word: str, clause: Clause | None) -> UtcTime | None:
        if clause is None:
            return None
        for form in _DATE_FORMS:
            try:
                instant = UtcTime(datetime.strptime(clause.value, form).replace(tzinfo=UTC).timestamp())
            except ValueError:
                continue
            if instant >= CERTIFICATE_START_MIN:
                return instant
            detail = "a certificate counts time from 1950 on"
            break
        else:
            detail = "a date is written like 2026-12-31"
        raise CatalogError(153, value=f"{word} = '{clause.value}'", name=name, detail=detail, clause=word)

    # ── BACKUP CERTIFICATE ───────────────────────────────────────────────────────────────────────────────────────
    def back_up(self, name: str, statement: BackupCertificate) -> None:
        """Write a certificate, and perhaps its private key, to files. Errors: 15151, 15240, 15556, 28054."""
        certificate = self._workshop.certificate(name)
        if certificate is None:
            raise CatalogError(NO_CERTIFICATE, value="certificate", name=name, database=self._database)
        files, options = self._files(statement.file, CANNOT_WRITE), statement.private_key
        if options is None:
            files.write(statement.file.value, certificate.certificate)
            return
        assert options.file is not None, "the statement would be incomplete"
        assert options.encryption is not None, "the statement would be incomplete"
        master, wrapped = self._workshop.master_key, None
        if certificate.private_key is not None and master is not None:
            smith = self._workshop.use(self._database)
            wrapped = smith.wrap_private_key(master.key, certificate.private_key, options.encryption)
        if wrapped is None:
            raise CatalogError(NO_PRIVATE_KEY, name=name)
        key_path, is_same = options.file.value, file_key(options.file.value) == file_key(statement.file.value)
        if is_same or files.read(key_path) is not None:
            # Before anything is written: both files, or none.
            raise CatalogError(CANNOT_WRITE, name=key_path, detail="the file exists already")
        files.write(statement.file.value, certificate.certificate)
        files.write(key_path, wrapped)

    def _read(self, file: Clause) -> bytes:
        content = self._files(file, CANNOT_READ).read(file.value)
        if content is None:
            raise CatalogError(CANNOT_READ, name=file.value)
        return content

    def _files(self, file: Clause, number: int) -> ServerFiles:
        if self._workshop.files is None:
            raise CatalogError(number, name=file.value, detail="there are no files here")
        return self._workshop.files


def _bytes(name: str, binary: Clause) -> bytes:
    try:
        return bytes.fromhex(binary.value[2:])
    except ValueError:
        raise CatalogError(INVALID, name=name, detail=_NO_BYTES) from None


def _date(instant: UtcTime) -> str:
    return datetime.fromtimestamp(instant, UTC).strftime("%Y-%m-%d")
