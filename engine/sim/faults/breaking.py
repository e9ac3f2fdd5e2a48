"""What operators do that ends conversations: services dropped, databases renewed, single conversations cleaned up.

Applications are told as the protocol says, by an Error or by nobody; what else must not suffer is for checkers to say.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final
from uuid import UUID

from engine.core.catalog.changes import BrokerConversationsErrored, BrokerRenewed, ServiceCreated, ServiceDropped
from engine.core.catalog.objects import DEFAULT_CONTRACT, Service
from engine.core.exchange.commands import EndConversation
from engine.core.vocabulary.identifiers import BrokerInstanceId, ServiceName
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.sim.entropy import Dice
from engine.sim.faults.kind import INSTANT, Fault, FaultKind, Struck, Subject, Undo, nothing_to_undo
from engine.sim.faults.operators import places_that_stay
from engine.sim.scenario import Scenario, queue_name
from engine.sim.workload.party import APPLICATION_ERROR

ENDED: Final = frozenset({ConversationState.DISCONNECTED_OUTBOUND, ConversationState.CLOSED})
"""States of endpoints that belong to nobody any more, but for a clean-up."""


def any_service(scenario: Scenario, dice: Dice) -> Subject | None:
    """A service of a database that stays where it is."""
    stay = places_that_stay(scenario)
    services = [
        Subject(instance=instance.name, database=database.name, name=service)
        for instance in scenario.instances
        for database in instance.databases
        if not database.is_mirror and (instance.name, database.name) in stay
        for service in database.services
    ]
    return dice.choose(services) if services else None


def any_conversation(scenario: Scenario, dice: Dice) -> Subject | None:
    """A database that stays where it is and has a service; `amount` decides which of its conversations."""
    found = any_service(scenario, dice)
    if found is None:
        return None
    return Subject(instance=found.instance, database=found.database, amount=dice.between(0.0, 1.0))


def conversation(
    fault: Fault, struck: Struck, is_meant: Callable[[ConversationEndpoint], bool]
) -> ConversationEndpoint | None:
    """The endpoint of its database that a fault strikes, of those that are meant; None when there is none now."""
    subject = fault.subject
    place = (subject.instance, subject.database)
    rows = [row for side, row in struck.ledger.endpoints.items() if side[:2] == place and is_meant(row)]
    return rows[min(int(subject.amount * len(rows)), len(rows) - 1)] if rows else None


def held_service(subject: Subject) -> tuple[str, ...]:
    """Whoever alters a service does not find it dropped."""
    return ("service", subject.instance, subject.database, subject.name)


# ── all conversations of a service, of a database ────────────────────────────────────────────────────────────────────
def _drop_service(fault: Fault, struck: Struck) -> Undo:
    subject = fault.subject
    operator, name = struck.operators[subject.instance], ServiceName(subject.name)
    operator.change(ServiceDropped(database=subject.database, name=name))
    service = Service(name, queue_name(name), (DEFAULT_CONTRACT,))
    return lambda: operator.change(ServiceCreated(database=subject.database, service=service))


def _renew(fault: Fault, struck: Struck) -> Undo:
    """SET NEW_BROKER. Its peers speak to the old id from then on, which nobody has."""
    subject = fault.subject
    broker_instance = BrokerInstanceId(UUID(subject.name))
    struck.operators[subject.instance].change(BrokerRenewed(database=subject.database, broker_instance=broker_instance))
    return nothing_to_undo


def _any_renewal(scenario: Scenario, dice: Dice) -> Subject | None:
    found = any_service(scenario, dice)
    if found is None:
        return None
    return Subject(instance=found.instance, database=found.database, name=str(dice.uuid()))


def _error_all(fault: Fault, struck: Struck) -> Undo:
    subject = fault.subject
    struck.operators[subject.instance].change(BrokerConversationsErrored(database=subject.database))
    return nothing_to_undo


# ── one conversation ─────────────────────────────────────────────────────────────────────────────────────────────────
def _end(fault: Fault, struck: Struck, *, with_cleanup: bool) -> Undo | None:
    """END CONVERSATION by somebody who is none of the applications and asks none of them."""
    found = conversation(fault, struck, lambda row: with_cleanup or row.state not in ENDED)
    if found is None:
        return None
    site = struck.sites[fault.subject.instance, fault.subject.database]
    command = EndConversation(
        command_id=struck.clerk.new_id(),
        database=site.database,
        conversation_handle=found.conversation_handle,
        error_code=None if with_cleanup else APPLICATION_ERROR,
        error_description=None if with_cleanup else "by an operator",
        with_cleanup=with_cleanup,
    )
    struck.clerk.ask(site, command, lambda reply: None)
    return nothing_to_undo


def _held(what: str, subject: Subject) -> tuple[str, ...]:
    return (what, subject.instance, subject.database)


KINDS: Final = (
    FaultKind(name="service-drop", lasts=(0.5, 30.0), choose=any_service, strike=_drop_service, holds=held_service),
    FaultKind(name="new-broker", lasts=INSTANT, choose=_any_renewal, strike=_renew, holds=partial(_held, "renewal")),
    FaultKind(
        name="error-conversations",
        lasts=INSTANT,
        choose=any_conversation,
        strike=_error_all,
        holds=partial(_held, "errors"),
    ),
    FaultKind(
        name="end-with-error",
        lasts=INSTANT,
        choose=any_conversation,
        strike=partial(_end, with_cleanup=False),
        holds=partial(_held, "end"),
    ),
    FaultKind(
        name="end-with-cleanup",
        lasts=INSTANT,
        choose=any_conversation,
        strike=partial(_end, with_cleanup=True),
        holds=partial(_held, "end"),
    ),
)
