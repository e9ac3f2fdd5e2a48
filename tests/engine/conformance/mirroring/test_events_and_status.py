"""What is told and shown of a mirrored route (mirroring.md 3, 4)."""

from itertools import pairwise

import pytest

from engine.api import check_routes
from engine.core.exchange.events import MirroredRouteStateChanged
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.mirrors import NOBODY_CLAIMS_DETAIL, MirrorState, PartnerState
from tests.support.mirrored import BERLIN, ID, LYON, SERVICE, MirroredWorld, mirrored_route, step_down, take_over

_INACTIVE, _PROBING, _LOST = PartnerState.INACTIVE, PartnerState.PROBING, PartnerState.DISCONNECTED
_PRINCIPAL, _MIRROR = PartnerState.CONNECTED_PRINCIPAL, PartnerState.CONNECTED_MIRROR


def pairs(world):
    return [(event.address_state, event.mirror_address_state) for event in world.changes()]


def test_the_event_has_every_column_of_the_law():
    world = MirroredWorld()
    world.settle()
    found = next(event for event in world.changes() if event.principal is not None)
    assert (found.route, found.service, found.broker_instance) == (mirrored_route().name, SERVICE, ID)
    assert (found.address, found.mirror_address) == (LYON, BERLIN)
    assert (found.state, found.address_state, found.principal) == (MirrorState.KNOWN_A, _PRINCIPAL, LYON)
    assert (found.error, found.detail, found.are_both_principal) == (None, "", False)


def test_every_change_of_the_pair_is_told_once_from_the_first_question_to_rest():
    world = MirroredWorld()
    world.settle()
    world.run(30)
    told = pairs(world)
    assert told[0] == (_PROBING, _PROBING)
    assert told[-1] == (_INACTIVE, _INACTIVE)
    assert (_PRINCIPAL, _MIRROR) in told
    assert all(one != other for one, other in pairwise(told))


def test_an_idle_route_tells_nothing():
    world = MirroredWorld()
    world.settle()
    world.run(30)
    told = len(world.changes())
    step_down(world.lyon)
    world.berlin.kill()
    world.run(300)
    assert len(world.changes()) == told


def test_a_lost_partner_is_told_with_its_error():
    world = MirroredWorld()
    world.settle()
    world.say()
    world.cut(world.paris, "lyon")
    world.run(1)
    lost = next(event for event in world.changes() if event.address_state is _LOST)
    assert (lost.error, lost.detail) == (9755, "reset")


def test_the_view_shows_what_the_event_told():
    world = MirroredWorld()
    world.settle()
    known, told = world.route, world.changes()[-1]
    for field in ("route", "broker_instance", "state", "address_state", "mirror_address_state", "error", "detail"):
        assert getattr(known, field) == getattr(told, field), field
    assert (known.address, known.mirror_address, known.principal) == (str(LYON), str(BERLIN), str(LYON))


STATUSES = {
    "before anybody answers": (9794, lambda world: None, 0),
    "nobody claims": (9787, lambda world: step_down(world.lyon), 5),
    "one unreachable and the other no principal": (9787, lambda world: world.lyon.kill(), 100),
    "both unreachable": (9754, lambda world: (world.lyon.kill(), world.berlin.kill()), 100),
}


@pytest.mark.parametrize(("number", "happening", "seconds"), STATUSES.values(), ids=STATUSES.keys())
def test_status_of_what_waits_before_any_principal_was_known(number, happening, seconds):
    world = MirroredWorld()
    happening(world)
    world.say()
    world.run(seconds)
    assert world.paris.statuses("Ventes") == {number}
    (row,) = world.paris.view("Ventes").transmission_queue
    assert row.transmission_status


@pytest.mark.parametrize("number", [9787, 9794, 9753])
def test_texts_of_the_statuses_fill_in_what_is_known(number):
    text = status_text(number, service=SERVICE, address=str(LYON), detail=NOBODY_CLAIMS_DETAIL)
    assert "{" not in text


def test_the_status_is_gone_with_the_principal_found():
    world = MirroredWorld()
    step_down(world.lyon)
    world.say()
    world.run(5)
    take_over(world.berlin)
    world.berlin.kill()
    world.run(100)
    world.berlin.start()
    world.run(61)
    assert world.paris.view("Ventes").transmission_queue_total == 0


# ── the same answer from what-if, route_check and the live engine ──
CASE = """
- id: pair
  routes:
    database:
      - {{name: pair, service: {service}, broker: {broker}, address: "TCP://lyon:4022", mirror: "TCP://berlin:4022"}}
  conversation: {{service: {service}}}
  setup: {{owned_broker_ids: [{broker}], principal: "TCP://{principal}:4022"}}
  expected: {expected}
"""


@pytest.mark.parametrize("principal", ["lyon", "berlin", "rome"])
def test_route_check_and_the_live_engine_agree_on_where_a_message_goes(principal):
    """`rome` is none of the two: nobody claims the role."""
    world = MirroredWorld(principal=principal.upper())
    world.say()
    world.run(5)
    if world.receivers:
        (host,) = world.receivers
        expected = f'{{outcome: send, chosen: pair, address: "TCP://{host}:4022"}}'
    else:
        (row,) = world.paris.view("Ventes").transmission_queue
        expected = "{outcome: delayed}"
    text = CASE.format(service=SERVICE, broker=ID, principal=principal, expected=expected)
    (case,) = check_routes({"case.yaml": text}).cases
    assert case.passed, case
    if not world.receivers:
        assert row.transmission_status in "\n".join(case.proof)


def test_events_are_told_of_no_route_without_mirror():
    world = MirroredWorld()
    assert world.paris.told(MirroredRouteStateChanged) == []
