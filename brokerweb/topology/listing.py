"""What lists sort and filter objects by, kind by kind: the one place that says which field stands in which column."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

import msgspec

from brokerweb.topology.models import Instance, ListedObject
from brokerweb.topology.models.listing import NEVER
from engine import api as engine

Kind = engine.revisions.ObjectKind
SORTS = ("name", "place", "service", "target", "state", "on", "expires", "level")
"""What every list can be sorted by; of a kind that has no such thing all rows are alike in it."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a listed object that depends on its kind."""

    service: str = ""
    target: str = ""
    state: str = ""
    is_on: bool = False
    expires_at: float = NEVER
    level: int = 0
    more: tuple[str, ...] = ()
    """Further texts that it is looked for by."""


@lru_cache(maxsize=8_192)
def fold_text(text: str) -> str:
    """Text without accents and letter case: who types `entrepot` means `Entrepôt`, and `strasse` `Straße`."""
    if text.isascii():
        return text.casefold()
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(each for each in parts if not unicodedata.combining(each)).casefold())


def place_of(instance: str, database: str | None) -> str:
    """Where an object is, in the form that lists sort by."""
    return f"{fold_text(instance)}\t{fold_text(database or '')}"


def facts_of(found: engine.revisions.CatalogObject) -> Facts:
    """What lists know of an object besides its name and place."""
    read = _READERS.get(found.kind)
    return Facts() if read is None else read(found.value)


def search_text(found: engine.revisions.CatalogObject, facts: Facts) -> str:
    """What `text` of a list looks in."""
    texts = (found.name, facts.service, facts.target, *facts.more)
    return "\n".join(fold_text(each) for each in texts if each)


def listed_row(instance: Instance, found: engine.revisions.CatalogObject) -> ListedObject:
    """The row of an object, not written yet."""
    facts, key = facts_of(found), found.key
    return ListedObject(
        estate_id=instance.estate_id,
        instance=instance,
        kind=found.kind.value,
        database=found.database or "",
        database_key=key.database,
        key=key.name,
        name=found.name,
        service_name=facts.service,
        value=engine.revisions.value_to_json(found).decode(),
        place=place_of(instance.name, found.database),
        sort_name=fold_text(found.name),
        sort_service=fold_text(facts.service),
        sort_target=fold_text(facts.target),
        state=facts.state,
        is_on=facts.is_on,
        expires_at=facts.expires_at,
        level=facts.level,
        search=search_text(found, facts),
    )


def object_of(row: ListedObject) -> engine.revisions.CatalogObject:
    """The object of a row."""
    stored = row.value.encode()
    found = engine.revisions.value_from_json(Kind(row.kind), row.database or None, row.name, stored)
    assert found is not None, "nothing is listed that is nowhere"
    return found


def _instance(value: Any) -> Facts:
    return Facts(target=", ".join(value.host_names), level=len(value.host_names))


def _endpoint(value: Any) -> Facts:
    held = value.endpoint
    return Facts(
        state=held.state.value,
        level=held.port,
        is_on=held.is_message_forwarding_enabled,
        target=held.authentication,
        more=(str(held.port), held.encryption, held.listener_ip or ""),
    )


def _database(value: Any) -> Facts:
    return Facts(
        state=value.state.value,
        is_on=value.is_broker_enabled,
        target=value.partner_address or "",
        more=(str(value.broker_instance),),
    )


def _queue(value: Any) -> Facts:
    activation = value.activation
    return Facts(
        is_on=value.is_enabled,
        state="" if activation is None else "ON" if activation.is_enabled else "OFF",
        target="" if activation is None else activation.procedure_name,
        level=0 if activation is None else activation.max_queue_readers,
    )


def _service(value: Any) -> Facts:
    return Facts(target=value.queue, level=len(value.contracts), more=(value.owner, *value.contracts))


_ADDRESS_STATES = {engine.LocalAddress: "LOCAL", engine.TransportAddress: "TRANSPORT", engine.NetworkAddress: "TCP"}


def _route(value: Any) -> Facts:
    mirror = "" if value.mirror_address is None else value.mirror_address.text
    return Facts(
        service=value.service_name or "",
        target=str(value.address),
        state=_ADDRESS_STATES[type(value.address)],
        is_on=value.mirror_address is not None,
        expires_at=NEVER if value.expires_at is None else value.expires_at,
        more=(mirror, "" if value.broker_instance is None else str(value.broker_instance)),
    )


def _certificate(value: Any) -> Facts:
    return Facts(
        target=value.owner,
        is_on=value.is_active_for_begin_dialog,
        state="" if value.private_key is None else "PRIVATE KEY",
        expires_at=value.expires_at,
        more=(value.subject,),
    )


def _priority(value: Any) -> Facts:
    return Facts(
        service=value.local_service or "",
        target=value.remote_service or "",
        state=value.contract or "",
        level=value.level,
        more=(value.contract or "",),
    )


_READERS = {
    Kind.INSTANCE: _instance,
    Kind.ENDPOINT: _endpoint,
    Kind.DATABASE: _database,
    Kind.MESSAGE_TYPE: lambda value: Facts(state=value.validation.value, target=value.schema_collection or ""),
    Kind.CONTRACT: lambda value: Facts(level=len(value.uses), more=tuple(use.message_type for use in value.uses)),
    Kind.QUEUE: _queue,
    Kind.SERVICE: _service,
    Kind.ROUTE: _route,
    Kind.MASTER_KEY: lambda value: Facts(is_on=value.is_encrypted_by_server),
    Kind.USER: lambda value: Facts(target=value.login or "", state=value.kind.value),
    Kind.CERTIFICATE: _certificate,
    Kind.REMOTE_SERVICE_BINDING: lambda value: Facts(
        service=value.service_name, target=value.user, is_on=value.is_anonymous
    ),
    Kind.PRIORITY: _priority,
    Kind.EVENT_NOTIFICATION: lambda value: Facts(
        service=value.to_service, target=value.queue, level=len(value.events), more=tuple(value.events)
    ),
}
