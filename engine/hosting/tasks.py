"""Celery tasks of the engine: one line each, from text to host and back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.core.exchange.replies import refusal
from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationHandle,
    DatabaseName,
    EstateName,
    EventSequence,
    InstanceName,
    QueueName,
)
from engine.hosting.app import celery_app
from engine.hosting.bootstep import READER_TASK, running_host
from engine.hosting.envelope import (
    ExplanationAnswer,
    PeekAnswer,
    PictureAnswer,
    SystemViewAnswer,
    commands_decoder,
    picture_queries_decoder,
    query_decoder,
    text,
)
from engine.hosting.errors import EngineUnavailable
from engine.hosting.later_answers import answer_later
from engine.hosting.reader_tasks.calls import call_decoder, ended_decoder, pass_decoder
from engine.hosting.reader_tasks.running import run_reader


@celery_app.task(name="engine.open_instance", throws=EngineUnavailable)
def open_instance(
    estate: EstateName, instance: InstanceName, pace: float, key_suite: str = KeySuite.MD5, makes: bool = True
) -> bool:
    """Host an instance; False when another worker does."""
    return running_host().open_instance(estate, instance, pace=pace, key_suite=KeySuite(key_suite), makes=makes)


@celery_app.task(name="engine.close_instance", throws=EngineUnavailable)
def close_instance(estate: EstateName, instance: InstanceName, forgets: bool) -> bool:
    """Host an instance no more; False when another worker hosts it."""
    return running_host().close_instance(estate, instance, forgets=forgets)


@celery_app.task(name="engine.execute", throws=EngineUnavailable)
def execute(estate: EstateName, instance: InstanceName, commands: str) -> str:
    """Carry out commands; answers their replies."""
    return text(running_host().execute(estate, instance, commands_decoder.decode(commands)))


@celery_app.task(name="engine.wait", bind=True, throws=EngineUnavailable)
def wait(self: Any, estate: EstateName, instance: InstanceName, commands: str) -> None:
    """As `execute`, for commands whose replies may come later: then this is answered, and holds no thread till then."""
    answer_later(self, lambda: running_host().execute_later(estate, instance, commands_decoder.decode(commands)), text)


# Acknowledged when it begins: a reader may run for days, which brokers do not put up with, and an instance repeats its
# call until somebody answers.
@celery_app.task(name=READER_TASK, acks_late=False, ignore_result=True)
def reader(estate: EstateName, instance: InstanceName, call: str) -> None:
    """Run an internal reader of an instance, wherever that is hosted."""
    run_reader(estate, instance, call_decoder.decode(call))


@celery_app.task(name="engine.execute_for_reader", bind=True, throws=EngineUnavailable)
def execute_for_reader(self: Any, estate: EstateName, instance: InstanceName, whose: str, commands: str) -> None:
    """Carry out commands of a reader that has no session; none at all show that it lives. Answered as `engine.wait`."""
    given = pass_decoder.decode(whose), commands_decoder.decode(commands)
    answer_later(self, lambda: running_host().execute_for_reader_later(estate, instance, *given), text)


@celery_app.task(name="engine.end_reader", throws=EngineUnavailable)
def end_reader(estate: EstateName, instance: InstanceName, whose: str, ended: str) -> None:
    """Take note of how a reader has ended."""
    running_host().end_reader(estate, instance, pass_decoder.decode(whose), ended_decoder.decode(ended))


@celery_app.task(name="engine.cancel_wait", throws=EngineUnavailable)
def cancel_wait(estate: EstateName, instance: InstanceName, command_id: str) -> None:
    """Answer whoever waits with a command with the empty set."""
    running_host().cancel_wait(estate, instance, CommandId(UUID(command_id)))


@celery_app.task(name="engine.read_view", throws=EngineUnavailable)
def read_view(estate: EstateName, instance: InstanceName, rows_max: int) -> str:
    """The live rows of an instance."""
    return text(running_host().read_view(estate, instance, rows_max))


@celery_app.task(name="engine.peek_queue", throws=EngineUnavailable)
def peek_queue(
    estate: EstateName,
    instance: InstanceName,
    database: DatabaseName,
    queue: QueueName,
    top: int,
    with_bodies: bool = True,
) -> str:
    """The first messages of a queue, or why there is none."""
    try:
        return text(PeekAnswer(peek=running_host().peek_queue(estate, instance, database, queue, top, with_bodies)))
    except BrokerError as error:
        return text(PeekAnswer(refusal=refusal(error)))


@celery_app.task(name="engine.read_system_view", throws=EngineUnavailable)
def read_system_view(estate: EstateName, instance: InstanceName, query: str) -> str:
    """One page of a system view, or why there is none."""
    try:
        page = running_host().read_system_view(estate, instance, query_decoder.decode(query))
    except BrokerError as error:
        return text(SystemViewAnswer(refusal=refusal(error)))
    return text(SystemViewAnswer.of(page))


@celery_app.task(name="engine.read_pictures", throws=EngineUnavailable)
def read_pictures(estate: EstateName, instance: InstanceName, queries: str) -> str:
    """Pictures, or why there is one or the other not."""
    found = running_host().read_pictures(estate, instance, picture_queries_decoder.decode(queries))
    return text(
        [
            PictureAnswer(refusal=refusal(each)) if isinstance(each, BrokerError) else PictureAnswer(picture=each)
            for each in found
        ]
    )


@celery_app.task(name="engine.explain_transmission", throws=EngineUnavailable)
def explain_transmission(estate: EstateName, instance: InstanceName, database: DatabaseName, handle: str) -> str:
    """What a conversation waits for, or why nobody knows."""
    try:
        told = running_host().explain_transmission(estate, instance, database, ConversationHandle(UUID(handle)))
    except BrokerError as error:
        return text(ExplanationAnswer(refusal=refusal(error)))
    return text(ExplanationAnswer(explanation=told))


@celery_app.task(name="engine.events_after", throws=EngineUnavailable)
def events_after(estate: EstateName, instance: InstanceName, sequence: EventSequence, limit: int) -> str:
    """Events of an instance's log."""
    return text(running_host().events_after(estate, instance, sequence, limit))
