"""How everybody asks the engine: plain functions that send a task and wait for its answer.

An instance of a sandbox, which the name of its estate tells, is asked in this process instead, with the same answers.

Every function raises `EngineUnavailable` when no answer comes in time. A command that was sent may then have been
carried out; sending it again with the same `command_id` is safe.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Any, Final
from uuid import UUID, uuid4

from celery.exceptions import TaskRevokedError
from celery.exceptions import TimeoutError as ResultTimeout
from celery.result import AsyncResult

from engine.core.exchange.commands import Command
from engine.core.exchange.explaining import TransmissionExplanation
from engine.core.exchange.pictures import Picture, PictureQuery
from engine.core.exchange.readers import ReaderEnded
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting.app import CONTROL_QUEUE, broker_errors, celery_app, queue_of
from engine.hosting.envelope import (
    NumberedEvent,
    PictureAnswer,
    events_decoder,
    explanation_decoder,
    peek_decoder,
    pictures_decoder,
    replies_decoder,
    system_view_decoder,
    text,
    view_decoder,
)
from engine.hosting.errors import EngineUnavailable
from engine.hosting.late_replies import may_wait, waiting_seconds
from engine.hosting.later_answers import arrival_of
from engine.hosting.reader_tasks.calls import ReaderPass
from engine.hosting.sandboxes.asked import not_of_sandboxes
from engine.hosting.sandboxes.registry import is_sandbox, kept_instance
from engine.hosting.session.client import EngineSession
from engine.hosting.settings import MEMORY_RESULTS
from engine.hosting.shelves import plate_of

COMMAND_SECONDS: Final = 15.0
READ_SECONDS: Final = 5.0
OPEN_SECONDS: Final = 30.0
RESULT_POLLING_SECONDS: Final = 0.002
"""How often a result in memory is looked for; brokers that push do not poll."""
GIVING_UP_SECONDS: Final = 0.5
"""How often somebody who may give up asks himself."""


def open_instance(
    estate: str,
    instance: str,
    *,
    pace: float = 1.0,
    key_suite: KeySuite = KeySuite.MD5,
    makes: bool = True,
    timeout_seconds: float = OPEN_SECONDS,
) -> None:
    """Have an instance hosted; harmless when it is.

    `pace` is the factor by which its waiting times are shortened, `key_suite` how its secure dialogs protect messages.
    Its store is made when it does not exist. Without `makes` one that was open and is not there is gone (5120).
    """
    if is_sandbox(estate):
        not_of_sandboxes("Hosting")
    arguments = (estate, instance, pace, key_suite.value, makes)
    _ask_owner("engine.open_instance", estate, instance, arguments, timeout_seconds)


def close_instance(estate: str, instance: str, *, forgets: bool = False, timeout_seconds: float = OPEN_SECONDS) -> None:
    """Have an instance hosted no more, also after a restart; with `forgets` everything it stored is deleted."""
    if is_sandbox(estate):
        not_of_sandboxes("Hosting")
    _ask_owner("engine.close_instance", estate, instance, (estate, instance, forgets), timeout_seconds)


def execute(
    estate: str, instance: str, commands: Sequence[Command], *, timeout_seconds: float = COMMAND_SECONDS
) -> list[Reply]:
    """Carry out commands in their order; one reply each, a `Refusal` for what the engine refuses.

    What a WAITFOR waits is no part of the timeout. Nobody ends it but its time, its reply and `cancel_wait`.
    """
    if not commands:
        return []
    if (kept := kept_instance(estate, instance)) is not None:
        return kept.execute(commands)
    arguments = (estate, instance, text(commands))
    if any(map(may_wait, commands)):
        return replies_decoder.decode(
            _wait_for(estate, instance, arguments, waiting_seconds(commands, timeout_seconds))
        )
    return replies_decoder.decode(_ask_instance("engine.execute", estate, instance, arguments, timeout_seconds))


def open_session(estate: str, instance: str) -> EngineSession:
    """A connection of this program's own to an instance that a worker of this machine hosts: bulk, and no tasks.

    For whoever can read the data directory, which is also what it takes to read the stores.
    """
    return EngineSession(_plate(estate, instance), InstanceName(instance))


def _plate(estate: str, instance: str) -> Path:
    if is_sandbox(estate):
        not_of_sandboxes("A session")
    if celery_app.hosting is None:
        raise EngineUnavailable("This program was not told where the engine keeps its data.")
    return plate_of(celery_app.hosting.data_directory, (EstateName(estate), InstanceName(instance)))


def open_reader_session(estate: str, instance: str, reader: ReaderPass) -> EngineSession:
    """As `open_session`, for an internal reader that runs: its requests are the reader's, and so is its end."""
    return EngineSession(_plate(estate, instance), InstanceName(instance), reader)


def execute_for_reader(
    estate: str,
    instance: str,
    reader: ReaderPass,
    commands: Sequence[Command],
    *,
    timeout_seconds: float | None,
    is_given_up: Callable[[], bool],
) -> list[Reply]:
    """As `execute`, for an internal reader that runs, until `is_given_up`; no commands at all show that it lives."""
    return replies_decoder.decode(
        _ask(
            "engine.execute_for_reader",
            queue_of(EstateName(estate), InstanceName(instance)),
            (estate, instance, text(reader), text(commands)),
            timeout_seconds,
            f"Instance {instance} of estate {estate}",
            is_given_up=is_given_up,
        )
    )


def end_reader(
    estate: str, instance: str, reader: ReaderPass, ended: ReaderEnded, *, timeout_seconds: float = COMMAND_SECONDS
) -> None:
    """Tell the instance how an internal reader has ended; `ReaderNotExpected` when it knows."""
    _ask_instance("engine.end_reader", estate, instance, (estate, instance, text(reader), text(ended)), timeout_seconds)


def cancel_wait(estate: str, instance: str, command_id: UUID, *, timeout_seconds: float = COMMAND_SECONDS) -> None:
    """Have whoever waits with a WAITFOR answered with the empty set; harmless when it has ended."""
    if (kept := kept_instance(estate, instance)) is not None:
        kept.cancel_wait(command_id)
        return
    arguments = (estate, instance, str(command_id))
    _ask_instance("engine.cancel_wait", estate, instance, arguments, timeout_seconds)


def read_view(estate: str, instance: str, rows_max: int, *, timeout_seconds: float = READ_SECONDS) -> InstanceView:
    """The live rows of an instance, at most `rows_max` in each list."""
    if (kept := kept_instance(estate, instance)) is not None:
        return kept.view(rows_max)
    arguments = (estate, instance, rows_max)
    return view_decoder.decode(_ask_instance("engine.read_view", estate, instance, arguments, timeout_seconds))


def peek_queue(
    estate: str,
    instance: str,
    database: str,
    queue: str,
    top: int,
    *,
    with_bodies: bool = True,
    timeout_seconds: float = READ_SECONDS,
) -> QueuePeek:
    """The first messages of a queue, not taken; `LocalProtocolError` when there is no such queue."""
    if (kept := kept_instance(estate, instance)) is not None:
        return kept.peek(database, queue, top, with_bodies)
    arguments = (estate, instance, database, queue, top, with_bodies)
    answer = peek_decoder.decode(_ask_instance("engine.peek_queue", estate, instance, arguments, timeout_seconds))
    if answer.refusal is not None:
        raise LocalProtocolError(answer.refusal.number, **answer.refusal.parameters)
    assert answer.peek is not None
    return answer.peek


def read_system_view(
    estate: str, instance: str, query: SystemViewQuery, *, timeout_seconds: float = READ_SECONDS
) -> SystemViewRows:
    """One page of a catalog view, a DMV, the counters or a queue, under the vendor's names (views.md 1, 2, 6).

    `LocalProtocolError` or `CatalogError` with its number: 911 no such database, 208 no such view, 207 no such
    column, 245 a filter's value is not of its column's type, 10742 negative offset, 10744 no rows asked for.
    """
    if (kept := kept_instance(estate, instance)) is not None:
        return kept.system_view(query)
    arguments = (estate, instance, text(query))
    answer = system_view_decoder.decode(
        _ask_instance("engine.read_system_view", estate, instance, arguments, timeout_seconds)
    )
    if answer.refusal is not None:
        raise LocalProtocolError(answer.refusal.number, **answer.refusal.parameters)
    return answer.page()


def read_pictures(
    estate: str, instance: str, queries: Sequence[PictureQuery], *, timeout_seconds: float = READ_SECONDS
) -> list[Picture | LocalProtocolError]:
    """What views of an instance show, or what of them has changed since the pictures that queries name (ADR 25).

    All are of the same moment, in the order of the queries. In the place of one that cannot be made stands why: 911 no
    such database, 10744 no rows asked for.
    """
    if (kept := kept_instance(estate, instance)) is not None:
        return kept.pictures(queries)
    arguments = (estate, instance, text(queries))
    answers = pictures_decoder.decode(
        _ask_instance("engine.read_pictures", estate, instance, arguments, timeout_seconds)
    )
    return [_picture(each) for each in answers]


def _picture(answer: PictureAnswer) -> Picture | LocalProtocolError:
    if answer.refusal is not None:
        return LocalProtocolError(answer.refusal.number, **answer.refusal.parameters)
    assert answer.picture is not None
    return answer.picture


def explain_transmission(
    estate: str, instance: str, database: str, handle: UUID, *, timeout_seconds: float = READ_SECONDS
) -> TransmissionExplanation:
    """Why the messages of a conversation wait: the decision then, the decision now, and what a retry would do.

    `LocalProtocolError` with its number: 911 no such database, 8426 no such conversation.
    """
    if (kept := kept_instance(estate, instance)) is not None:
        return kept.explain(database, handle)
    arguments = (estate, instance, database, str(handle))
    answer = explanation_decoder.decode(
        _ask_instance("engine.explain_transmission", estate, instance, arguments, timeout_seconds)
    )
    if answer.refusal is not None:
        raise LocalProtocolError(answer.refusal.number, **answer.refusal.parameters)
    assert answer.explanation is not None
    return answer.explanation


def events_after(
    estate: str, instance: str, sequence: int, limit: int, *, timeout_seconds: float = READ_SECONDS
) -> list[NumberedEvent]:
    """At most `limit` events of an instance's log later than `sequence`, oldest first."""
    if (kept := kept_instance(estate, instance)) is not None:
        return kept.events_after(sequence, limit)
    arguments = (estate, instance, sequence, limit)
    return events_decoder.decode(_ask_instance("engine.events_after", estate, instance, arguments, timeout_seconds))


def _ask_owner(task: str, estate: str, instance: str, arguments: tuple[Any, ...], timeout_seconds: float) -> None:
    """Ask any host; when another one has the instance, ask that one, which hears on the instance's own queue."""
    if not _ask(task, CONTROL_QUEUE, arguments, timeout_seconds, "The engine"):
        _ask_instance(task, estate, instance, arguments, timeout_seconds)


def _ask_instance(task: str, estate: str, instance: str, arguments: tuple[Any, ...], timeout_seconds: float) -> Any:
    queue = queue_of(EstateName(estate), InstanceName(instance))
    return _ask(task, queue, arguments, timeout_seconds, f"Instance {instance} of estate {estate}")


def _wait_for(estate: str, instance: str, arguments: tuple[Any, ...], timeout_seconds: float | None) -> Any:
    """As `_ask_instance`; a result in memory is not looked for before it is there."""
    task_id = str(uuid4())
    with arrival_of(task_id) as arrival:
        arrives_here = celery_app.hosting is not None and celery_app.hosting.result_backend_url == MEMORY_RESULTS
        return _ask(
            "engine.wait",
            queue_of(EstateName(estate), InstanceName(instance)),
            arguments,
            timeout_seconds,
            f"Instance {instance} of estate {estate}",
            task_id=task_id,
            arrival=arrival if arrives_here else None,
        )


def _ask(
    task: str,
    queue: str,
    arguments: tuple[Any, ...],
    timeout_seconds: float | None,
    who: str,
    *,
    task_id: str | None = None,
    arrival: Event | None = None,
    is_given_up: Callable[[], bool] | None = None,
) -> Any:
    try:
        # Expires when nobody waits any more: a host that comes later must not do what was given up.
        result = celery_app.send_task(task, arguments, queue=queue, expires=timeout_seconds, task_id=task_id)
        if arrival is not None and not arrival.wait(timeout_seconds):
            raise ResultTimeout
        answer = _result(result, timeout_seconds, is_given_up)
    except (ResultTimeout, TaskRevokedError):
        # Else this process listens for the answer as long as it lives.
        _forget(result)
        raise EngineUnavailable(
            f"{who} did not answer within {timeout_seconds or math.inf:g} seconds. Is a worker running that hosts it?"
        ) from None
    except broker_errors() as error:
        raise EngineUnavailable(f"The broker between web and engine cannot be reached: {error}.") from error
    except RuntimeError as error:
        # Celery's word for a result store that stays away; its advice to restart is not needed.
        raise EngineUnavailable("The broker between web and engine cannot be reached: no answers arrive.") from error
    _forget(result)
    return answer


def _forget(result: Any) -> None:
    """Where that fails it is forgotten by itself after a while: the answer is here."""
    # No `suppress`: the errors are looked up only when there is one.
    try:
        result.forget()
    except broker_errors():
        pass


def _result(result: AsyncResult[Any], seconds: float | None, is_given_up: Callable[[], bool] | None) -> Any:
    """What a task has answered. Waiting inside a task is safe: the tasks that are waited for wait for no other task."""
    ends_at = math.inf if seconds is None else time.monotonic() + seconds
    while True:
        left = ends_at - time.monotonic()
        patience = min(left, GIVING_UP_SECONDS) if is_given_up is not None else left
        try:
            return result.get(
                timeout=None if patience == math.inf else max(patience, 0),
                interval=RESULT_POLLING_SECONDS,
                disable_sync_subtasks=False,
            )
        except ResultTimeout:
            if is_given_up is None or is_given_up() or patience == left:
                raise
