"""Tables of runs: pages beside a plain-Python oracle, files, samples, and names that are no names."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from brokerweb.pipeline.folders import result_folder, run_folder
from brokerweb.pipeline.models import PipelineRun
from tests.brokerweb.analyses import BEGUN, done_run
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db
ROWS = 500
LARGE = 2**53
BEGUN_MICROSECONDS = int(BEGUN.timestamp()) * 1_000_000

SQL = f"""
SELECT i AS number, {LARGE} + i AS large, i % 7 AS "od""d ; DROP",
  CASE WHEN i % 5 = 0 THEN NULL ELSE 's' || (i % 11) END AS service,
  i / 4.0 AS ratio, i % 2 = 0 AS is_even,
  make_timestamptz({BEGUN_MICROSECONDS} + i * 1000001) AS sent_at, [i, i + 1] AS steps
FROM range({{first}}, {{last}}) AS t(i)
"""
COLUMNS = ["number", "large", 'od"d ; DROP', "service", "ratio", "is_even", "sent_at", "steps"]
TYPES = ["integer", "integer", "integer", "text", "number", "boolean", "time", "list"]


def instant(i: int) -> str:
    at = BEGUN + timedelta(microseconds=i * 1_000_001)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def oracle() -> list[list]:
    """The rows as a page shows them."""
    return [
        [
            i,
            LARGE + i if LARGE + i < 2**53 else str(LARGE + i),
            i % 7,
            None if i % 5 == 0 else f"s{i % 11}",
            i / 4,
            i % 2 == 0,
            instant(i),
            [i, i + 1],
        ]
        for i in range(ROWS)
    ]


@pytest.fixture
def run(db) -> Iterator[PipelineRun]:
    estate = make_estate(pair_catalogs(), name="paire")
    row = done_run(
        estate,
        "delivery",
        {"messages": [SQL.format(first=0, last=300), SQL.format(first=300, last=ROWS)]},
        engine_version="1",
    )
    yield row
    shutil.rmtree(run_folder(row.pk), ignore_errors=True)


def path_of(run: PipelineRun, table: str = "messages") -> str:
    return f"/estates/paire/runs/{run.pk}/tables/{table}"


def page(client, run, query: str = "") -> dict:
    answer = client.ask("GET", f"{path_of(run)}?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def refused(client, path: str) -> tuple[int, str]:
    answer = client.ask("GET", path)
    said = answer.json()
    assert said["detail"], said
    assert said["cure"], said
    return answer.status_code, said["code"]


def test_pages_are_the_table_in_its_order(editor, run):
    found = page(editor, run, "limit=7&offset=297")
    assert found["columns"] == [{"name": name, "type": kind} for name, kind in zip(COLUMNS, TYPES, strict=True)]
    assert (found["rows"], found["total"]) == (oracle()[297:304], ROWS)
    assert page(editor, run, f"offset={ROWS}")["rows"] == []


@pytest.mark.parametrize(("place", "descending"), [(1, "true"), (3, "true"), (3, "false"), (6, "false")])
def test_pages_of_a_sorted_table_have_every_row_once(editor, run, place, descending):
    column = COLUMNS[place].replace(" ", "%20").replace(";", "%3B").replace('"', "%22")
    rows = []
    for offset in range(0, ROWS, 125):
        rows += page(editor, run, f"sort={column}&descending={descending}&limit=125&offset={offset}")["rows"]

    def key(row):
        value = row[place]
        return int(value) if place == 1 else value

    known = sorted((row for row in oracle() if row[place] is not None), key=key, reverse=descending == "true")
    assert rows == known + [row for row in oracle() if row[place] is None]


@pytest.mark.parametrize(
    ("where", "keeps"),
    [
        ("number:7", lambda row: row[0] == 7),
        (f"large:{LARGE + 3}", lambda row: row[0] == 3),
        ("service:s3", lambda row: row[3] == "s3"),
        ("service:", lambda row: row[3] is None),
        ("ratio:2.5", lambda row: row[4] == 2.5),
        ("is_even:false", lambda row: not row[5]),
        (f"sent_at:{instant(12)}", lambda row: row[0] == 12),
        ("service:s3&where=is_even:true", lambda row: row[3] == "s3" and row[5]),
        ("service:' OR 1=1 --", lambda row: False),
    ],
)
def test_filters_leave_what_they_say(editor, run, where, keeps):
    found = page(editor, run, f"where={where}&limit=1000")
    known = [row for row in oracle() if keeps(row)]
    assert (found["rows"], found["total"]) == (known, len(known))


def test_what_is_no_name_is_refused_with_the_names_that_there_are(editor, run):
    here = path_of(run)
    assert refused(editor, f"{here}?sort=nulle") == (400, "malformed")
    assert refused(editor, f'{here}?sort=number"%20--') == (400, "malformed")
    assert refused(editor, f"{here}?where=nulle:1") == (400, "malformed")
    assert refused(editor, f"{here}?where=number") == (400, "malformed")
    for wrong in ("number:x", f"number:{2**70}", "is_even:2", "sent_at:gestern", "steps:1"):
        assert refused(editor, f"{here}?where={wrong}") == (400, "malformed"), wrong
    assert refused(editor, path_of(run, "nulle")) == (404, "not-found")
    assert refused(editor, path_of(run, ".."))[0] == 404
    assert refused(editor, f"{here}?limit=100000")[1] == "bad-field"
    assert refused(editor, f"{here}?sorted=number") == (400, "unknown-field")
    assert refused(editor, f"{here}/download?format=xml")[1] == "bad-field"
    assert refused(editor, f"/estates/paire/runs/{run.pk}/samples") == (400, "malformed")


def test_a_run_of_another_estate_is_not_there(editor, run):
    make_estate(pair_catalogs(), name="autre")
    for rest in ("", "/tables/messages", "/samples"):
        assert refused(editor, f"/estates/autre/runs/{run.pk}{rest}") == (404, "not-found")


def test_files_hold_the_whole_table(editor, run, tmp_path):
    answer = editor.ask("GET", f"{path_of(run)}/download?format=csv")
    assert answer["Content-Disposition"] == 'attachment; filename="delivery-messages.csv"'
    lines = list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))
    assert lines[0] == COLUMNS
    assert [line[0] for line in lines[1:]] == [str(i) for i in range(ROWS)]
    assert lines[2] == ["1", str(LARGE + 1), "1", "s1", "0.25", "false", instant(1), "[1, 2]"]
    answer = editor.ask("GET", f"{path_of(run)}/download?format=parquet")
    assert answer["Content-Disposition"] == 'attachment; filename="delivery-messages.parquet"'
    file = tmp_path / "whole.parquet"
    file.write_bytes(b"".join(answer.streaming_content))
    with duckdb.connect(":memory:") as connection:
        [(count, large)] = connection.execute(f"SELECT count(*), max(large) FROM '{file}'").fetchall()
    assert (count, large) == (ROWS, LARGE + ROWS - 1)
    assert sorted(each.name for each in run_folder(run.pk).iterdir()) == ["result"], "what was made for it is gone"


def test_files_that_are_gone_or_damaged_are_said(editor, run):
    folder: Path = result_folder(run.pk) / "messages"
    for part in folder.iterdir():
        part.write_bytes(b"no parquet at all")
    assert refused(editor, path_of(run)) == (422, "result-unreadable")
    shutil.rmtree(folder)
    assert refused(editor, path_of(run)) == (409, "run-has-no-tables")


FLOWS = """
SELECT flow, 'PARIS' AS instance, CASE WHEN flow = 2 THEN 'Ventes' ELSE 'Stock' END AS database, '//a' AS service,
  'initiator' AS direction, '//b' || flow AS to_service, NULL::VARCHAR AS broker_instance, 10 AS conversations
FROM (SELECT unnest([1, 2, 3])::INTEGER AS flow)
"""
VERDICTS = """
SELECT flow::INTEGER AS flow, revision, 'delivered' AS disposition, true AS works, 'green' AS light,
  NULL::INTEGER AS number,
  'LYON' AS end_instance, 'Entrepôt' AS end_database, 'r' AS route,
  [{'instance': 'PARIS', 'database': 'Ventes', 'route': 'r'},
   {'instance': 'LYON', 'database': NULL, 'route': NULL}] AS path
FROM range(1, 4) AS f(flow), range(1, 3) AS r(revision)
"""
CONVERSATIONS = """
SELECT 'c' || i AS conversation_id, (1 + i % 3)::INTEGER AS flow,
  (CASE i % 3 WHEN 0 THEN 0 WHEN 1 THEN 3 ELSE 2 END)::TINYINT AS change
FROM range(30) AS t(i)
"""


@pytest.fixture
def whatif(run) -> Iterator[PipelineRun]:
    tables = {"conversations": [CONVERSATIONS], "flows": [FLOWS], "verdicts": [VERDICTS]}
    row = done_run(run.estate, "whatif", tables)
    yield row
    shutil.rmtree(run_folder(row.pk), ignore_errors=True)


def samples(client, run, query: str) -> list[dict]:
    answer = client.ask("GET", f"/estates/paire/runs/{run.pk}/samples?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_samples_are_conversations_with_their_verdicts(editor, whatif):
    found = samples(editor, whatif, "change=lost&database=VENTES&limit=4")
    assert [each["conversation_id"] for each in found] == ["c1", "c4", "c7", "c10"]
    assert {each["change"] for each in found} == {"lost"}
    first = found[0]
    assert (first["database"], first["to_service"], first["broker_instance"]) == ("Ventes", "//b2", None)
    assert [each["revision"] for each in first["verdicts"]] == [1, 2]
    assert first["verdicts"][0]["path"] == [
        {"instance": "PARIS", "database": "Ventes", "route": "r"},
        {"instance": "LYON", "database": None, "route": None},
    ]
    assert len(samples(editor, whatif, "")) == 20
    assert samples(editor, whatif, "change=gained") == []
    assert samples(editor, whatif, "to_service=//b1&change=lost") == []
    assert len(samples(editor, whatif, "to_service=//b3&change=moved")) == 10


def test_instants_before_1970_and_after_are_told_exactly(editor, run):
    folder = result_folder(run.pk) / "messages"
    shutil.rmtree(folder)
    folder.mkdir()
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            "COPY (SELECT unnest([TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMP '2099-01-01 00:00:00', NULL]) AS at"
            f", 'nan'::DOUBLE AS ratio) TO '{folder}/a.parquet' (FORMAT parquet)"
        )
    rows = page(editor, run)["rows"]
    assert rows == [["1969-12-31T23:59:59.999999Z", None], ["2099-01-01T00:00:00.000000Z", None], [None, None]]
    assert datetime.fromisoformat(rows[0][0]).tzinfo == UTC
