"""`manage.py tsql_import` and `tsql_export`: what they print, what they do, and the exit codes a pipeline goes by."""

import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from brokerweb.topology.models import Estate, Route, TopologyRevision
from brokerweb.topology.services.change_sets import change_set_apply
from brokerweb.topology.services.imports import sample_load
from tests.brokerweb.estates import apply_meant, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
GOOD = """\
:CONNECT PARIS
CREATE DATABASE Ventes;
USE Ventes;
CREATE QUEUE [Fil'e];
PRINT 'bonjour';
"""
BROKEN = """\
:CONNECT PARIS
USE Ventes;
CREATE ROUTE a WITH ADDRESS 'LOCAL';
CREATE ROUTE b WITH ADDRESS = 'LOCAL', BROKER_INSTANCE = 'x';
"""


@pytest.fixture
def file(tmp_path):
    def write(text, name="s.sql", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return str(path)

    return write


def run(command, *arguments):
    """Exit code, output, error output."""
    out, err = StringIO(), StringIO()
    try:
        call_command(command, *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return end.code, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


class TestImport:
    def test_a_script_makes_an_estate_and_every_statement_has_a_line(self, file):
        path = file(GOOD)
        code, out, err = run("tsql_import", path, "--estate", "demo")
        assert (code, err) == (0, "")
        lines = out.splitlines()
        assert lines[0].split()[:4] == [f"{path}:1", "add", "PARIS", ":CONNECT"]
        assert [line.split()[1] for line in lines[:4]] == ["add", "add", "add", "ignored"]
        assert lines[-2:] == ["4 statements: 3 to add, 1 ignored.", "Estate demo is at revision 1."]
        assert Estate.objects.get().revision == 1

    def test_the_second_time_nothing_changes_and_the_only_estate_needs_no_name(self, file):
        run("tsql_import", file(GOOD), "--estate", "demo")
        code, out, _ = run("tsql_import", file(GOOD))
        assert code == 0
        assert out.endswith("Estate demo is so already; it stays at revision 1.\n")
        assert TopologyRevision.objects.count() == 1

    def test_a_dry_run_does_nothing(self, file):
        code, out, _ = run("tsql_import", file(GOOD), "--estate", "demo", "--dry-run")
        assert code == 0
        assert out.endswith("Nothing was done to estate demo: this was a dry run.\n")
        assert not Estate.objects.exists()

    def test_every_mistake_of_all_files_is_told_with_its_place_and_nothing_is_done(self, file):
        good, broken = file(GOOD), file(BROKEN, "broken.sql")
        code, out, _ = run("tsql_import", good, broken, "--estate", "demo")
        assert code == 1
        errors = [line for line in out.splitlines() if line.startswith("error")]
        assert [line.split(": ")[0] for line in errors] == [f"error   {broken}:3:29", f"error   {broken}:4:58"]
        assert out.endswith("Nothing was done: 2 mistakes.\n")
        assert not Estate.objects.exists()

    def test_json(self, file):
        code, out, _ = run("tsql_import", file(BROKEN), "--estate", "demo", "--dry-run", "--json")
        report = json.loads(out)
        assert code == 1
        assert report["is_applied"] is False
        assert {(each["line"], each["column"]) for each in report["problems"]} >= {(3, 29)}

    def test_where_a_script_begins(self, file):
        run("tsql_import", file(GOOD), "--estate", "demo")
        code, out, _ = run("tsql_import", file("CREATE QUEUE autre;"), "--instance", "paris", "--database", "ventes")
        assert code == 0
        assert out.endswith("Change set #1 of estate demo has it; nothing is live before that is applied.\n")
        assert Estate.objects.get().revision == 1
        change_set_apply("demo", 1, user=None, expected_sequence=1)
        queues = Estate.objects.get().instances.get().databases.get(name="Ventes").queues
        assert set(queues.values_list("name", flat=True)) == {"dbo.Fil'e", "dbo.autre"}

    def test_standard_input(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(GOOD.encode())))
        code, out, _ = run("tsql_import", "-", "--estate", "demo")
        assert code == 0
        assert out.startswith("stdin:1 ")

    def test_scripts_of_the_vendors_tool_are_utf_16(self, file):
        code, out, _ = run("tsql_import", file("\ufeff" + GOOD, encoding="utf-16-le"), "--estate", "demo")
        assert (code, "Fil'e" in out) == (0, True)

    @pytest.mark.parametrize(
        ("encoding", "mark", "assumed"),
        [
            ("utf-8", "\ufeff", None),
            ("utf-8", "", None),
            ("utf-16-le", "\ufeff", None),
            ("utf-16-be", "\ufeff", None),
            ("utf-16-le", "", "UTF-16 LE"),
            ("utf-16-be", "", "UTF-16 BE"),
            ("cp1252", "", "Windows-1252"),
        ],
    )
    @pytest.mark.parametrize("is_piped", [False, True])
    def test_scripts_come_in_whatever_encoding_sql_server_tools_write(
        self, file, monkeypatch, encoding, mark, assumed, is_piped
    ):
        text = "CREATE DATABASE Größe;\nGO\nUSE Größe\nCREATE QUEUE [Prix € – déjà]"
        path = file(mark + text, encoding=encoding)
        name = "stdin" if is_piped else path
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO((mark + text).encode(encoding))))
        code, out, err = run("tsql_import", "-" if is_piped else path, "--estate", "demo", "--instance", "P")
        assert (code, err) == (0, "" if assumed is None else f"{name} is read as {assumed}.\n")
        assert "Prix € – déjà" in out

    @pytest.mark.parametrize(
        ("data", "place", "what"),
        [
            ("PRINT 'a';\n-- déjà\nPRINT '".encode() + b"\xe9'", "3:8", "UTF-8"),
            (b"\xef\xbb\xbfPRINT '\xe9'", "1:8", "UTF-8"),
            (b"PRINT '\x81'", "1:8", "UTF-8"),
            (b"PRINT 'a'\nPRINT '\0'", "2:8", "UTF-8 text: U+0000"),
            ("\ufeffPRINT 1".encode("utf-16-le") + b"x", "1:17", "UTF-16"),
            ("PRINT 'a\0b'".encode("utf-16-le"), "1:9", "UTF-16 LE text: U+0000"),
        ],
    )
    def test_damaged_text_is_refused_at_its_place(self, tmp_path, data, place, what):
        path = tmp_path / "s.sql"
        path.write_bytes(data)
        code, out, err = run("tsql_import", str(path), "--estate", "demo")
        assert (code, out, err) == (2, "", f"{path}:{place}: 4864: The file '{path}' is not {what}\n")

    def test_variables_of_a_build_have_values(self, file):
        path = file("CREATE DATABASE [$(Db)];\nGO\nUSE [$(Db)]\nCREATE QUEUE [$(Prefix)q]")
        code, out, err = run("tsql_import", path, "--estate", "demo", "--set", "Db=Shop", "--set", "Prefix=a=b")
        assert (code, err) == (0, "")
        assert "a=bq" in out
        assert "warning" not in out
        for wrong in ("Db", "=x", "a b=c", "a=\n"):
            with pytest.raises(CommandError, match="153: "):
                run("tsql_import", path, "--estate", "demo", "--set", wrong)

    def test_a_project_without_create_database_comes_into_the_database_that_is_named(self, file):
        path = file("CREATE QUEUE q;\nGO\nALTER DATABASE [$(DatabaseName)] SET ENABLE_BROKER")
        arguments = ("--estate", "demo", "--instance", "P", "--database", "Shop", "--set", "DatabaseName=Shop")
        code, out, err = run("tsql_import", path, *arguments)
        assert (code, err) == (0, "")
        assert "warning" in out
        assert "Database 'Shop' is made, because the script begins there." in out
        assert Estate.objects.get().instances.get().databases.get(name="Shop").queues.count() == 1
        # Where a script makes it, it is not made before.
        made = file("CREATE QUEUE q\nGO\nCREATE DATABASE Other", "made.sql")
        code, out, _ = run("tsql_import", made, "--estate", "other", "--instance", "P", "--database", "Other")
        assert (code, " 911 " in out) == (1, True)

    def test_statements_are_left_out(self, file):
        path = file("CREATE DATABASE d;\nUSE d\nCREATE CERTIFICATE c FROM FILE = 'C:\\gone.cer'\nCREATE QUEUE q")
        assert run("tsql_import", path, "--estate", "demo")[0] == 1
        other = file("CREATE DATABASE e", "other.sql")
        code, out, err = run(
            "tsql_import",
            path,
            other,
            "--estate",
            "demo",
            "--instance",
            "P",
            "--leave-out",
            f"{path}:3",
            "--leave-out",
            f"{other}:7",
        )
        assert (code, err) == (0, f"warning {other}:7: no statement begins there.\n")
        assert "Left out." in out
        for wrong in (["--leave-out", "3"], ["--leave-out", "none.sql:3"], ["--leave-out", "x"]):
            with pytest.raises(CommandError, match="153: ") as refused:
                run("tsql_import", path, other, "--estate", "demo", *wrong)
            assert refused.value.returncode in (1, 2)

    def test_what_cannot_be_read_is_told_with_its_place(self, file, tmp_path):
        latin, missing = file("PRINT 'é';\nPRINT '\x81'", encoding="latin-1"), str(tmp_path / "missing.sql")
        code, out, err = run("tsql_import", latin, missing, "--estate", "demo")
        assert (code, out) == (2, "")
        assert err.splitlines() == [
            f"{latin}:1:8: 4864: The file '{latin}' is not UTF-8",
            f"{missing}:1:1: 4860: There is no file '{missing}'",
        ]

    @pytest.mark.parametrize(
        ("text", "arguments", "told"),
        [
            (GOOD, [], "15151: There is no estate yet."),
            ("-- nothing", ["--estate", "demo"], "There is no statement in"),
            (GOOD, ["--estate", "no/name"], "No estate can be called no/name."),
        ],
    )
    def test_what_cannot_be_done_at_all(self, file, text, arguments, told):
        code, out, err = run("tsql_import", file(text), *arguments)
        assert (code, out, told in err) == (2, "", True)
        assert not Estate.objects.exists()


class TestExport:
    def test_out_and_in_again_and_out_are_the_same_bytes(self, tmp_path):
        sample_load("demo-fr-de", user=None)
        first, second = tmp_path / "1.sql", tmp_path / "2.sql"
        assert run("tsql_export", "--output", str(first))[0] == 0
        assert run("tsql_import", str(first), "--estate", "copie")[0] == 0
        assert run("tsql_export", "--estate", "copie", "--output", str(second))[0] == 0
        (title, told, *script), (other_title, _, *copy) = (
            path.read_text("utf-8").splitlines() for path in (first, second)
        )
        assert script == copy
        assert (title, other_title) == ("-- Estate demo-fr-de", "-- Estate copie")
        assert told.startswith("-- Revision 1 of ")
        code, out, _ = run("tsql_import", str(first), "--estate", "copie", "--dry-run", "--json")
        assert code == 0
        assert {row["effect"] for row in json.loads(out)["rows"]} == {"same"}

    def test_changes_between_revisions_and_their_rollback(self, file):
        make_estate(pair_catalogs())
        change = ":CONNECT PARIS\nUSE Ventes;\nDROP ROUTE vers_lyon;\nCREATE QUEUE autre;"
        run("tsql_import", file(change))
        apply_meant("paire", 1)
        code, forward, _ = run("tsql_export", "--from", "1", "--guards")
        assert code == 0
        statements = [line for line in forward.splitlines() if "ROUTE" in line or "QUEUE" in line]
        assert statements == ["    CREATE QUEUE [dbo].[autre];", "    DROP ROUTE [vers_lyon];"]
        code, back, _ = run("tsql_export", "--from", "1", "--to", "2", "--rollback")
        assert back.startswith("-- Estate paire\n-- Rollback of revisions 2 to 2:\n")
        assert run("tsql_import", file(back))[0] == 0
        change_set_apply("paire", 2, user=None, expected_sequence=1)
        assert run("tsql_export", "--from", "1", "--to", "3")[1].splitlines()[4:] == []
        assert Route.objects.filter(name="vers_lyon").exists()

    def test_what_a_person_must_supply_goes_to_standard_error(self):
        sample_load("demo-fr-de", user=None)
        _, out, err = run("tsql_export")
        for line in err.splitlines():
            number, _, text = line.removeprefix("warning line ").partition(": ")
            assert out.splitlines()[int(number) - 1] == f"-- {text}"
        assert "LIFETIME counts from the moment" in err

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--estate", "x"], "15151: There is no estate x."),
            (["--instance", "x"], "has no instance x."),
            (["--database", "x"], "has no database x."),
            (["--instance", "LYON", "--database", "Ventes"], "has no database Ventes."),
            (["--to", "7"], "has no revision 7"),
            (["--rollback"], "none is named"),
            (["--output", "/nowhere/x.sql"], "/nowhere/x.sql: 5123: No such file"),
        ],
    )
    def test_what_cannot_be_written(self, arguments, told):
        make_estate(pair_catalogs())
        code, _, err = run("tsql_export", *arguments)
        assert (code, told in err) == (2, True), err
