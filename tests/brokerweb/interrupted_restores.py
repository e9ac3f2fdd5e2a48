"""Restores that are killed at each step that changes a file system, and what the next restore makes of it.

`python -m tests.brokerweb.interrupted_restores DATA BACKUP WORK EVERY`: copies DATA into WORK for each step and prints
the number of steps. Exit code 1 with what was found for the first one that is wrong.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

CHANGES = frozenset({"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.utime", "shutil.rmtree", "sqlite3.connect"})
"""Audit events; `open` counts too, when it may write."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
VOLATILE = ("-shm", "-wal")


def in_child(work: Callable[[], object], kill_at: int | None = None) -> int:
    """Exit code of a fork that does `work`; -9 where it was killed at its change number `kill_at`."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    count = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if event in CHANGES or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES):
            count += 1
            if count == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    if kill_at is not None:
        sys.addaudithook(watch)
    try:
        work()
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(1)
    os._exit(0)


def contents(folder: Path) -> dict[str, bytes]:
    """Our files by path. Of a database the rows without fencing numbers: reading it may fold its log into it."""
    found: dict[str, bytes] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if not path.is_file() or not name.startswith(("engine/", "pipeline/", "secret_key", "brokerweb.sqlite3")):
            continue
        if path.suffix == ".sqlite3":
            with closing(sqlite3.connect(path)) as database:
                lines = [line for line in database.iterdump() if "leases_instancelease" not in line]
            found[name] = "\n".join(lines).encode()
        elif not name.endswith(VOLATILE):
            found[name] = path.read_bytes()
    return found


def missing(old: dict[str, bytes], folders: list[Path]) -> set[str]:
    """Files of before that none of the folders has as they were."""
    everywhere = [contents(folder) for folder in folders]
    return {name for name, content in old.items() if not any(each.get(name) == content for each in everywhere)}


def main(template: Path, backup: Path, work: Path, every: int) -> int:
    """Try every step, or each `every`th; the number of steps."""
    import django

    django.setup()
    from brokerweb.config.backup.restore import restore_backup
    from brokerweb.config.data_directory import ensure_no_restore
    from brokerweb.config.env import ConfigurationError, Environment

    os.umask(0o077)
    # What is on the disk after a power failure is not the subject: a killed process loses nothing that it wrote.
    os.fsync = lambda _descriptor: None  # type: ignore[assignment]
    data = work / "data"

    def restore() -> None:
        restore_backup(Environment(data_directory=data), backup)

    def begin() -> None:
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(template, data)

    begin()
    old = contents(data)
    assert in_child(restore) == 0
    wanted = contents(data)
    lost = missing(old, list(data.glob("before-restore-*")))
    assert not lost, lost
    assert wanted != old
    step = 1
    while True:
        begin()
        code = in_child(restore, kill_at=step)
        if code == 0:
            return step - 1
        assert code == -signal.SIGKILL, f"step {step}: {code}"
        try:
            ensure_no_restore(data)
        except ConfigurationError:
            pass
        else:
            found = contents(data)
            assert found in (old, wanted), f"step {step}: a product would start on a mixture"
        assert in_child(restore) == 0, f"step {step}: the next restore is refused"
        assert contents(data) == wanted, f"step {step}: the next restore gives something else"
        lost = missing(old, list(data.glob("before-restore-*")))
        assert not lost, f"step {step}: {lost} of before are gone"
        left = [path.name for path in data.glob("restoring*")]
        assert not left, f"step {step}: {left} is left"
        step += every


if __name__ == "__main__":
    data, backup, work, every = sys.argv[1:]
    sys.stdout.write(f"{main(Path(data), Path(backup), Path(work), int(every))}\n")
