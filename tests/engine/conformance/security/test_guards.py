"""Replay guards of secured dialogs (protocol.md 8.5, 9.2)."""

import pytest

from engine.core.catalog.changes import ServiceDropped
from engine.core.exchange.events import MessageUndeliverable
from engine.core.vocabulary.rows import ConversationState
from tests.support.certificates import initiator, target


@pytest.mark.parametrize("is_anonymous", [False, True])
def test_8_5_the_guard_of_what_is_gone_is_as_secured_as_the_dialog_was(world, is_anonymous):
    """An Error ends a dialog whose target is gone; its receipt is lost: its copies are acknowledged, under the key."""
    paris, lyon = world.paris(initiator(is_anonymous=is_anonymous)), world.lyon(target())
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    lyon.end("Stock", row.conversation_handle, with_cleanup=True)
    world.tamper = lambda message: message if message.from_initiator else None
    paris.end("Ventes", dialog, error_code=1, error_description="assez")
    world.run(2)
    world.tamper = lambda message: message
    assert [view.state for view in lyon.view("Stock").conversation_endpoints] == [ConversationState.CLOSED]
    lyon.kill()
    lyon.start()
    world.run(90)
    assert paris.view("Ventes").conversation_endpoints_total == paris.view("Ventes").transmission_queue_total == 0
    lyon.define(ServiceDropped(database="Stock", name="Entrepôt"))
    world.run(1)
    assert {event.number for event in lyon.told(MessageUndeliverable)} <= {11209, 11218}
    assert all(message.security for message in world.wire)
