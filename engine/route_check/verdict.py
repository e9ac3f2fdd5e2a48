"""The verdict on one case: every end that the router may draw satisfies what is expected, or what also counts."""

from __future__ import annotations

from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.messages import DialogTarget
from engine.route_check.answers import Answer, matches, pool_of
from engine.route_check.cases import Case, Expectation
from engine.route_check.ends import ENDS_MAX, Ends
from engine.route_check.notes import notes_on
from engine.route_check.report import AlternativeResult, CaseResult
from engine.whatif.proof import Circumstances, proof_of


def verdict_on(case: Case, ends: Ends, answers: list[Answer]) -> CaseResult:
    """Judge the answers, which are those to the ends of the case."""
    pool = pool_of(answers)
    accepted = (case.expected, *case.also_acceptable)
    right = [any(matches(expectation, answer, pool) for expectation in accepted) for answer in answers]
    passed = all(right)
    explained = answers[0] if passed else answers[right.index(False)]
    proof = _proof(case, ends.explained(explained.end))
    if not passed:
        wanted = " or ".join(f"[{each.text}]" if len(accepted) > 1 else each.text for each in accepted)
        found = _found(explained, right.count(False), len(answers))
        proof = (f"Expected: {wanted}.", f"Found: {found}.", *proof)
    first, view = answers[0], answers[0].views[0]
    return CaseResult(
        id=case.id,
        passed=passed,
        outcome=first.outcome,
        chosen=view.chosen,
        address=view.address,
        match_step=view.match_step,
        candidates=view.candidates.names,
        proof=proof,
        file=case.file,
        line=case.line,
        alternatives=_alternatives(answers, right),
        notes=(*_not_followed(ends), *_never_drawn(case.expected, ends, answers, pool), *notes_on(case)),
    )


def _proof(case: Case, decision: ClassifierDecision) -> tuple[str, ...]:
    return proof_of(
        decision,
        Circumstances(
            target=DialogTarget(case.service, case.broker_instance),
            from_target=case.from_target,
            spell=case.spell,
            principal=case.principal,
        ),
    )


def _found(answer: Answer, wrong: int, answers: int) -> str:
    view = answer.views[0]
    step = "no routing table read" if view.match_step is None else f"match step {view.match_step}"
    text = (
        f"{answer.outcome}, candidates {', '.join(view.candidates.names) or 'none'}, chosen {view.chosen or 'none'}, "
        f"address {view.address or 'none'}, {step}"
    )
    return text if answers == 1 else f"{text}; {wrong} of {answers} ends that the router draws are not as expected"


def _alternatives(answers: list[Answer], right: list[bool]) -> tuple[AlternativeResult, ...]:
    if len(answers) == 1:
        return ()
    return tuple(
        AlternativeResult(
            weight=answer.end.weight,
            outcome=answer.outcome,
            chosen=answer.views[0].chosen,
            address=answer.views[0].address,
            match_step=answer.views[0].match_step,
            passed=passed,
        )
        for answer, passed in zip(answers, right, strict=True)
    )


def _not_followed(ends: Ends) -> list[str]:
    if ends.is_complete:
        return []
    return [
        f"The router draws among more than {ENDS_MAX} ends; {len(ends.all)} were followed and judged, "
        f"{ends.share * 100:.4g} % of all draws."
    ]


def _never_drawn(expected: Expectation, ends: Ends, answers: list[Answer], pool: frozenset[str]) -> list[str]:
    never = "can never be drawn" if ends.is_complete else "was not drawn in any end that was followed"
    return [
        f"The alternative [{alternative.text}] {never}."
        for alternative in expected.alternatives
        if not any(matches(alternative, answer, pool) for answer in answers)
    ]
