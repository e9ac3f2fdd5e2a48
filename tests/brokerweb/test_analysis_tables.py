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

from brokerweb.common.pipeline_errors import ResultTooCostly
from brokerweb.pipeline.folders import reading_folder, result_folder, run_folder
from brokerweb.pipeline.models import PipelineRun
from brokerweb.pipeline.selectors import reading
from brokerweb.topology.models import Estate
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


def delivery_run(estate: Estate) -> PipelineRun:
    files = [SQL.format(first=0, last=300), SQL.format(first=300, last=ROWS)]
    return done_run(estate, "delivery", {"messages": files}, engine_version="1")


@pytest.fixture(scope="module")
def written(rows_of_file) -> Iterator[PipelineRun]:
    with rows_of_file():
        estate = make_estate(pair_catalogs(), name="paire")
        row = delivery_run(estate)
    yield row
    shutil.rmtree(run_folder(row.pk), ignore_errors=True)


@pytest.fixture
def run(written, db) -> PipelineRun:
    return PipelineRun.objects.get(pk=written.pk)


@pytest.fixture
def run_of_its_own(run) -> Iterator[PipelineRun]:
    """Another one, whose files a test may damage."""
    row = delivery_run(run.estate)
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


def grouped(keys, figures, keeps=lambda row: True) -> list[tuple[list, list]]:
    """Groups of the oracle with their sums, as the server has them."""
    found: dict[tuple, list] = {}
    for row in filter(keeps, oracle()):
        key = tuple(row[place] for place in keys)
        sums = found.setdefault(key, [0] * len(figures))
        for at, place in enumerate(figures):
            sums[at] += row[place]
    order = sorted(found.items(), key=lambda each: (-each[1][0], [(part is None, part) for part in each[0]]))
    return [(list(key), sums) for key, sums in order]


def sums(client, run, query: str, table: str = "messages") -> dict:
    answer = client.ask("GET", f"{path_of(run, table)}/sums?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.parametrize(
    ("query", "keys", "keeps"),
    [
        ("by=service", [3], lambda row: True),
        ("by=is_even&by=service", [5, 3], lambda row: True),
        ('by=od"d%20%3B%20DROP', [2], lambda row: True),
        ("by=service&where=is_even:true", [3], lambda row: row[5]),
        ("by=service&without=service:s3&without=service:", [3], lambda row: row[3] not in ("s3", None)),
        ("by=service&without=service:s3", [3], lambda row: row[3] != "s3"),
    ],
)
def test_sums_are_of_every_row_and_say_what_is_left_out(editor, run, query, keys, keeps):
    known = grouped(keys, [0, 4], keeps)
    found = sums(editor, run, f"{query}&of=number&of=ratio&limit=3")
    assert [column["name"] for column in found["columns"]] == [*(COLUMNS[place] for place in keys), "number", "ratio"]
    assert found["rows"] == [key + figures for key, figures in known[:3]]
    whole = [sum(figures[at] for _key, figures in known) for at in (0, 1)]
    rest = [sum(figures[at] for _key, figures in known[3:]) for at in (0, 1)]
    assert (found["total_groups"], found["sums"], found["others"]) == (len(known), whole, rest)


def test_sums_without_groups_are_of_the_whole_table_and_of_nothing_none(editor, run):
    whole = sum(range(ROWS))
    found = sums(editor, run, "of=number")
    assert (found["rows"], found["total_groups"], found["sums"], found["others"]) == ([[whole]], 1, [whole], [0])
    large = sums(editor, run, "of=large&by=sent_at&limit=1")
    assert large["sums"] == [str(ROWS * LARGE + whole)], "it is larger than what a browser counts to"
    assert large["rows"] == [[instant(ROWS - 1), str(LARGE + ROWS - 1)]]
    for by in ("", "&by=service"):
        none = sums(editor, run, f"of=number&where=number:{ROWS}{by}")
        assert (none["rows"], none["total_groups"], none["sums"], none["others"]) == ([], 0, [0], [0])


def test_of_ten_thousand_unchanged_flows_and_one_lost_one_change_is_told(editor, run):
    rows = "SELECT 'unchanged' AS change, 320 AS conversations FROM range(10_000)"
    lost = "SELECT 'lost' AS change, 7 AS conversations"
    row = done_run(run.estate, "whatif", {"changes": [rows, lost]})
    found = sums(editor, row, "by=change&of=conversations", "changes")
    assert found["rows"] == [["unchanged", 3_200_000], ["lost", 7]]
    shutil.rmtree(run_folder(row.pk), ignore_errors=True)


def test_what_cannot_be_added_up_is_refused(editor, run):
    here = f"{path_of(run)}/sums"
    for wrong in (
        "of=nulle",
        "of=number&by=nulle",
        'of=number"%20--',
        "of=service",
        "of=sent_at",
        "of=is_even",
        "of=steps",
        "of=number&by=steps",
        "of=number&where=number:x",
        "of=number&without=number:x",
        "of=number&without=number",
    ):
        assert refused(editor, f"{here}?{wrong}") == (400, "malformed"), wrong
    assert refused(editor, here)[1] == "bad-field"
    assert refused(editor, f"{here}?of=number&limit=10001")[1] == "bad-field"
    assert refused(editor, f"{here}?of=number&sort=number") == (400, "unknown-field")
    assert refused(editor, f"{path_of(run, 'nulle')}/sums?of=number") == (404, "not-found")


def test_a_question_leaves_the_disk_alone_and_has_a_bound(editor, run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    row = done_run(run.estate, "delivery", {"messages": [MANY]})
    monkeypatch.setitem(reading._OPTIONS, "memory_limit", "96MB")
    last = f"{path_of(row)}?sort=name&limit=1000&offset=90000"
    found = editor.ask("GET", last)
    assert found.status_code == 200, found.content
    assert list(tmp_path.iterdir()) == [], "nothing is written where the process was started"
    assert not list(reading_folder().iterdir()), "what did not fit into memory is gone with the answer"
    monkeypatch.setattr(reading, "SPILL_MAX", "1MB")
    assert refused(editor, last) == (422, "result-too-costly")
    assert refused(editor, f"{path_of(row)}?sort=name&limit=1000&offset=99001") == (422, "result-too-costly")
    assert page(editor, row, "limit=1&offset=399999")["total"] == 400_000
    shutil.rmtree(run_folder(row.pk), ignore_errors=True)


MANY = "SELECT i AS number, md5(i::VARCHAR) || repeat('x', 60) AS name FROM range(400_000) AS t(i)"


def test_a_question_that_takes_too_long_is_ended(run):
    endless = "SELECT count(*) FROM range(100_000_000) AS a(i), range(100_000_000) AS b(j) WHERE (i * j) % 7 = 3"
    with pytest.raises(ResultTooCostly, match=r"0\.2 s"), reading.reader(seconds=0.2) as connection:
        connection.execute(endless).fetchall()
    assert not list(reading_folder().iterdir())


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


def test_files_that_are_gone_or_damaged_are_said(editor, run_of_its_own):
    run = run_of_its_own
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


def test_instants_before_1970_and_after_are_told_exactly(editor, run_of_its_own):
    run = run_of_its_own
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
