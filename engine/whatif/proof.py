"""The proof of a routing decision in sentences for a person: which table, which step, who lost by which clause.

A decision carries codes; their sentences stand in `sentences.toml` and its translations (`words`), numbers in the error
catalogue. Whoever shows a decision takes the lines of `proof_of`, in the language of the reader; nobody words it a
second time.
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
    Classification,
    ClassifierDecision,
    LossReason,
    Origin,
    RouteLoss,
)
from engine.core.routing.precedence import ChooseStep, MatchStep
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.mirrors import NOBODY_CLAIMS, NOBODY_CLAIMS_DETAIL
from engine.whatif.security_proof import security_proof
from engine.whatif.words import ENGLISH, number_said, percent, rule_in, said

_LOST_AS_CANDIDATE: Final = frozenset(
    {LossReason.COUNTS_AS_ONE, LossReason.ADDRESS_KIND_LATER, LossReason.SERVICE_NOT_HERE, LossReason.NOT_DRAWN}
)
_HAS_CANDIDATES: Final = frozenset(
    {MatchStep.NAME_AND_ID, MatchStep.NAME_ONLY, MatchStep.ANY_ID, MatchStep.LAST_RESORT}
)
_NUMBERED: Final = frozenset({Classification.DELAYED, Classification.DROPPED})
ANSWERED_WITH_AN_ERROR: Final = 8490
"""A drop that its sender hears of, in an error of the dialog."""


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
    language: str = ENGLISH


def proof_of(decision: ClassifierDecision, asked: Circumstances) -> tuple[str, ...]:
    """The decision step by step, a sentence a line; lines about single routes are indented by two blanks."""
    first = decision.via or decision
    lines = [_question(first, asked), *_steps(first, asked)]
    if decision.via is not None:
        lines += [said(asked.language, "steps", "goes_on"), *_steps(decision, asked)]
    lines += [_outcome(decision, asked)]
    if decision.security is not None:
        lines += security_proof(decision.security, asked.target.service_name, language=asked.language)
    if decision.caution is not None:
        lines.append(said(asked.language, "cautions", decision.caution.value))
    return (*lines, *_draws(decision, asked))


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
    name = f"{decision.origin}{'_broker' if broker else ''}{'_from_target' if asked.from_target else ''}"
    spelled = asked.spell(broker) if broker else ""
    service = asked.target.service_name
    return said(asked.language, "question", name, database=decision.table, service=service, broker=spelled)


def _steps(decision: ClassifierDecision, asked: Circumstances) -> list[str]:
    if decision.match_step is None:
        return [said(asked.language, "steps", "no_table")]
    step = MatchStep(decision.match_step)
    if step is MatchStep.REPLY_FROM_TARGET:
        return [_rule(step, asked)]
    lines = [said(asked.language, "steps", "table", database=decision.table), _rule(step, asked)]
    if decision.candidates:
        lines.append(said(asked.language, "steps", "candidates", routes=", ".join(decision.candidates)))
    else:
        # What a live instance keeps of a decision may be its end alone.
        name = "not_recorded" if step in _HAS_CANDIDATES else "no_candidate"
        lines.append(said(asked.language, "steps", name))
    lines += [f"  {_loss(loss, decision, asked)}" for loss in decision.losses if loss.reason not in _LOST_AS_CANDIDATE]
    if decision.others:
        name = "one_other" if decision.others == 1 else "others"
        lines.append(f"  {said(asked.language, 'steps', name, count=decision.others)}")
    if decision.candidates or decision.route is not None:
        lines += _choice(decision, asked)
    return [*lines, *_locate(decision, asked)]


def _rule(step: MatchStep | ChooseStep, asked: Circumstances) -> str:
    kind, rule = "match" if isinstance(step, MatchStep) else "choose", rule_in(asked.language, step)
    return said(asked.language, "steps", kind, step=int(step), condition=rule.condition, effect=rule.effect)


def _choice(decision: ClassifierDecision, asked: Circumstances) -> list[str]:
    losses = [f"  {_loss(loss, decision, asked)}" for loss in decision.losses if loss.reason in _LOST_AS_CANDIDATE]
    if decision.choose_step is None or decision.route is None:
        return [said(asked.language, "steps", "none_passes"), *losses]
    lines = [_rule(ChooseStep(decision.choose_step), asked), _chosen(decision.route, asked), *losses]
    if partners_of(decision) and asked.principal is not None:
        name = "nobody_claims" if nobody_claims(decision, asked.principal) else "principal_claims"
        lines.append(said(asked.language, "steps", name, address=asked.principal))
    return lines


def _chosen(route: Route, asked: Circumstances) -> str:
    name = "chosen" if route.mirror_address is None else "chosen_mirrored"
    address, mirror = str(route.address), str(route.mirror_address)
    return said(asked.language, "steps", name, route=route.name, address=address, mirror=mirror)


def _locate(decision: ClassifierDecision, asked: Circumstances) -> list[str]:
    if decision.choose_step != ChooseStep.LOCAL and decision.match_step != MatchStep.IMPLICIT_LOCAL:
        return []
    by = "name" if decision.broker_instance is None else "id"
    broker = "" if decision.broker_instance is None else asked.spell(decision.broker_instance)
    name = f"{by}_{'not_found' if decision.database is None else 'found'}"
    return [said(asked.language, "steps", name, broker=broker, database=decision.database)]


def _loss(loss: RouteLoss, decision: ClassifierDecision, asked: Circumstances) -> str:
    name, condition, step = loss.reason.value, "", decision.match_step
    parameter = loss.parameter
    match loss.reason:
        case LossReason.BROKER_INSTANCE_DIFFERS | LossReason.OTHER_BROKER_INSTANCE_PICKED:
            parameter = asked.spell(UUID(str(parameter)))
        case LossReason.EXPIRED if asked.instant is not None and parameter is not None:
            name, parameter = f"{name}-at", asked.instant(float(parameter))
        case LossReason.LATER_STEP:
            condition = rule_in(asked.language, MatchStep(int(parameter or 0))).condition
        case LossReason.ADDRESS_KIND_LATER:
            condition = rule_in(asked.language, ChooseStep(int(parameter or 0))).condition
            step = decision.choose_step
        case _:
            pass
    return said(asked.language, "losses", name, route=loss.route, parameter=parameter, condition=condition, step=step)


# ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def _outcome(decision: ClassifierDecision, asked: Circumstances) -> str:
    address, mirror, number = decision.address, "", decision.status
    if nobody_claims(decision, asked.principal):
        name, number = "nobody_claims", NOBODY_CLAIMS
    else:
        name = _outcome_name(decision)
        if partners := partners_of(decision):
            address, mirror = partners[0].tcp, str(partners[1])
            if asked.principal is None:
                name = f"{name}_to_principal"
            else:
                address = asked.principal
    text = said(asked.language, "outcomes", name, address=str(address), mirror=mirror, database=decision.database)
    return text if number is None else f"{text} {_number(number, decision, asked)}"


def _outcome_name(decision: ClassifierDecision) -> str:
    match decision.classification:
        case Classification.LOCAL:
            return "local" if decision.address is None else "local_over"
        case Classification.REMOTE:
            return "sent" if decision.origin is Origin.INSIDE else "forwarded"
        case Classification.DELAYED:
            return "delayed" if decision.address is None else "answered_by_itself"
        case Classification.DROPPED:
            return "dropped_and_answered" if decision.status == ANSWERED_WITH_AN_ERROR else "dropped"


def _number(number: int, decision: ClassifierDecision, asked: Circumstances) -> str:
    broker, service = decision.broker_instance, asked.target.service_name
    return number_said(
        asked.language,
        number,
        service=service,
        broker_instance=None if broker is None else asked.spell(broker),
        address=service,
        detail=NOBODY_CLAIMS_DETAIL if number == NOBODY_CLAIMS else "",
    )


def _draws(decision: ClassifierDecision, asked: Circumstances) -> list[str]:
    """The ends that the router may draw, after a line that counts them; none where it draws nothing."""
    if not decision.alternatives:
        return []
    share = fsum(alternative.weight for alternative in decision.alternatives)
    name, count = "ends" if isclose(share, 1) else "more_ends", len(decision.alternatives)
    head = said(asked.language, "draws", name, count=count, percent=percent(asked.language, share))
    return [head, *(f"  {_alternative(alternative, asked)}" for alternative in decision.alternatives)]


def _alternative(alternative: Alternative, asked: Circumstances) -> str:
    def word(name: str, **parameters: object) -> str:
        return said(asked.language, "draws", name, **parameters)

    name, number, broker = alternative.classification.value, alternative.status, alternative.broker_instance
    if name in _NUMBERED and number is not None:
        name = f"{name}_numbered"
    end = [word(name, database=alternative.database, address=str(alternative.address), number=number)]
    if alternative.route is not None:
        end.append(word("route", route=alternative.route))
    if broker is not None:
        end.append(word("broker", broker=asked.spell(broker)))
    return word("end", percent=percent(asked.language, alternative.weight), end=", ".join(end))
