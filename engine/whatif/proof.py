"""The proof of a routing decision in sentences for a person: which table, which step, who lost by which clause.

The rules are worded in `engine.core.routing.precedence`, numbers in the error catalogue, and what a decision carries
as codes here. Whoever shows a decision takes the lines of `proof_of`; nobody words it a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum, isclose
from typing import Final
from uuid import UUID

import msgspec

from engine.core.catalog.route import NetworkAddress, Route
from engine.core.routing.decision import (
    Alternative,
    Caution,
    Classification,
    ClassifierDecision,
    LossReason,
    Origin,
    RouteLoss,
)
from engine.core.routing.precedence import CHOOSE_RULES, MATCH_RULES, ChooseStep, MatchStep
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.mirrors import NOBODY_CLAIMS, NOBODY_CLAIMS_DETAIL
from engine.whatif.security_proof import security_proof

_LOST_AS_CANDIDATE: Final = frozenset(
    {LossReason.COUNTS_AS_ONE, LossReason.ADDRESS_KIND_LATER, LossReason.SERVICE_NOT_HERE, LossReason.NOT_DRAWN}
)

_CAUTIONS: Final = {
    Caution.HARDENING_BYPASSED: (
        "Caution: no route of msdb leads to the service; it is reached because the message names a broker id."
    ),
    Caution.LEADS_TO_ITSELF: (
        "Caution: the next hop is this very instance; the message goes round until its hops are used up."
    ),
}


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked, as far as the decision itself does not say it."""

    target: DialogTarget
    from_target: bool = False
    """Whether the message was sent by the target of its conversation."""
    spell: Callable[[UUID], str] = str
    """How a broker id is written for this reader."""
    instant: Callable[[float], str] | None = None
    """How an instant, UTC seconds, is written; None leaves instants out."""
    principal: TcpAddress | None = None
    """The address that claims to be the principal of a mirrored route; None is nothing known."""


def proof_of(decision: ClassifierDecision, asked: Circumstances) -> tuple[str, ...]:
    """The decision step by step, a sentence a line; lines about single routes are indented by two blanks."""
    first = decision.via or decision
    lines = [_question(first, asked), *_steps(first, asked)]
    if decision.via is not None:
        lines += [
            "The next hop is this very instance: the message goes on as if it had come over the network.",
            *_steps(decision, asked),
        ]
    lines.append(_outcome(decision, asked))
    if decision.security is not None:
        lines += security_proof(decision.security, asked.target.service_name)
    if decision.caution is not None:
        lines.append(_CAUTIONS[decision.caution])
    if decision.alternatives:
        number = len(decision.alternatives)
        share = fsum(alternative.weight for alternative in decision.alternatives)
        several = f"{number} ends are possible"
        if not isclose(share, 1):
            several = f"more than {several}, {number} were followed ({share * 100:.4g} % of all draws)"
        lines.append(f"The router draws, each in its turn; {several}:")
        lines += [f"  {_alternative(alternative, asked)}" for alternative in decision.alternatives]
    return tuple(lines)


def losses_of(decision: ClassifierDecision, asked: Circumstances) -> tuple[str, ...]:
    """One sentence for each of the decision's losses, in their order: which clause the route failed."""
    return tuple(_loss(loss, decision, asked) for loss in decision.losses)


def nobody_claims(decision: ClassifierDecision, principal: TcpAddress | None) -> bool:
    """Whether a decision for a mirrored route leads nowhere, because `principal` is none of its two addresses."""
    partners = partners_of(decision)
    return bool(partners) and principal is not None and principal not in [partner.tcp for partner in partners]


def partners_of(decision: ClassifierDecision) -> tuple[NetworkAddress, ...]:
    """The two addresses of the mirrored route that a message is sent by; empty when it is not."""
    route = decision.route
    if route is None or route.mirror_address is None or decision.classification is not Classification.REMOTE:
        return ()
    return (route.address, route.mirror_address) if isinstance(route.address, NetworkAddress) else ()


# ── the steps ────────────────────────────────────────────────────────────────────────────────────────────────────────
def _question(decision: ClassifierDecision, asked: Circumstances) -> str:
    broker = asked.target.broker_instance
    to = f"service '{asked.target.service_name}', " + (f"broker id {asked.spell(broker)}" if broker else "no broker id")
    sender = ", sent by the target of its conversation" if asked.from_target else ""
    if decision.origin is Origin.INSIDE:
        return f"A message leaves database {decision.table} for {to}{sender}."
    return f"A message arrives over the network for {to}{sender}."


def _steps(decision: ClassifierDecision, asked: Circumstances) -> list[str]:
    if decision.match_step is None:
        return ["No routing table is read."]
    step = MatchStep(decision.match_step)
    if step is MatchStep.REPLY_FROM_TARGET:
        return [_rule("Match", step, MATCH_RULES[step].condition, MATCH_RULES[step].effect)]
    lines = [
        f"Routing table: sys.routes of {decision.table}.",
        _rule("Match", step, MATCH_RULES[step].condition, MATCH_RULES[step].effect),
        f"Candidates: {', '.join(decision.candidates)}." if decision.candidates else "No route is a candidate.",
    ]
    lines += [f"  {_loss(loss, decision, asked)}" for loss in decision.losses if loss.reason not in _LOST_AS_CANDIDATE]
    if decision.others:
        lines.append(f"  {decision.others} more routes name quite other services.")
    if decision.candidates:
        lines += _choice(decision, asked)
    return [*lines, *_locate(decision, asked)]


def _rule(kind: str, step: int, condition: str, effect: str) -> str:
    return f"{kind} step {int(step)} ({condition}): {effect}."


def _choice(decision: ClassifierDecision, asked: Circumstances) -> list[str]:
    losses = [f"  {_loss(loss, decision, asked)}" for loss in decision.losses if loss.reason in _LOST_AS_CANDIDATE]
    if decision.choose_step is None or decision.route is None:
        return ["Choose: no candidate passes.", *losses]
    step = ChooseStep(decision.choose_step)
    route = decision.route
    lines = [
        _rule("Choose", step, CHOOSE_RULES[step].condition, CHOOSE_RULES[step].effect),
        f"Chosen: {route.name}, address {_address(route)}.",
        *losses,
    ]
    if partners_of(decision) and asked.principal is not None:
        lines.append(
            f"Both partners are asked for the principal; {asked.principal} claims it."
            if not nobody_claims(decision, asked.principal)
            else "Both partners are asked for the principal; none of the two claims it."
        )
    return lines


def _address(route: Route) -> str:
    mirror = f", mirror address {route.mirror_address}" if route.mirror_address is not None else ""
    return f"{route.address}{mirror}"


def _locate(decision: ClassifierDecision, asked: Circumstances) -> list[str]:
    if decision.choose_step != ChooseStep.LOCAL and decision.match_step != MatchStep.IMPLICIT_LOCAL:
        return []
    found = "no database" if decision.database is None else f"database {decision.database}"
    if decision.broker_instance is not None:
        return [f"Locate: broker id {asked.spell(decision.broker_instance)} alone decides: {found}."]
    return [f"Locate: no broker id is known, so the service is looked for by its name: {found}."]


def _loss(loss: RouteLoss, decision: ClassifierDecision, asked: Circumstances) -> str:
    verb = "is not chosen" if loss.reason in _LOST_AS_CANDIDATE else "is no candidate"
    return f"{loss.route} {verb}: {_clause(loss, decision, asked)}."


def _clause(loss: RouteLoss, decision: ClassifierDecision, asked: Circumstances) -> str:
    parameter = loss.parameter
    match loss.reason:
        case LossReason.SERVICE_DIFFERS:
            return f"it names another service, '{parameter}'"
        case LossReason.SERVICE_DIFFERS_IN_CASE:
            return f"it names '{parameter}', and services are compared to the letter, case and blanks included"
        case LossReason.BROKER_INSTANCE_DIFFERS:
            return f"it names another broker id, {_spelled(parameter, asked)}"
        case LossReason.EXPIRED:
            when = "" if asked.instant is None or parameter is None else f" at {asked.instant(float(parameter))}"
            return f"it has expired{when}"
        case LossReason.LATER_STEP:
            step = MatchStep(int(parameter or 0))
            return (
                f"it would match in step {int(step)} ({MATCH_RULES[step].condition}), "
                f"and step {decision.match_step} had ended the search"
            )
        case LossReason.OTHER_BROKER_INSTANCE_PICKED:
            return f"broker id {_spelled(parameter, asked)} was picked"
        case LossReason.COUNTS_AS_ONE:
            return f"it counts as one with {parameter}: same service, broker id and address"
        case LossReason.ADDRESS_KIND_LATER:
            kind = ChooseStep(int(parameter or 0))
            return (
                f"its turn comes in choose step {int(kind)} ({CHOOSE_RULES[kind].condition}), "
                f"and step {decision.choose_step} had taken a route"
            )
        case LossReason.SERVICE_NOT_HERE:
            return "it is LOCAL, and no available database of this instance has the service"
        case LossReason.NOT_DRAWN:
            return f"it was the turn of {parameter}"


def _spelled(parameter: str | float | None, asked: Circumstances) -> str:
    return asked.spell(UUID(str(parameter)))


# ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def _outcome(decision: ClassifierDecision, asked: Circumstances) -> str:
    if nobody_claims(decision, asked.principal):
        detail = NOBODY_CLAIMS_DETAIL
        return f"Outcome: delayed until one of the two claims it. {_number(NOBODY_CLAIMS, decision, asked, detail)}"
    match decision.classification:
        case Classification.LOCAL:
            over = "" if decision.address is None else f", over a connection to its own address {decision.address}"
            return f"Outcome: delivered inside this instance{over}, to database {decision.database}."
        case Classification.REMOTE:
            to = str(decision.address)
            if partners := partners_of(decision):
                either = f"{partners[0]} or {partners[1]}, whichever is the principal"
                to = either if asked.principal is None else str(asked.principal)
            return f"Outcome: {'sent' if decision.origin is Origin.INSIDE else 'forwarded'} to {to}."
        case Classification.DELAYED:
            kept = "delayed, kept in the sender's transmission queue"
            if decision.address is not None:
                kept = f"sent to {decision.address}, this very instance, which answers the sender with an error"
        case Classification.DROPPED:
            kept = "dropped, the sender keeps it and sends again"
            if decision.status == 8490:
                kept = "dropped, and the sender is answered with an error"
    if decision.status is None:
        return f"Outcome: {kept}."
    return f"Outcome: {kept}. {_number(decision.status, decision, asked)}"


def _number(number: int, decision: ClassifierDecision, asked: Circumstances, detail: str = "") -> str:
    broker = decision.broker_instance
    text = text_of(
        number,
        service=asked.target.service_name,
        broker_instance=None if broker is None else asked.spell(broker),
        address=asked.target.service_name,
        detail=detail,
    )
    return f"{number}: {text}."


def _alternative(alternative: Alternative, asked: Circumstances) -> str:
    match alternative.classification:
        case Classification.LOCAL:
            end = f"delivered to database {alternative.database}"
        case Classification.REMOTE:
            end = f"on to {alternative.address}"
        case Classification.DELAYED | Classification.DROPPED:
            number = "" if alternative.status is None else f" ({alternative.status})"
            end = f"{alternative.classification}{number}"
    by = f", route {alternative.route}" if alternative.route is not None else ""
    broker = alternative.broker_instance
    under = f", broker id {asked.spell(broker)}" if broker is not None else ""
    return f"{alternative.weight * 100:.4g} %: {end}{by}{under}"
