"""`manage.py pipeline` and `trace_import`: what they print, what they refuse, and that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command

from brokerweb.pipeline.progress import StageBar
from engine.pipeline import running

HEADER = "EventClass,StartTime,EventSubClass,GUID,ObjectName,RoleName,BigintData1\n"
ROW = "124,2026-11-26T06:00:00,11 - BEGIN DIALOG,{guid},{guid},initiator,\n"


@pytest.fixture(autouse=True)
def data(settings, tmp_path: Path) -> None:
    settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, data_directory=tmp_path / "data")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    trace = tmp_path / "trace.csv"
    trace.write_text(HEADER + ROW.format(guid="6F9619FF-8B86-D011-B42D-00C04FC964FF") + "1,2\n")
    assert said("trace_import", trace, lake=tmp_path / "lake") == "2 rows: 1 written, 1 rejected\n"
    assert "1 rejected, 1 were there before" in said("trace_import", trace, lake=tmp_path / "lake")
    return tmp_path / "lake"


def said(command: str, *arguments: object, lake: Path | None = None) -> str:
    out = StringIO()
    where = () if lake is None else ("--lake", str(lake), "--estate", "e", "--instance", "PARIS")
    call_command(command, *map(str, arguments), *where, stdout=out, stderr=StringIO())
    return out.getvalue()


def refused(*arguments: object) -> str:
    with pytest.raises(CommandError) as error:
        said("pipeline", *arguments)
    assert error.value.returncode == 2
    return str(error.value)


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (("--set", "surprise=1"), "8145: "),
        (("--set", "examples=many"), "8114: "),
        (("--set", "examples=99999999999"), "8114: "),
        (("--set", "examples"), "153: "),
    ],
)
def test_a_wrong_parameter_is_refused_before_spark_starts(lake, tmp_path, arguments, number):
    assert refused("audit", "--in", lake, "--out", tmp_path / "out", *arguments).startswith(number)
    assert not (tmp_path / "out").exists()


def test_what_is_no_lake_and_what_is_no_output_is_left_alone(lake, tmp_path):
    assert refused("audit", "--in", tmp_path / "none", "--out", tmp_path / "out").startswith("13807: ")
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    link = tmp_path / "link"
    link.symlink_to(other)
    for target in (other, other / "letter.txt", link, lake, tmp_path):
        assert refused("audit", "--in", lake, "--out", target).startswith("5170: ")
    assert (other / "letter.txt").read_text() == "dear"


def test_a_missing_package_is_told_by_number(lake, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "find_spec", lambda name: None if name == "pyspark" else object())
    assert "'pyspark'" in refused("audit", "--in", lake, "--out", tmp_path / "out")
    assert refused("audit", "--in", lake, "--out", tmp_path / "out").startswith("39021: ")


def test_the_jobs_are_told_with_their_parameters(capsys):
    with pytest.raises(SystemExit):
        call_command("pipeline", "--help")
    told = capsys.readouterr().out
    assert all(part in told for part in ("delivery", "audit", "paths", "--set examples=", "a lake of events"))


def test_a_bar_is_shown_on_a_terminal_alone():
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    shown: Callable[[StringIO], str] = _bar_on
    assert shown(StringIO()) == ""
    assert "messages     [###############...............] 3/6 tasks" in shown(Terminal())


def _bar_on(stream: StringIO) -> str:
    from django.core.management.base import OutputWrapper

    bar = StageBar(OutputWrapper(stream))
    bar.show("reading", 0, 0)
    bar.show("messages", 3, 6)
    bar.clear()
    return stream.getvalue()


def test_small_files_are_put_together_by_a_command(lake, tmp_path):
    trace = tmp_path / "another.csv"
    trace.write_text(HEADER + ROW.format(guid="7F9619FF-8B86-D011-B42D-00C04FC964FF"))
    said("trace_import", trace, lake=lake)
    assert said("lake_compact", "--lake", lake, "--estate", "other") == "0 files put together; there are 0 now\n"
    assert said("lake_compact", "--lake", lake) == "2 files put together; there are 1 now\n"
    with pytest.raises(CommandError, match="13807: "):
        said("lake_compact", "--lake", tmp_path)


def test_what_an_import_has_brought_is_taken_out_by_the_same_command(lake, tmp_path):
    trace = tmp_path / "trace.csv"
    assert said("trace_import", trace, "--take-out", "--time-zone", "Asia/Tokyo", lake=lake) == (
        "1 rows: 0 taken out, 1 were not there\n"
    )
    assert said("trace_import", trace, "--take-out", lake=lake) == (
        "1 rows: 1 taken out, 0 were not there; 1 rejected ones deleted\n"
    )
    assert said("trace_import", trace, "--time-zone", "Asia/Tokyo", lake=lake).startswith("2 rows: 1 written")
    with pytest.raises(CommandError, match="13807: "):
        said("trace_import", trace, "--take-out", lake=tmp_path)
