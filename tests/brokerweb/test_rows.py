"""Rows are a faithful picture of catalogs: what is read is what was written, through every kind of change."""

from uuid import UUID

import pytest

from brokerweb.topology.changes import changes_from_json
from brokerweb.topology.models import Database, Mirror, Queue, Route, TopologyRevision
from brokerweb.topology.selectors.catalogs import estate_catalogs
from engine import api as engine
from engine.api import security_changes as security
from engine.core.catalog.changes import TrustworthySet
from tests.brokerweb import estates
from tests.brokerweb.estates import PARIS, STOCK, make_estate, pair_catalogs, tcp

pytestmark = pytest.mark.django_db

ARCHIVE = UUID(int=77)


@pytest.fixture
def estate():
    return make_estate(pair_catalogs())


def decide(*changes):
    return estates.decide(PARIS, changes, summary="A change")


def paris(estate):
    return estate_catalogs(estate)["PARIS"]


def test_a_catalog_comes_back_as_it_was_written(estate):
    read = estate_catalogs(estate)
    for written in pair_catalogs():
        written.revision = 1
        assert read.pop(written.name) == written
    assert read == {}


def test_objects_come_back_in_the_order_in_which_they_were_made(estate):
    decide(
        *(
            engine.RouteCreated(database="Ventes", route=engine.Route(name=name, address=tcp("lyon")))
            for name in ("zoé", "anne", "maude")
        )
    )
    assert list(paris(estate).databases["Ventes"].routes)[-3:] == ["zoé", "anne", "maude"]


@pytest.mark.parametrize(
    "changes",
    [
        [
            engine.DatabaseCreated(
                database="Archive",
                broker_instance=ARCHIVE,
            )
        ],
        [engine.DatabaseDropped(database="Ventes")],
        [engine.BrokerSwitched(database="Ventes", is_enabled=False)],
        [engine.DatabaseStateSet(database="Ventes", state=engine.DatabaseState.READ_ONLY)],
        [engine.PartnerSet(database="Ventes", partner_address="TCP://berlin:5022")],
        [engine.HostNamesSet(host_names=("paris.exemple.fr", "10.1.0.1"))],
        [engine.EndpointDropped(name="Broker")],
        [
            engine.server_changes.LoginCreated(login=engine.Login("Lyon login")),
            engine.server_changes.ConnectPermissionSet(
                name="Broker", verb=engine.server_changes.PermissionVerb.GRANT, grantee="Lyon login"
            ),
            engine.server_changes.ConnectPermissionSet(
                name="Broker", verb=engine.server_changes.PermissionVerb.DENY, grantee="public"
            ),
        ],
        [engine.EndpointAltered(name="Broker", is_message_forwarding_enabled=True, listener_ip="10.1.0.1")],
        [engine.RouteDropped(database="Ventes", name="vers_lyon")],
        [
            engine.RouteAltered(
                database="Ventes",
                name="vers_lyon",
                broker_instance=STOCK,
                mirror_address=tcp("berlin"),
                expires_at=engine.UtcTime(1_900_000_000.125),
            )
        ],
        [engine.RouteAltered(database="msdb", name="AutoCreatedLocal", address=engine.TransportAddress())],
        [
            engine.RouteDropped(database="Ventes", name="vers_lyon"),
            engine.RouteCreated(database="Ventes", route=engine.Route(name="Vers_Lyon", address=engine.LocalAddress())),
        ],
        [engine.QueueAltered(database="Ventes", name="dbo.File", is_enabled=False, is_retention_enabled=True)],
        [
            engine.QueueCreated(
                database="Ventes",
                queue=engine.Queue(
                    "dbo.Autre",
                    activation=engine.Activation(procedure_name="dbo.lire", max_queue_readers=3, execute_as="SELF"),
                ),
            ),
            engine.ServiceAltered(database="Ventes", name="//test/Commandes", queue="dbo.Autre", drops=("DEFAULT",)),
            engine.QueueDropped(database="Ventes", name="dbo.File"),
        ],
        [
            engine.ServiceDropped(database="Ventes", name="//test/Commandes"),
            engine.ContractDropped(database="Ventes", name="//test/Commander"),
            engine.MessageTypeDropped(database="Ventes", name="//test/Commande"),
        ],
        [
            engine.MessageTypeAltered(
                database="Ventes",
                name="//test/Commande",
                validation=engine.Validation.VALID_XML,
                schema_collection="dbo.schéma",
            )
        ],
        [
            engine.ServiceDropped(database="Ventes", name="//test/Commandes"),
            engine.ContractDropped(database="Ventes", name="//test/Commander"),
            engine.ContractCreated(
                database="Ventes",
                contract=engine.Contract(
                    "//test/Commander", (engine.ContractUse("//test/Commande", engine.SentBy.ANY),)
                ),
            ),
        ],
        [
            engine.PriorityCreated(
                database="Ventes", priority=engine.BrokerPriority("vite", "DEFAULT", "//test/Commandes", "ailleurs", 9)
            ),
            engine.PriorityHonoured(database="Ventes", is_honoured=True),
            TrustworthySet(database="Ventes", is_trustworthy=True),
            engine.EventNotificationCreated(
                database="Ventes",
                notification=engine.EventNotification(
                    "écoute", "dbo.File", tuple(engine.QueueEvent), "//test/Écoute", STOCK
                ),
            ),
        ],
        [
            engine.PriorityCreated(database="Ventes", priority=engine.BrokerPriority("vite")),
            engine.PriorityDropped(database="Ventes", name="vite"),
        ],
        [engine.BrokerConversationsErrored(database="Ventes")],
        [
            security.MasterKeyCreated(database="Ventes", master_key=engine.MasterKey(engine.SealedKey(b"\x00sealed"))),
            security.UserCreated(database="Ventes", user=engine.User("Vendeur")),
            security.UserCreated(database="Ventes", user=engine.User("Clé", engine.PrincipalKind.MAPPED_TO_KEY)),
            security.CertificateCreated(
                database="Ventes",
                certificate=engine.Certificate(
                    name="Élan",
                    owner="Vendeur",
                    certificate=b"\x30\xff",
                    subject="CN=Élan",
                    reference=engine.CertificateReference("CN=Élan", "1f"),
                    starts_at=engine.UtcTime(1.5),
                    expires_at=engine.UtcTime(2e9),
                    key_bits=2048,
                    private_key=engine.SealedKey(b"\xfe"),
                ),
            ),
            security.RemoteServiceBindingCreated(
                database="Ventes", binding=engine.RemoteServiceBinding("liaison", "//test/Réception", "Vendeur", True)
            ),
            engine.ServiceAltered(database="Ventes", name="//test/Commandes", owner="Vendeur"),
        ],
    ],
    ids=lambda changes: "+".join(type(change).__name__ for change in changes),
)
def test_every_kind_of_change_reaches_the_rows(estate, changes):
    wanted = engine.apply_changes(paris(estate), changes)
    wanted.revision = decide(*changes)
    assert paris(estate) == wanted


def test_a_change_to_one_instance_leaves_the_others_alone(estate):
    before = estate_catalogs(estate)["LYON"]
    decide(engine.DatabaseDropped(database="Ventes"))
    assert estate_catalogs(estate)["LYON"] == before


def test_a_service_keeps_its_rows_when_only_its_database_is_switched(estate):
    ids = set(Route.objects.values_list("id", flat=True)), set(Queue.objects.values_list("id", flat=True))
    decide(engine.BrokerSwitched(database="Ventes", is_enabled=False))
    assert ids == (set(Route.objects.values_list("id", flat=True)), set(Queue.objects.values_list("id", flat=True)))


def test_partners_of_one_broker_id_are_a_mirrored_pair_until_one_lets_go(estate):
    paris_half, lyon_half = pair_catalogs()
    shared = paris_half.databases["Ventes"].broker_instance
    copy = engine.apply_changes(
        lyon_half,
        [
            engine.DatabaseCreated(database="Ventes", broker_instance=shared, state=engine.DatabaseState.MIRROR),
            engine.PartnerSet(database="Ventes", partner_address="TCP://paris:5022"),
        ],
    )
    principal = engine.apply_changes(
        paris_half, [engine.PartnerSet(database="Ventes", partner_address="TCP://lyon:5022")]
    )
    mirrored = make_estate([principal, copy], name="miroir")
    mirror = Mirror.objects.get()
    assert mirror.broker_instance == shared
    assert {database.instance.name for database in mirror.databases.all()} == {"PARIS", "LYON"}
    estates.decide(type(PARIS)("miroir", "LYON"), [engine.PartnerSet(database="Ventes", partner_address=None)])
    assert not mirrored.mirrors.exists()
    assert not Database.objects.filter(mirror__isnull=False).exists()


def test_the_history_alone_rebuilds_every_instance(estate):
    decide(engine.RouteDropped(database="Ventes", name="vers_lyon"))
    decide(engine.DatabaseCreated(database="Archive", broker_instance=ARCHIVE))
    rebuilt = engine.InstanceCatalog(name="PARIS")
    for revision in TopologyRevision.objects.order_by("number"):
        changes = changes_from_json(revision.changes["PARIS"])
        rebuilt = engine.apply_changes(rebuilt, changes)
    rebuilt.revision = 3
    assert paris(estate) == rebuilt
