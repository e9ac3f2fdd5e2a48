"""Where statements and their clauses stand in a script, and whether the current database matters to them."""

from __future__ import annotations

from engine.tsql.reading_statements import CreateEventNotification, SetPriorityHonoured, SetTrustworthy
from engine.tsql.security_statements import CreateCertificate
from engine.tsql.statements import (
    AlterRoute,
    AnyStatement,
    Clause,
    Connect,
    CreateDatabase,
    CreateRoute,
    Ignored,
    Place,
    Problem,
    Script,
    SetBroker,
    SetPartner,
    SetState,
    Statement,
    Use,
)
from engine.tsql.translate import DefiningStatement, InstanceStatement
from engine.tsql.translate_reading import is_queue_event


def is_inside_database(statement: DefiningStatement | Connect | Use) -> bool:
    """Whether what a statement means depends on the current database."""
    if isinstance(statement, SetBroker | SetPartner | SetState | SetPriorityHonoured | SetTrustworthy):
        return statement.database is None
    return not isinstance(statement, InstanceStatement | Connect | Use)


def place_of(item: Statement | Ignored) -> tuple[int, int]:
    """Line and column, to sort by."""
    return (item.line, item.column) if isinstance(item, Ignored) else (item.place.line, item.place.column)


def last_first(script: Script) -> list[AnyStatement | Ignored]:
    """All that a script says, by place; the first of it is the last of the list, whence it can be taken away."""
    return sorted((*script.statements, *script.ignored), key=place_of)[::-1]


def reading_order(problem: Problem) -> tuple[int, int]:
    """Line and column, to sort by."""
    return problem.line, problem.column


def clause_place(statement: Statement, clause: str) -> Place | None:
    """Where the clause that an error blames stands; None when it stands nowhere of its own."""
    match statement, clause:
        case ((CreateRoute() | AlterRoute()), "LIFETIME"):
            return statement.clauses.lifetime_place
        case ((CreateRoute() | AlterRoute()), ("SERVICE_NAME" | "BROKER_INSTANCE" | "ADDRESS" | "MIRROR_ADDRESS")):
            value: Clause | None = getattr(statement.clauses, clause.lower())
            return None if value is None else value.place
        case CreateEventNotification(), "BROKER_INSTANCE":
            return statement.broker_instance.place
        case CreateEventNotification(), "FOR":
            is_on_queue = statement.queue is not None
            return next(event.place for event in statement.events if is_queue_event(event.value) != is_on_queue)
        case ((CreateDatabase() | Use() | SetBroker()), "BROKER_INSTANCE"):
            return None if statement.broker_instance is None else statement.broker_instance.place
        case CreateCertificate(), ("START_DATE" | "EXPIRY_DATE"):
            date: Clause | None = getattr(statement.source, clause.lower())
            return None if date is None else date.place
        case SetPartner(), "PARTNER":
            return None if statement.address is None else statement.address.place
        case _:
            return None
