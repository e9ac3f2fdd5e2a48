"""What the two services of a question say to each other, and what each of them takes (protocol.md 12, 13; tsql.md 9).

Whoever names no contract is asked with the one by which most arrives: of those that the services list which are
reached, the first that the sender's database has, else DEFAULT, which BEGIN DIALOG takes by itself. So it is with
message types. What each end makes of them is asked of the functions by which the broker itself goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final
from uuid import UUID

import msgspec

from engine.core.catalog.builtin import contract_of, message_type_of, service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.message_uses import MessageUse, MessageUses
from engine.core.catalog.objects import DEFAULT_CONTRACT, DEFAULT_TYPE, SentBy, Validation
from engine.core.handlers.checks import NO_SUCH_CONTRACT, first_message_fault, message_fault, send_fault
from engine.core.vocabulary.identifiers import (
    ContractName,
    ConversationId,
    DatabaseName,
    InstanceName,
    MessageTypeName,
    ServiceName,
)
from engine.core.vocabulary.limits import MESSAGE_BODY_BYTES_MAX
from engine.core.vocabulary.messages import DialogMessage, DialogTarget, MessageKind
from engine.core.vocabulary.moment import UtcTime

RETENTION_AND_OFF: Final = 9618
BODY: Final = b"<where/>"
"""A body that every validation takes but that of empty ones."""
Place = tuple[InstanceName, DatabaseName]


class Said(msgspec.Struct, frozen=True, gc=False):
    """One message: its type, and a body that the type allows where it is sent."""

    message_type: MessageTypeName = DEFAULT_TYPE
    body: bytes | None = BODY


class Speech(msgspec.Struct, frozen=True, gc=False):
    """The first message of a dialog, and under which contract."""

    contract: ContractName = DEFAULT_CONTRACT
    said: Said = Said()
    fault: int | None = None
    """Why BEGIN DIALOG or SEND is refused at once; None when it is not."""


class Definitions:
    """What the databases of an estate say of contracts and message types; answers are remembered."""

    def __init__(self, catalogs: Mapping[InstanceName, InstanceCatalog]) -> None:
        self._catalogs = catalogs
        self._uses: dict[InstanceName, MessageUses] = {}
        self._begun: dict[
            tuple[InstanceName, DatabaseName, ContractName, MessageTypeName | None], tuple[Speech, ...]
        ] = {}
        self._firsts: dict[tuple[InstanceName, DatabaseName, ServiceName, ContractName, Said], int | None] = {}

    def listed(self, place: Place, service: ServiceName) -> tuple[ContractName, ...]:
        """The contracts that a service lists; none when it is not there."""
        found = service_of(self._database(place), service)
        return () if found is None else found.contracts

    def begun(
        self, place: Place, contract: ContractName, message_type: MessageTypeName | None = None
    ) -> tuple[Speech, ...]:
        """How a dialog may begin under a contract, one for each type that its initiator may send; or why it cannot."""
        instance, database = place
        key = (instance, database, contract, message_type)
        known = self._begun.get(key)
        if known is None:
            known = self._begun[key] = tuple(self._beginnings(place, contract, message_type))
        return known

    def _beginnings(
        self, place: Place, contract: ContractName, message_type: MessageTypeName | None
    ) -> Iterator[Speech]:
        database = self._database(place)
        found = contract_of(database, contract)
        if found is None:
            yield Speech(contract, Said(message_type or DEFAULT_TYPE), NO_SUCH_CONTRACT)
            return
        types = [use.message_type for use in found.uses] if message_type is None else [message_type]
        for name in types:
            fault = send_fault(self._use(place, contract, name), is_initiator=True)
            if fault is None or message_type is not None:
                yield Speech(contract, _said(database, name), fault)

    def first_fault(self, place: Place, service: ServiceName, speech: Speech) -> int | None:
        """Why a database answers a first message with an Error; None when it takes it."""
        instance, database = place
        key = (instance, database, service, speech.contract, speech.said)
        try:
            return self._firsts[key]
        except KeyError:
            message = _message(speech.contract, speech.said, service, from_initiator=True)
            use = self._use(place, speech.contract, speech.said.message_type)
            found = first_message_fault(self._database(place), message, use, MESSAGE_BODY_BYTES_MAX)
            self._firsts[key] = found
            return found

    def reply(self, target: Place, home: Place, contract: ContractName) -> Said | None:
        """What a target answers under a contract: what its initiator takes, else what it may send.

        None where it may send nothing: then it can only end the conversation.
        """
        database = self._database(target)
        found = contract_of(database, contract)
        uses = () if found is None else found.uses
        may_send = [_said(database, use.message_type) for use in uses if use.sent_by is not SentBy.INITIATOR]
        fitting = (said for said in may_send if self.reply_fault(home, contract, said) is None)
        return next(fitting, may_send[0] if may_send else None)

    def reply_fault(self, home: Place, contract: ContractName, said: Said) -> int | None:
        """Why the database of an initiator answers a reply with an Error; None when it takes it."""
        message = _message(contract, said, ServiceName("initiator"), from_initiator=False)
        return message_fault(message, self._use(home, contract, said.message_type), MESSAGE_BODY_BYTES_MAX)

    def _database(self, place: Place) -> DatabaseCatalog:
        return self._catalogs[place[0]].databases[place[1]]

    def _use(self, place: Place, contract: ContractName, name: MessageTypeName) -> MessageUse:
        instance, database = place
        known = self._uses.get(instance)
        if known is None:
            known = self._uses[instance] = MessageUses(self._catalogs[instance])
        return known.of(database, contract, name)


def speech_of(
    definitions: Definitions,
    home: Place,
    to_service: ServiceName,
    reached: Sequence[tuple[Place, float]],
    contract: ContractName | None,
    message_type: MessageTypeName | None,
) -> Speech:
    """What a sender says, where it names no contract or no type; `reached` are places and their shares."""
    if contract is None and message_type is None and len(reached) < 2:
        usual = _usual(definitions, home, to_service, reached)
        if usual is not None:
            return usual
    best, most = None, -1.0
    for speech in _speeches(definitions, home, to_service, reached, contract, message_type):
        taken = -1.0
        if speech.fault is None:
            taken = sum(share for place, share in reached if definitions.first_fault(place, to_service, speech) is None)
        if best is None or taken > most:
            best, most = speech, taken
        if taken >= sum(share for _, share in reached):
            break
    assert best is not None, "whoever is asked of a contract says something or why not"
    return best


def _usual(
    definitions: Definitions, home: Place, to_service: ServiceName, reached: Sequence[tuple[Place, float]]
) -> Speech | None:
    """The first contract that the one service lists, where both ends take what it begins with: all flows ask for it."""
    place = reached[0][0] if reached else None
    listed = () if place is None else definitions.listed(place, to_service)
    speech = definitions.begun(home, listed[0] if listed else DEFAULT_CONTRACT)[0]
    is_taken = speech.fault is None and (place is None or definitions.first_fault(place, to_service, speech) is None)
    return speech if is_taken else None


def _speeches(
    definitions: Definitions,
    home: Place,
    to_service: ServiceName,
    reached: Iterable[tuple[Place, float]],
    contract: ContractName | None,
    message_type: MessageTypeName | None,
) -> Iterator[Speech]:
    if contract is not None:
        yield from definitions.begun(home, contract, message_type)
        return
    listed = dict.fromkeys(each for place, _ in reached for each in definitions.listed(place, to_service))
    for each in dict.fromkeys((*listed, DEFAULT_CONTRACT)):
        yield from definitions.begun(home, each, message_type)


def queue_fault(database: DatabaseCatalog, service: ServiceName) -> int | None:
    """Why a queue lets its service send nothing: it is to keep what is sent, and it is off (protocol.md 12)."""
    found = service_of(database, service)
    queue = None if found is None else database.queues.get(found.queue)
    return RETENTION_AND_OFF if queue is not None and queue.is_retention_enabled and not queue.is_enabled else None


def _said(database: DatabaseCatalog, name: MessageTypeName) -> Said:
    known = message_type_of(database, name)
    is_empty = known is not None and known.validation is Validation.EMPTY
    return Said(name, None if is_empty else BODY)


_NOBODY: Final = ConversationId(UUID(int=0))
_SENDER: Final = DialogTarget(ServiceName("sender"), None)


@lru_cache(maxsize=4096)
def _message(contract: ContractName, said: Said, service: ServiceName, *, from_initiator: bool) -> DialogMessage:
    return DialogMessage(
        conversation_id=_NOBODY,
        from_initiator=from_initiator,
        source=_SENDER,
        target=DialogTarget(service, None),
        kind=MessageKind.USER,
        sequence=0,
        contract=contract,
        message_type=said.message_type,
        body=said.body,
        expires_at=UtcTime(0.0),
    )
