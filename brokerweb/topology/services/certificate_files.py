"""The folder of certificate files that all instances of an estate share. No file of the server's disk is touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.db import transaction

from brokerweb.topology.models import CertificateFile, Estate
from engine import api as engine


def files_of(estate: Estate | None) -> dict[str, bytes]:
    """The contents of all files of an estate, as an import looks for them."""
    if estate is None:
        return {}
    rows = CertificateFile.objects.filter(estate=estate).values_list("folded_path", "content")
    return {path: bytes(content) for path, content in rows}


def files_write(estate: Estate, files: Mapping[str, bytes]) -> None:
    """What an import has written, over files of the same paths. Raises `CatalogError` 15240 for too many."""
    for path, content in files.items():
        key = engine.console.file_key(path)
        others = CertificateFile.objects.filter(estate=estate).exclude(folded_path=key).count()
        engine.console.check_write(path, content, is_there=False, count=others)
        CertificateFile.objects.update_or_create(
            estate=estate, folded_path=key, defaults={"path": path, "content": content}
        )


class EstateFiles:
    """The folder as a console reads and writes it. `engine.console.ServerFiles`."""

    def __init__(
        self, estate: str, check: Callable[[], None] = lambda: None, wrote: Callable[[], None] = lambda: None
    ) -> None:
        """`check` raises where the person may not, and is called before each access; `wrote` after each file."""
        self._estate = estate
        self._check = check
        self._wrote = wrote

    def read(self, path: str) -> bytes | None:
        """The content of a file; None when there is none."""
        self._check()
        rows = CertificateFile.objects.filter(estate__name=self._estate, folded_path=engine.console.file_key(path))
        content = rows.values_list("content", flat=True).first()
        return None if content is None else bytes(content)

    def write(self, path: str, content: bytes) -> None:
        """Write a file that is not there. Raises `CatalogError` 15240."""
        self._check()
        with transaction.atomic():
            estate = Estate.objects.select_for_update().filter(name=self._estate).first()
            if estate is None:
                raise engine.console.TargetUnavailable(f"There is no estate {self._estate} any more.")
            rows, key = CertificateFile.objects.filter(estate=estate), engine.console.file_key(path)
            is_there = rows.filter(folded_path=key).exists()
            engine.console.check_write(path, content, is_there=is_there, count=rows.count())
            CertificateFile.objects.create(estate=estate, path=path, folded_path=key, content=content)
        self._wrote()
