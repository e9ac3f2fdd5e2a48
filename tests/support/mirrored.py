"""PARIS sends to a service of a mirrored database: LYON and BERLIN are its partners, one of them the principal."""

from uuid import UUID

from engine.core.catalog.changes import (
    CatalogChange,
    DatabaseCreated,
    PartnerSet,
    QueueCreated,
    RouteCreated,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import Queue, Service
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.exchange.commands import SetMirroringRole
from engine.core.exchange.events import MirroredRouteStateChanged
from engine.core.exchange.replies import Reply
from engine.core.exchange.views import MirroredRouteView
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.mirrors import MirroringRole
from tests.support.world import Node, World, route

ID, OTHER_ID = UUID(int=7001), UUID(int=7002)
LYON, BERLIN = TcpAddress("lyon", 4022), TcpAddress("berlin", 4022)
SERVICE = "Entrepôt"


def mirrored_route(address: str = "lyon", mirror: str = "berlin", broker_instance: UUID = ID) -> Route:
    """The route to the pair; the two addresses carry no order (mirroring.md 1)."""
    second = NetworkAddress(f"TCP://{mirror}:4022", TcpAddress(mirror, 4022))
    return route(SERVICE, address, broker_instance=broker_instance, mirror_address=second)


class MirroredWorld(World):
    """The three instances, each on the host of its own name."""

    def __init__(self, principal: str = "LYON", seed: int = 1, broker_instance: UUID = ID, **network: float) -> None:
        super().__init__(seed, **network)
        self.paris = self.instance("PARIS", self.database("Ventes", ["Client"], mirrored_route()))
        self.lyon = self._partner("LYON", "berlin", is_principal=principal == "LYON", broker_instance=broker_instance)
        self.berlin = self._partner("BERLIN", "lyon", is_principal=principal == "BERLIN")

    def _partner(self, name: str, other: str, *, is_principal: bool, broker_instance: UUID = ID) -> Node:
        state = DatabaseState.ONLINE if is_principal else DatabaseState.MIRROR
        return self.instance(name, stock(other, state, broker_instance, route("Client", "paris")))

    def say(self, body: str = "bonjour") -> UUID:
        """A new dialog from PARIS with one message."""
        dialog = self.paris.begin("Ventes", "Client", SERVICE)
        self.paris.say("Ventes", dialog, body)
        return dialog

    def settle(self, body: str = "first") -> UUID:
        """A message has arrived: the principal is known."""
        dialog = self.say(body)
        self.run(2)
        self.paris.sent.clear()
        self.paris.questions.clear()
        return dialog

    @property
    def route(self) -> MirroredRouteView:
        """What PARIS knows of the pair."""
        (known,) = self.paris.instance.view(10).mirrored_routes
        return known

    @property
    def receivers(self) -> set[str]:
        """Hosts that PARIS has sent messages to."""
        return {outbound.address.host for outbound in self.paris.sent}

    @property
    def asked(self) -> list[str]:
        """Hosts that PARIS has asked for their role, in order."""
        return [question.address.host for question in self.paris.questions]

    def changes(self) -> list[MirroredRouteStateChanged]:
        return self.paris.told(MirroredRouteStateChanged)


def stock(partner: str, state: DatabaseState, broker_instance: UUID, *routes: Route) -> list[CatalogChange]:
    """The mirrored database `Stock` with its service, as one of the partners has it."""
    born = DatabaseCreated(database="Stock", broker_instance=broker_instance, state=state)
    return [
        born,
        PartnerSet(database="Stock", partner_address=f"TCP://{partner}:5022"),
        QueueCreated(database="Stock", queue=Queue(f"dbo.{SERVICE}")),
        ServiceCreated(database="Stock", service=Service(SERVICE, f"dbo.{SERVICE}", ("DEFAULT",))),
        *(RouteCreated(database="Stock", route=route) for route in routes),
    ]


def take_over(node: Node) -> Reply:
    """The copy becomes the principal."""
    return node.do(SetMirroringRole, database="Stock", role=MirroringRole.PRINCIPAL)


def step_down(node: Node) -> Reply:
    """The principal becomes the copy."""
    return node.do(SetMirroringRole, database="Stock", role=MirroringRole.MIRROR)


def bodies(node: Node) -> list[bytes | None]:
    """What a partner has taken in and hands out now."""
    found = []
    while taken := node.receive("Stock", SERVICE):
        found += [row.message_body for row in taken]
    return found
