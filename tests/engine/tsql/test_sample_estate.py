"""The estate demo-fr-de holds what it says it holds.

PARIS ⇄ LYON          directly
PARIS ⇄ HUB ⇄ BERLIN  through the forwarder
BERLIN ≈ LYON         Buchhaltung, mirrored
"""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import DEFAULT_CONTRACT, EndpointState
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import Classification, ClassifierDecision
from engine.core.vocabulary.identifiers import MSDB, DatabaseName, InstanceName, ServiceName
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect, ImportPlan
from engine.tsql.sample_estates import samples
from tests.support.numbered_entropy import NumberedEntropy

NOW = UtcTime(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
GUICHET = "//exemple.fr/Ventes/Guichet"
RECEPTION = "//exemple.fr/Commandes/Réception"
PRUEFUNG = "//beispiel.de/Lager/Größenprüfung"
RECHNUNGEN = "//beispiel.de/Buchhaltung/Rechnungen"


def load(onto: Mapping[InstanceName, InstanceCatalog]) -> ImportPlan:
    (sample,) = samples()
    assert sample.name == "demo-fr-de"
    scripts = [parse_script(text, name) for name, text in sample.scripts]
    return plan_import(scripts, onto, default_instance=InstanceName("NULLE"), now=NOW, entropy=NumberedEntropy())


@pytest.fixture(scope="module")
def plan() -> ImportPlan:
    return load({})


@pytest.fixture(scope="module")
def estate(plan: ImportPlan) -> dict[str, InstanceCatalog]:
    return {str(name): catalog for name, catalog in plan.catalogs.items()}


def database(estate: Mapping[str, InstanceCatalog], instance: str, name: str) -> DatabaseCatalog:
    return estate[instance].databases[DatabaseName(name)]


def by_address(estate: Mapping[str, InstanceCatalog]) -> dict[TcpAddress, str]:
    return {
        TcpAddress(host, catalog.endpoint.port): name
        for name, catalog in estate.items()
        for host in (name.lower(), *catalog.host_names)
        if catalog.endpoint is not None
    }


def path(
    estate: Mapping[str, InstanceCatalog], instance: str, home: str, target: DialogTarget, *, from_target: bool = False
) -> tuple[list[str], ClassifierDecision]:
    """The instances a message passes from `home` of `instance` on, and the last decision."""
    decision = MessageClassifier(estate[instance]).from_inside(DatabaseName(home), target, NOW)
    passed = [instance]
    while decision.classification is Classification.REMOTE:
        assert decision.address is not None
        assert len(passed) < 5, "the message goes round in circles"
        passed.append(by_address(estate)[decision.address])
        decision = MessageClassifier(estate[passed[-1]]).from_outside(target, NOW, from_target=from_target)
    return passed, decision


def to(service: str) -> DialogTarget:
    return DialogTarget(ServiceName(service))


def test_it_imports_without_problem_warning_or_anything_ignored(plan: ImportPlan) -> None:
    assert (plan.problems, plan.warnings) == ((), ())
    granted = {row.effect for row in plan.rows if row.verb == "GRANT SEND"}
    assert granted == {Effect.SAME}, "services are open to public from the start"
    others = {row.effect for row in plan.rows if row.verb != "GRANT SEND"}
    assert others == {Effect.ADD, Effect.CHANGE, Effect.REMOVE}
    assert plan.created == ("PARIS", "LYON", "BERLIN", "HUB")


def test_loading_it_again_changes_nothing(plan: ImportPlan) -> None:
    again = load(plan.catalogs)
    assert (again.problems, again.changes, {row.effect for row in again.rows}) == ((), {}, {Effect.SAME})


def test_every_instance_listens_on_port_4022_and_hub_alone_forwards(estate: Mapping[str, InstanceCatalog]) -> None:
    endpoints = {name: catalog.endpoint for name, catalog in estate.items()}
    assert {(endpoint.port, endpoint.state) for endpoint in endpoints.values() if endpoint} == {
        (4022, EndpointState.STARTED)
    }
    assert {name for name, endpoint in endpoints.items() if endpoint and endpoint.is_message_forwarding_enabled} == {
        "HUB"
    }
    assert not any(database.services for database in estate["HUB"].databases.values())


CONVERSATIONS = [
    ("PARIS", "Ventes", GUICHET, RECEPTION, ["PARIS", "LYON"], "Entrepôt"),
    ("LYON", "Entrepôt", "//exemple.fr/Expédition/Suivi", "//exemple.fr/Ventes/Retours", ["LYON", "PARIS"], "Ventes"),
    ("PARIS", "Ventes", GUICHET, PRUEFUNG, ["PARIS", "HUB", "BERLIN"], "Lagerverwaltung"),
    ("PARIS", "Ventes", GUICHET, "//exemple.fr/Facturation/Factures", ["PARIS"], "Facturation"),
]


@pytest.mark.parametrize(("instance", "home", "initiator", "target", "passed", "goal"), CONVERSATIONS)
def test_a_message_arrives_and_its_acknowledgement_returns_the_same_way(
    estate: Mapping[str, InstanceCatalog],
    instance: str,
    home: str,
    initiator: str,
    target: str,
    passed: list[str],
    goal: str,
) -> None:
    there, arrived = path(estate, instance, home, to(target))
    assert (there, arrived.classification, arrived.database) == (passed, Classification.LOCAL, goal)
    home_id = database(estate, instance, home).broker_instance
    answer = DialogTarget(ServiceName(initiator), home_id)
    back, returned = path(estate, passed[-1], goal, answer, from_target=True)
    assert (back, returned.classification, returned.database) == (passed[::-1], Classification.LOCAL, home)
    pinned = DialogTarget(ServiceName(target), database(estate, passed[-1], goal).broker_instance)
    assert path(estate, instance, home, pinned)[0] == passed


@pytest.mark.parametrize(("instance", "home", "initiator", "target", "passed", "goal"), CONVERSATIONS)
def test_both_sides_have_the_contract_with_the_same_message_types(
    estate: Mapping[str, InstanceCatalog],
    instance: str,
    home: str,
    initiator: str,
    target: str,
    passed: list[str],
    goal: str,
) -> None:
    near, far = database(estate, instance, home), database(estate, passed[-1], goal)
    assert ServiceName(initiator) in near.services
    (contract,) = far.services[ServiceName(target)].contracts
    if contract != DEFAULT_CONTRACT:
        assert near.contracts[contract] == far.contracts[contract]
        assert {use.message_type for use in near.contracts[contract].uses} <= near.message_types.keys()


def test_one_database_is_mirrored_and_paris_knows_both_addresses(estate: Mapping[str, InstanceCatalog]) -> None:
    principal, copy = (database(estate, instance, "Buchhaltung") for instance in ("BERLIN", "LYON"))
    assert (principal.state, copy.state) == (DatabaseState.ONLINE, DatabaseState.MIRROR)
    assert principal.broker_instance == copy.broker_instance
    assert (principal.partner_address, copy.partner_address) == ("TCP://lyon:5022", "TCP://berlin:5022")
    assert (principal.services, principal.contracts, principal.queues, principal.routes) == (
        copy.services, copy.contracts, copy.queues, copy.routes,
    )  # fmt: skip
    (route,) = (
        route for route in database(estate, "PARIS", "Ventes").routes.values() if route.mirror_address is not None
    )
    assert (route.service_name, route.broker_instance) == (RECHNUNGEN, principal.broker_instance)
    assert [str(route.address), str(route.mirror_address)] == ["TCP://berlin:4022", "TCP://lyon:4022"]


def test_both_partners_would_let_the_mirrored_service_in_and_only_the_principal_has_it(
    estate: Mapping[str, InstanceCatalog],
) -> None:
    target = DialogTarget(ServiceName(RECHNUNGEN), database(estate, "BERLIN", "Buchhaltung").broker_instance)
    at_berlin = MessageClassifier(estate["BERLIN"]).from_outside(target, NOW, from_target=False)
    at_lyon = MessageClassifier(estate["LYON"]).from_outside(target, NOW, from_target=False)
    assert (at_berlin.classification, at_berlin.database) == (Classification.LOCAL, "Buchhaltung")
    assert (at_lyon.classification, at_lyon.status) == (Classification.DROPPED, 9796)


def test_one_route_has_expired(estate: Mapping[str, InstanceCatalog]) -> None:
    limited = [
        route
        for catalog in estate.values()
        for held in catalog.databases.values()
        for route in held.routes.values()
        if route.expires_at is not None
    ]
    assert [route.expires_at for route in limited] == [datetime(2024, 3, 31, 22, tzinfo=UTC).timestamp()]


def test_one_route_differs_from_a_service_in_letter_case_only(estate: Mapping[str, InstanceCatalog]) -> None:
    services = {name for catalog in estate.values() for held in catalog.databases.values() for name in held.services}
    folded = {name.casefold() for name in services}
    misses = [
        route.service_name
        for catalog in estate.values()
        for held in catalog.databases.values()
        for route in held.routes.values()
        if route.service_name is not None
        and route.service_name not in services
        and route.service_name.casefold() in folded
    ]
    assert misses == ["//exemple.fr/entrepôt/Inventaire"]
    passed, decision = path(estate, "PARIS", "Ventes", to(misses[0]))
    assert (passed, decision.classification, decision.status) == (["PARIS", "LYON"], Classification.DROPPED, 9793)


def test_to_one_service_no_route_leads(estate: Mapping[str, InstanceCatalog]) -> None:
    service = ServiceName("//beispiel.de/Einkauf/Bestellungen")
    assert service in database(estate, "BERLIN", "Einkauf").services
    assert not any(
        route.service_name == service
        for catalog in estate.values()
        for held in catalog.databases.values()
        for route in held.routes.values()
    )
    _, decision = path(estate, "PARIS", "Ventes", to(service))
    assert (decision.classification, decision.status) == (Classification.DELAYED, 9750)


def test_from_one_service_no_way_leads_back(estate: Mapping[str, InstanceCatalog]) -> None:
    passed, arrived = path(estate, "PARIS", "Ventes", to("//exemple.fr/Archives/Dépôt"))
    assert (passed, arrived.classification, arrived.database) == (["PARIS", "LYON"], Classification.LOCAL, "Archives")
    answer = DialogTarget(ServiceName(GUICHET), database(estate, "PARIS", "Ventes").broker_instance)
    _, returned = path(estate, "LYON", "Archives", answer, from_target=True)
    assert (returned.classification, returned.status) == (Classification.DELAYED, 9796)


def test_what_may_come_into_lyon_is_listed_by_name(estate: Mapping[str, InstanceCatalog]) -> None:
    services = {name for held in estate["LYON"].databases.values() for name in held.services}
    assert {route.service_name for route in database(estate, "LYON", MSDB).routes.values()} == services
