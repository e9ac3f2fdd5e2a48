"""A scenario out of YAML: strict, every fault told with its line and its number, and none built when there is one."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from engine.core.catalog.objects import BrokerPriority
from engine.core.catalog.route import Route
from engine.core.vocabulary.dialog_security import KeySuite, SecurityKind
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, PriorityName, ServiceName
from engine.core.vocabulary.limits import (
    FRAGMENT_BYTES_MAX,
    FRAGMENT_BYTES_MIN,
    PRIORITY_LEVEL_MAX,
    PRIORITY_LEVEL_MIN,
)
from engine.route_check.nodes import is_null
from engine.route_check.route_reading import Ids, read_routes, read_service
from engine.route_check.tree import Fault, Node, compose, numbered
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.faults.catalogue import KINDS, RATES
from engine.sim.network import LinkProfile
from engine.sim.scenario import DatabaseSpec, Ending, Flow, InstanceSpec, LinkSpec, Scenario, catalog_of
from engine.sim.scenario_nodes import ScenarioReader
from engine.sim.securing import targets_of
from engine.sim.workload.catalogue import READERS

STANDARD: Final = "standard"
"""Name of the scenario that comes with the product."""

DAY_SECONDS: Final = 86_400.0
STRIKES_MAX: Final = 600.0
"""Ten a second: more is no fault but a state."""
DIALOGS_MAX, MESSAGES_MAX, BODY_BYTES_MAX = 10_000, 100_000, 4 * 1024 * 1024
MANY: Final = 1_000_000.0

_SHARES: Final = ("loss", "duplication", "reordering", "corruption", "tampering")
_MEASURES: Final = ("latency_ms", "jitter_ms", "late_ms")
_PROFILE: Final = (*_MEASURES, *_SHARES, "kilobytes_per_second")
_SCENARIO: Final = (
    "name",
    "instances",
    "link",
    "links",
    "flows",
    "faults",
    "readers",
    "fragment_bytes",
    "key_suites",
    "draws_subset",
    "faults_seconds",
    "converges_within_seconds",
    "amplification_max",
)
_FLOW: Final = (
    "name",
    "from",
    "to",
    "dialogs",
    "messages",
    "replies",
    "body_bytes",
    "pause_seconds",
    "endings",
    "share",
    "security",
)
_DATABASE: Final = ("services", "routes", "broker", "mirror", "priorities", "honours_priority")

_SUITES: Final = [each.value for each in KeySuite]
_KINDS: Final = [each.value for each in SecurityKind]

Given = Mapping[str, Node]


def standard_scenario() -> Scenario:
    """The scenario that comes with the product."""
    return shipped_scenario(STANDARD)


def shipped_scenarios() -> tuple[str, ...]:
    """Names of the scenarios of this package, in alphabetical order."""
    folder = resources.files("engine.sim").joinpath("scenarios")
    return tuple(sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml")))


def shipped_scenario(name: str) -> Scenario:
    """A scenario of this package, by its file's name without the ending. `FileNotFoundError` when there is none."""
    text = resources.files("engine.sim").joinpath("scenarios", f"{name}.yaml").read_text("utf-8")
    scenario, faults = read_scenario(f"{name}.yaml", text)
    assert scenario is not None, f"a scenario that is shipped has faults: {faults}"
    return scenario


def read_scenario(file: str, text: str) -> tuple[Scenario | None, list[Fault]]:
    """The scenario of a file, or None and all of its faults, by line."""
    tree, fault = compose(file, text)
    reader = ScenarioReader(file)
    if fault is not None:
        return None, [numbered(fault)]
    if tree is None:
        return None, [Fault(file=file, line=1, column=1, text="153: the file holds no scenario")]
    scenario = _read(reader, tree)
    faults = sorted(reader.faults, key=lambda each: (each.line, each.column))
    return (None if faults else scenario), faults


def _read(reader: ScenarioReader, tree: Node) -> Scenario | None:
    given = reader.mapping(tree, "a scenario", _SCENARIO, required=("name", "instances", "flows"))
    if given is None:
        return None
    name = reader.name(given.get("name"), "the name of a scenario")
    instances = _instances(reader, given.get("instances"))
    links = [_link(reader, item, instances) for item in reader.items(given.get("links"), "'links'")]
    flows = [_flow(reader, item, instances) for item in reader.items(given.get("flows"), "'flows'")]
    if "flows" in given and not flows:
        reader.fault(given["flows"], "a scenario has at least one flow")
    profile = _profile(reader, given["link"], "'link'", _PROFILE) if "link" in given else LinkProfile()
    readers = [reader.word(item, "a reader", READERS) for item in reader.items(given.get("readers"), "'readers'")]
    suites = [reader.word(item, "a suite", _SUITES) for item in reader.items(given.get("key_suites"), "'key_suites'")]
    fields = _present(
        faults=_faults(reader, given.get("faults")),
        readers=tuple(each for each in readers if each) or None,
        fragment_bytes=reader.whole(
            given.get("fragment_bytes"), "'fragment_bytes'", FRAGMENT_BYTES_MIN, FRAGMENT_BYTES_MAX
        ),
        key_suites=tuple(KeySuite(each) for each in suites if each) or None,
        draws_subset=reader.boolean(given.get("draws_subset"), "'draws_subset'"),
        faults_seconds=reader.real(given.get("faults_seconds"), "'faults_seconds'", 1.0, DAY_SECONDS),
        converges_within_seconds=reader.real(
            given.get("converges_within_seconds"), "'converges_within_seconds'", 1.0, DAY_SECONDS
        ),
        amplification_max=reader.real(given.get("amplification_max"), "'amplification_max'", 1.0, MANY),
    )
    if reader.faults or name is None or profile is None:
        return None
    scenario = Scenario(
        name=name,
        instances=tuple(instances.values()),
        flows=tuple(flow for flow in flows if flow is not None),
        link=profile,
        links=tuple(link for link in links if link is not None),
        **fields,
    )
    _check_secured(reader, given["flows"], scenario)
    return scenario


def _check_secured(reader: ScenarioReader, node: Node, scenario: Scenario) -> None:
    """A binding names one certificate, so a service that is secured is in one database, wherever that is at work."""
    for flow in scenario.flows:
        if flow.security is not SecurityKind.NONE and len(targets_of(scenario, flow)) != 1:
            reader.fault(node, f"the secured flow '{flow.name}' leads to a service of one database")


def _present(**fields: Any) -> dict[str, Any]:
    """Those fields that were given; the others keep what `Scenario` or `Flow` says."""
    return {name: value for name, value in fields.items() if value is not None}


# ── instances ────────────────────────────────────────────────────────────────────────────────────────────────────────
def _instances(reader: ScenarioReader, node: Node | None) -> dict[str, InstanceSpec]:
    found: dict[str, InstanceSpec] = {}
    for name, key, value in reader.named(node, "'instances'"):
        given = {} if is_null(value) else reader.mapping(value, "an instance", ("databases", "forwards", "routes"))
        if given is None:
            continue
        before = len(reader.faults)
        spec = InstanceSpec(
            name=InstanceName(name),
            databases=tuple(
                _database(reader, DatabaseName(database), each)
                for database, _, each in reader.named(given.get("databases"), "'databases'")
            ),
            forwards=bool(reader.boolean(given.get("forwards"), "'forwards'")),
            routes=_routes(reader, given.get("routes")),
        )
        if len(reader.faults) == before:
            _try_out(reader, key, spec)
        found[name] = spec
    return found


def _database(reader: ScenarioReader, name: DatabaseName, node: Node) -> DatabaseSpec:
    given = {} if is_null(node) else reader.mapping(node, "a database", _DATABASE)
    given = given or {}
    services = [read_service(reader, item, "a service") for item in reader.items(given.get("services"), "'services'")]
    return DatabaseSpec(
        name=name,
        services=tuple(service for service in services if service is not None),
        routes=_routes(reader, given.get("routes")),
        broker_instance=Ids().take(reader, given.get("broker"), "'broker'"),
        is_mirror=bool(reader.boolean(given.get("mirror"), "'mirror'")),
        priorities=tuple(
            priority
            for item in reader.items(given.get("priorities"), "'priorities'")
            if (priority := _priority(reader, item)) is not None
        ),
        honours_priority=bool(reader.boolean(given.get("honours_priority"), "'honours_priority'")),
    )


def _priority(reader: ScenarioReader, node: Node) -> BrokerPriority | None:
    keys = ("name", "local", "remote", "level")
    given = reader.mapping(node, "a priority", keys, required=("name", "level"))
    if given is None:
        return None
    name = reader.name(given.get("name"), "the name of a priority")
    level = reader.whole(given.get("level"), "'level'", PRIORITY_LEVEL_MIN, PRIORITY_LEVEL_MAX)
    local = read_service(reader, given["local"], "'local'") if "local" in given else None
    remote = read_service(reader, given["remote"], "'remote'") if "remote" in given else None
    if name is None or level is None:
        return None
    return BrokerPriority(PriorityName(name), local_service=local, remote_service=remote, level=level)


def _routes(reader: ScenarioReader, node: Node | None) -> tuple[Route, ...]:
    return tuple(route for route, _ in read_routes(reader, node, "'routes'", Ids()))


def _try_out(reader: ScenarioReader, key: Node, spec: InstanceSpec) -> None:
    """The rules of the catalog decide whether such an instance can be."""
    try:
        catalog_of(spec, SeededEntropy(Dice(0, "reading")))
    except CatalogError as error:
        reader.fault(key, str(error))


# ── links ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _link(reader: ScenarioReader, node: Node, instances: Mapping[str, InstanceSpec]) -> LinkSpec | None:
    given = reader.mapping(node, "a link", ("between", *_PROFILE), required=("between",))
    if given is None:
        return None
    ends = [reader.word(item, "an end", instances) for item in reader.items(given.get("between"), "'between'")]
    profile = _values(reader, given)
    if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0] == ends[1]:
        reader.fault(given.get("between", node), "'between' names two instances")
        return None
    return LinkSpec(between=(InstanceName(ends[0]), InstanceName(ends[1])), profile=profile)


def _profile(reader: ScenarioReader, node: Node, what: str, keys: tuple[str, ...]) -> LinkProfile | None:
    given = reader.mapping(node, what, keys)
    return None if given is None else _values(reader, given)


def _values(reader: ScenarioReader, given: Given) -> LinkProfile:
    most = {**dict.fromkeys(_MEASURES, DAY_SECONDS * 1000.0), **dict.fromkeys(_SHARES, 1.0)}
    numbers = {key: reader.real(given.get(key), f"'{key}'", 0.0, high) for key, high in most.items()}
    rate = reader.real(given.get("kilobytes_per_second"), "'kilobytes_per_second'", 0.001, MANY * 1000.0)
    return LinkProfile(**_present(**numbers, kilobytes_per_second=rate))


# ── flows and faults ─────────────────────────────────────────────────────────────────────────────────────────────────
def _flow(reader: ScenarioReader, node: Node, instances: Mapping[str, InstanceSpec]) -> Flow | None:
    given = reader.mapping(node, "a flow", _FLOW, required=("name", "from", "to"))
    if given is None:
        return None
    name = reader.name(given.get("name"), "the name of a flow")
    origin = _origin(reader, given["from"], instances) if "from" in given else None
    to_service = read_service(reader, given["to"], "'to'") if "to" in given else None
    endings = [
        reader.word(item, "an ending", [each.value for each in Ending])
        for item in reader.items(given.get("endings"), "'endings'")
    ]
    security = reader.word(given["security"], "'security'", _KINDS) if "security" in given else None
    fields = _present(
        share=reader.real(given.get("share"), "'share'", 0.0, 1.0),
        dialogs=reader.range(given.get("dialogs"), "'dialogs'", 0, DIALOGS_MAX),
        messages=reader.range(given.get("messages"), "'messages'", 1, MESSAGES_MAX),
        replies=reader.real(given.get("replies"), "'replies'", 0.0, 1.0),
        body_bytes=reader.range(given.get("body_bytes"), "'body_bytes'", 1, BODY_BYTES_MAX),
        pause_seconds=reader.real(given.get("pause_seconds"), "'pause_seconds'", 0.0, DAY_SECONDS),
        endings=tuple(Ending(each) for each in endings if each is not None) or None,
        security=SecurityKind(security) if security is not None else None,
    )
    if name is None or origin is None or to_service is None:
        return None
    instance, database, service = origin
    return Flow(name=name, instance=instance, database=database, service=service, to_service=to_service, **fields)


def _origin(
    reader: ScenarioReader, node: Node, instances: Mapping[str, InstanceSpec]
) -> tuple[InstanceName, DatabaseName, ServiceName] | None:
    keys = ("instance", "database", "service")
    given = reader.mapping(node, "'from'", keys, required=keys)
    if given is None or len(given) < len(keys):
        return None
    instance = reader.word(given["instance"], "the instance of a flow", instances)
    if instance is None:
        return None
    databases = {database.name: database for database in instances[instance].databases}
    database = reader.word(given["database"], "the database of a flow", databases)
    if database is None:
        return None
    service = reader.word(given["service"], "the service of a flow", databases[DatabaseName(database)].services)
    return None if service is None else (InstanceName(instance), DatabaseName(database), ServiceName(service))


def _faults(reader: ScenarioReader, node: Node | None) -> dict[str, float] | None:
    if node is None or is_null(node):
        return None
    given = reader.mapping(node, "'faults'", (*KINDS, *RATES)) or {}
    found = {
        name: reader.real(value, f"'{name}'", 0.0, 1.0 if name in RATES else STRIKES_MAX)
        for name, value in given.items()
    }
    return _present(**found)
