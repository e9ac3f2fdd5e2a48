"""The configuration service of routing.md 6 in a world; its program is the test, which reads, answers and ends."""

from engine.core.catalog.builtin import BROKER_SERVICE, MISSING_BINDING_TYPE, MISSING_ROUTE_TYPE, NOTICE_CONTRACT
from engine.core.catalog.changes import QueueCreated, RouteCreated, ServiceCreated
from engine.core.catalog.objects import Queue, Service
from engine.core.exchange.events import RouteRequested
from tests.support.world import route

CONFIGURATION = "SQL/ServiceBroker/BrokerConfiguration"
HOME = route(BROKER_SERVICE)
"""Answers of the configuration service come home: with step 4 on, the built-in service needs a route as any other."""


def configuration_in(database):
    """The configuration service in a database, on the queue dbo.Konfiguration."""
    return [
        QueueCreated(database=database, queue=Queue("dbo.Konfiguration")),
        ServiceCreated(database=database, service=Service(CONFIGURATION, "dbo.Konfiguration", (NOTICE_CONTRACT,))),
    ]


def asking(world, *routes, name="PARIS"):
    """An instance whose database Ventes has Client and the configuration service, and asks it for routes."""
    home = world.database("Ventes", ["Client"], route(CONFIGURATION), HOME, *routes)
    return world.instance(name, home, configuration_in("Ventes"))


def say(node, service="Entrepôt", body="x", **fields):
    dialog = node.begin("Ventes", "Client", service, **fields)
    node.say("Ventes", dialog, body)
    return dialog


def requests(node, database="Ventes", *, ends_bindings=True):
    """Requests for routes in the queue of the configuration service, taken out; those for bindings are ended first."""
    rows = []
    # One RECEIVE takes the messages of one conversation group; each request is one of its own.
    while received := node.receive(database, "Konfiguration"):
        rows += received
    for row in rows if ends_bindings else ():
        if row.message_type_name == MISSING_BINDING_TYPE:
            node.end(database, row.conversation_handle)
    return [row for row in rows if row.message_type_name == MISSING_ROUTE_TYPE]


def learn(node, request, *routes, database="Ventes"):
    """What the program does: make the route, end the dialog."""
    node.define(*(RouteCreated(database=database, route=each) for each in routes))
    node.end(database, request.conversation_handle)


def refuse(node, request, database="Ventes"):
    node.end(database, request.conversation_handle, error_code=1, error_description="inconnu")


def asked(node):
    return [(event.database, event.service) for event in node.told(RouteRequested)]


def bodies(node, database, queue):
    return [row.message_body.decode() for row in node.receive(database, queue)]
