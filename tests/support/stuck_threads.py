"""A test that has waited in vain says what each thread and task of its process was doing: it may never happen again."""

from __future__ import annotations

import asyncio
import gc
import io
import sys
import threading
import traceback
from collections.abc import Generator

import pytest

from engine.hosting.errors import EngineUnavailable

FRAMES_MAX = 12
"""Of each thread, the innermost."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report of a phase, with the threads where it has waited in vain."""
    report = yield
    if call.excinfo is not None and _has_waited(call.excinfo.value):
        report.sections.append(("threads and tasks of the process", stacks()))
    return report


def _has_waited(error: BaseException) -> bool:
    return isinstance(error, EngineUnavailable | TimeoutError) or "waited in vain" in str(error)


def stacks() -> str:
    """The innermost frames of every thread of this process, and of every task that is not done."""
    frames = sys._current_frames()
    found = [(each.name, frames[each.ident]) for each in threading.enumerate() if each.ident in frames]
    threads = [f"{name}\n{''.join(traceback.format_stack(frame)[-FRAMES_MAX:])}" for name, frame in found]
    tasks = [each for each in gc.get_objects() if isinstance(each, asyncio.Task) and not each.done()]
    return "\n".join([*threads, *map(_of_task, tasks)])


def _of_task(task: asyncio.Task[object]) -> str:
    said = io.StringIO()
    task.print_stack(limit=FRAMES_MAX, file=said)
    return said.getvalue()
