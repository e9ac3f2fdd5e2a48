"""Benchmarks print their figures at the end of the run and keep them in `.build/benchmarks.json`. None can fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

_tables: dict[str, list[list[str]]] = {}


@pytest.fixture
def show() -> Callable[[str, list[list[str]]], None]:
    """Takes a title and the rows of a table, the heading first."""

    def keep(title: str, rows: list[list[str]]) -> None:
        _tables[title] = rows

    return keep


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for title, rows in _tables.items():
        terminalreporter.write_sep("-", title)
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        for row in rows:
            cells = (
                text.rjust(width) if at else text.ljust(width)
                for at, (text, width) in enumerate(zip(row, widths, strict=True))
            )
            terminalreporter.write_line("  ".join(cells))
    if _tables:
        kept = Path(".build/benchmarks.json")
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(_tables, indent=2), encoding="utf-8")
