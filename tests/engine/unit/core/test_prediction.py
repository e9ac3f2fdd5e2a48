"""Prediction recognises what it is made for: messages that follow each other, in both directions of a dialog."""

import pytest

from engine.core.handlers import inbound
from tests.support.dialogs import make_pair


@pytest.fixture
def judged(monkeypatch):
    """Kind and number of each message that went the long way, in full."""
    found = []
    accept = inbound.accept

    def judge(broker, database, message, *, is_local):
        found.append((message.from_initiator, message.kind.value, message.sequence))
        return accept(broker, database, message, is_local=is_local)

    monkeypatch.setattr(inbound, "accept", judge)
    return found


def test_after_the_first_of_each_direction_messages_are_expected(judged):
    world, paris, lyon = make_pair()
    asked = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(5):
        paris.say("Ventes", asked, str(number))
        world.run(1)
    [answered] = {row.conversation_handle for row in lyon.receive("Stock", "Entrepôt")}
    for number in range(5):
        lyon.say("Stock", answered, str(number))
        world.run(1)
    assert [row.message_body for row in paris.receive("Ventes", "Client")] == [b"0", b"1", b"2", b"3", b"4"]
    assert [each for each in judged if each[1] == "user"] == [(True, "user", 0), (False, "user", 0)]
