"""PARIS for routing tests: three databases whose tables are given as tuples, and short forms of the two questions."""

from uuid import UUID

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState, Service
from engine.core.catalog.revision import apply_changes, copy
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import Classification
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.settings import WhilePending

B1, B2, OWN, OTHER, SYSTEM = (UUID(int=number) for number in (101, 102, 201, 202, 1))
"""Two ids of databases elsewhere, and those of Ventes, Autre and msdb."""
NOW = 1_000.0
CONFIGURATION = "SQL/ServiceBroker/BrokerConfiguration"
ALL = ("all", None, None, "LOCAL")
ASKS = ("asks", CONFIGURATION, None, "LOCAL")
DELAYED, DROPPED, LOCAL, REMOTE = (
    Classification.DELAYED,
    Classification.DROPPED,
    Classification.LOCAL,
    Classification.REMOTE,
)
UNAVAILABLE = [DatabaseState.READ_ONLY, DatabaseState.SINGLE_USER, DatabaseState.MIRROR, DatabaseState.OFFLINE]


def tcp(host, port=4022):
    return NetworkAddress(f"TCP://{host}:{port}", TcpAddress(host.lower(), port))


def mirrored(name, service, broker, address="lyon", mirror="berlin"):
    return (name, service, broker, address, {"mirror_address": tcp(mirror)})


def routes(*described):
    """Routes from (name, service, broker id, address[, further fields]); an address may be a host alone."""
    made = {}
    for name, service, broker, address, *rest in described:
        is_host = address not in ("LOCAL", "TRANSPORT") and "://" not in address
        to = tcp(address) if is_host else parse_route_address(address, port_required=False)[0]
        fields = rest[0] if rest else {}
        made[name] = Route(name=name, service_name=service, broker_instance=broker, address=to, **fields)
    return made


def paris(
    database=(),
    msdb=(),
    hosts=(),
    other_hosts=(),
    *,
    forwards=False,
    endpoint=EndpointState.STARTED,
    host_names=(),
    while_pending=WhilePending.LITERAL,
    own=None,
    other=None,
    system=None,
):
    """PARIS with `Ventes` (id OWN), `Autre` (id OTHER) and `msdb`; `own`, `other`, `system` are further fields."""
    tables = (
        ("msdb", SYSTEM, (), msdb, system),
        ("Ventes", OWN, hosts, database, own),
        ("Autre", OTHER, other_hosts, (), other),
    )
    databases = {
        name: DatabaseCatalog(
            **{
                "name": name,
                "broker_instance": broker,
                "services": {service: Service(service, "dbo.q") for service in hosted},
                "routes": routes(*table),
                **(fields or {}),
            }
        )
        for name, broker, hosted, table, fields in tables
    }
    own_endpoint = endpoint and Endpoint("e", 4022, endpoint, is_message_forwarding_enabled=forwards)
    catalog = InstanceCatalog(name="PARIS", databases=databases, endpoint=own_endpoint, host_names=host_names)
    return MessageClassifier(catalog, while_pending)


def change(classifier, *changes):
    """The same classifier after changes of its catalog."""
    catalog = apply_changes(copy(classifier.catalog), changes)
    classifier.redefine(catalog, changes)
    return classifier


def inside(classifier, service="S", broker=None, database="Ventes", now=NOW, **fields):
    return classifier.from_inside(database, DialogTarget(service, broker), now, **fields)


def outside(classifier, service="S", broker=None, *, from_target=False, now=NOW):
    return classifier.from_outside(DialogTarget(service, broker), now, from_target=from_target)


def end(decision):
    """How a decision ends, and by which number."""
    return decision.classification, decision.status


def steps(decision):
    return decision.match_step, decision.choose_step
