"""An import of many routes as a job does it: memory and work after each stage. ROUTES=100000 says how many.

In a process of its own. Resident memory is what is there after a stage, and the most
that there has been so far; seconds are those that the process has worked.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROUTES = int(os.environ.get("ROUTES") or 100_000)
_IMPORT = r"""
import functools, json, re, resource, sys
import django
django.setup()
from brokerweb.common.outbox import services as outbox
from brokerweb.topology.models import Route
from brokerweb.topology.services import imports, revision
from engine import api as engine

stages = []

def stage(name):
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Not what `getrusage` calls the most: that begins with the memory of the process that started this one.
    with open("/proc/self/status") as file:
        memory = dict(re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB", file.read(), re.MULTILINE))
    stages.append([name, int(memory["VmRSS"]) / 1024, int(memory["VmHWM"]) / 1024, used.ru_utime + used.ru_stime])

def told(module, function, name):
    work = getattr(module, function)
    @functools.wraps(work)
    def done(*arguments, **options):
        answer = work(*arguments, **options)
        stage(name)
        return answer
    setattr(module, function, done)

told(imports, "_prepared", "read and planned")
told(revision, "catalog_write", "rows written")
told(revision, "outbox_append", "outbox written")
told(revision, "history_append", "history written")
told(revision, "decision_log", "log of decisions written")
stage("begin")
count = int(sys.argv[1])
lines = ["CREATE DATABASE Ventes;\nUSE Ventes;\nGO\n"]
lines += [
    f"CREATE ROUTE [route {number:06}] WITH SERVICE_NAME = N'//exemple.fr/Service/{number:06}', "
    f"ADDRESS = N'TCP://serveur{number % 500}.exemple.fr:4022';\n"
    for number in range(count)
]
files = (engine.imports.ImportFile("routes.sql", "".join(lines)),)
del lines
stage("script")
imports.estate_import(estate_name="gros", files=files, user=None, progress=lambda *_: None)
stage("done")
assert Route.objects.count() >= count
print(json.dumps(stages))
"""


@pytest.mark.timeout(900)
def test_what_an_import_takes_stage_by_stage(tmp_path: Path, show: Callable[[str, list[list[str]]], None]) -> None:
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
        "BROKERWEB_DATA": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.dev",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("manage.py", "migrate", "-v0")
    stages = json.loads(run("-c", _IMPORT, str(ROUTES)).splitlines()[-1])
    rows = [["after", "MiB resident", "MiB at most so far", "s worked so far"]]
    rows += [[name, f"{resident:.0f}", f"{most:.0f}", f"{worked:.1f}"] for name, resident, most, worked in stages]
    show(f"An import of {ROUTES:,} routes", rows)
