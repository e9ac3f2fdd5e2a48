"""Inputs from public scripts and questions on a live estate, and those of the command line.

The inputs and what comes of them are listed in `tests/engine/tsql/test_public_inputs.py`, where `make test` tries them
all; it tries half of them here.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import Estate, Instance
from brokerweb.topology.selectors.catalogs import instance_catalog
from tests.brokerweb.conftest import ApiClient, logged_in
from tests.brokerweb.sql_browser import SqlBrowser
from tests.engine.tsql.test_public_inputs import CONSOLE, D11, IN_TWO_PARTS, NO_FILE, scripts_of
from tests.support.console_places import check_shown, error_line
from tests.support.each import for_each
from tests.support.thoroughness import share


# ── a session on a live estate ───────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def editing(live_estate: Estate) -> ApiClient:
    """The browser of an editor who may read bodies."""
    return logged_in(user_create("édith", Role.EDITOR, reads_payloads=True))


def shown(answers: list[dict[str, Any]]) -> list[Any]:
    """Rows, printed texts and errors, in their order."""
    found: list[Any] = []
    for each in answers:
        match each["type"]:
            case "result-set":
                found.append([tuple(row) for row in each["rows"]])
            case "printed":
                found.append(each["text"])
            case "failed":
                found.append(error_line(each["number"], each["line"], each["message"]))
    return found


@for_each("name", share(list(CONSOLE), 24))
async def test_what_comes_of_what_is_typed(live_estate: Estate, editing: ApiClient, name: str) -> None:
    async with SqlBrowser(editing) as typing:
        await typing.hello(live_estate.name, "PARIS", "master")
        assert (await typing.hear("welcome", "refused"))["type"] == "welcome"
        assert shown(await typing.run(f"CREATE DATABASE [{name}]\nGO\nUSE [{name}]")) == []
        for script, comes in scripts_of(name):
            check_shown(shown(await typing.run(script)), comes)
            assert shown(await typing.run(f"USE [{name}]")) == []


# ── the command line ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def command(tmp_path: Path) -> Any:
    """Runs a command on scripts; the exit code, what was printed, and the errors."""

    def run(name: str, scripts: list[str], *arguments: str, before: tuple[str, ...] = (), flag: str = "") -> Any:
        files = [tmp_path / f"{number}.sql" for number in range(len(scripts))]
        for file, script in zip(files, scripts, strict=True):
            file.write_text(script, "utf-8")
        out, err = io.StringIO(), io.StringIO()
        given = [*before, *([flag] if flag else []), *map(str, files), *arguments]
        try:
            call_command(name, *given, stdout=out, stderr=err)
        except SystemExit as end:
            return end.code, out.getvalue(), err.getvalue()
        return 0, out.getvalue(), err.getvalue()

    return run


def test_d11_nothing_runs_behind_a_connect_to_another_server(live_estate: Estate, command: Any) -> None:
    place = {"before": ("PARIS", "master"), "flag": "-f"}
    made = command("sql", ["CREATE DATABASE D11\nGO\nUSE D11\nGO\n" + D11], "--estate", live_estate.name, **place)
    assert (made[0], made[1]) == (1, "")
    assert made[2].startswith("Msg 40510, Level 16, State 1, Line 7\n:CONNECT is not supported here")
    kept = command("sql", ["SELECT COUNT(*) AS n FROM D11.dbo.keep"], "--estate", live_estate.name, **place)
    assert kept == (0, "n\n-\n0\n(1 row)\n", "")


@pytest.mark.django_db
def test_a_build_variable_is_given_its_value(command: Any) -> None:
    script = "CREATE QUEUE q\nGO\nALTER DATABASE [$(DatabaseName)] SET ENABLE_BROKER"
    place = ("--estate", "demo", "--instance", "P", "--database", "Shop")
    code, out, _ = command("tsql_import", [script], *place)
    assert (code, " 911: Database '$(DatabaseName)' does not exist on this instance" in out) == (1, True)
    assert command("tsql_import", [script], *place, "--set", "DatabaseName=Shop")[0] == 0
    assert catalog("demo", "P").databases["Shop"].queues.keys() == {"dbo.q"}


@pytest.mark.django_db
def test_a_statement_with_a_file_that_is_not_there_is_left_out(command: Any) -> None:
    script = f"CREATE DATABASE d\nGO\nUSE d\n{NO_FILE}\nCREATE QUEUE q"
    code, out, _ = command("tsql_import", [script], "--estate", "demo", "--instance", "P")
    assert (code, " 15208: The file 'C:\\no.cer' of the certificate cannot be read" in out) == (1, True)
    assert command("tsql_import", [script], "--estate", "demo", "--instance", "P", "--leave-out", "4")[0] == 0
    assert catalog("demo", "P").databases["d"].queues.keys() == {"dbo.q"}


@pytest.mark.django_db
def test_p7_two_scripts_exchange_a_certificate_through_a_file(command: Any) -> None:
    code, out, err = command("tsql_import", list(IN_TWO_PARTS), "--estate", "demo")
    assert (code, err, "warning" in out) == (0, "", False)
    a, b = (catalog("demo", name).databases["master"].certificates["CertA"] for name in ("NODEA", "NODEB"))
    assert b.certificate == a.certificate


def catalog(estate: str, instance: str) -> Any:
    return instance_catalog(Instance.objects.get(estate__name=estate, name=instance))
