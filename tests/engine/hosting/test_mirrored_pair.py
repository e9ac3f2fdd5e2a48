"""A mirrored pair in one embedded engine, over real TCP and real files, through the engine's one door."""

from uuid import UUID, uuid4

from engine import api
from engine.core.catalog.changes import CatalogChange
from engine.hosting.embedded import EmbeddedEngine
from tests.engine.hosting.two_instances import PACE
from tests.support.mirrored import SERVICE, mirrored_route, stock
from tests.support.waiting import until
from tests.support.world import route

ESTATE = api.EstateName("Spiegel")
VENTES, STOCK = api.DatabaseName("Ventes"), api.DatabaseName("Stock")
PARIS, LYON, BERLIN = (api.InstanceName(name) for name in ("PARIS", "LYON", "BERLIN"))
ONLINE, COPY = api.DatabaseState.ONLINE, api.DatabaseState.MIRROR
PAIR = UUID(int=7001)


def ask(instance: api.InstanceName, kind: type[api.Command], **fields: object) -> api.Reply:
    (reply,) = api.execute(ESTATE, instance, [kind(command_id=uuid4(), **fields)], timeout_seconds=15)
    assert not isinstance(reply, api.Refusal), reply
    return reply


def define(instance: api.InstanceName, base: int, *changes: CatalogChange) -> None:
    ask(instance, api.ApplyCatalog, base=base, revision=base + 1, changes=changes)


def open_all() -> None:
    ventes = [
        api.DatabaseCreated(database=VENTES, broker_instance=uuid4()),
        api.QueueCreated(database=VENTES, queue=api.Queue("dbo.Client")),
        api.ServiceCreated(database=VENTES, service=api.Service("Client", "dbo.Client", ("DEFAULT",))),
        api.RouteCreated(database=VENTES, route=mirrored_route()),
    ]
    home = route("Client", "paris")
    for instance, changes in (
        (PARIS, ventes),
        (LYON, stock("berlin", ONLINE, PAIR, home)),
        (BERLIN, stock("lyon", COPY, PAIR, home)),
    ):
        api.open_instance(ESTATE, instance, pace=PACE)
        endpoint = api.Endpoint("Broker", 4022, api.EndpointState.STARTED)
        msdb = api.DatabaseCreated(database=api.MSDB, broker_instance=uuid4())
        define(instance, 0, msdb, *changes, api.EndpointCreated(endpoint=endpoint))


def mirror_state() -> str | None:
    routes = api.read_view(ESTATE, PARIS, 10).mirrored_routes
    return routes[0].state if routes else None


def waiting() -> int:
    (ventes,) = (each for each in api.read_view(ESTATE, PARIS, 10).databases if each.name == VENTES)
    return ventes.transmission_queue_total


def received(instance: api.InstanceName) -> list[bytes | None]:
    return [
        row.message_body for row in ask(instance, api.Receive, database=STOCK, queue=f"dbo.{SERVICE}", top=9).messages
    ]


def test_a_planned_failover_in_the_middle_of_a_dialog_loses_and_doubles_nothing(engine: EmbeddedEngine):
    open_all()
    dialog = ask(PARIS, api.BeginDialog, database=VENTES, from_service="Client", to_service=SERVICE)

    def say(body: bytes) -> None:
        ask(PARIS, api.Send, database=VENTES, conversation_handle=dialog.conversation_handle, body=body)

    say(b"0")
    until(lambda: waiting() == 0, "LYON has acknowledged")
    assert mirror_state() == api.MirrorState.KNOWN_A
    ask(LYON, api.commands.SetMirroringRole, database=STOCK, role=api.MirroringRole.MIRROR)
    until(lambda: mirror_state() == api.MirrorState.SEARCHING, "PARIS has heard that LYON is the principal no more")
    say(b"1")
    tail = ask(LYON, api.commands.BackupDatabase, database=STOCK).backup
    define(BERLIN, 1, api.PartnerSet(database=STOCK, partner_address=None))
    ask(BERLIN, api.commands.RestoreDatabase, base=2, revision=3, database=STOCK, backup=tail, is_recovered=False)
    assert waiting() == 1
    ask(BERLIN, api.commands.SetMirroringRole, database=STOCK, role=api.MirroringRole.PRINCIPAL)
    until(lambda: waiting() == 0, "BERLIN has acknowledged")
    assert mirror_state() == api.MirrorState.KNOWN_M
    assert received(BERLIN) == [b"0", b"1"]


def test_roles_outlive_the_process(engine: EmbeddedEngine):
    open_all()
    ask(LYON, api.commands.SetMirroringRole, database=STOCK, role=api.MirroringRole.MIRROR)
    ask(BERLIN, api.commands.SetMirroringRole, database=STOCK, role=api.MirroringRole.PRINCIPAL)
    engine.stop()
    again = EmbeddedEngine()
    again.start()
    try:
        dialog = ask(PARIS, api.BeginDialog, database=VENTES, from_service="Client", to_service=SERVICE)
        ask(PARIS, api.Send, database=VENTES, conversation_handle=dialog.conversation_handle, body=b"bonjour")
        until(lambda: waiting() == 0, "BERLIN has acknowledged")
        assert received(BERLIN) == [b"bonjour"]
    finally:
        again.stop()
