"""A process is stopped wherever it may be, another one takes over, then the first goes on: real processes, signals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from uuid import uuid4

import pytest

from engine.core.exchange.changes import AppendTransmission
from engine.core.vocabulary.identifiers import EstateName, FencingNumber
from engine.storage.postgres import PostgresStore
from tests.engine.ports.store_contract import PARIS, VENTES, rows, taken, waiting
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import SECONDS_MAX

OWNER = """
import os, signal, sys
from engine.core.exchange.changes import AppendTransmission
from engine.storage.errors import StoreFailed
from engine.storage.postgres import PostgresStore
from tests.engine.ports.store_contract import PARIS, VENTES, taken, waiting

store = PostgresStore(sys.argv[1], sys.argv[2], PARIS, 1)
connection = store._connection
# Who waits for the time limit of an idle transaction waits in vain.
connection.execute("SET idle_in_transaction_session_timeout = 0")

def stop():
    print("stopping", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)

def commit(number):
    store.commit([AppendTransmission(database=VENTES, row=waiting(1, 2 * number + n)) for n in (0, 1)], [taken(number)])
    print(number, flush=True)

for number in range(10):
    commit(number)
try:
    match sys.argv[3]:
        case "between commits":
            stop()
        case "inside a transaction":
            connection.execute("BEGIN")
            connection.execute("SELECT hold(1)")
            stop()
            connection.execute("ROLLBACK")
        case "inside a pipeline":
            with connection.pipeline():
                connection.execute("SELECT hold(1::bigint)")
                stop()
        case "anywhere":
            for number in range(10, 1_000_000):
                commit(number)
except Exception:
    pass
for attempt in range(2):
    try:
        commit(1_000_000 + attempt)
    except StoreFailed as error:
        print(type(error).__name__, flush=True)
"""


@pytest.fixture
def estate() -> EstateName:
    return EstateName(str(uuid4()))


@pytest.fixture
def start_owner(postgres: PostgresServer, estate: EstateName) -> Iterator[object]:
    owners: list[subprocess.Popen[str]] = []

    def start(where: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", OWNER, postgres.url, estate, where]
        owners.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return owners[-1]

    yield start
    for owner in owners:
        owner.kill()
        owner.wait()


def is_stopped(process: "subprocess.Popen[str]") -> bool:
    pid, status = os.waitpid(process.pid, os.WUNTRACED | os.WNOHANG)
    return pid != 0 and os.WIFSTOPPED(status)


def wait_until_stopped(process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not is_stopped(process):
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("where", ["between commits", "inside a transaction", "inside a pipeline"])
def test_who_is_stopped_holds_up_nobody_and_commits_nothing_when_it_goes_on(
    postgres: PostgresServer, estate: EstateName, start_owner, where: str
):
    owner = start_owner(where)
    wait_until_stopped(owner)

    successor = PostgresStore(postgres.url, estate, PARIS, FencingNumber(2))
    assert [row.message_sequence_number for row in rows(successor).transmission] == list(range(20))
    successor.commit([AppendTransmission(database=VENTES, row=waiting(1, 20))], [taken(1)])

    os.kill(owner.pid, signal.SIGCONT)
    output, _ = owner.communicate(timeout=60)
    assert output.split()[-2:] == ["StoreFenced", "StoreFenced"]
    assert [row.message_sequence_number for row in rows(successor).transmission] == list(range(21))
    assert successor.load().last_event == 11
    successor.close()


@pytest.mark.parametrize("pause", [0.0, 0.007, 0.013, 0.021])
def test_stopped_at_any_moment_nothing_reported_is_lost_and_nothing_comes_later(
    postgres: PostgresServer, estate: EstateName, start_owner, pause: float
):
    owner = start_owner("anywhere")
    for line in owner.stdout:
        if line.strip() == "30":
            break
    time.sleep(pause)
    os.kill(owner.pid, signal.SIGSTOP)
    wait_until_stopped(owner)

    successor = PostgresStore(postgres.url, estate, PARIS, FencingNumber(2))
    found = [row.message_sequence_number for row in rows(successor).transmission]
    assert found == list(range(len(found)))
    assert len(found) == 2 * successor.load().last_event

    os.kill(owner.pid, signal.SIGCONT)
    output, _ = owner.communicate(timeout=60)
    *numbers, first, second = output.split()
    assert (first, second) == ("StoreFenced", "StoreFenced")
    assert 2 * (max([30, *map(int, numbers)]) + 1) <= len(found), "what was reported as committed was taken over"
    assert [row.message_sequence_number for row in rows(successor).transmission] == found
    successor.commit([AppendTransmission(database=VENTES, row=waiting(1, len(found)))], [])
    successor.close()
