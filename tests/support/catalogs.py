"""Catalogs for tests: plain builders, and a Hypothesis strategy of legal catalogs made by legal changes."""

from uuid import UUID

import pytest
from hypothesis import strategies as st

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerSwitched,
    CatalogChange,
    ContractCreated,
    DatabaseCreated,
    DatabaseStateSet,
    EndpointCreated,
    HostNamesSet,
    MessageTypeCreated,
    PartnerSet,
    QueueCreated,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import (
    DEFAULT_CONTRACT,
    DEFAULT_TYPE,
    Activation,
    Contract,
    ContractUse,
    Endpoint,
    EndpointState,
    MessageType,
    Queue,
    SentBy,
    Service,
    Validation,
)
from engine.core.catalog.revision import apply_change, apply_changes, copy, new_instance
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, TransportAddress
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    DatabaseName,
    EndpointName,
    InstanceName,
    MessageTypeName,
    QueueName,
    RouteName,
    ServiceName,
)
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime
from tests.support.numbered_entropy import NumberedEntropy

PARIS = InstanceName("PARIS")
VENTES = DatabaseName("Ventes")
ID = BrokerInstanceId(UUID("0f8fad5b-d9cb-469f-a165-70867728950e"))
OTHER_ID = BrokerInstanceId(UUID("7c9e6679-7425-40de-944b-e07fc1f90ae7"))
ORDRE, RECU = MessageTypeName("Ordre"), MessageTypeName("Reçu")
LIVRAISON = ContractName("Livraison")
COMMANDES = ServiceName("Commandes")
FILE = QueueName("dbo.File")
ENDPOINT = Endpoint(EndpointName("Broker"), 4022)


def paris() -> InstanceCatalog:
    return new_instance(PARIS, NumberedEntropy())


def uses(**directions: SentBy) -> tuple[ContractUse, ...]:
    return tuple(ContractUse(MessageTypeName(name), sent_by) for name, sent_by in directions.items())


def ventes() -> InstanceCatalog:
    """PARIS with a database Ventes: two message types, a contract, a queue, a service, an endpoint."""
    contract = Contract(LIVRAISON, uses(Ordre=SentBy.INITIATOR, Reçu=SentBy.TARGET))
    return apply_changes(
        paris(),
        [
            DatabaseCreated(database=VENTES, broker_instance=ID),
            MessageTypeCreated(database=VENTES, message_type=MessageType(ORDRE)),
            MessageTypeCreated(database=VENTES, message_type=MessageType(RECU, Validation.EMPTY)),
            ContractCreated(database=VENTES, contract=contract),
            QueueCreated(database=VENTES, queue=Queue(QueueName("File"))),
            ServiceCreated(database=VENTES, service=Service(COMMANDES, QueueName("DBO.FILE"), (LIVRAISON,))),
            EndpointCreated(endpoint=ENDPOINT),
        ],
    )


def refusal_of(change: CatalogChange, catalog: InstanceCatalog | None = None) -> int:
    """The number with which `change` is refused; the catalog must be as before."""
    catalog = catalog or ventes()
    before = copy(catalog)
    with pytest.raises(CatalogError) as caught:
        apply_change(catalog, change)
    assert catalog == before
    assert "{" not in caught.value.text + caught.value.why + caught.value.cure
    return caught.value.number


def database(catalog: InstanceCatalog) -> DatabaseCatalog:
    return catalog.databases[VENTES]


def after(*changes: CatalogChange) -> DatabaseCatalog:
    return database(apply_changes(ventes(), changes))


_few = st.integers(0, 2)
_databases = st.sampled_from([DatabaseName(name) for name in ("Ventes", "ventes", "Lager", "msdb", "master")])
_ids = st.integers(1, 4).map(lambda number: BrokerInstanceId(UUID(int=number)))
_types = st.sampled_from([MessageTypeName(name) for name in ("Commande", "commande", "Prüfung")])
_contracts = st.sampled_from([ContractName(name) for name in ("Livraison", "Lieferung")])
_queues = st.sampled_from([QueueName(name) for name in ("dbo.Reçus", "dbo.RECÇUS", "Eingang", "lager.Eingang")])
_services = st.sampled_from([ServiceName(name) for name in ("Entrepôt", "entrepôt", "Lager")])
_routes = st.sampled_from([RouteName(name) for name in ("VersLyon", "verslyon", "Zurück", "AutoCreatedLocal")])
_tcp = st.sampled_from(["TCP://lyon:4022", "TCP://Berlin:4022", "TCP://hub:4023"]).map(
    lambda text: NetworkAddress(text, TcpAddress(text[6:].split(":")[0].lower(), int(text[-4:])))
)
_addresses = st.one_of(st.just(LocalAddress()), st.just(TransportAddress()), _tcp)

_changes = st.one_of(
    st.builds(HostNamesSet, host_names=st.lists(st.sampled_from(["paris", "10.0.0.1"]), unique=True).map(tuple)),
    st.builds(DatabaseCreated, database=_databases, broker_instance=_ids),
    st.builds(BrokerSwitched, database=_databases, is_enabled=st.booleans()),
    st.builds(BrokerConversationsErrored, database=_databases),
    st.builds(DatabaseStateSet, database=_databases, state=st.sampled_from(DatabaseState)),
    st.builds(PartnerSet, database=_databases, partner_address=st.sampled_from([None, "TCP://lyon:5022"])),
    st.builds(
        MessageTypeCreated, database=_databases, message_type=st.builds(
            MessageType, _types, st.sampled_from([Validation.NONE, Validation.EMPTY])
        )
    ),
    st.builds(
        ContractCreated, database=_databases, contract=st.builds(
            Contract,
            _contracts,
            st.lists(
                st.builds(ContractUse, _types | st.just(DEFAULT_TYPE), st.sampled_from(SentBy)),
                unique_by=lambda use: use.message_type,
            ).map(tuple),
        ),
    ),
    st.builds(
        QueueCreated, database=_databases, queue=st.builds(
            Queue,
            _queues,
            is_enabled=st.booleans(),
            is_retention_enabled=st.booleans(),
            activation=st.none() | st.builds(Activation, st.just("dbo.Lire"), _few, st.just("OWNER"), st.booleans()),
        )
    ),
    st.builds(
        ServiceCreated, database=_databases, service=st.builds(
            Service, _services, _queues, st.lists(_contracts | st.just(DEFAULT_CONTRACT), unique=True).map(tuple)
        )
    ),
    st.builds(
        RouteCreated, database=_databases, route=st.builds(
            Route,
            name=_routes,
            address=_addresses,
            service_name=st.none() | _services,
            broker_instance=st.none() | _ids,
            expires_at=st.none() | _few.map(lambda hours: UtcTime(hours * 3600.0)),
            mirror_address=st.none() | _tcp,
        )
    ),
    st.builds(RouteDropped, database=_databases, name=_routes),
    st.builds(
        EndpointCreated, endpoint=st.builds(
            Endpoint,
            st.sampled_from([EndpointName("Broker"), EndpointName("BROKER"), EndpointName("Autre")]),
            st.integers(4022, 4024),
            st.sampled_from(EndpointState),
            listener_ip=st.sampled_from([None, "10.0.0.1"]),
            is_message_forwarding_enabled=st.booleans(),
        )
    ),
)  # fmt: skip


_BEGINNING: tuple[CatalogChange, ...] = (
    DatabaseCreated(database=VENTES, broker_instance=BrokerInstanceId(UUID(int=1))),
    MessageTypeCreated(database=VENTES, message_type=MessageType(MessageTypeName("Commande"))),
    ContractCreated(database=VENTES, contract=Contract(LIVRAISON, uses(Commande=SentBy.ANY))),
    QueueCreated(database=VENTES, queue=Queue(QueueName("dbo.Reçus"))),
    QueueCreated(database=VENTES, queue=Queue(QueueName("dbo.Eingang"))),
    ServiceCreated(database=VENTES, service=Service(ServiceName("Lager"), QueueName("Reçus"), (LIVRAISON,))),
)
"""What most catalogs begin with, so that services are not a rare accident."""


def _made_by(beginning: set[int], changes: list[CatalogChange]) -> InstanceCatalog:
    catalog = paris()
    for change in (*(_BEGINNING[number] for number in sorted(beginning)), *changes):
        try:
            apply_change(catalog, change)
        except CatalogError:
            continue
    return catalog


catalog_changes = _changes
"""Changes of every kind, legal or not, over a handful of names that collide often."""

catalogs = st.builds(_made_by, st.sets(st.integers(0, len(_BEGINNING) - 1)), st.lists(_changes, max_size=30))
"""Legal catalogs: what is left of many changes when the illegal ones are refused."""
