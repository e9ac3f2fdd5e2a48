"""Dialogs between two databases of one instance that are to be secured: both ends have a key from the first message on.

Nothing is encrypted there (protocol.md 9.1), and no certificate is needed: the key does not travel. It is there for the
day on which one of the two databases moves away.
"""

from __future__ import annotations

from engine.core.catalog.builtin import BROKER_SERVICE
from engine.core.catalog.database import DatabaseCatalog
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.session import DialogSession, OpenKey
from engine.core.handlers.broker import Broker
from engine.core.routing.dialog_security import MASTER_KEY_CLOSED, fault_within, is_secured_within
from engine.core.vocabulary.dialog_security import DialogSecurity, SealedKey, SecurityKind, SessionKeyRow
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.keys import KeyVault


def local_fault(broker: Broker, endpoint: DialogEndpoint, database: DatabaseName) -> int | None:
    """Why a secure dialog cannot cross to another database of the instance: it may have to move out some day.

    Nothing is encrypted, but both databases must have a master key (protocol.md 9.1).
    """
    if not _is_to_be_secured(broker, endpoint, database):
        return None
    here, there = broker.catalog.databases[endpoint.database], broker.catalog.databases[database]
    fault = fault_within(here, there)
    if fault is None and endpoint.sender.holds(0) and _keys_within(broker, here, there) is None:
        return MASTER_KEY_CLOSED
    return fault


def _is_to_be_secured(broker: Broker, endpoint: DialogEndpoint, database: DatabaseName) -> bool:
    """Whether a dialog to a database of the same instance is one that would be secured, could its ends part."""
    row = endpoint.row
    if not row.is_initiator or row.service == BROKER_SERVICE:
        return False
    here, there = broker.catalog.databases[endpoint.database], broker.catalog.databases[database]
    return is_secured_within(here, there, row.far_service, encryption=row.is_encryption_wanted)


def _keys_within(
    broker: Broker, here: DatabaseCatalog, there: DatabaseCatalog
) -> tuple[KeyVault, SealedKey, SealedKey] | None:
    """What makes and keeps a key within an instance: both master keys can be opened; else None."""
    vault = broker.vault
    if vault is None or here.master_key is None or there.master_key is None:
        return None
    ours, theirs = here.master_key.key, there.master_key.key
    return (vault, ours, theirs) if vault.can_open(ours) and vault.can_open(theirs) else None


def delivered_directly(broker: Broker, endpoint: DialogEndpoint, database: DatabaseName) -> None:
    """A message was taken within the instance; where that has begun the dialog, both ends have the same security now.

    Either a key, which need not travel, for the day on which one of them moves away; or none: a key that was made
    before could not reach its target any more, and an initiator with one believes nothing in clear.
    """
    row = endpoint.row
    target = broker.conversations.side_in(database, row.conversation_id, False) if row.is_initiator else None
    if target is None or target.row.security is not None:
        return
    keys = None
    if _is_to_be_secured(broker, endpoint, database):
        keys = _keys_within(broker, broker.catalog.databases[endpoint.database], broker.catalog.databases[database])
    if keys is not None:
        _share_key(broker, endpoint, target, *keys)
    elif row.security is not None:
        endpoint.revise(security=None)
        endpoint.session = None
        broker.touch(endpoint)


def _share_key(
    broker: Broker,
    endpoint: DialogEndpoint,
    target: DialogEndpoint,
    vault: KeyVault,
    ours: SealedKey,
    theirs: SealedKey,
) -> None:
    """One new session key for both directions, kept at each end under its own master key; no certificate is needed."""
    suite = broker.settings.dialog.key_suite
    key = OpenKey(broker.entropy.new_uuid(), vault.new_session_key(suite))
    for end, master in ((endpoint, ours), (target, theirs)):
        sealed = vault.seal(master, key.key)
        assert sealed is not None, "the master key was just opened"
        stored = SessionKeyRow(key.identifier, suite, sealed)
        end.revise(security=DialogSecurity(kind=SecurityKind.ANONYMOUS, outbound=stored, inbound=stored))
        end.session = DialogSession(key, key)
        broker.touch(end)
