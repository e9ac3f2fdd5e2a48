"""protocol.md 3.3, 3.7, 9.2: a large message is secured as a whole, then cut; its pieces count with the whole."""

import msgspec
import pytest

from engine.core.exchange.events import MessageCorrupted, MessageUndeliverable
from engine.core.vocabulary.dialog_security import KeySuite, SecurityKind
from engine.core.vocabulary.limits import SECURED_BYTES_MAX
from engine.core.vocabulary.rows import put_together
from tests.support.certificates import initiator, target
from tests.support.dialogs import FRAGMENT, large, states, statuses
from tests.support.secure_world import SecureWorld, bodies, security_of

PIECES = 6
"""Of `large(5)`, which is a little more than five fragments once it is secured."""


def dialog_settings(world, **fields):
    dialog = msgspec.structs.replace(world.settings.dialog, fragment_bytes=FRAGMENT, **fields)
    world.settings = msgspec.structs.replace(world.settings, dialog=dialog)


@pytest.fixture
def world(world):
    dialog_settings(world)
    return world


@pytest.fixture(params=["full", "anonymous"])
def paris(world, request):
    return world.paris(initiator(is_anonymous=request.param == "anonymous"))


def started(paris, body):
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, body)
    return dialog


def pieces_of(world, number=0):
    return [each for each in world.wire if each.fragment is not None and each.sequence == number]


def number_of(message):
    return message.fragment.number if message.fragment is not None else None


def corrupted(node):
    return [event.number for event in node.told(MessageCorrupted)]


def broken_piece(message):
    return msgspec.structs.replace(message, body=bytes([message.body[0] ^ 1]) + message.body[1:])


def test_every_fragment_of_message_0_carries_the_header_and_none_of_it_is_in_clear(world, paris, lyon):
    body = large(5)
    dialog = started(paris, body)
    world.run(2)
    pieces = pieces_of(world)
    assert [number_of(each) for each in pieces] == list(range(PIECES))
    assert all(each.security.header is not None for each in pieces)
    secured = b"".join(each.body for each in pieces)
    assert len(body) < len(secured) <= len(body) + SECURED_BYTES_MAX
    assert not any(body[at : at + 16] in secured for at in range(0, len(body), 16))
    assert bodies(lyon, "Stock", "Entrepôt") == [body]
    paris.say("Ventes", dialog, large(3))
    world.run(2)
    assert pieces_of(world, 1)
    assert all(each.security.header is None for each in pieces_of(world, 1))
    assert bodies(lyon, "Stock", "Entrepôt") == [large(3)]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_large_replies_come_under_the_key_of_their_direction(world, paris, lyon):
    dialog = started(paris, large(4))
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", row.conversation_handle, large(7, b"y"))
    world.run(2)
    assert bodies(paris, "Ventes", "Client") == [large(7, b"y")]
    is_full = security_of(paris, "Ventes", dialog).kind is SecurityKind.FULL
    headers = {each.security.header is not None for each in pieces_of(world) if not each.from_initiator}
    assert headers == {is_full}


def test_what_is_held_of_a_secured_message_is_not_in_clear(world, paris, lyon):
    world.loses = lambda message: number_of(message) == 2
    started(paris, large(5))
    world.run(2)
    assert states(lyon, "Stock") == ["SI"]
    held = put_together(lyon.store.load().databases)
    rows = [row for database in held for queue in database.queues.values() for row in queue]
    assert len(rows) == PIECES - 1
    assert not any(b"....." in (row.message_body or b"") for row in rows)


def test_repeated_fragments_are_the_same_bytes(world, paris, lyon):
    world.loses = lambda message: message.acknowledgement is not None and not message.from_initiator
    started(paris, large(5))
    world.run(30)
    first = [each for each in pieces_of(world) if number_of(each) == 0]
    assert len(first) > 1
    assert len({each.body for each in first}) == 1


@pytest.mark.parametrize("victim", ["PARIS", "LYON"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_crash_in_the_middle_loses_and_doubles_nothing(world, paris, lyon, victim, number):
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    if number:
        paris.say("Ventes", dialog, "first")
        world.run(2)
        assert bodies(lyon, "Stock", "Entrepôt") == [b"first"]
    world.loses = lambda message: number_of(message) == 3
    paris.say("Ventes", dialog, large(5))
    world.run(2)
    partial = statuses(lyon, "Stock", "Entrepôt")
    assert len(partial) == PIECES - 1
    before = {number_of(each): each.body for each in pieces_of(world, number)}
    node = {"PARIS": paris, "LYON": lyon}[victim]
    node.kill()
    world.loses = lambda message: False
    node.start()
    assert statuses(lyon, "Stock", "Entrepôt") == partial
    world.run(60)
    assert bodies(lyon, "Stock", "Entrepôt") == [large(5)]
    assert {number_of(each): each.body for each in pieces_of(world, number)} == before, "cut from the same bytes"
    assert corrupted(lyon) == []
    assert paris.view("Ventes").transmission_queue_total == 0


@pytest.mark.parametrize("which", range(PIECES))
def test_a_forged_fragment_is_dropped_with_the_whole_which_then_comes_again(world, paris, lyon, which):
    altered = []

    def tamper(message):
        if number_of(message) == which and not altered:
            altered.append(message)
            return broken_piece(message)
        return message

    world.tamper = tamper
    dialog = started(paris, large(5))
    paris.say("Ventes", dialog, "behind")
    while not corrupted(lyon) and world.seconds < 1:
        world.run(0.005)
    assert corrupted(lyon) == [28062]
    assert bodies(lyon, "Stock", "Entrepôt") == []
    assert paris.view("Ventes").transmission_queue_total == 2, "the message counts as never arrived"
    world.run(60)
    assert bodies(lyon, "Stock", "Entrepôt") == [large(5), b"behind"]
    assert corrupted(lyon) == [28062]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_a_forged_fragment_among_those_acknowledged_one_by_one(world, paris, lyon):
    """The sender has forgotten them by then, and begins the message again."""
    altered = []

    def tamper(message):
        if number_of(message) == 1 and not altered:
            altered.append(message)
            return broken_piece(message)
        return message

    world.tamper = tamper
    held_back = [True]
    world.loses = lambda message: number_of(message) == PIECES - 1 and held_back[0]
    started(paris, large(5))
    world.run(3)
    assert len(statuses(lyon, "Stock", "Entrepôt")) == PIECES - 1
    held_back[0] = False
    world.run(120)
    assert corrupted(lyon) == [28062]
    assert bodies(lyon, "Stock", "Entrepôt") == [large(5)]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_a_forged_fragment_of_a_message_that_came_before_its_turn(world, paris, lyon):
    dialog = started(paris, "0")
    world.run(2)
    altered = []

    def tamper(message):
        if message.sequence == 1 and world.seconds < 3:
            return None
        if message.sequence == 2 and number_of(message) == 1 and not altered:
            altered.append(message)
            return broken_piece(message)
        return message

    world.tamper = tamper
    for body in (b"1", large(5), b"3"):
        paris.say("Ventes", dialog, body)
    world.run(120)
    assert corrupted(lyon) == [28062]
    assert bodies(lyon, "Stock", "Entrepôt") == [b"0", b"1", large(5), b"3"]
    assert paris.view("Ventes").transmission_queue_total == 0


ALTERATIONS = {
    "fragment": lambda m: msgspec.structs.replace(m, fragment=msgspec.structs.replace(m.fragment, number=1)),
    "message type": lambda m: msgspec.structs.replace(m, message_type="Autre"),
    "contract": lambda m: msgspec.structs.replace(m, contract="Autre"),
    "lifetime": lambda m: msgspec.structs.replace(m, expires_at=m.expires_at + 1),
    "flag": lambda m: msgspec.structs.replace(m, first_acknowledged=not m.first_acknowledged),
    "mic": lambda m: msgspec.structs.replace(m, security=msgspec.structs.replace(m.security, mic=b"")),
    "salt": lambda m: msgspec.structs.replace(m, security=msgspec.structs.replace(m.security, salt=b"x")),
}


@pytest.mark.parametrize("part", ALTERATIONS)
def test_what_surrounds_a_fragment_is_under_a_check_of_its_own(world, paris, lyon, part):
    altered = []

    def tamper(message):
        if number_of(message) == 0 and not altered:
            altered.append(message)
            return ALTERATIONS[part](message)
        return message

    world.tamper = tamper
    started(paris, large(5))
    world.run(1)
    assert corrupted(lyon) == [28062]
    world.run(60)
    assert bodies(lyon, "Stock", "Entrepôt") == [large(5)]
    assert corrupted(lyon) == [28062], "only the altered piece was dropped"


def test_a_fragment_in_clear_does_not_mix_with_a_secured_message(world, paris, lyon):
    altered = []

    def tamper(message):
        if number_of(message) == 3 and not altered:
            altered.append(message)
            return msgspec.structs.replace(message, security=msgspec.UNSET)
        return message

    world.tamper = tamper
    started(paris, large(5))
    world.run(60)
    assert altered
    assert 11232 in [event.number for event in lyon.told(MessageUndeliverable)]
    assert bodies(lyon, "Stock", "Entrepôt") == [large(5)]


@pytest.mark.parametrize("suite", KeySuite)
@pytest.mark.parametrize("seed", range(5))
def test_loss_duplicates_and_disorder_lose_and_double_nothing(suite, seed):
    world = SecureWorld(seed, 0.2, suite=suite, duplication=0.1, reorders=True)
    dialog_settings(world)
    paris, lyon = world.paris(initiator()), world.lyon(target())
    sent = [large(5), b"small", large(9, b"y"), large(2, b"z"), b"last"]
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for body in sent:
        paris.say("Ventes", dialog, body)
    world.run(900)
    assert bodies(lyon, "Stock", "Entrepôt") == sent
    assert corrupted(lyon) == []
    assert paris.view("Ventes").transmission_queue_total == 0


def test_the_largest_body_that_is_sent_is_also_put_together(world, paris, lyon):
    dialog_settings(world, message_bytes_max=5 * FRAGMENT)
    for node in (paris, lyon):
        node.kill()
        node.start()
    started(paris, large(5))
    world.run(5)
    assert bodies(lyon, "Stock", "Entrepôt") == [large(5)]
