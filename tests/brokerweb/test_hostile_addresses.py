"""Routes with names that may hold anything: what fits, and that no address takes long to look for."""

import pytest
from django.urls import get_resolver
from django.urls.resolvers import RoutePattern
from hypothesis import given
from hypothesis import strategies as st

from brokerweb.common.api.names import DATABASE, INSTANCE, NameConverter, NamedRoute
from tests.support.bounded_process import run_bounded
from tests.support.thoroughness import examples

ROUTES = [
    f"{INSTANCE}/restart",
    f"{DATABASE}/routes/{{name:route}}",
    f"{DATABASE}/services/{{name:service}}/permissions",
    f"{DATABASE}/conversations/{{guid:handle}}/messages",
    f"{DATABASE}/queues/{{name:queue}}/messages/{{int:number}}",
]
PARTS = ["a", "/", "/databases/", "/routes/", "/services/", "/permissions", "/queues/", "/messages", "/restart", "7"]
PARTS += ["/conversations/", "01234567-89ab-cdef-0123-456789abcdef", "\n"]


@given(route=st.sampled_from(ROUTES), parts=st.lists(st.sampled_from(PARTS), max_size=9))
@examples(3000)
def test_a_route_takes_what_it_would_take_by_trying_everything(route, parts):
    written = route.removeprefix("/").replace("{", "<").replace("}", ">")
    path = "estates/e/instances/" + "".join(parts)
    slow, linear = (kind(written, is_endpoint=True).match(path) for kind in (RoutePattern, NamedRoute))
    assert linear == slow


def test_every_route_with_a_name_is_matched_so():
    (api,) = [each for each in get_resolver().url_patterns if str(each.pattern) == "api/v1/"]
    named = [
        each.pattern
        for each in api.url_patterns
        if any(isinstance(converter, NameConverter) for converter in each.pattern.converters.values())
    ]
    assert len(named) > 20
    assert {type(each) for each in named} == {NamedRoute}


@pytest.mark.slow
def test_no_address_takes_long():
    assert run_bounded("tests.support.hostile_addresses", seconds=120)
