"""`manage.py sql`: a T-SQL session on a running instance, whose DDL is a revision of the estate."""

import io
import threading

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from brokerweb.operations.services.console import console_open
from brokerweb.topology.models import Decision, TopologyRevision
from brokerweb.topology.selectors.places import DatabasePlace


@pytest.fixture
def sql(live_estate, tmp_path):
    """Runs a script; answers the exit code, what was printed, and the errors."""

    def run(script, instance="PARIS", database="Ventes"):
        file = tmp_path / "script.sql"
        file.write_text(script, "utf-8")
        out, err = io.StringIO(), io.StringIO()
        code = 0
        try:
            call_command(
                "sql", instance, database, "-f", str(file), "--estate", live_estate.name, stdout=out, stderr=err
            )
        except SystemExit as end:
            code = end.code
        return code, out.getvalue(), err.getvalue()

    return run


SEND = """
DECLARE @h uniqueidentifier;
BEGIN DIALOG @h FROM SERVICE [//test/Commandes] TO SERVICE N'//test/Réception' WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @h (N'bonjour');
PRINT 'sent';
"""
RECEIVE = "WAITFOR (RECEIVE CAST(message_body AS nvarchar(max)) AS said FROM [File]), TIMEOUT 20000"


def test_a_message_goes_from_one_instance_to_another(sql):
    assert sql(SEND) == (0, "sent\n", "")
    assert sql(RECEIVE, "LYON", "Stock") == (0, "said\n-------\nbonjour\n(1 row)\n", "")


def test_views_and_errors_are_shown_with_lines_and_numbers(sql):
    code, out, err = sql(
        "SELECT name FROM sys.databases WHERE name = 'VENTES'\nSELECT nope FROM sys.routes\nGO\nPRINT 'on'"
    )
    assert code == 1
    assert out == "name\n------\nVentes\n(1 row)\non\n"
    assert err.startswith("Msg 207, Level 16, State 1, Line 2\nroutes has no column named 'nope'")


def test_a_definition_is_a_revision_that_the_instance_has_when_the_next_statement_runs(sql, live_estate):
    before = TopologyRevision.objects.filter(estate=live_estate).count()
    code, out, err = sql(
        "CREATE QUEUE Typed\nCREATE SERVICE [//test/Typed] ON QUEUE Typed ([DEFAULT])\nSELECT COUNT(*) AS n FROM Typed"
    )
    assert (code, err) == (0, "")
    assert out == "n\n-\n0\n(1 row)\n"
    assert TopologyRevision.objects.filter(estate=live_estate).count() == before + 2
    last = Decision.objects.filter(estate=live_estate).order_by("-pk")[0]
    assert last.summary == "Definitions typed into a console on PARIS"
    code, _, err = sql("CREATE QUEUE Typed")
    assert code == 1
    assert err.startswith("Msg 2714, ")


def test_a_definition_goes_over_the_session_and_waits_for_no_look_at_the_outbox(sql, monkeypatch):
    monkeypatch.setattr("brokerweb.topology.services.typed.publish_soon", lambda: None)
    assert sql("CREATE QUEUE Straight\nGO\nSELECT COUNT(*) AS n FROM Straight") == (0, "n\n-\n0\n(1 row)\n", "")


def test_cells_are_shown_whole(sql):
    code, out, err = sql("SELECT REPLICATE(N'x', 3000) AS text, 1 AS next UNION ALL SELECT N'y', 2")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[2] == "x" * 3000 + "  1"
    # A text that is longer than the rest does not pad the rest to its length.
    assert lines[3] == "y" + " " * 255 + "  2"


@pytest.mark.parametrize("line", [":CONNECT OTHER", ":r other.sql", "!!dir"])
@pytest.mark.parametrize("is_piped", [False, True])
def test_after_a_refused_line_of_the_client_nothing_runs(sql, live_estate, monkeypatch, line, is_piped):
    script = f"CREATE QUEUE Kept\nGO\n{line}\nUSE master\nGO\nDROP QUEUE Kept\nGO\nPRINT 'after'\n"
    if is_piped:
        monkeypatch.setattr("sys.stdin", io.StringIO(script))
        out, err = io.StringIO(), io.StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("sql", "PARIS", "Ventes", "--estate", live_estate.name, stdout=out, stderr=err)
        code, out, err = ended.value.code, out.getvalue(), err.getvalue()
    else:
        code, out, err = sql(script)
    assert (code, out) == (1, "")
    assert err.startswith("Msg 40510, ")
    assert sql("SELECT COUNT(*) AS n FROM Kept")[1] == "n\n-\n0\n(1 row)\n"


def test_a_queue_that_poison_has_switched_off_is_switched_on_again(sql):
    sql(SEND)
    poison = """DECLARE @b varbinary(max)
BEGIN TRAN
WAITFOR (RECEIVE TOP (1) @b = message_body FROM [File]), TIMEOUT 20000
ROLLBACK
GO 5
RECEIVE * FROM [File]"""
    code, _, err = sql(poison, "LYON", "Stock")
    assert code == 1
    assert err.startswith("Msg 9617, ")
    sql("ALTER QUEUE [File] WITH STATUS = ON", "LYON", "Stock")
    assert sql(RECEIVE, "LYON", "Stock")[1].splitlines()[2] == "bonjour"


def test_what_is_typed_runs_at_go(live_estate, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("PRINT 'a'\nGO\nUSE msdb\nGO\nPRINT DB_NAME()"))
    out = io.StringIO()
    call_command("sql", "PARIS", "Ventes", "--estate", live_estate.name, stdout=out)
    assert out.getvalue() == "a\nmsdb\n"


def test_what_is_typed_ends_at_an_error_where_a_line_says_so(live_estate, monkeypatch):
    typed = "SELECT nope\nGO\n:on error exit\nGO\nPRINT 'a'\nGO\nSELECT nope\nGO\nPRINT 'b'"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("sql", "PARIS", "Ventes", "--estate", live_estate.name, stdout=out, stderr=err)
    assert (ended.value.code, out.getvalue()) == (1, "a\n")
    assert err.getvalue().count("Msg 207, ") == 2


def test_what_is_not_there_is_refused_with_a_number(live_estate, tmp_path):
    with pytest.raises(CommandError, match=r"^15151: ") as refused:
        call_command("sql", "PARIS", "Nowhere", "--estate", live_estate.name)
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="4860: ") as refused:
        call_command("sql", "PARIS", "Ventes", "-f", str(tmp_path / "none.sql"), "--estate", live_estate.name)
    assert refused.value.returncode == 2


def test_scripts_come_in_the_encodings_of_sql_server_tools(live_estate, tmp_path, monkeypatch):
    file = tmp_path / "s.sql"
    for encoding, assumed in (("cp1252", "Windows-1252"), ("utf-16-le", "UTF-16 LE"), ("utf-16", None)):
        file.write_bytes("PRINT N'déjà €'".encode(encoding))
        out, err = io.StringIO(), io.StringIO()
        call_command("sql", "PARIS", "Ventes", "-f", str(file), "--estate", live_estate.name, stdout=out, stderr=err)
        assert out.getvalue() == "déjà €\n"
        assert err.getvalue() == ("" if assumed is None else f"{file} is read as {assumed}.\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"PRINT '\xe9'\n"), "utf-8"))
    with pytest.raises(CommandError, match=r"^4864: The file 'stdin' is not UTF-8") as refused:
        call_command("sql", "PARIS", "Ventes", "--estate", live_estate.name)
    assert refused.value.returncode == 2


def test_databases_are_not_backed_up_from_a_live_console(sql):
    code, _, err = sql("BACKUP DATABASE Ventes TO DISK = 'x'")
    assert code == 1
    assert err.startswith("Msg 40510, ")


def test_a_session_over_tasks_waits_until_somebody_gives_up(live_estate):
    place = DatabasePlace(live_estate.name, "LYON", "Stock")
    console = console_open(place, user=None)
    found = []
    script = "WAITFOR (RECEIVE status FROM [File]); WAITFOR DELAY '00:00:00.010'; PRINT DB_NAME()"
    waiting = threading.Thread(target=lambda: found.extend(console.run(script)))
    waiting.start()
    while waiting.is_alive():
        # The WAITFOR may just be on its way to the instance.
        console.target.give_up()
        waiting.join(0.05)
    result, counted, printed = found
    assert (result.rows, counted.count, printed.text) == ((), 0, "Stock")
    console.close()
