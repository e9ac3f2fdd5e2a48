"""The log on a disk that is full, and of a fault that comes each second."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings

from brokerweb.config.log import LineFormatter, LogFile
from tests.support.each import for_each

FULL = Path("/dev/full")
"""Every write to it says that there is no room."""


@pytest.fixture
def log(tmp_path: Path) -> Iterator[LogFile]:
    made = LogFile(tmp_path / "log", maxBytes=2_000, backupCount=2, encoding="utf-8")
    made.setFormatter(LineFormatter("{message}", None, "{"))
    yield made
    made.close()


def line(text: str, created: float = 0.0, error: BaseException | None = None) -> logging.LogRecord:
    trace = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord("engine", logging.ERROR, __file__, 1, text, None, trace)
    record.created = created
    return record


def fill(log: LogFile, tmp_path: Path) -> None:
    log.close()
    (tmp_path / "log").rename(tmp_path / "before")
    (tmp_path / "log").symlink_to(FULL)


def test_a_full_disk_is_said_once_and_lines_are_written_again_when_there_is_room(log, tmp_path, capsys):
    log.handle(line("first"))
    fill(log, tmp_path)
    for number in range(200):
        log.handle(line(f"lost {number}"))
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith(f"5123: The log {tmp_path / 'log'} cannot be written: No space left on device.")
    (tmp_path / "log").unlink()
    (tmp_path / "before").rename(tmp_path / "log")
    log.handle(line("last"))
    log.handle(line("and one"))
    assert (tmp_path / "log").read_text() == "first\nlast\nand one\n"
    assert capsys.readouterr().err == f"The log {tmp_path / 'log'} is written again.\n"


def test_a_folder_that_is_gone_or_closed_is_said_once_too(log, tmp_path, capsys):
    log.close()
    (tmp_path / "log").rename(tmp_path / "before")
    (tmp_path / "log").mkdir()
    for number in range(20):
        log.handle(line(f"lost {number}"))
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Traceback" not in said


def test_a_terminal_on_the_full_disk_raises_nothing(log, tmp_path, monkeypatch):
    full = FULL.open("w")
    monkeypatch.setattr("sys.stderr", full)
    fill(log, tmp_path)
    log.handle(line("lost"))
    monkeypatch.undo()
    with suppress(OSError):
        full.close()


def test_a_line_that_cannot_be_worded_is_our_fault_and_said_as_ever(log, capsys):
    record = line("%d")
    record.args = ("no number",)
    log.handle(record)
    assert "Logging error" in capsys.readouterr().err


def test_files_turn_over(log, tmp_path):
    for number in range(1_000):
        log.handle(line(f"line {number}"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.1", "log.2"]


def fault(number: int) -> BaseException:
    try:
        if number:
            raise ValueError(f"fault {number}")
        raise KeyError("another")
    except (ValueError, KeyError) as error:
        return error


def test_a_traceback_that_comes_again_is_told_once_a_minute(log, tmp_path):
    log.maxBytes = 1_000_000
    for second in range(119):
        log.handle(line("The outbox could not be looked at.", 1000.0 + second, fault(second + 1)))
    told = (tmp_path / "log").read_text()
    assert told.count("Traceback") == 2
    assert "The outbox could not be looked at. ValueError: fault 2 (traceback above)" in told
    log.handle(line("The outbox could not be looked at.", 1119.0, fault(0)))
    assert (tmp_path / "log").read_text().count("KeyError") == 2, "another fault is another traceback"


def test_each_handler_tells_it_once_of_its_own():
    formatters = [LineFormatter("{message}", None, "{") for _ in range(2)]
    first, second = line("one", 1.0, fault(1)), line("two", 2.0, fault(1))
    for formatter in formatters:
        assert "Traceback" in formatter.format(first)
        assert "Traceback" in formatter.format(first), "a handler that turns over asks twice"
    for formatter in formatters:
        assert "Traceback" not in formatter.format(second)


@for_each("handler", sorted(settings.LOGGING["handlers"]))
def test_the_settings_use_it(handler):
    formatter = settings.LOGGING["formatters"][settings.LOGGING["handlers"][handler]["formatter"]]
    assert formatter["class"] == "brokerweb.config.log.LineFormatter"
