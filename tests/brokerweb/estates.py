"""A small estate made by the engine's own changes, for tests that are not about scripts.

PARIS (4022, Ventes: //test/Commandes) ──▶ LYON (4022, Stock: //test/Réception)
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from brokerweb.topology.models import Estate, Instance
from brokerweb.topology.names import fold
from brokerweb.topology.selectors.draft_flows import draft_impact, is_lost
from brokerweb.topology.selectors.drafts import change_set_at
from brokerweb.topology.selectors.places import DatabasePlace, InstancePlace
from brokerweb.topology.services.change_sets import change_set_apply
from brokerweb.topology.services.flows import losses_intend
from brokerweb.topology.services.imports import ImportResult, estate_import
from brokerweb.topology.services.revision import InstanceStep, Proposal, change_decide, revision_write
from engine import api as engine
from tests.support.numbered_entropy import NumberedEntropy

VENTES = UUID("11111111-0000-4000-8000-000000000001")
STOCK = UUID("22222222-0000-4000-8000-000000000002")
PAGE_OF_VENTES = DatabasePlace("paire", "PARIS", "Ventes")
PARIS = InstancePlace("paire", "PARIS")


def tcp(host: str, port: int = 4022) -> engine.NetworkAddress:
    return engine.NetworkAddress(f"TCP://{host}:{port}", engine.TcpAddress(host.lower(), port))


def half(
    name: str, first_id: int, database: str, broker_instance: UUID, service: str, far_service: str, far_host: str
) -> engine.InstanceCatalog:
    """One instance with a database, a service on a queue, and the route to the other half."""
    born = engine.new_instance(engine.InstanceName(name), NumberedEntropy(first_id))
    changes = [
        engine.EndpointCreated(endpoint=engine.Endpoint(name="Broker", port=4022, state=engine.EndpointState.STARTED)),
        engine.DatabaseCreated(database=database, broker_instance=broker_instance),
        engine.MessageTypeCreated(
            database=database,
            message_type=engine.MessageType("//test/Commande", engine.Validation.WELL_FORMED_XML),
        ),
        engine.ContractCreated(
            database=database,
            contract=engine.Contract(
                "//test/Commander", (engine.ContractUse("//test/Commande", engine.SentBy.INITIATOR),)
            ),
        ),
        engine.QueueCreated(database=database, queue=engine.Queue("dbo.File")),
        engine.ServiceCreated(
            database=database, service=engine.Service(service, "dbo.File", ("DEFAULT", "//test/Commander"))
        ),
        engine.RouteCreated(
            database=database,
            route=engine.Route(name=f"vers_{far_host}", address=tcp(far_host), service_name=far_service),
        ),
    ]
    return engine.apply_changes(born, changes)


def pair_catalogs() -> list[engine.InstanceCatalog]:
    return [
        half("PARIS", 100, "Ventes", VENTES, "//test/Commandes", "//test/Réception", "lyon"),
        half("LYON", 200, "Stock", STOCK, "//test/Réception", "//test/Commandes", "paris"),
    ]


@transaction.atomic
def make_estate(catalogs: list[engine.InstanceCatalog], name: str = "paire", pace: float = 10.0) -> Estate:
    """An estate at revision 1, through the one place where revisions are born."""
    estate = Estate.objects.create(name=name, pace=pace)
    steps = []
    for catalog in catalogs:
        empty = engine.InstanceCatalog(name=catalog.name)
        row = Instance.objects.create(estate=estate, name=catalog.name, folded_name=fold(catalog.name))
        steps.append(InstanceStep(row, empty, catalog, engine.diff_catalogs(empty, catalog)))
    revision_write(estate, steps, user=None, summary="For a test")
    return estate


def decide(place: InstancePlace, changes: Sequence[engine.CatalogChange], summary: str = "For a test") -> int:
    """Changes of one instance as a decision of nobody's; answers the revision."""
    return change_decide(place, lambda _catalog: Proposal(changes, summary), user=None, expected_revision=None)


def apply_meant(estate_name: str, number: int) -> int:
    """Apply a change set by somebody who means every loss of a flow; answers the revision."""
    lost = [row.key for row in draft_impact(change_set_at(estate_name, number), timezone.now()).changes if is_lost(row)]
    losses_intend(estate_name, number, lost, intended=True, user=None, expected_sequence=None)
    return change_set_apply(estate_name, number, user=None, expected_sequence=None)


def import_live(estate_name: str, file: engine.imports.ImportFile) -> ImportResult:
    """A script into an estate that there is, and its change set applied."""
    result = estate_import(estate_name=estate_name, files=[file], user=None)
    assert result.change_set is not None
    change_set_apply(estate_name, result.change_set, user=None, expected_sequence=result.sequence)
    return result
