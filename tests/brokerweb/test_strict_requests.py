"""A request says what it means: no number is read from a text, and no yes or no from anything but true and false."""

import pytest
from pydantic import ValidationError

from brokerweb.accounts.api.users import AccountChangesAsked, UsersAsked
from brokerweb.common.api.shape import Request
from brokerweb.config.urls import urlpatterns
from brokerweb.live.api import SystemViewAsked
from brokerweb.pipeline.api.schemas import ResultPageAsked, SamplesAsked, SumsAsked
from brokerweb.topology.api.change_set_schemas import AuditQuery, ChangeSetsAsked, ObjectsQuery, PageAsked
from brokerweb.topology.api.draft_findings import DraftFindingsQuery
from brokerweb.topology.api.findings import FindingsAsked
from brokerweb.topology.api.fixes import FixQuery
from brokerweb.topology.api.flow_schemas import FlowsQuery
from brokerweb.topology.api.object_schemas import CountsAsked, ListAskedQuery, ListFilter, ObjectAsked
from brokerweb.topology.api.scripts import ScriptAsked
from brokerweb.training.api.requests import MomentAsked
from brokerweb.whatif.api.assertion_requests import AssertionsQuery, CoverageQuery, VersionQuery
from brokerweb.whatif.api.schemas import ExamplesAsked

assert urlpatterns, "the addresses bring every request along"

FROM_QUERIES = {
    AccountChangesAsked,
    AssertionsQuery,
    AuditQuery,
    ChangeSetsAsked,
    CountsAsked,
    CoverageQuery,
    DraftFindingsQuery,
    ExamplesAsked,
    FindingsAsked,
    FixQuery,
    FlowsQuery,
    ListAskedQuery,
    ListFilter,
    MomentAsked,
    ObjectAsked,
    ObjectsQuery,
    PageAsked,
    ResultPageAsked,
    SamplesAsked,
    ScriptAsked,
    SumsAsked,
    SystemViewAsked,
    UsersAsked,
    VersionQuery,
}
"""Requests that are read from an address, where everything is a text."""


def requests(base=Request):
    for kind in base.__subclasses__():
        if kind.__module__.startswith("brokerweb.") and kind not in FROM_QUERIES:
            yield kind
        yield from requests(kind)


FIELDS = [
    pytest.param(kind, name, id=f"{kind.__name__}.{name}")
    for kind in requests()
    for name, shape in kind.model_json_schema()["properties"].items()
    if {one.get("type") for one in (shape, *shape.get("anyOf", ()))} & {"integer", "number", "boolean"}
]


def test_there_are_such_fields():
    assert len(FIELDS) > 10


@pytest.mark.parametrize(("kind", "name"), FIELDS)
@pytest.mark.parametrize("value", ["1", "true"])
def test_a_text_is_no_number_and_no_yes_or_no(kind, name, value):
    with pytest.raises(ValidationError) as caught:
        kind.model_validate({name: value})
    assert (name,) in [error["loc"] for error in caught.value.errors()]


@pytest.mark.parametrize(("kind", "name"), FIELDS)
def test_a_yes_or_no_is_no_number_and_a_number_none(kind, name):
    shape = kind.model_json_schema()["properties"][name]
    takes_truth = "boolean" in {one.get("type") for one in (shape, *shape.get("anyOf", ()))}
    value = 1 if takes_truth else True
    with pytest.raises(ValidationError) as caught:
        kind.model_validate({name: value})
    assert (name,) in [error["loc"] for error in caught.value.errors()]
