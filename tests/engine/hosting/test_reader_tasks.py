"""Internal readers as Celery tasks: real workers behind real brokers, of which some die (ADR 21)."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from uuid import uuid4

import pytest

from engine.core.catalog.changes import DatabaseCreated, QueueCreated, ServiceCreated
from engine.core.catalog.objects import Activation, Queue, Service
from engine.core.exchange.commands import ApplyCatalog, BeginDialog, Receive, Send
from engine.core.exchange.events import QueueActivation, QueueDisabled
from engine.core.exchange.replies import CatalogRevised, DialogBegun, MessageSent, MessagesReceived
from engine.hosting import client
from engine.hosting.app import CONTROL_QUEUE, celery_app, configure, queue_of
from engine.hosting.reader_tasks.calls import READER_QUEUE
from engine.hosting.settings import HostingSettings
from tests.architecture.tidy import ROOT
from tests.engine.hosting.engine_process import engine_alone, persistently
from tests.engine.hosting.leased_workers import forget_broker
from tests.support.waiting import until

PLACE = ("démo", "PARIS")
BROKERS = ["redis_url", pytest.param("rabbitmq_url", marks=pytest.mark.slow)]
PACE = 20.0
"""One more reader of a queue per quarter of a second."""


class Office:
    """An instance, the worker that hosts it and workers that run its readers; Client asks Guichet."""

    def __init__(self, folder: Path, broker_url: str) -> None:
        self._folder = folder
        self._broker_url = broker_url
        self.marks = folder / "marks"
        self.workers: dict[str, subprocess.Popen[bytes]] = {}

    # ── workers ──
    def start(self, name: str, queue: str, data: str = "engine", known_as: str | None = None) -> None:
        """Start a worker and wait until one of its name takes tasks."""
        worker = f"{known_as or name}@localhost"
        command = [sys.executable, "-m", "celery", "-A", "tests.engine.hosting.worker_app", "worker"]
        environment = {
            "DATA_DIRECTORY": str(self._folder / data),
            "BROKER_URL": self._broker_url,
            "READER_MODULES": "tests.engine.hosting.readers_for_tests",
            "MARKS": str(self.marks),
        }
        with (self._folder / f"{name}.log").open("wb") as log:
            self.workers[name] = subprocess.Popen(
                [
                    *(*command, "--pool", "threads", "--concurrency", "8", "--queues", queue),
                    *("--hostname", worker, "--without-mingle", "--without-gossip"),
                ],
                cwd=ROOT,
                env={**engine_alone(), **environment},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        until(lambda: bool(celery_app.control.ping(destination=[worker], timeout=0.5)), f"{name} takes tasks")

    def host(self, name: str = "host") -> None:
        self.start(name, CONTROL_QUEUE)

    def readers(self, name: str = "readers", data: str = "engine") -> None:
        self.start(name, READER_QUEUE, data)

    def kill(self, name: str) -> None:
        self.workers[name].kill()
        self.workers[name].wait(60)

    def end(self) -> None:
        for worker in self.workers.values():
            worker.kill()
            worker.wait(60)

    # ── the instance ──
    def define(self, procedure: str, readers: int) -> None:
        client.open_instance(*PLACE, pace=PACE)
        active = Activation(procedure, readers, "SELF")
        changes = (
            DatabaseCreated(database="Ventes", broker_instance=uuid4()),
            QueueCreated(database="Ventes", queue=Queue("dbo.Client")),
            QueueCreated(database="Ventes", queue=Queue("dbo.Guichet", activation=active)),
            *(
                ServiceCreated(database="Ventes", service=Service(name, f"dbo.{name}", ("DEFAULT",)))
                for name in ("Client", "Guichet")
            ),
        )
        self.do(CatalogRevised, ApplyCatalog(command_id=uuid4(), base=0, revision=1, changes=changes))

    def do(self, answer, command):
        [reply] = client.execute(*PLACE, [command])
        assert isinstance(reply, answer), reply
        return reply

    def ask(self, *bodies: str) -> None:
        """A dialog for each body, so that as many readers can work."""
        for body in bodies:
            begin = BeginDialog(command_id=uuid4(), database="Ventes", from_service="Client", to_service="Guichet")
            handle = self.do(DialogBegun, begin).conversation_handle
            send = Send(command_id=uuid4(), database="Ventes", conversation_handle=handle, body=body.encode())
            self.do(MessageSent, send)

    def answers(self) -> list[str]:
        receive = Receive(command_id=uuid4(), database="Ventes", queue="dbo.Client", top=1000, many_groups=True)
        rows = persistently(lambda: self.do(MessagesReceived, receive)).messages
        return [row.message_body.decode() for row in rows]

    def await_answers(self, *bodies: str) -> None:
        """All are answered once: nothing else comes, not even later."""
        found: list[str] = []
        wanted = sorted(f"re {body}" for body in bodies)
        until(lambda: found.extend(self.answers()) or len(found) >= len(wanted), "all are answered", 60)
        until(lambda: self.running() == 0, "the readers have gone", 60)
        assert sorted(found + self.answers()) == wanted

    def guichet(self) -> "Guichet":
        return Guichet([event for _, event in persistently(lambda: client.events_after(*PLACE, 0, 10_000))])

    def running(self) -> int:
        """How many readers the instance counts now."""
        view = persistently(lambda: client.read_view(*PLACE, 10))
        [monitor] = [queue.monitor for each in view.databases for queue in each.queues if queue.name == "dbo.Guichet"]
        return monitor.active_tasks

    def hosts(self, name: str) -> bool:
        """Whether a worker hosts the instance: then it takes its queue."""
        queues = celery_app.control.inspect([f"{name}@localhost"]).active_queues() or {}
        return any(queue["name"] == queue_of(*PLACE) for each in queues.values() for queue in each)

    # ── what readers did ──
    def marked(self, word: str) -> list[list[str]]:
        lines = self.marks.read_text(encoding="utf-8").splitlines() if self.marks.exists() else []
        return [line.split() for line in lines if line.split()[1] == word]

    def at_once(self) -> int:
        """How many readers the instance heard at once at the most.

        A reader is heard from its beginning to the moment in which it asked for the last statement that was carried
        out. What its callable does after that has no effect: Python cannot end a thread, so it may do so for a while.
        """
        last: dict[str, float] = {}
        for _, _, run, moment in self.marked("heard"):
            last[run] = max(float(moment), last.get(run, 0.0))
        steps = [(moment, -1) for moment in last.values()]
        steps += [(float(moment), 1) for _, _, run, moment in self.marked("began") if run in last]
        return max(accumulate(step for _, step in sorted(steps)))

    def go_on(self) -> None:
        self.marks.with_suffix(".go").touch()


class Guichet:
    """What the events of the instance say of its readers."""

    def __init__(self, events: list[object]) -> None:
        told = [event for event in events if isinstance(event, QueueActivation)]
        self.ends = [(event.subclass.value, event.number) for event in told if event.subclass.value != "started"]
        self.reasons = [event.text for event in told if event.number is not None]
        self.most = max((event.active_tasks for event in told), default=0)
        self.is_off = any(isinstance(event, QueueDisabled) for event in events)


@pytest.fixture(params=BROKERS)
def office(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Office]:
    broker_url = request.getfixturevalue(request.param)
    forget_broker()
    configure(HostingSettings(data_directory=tmp_path / "engine", broker_url=broker_url, wakes_web=False))
    office = Office(tmp_path, broker_url)
    yield office
    office.end()
    forget_broker()


only_redis = pytest.mark.parametrize("office", ["redis_url"], indirect=True)
"""For what has nothing to do with the broker."""


@pytest.mark.slow
def test_as_many_tasks_as_readers_are_allowed_work_at_once_and_never_more(office: Office):
    office.host()
    office.readers()
    office.define("dbo.halten", 3)
    office.ask(*"abcdef")
    until(lambda: len(office.marked("holds")) == 3, "three readers hold a message each")
    office.go_on()
    office.await_answers(*"abcdef")
    assert office.at_once() == 3
    assert office.guichet().most == 3
    assert {end for end, _ in office.guichet().ends} == {"ended"}


@pytest.mark.slow
@only_redis
def test_workers_of_one_name_do_not_take_each_others_tasks(office: Office):
    """As `celery worker` names them on one machine when nobody says a name: a broker carries orders to both."""
    office.start("readers", READER_QUEUE, known_as="celery")
    office.start("host", CONTROL_QUEUE, known_as="celery")
    office.define("dbo.halten", 1)
    for _ in range(12):
        client.read_view(*PLACE, 1)


def test_what_a_killed_worker_had_received_comes_again_and_is_answered_once(office: Office):
    office.host()
    office.readers("first")
    office.define("dbo.halten", 2)
    office.ask(*"abcd")
    until(lambda: len(office.marked("holds")) == 2, "two readers hold a message each")
    office.kill("first")
    office.go_on()
    office.readers("second")
    office.await_answers(*"abcd")
    assert office.at_once() <= 2
    assert office.guichet().most == 2
    assert office.guichet().ends.count(("aborted", 28088)) == 2


@pytest.mark.slow
def test_five_rollbacks_of_readers_switch_the_queue_off(office: Office):
    office.host()
    office.readers()
    office.define("dbo.scheitern", 1)
    office.ask("a")
    # The queue goes off with the rollback; that its reader ended is told when the task reports it, a moment later.
    until(lambda: office.guichet().is_off and len(office.guichet().ends) >= 5, "the queue is off", 60)
    assert [words[2] for words in office.marked("fails")] == ["a"] * 5
    assert office.guichet().ends == [("aborted", 28088)] * 5


@pytest.mark.slow
def test_a_worker_that_sees_no_data_of_the_host_reads_by_tasks_and_may_be_killed_too(office: Office):
    """As if it were on another machine: its death is noticed by its silence."""
    office.host()
    office.readers("first", data="elsewhere")
    office.define("dbo.halten", 2)
    office.ask(*"abcd")
    until(lambda: len(office.marked("holds")) == 2, "two readers hold a message each")
    office.kill("first")
    office.go_on()
    office.readers("second", data="elsewhere")
    office.await_answers(*"abcd")
    assert office.at_once() <= 2
    assert len(office.guichet().reasons) == 2, office.guichet().reasons


@pytest.mark.slow
@only_redis
def test_readers_of_a_host_that_died_fall_silent_before_its_successor_starts_its_own(office: Office):
    office.host("first")
    office.host("second")
    office.readers()
    persistently(lambda: office.define("dbo.halten", 2))
    office.ask(*"abcd")
    until(lambda: len(office.marked("holds")) == 2, "two readers hold a message each")
    office.kill("first" if office.hosts("first") else "second")
    until(lambda: len(office.marked("holds")) == 4, "two readers of the successor hold a message each")
    office.go_on()
    office.await_answers(*"abcd")
    assert office.at_once() == 2


@pytest.mark.slow
@only_redis
def test_a_worker_that_is_paused_for_too_long_commits_nothing_when_it_goes_on(office: Office):
    office.host()
    office.readers("first")
    office.define("dbo.halten", 1)
    office.ask("a")
    until(lambda: len(office.marked("holds")) == 1, "a reader holds the message")
    office.workers["first"].send_signal(signal.SIGSTOP)
    office.readers("second")
    until(lambda: len(office.marked("holds")) == 2, "another reader holds the message")
    assert office.at_once() == 1
    office.go_on()
    office.workers["first"].send_signal(signal.SIGCONT)
    until(lambda: len(office.marked("ended")) == 2, "both have ended")
    office.await_answers("a")


@pytest.mark.slow
@only_redis
def test_a_call_that_the_broker_has_lost_is_repeated(office: Office):
    office.host()
    office.define("dbo.antworten", 1)
    office.ask("a")
    with celery_app.connection_for_write() as connection:
        channel = connection.default_channel
        until(lambda: channel.queue_purge(READER_QUEUE) > 0, "the call was there, and is gone")
    office.readers()
    office.await_answers("a")
    assert office.guichet().ends == [("ended", None)]


@pytest.mark.slow
@only_redis
def test_a_worker_that_is_told_to_stop_does_not_wait_for_its_readers(office: Office):
    office.host()
    office.readers("first")
    office.define("dbo.warten", 1)
    office.ask("a")
    found: list[str] = []
    until(lambda: found.extend(office.answers()) or found == ["re a"], "the reader has answered, and waits for more")
    office.workers["first"].terminate()
    assert office.workers["first"].wait(60) == 0
    office.readers("second")
    office.ask("b")
    until(lambda: found.extend(office.answers()) or found == ["re a", "re b"], "the next one has answered")
    assert office.guichet().ends == [("aborted", 28088)]
