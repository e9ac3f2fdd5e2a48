"""A world in which every view that can have rows has some."""

from engine.core.catalog.changes import (
    ActivationPatch,
    ContractCreated,
    EndpointAltered,
    MessageTypeCreated,
    PriorityCreated,
    QueueAltered,
    QueueCreated,
    RouteCreated,
    ServiceCreated,
)
from engine.core.catalog.objects import (
    Activation,
    BrokerPriority,
    Contract,
    ContractUse,
    EndpointState,
    MessageType,
    Queue,
    SentBy,
    Service,
    Validation,
)
from engine.core.catalog.security import RemoteServiceBinding
from engine.core.catalog.security_changes import RemoteServiceBindingCreated
from tests.support.certificates import certificate, certified, keys, users
from tests.support.world import Node, World, route


def lively_world() -> tuple[World, Node, Node, Node]:
    """PARIS sends through HUB to BERLIN, which stops listening; one conversation inside PARIS; one without route.

    In HUB a reader is at work, and a rule gives conversations their priority.
    """
    world = World()
    paris = world.instance(
        "PARIS",
        world.database("Ventes", ["Client", "Caisse"], route("Prüfung", "hub"), route("Nulle", "nulle-part")),
    )
    passes_on = RouteCreated(database="msdb", route=route("Prüfung", "berlin"))
    hub = world.instance("HUB", world.database("Halle", ["Tor"]), [passes_on], forwards=True)
    berlin = world.instance("BERLIN", world.database("Lager", ["Prüfung"], route("Client", "paris")))
    paris.define(
        MessageTypeCreated(
            database="Ventes", message_type=MessageType("//Commande", Validation.VALID_XML, schema_collection="Schémas")
        ),
        ContractCreated(
            database="Ventes", contract=Contract("//Commander", (ContractUse("//Commande", SentBy.INITIATOR),))
        ),
        QueueCreated(
            database="Ventes",
            queue=Queue("ventes.Archive", activation=Activation("dbo.lire", 3, "OWNER", is_enabled=True)),
        ),
        ServiceCreated(database="Ventes", service=Service("Archive", "ventes.Archive", ("//Commander",))),
        *keys("Ventes"),
        *users("Ventes", "Vendeur", "Fournisseur"),
        *certified("Ventes", certificate("Vendeur", "Vendeur"), certificate("Loin", "Fournisseur", is_private=False)),
        RemoteServiceBindingCreated(
            database="Ventes", binding=RemoteServiceBinding("Lien", "Anderswo", "Fournisseur", is_anonymous=True)
        ),
    )
    hub.define(
        QueueAltered(
            database="Halle",
            name="dbo.Tor",
            activation=ActivationPatch(
                procedure_name="dbo.öffnen", is_enabled=True, max_queue_readers=2, execute_as="SELF"
            ),
        ),
        PriorityCreated(database="Halle", priority=BrokerPriority("Eilig", None, "Tor", None, 8)),
    )
    hub.say("Halle", hub.begin("Halle", "Tor", "Tor"), "klopf")
    far = paris.begin("Ventes", "Client", "Prüfung")
    paris.say("Ventes", far, "un")
    inside = paris.begin("Ventes", "Client", "Caisse")
    paris.say("Ventes", inside, "deux")
    world.run(5)
    berlin.define(EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    paris.say("Ventes", far, "trois")
    lost = paris.begin("Ventes", "Client", "Nulle")
    paris.say("Ventes", lost, "quatre")
    world.run(1)
    return world, paris, hub, berlin
