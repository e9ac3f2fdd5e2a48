"""A decision about more objects than a row holds, on its way to an engine that works."""

import pytest

from brokerweb.common.outbox.models import OutboxPart
from brokerweb.topology.selectors.places import InstancePlace
from engine import api as engine
from tests.brokerweb.conftest import is_applied
from tests.brokerweb.estates import decide
from tests.brokerweb.test_large_decisions import COUNT, LAST, make_routes
from tests.support.waiting import until


@pytest.mark.slow
def test_the_engine_gets_a_large_revision_and_one_that_it_missed(live_estate):
    make_routes(live_estate.name, 0, COUNT)
    until(lambda: is_applied(live_estate), "PARIS has the routes")
    until(lambda: not OutboxPart.objects.exists(), "what was delivered is gone from the outbox")
    assert engine.read_view(live_estate.name, "PARIS", 0).revision == 2
    engine.close_instance(live_estate.name, "PARIS", forgets=True)
    # An instance that lacks the last route refuses this.
    last = engine.RouteDropped(database="Ventes", name=LAST)
    decide(InstancePlace(live_estate.name, "PARIS"), [last])
    until(lambda: is_applied(live_estate), "PARIS is rebuilt out of the history")
    assert engine.read_view(live_estate.name, "PARIS", 0).revision == 3
