"""Claiming to be the principal: what is answered to neighbours, and who is told when the answer changes."""

from __future__ import annotations

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.identity import databases_with
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import AskerId, BrokerInstanceId
from engine.core.vocabulary.limits import ROLE_QUESTIONS_KEPT
from engine.core.vocabulary.mirrors import RoleAnswer

_NO_PRINCIPAL = (DatabaseState.MIRROR, DatabaseState.OFFLINE)


def is_principal(catalog: InstanceCatalog, broker_instance: BrokerInstanceId) -> bool:
    """Whether a database with this id is here, its broker on, and it is no mirror copy (mirroring.md 3).

    The role is that of the database, not of the server: another database here may be the copy of its own pair.
    """
    return any(
        database.is_broker_enabled and database.state not in _NO_PRINCIPAL
        for database in databases_with(catalog, broker_instance)
    )


class RoleBook:
    """Who has asked for which broker id and what was answered last; in memory, as long as the connections last."""

    def __init__(self) -> None:
        self._told: dict[AskerId, dict[BrokerInstanceId, bool]] = {}

    def __len__(self) -> int:
        return len(self._told)

    def answered(self, answer: RoleAnswer) -> None:
        """Remember an answer, so that its change can be told; at most `ROLE_QUESTIONS_KEPT` for each neighbour."""
        told = self._told.setdefault(answer.asker, {})
        told.pop(answer.broker_instance, None)
        told[answer.broker_instance] = answer.is_principal
        if len(told) > ROLE_QUESTIONS_KEPT:
            del told[next(iter(told))]

    def gone(self, asker: AskerId) -> None:
        """The neighbour is not connected any more."""
        self._told.pop(asker, None)

    def overtaken(self, catalog: InstanceCatalog) -> list[RoleAnswer]:
        """Answers that hold no more, as they ought to be now."""
        now = {
            broker_instance: is_principal(catalog, broker_instance)
            for told in self._told.values()
            for broker_instance in told
        }
        return [
            RoleAnswer(asker, broker_instance, now[broker_instance])
            for asker, told in self._told.items()
            for broker_instance, answered in told.items()
            if answered != now[broker_instance]
        ]
