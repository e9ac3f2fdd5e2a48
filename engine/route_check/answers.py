"""What the router answers to a case, in the words of the format, and whether an expectation holds for it.

One answer can be told in more than one true way: with a self address by the first table or by the second, and a LOCAL
route whose service is not here by naming it or not. Each way is a `View`; an expectation holds when it holds for one.
What is shown does not depend on what was expected.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.route import LocalAddress, NetworkAddress
from engine.core.routing.decision import Classification, ClassifierDecision, Origin
from engine.core.routing.precedence import ChooseStep, MatchStep
from engine.core.routing.transport_name import derive_address
from engine.route_check.cases import Address, Case, Expectation, Outcome, Said
from engine.route_check.ends import Candidates, End
from engine.whatif.proof import nobody_claims, partners_of

LOCAL = str(LocalAddress())
TRANSPORT = "TRANSPORT"


class View(msgspec.Struct, frozen=True, kw_only=True):
    """One true way to tell an answer."""

    chosen: str | None
    """The route as the engine names it; routes that count as one with it may be named in its place."""
    candidates: Candidates
    match_step: int | None
    """None when no routing table was read because nothing could leave or arrive."""
    address: str | None
    addresses: frozenset[Address | None]
    """Addresses that count as right."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One end, judged. The first view is the one to show, whatever was expected."""

    outcome: Outcome
    views: tuple[View, ...]
    end: End


def answer_of(case: Case, end: End) -> Answer:
    """The decision in the words of the format."""
    decision = end.decision
    views = [_view(case, decision, end.candidates)]
    if case.principal is None:
        # Either partner may be the principal; each is a way to tell it.
        views += [
            msgspec.structs.replace(views[0], address=str(partner), addresses=frozenset({partner.tcp}))
            for partner in partners_of(decision)[1:]
        ]
    if decision.route is None and decision.status == 9796 and end.candidates.names:
        views.insert(0, _passed_over(views[0]))
    if decision.via is not None and end.via_candidates is not None:
        views.append(_view(case, decision.via, end.via_candidates))
    return Answer(outcome=_outcome(case, decision), views=tuple(views), end=end)


def _outcome(case: Case, decision: ClassifierDecision) -> Outcome:
    if nobody_claims(decision, case.principal):
        return Outcome.DELAYED
    match decision.classification:
        case Classification.LOCAL:
            return Outcome.DELIVER_LOCAL
        case Classification.REMOTE:
            return Outcome.SEND if decision.origin is Origin.INSIDE else Outcome.FORWARD
        case Classification.DELAYED:
            return Outcome.DELAYED
        case Classification.DROPPED:
            return Outcome.DROP


def _view(case: Case, decision: ClassifierDecision, candidates: Candidates) -> View:
    address, addresses = _address(case, decision)
    return View(
        chosen=None if decision.route is None else decision.route.name,
        candidates=candidates,
        match_step=decision.match_step,
        address=address,
        addresses=addresses,
    )


def _passed_over(view: View) -> View:
    """Only LOCAL routes answered, and the service is not here: the message waits because of them.

    The format calls such a route chosen; the proof tells that it was passed over, and why.
    """
    chosen = view.candidates.names[0]
    return msgspec.structs.replace(view, chosen=chosen, address=LOCAL, addresses=frozenset({LOCAL, None}))


def _address(case: Case, decision: ClassifierDecision) -> tuple[str | None, frozenset[Address | None]]:
    """The address to show and those that count as right; a message that goes nowhere may be said to have none."""
    route = decision.route
    goes = decision.classification in (Classification.LOCAL, Classification.REMOTE)
    none: set[Address | None] = set() if goes else {None}
    if route is None:
        inside = decision.classification is Classification.LOCAL or decision.match_step == MatchStep.IMPLICIT_LOCAL
        return (LOCAL, frozenset({LOCAL, None})) if inside else (None, frozenset({None}))
    if partners := partners_of(decision):
        both = [partner.tcp for partner in partners]
        if case.principal is None:
            return str(partners[0]), frozenset({partners[0].tcp})
        if case.principal in both:
            return str(partners[both.index(case.principal)]), frozenset({case.principal})
        return None, frozenset({*both, None})
    if isinstance(route.address, NetworkAddress):
        mirror = {route.mirror_address.tcp} if route.mirror_address is not None else set()
        return str(route.address), frozenset({route.address.tcp, *mirror, *none})
    if decision.choose_step == ChooseStep.LOCAL:
        return LOCAL, frozenset({LOCAL, *none})
    derived = decision.address or derive_address(case.service)
    if derived is None:
        return TRANSPORT, frozenset({TRANSPORT, None})
    return str(derived), frozenset({derived, *none})


# ── expectations ─────────────────────────────────────────────────────────────────────────────────────────────────────
def matches(expectation: Expectation, answer: Answer, pool: frozenset[str]) -> bool:
    """Whether the expectation holds for one of the views.

    `pool` are the candidates of all draws together: where a broker id is picked first, they may be given instead.
    """
    if expectation.outcome not in (None, Outcome.ONE_OF, answer.outcome):
        return False
    return any(
        _holds(expectation, view, pool)
        and (
            expectation.outcome is not Outcome.ONE_OF
            or any(_is_that(alternative, answer, view, pool) for alternative in expectation.alternatives)
        )
        for view in answer.views
    )


def _is_that(alternative: Expectation, answer: Answer, view: View, pool: frozenset[str]) -> bool:
    return alternative.outcome in (None, answer.outcome) and _holds(alternative, view, pool)


def _holds(expectation: Expectation, view: View, pool: frozenset[str]) -> bool:
    return (
        (expectation.candidates is None or expectation.candidates in _candidates(view, pool))
        and (expectation.chosen is Said.NOTHING or _is_chosen(expectation.chosen, view))
        and (expectation.address is Said.NOTHING or expectation.address in view.addresses)
        and (expectation.match_step is Said.NOTHING or _is_step(expectation.match_step, view))
    )


def _candidates(view: View, pool: frozenset[str]) -> tuple[frozenset[str], ...]:
    own = view.candidates.folded
    return (own, pool) if view.match_step == MatchStep.ANY_ID else (own,)


def _is_chosen(name: str | None, view: View) -> bool:
    if name is None or view.chosen is None:
        return name == view.chosen
    return view.candidates.counts_as(name, view.chosen)


def _is_step(step: int | str | None, view: View) -> bool:
    """Null is "no table was read": nothing could leave or arrive, or the reply rule needed none."""
    if step is None:
        return view.match_step in (None, MatchStep.REPLY_FROM_TARGET)
    return step == view.match_step


def pool_of(answers: list[Answer]) -> frozenset[str]:
    """The candidates of all answers together, case folded."""
    sets = {view.candidates.folded for answer in answers for view in answer.views}
    return frozenset[str]().union(*sets)
