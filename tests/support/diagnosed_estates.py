"""Estates to diagnose: the sample, and a sound one of two instances that tests break in one place."""

from uuid import UUID

from engine import api as engine
from engine.core.catalog.changes import (
    CatalogChange,
    ContractCreated,
    DatabaseCreated,
    DatabaseStateSet,
    EndpointCreated,
    MessageTypeCreated,
    PartnerSet,
    QueueCreated,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import (
    Contract,
    ContractUse,
    Endpoint,
    EndpointState,
    MessageType,
    Queue,
    SentBy,
    Service,
)
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.vocabulary.messages import TcpAddress
from engine.diagnosis.diagnose import diagnose
from engine.diagnosis.finding import Diagnosis, Finding
from tests.support.numbered_entropy import NumberedEntropy

NOW = 1_790_000_000.0
SHOP, STORE = UUID(int=0xA), UUID(int=0xB)
Estate = dict[str, InstanceCatalog]


def sample_estate() -> Estate:
    """The one that comes with the product."""
    (sample,) = engine.samples()
    files = [engine.imports.ImportFile(name, text) for name, text in sample.scripts]
    plan = engine.imports.plan_files(
        files, {}, default_instance=engine.InstanceName("X"), now=NOW, entropy=NumberedEntropy()
    )
    assert not plan.problems
    return dict(plan.catalogs)


def tcp(host: str, port: int = 4022) -> NetworkAddress:
    """An address."""
    return NetworkAddress(f"TCP://{host}:{port}", TcpAddress(host, port))


def route(name: str, service: str | None, address: object, **clauses: object) -> Route:
    """A route."""
    where = tcp(address) if isinstance(address, str) else address
    return Route(name=name, service_name=service, address=where, **clauses)


def _side(name: str, database: str, broker: UUID, service: Service, further: list[CatalogChange]) -> InstanceCatalog:
    uses = (ContractUse("Order", SentBy.INITIATOR), ContractUse("Receipt", SentBy.TARGET))
    return apply_changes(
        new_instance(name, NumberedEntropy(broker.int * 1000)),
        [
            EndpointCreated(endpoint=Endpoint("Broker", 4022, EndpointState.STARTED)),
            DatabaseCreated(database=database, broker_instance=broker),
            MessageTypeCreated(database=database, message_type=MessageType("Order")),
            MessageTypeCreated(database=database, message_type=MessageType("Receipt")),
            ContractCreated(database=database, contract=Contract("Sale", uses)),
            QueueCreated(database=database, queue=Queue("dbo.Inbox")),
            ServiceCreated(database=database, service=service),
            *further,
        ],
    )


def sound_estate() -> Estate:
    """WEST with Shop, whose service Till orders from service Stock in Store of EAST; NORTH looks on. All is well."""
    west = _side(
        "WEST",
        "Shop",
        SHOP,
        Service("Till", "dbo.Inbox"),
        [RouteCreated(database="Shop", route=route("There", "Stock", "east"))],
    )
    east = _side(
        "EAST",
        "Store",
        STORE,
        Service("Stock", "dbo.Inbox", ("Sale",)),
        [RouteCreated(database="Store", route=route("Back", "Till", "west"))],
    )
    return {"WEST": west, "EAST": east, "NORTH": bystander("NORTH")}


def bystander(name: str) -> InstanceCatalog:
    """An instance with an endpoint and nothing to do."""
    return apply_changes(
        new_instance(name, NumberedEntropy(900_000)),
        [EndpointCreated(endpoint=Endpoint("Broker", 4022, EndpointState.STARTED))],
    )


def changed(estate: Estate, instance: str, *changes: CatalogChange) -> Estate:
    """The estate after changes in one instance."""
    return {**estate, instance: apply_changes(estate[instance], changes)}


def broken(instance: str, *changes: CatalogChange) -> Estate:
    """The sound estate after changes in one instance."""
    return changed(sound_estate(), instance, *changes)


def mirrored_estate() -> Estate:
    """The sound one with a mirrored pair.

    WEST/Shop ── Pair ──▶ EAST/Store (principal)
                     └──▶ NORTH/Store (its copy)
    """
    estate = changed(
        sound_estate(),
        "NORTH",
        DatabaseCreated(database="Store", broker_instance=STORE),
        QueueCreated(database="Store", queue=Queue("dbo.Inbox")),
        MessageTypeCreated(database="Store", message_type=MessageType("Order")),
        MessageTypeCreated(database="Store", message_type=MessageType("Receipt")),
        ContractCreated(database="Store", contract=sound_estate()["EAST"].databases["Store"].contracts["Sale"]),
        ServiceCreated(database="Store", service=Service("Stock", "dbo.Inbox", ("Sale",))),
        RouteCreated(database="Store", route=route("Back", "Till", "west")),
        PartnerSet(database="Store", partner_address="TCP://east:5022"),
        DatabaseStateSet(database="Store", state=DatabaseState.MIRROR),
    )
    estate = changed(estate, "EAST", PartnerSet(database="Store", partner_address="TCP://north:5022"))
    pair = route("Pair", "Stock", "east", broker_instance=STORE, mirror_address=tcp("north"))
    return changed(
        estate,
        "WEST",
        RouteDropped(database="Shop", name="There"),
        RouteCreated(database="Shop", route=pair),
    )


def mended(estate: Estate, finding: Finding) -> Estate:
    """The estate after the fix that a finding proposes."""
    for part in finding.fix:
        estate = changed(estate, part.instance, *part.changes)
    return estate


def diagnosed(estate: Estate) -> Diagnosis:
    """What is wrong with an estate."""
    return diagnose(estate, NOW)


LOCAL = LocalAddress()
