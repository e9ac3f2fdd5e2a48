"""The service key of a deployment: the one key outside every store, which protects the master keys inside them.

It stands in a file of the data directory that only its owner may read, made when it is first needed; or it is given as
a setting, where web and workers share no disk.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import logging
import os
from functools import cache
from pathlib import Path
from typing import Final

from engine.hosting.app import celery_app
from engine.hosting.errors import EngineUnavailable, ServiceKeyUnusable
from engine.hosting.settings import HostingSettings
from engine.security.vault import Vault

logger = logging.getLogger(__name__)

FILE_NAME: Final = "service-master-key"
KEY_BYTES: Final = 32
_CURE: Final = (
    "Put it back from a copy. If there is none, remove it: the next start makes another one, under which the master "
    "keys of before stay closed (28054)."
)


def key_vault() -> Vault:
    """The vault of the configured deployment; `EngineUnavailable` when its key cannot be had."""
    settings = celery_app.hosting
    if settings is None:
        raise EngineUnavailable("The engine was not configured.")
    return vault_of(settings)


def vault_of(settings: HostingSettings) -> Vault:
    """The vault under the service key that `settings` name; `ServiceKeyUnusable` when it cannot be had."""
    return _vault(_given(settings.service_key) if settings.service_key is not None else _kept(settings, makes=True))


def check_service_key(settings: HostingSettings) -> None:
    """Raise `ServiceKeyUnusable` where a key is given or kept that is none. Makes none."""
    if settings.service_key is not None:
        _given(settings.service_key)
    elif os.path.lexists(settings.data_directory / FILE_NAME):
        _kept(settings, makes=False)


def deployment_of(settings: HostingSettings) -> str | None:
    """Digest of the service key, which identifies a deployment and reveals nothing of the key. Makes none.

    None where there is no key yet. Raises `ServiceKeyUnusable`.
    """
    if settings.service_key is not None:
        key = _given(settings.service_key)
    elif os.path.lexists(settings.data_directory / FILE_NAME):
        key = _kept(settings, makes=False)
    else:
        return None
    return hashlib.sha256(b"brokerweb deployment\0" + key).hexdigest()[:32]


@cache
def _vault(key: bytes) -> Vault:
    """One vault for each key, so that what it has opened stays open."""
    return Vault(key)


def _given(text: str) -> bytes:
    return _decoded(text.encode("utf-8", "replace"), "the setting for the service key", "Give the one it was.")


def _kept(settings: HostingSettings, *, makes: bool) -> bytes:
    path = settings.data_directory / FILE_NAME
    try:
        text = _read_or_make(path) if makes else path.read_bytes()
    except OSError as error:
        raise ServiceKeyUnusable(f"The service key in {path} cannot be read: {error.strerror}. {_CURE}") from error
    return _decoded(text, str(path), _CURE)


def _decoded(text: bytes, where: str, cure: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise ServiceKeyUnusable(f"No service key in {where}: it must be {KEY_BYTES} bytes in base64. {cure}")
    return key


def _read_or_make(path: Path) -> bytes:
    """What the file has. Of several processes that make it at once, one does, and all read what it wrote."""
    if not path.exists():
        if any(path.parent.glob("*/*.sqlite3")):
            logger.error(
                "5120: The service key %s is gone, and a new one is made: master keys in stores that were made under "
                "another one cannot be opened until that is put back from a backup.",
                path,
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(base64.b64encode(os.urandom(KEY_BYTES)).decode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        try:
            # A link is never made over a file that is there already.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_bytes()
