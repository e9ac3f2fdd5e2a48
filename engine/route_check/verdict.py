"""The verdict on one case: every end that the router may draw satisfies what is expected, or what also counts."""

from __future__ import annotations

from engine.core.vocabulary.messages import DialogTarget
from engine.route_check.answers import Answer, View, matching_view, pool_of
from engine.route_check.cases import Case, Expectation
from engine.route_check.report import AlternativeResult, CaseResult
from engine.route_check.world import instance_of
from engine.whatif.proof import Circumstances, proof_of

Told = tuple[Answer, View]
"""An answer, and the way to tell it for which an expectation holds, or the engine's own."""


def verdict_on(case: Case, answers: list[Answer]) -> CaseResult:
    """Judge the answers, which are all that the router may give."""
    pool = pool_of(answers)
    accepted = (case.expected, *case.also_acceptable)
    views = [_first_view(answer, accepted, pool) for answer in answers]
    told = [(answer, view or answer.views[0]) for answer, view in zip(answers, views, strict=True)]
    wrong = [each for each, view in zip(told, views, strict=True) if view is None]
    shown = wrong[0] if wrong else told[0]
    proof = _proof(case, shown[0])
    if wrong:
        wanted = " or ".join(f"[{each.text}]" if len(accepted) > 1 else each.text for each in accepted)
        proof = (f"Expected: {wanted}.", f"Found: {_found(shown, len(wrong), len(answers))}.", *proof)
    answer, view = shown
    return CaseResult(
        id=case.id,
        passed=not wrong,
        outcome=answer.outcome,
        chosen=view.chosen,
        address=view.address,
        match_step=view.match_step,
        candidates=view.candidates,
        proof=proof,
        file=case.file,
        line=case.line,
        alternatives=_alternatives(told),
        notes=(*_never_drawn(case.expected, answers, pool), *_contradictions(case)),
    )


def _first_view(answer: Answer, accepted: tuple[Expectation, ...], pool: frozenset[str]) -> View | None:
    for expectation in accepted:
        view = matching_view(expectation, answer, pool)
        if view is not None:
            return view
    return None


def _proof(case: Case, answer: Answer) -> tuple[str, ...]:
    return proof_of(
        answer.decision,
        Circumstances(
            target=DialogTarget(case.service, case.broker_instance),
            from_target=case.from_target,
            spell=case.spell,
            principal=case.principal,
        ),
    )


def _found(told: Told, wrong: int, answers: int) -> str:
    answer, view = told
    text = (
        f"{answer.outcome}, candidates {', '.join(view.candidates) or 'none'}, chosen {view.chosen or 'none'}, "
        f"address {view.address or 'none'}, match step {view.match_step}"
    )
    return text if answers == 1 else f"{text}; {wrong} of {answers} ends that the router draws are not as expected"


def _alternatives(told: list[Told]) -> tuple[AlternativeResult, ...]:
    if len(told) == 1:
        return ()
    return tuple(
        AlternativeResult(
            weight=answer.weight,
            outcome=answer.outcome,
            chosen=view.chosen,
            address=view.address,
            match_step=view.match_step,
        )
        for answer, view in told
    )


def _never_drawn(expected: Expectation, answers: list[Answer], pool: frozenset[str]) -> list[str]:
    return [
        f"The alternative [{alternative.text}] can never be drawn."
        for alternative in expected.alternatives
        if not any(matching_view(alternative, answer, pool) for answer in answers)
    ]


def _contradictions(case: Case) -> list[str]:
    """What `instance` says and what `setup.databases` says need not agree; the databases count."""
    if not case.databases:
        return []
    hosting = [
        database.name
        for database in instance_of(case).databases.values()
        if database.can_deliver and case.service in database.services
    ]
    if case.hosts_target_service and not hosting:
        return ["instance.hosts_target_service is true, but no database that is available has the service."]
    if hosting and not case.hosts_target_service:
        return [f"instance.hosts_target_service is not true, but database {hosting[0]} has the service; it counts."]
    return []
