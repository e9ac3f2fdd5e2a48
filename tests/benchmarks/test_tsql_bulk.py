"""A script of many routes into an estate and out again: seconds and memory of whole commands, on SQLite.

Each command is a process of its own, `manage.py migrate` has been before; ROUTES=100000 says how many.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROUTES = int(os.environ.get("ROUTES") or 100_000)
BATCH = 100


def _script(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(":CONNECT PARIS\nCREATE DATABASE Ventes;\nUSE Ventes;\nGO\n")
        for number in range(ROUTES):
            file.write(
                f"CREATE ROUTE [route {number:06}] WITH\n"
                f"    SERVICE_NAME = N'//exemple.fr/Service/{number:06}',\n"
                f"    BROKER_INSTANCE = N'00000000-0000-4000-8000-{number:012}',\n"
                f"    ADDRESS = N'TCP://serveur{number % 500}.exemple.fr:4022';\n"
            )
            if number % BATCH == BATCH - 1:
                file.write("GO\n")


_MEASURED = (
    "import re, resource, sys; from django.core.management import execute_from_command_line as run; run(sys.argv); "
    "used = resource.getrusage(resource.RUSAGE_SELF); "
    # Not what `getrusage` calls the most: that begins with the memory of the process that started this one.
    "most = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]; "
    "print(round(used.ru_utime + used.ru_stime, 1), int(most) // 1024, file=sys.stderr)"
)


@pytest.mark.timeout(900)
def test_many_routes_come_in_and_go_out(tmp_path: Path) -> None:
    source, copy = tmp_path / "in.sql", tmp_path / "out.sql"
    _script(source)
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
        "BROKERWEB_DATA": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.dev",
    }

    def run(name: str, *arguments: str) -> str:
        began = time.monotonic()
        found = subprocess.run(
            [sys.executable, "-c", _MEASURED, *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        seconds = time.monotonic() - began
        worked, mebibytes = found.stderr.split()[-2:]
        sys.stdout.write(f"\n{name}: {seconds:.1f} s, of them {worked} s worked, {mebibytes} MiB at most")
        return found.stdout

    run("nothing (migrate)", "migrate", "-v0")
    told = run("into an empty estate", "tsql_import", str(source), "--estate", "gros")
    assert f"{ROUTES + 2:,} to add" in told
    run("out", "tsql_export", "--output", str(copy))
    told = run("over itself, dry run", "tsql_import", str(copy), "--dry-run")
    assert f"{ROUTES + 1:,} the same" in told
    sys.stdout.write(f"\nscript: {source.stat().st_size / 2**20:.0f} MiB\n")
