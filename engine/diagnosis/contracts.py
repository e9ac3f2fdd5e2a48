"""Checks of what both sides of a conversation must agree on (SBD-402 to 404)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.core.catalog.builtin import contract_of, message_type_of
from engine.core.catalog.changes import MessageTypeAltered
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import Contract, MessageType, SentBy, Validation
from engine.core.vocabulary.identifiers import ContractName, MessageTypeName
from engine.diagnosis.dialogs import Pair
from engine.diagnosis.finding import Finding, InstanceFix, ObjectKind, Phrase
from engine.diagnosis.likeness import difference, skeleton
from engine.diagnosis.model import Home, database_subject, subject
from engine.diagnosis.repairs import contract_copied, fix
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding, phrase

_STRICTNESS: Final[Mapping[Validation, frozenset[Validation]]] = {
    Validation.NONE: frozenset(),
    Validation.EMPTY: frozenset(Validation) - {Validation.EMPTY},
    Validation.WELL_FORMED_XML: frozenset({Validation.NONE, Validation.EMPTY}),
    Validation.VALID_XML: frozenset(Validation) - {Validation.VALID_XML},
}
"""What a receiver refuses, by how it validates: whatever a sender checked as one of these (protocol.md 13)."""


def missing_contract(survey: Survey) -> Iterator[Finding]:
    """SBD-402: no contract under which the conversation could begin; where the way is not an answer's."""
    ways = {(pair.initiator, pair.target) for pair in survey.pairs}
    for pair in survey.pairs:
        is_answered = not pair.service.contracts and (pair.target, pair.initiator) in ways
        if pair.contracts or pair.is_way_back or is_answered:
            continue
        ours = survey.model.database(pair.initiator)
        if not pair.service.contracts:
            yield finding(
                "SBD-402/none",
                subject(pair.target, ObjectKind.SERVICE, pair.service.name),
                further=(pair.intent.named_by,),
                about=f"{pair.initiator}",
                service=pair.service.name,
                initiator=pair.initiator,
            )
            continue
        theirs = survey.model.database(pair.target)
        yield finding(
            "SBD-402",
            database_subject(pair.initiator),
            further=(subject(pair.target, ObjectKind.SERVICE, pair.service.name),),
            fix=_copied(pair, ours, theirs),
            about=pair.service.name,
            service=pair.service.name,
            initiator=pair.initiator,
            contracts=pair.service.contracts,
            hint=_hint(ours, pair.service.contracts),
        )


def _copied(pair: Pair, ours: DatabaseCatalog, theirs: DatabaseCatalog) -> tuple[InstanceFix, ...]:
    contract = contract_of(theirs, pair.service.contracts[0])
    return () if contract is None else contract_copied(theirs, pair.initiator, ours, contract)


def _hint(database: DatabaseCatalog, wanted: tuple[ContractName, ...]) -> Phrase | str:
    """What to say when the database has a contract that is called almost so."""
    for name in wanted:
        for own in database.contracts:
            if skeleton(own) == skeleton(name):
                return phrase("similar_contract", own=own, difference=difference(own, name))
    return ""


def _shared(survey: Survey) -> Iterator[tuple[Home, Home, Contract, Contract]]:
    """Contracts that two databases begin conversations under, as each side has them; each once."""
    told: set[tuple[Home, Home, ContractName]] = set()
    for pair in survey.pairs:
        for name in pair.contracts:
            first, second = sorted((pair.initiator, pair.target), key=str)
            if (first, second, name) in told:
                continue
            told.add((first, second, name))
            ours = contract_of(survey.model.database(pair.initiator), name)
            theirs = contract_of(survey.model.database(pair.target), name)
            if ours is not None and theirs is not None:
                yield pair.initiator, pair.target, ours, theirs


def _directions(contract: Contract) -> dict[MessageTypeName, SentBy]:
    return {use.message_type: use.sent_by for use in contract.uses}


def differing_contract(survey: Survey) -> Iterator[Finding]:
    """SBD-403: the contract has other types or other directions on the other side."""
    for home, target, ours, theirs in _shared(survey):
        here, there = _directions(ours), _directions(theirs)
        if here == there:
            continue
        said = {
            **{name: phrase("type_at_one_side", type=name, home=home) for name in here.keys() - there.keys()},
            **{name: phrase("type_at_one_side", type=name, home=target) for name in there.keys() - here.keys()},
            **{
                name: phrase("type_sent_by", type=name, home=home, target=target, here=here[name], there=there[name])
                for name in here.keys() & there.keys()
                if here[name] is not there[name]
            },
        }
        yield finding(
            "SBD-403",
            subject(home, ObjectKind.CONTRACT, ours.name),
            further=(subject(target, ObjectKind.CONTRACT, theirs.name),),
            about=f"{target}",
            contract=ours.name,
            differences=tuple(said[name] for name in sorted(said)[:5]),
        )


def stricter_receiver(survey: Survey) -> Iterator[Finding]:
    """SBD-404: what the sender may send, the receiver refuses."""
    told: set[tuple[Home, Home, MessageTypeName]] = set()
    for home, target, ours, theirs in _shared(survey):
        there = _directions(theirs)
        for name, sent_by in _directions(ours).items():
            if there.get(name) is not sent_by:
                continue
            for sender, receiver in _ways(home, target, sent_by):
                if (sender, receiver, name) in told:
                    continue
                told.add((sender, receiver, name))
                sent = message_type_of(survey.model.database(sender), name)
                received = message_type_of(survey.model.database(receiver), name)
                if sent is not None and received is not None and _is_stricter(received, sent):
                    yield _stricter(sender, receiver, sent, received)


def _ways(home: Home, target: Home, sent_by: SentBy) -> Iterator[tuple[Home, Home]]:
    if sent_by is not SentBy.TARGET:
        yield home, target
    if sent_by is not SentBy.INITIATOR:
        yield target, home


def _is_stricter(received: MessageType, sent: MessageType) -> bool:
    if received.validation is sent.validation:
        return received.validation is Validation.VALID_XML and received.schema_collection != sent.schema_collection
    return sent.validation in _STRICTNESS[received.validation]


def _stricter(sender: Home, receiver: Home, sent: MessageType, received: MessageType) -> Finding:
    aligned = MessageTypeAltered(
        database=sender.database,
        name=sent.name,
        validation=received.validation,
        schema_collection=received.schema_collection,
    )
    return finding(
        "SBD-404",
        subject(sender, ObjectKind.MESSAGE_TYPE, sent.name),
        further=(subject(receiver, ObjectKind.MESSAGE_TYPE, received.name),),
        fix=fix(sender, aligned),
        about=f"{receiver}",
        type=sent.name,
        sender=sender,
        receiver=receiver,
        sent=sent.validation,
        received=received.validation,
    )
