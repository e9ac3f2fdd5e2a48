"""Servers of the benchmark are gone when their turn is over, however it ends."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.benchmarks.link import processes
from tests.benchmarks.link.servers import ServerFailed, Servers
from tests.support.waiting import until

PARENT = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path("child").write_text(str(child.pid))
time.sleep(600)
"""


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def interrupted_turn(pids: list[int], folders: list[Path]) -> None:
    """A turn that is broken off when its server has a child; says which processes and which folder there were."""
    with Servers() as servers:
        server = servers.start("parent", [sys.executable, "-c", PARENT])
        note = servers.directory / "child"
        server.until(lambda: note.exists() and bool(note.read_text()), "it has a child")
        folders.append(servers.directory)
        pids += [server.pid, int(note.read_text())]
        assert {each.pid for each in processes.families(processes.everybody(), [server.pid])} == set(pids)
        raise KeyboardInterrupt


def test_an_interrupt_stops_servers_and_their_children_and_removes_the_directory() -> None:
    pids: list[int] = []
    folders: list[Path] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted_turn(pids, folders)
    assert len(pids) == 2
    # The kernel may need a moment for what was killed.
    until(lambda: not any(map(is_alive, pids)), what="the end of both")
    assert [folder.exists() for folder in folders] == [False]


def test_a_server_that_does_not_come_up_is_told_with_its_last_words() -> None:
    with Servers() as servers:
        server = servers.start("short", [sys.executable, "-c", "import sys; sys.exit('no room on the disk')"])
        with pytest.raises(ServerFailed, match="no room on the disk"):
            server.until(lambda: False, "it is ready")
