"""`broken_flows`: flows that worked at the start and do not any more, though no fault of the scenario explains it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.training.scenario import Scenario, unspoken, who_to_whom
from engine.training.words import Texts, everywhere, said
from engine.training.world import UNSEEN_KINDS, GradedWorld
from engine.whatif.disposition import ARRIVED, Disposition
from engine.whatif.evaluation import Evaluation, is_in
from engine.whatif.faults import Fault
from engine.whatif.flows import possible_flows
from engine.whatif.impact import flow_key
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import Verdict
from engine.whatif.wording import end_text, flow_text


class BrokenFlow(msgspec.Struct, frozen=True, kw_only=True):
    """One of them."""

    key: str
    """The same for the same flow, always; `impact.flow_key`."""
    flow: FlowQuestion
    number: int | None
    """With which it ends now; None for none, or where nobody is there to send."""
    text: Texts
    cause: str = ""
    """Flows that end at the same place in the same way have one cause, and are charged once."""


def causes_of(broken: Iterable[BrokenFlow]) -> int:
    """How many different things broke them."""
    return len({each.cause for each in broken})


def broken_flows(
    scenario: Scenario, world: GradedWorld, *, told: Collection[FlowQuestion] = ()
) -> tuple[BrokenFlow, ...]:
    """Every flow that would work now if nothing had been done, and does not, in the order of the estate.

    `told` are flows, as `who_to_whom`, that a task has charged already.
    """
    at = world.now()
    # Flows of traffic stand, with their contracts, for those that the definitions alone tell of.
    sent = {unspoken(each.flow): each.flow for each in scenario.traffic.senders}
    found = {catalog.name: catalog for catalog in world.beginning.catalogs.values()}
    flows = dict.fromkeys([*(sent.get(flow, flow) for flow in possible_flows(found)), *sent.values()])
    untouched = Evaluation(found, flows, at=at, faults=_scenarios_faults(scenario, world))
    worked = {
        flow: verdict for flow, verdict in untouched.verdicts.items() if verdict.works and who_to_whom(flow) not in told
    }
    catalogs = {catalog.name: catalog for catalog in world.catalogs().values()}
    now = Evaluation(catalogs, worked, at=at, faults=world.unseen_faults())
    broken = []
    for flow, before in worked.items():
        after = now.verdicts.get(flow) if is_in(catalogs, flow) else None
        if _is_broken(before, after):
            broken.append(_told(flow, after))
        elif _is_on(found, flow) and not _is_on(catalogs, flow):
            broken.append(_deaf(found, flow))
    return tuple(broken)


def _scenarios_faults(scenario: Scenario, world: GradedWorld) -> tuple[Fault, ...]:
    """What the scenario has broken by now; what its catalogs showed already when the trainee came is in them."""
    shown = scenario.faults_at(world.beginning.seconds)
    return tuple(each for each in scenario.faults_at(world.seconds) if each.kind in UNSEEN_KINDS or each not in shown)


def _is_broken(before: Verdict, after: Verdict | None) -> bool:
    """Whether a flow that worked does not, or is held before a queue that was on."""
    if after is None or not after.works:
        return True
    return after.disposition is Disposition.HELD_QUEUE_OFF and before.disposition is not Disposition.HELD_QUEUE_OFF


def _is_on(catalogs: Mapping[InstanceName, InstanceCatalog], flow: FlowQuestion) -> bool:
    """Whether the sender's own queue is on, in which answers and Errors come."""
    database = catalogs[flow.instance].databases[flow.database]
    queue = database.queues.get(database.services[flow.service].queue)
    return queue is None or queue.is_enabled


def _deaf(catalogs: Mapping[InstanceName, InstanceCatalog], flow: FlowQuestion) -> BrokenFlow:
    queue = catalogs[flow.instance].databases[flow.database].services[flow.service].queue
    named = flow_text(unspoken(flow))
    text = everywhere(lambda language: said(language, "broken_deaf", flow=named))
    cause = f"deaf {flow.instance}/{flow.database} {queue}"
    return BrokenFlow(key=flow_key(flow), flow=flow, number=None, text=text, cause=cause)


def _cause(flow: FlowQuestion, after: Verdict | None) -> str:
    """The end of it: what, where, by which number; of a sender that is gone, the sender."""
    if after is None:
        return f"gone {flow.instance}/{flow.database} {flow.service}"
    heard = "" if after.disposition not in ARRIVED or after.works else " unheard"
    return f"{after.disposition}{heard} {after.instance or flow.instance}/{after.database} {after.number}"


def _told(flow: FlowQuestion, after: Verdict | None) -> BrokenFlow:
    named = flow_text(unspoken(flow))

    def say(language: str) -> str:
        if after is None:
            return said(language, "broken_gone", flow=named)
        place = after.instance or flow.instance
        name = "broken_unheard" if after.disposition in ARRIVED and not after.works else "broken"
        end = end_text(after.disposition, place, after.database, after.number, language=language)
        return said(language, name, flow=named, end=end)

    return BrokenFlow(
        key=flow_key(flow),
        flow=flow,
        number=None if after is None else after.number,
        text=everywhere(say),
        cause=_cause(flow, after),
    )
