"""Ends, flows, faults and instants in words, for commands, reports of assertions and tables; pages have their own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.disposition import Disposition
from engine.whatif.faults import Fault
from engine.whatif.telling import FlowQuestion
from engine.whatif.words import ENGLISH, said


def end_text(
    disposition: Disposition,
    instance: InstanceName,
    database: DatabaseName | None = None,
    number: int | None = None,
    further: InstanceName | None = None,
    *,
    language: str = ENGLISH,
) -> str:
    """How a way ends, to follow "the message": "is delivered to LYON/Archives"."""
    place = instance if database is None else f"{instance}/{database}"
    is_named = disposition is Disposition.UNREACHABLE and further is not None
    name = f"{disposition}-named" if is_named else disposition.value
    text = said(language, "ends", name, place=place, further=further)
    return text if number is None else f"{text} ({number})"


def flow_text(flow: FlowQuestion) -> str:
    """Who writes to whom: "PARIS/Ventes Guichet → Dépôt"."""
    named: list[object] = [flow.broker_instance, flow.contract, flow.message_type]
    if flow.encryption:
        named.append("ENCRYPTION = ON")
    said = "".join(f", {each}" for each in named if each is not None)
    return f"{flow.instance}/{flow.database} {flow.service} → {flow.to_service}{said}"


def fault_text(fault: Fault, language: str = ENGLISH) -> str:
    """A fault as a clause."""
    names = {"instance": fault.instance, "other": fault.other, "database": fault.database, "queue": fault.queue}
    return said(language, "faults", fault.kind.value, **names)


def circumstances_text(at: UtcTime | None, faults: Iterable[Fault], language: str = ENGLISH) -> str:
    """What is supposed: the clock, if it is set, and the faults; empty for nothing."""
    parts = [] if at is None else [said(language, "circumstances", "at", at=instant_text(at, language))]
    parts += [fault_text(fault, language) for fault in faults]
    return ", ".join(parts)


def instant_text(at: UtcTime, language: str = ENGLISH) -> str:
    """An instant in ISO 8601; seconds since 1970 where the calendar has no day for it."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return said(language, "circumstances", "seconds_after_1970", seconds=f"{at:.0f}")
