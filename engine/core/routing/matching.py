"""MATCH and CHOOSE over one routing table, step by step as `precedence` lists them (routing.md 3.1, 3.2)."""

from __future__ import annotations

from engine.core.routing.candidates import CandidateSet, Choice, choice_of
from engine.core.routing.draws import Draws, Question
from engine.core.routing.locator import ServiceLocator
from engine.core.routing.precedence import ChooseStep
from engine.core.routing.table import RoutingTable
from engine.core.vocabulary.identifiers import BrokerInstanceId
from engine.core.vocabulary.messages import DialogTarget

Match = tuple[int, CandidateSet | None, BrokerInstanceId | None]
"""The step that ended the search, the candidates it left, and the id that step 3 picked."""

# Looking an enumeration member up costs a third of what a decision may.
_LOCAL = int(ChooseStep.LOCAL)
_CHOOSE_STEPS = tuple(int(step) for step in ChooseStep)


def match(table: RoutingTable, target: DialogTarget, may_ask: bool, locator: ServiceLocator, draws: Draws) -> Match:
    """Steps 1 to 7: stop at the first that yields a route. `may_ask` says whether step 4 applies to the service."""
    service, broker = target.service_name, target.broker_instance
    named = table.services.get(service)
    if named is not None:
        if broker is not None and (found := named.by_id.get(broker.int)) is not None:
            return 1, found, None
        if named.name_only is not None:
            return 2, named.name_only, None
        if broker is None:
            ids = named.ids.values
            many = len(ids) > 1
            picked = ids[draws.take(table.database, service, Question.BROKER_INSTANCE, ids) if many else 0]
            return 3, named.by_id[picked.int], picked
    if table.asks_for_routes and may_ask:
        return 4, None, None
    if table.last_resort is not None:
        return 5, table.last_resort, None
    if broker is not None and locator.hosts(service):
        return 6, None, None
    return 7, None, None


def choose(
    table: RoutingTable, target: DialogTarget, candidates: CandidateSet, locator: ServiceLocator, draws: Draws
) -> Choice | None:
    """Steps 1 to 4: the step and the route it took; None when only LOCAL routes to a service elsewhere are left."""
    service = target.service_name
    if (single := candidates.single) is not None:
        return single if single[0] != _LOCAL or locator.hosts(service) else None
    for step in _CHOOSE_STEPS:
        routes = candidates.kinds.get(step)
        if routes is None or (step == _LOCAL and not locator.hosts(service)):
            continue
        values = routes.values
        return choice_of(values[draws.take(table.database, service, Question.ROUTE, values) if len(values) > 1 else 0])
    return None
