"""What a change set does to the flows of its estate, and which losses are meant, over HTTP."""

from __future__ import annotations

from collections import Counter

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.etag import expected_revision_if_given, set_revision
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.paging import shown_page
from brokerweb.topology.api.change_set_schemas import DraftMoved
from brokerweb.topology.api.change_sets import CHANGE_SET
from brokerweb.topology.api.flow_schemas import DraftFlowsOut, FlowsIntended, FlowsQuery, flow_picture
from brokerweb.topology.selectors.draft_flows import FlowsAsked, chosen_rows
from brokerweb.topology.services.flows import flows_look, losses_intend

router = Router(tags=["change sets"])


@router.get(CHANGE_SET + "/flows", response={200: DraftFlowsOut}, operation_id="change_set_flows", auth=viewing)
def change_set_flows_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    number: int,
    asked: FlowsQuery = Query(...),  # noqa: B008
) -> DraftFlowsOut:
    """Which flows a change set loses, moves and gains, compared with what is live, or was when it was applied."""
    refuse_unknown(request, asked)
    seen = flows_look(estate, number)
    wanted = FlowsAsked(change=asked.change, instance=asked.instance, text=asked.text, is_unticked=asked.unticked)
    chosen = chosen_rows(seen.rows, wanted)
    page, pages, part = shown_page(asked.page, len(chosen), asked.rows)
    counts = Counter(each.row.change.value for each in seen.rows)
    sequence = seen.change_set.sequence
    set_revision(response, sequence, number)
    return DraftFlowsOut(
        number=number,
        sequence=sequence,
        flows=seen.impact.flows,
        unchanged=seen.impact.unchanged,
        lost=counts["lost"],
        moved=counts["moved"],
        gained=counts["gained"],
        unticked=sum(each.is_unticked for each in seen.rows),
        matching=len(chosen),
        rows=[flow_picture(each) for each in chosen[part]],
        page=page,
        pages=pages,
        unread=list(seen.unread),
    )


@router.post(
    CHANGE_SET + "/flows/intended",
    response={200: DraftMoved},
    operation_id="change_set_flows_intend",
    auth=editing,
)
def change_set_flows_intend_(
    request: HttpRequest, response: HttpResponse, estate: str, number: int, body: FlowsIntended
) -> DraftMoved:
    """Say that losses of flows are meant, or that they are not; it is not applied before all of them are."""
    sequence = losses_intend(
        estate,
        number,
        body.keys,
        intended=body.intended,
        user=request.auth,
        expected_sequence=expected_revision_if_given(request, number),
    )
    set_revision(response, sequence, number)
    return DraftMoved(number=number, sequence=sequence)
