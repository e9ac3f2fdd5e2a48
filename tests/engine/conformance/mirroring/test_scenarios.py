"""The ten scenarios of mirroring.md 7, by their numbers. A is LYON, M is BERLIN; PARIS sends."""

import pytest

from engine.core.exchange.events import MessageUndeliverable
from engine.core.vocabulary.mirrors import MirrorState, PartnerState
from engine.core.vocabulary.rows import put_together
from engine.core.vocabulary.settings import DialogSettings, EngineSettings
from tests.support.dialogs import FRAGMENT, large
from tests.support.mirrored import BERLIN, LYON, OTHER_ID, MirroredWorld, bodies, step_down, take_over

WAIT = 200
"""Seconds in which every suppression has ended several times."""


def pair_of_states(world):
    return world.route.address_state, world.route.mirror_address_state


def test_scenario_1_both_are_probed_and_data_goes_to_a_alone():
    world = MirroredWorld(principal="LYON")
    world.say()
    world.run(2)
    assert sorted(world.asked) == ["berlin", "lyon"]
    assert world.route.state is MirrorState.KNOWN_A
    assert world.route.principal == str(LYON)
    assert world.receivers == {"lyon"}
    assert bodies(world.lyon) == [b"bonjour"]


def test_scenario_2_the_mirror_address_may_be_the_principal():
    world = MirroredWorld(principal="BERLIN")
    world.say()
    world.run(2)
    assert sorted(world.asked) == ["berlin", "lyon"]
    assert world.route.state is MirrorState.KNOWN_M
    assert world.route.principal == str(BERLIN)
    assert world.receivers == {"berlin"}
    assert bodies(world.berlin) == [b"bonjour"]


def test_scenario_3_with_a_unreachable_and_m_no_principal_nothing_is_sent():
    world = MirroredWorld()
    world.lyon.kill()
    world.say()
    world.run(WAIT)
    assert world.route.state is MirrorState.SEARCHING
    assert PartnerState.CONNECTED_PRINCIPAL not in pair_of_states(world)
    assert world.receivers == set()
    assert world.paris.statuses("Ventes") == {9787}


def test_scenario_4_the_other_partner_claims_the_role_and_what_is_unacknowledged_goes_there_again():
    world = MirroredWorld()
    world.settle()
    world.say("on its way")
    assert world.receivers == {"lyon"}
    take_over(world.berlin)
    world.lyon.kill()
    world.run(5)
    assert world.route.state is MirrorState.KNOWN_M
    assert [(each.address.host, each.message.message.body) for each in world.paris.sent[:2]] == [
        ("lyon", b"on its way"),
        ("berlin", b"on its way"),
    ]
    assert bodies(world.berlin) == [b"on its way"]
    assert world.paris.view("Ventes").transmission_queue_total == 0


def test_a_large_message_that_is_cut_short_by_a_failover_goes_to_the_new_principal_from_its_first_fragment_on():
    """protocol.md 3.3, mirroring.md 3: what is not acknowledged whole goes again, whatever the old one had of it."""
    world = MirroredWorld()
    world.settings = EngineSettings(dialog=DialogSettings(fragment_bytes=FRAGMENT))
    world.paris.kill()
    world.paris.start()
    world.loses = lambda message: message.fragment is not None and message.fragment.number == 2
    world.say(large(5))
    world.run(2)
    assert {
        row.fragment_number for row in put_together(world.lyon.store.load().databases)[-1].queues["dbo.Entrepôt"]
    } == {0, 1, 3, 4}
    world.paris.sent.clear()
    world.loses = lambda message: False
    take_over(world.berlin)
    world.lyon.kill()
    world.run(WAIT)
    assert world.receivers == {"berlin"}
    assert [each.message.message.fragment.number for each in world.paris.sent[:5]] == [0, 1, 2, 3, 4]
    assert bodies(world.berlin) == [large(5)]
    assert world.paris.view("Ventes").transmission_queue_total == 0


def test_scenario_5_a_principal_that_denies_is_searched_for_and_both_are_asked_again():
    world = MirroredWorld()
    world.settle()
    step_down(world.lyon)
    world.run(1)
    assert world.route.state is MirrorState.SEARCHING
    world.say("failover under way")
    world.paris.questions.clear()
    world.run(40)
    assert world.receivers == set()
    assert world.paris.statuses("Ventes") == {9787}
    assert world.asked.count("lyon") >= 2
    assert world.asked.count("berlin") >= 2
    take_over(world.berlin)
    world.run(2)
    assert world.route.state is MirrorState.KNOWN_M
    assert bodies(world.berlin) == [b"failover under way"]


def test_scenario_6_a_principal_cut_off_from_the_sender_alone_gets_its_messages_later_and_the_mirror_none():
    world = MirroredWorld()
    world.settle()
    world.cut(world.paris, "lyon")
    world.say("patience")
    world.run(WAIT)
    assert world.lyon.is_alive
    assert world.route.state is MirrorState.SEARCHING
    assert world.receivers == set()
    assert world.paris.statuses("Ventes") == {9753}
    assert world.berlin.told(MessageUndeliverable) == []


def test_scenario_7_the_principal_comes_back_and_is_the_principal_again():
    world = MirroredWorld()
    world.settle()
    world.cut(world.paris, "lyon")
    world.say("patience")
    world.run(WAIT)
    world.mend(world.paris, "lyon")
    world.run(61)
    assert world.route.state is MirrorState.KNOWN_A
    assert world.receivers == {"lyon"}
    assert bodies(world.lyon) == [b"first", b"patience"]


@pytest.mark.parametrize("known", [None, "LYON", "BERLIN"])
def test_scenario_8_with_both_unreachable_the_status_is_the_connection_error_of_the_last_try(known):
    world = MirroredWorld(principal=known or "LYON")
    if known is not None:
        world.settle()
    world.lyon.kill()
    world.berlin.kill()
    world.say()
    world.run(WAIT)
    assert world.route.state is MirrorState.SEARCHING
    assert set(pair_of_states(world)) <= {PartnerState.DISCONNECTED, PartnerState.PROBING}
    assert world.receivers == set()
    (waiting,) = world.paris.view("Ventes").transmission_queue
    assert waiting.transmission_status_number == 9754
    assert "refused" in waiting.transmission_status


def test_scenario_9_a_principal_for_another_broker_id_is_none_for_this_one():
    world = MirroredWorld(principal="LYON", broker_instance=OTHER_ID)
    world.say()
    world.run(WAIT)
    assert world.route.state is MirrorState.SEARCHING
    assert pair_of_states(world) == (PartnerState.CONNECTED_MIRROR, PartnerState.CONNECTED_MIRROR)
    assert world.receivers == set()
    assert bodies(world.lyon) == []


def test_scenario_10_without_conversations_the_route_rests_and_the_principal_stays_in_memory():
    world = MirroredWorld()
    world.settle()
    world.run(20)
    assert pair_of_states(world) == (PartnerState.INACTIVE, PartnerState.INACTIVE)
    assert world.route.conversations == 0
    assert world.route.state is MirrorState.KNOWN_A
    world.say("again")
    world.run(2)
    assert world.asked == ["lyon"]
    assert bodies(world.lyon) == [b"first", b"again"]
