"""The proof beside a decision: who was a candidate, who lost by which clause, what else might have been drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice

import msgspec

from engine.core.catalog.route import Route
from engine.core.routing.candidates import CandidateSet, kind_of
from engine.core.routing.decision import Alternative, ClassifierDecision, LossReason, RouteLoss
from engine.core.routing.draws import Branch, Draws
from engine.core.routing.precedence import ChooseStep, MatchStep
from engine.core.routing.table import RoutingTable, is_live
from engine.core.vocabulary.identifiers import BrokerInstanceId
from engine.core.vocabulary.messages import DialogTarget
from engine.core.vocabulary.moment import UtcTime

TABLE_LISTED_MAX = 64
"""Of a table with more routes than this, those of quite other services are counted, not listed: it may have 100,000."""
LIVE_LISTED_MAX = 8
"""What the explanation of a live decision lists of each kind; whoever asks what-if is told everything."""


def explained(
    decision: ClassifierDecision,
    table: RoutingTable,
    target: DialogTarget,
    candidates: CandidateSet | None,
    picked: BrokerInstanceId | None,
    now: UtcTime,
    listed_max: int | None,
) -> ClassifierDecision:
    """The decision with candidates and losers. `picked` is the id that match step 3 drew."""
    chosen = decision.route
    lost: list[Iterator[RouteLoss]] = []
    if candidates is not None:
        lost.append(_not_chosen(route, candidates, decision) for route in candidates if route is not chosen)
    sample = next(iter(candidates), None) if candidates is not None else None
    lost.append(
        _not_a_candidate(route, target, picked, now)
        for route in table.similar_to(target.service_name)
        if sample is None or not _is_candidate(route, sample, now)
    )
    if len(table) <= TABLE_LISTED_MAX:
        lost.append(
            RouteLoss(route.name, LossReason.SERVICE_DIFFERS, route.service_name)
            for route in table.dissimilar_to(target.service_name)
        )
    losses = tuple(islice(chain(*lost), listed_max))
    listed = [route.name for route in islice(candidates or (), listed_max)]
    if listed and chosen is not None and chosen.name not in listed:
        listed[-1] = chosen.name
    return msgspec.structs.replace(
        decision,
        candidates=tuple(listed),
        losses=losses,
        others=len(table) - len(losses) - (chosen is not None),
    )


def _is_candidate(route: Route, candidate: Route, now: UtcTime) -> bool:
    """Whether a route is in the same set as `candidate`: all of them answer MATCH alike."""
    return (
        route.broker_instance == candidate.broker_instance
        and route.service_name == candidate.service_name
        and is_live(route, now)
    )


def _not_a_candidate(route: Route, target: DialogTarget, picked: BrokerInstanceId | None, now: UtcTime) -> RouteLoss:
    if route.service_name is not None and route.service_name != target.service_name:
        return RouteLoss(route.name, LossReason.SERVICE_DIFFERS_IN_CASE, route.service_name)
    if not is_live(route, now):
        return RouteLoss(route.name, LossReason.EXPIRED, route.expires_at)
    broker = route.broker_instance
    if broker is not None and target.broker_instance is not None and target.broker_instance != broker:
        return RouteLoss(route.name, LossReason.BROKER_INSTANCE_DIFFERS, str(broker))
    if broker is not None and picked is not None:
        return RouteLoss(route.name, LossReason.OTHER_BROKER_INSTANCE_PICKED, str(picked))
    return RouteLoss(route.name, LossReason.LATER_STEP, int(_own_step(route, target)))


def _own_step(route: Route, target: DialogTarget) -> MatchStep:
    if route.service_name is None:
        return MatchStep.LAST_RESORT
    if route.broker_instance is None:
        return MatchStep.NAME_ONLY
    return MatchStep.ANY_ID if target.broker_instance is None else MatchStep.NAME_AND_ID


def _not_chosen(route: Route, candidates: CandidateSet, decision: ClassifierDecision) -> RouteLoss:
    represented_by = candidates.representative(route)
    if represented_by is not route:
        return RouteLoss(route.name, LossReason.COUNTS_AS_ONE, represented_by.name)
    kind = kind_of(route)
    if decision.choose_step is None or kind < decision.choose_step:
        assert kind is ChooseStep.LOCAL, "only LOCAL routes are passed over"
        return RouteLoss(route.name, LossReason.SERVICE_NOT_HERE)
    if kind > decision.choose_step:
        return RouteLoss(route.name, LossReason.ADDRESS_KIND_LATER, int(kind))
    return RouteLoss(route.name, LossReason.NOT_DRAWN, decision.route.name if decision.route else None)


def alternatives_of(decide: Callable[[Draws], ClassifierDecision], listed_max: int | None) -> tuple[Alternative, ...]:
    """The ends that the draws of a decision can lead to, each with its weight; the decision is made once for each."""
    found: list[Alternative] = []
    answers: list[int] | None = []
    while answers is not None and (listed_max is None or len(found) < listed_max):
        branch = Branch(answers)
        decision = decide(branch)
        # Only now the branch knows how many answers it had.
        found.append(alternative_of(branch.weight, decision))
        answers = branch.next_answers()
    return tuple(found)


def alternative_of(weight: float, decision: ClassifierDecision) -> Alternative:
    """A decision as one of several ends."""
    picked = decision.route.broker_instance if decision.route is not None else None
    return Alternative(
        weight=weight,
        classification=decision.classification,
        route=decision.route.name if decision.route is not None else None,
        broker_instance=decision.broker_instance or picked,
        address=decision.address,
        database=decision.database,
        status=decision.status,
    )
