"""Traces that wait for their worker: files beside the lake, each as long as a job that is not over names it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any, Final
from uuid import UUID, uuid4

import msgspec
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.utils.translation import gettext as _

from brokerweb.common.errors import ContentTooLarge, MalformedRequest
from brokerweb.common.pipeline_errors import UploadUnwritable
from brokerweb.jobs.models import OVER, Job
from brokerweb.pipeline.folders import uploads_folder
from engine import api as engine

IMPORT: Final = "lake-import"
TAKE_OUT: Final = "lake-take-out"
NAMING_UPLOADS: Final = (IMPORT, TAKE_OUT)
"""The kinds of the jobs that do."""
PART_SUFFIX: Final = ".part"
"""Of one whose job is not committed yet."""
PART_SECONDS_MAX: Final = 24 * 3600
"""Nobody sends one file for so long."""
FILE: Final = "/file"
_MEGABYTE: Final = 1_048_576


class TraceOrder(msgspec.Struct, frozen=True):
    """A trace that is to be imported, or taken out again, as it waits for its worker."""

    estate: str
    instance: str
    upload: UUID
    file: str
    """What whoever sent it calls it."""
    time_zone: str = engine.pipeline.UTC_NAME
    """Of times without an offset."""


def upload_check(file: UploadedFile) -> None:
    """`MalformedRequest` for a file without content, `ContentTooLarge` for one beyond the setting."""
    size, most = file.size or 0, settings.ENVIRONMENT.trace_bytes
    if size == 0:
        raise MalformedRequest(
            _("The file {name} is empty.").format(name=file.name),
            why=_("A trace has a header and rows."),
            cure=_("Export it again, and choose the file that was written."),
            pointer=FILE,
        )
    if size > most:
        raise ContentTooLarge(
            _("The file {name} has {size:.1f} MB; at most {most:g} MB are taken at once.").format(
                name=file.name, size=size / _MEGABYTE, most=round(most / _MEGABYTE, 1)
            ),
            why=_("A worker has the rows of one file in its memory."),
            cure=_("Export it in parts, or have BROKERWEB_TRACE_BYTES raised; manage.py trace_import has no limit."),
            pointer=FILE,
        )


class PartFile(UploadedFile):
    """A file of a form in the folder that workers share, not yet for them; removed at its close unless it is kept."""

    def __init__(self, name: str, content_type: str, charset: str, content_type_extra: dict[str, str]) -> None:
        """Raises `UploadUnwritable`, as each write does."""
        self.id = uuid4()
        part = _part(self.id)
        with _unwritable():
            part.parent.mkdir(parents=True, exist_ok=True)
            file = part.open("x+b", buffering=0)
        super().__init__(file, name, content_type, 0, charset, content_type_extra)
        self._removed = weakref.finalize(self, part.unlink, missing_ok=True)

    def take(self, data: bytes) -> None:
        """Write what comes next, not a byte of it later."""
        rest = memoryview(data)
        with _unwritable():
            while rest:
                rest = rest[self.write(rest) :]

    def keep(self) -> UUID:
        """Its name in the folder, where it stays."""
        self._removed.detach()
        return self.id

    def close(self) -> None:
        super().close()
        self._removed()


class PartHandler(FileUploadHandler):
    """Writes files of forms to where they are needed, and nowhere before: the form itself is in memory."""

    def new_file(self, *arguments: Any, **more: Any) -> None:
        super().new_file(*arguments, **more)
        self._file = PartFile(self.file_name, self.content_type, self.charset, self.content_type_extra)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._file.take(raw_data)

    def file_complete(self, file_size: int) -> PartFile:
        self._file.seek(0)
        self._file.size = file_size
        return self._file


@contextmanager
def _unwritable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UploadUnwritable(
            _("The file cannot be kept: {reason}.").format(reason=error.strerror or error),
            why=_("It waits in {folder} for its worker.").format(folder=uploads_folder()),
        ) from error


def upload_path(name: UUID) -> Path:
    """Where a worker finds it."""
    return uploads_folder() / str(name)


def upload_release(name: UUID) -> None:
    """Give it to the workers, now that its job is committed."""
    _part(name).rename(upload_path(name))


def upload_drop(name: UUID) -> None:
    """Remove it, wherever it is."""
    for path in (_part(name), upload_path(name)):
        path.unlink(missing_ok=True)


def uploads_sweep() -> None:
    """Remove those that no job needs: cancelled before a worker had it, or left by a process that died."""
    folder = uploads_folder()
    # Before the jobs are read: a file is released when its job is committed, so those found here have one to be seen.
    found = list(folder.iterdir()) if folder.is_dir() else []
    waiting = Job.objects.filter(kind__in=NAMING_UPLOADS).exclude(state__in=OVER).values_list("arguments", flat=True)
    needed = {str(msgspec.json.decode(each, type=TraceOrder).upload) for each in waiting if each}
    for path in found:
        if path.suffix == PART_SUFFIX and is_id(path.stem):
            if _age_seconds(path) > PART_SECONDS_MAX:
                path.unlink(missing_ok=True)
        elif path.name not in needed and is_id(path.name):
            path.unlink(missing_ok=True)


def is_id(name: str) -> bool:
    """Whether something has a name that we give; what does not is somebody else's."""
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


def _age_seconds(path: Path) -> float:
    try:
        return time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _part(name: UUID) -> Path:
    return upload_path(name).with_suffix(PART_SUFFIX)
