"""Answers in English words, for commands, reports of assertions and tables. Pages word the same values themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.disposition import Disposition
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.telling import FlowQuestion

_ENDS: Final[Mapping[Disposition, str]] = {
    Disposition.DELIVERED: "is delivered to {place}",
    Disposition.HELD_QUEUE_OFF: "arrives in {place}, where its queue is off",
    Disposition.DELAYED: "stays with its sender: {place} knows no way on",
    Disposition.ASKING: "waits in {place} until the configuration service has answered",
    Disposition.SENDER_DOWN: "is never sent: {place} is down or takes no command",
    Disposition.NOBODY_THERE: "stays with {place}: nobody of the estate has the address",
    Disposition.UNREACHABLE: "stays with {place}: {further} cannot be reached",
    Disposition.NOBODY_CLAIMS: "stays with {place}: no partner of the mirrored pair is the principal",
    Disposition.DISCARDED: "is discarded by {place}, and its sender tries again",
    Disposition.REFUSED: "is refused by {place}, which ends the conversation",
    Disposition.REFUSED_UNHEARD: "is refused by {place}, and its sender does not hear of it",
    Disposition.LOOP: "goes round at {place} until its hops are used up",
    Disposition.HOPS_USED_UP: "ends at {place} with its last hop",
}

_FAULTS: Final[Mapping[FaultKind, str]] = {
    FaultKind.INSTANCE: "{instance} is down",
    FaultKind.LINK: "the link between {instance} and {other} is cut",
    FaultKind.ENDPOINT: "the endpoint of {instance} is stopped",
    FaultKind.DATABASE: "{instance}/{database} is offline",
    FaultKind.QUEUE: "queue {queue} of {instance}/{database} is off",
    FaultKind.PARTNER: "the mirrored pair of {instance}/{database} has failed over",
}


def end_text(
    disposition: Disposition,
    instance: InstanceName,
    database: DatabaseName | None = None,
    number: int | None = None,
    further: InstanceName | None = None,
) -> str:
    """How a way ends, to follow "the message": "is delivered to LYON/Archives"."""
    place = instance if database is None else f"{instance}/{database}"
    text = _ENDS[disposition].format(place=place, further=further or "the instance at the address")
    return text if number is None else f"{text} ({number})"


def flow_text(flow: FlowQuestion) -> str:
    """Who writes to whom: "PARIS/Ventes Guichet → Dépôt"."""
    broker = "" if flow.broker_instance is None else f", {flow.broker_instance}"
    return f"{flow.instance}/{flow.database} {flow.service} → {flow.to_service}{broker}"


def fault_text(fault: Fault) -> str:
    """A fault as a clause."""
    return _FAULTS[fault.kind].format(
        instance=fault.instance, other=fault.other, database=fault.database, queue=fault.queue
    )


def circumstances_text(at: UtcTime | None, faults: Iterable[Fault]) -> str:
    """What is supposed: the clock, if it is set, and the faults; empty for nothing."""
    parts = [] if at is None else [f"at {instant_text(at)}"]
    parts += [fault_text(fault) for fault in faults]
    return ", ".join(parts)


def instant_text(at: UtcTime) -> str:
    """An instant in ISO 8601; seconds since 1970 where the calendar has no day for it."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return f"{at:.0f} s after 1970"
