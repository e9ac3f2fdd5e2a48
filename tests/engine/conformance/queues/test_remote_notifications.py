"""Event notifications for a service of another instance: they leave with the commit that called for them."""

from engine.core.catalog.builtin import EVENT_CONTRACT
from engine.core.catalog.changes import EventNotificationCreated, ServiceAltered
from engine.core.catalog.objects import EventNotification, QueueEvent
from engine.core.exchange.events import QueueActivation
from tests.support.dialogs import make_pair


def test_a_notification_leaves_at_once_also_when_its_conversation_flows_already():
    """protocol.md 17.3. What the broker itself says is sent like anything else."""
    world, paris, lyon = make_pair()
    lyon.define(ServiceAltered(database="Stock", name="Entrepôt", adds=(EVENT_CONTRACT,)))
    told = EventNotification("n", "dbo.Client", (QueueEvent.QUEUE_ACTIVATION,), "Entrepôt")
    paris.define(EventNotificationCreated(database="Ventes", notification=told))
    asking = lyon.begin("Stock", "Entrepôt", "Client")
    left = []
    carry = paris.send
    paris.send = lambda outbound: (left.append((world.now().utc, outbound.message.message)), carry(outbound))
    for number in range(3):
        lyon.say("Stock", asking, str(number))
    for _ in range(2):
        world.run(2)
        # Others are left, so the next notification is due five seconds after the last one: the clock calls for it.
        assert len(paris.receive("Ventes", "Client", top=1)) == 1
        world.run(6)
    notices: dict[int, float] = {}
    for at, message in left:
        if message.contract == EVENT_CONTRACT and message.sequence is not None:
            notices.setdefault(message.sequence, at)
    called_for = [event.at for event in paris.told(QueueActivation)]
    assert list(notices) == [0, 1, 2]
    assert list(notices.values())[1:] == called_for[1:], "the first one had to wait for the connection"
