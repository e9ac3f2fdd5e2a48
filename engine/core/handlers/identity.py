"""What becomes of the conversations of a database whose identity or history changes (identity.md 3, 5)."""

from __future__ import annotations

from engine.core.catalog.changes import BrokerSwitched
from engine.core.catalog.identity import active_owner_of, switch_off_twins
from engine.core.catalog.revision import copy
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.states import DialogInput, allows
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.events import DatabaseBrokerChanged
from engine.core.handlers.breaking_off import break_off
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import fail_locally
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.settings import NewBrokerEnds

ATTACHED_HERE, ATTACHED_THERE = 9719, 9720
TWIN_AT_START, TWIN_AT_BIRTH = 9723, 9773


def conversations_of(broker: Broker, database: DatabaseName) -> list[DialogEndpoint]:
    """The conversation endpoints of a database, in memory from now on: something happens to each of them."""
    return broker.conversations.all_of(database)


def end_for_new_broker(broker: Broker, database: DatabaseName) -> None:
    """NEW_BROKER: every conversation ends, nothing is sent to peers; as the setting says with an Error or silently."""
    tells = broker.settings.new_broker_ends_conversations is NewBrokerEnds.ERROR
    for endpoint in conversations_of(broker, database):
        if tells and allows(endpoint.row.state, DialogInput.BROKEN_LOCALLY):
            fail_locally(broker, endpoint, ATTACHED_HERE)
        else:
            # A replay guard, too, has nothing left to guard: nobody reaches the old id any more.
            broker.forget(endpoint)


def error_conversations(broker: Broker, database: DatabaseName) -> None:
    """ERROR_BROKER_CONVERSATIONS: each ends with -9719 here; its peer hears -9720, at once and when it next talks."""
    for endpoint in conversations_of(broker, database):
        if break_off(broker, endpoint, ATTACHED_HERE, ATTACHED_THERE) and broker.knows(endpoint):
            endpoint.revise(error_for_peer=ATTACHED_THERE)
            broker.touch(endpoint)


def settle_twins(broker: Broker) -> None:
    """At start-up: of databases with one broker id the first is started as a broker, no other (9723)."""
    after = copy(broker.catalog)
    found = switch_off_twins(after)
    if not found:
        return
    broker.catalog = after
    off = tuple(BrokerSwitched(database=database.name, is_enabled=False) for database in found)
    broker.classifier.redefine(after, off)
    broker.change(PutCatalog(catalog=after))
    for database in found:
        announce(broker, database.name, TWIN_AT_START)


def announce_birth(broker: Broker, database: DatabaseName) -> None:
    """A database was created; beside an active twin its broker is off (9773)."""
    born = broker.catalog.databases[database]
    twin = active_owner_of(broker.catalog, born.broker_instance, other_than=database)
    announce(broker, database, None if born.is_broker_enabled or twin is None else TWIN_AT_BIRTH)


def announce(broker: Broker, database: DatabaseName, number: int | None = None) -> None:
    """Tell what the broker of a database is now, with the number of why it is off if nobody switched it off."""
    broker.tell(
        DatabaseBrokerChanged(
            at=broker.now.utc,
            database=database,
            broker_instance=broker.catalog.databases[database].broker_instance,
            is_enabled=broker.catalog.databases[database].is_broker_enabled,
            number=number,
            text=notice_text(broker, database, number),
        )
    )


def notice_text(broker: Broker, database: DatabaseName, number: int | None) -> str:
    """The words of a notice about a database; empty without a number."""
    if number is None:
        return ""
    broker_instance = broker.catalog.databases[database].broker_instance
    twin = active_owner_of(broker.catalog, broker_instance, other_than=database)
    name = twin.name if twin is not None else ""
    return text_of(number, database=database, name=name, broker_instance=str(broker_instance))
