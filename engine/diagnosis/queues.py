"""Checks of queues and their activation (SBD-405 to 412)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.changes import ActivationPatch, QueueAltered
from engine.core.catalog.names import same_name
from engine.core.catalog.objects import Queue
from engine.core.catalog.security_rules import is_user
from engine.core.vocabulary.identifiers import QueueName, ServiceName, UserName
from engine.diagnosis.finding import Finding, InstanceFix, ObjectKind
from engine.diagnosis.model import Home, subject
from engine.diagnosis.repairs import fix
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding

_AS_WHOM = ("SELF", "OWNER")


def _queues(survey: Survey) -> Iterator[tuple[Home, Queue]]:
    for home, database in survey.model.user_databases():
        for queue in database.queues.values():
            yield home, queue


def _altered(home: Home, queue: Queue, **clauses: object) -> tuple[InstanceFix, ...]:
    return fix(home, QueueAltered(database=home.database, name=queue.name, **clauses))  # type: ignore[arg-type]


def switched_off(survey: Survey) -> Iterator[Finding]:
    """SBD-405: STATUS = OFF on a queue that services put messages into."""
    users: dict[tuple[Home, str], list[ServiceName]] = {}
    for home, database in survey.model.user_databases():
        for service in database.services.values():
            users.setdefault((home, service.queue.casefold()), []).append(service.name)
    for home, queue in _queues(survey):
        services = users.get((home, queue.name.casefold()), [])
        if not queue.is_enabled and services:
            yield finding(
                "SBD-405",
                subject(home, ObjectKind.QUEUE, queue.name),
                further=tuple(subject(home, ObjectKind.SERVICE, name) for name in services[:20]),
                fix=_altered(home, queue, is_enabled=True),
                queue=queue.name,
                services=tuple(services[:5]),
            )


def activated_as_nobody(survey: Survey) -> Iterator[Finding]:
    """SBD-407, as far as the catalog knows: the user of EXECUTE AS does not exist."""
    for home, queue in _queues(survey):
        activation = queue.activation
        if activation is None or any(same_name(activation.execute_as, word) for word in _AS_WHOM):
            continue
        if activation.is_enabled and not is_user(survey.model.database(home), UserName(activation.execute_as)):
            yield finding(
                "SBD-407",
                subject(home, ObjectKind.QUEUE, queue.name),
                fix=_altered(home, queue, activation=ActivationPatch(execute_as="OWNER")),
                procedure=activation.procedure_name,
                user=activation.execute_as,
                home=home,
            )


def no_readers(survey: Survey) -> Iterator[Finding]:
    """SBD-408: MAX_QUEUE_READERS = 0."""
    for home, queue in _queues(survey):
        activation = queue.activation
        if activation is not None and activation.is_enabled and activation.max_queue_readers == 0:
            yield finding(
                "SBD-408",
                subject(home, ObjectKind.QUEUE, queue.name),
                fix=_altered(home, queue, activation=ActivationPatch(max_queue_readers=1)),
                procedure=activation.procedure_name,
            )


def activation_off(survey: Survey) -> Iterator[Finding]:
    """SBD-409, as far as the catalog knows: a procedure is named and activation is off."""
    for home, queue in _queues(survey):
        if queue.activation is not None and not queue.activation.is_enabled:
            yield finding(
                "SBD-409",
                subject(home, ObjectKind.QUEUE, queue.name),
                fix=_altered(home, queue, activation=ActivationPatch(is_enabled=True)),
                procedure=queue.activation.procedure_name,
            )


def retention_on(survey: Survey) -> Iterator[Finding]:
    """SBD-411, as far as the catalog knows: RETENTION is on."""
    for home, queue in _queues(survey):
        if queue.is_retention_enabled:
            yield finding(
                "SBD-411",
                subject(home, ObjectKind.QUEUE, queue.name),
                fix=_altered(home, queue, is_retention_enabled=False),
                queue=queue.name,
            )


def poison_unhandled(survey: Survey) -> Iterator[Finding]:
    """SBD-412: POISON_MESSAGE_HANDLING is off."""
    for home, queue in _queues(survey):
        if not queue.is_poison_message_handling_enabled:
            yield finding(
                "SBD-412",
                subject(home, ObjectKind.QUEUE, QueueName(queue.name)),
                fix=_altered(home, queue, is_poison_message_handling_enabled=True),
                queue=queue.name,
            )
