"""DuckDB for one question, within bounds: memory, room on the disk, and time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from django.utils.translation import gettext as _

from brokerweb.common.pipeline_errors import ResultTooCostly, ResultUnreadable
from brokerweb.pipeline.folders import reading_folder

if TYPE_CHECKING:
    import duckdb

ANSWER_SECONDS: Final = 20.0
"""How long an answer may be worked at. Whoever has left is not noticed by DuckDB: this ends it then, too."""
SPILL_MAX: Final = "1GB"
"""What one question may put on the disk, besides its memory."""
_OPTIONS: Final = {
    # A page beside the engine shall not take the machine; what does not fit is spilled.
    "memory_limit": "512MB",
    "threads": "2",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@contextmanager
def reader(seconds: float | None = ANSWER_SECONDS) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection for one question; None of `seconds` is for files, which are read as fast as they are taken.

    Raises `ResultUnreadable` for files that are no tables any more, and `ResultTooCostly` for a question that takes
    more time, memory or room than one may.
    """
    # Most processes never read a table: 20 MB that they are spared.
    import duckdb

    # One of its own: DuckDB names its files by number, and two questions at once would have the same.
    spill = reading_folder() / str(uuid4())
    options = {**_OPTIONS, "temp_directory": str(spill), "max_temp_directory_size": SPILL_MAX}
    # It makes the last folder only.
    spill.parent.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(":memory:", config=options)
    timer = None if seconds is None else Timer(seconds, connection.interrupt)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield connection
    except duckdb.InterruptException as error:
        raise ResultTooCostly(
            _("The table could not be asked within {seconds} s.").format(seconds=f"{seconds or 0:g}")
        ) from error
    except duckdb.OutOfMemoryException as error:
        raise ResultTooCostly(
            _("The question takes more than {memory} of memory and {room} on the disk.").format(
                memory=_OPTIONS["memory_limit"], room=SPILL_MAX
            )
        ) from error
    except (duckdb.IOException, duckdb.InvalidInputException, duckdb.CatalogException) as error:
        raise ResultUnreadable(_("The table cannot be read: {reason}.").format(reason=str(error)[:300])) from error
    finally:
        if timer is not None:
            timer.cancel()
        connection.close()
        shutil.rmtree(spill, ignore_errors=True)
