"""Real workers that die, pause and leave: another one goes on, under the next fencing number, and nothing is lost."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from engine.core.exchange.commands import Command, Send
from engine.core.vocabulary.identifiers import CommandId, ConversationHandle, EstateName, InstanceName
from engine.hosting.app import celery_app, configure, queue_of
from engine.hosting.envelope import replies_decoder, text
from engine.hosting.settings import HostingSettings
from tests.architecture.tidy import ROOT
from tests.engine.hosting import two_instances
from tests.engine.hosting.engine_process import PATIENCE_SECONDS, asked, persistently
from tests.engine.hosting.leased_workers import Deployment, answers, forget_broker
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    VENTES,
    WAIT_SECONDS_MAX,
    begin_dialog,
    define,
    ready_at_lyon,
    receive_all,
    send,
    waiting_at_paris,
)
from tests.support.waiting import until

pytestmark = [pytest.mark.timeout(600)]

LONG_LEASE_SECONDS = 1000.0
"""Ends in no test by itself: who has to wait for that waits in vain."""
SHORT_LEASE_SECONDS = 20.0
"""Ends by itself, and is still renewed by a worker that gets a tenth of a processor."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dashboard's database when nothing has happened yet."""
    folder = tmp_path_factory.mktemp("tables")
    environment = {"DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.dev", "BROKERWEB_DATA": str(folder)}
    command = [sys.executable, "-m", "tests.engine.hosting.made_tables"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=True)
    return folder / "brokerweb.sqlite3"


@pytest.fixture
def lease_seconds() -> float:
    return LONG_LEASE_SECONDS


@pytest.fixture
def deployment(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lease_seconds: float,
    tables: Path,
) -> Iterator[Deployment]:
    broker_url = request.getfixturevalue(getattr(request, "param", "redis_url"))
    forget_broker()
    configure(HostingSettings(data_directory=tmp_path, broker_url=broker_url))
    deployment = Deployment(tmp_path, broker_url, lease_seconds=lease_seconds, tables=tables)
    monkeypatch.setattr(two_instances, "patience_seconds", PATIENCE_SECONDS)
    yield deployment
    deployment.end()
    forget_broker()


def start_with_first(deployment: Deployment) -> None:
    """Both instances live at the first worker; the second one is there and has nothing to do."""
    deployment.start("first")
    persistently(define)
    deployment.start("second")


def both_answer() -> bool:
    return answers(PARIS) and answers(LYON)


def send_all(handle: ConversationHandle, numbers: Iterable[int]) -> None:
    """Each of them as often as it takes; each is sent once."""
    for number in numbers:
        persistently(lambda number=number: send(handle, number))


def until_there(count: int) -> None:
    until(lambda: asked(lambda: ready_at_lyon() == count), f"{count} messages are there")


def test_a_worker_killed_without_warning_is_replaced_when_its_leases_end(deployment: Deployment):
    start_with_first(deployment)
    handle = begin_dialog()
    send_all(handle, range(20))
    before = deployment.leases()
    assert {holder for holder, _ in before.values()} == {"first"}

    deployment.signal("first", signal.SIGKILL)
    deployment.end_leases()
    until(both_answer, "the second worker hosts both")
    send_all(handle, range(20, 40))
    until_there(40)
    assert receive_all() == list(range(40))
    assert deployment.leases() == {name: ("second", before[name][1] + 1) for name in (PARIS, LYON)}


@pytest.mark.slow
def test_a_worker_that_is_told_to_stop_hands_its_instances_over_at_once(deployment: Deployment):
    start_with_first(deployment)
    handle = begin_dialog()
    send_all(handle, [0])
    deployment.signal("first", signal.SIGTERM)
    assert deployment.wait("first") == 0
    until(both_answer, "the second worker hosts both, and no lease has ended by itself")
    send_all(handle, [1])
    until_there(2)
    assert receive_all() == [0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("lease_seconds", [SHORT_LEASE_SECONDS])
def test_a_worker_that_was_paused_for_longer_than_its_lease_commits_nothing_more(deployment: Deployment):
    start_with_first(deployment)
    handle = begin_dialog()
    send_all(handle, range(20))
    fence = deployment.status()[PARIS]["fence"]

    deployment.signal("first", signal.SIGSTOP)
    until(both_answer, "the second worker hosts both")
    send_all(handle, range(20, 30))
    deployment.signal("first", signal.SIGCONT)
    # What the paused worker had in hand, it is asked for again now.
    send_all(handle, range(30, 60))
    until(lambda: "is not hosted here any more" in deployment.log("first"), "the first worker has noticed")
    until(lambda: deployment.takes_tasks("first"), "it goes on with what it can do")

    until_there(60)
    assert receive_all() == list(range(60))
    status = deployment.status()
    for name in (PARIS, LYON):
        assert status[name]["holder"].startswith("second@"), "nobody has taken anything back"
    assert status[PARIS]["fence"] == fence + 1


@pytest.mark.slow
@pytest.mark.parametrize("deployment", ["redis_url", "rabbitmq_url"], indirect=True)
def test_a_command_that_is_delivered_again_after_the_take_over_is_answered_from_the_store(deployment: Deployment):
    """A broker gives a task back that a dead worker had not acknowledged: here it is the same task, sent again."""
    start_with_first(deployment)
    handle = begin_dialog()
    command = Send(command_id=CommandId(uuid4()), database=VENTES, conversation_handle=handle, body=b"7")
    task_id = str(uuid4())
    first = deliver(task_id, command)
    deployment.signal("first", signal.SIGKILL)
    deployment.end_leases()
    until(both_answer, "the second worker hosts both")
    assert deliver(task_id, command) == first
    until_there(1)
    until(lambda: asked(lambda: waiting_at_paris() == 0), "nothing more is on its way")
    assert receive_all() == [7]


def deliver(task_id: str, command: Command) -> object:
    place = (ESTATE, PARIS)
    queue = queue_of(EstateName(ESTATE), InstanceName(PARIS))
    result = celery_app.send_task("engine.execute", (*place, text([command])), queue=queue, task_id=task_id)
    answer = replies_decoder.decode(result.get(timeout=WAIT_SECONDS_MAX, disable_sync_subtasks=False))
    result.forget()
    return answer
