"""What is said on the ways of a message, and whether its sender may say it: BEGIN DIALOG and SEND (tsql.md 9)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.core.catalog.builtin import service_of
from engine.core.routing.dialog_security import SecurityDecision, decide_security
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.disposition import Disposition
from engine.whatif.snapshot import Snapshot
from engine.whatif.speech import Speech, queue_fault, speech_of
from engine.whatif.telling import FlowQuestion
from engine.whatif.tracing import Way, trace


def speech_for(snapshot: Snapshot, asked: FlowQuestion, ways: Sequence[Way]) -> Speech:
    """What the sender of a flow says on these ways; where the question leaves it open, that by which most arrives."""
    reached = [
        ((way.instance, way.database), way.share)
        for way in ways
        if way.disposition is Disposition.DELIVERED and way.database is not None
    ]
    home = (asked.instance, asked.database)
    return speech_of(snapshot.definitions, home, asked.to_service, reached, asked.contract, asked.message_type)


def spoken(snapshot: Snapshot, asked: FlowQuestion) -> FlowQuestion:
    """The question with contract and message type, as it is asked where it names none."""
    target = DialogTarget(asked.to_service, asked.broker_instance)
    ways = trace(snapshot, asked.instance, asked.database, target, security=security_of(snapshot, asked)).ways
    speech = speech_for(snapshot, asked, ways)
    return msgspec.structs.replace(asked, contract=speech.contract, message_type=speech.said.message_type)


def security_of(snapshot: Snapshot, asked: FlowQuestion) -> SecurityDecision | None:
    """How the dialog of a question is secured on the network; None for a service that is not there."""
    database = snapshot.catalogs[asked.instance].databases[asked.database]
    service = service_of(database, asked.service)
    if service is None:
        return None
    return decide_security(database, service.owner, asked.to_service, snapshot.at, encryption=asked.encryption)


def begin_fault(snapshot: Snapshot, asked: FlowQuestion, speech: Speech, ways: Sequence[Way]) -> int | None:
    """Why the sender's own database refuses BEGIN DIALOG or SEND; None where nothing is asked of it, or all is well."""
    if ways[0].disposition is Disposition.SENDER_DOWN:
        return None
    if speech.fault is not None:
        return speech.fault
    return queue_fault(snapshot.catalogs[asked.instance].databases[asked.database], asked.service)


def not_begun(asked: FlowQuestion, fault: int) -> Way:
    """The end of what was never sent."""
    return Way(
        share=1.0,
        hops=(),
        disposition=Disposition.NOT_BEGUN,
        instance=asked.instance,
        database=asked.database,
        number=fault,
    )
