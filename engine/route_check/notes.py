"""What a case says twice and not alike, or says and is not taken at its word: right, and yet worth a look."""

from __future__ import annotations

from engine.core.catalog.database import DatabaseCatalog
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName
from engine.route_check.cases import Case
from engine.route_check.world import instance_of


def notes_on(case: Case) -> list[str]:
    """Remarks about `instance` and `setup.databases`, which need not agree; the databases count."""
    if not case.databases:
        return []
    databases = list(instance_of(case).databases.values())
    return [*_same_ids(case, databases), *_contradictions(case, databases)]


def _same_ids(case: Case, databases: list[DatabaseCatalog]) -> list[str]:
    """Databases that were described as enabled and came up with their broker off (routing.md E35)."""
    wanted = {each.name.casefold() for each in case.databases if each.is_broker_enabled}
    first: dict[BrokerInstanceId, DatabaseName] = {}
    found: list[str] = []
    for database in databases:
        if database.is_broker_enabled:
            first[database.broker_instance] = database.name
        elif database.name.casefold() in wanted:
            found.append(
                f"setup.databases: {database.name} has the broker id of {first[database.broker_instance]}, "
                "so its broker is off (E35)."
            )
    return found


def _contradictions(case: Case, databases: list[DatabaseCatalog]) -> list[str]:
    hosting = [database.name for database in databases if database.can_deliver and case.service in database.services]
    if case.hosts_target_service and not hosting:
        return ["instance.hosts_target_service is true, but no database that is available has the service."]
    if hosting and not case.hosts_target_service:
        return [f"instance.hosts_target_service is not true, but database {hosting[0]} has the service; it counts."]
    return []
