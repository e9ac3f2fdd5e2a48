"""One question, two states compared, and examples, over HTTP. Nothing is written."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.whatif.api.schemas import (
    ComparisonIn,
    ComparisonOut,
    ExampleOut,
    ExamplesAsked,
    ToldDifference,
    WhatIfIn,
    WhatIfOut,
    answer_picture,
)
from brokerweb.whatif.selectors.answers import answer_to, comparison_of, examples_of
from brokerweb.whatif.selectors.basis import BasisAsked, basis_of

router = Router(tags=["what-if"])

WHAT_IF = ESTATE + "/what-if"


@router.post(WHAT_IF + "/answer", response={200: WhatIfOut}, operation_id="what_if_answer", auth=viewing)
def what_if_answer(request: HttpRequest, estate: str, body: WhatIfIn) -> WhatIfOut:
    """Where a message would go, why, and what comes back: four legs, hop by hop (docs/operations/what-if.md)."""
    return answer_picture(answer_to(basis_of(estate, body.asked()), body.question.asked()))


@router.post(WHAT_IF + "/comparison", response={200: ComparisonOut}, operation_id="what_if_compare", auth=viewing)
def what_if_compare(request: HttpRequest, estate: str, body: ComparisonIn) -> ComparisonOut:
    """One question about two states of the estate, and what they differ in, matched hop by hop."""
    before = basis_of(estate, body.before.asked(), "/before")
    after = basis_of(estate, body.after.asked(), "/after")
    found = comparison_of(before, after, body.question.asked())
    return ComparisonOut(
        before=None if found.before is None else answer_picture(found.before),
        after=None if found.after is None else answer_picture(found.after),
        difference=None if found.difference is None else ToldDifference.from_orm(found.difference),
    )


@router.get(WHAT_IF + "/examples", response={200: list[ExampleOut]}, operation_id="what_if_examples", auth=viewing)
def what_if_examples(
    request: HttpRequest,
    estate: str,
    asked: ExamplesAsked = Query(...),  # noqa: B008
) -> list[ExampleOut]:
    """A handful of questions that are worth asking: of each kind of end one, those that fail first."""
    refuse_unknown(request, asked)
    basis = basis_of(estate, BasisAsked(change_set=asked.change_set, revision=asked.revision))
    return [ExampleOut.from_orm(each) for each in examples_of(basis)]
