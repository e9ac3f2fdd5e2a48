"""The monitor of one mirrored pair under any inputs in any order (mirroring.md 3)."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.instance import InstanceCatalog
from engine.core.mirroring.book import MirrorBook
from engine.core.mirroring.claims import RoleBook
from engine.core.mirroring.monitor import MirrorMonitor
from engine.core.mirroring.states import Partner
from engine.core.vocabulary.limits import ROLE_QUESTIONS_KEPT
from engine.core.vocabulary.mirrors import MirroredPair, MirrorState, PartnerState, RoleAnswer
from engine.core.vocabulary.settings import LinkSettings
from tests.support.mirrored import BERLIN, ID, LYON, SERVICE

PATIENCE = LinkSettings().suppress_after_disconnect_seconds

_happenings = st.sampled_from(["ask", "asked", "claim", "deny", "lose", "idle", "rest"])
_inputs = st.lists(st.tuples(_happenings, st.sampled_from([LYON, BERLIN])))


@pytest.fixture
def monitor():
    return new_monitor()


def new_monitor():
    made = MirrorMonitor(MirroredPair(SERVICE, ID, LYON, BERLIN), "pair", LinkSettings())
    made.engage(0.0)
    return made


def feed(monitor, what, address, now):
    partner = Partner.ADDRESS if address == LYON else Partner.MIRROR_ADDRESS
    match what:
        case "ask":
            monitor.ask(partner)
        case "asked":
            monitor.asked(partner, now)
        case "claim" | "deny":
            monitor.claimed(address, now, is_principal=what == "claim")
        case "lose" | "idle":
            monitor.lost(address, 9755 if what == "lose" else None, "reset")
        case "rest":
            monitor.rest()


@given(_inputs)
def test_messages_only_ever_go_to_a_connected_partner_whose_last_word_was_that_it_is_the_principal(inputs):
    monitor, last_word = new_monitor(), dict.fromkeys((LYON, BERLIN))
    for now, (what, address) in enumerate(inputs):
        feed(monitor, what, address, float(now))
        last_word[address] = what if what != "asked" else last_word[address]
        if what == "rest":
            last_word = dict.fromkeys(last_word)
        if monitor.principal is not None:
            assert last_word[monitor.principal] == "claim"


@given(_inputs)
def test_a_reason_to_wait_is_always_one_of_the_law(inputs):
    monitor = new_monitor()
    for now, (what, address) in enumerate(inputs):
        feed(monitor, what, address, float(now))
        if monitor.principal is None:
            assert monitor.waiting_reason().number in (None, 9755, 9753, 9787, 9794)


def test_an_answer_that_does_not_come_is_asked_for_again_after_the_suppression_of_the_transport(monitor):
    monitor.ask(Partner.ADDRESS)
    monitor.asked(Partner.ADDRESS, 0.0)
    assert not monitor.is_due(Partner.ADDRESS, PATIENCE - 1)
    assert monitor.is_due(Partner.ADDRESS, PATIENCE)


def test_a_connection_that_idled_out_is_no_failure(monitor):
    monitor.ask(Partner.ADDRESS)
    monitor.claimed(LYON, 0.0, is_principal=True)
    monitor.lost(LYON, None, "")
    assert monitor.state is MirrorState.KNOWN_A
    assert monitor.partners[Partner.ADDRESS].state is PartnerState.INACTIVE
    assert monitor.wanted() == [Partner.ADDRESS]


@pytest.mark.parametrize("order", [(LYON, BERLIN), (BERLIN, LYON)])
def test_with_neither_reachable_the_reason_is_that_of_the_last_try(monitor, order):
    for partner in Partner:
        monitor.ask(partner)
    for address, error in zip(order, (9754, 9783), strict=True):
        monitor.lost(address, error, f"no {address.host}")
    reason = monitor.waiting_reason()
    assert (reason.number, reason.address, reason.detail) == (9783, order[1], f"no {order[1].host}")
    known = monitor.snapshot()
    assert (known.error, known.detail) == (9783, f"no {order[1].host}")


def test_answers_given_to_one_neighbour_are_bounded():
    book = RoleBook()
    for number in range(ROLE_QUESTIONS_KEPT + 10):
        book.answered(RoleAnswer(1, UUID(int=number), is_principal=True))
    assert len(book.overtaken(InstanceCatalog(name="LYON"))) == ROLE_QUESTIONS_KEPT
    book.gone(1)
    assert len(book) == 0


def test_whoever_leaves_a_monitor_at_rest_leaves_it_at_rest():
    """Else the next sender would take it for one that asks already, and nobody would ever ask."""
    book = MirrorBook(LinkSettings())
    pair = MirroredPair(SERVICE, ID, LYON, BERLIN)
    monitor = book.open(pair, "pair")
    user = ("Ventes", UUID(int=1))
    monitor.users[user] = None
    monitor.engage(0.0)
    monitor.rest()
    book.leave(pair, user, 1.0)
    assert not monitor.is_active
    assert monitor.users == {}


def test_a_monitor_is_watched_as_long_as_anybody_has_asked_for(monitor):
    monitor.engage(1.0, at_least=100.0)
    monitor.engage(2.0)
    assert monitor.used_until == 101.0
