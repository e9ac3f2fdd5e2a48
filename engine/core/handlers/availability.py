"""What a database allows: commands while it is open, traffic while its broker is on (identity.md 2, mirroring.md 5)."""

from __future__ import annotations

from engine.core.catalog.database import CLOSED_TO_COMMANDS
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import CommandBase, RetryTransmission, SetQueueStatus, StatementBase
from engine.core.handlers.broker import Broker
from engine.core.handlers.planning import plan
from engine.core.routing.decision import Classification
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import DatabaseName


def check(catalog: InstanceCatalog, command: CommandBase) -> None:
    """Refuse what would write to a database that is off-line (942), a mirror copy (954) or read-only (3906).

    A broker that is off stands in nobody's way: what is sent waits (identity.md 2). `LocalProtocolError`.
    """
    if not isinstance(command, (StatementBase, RetryTransmission, SetQueueStatus)):
        return
    database = catalog.databases.get(command.database)
    number = CLOSED_TO_COMMANDS.get(database.state) if database is not None else None
    if number is not None:
        raise LocalProtocolError(number, database=command.database)


def changed(broker: Broker, database: DatabaseName) -> None:
    """The broker of a database was switched, or its state is another: nothing leaves on an old decision.

    What waits is classified again as after every change (routing.md 7). What fell due while the database was out of
    reach, a lifetime above all, falls due now (identity.md 2).
    """
    for endpoint in broker.conversations.all_of(database):
        decision = endpoint.decision
        if decision is not None and decision.classification is not Classification.DELAYED:
            broker.leave_links(endpoint)
            endpoint.decision = None
            broker.schedule(endpoint, broker.now.monotonic)
        else:
            plan(broker, endpoint)
