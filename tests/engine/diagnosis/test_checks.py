"""Each check: one thing is broken in a sound estate, one finding says so, and its fix mends it and breaks nothing."""

from contextlib import suppress
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.builtin import NOTICE_CONTRACT
from engine.core.catalog.changes import (
    ActivationPatch,
    BrokerSwitched,
    ContractCreated,
    ContractDropped,
    DatabaseCreated,
    DatabaseStateSet,
    EndpointAltered,
    EndpointDropped,
    MessageTypeAltered,
    PartnerSet,
    PriorityCreated,
    QueueAltered,
    QueueCreated,
    RouteAltered,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import (
    DEFAULT_CONTRACT,
    BrokerPriority,
    Contract,
    ContractUse,
    EndpointState,
    Queue,
    SentBy,
    Service,
    Validation,
)
from engine.core.catalog.permissions import Securable
from engine.core.catalog.route import NetworkAddress, TransportAddress
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.catalog.security_changes import PermissionSet
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.vocabulary.errors import CatalogError
from engine.diagnosis.finding import Severity
from engine.diagnosis.saying import said as said_of
from engine.diagnosis.words import subject_text, worded
from tests.support.diagnosed_estates import (
    LOCAL,
    NOW,
    STORE,
    broken,
    changed,
    diagnosed,
    mended,
    route,
    sound_estate,
    tcp,
)
from tests.support.each import for_each
from tests.support.thoroughness import examples

NOBODY = UUID(int=0xDEAD)


def altered(name, database="Shop", **clauses):
    return RouteAltered(database=database, name=name, **clauses)


def created(route_made, database="Shop"):
    return RouteCreated(database=database, route=route_made)


def dropped(name, database="Shop"):
    return RouteDropped(database=database, name=name)


def queue(**clauses):
    return QueueAltered(database="Store", name="dbo.Inbox", **clauses)


MSDB_OPEN = dropped("AutoCreatedLocal", "msdb")
SHOP_OPEN = dropped("AutoCreatedLocal")
PRIORITY = PriorityCreated(database="Shop", priority=BrokerPriority("High", remote_service="Stock", level=9))
ACTIVATION = ActivationPatch(procedure_name="dbo.Read", max_queue_readers=2, execute_as="SELF", is_enabled=True)

BREAKS = {
    "101 named by a priority alone": ("SBD-101", "broker priority High of WEST.Shop", "WEST", [
        dropped("There"), PRIORITY]),
    "101 to the wrong instance": ("SBD-101", "route There of WEST.Shop", "WEST", [
        altered("There", address=tcp("north"))]),
    "102 no route back": ("SBD-102", "database Store of EAST", "EAST", [dropped("Back", "Store")]),
    "102 back to the wrong instance": ("SBD-102", "database Store of EAST", "EAST", [
        altered("Back", "Store", address=tcp("north"))]),
    "102 a near miss on the way back": ("SBD-108", "route Back of EAST.Store", "EAST", [
        altered("Back", "Store", service_name="Till/")]),
    "103 expired on the way back": ("SBD-103", "route Back of EAST.Store", "EAST", [
        altered("Back", "Store", expires_at=NOW - 1)]),
    "103 expired": ("SBD-103", "route There of WEST.Shop", "WEST", [altered("There", expires_at=NOW - 1)]),
    "103 expired at this very instant": ("SBD-103", "route There of WEST.Shop", "WEST", [
        altered("There", expires_at=NOW)]),
    "103 expired and replaced": ("SBD-103", "route Old of WEST.Shop", "WEST", [
        created(route("Old", "Stock", "north", expires_at=NOW - 1))]),
    "104 expires soon": ("SBD-104", "route There of WEST.Shop", "WEST", [altered("There", expires_at=NOW + 86_399)]),
    "105 other id": ("SBD-105", "route There of WEST.Shop", "WEST", [altered("There", broker_instance=NOBODY)]),
    "106 wrong port": ("SBD-106", "route There of WEST.Shop", "WEST", [altered("There", address=tcp("east", 4023))]),
    "107 LOCAL": ("SBD-107", "route There of WEST.Shop", "WEST", [altered("There", address=LOCAL)]),
    "107 in msdb": ("SBD-107", "route In of WEST.msdb", "WEST", [created(route("In", "Gone", LOCAL), "msdb")]),
    "108 letter case": ("SBD-108", "route There of WEST.Shop", "WEST", [altered("There", service_name="stock")]),
    "108 blank": ("SBD-108", "route There of WEST.Shop", "WEST", [altered("There", service_name="Stock ")]),
    "109 msdb without LOCAL": ("SBD-109", "database msdb of EAST", "EAST", [MSDB_OPEN]),
    "110 msdb sends away": ("SBD-110", "route On of EAST.msdb", "EAST", [
        created(route("On", "Stock", "north"), "msdb"),
        EndpointAltered(name="Broker", is_message_forwarding_enabled=True)]),
    "111 forwarding off": ("SBD-111", "endpoint Broker of NORTH", "NORTH", [
        created(route("On", "Elsewhere", "east"), "msdb")]),
    "113 own address": ("SBD-113", "route Self of WEST.Shop", "WEST", [created(route("Self", "Till", "west"))]),
    "114 hidden services": ("SBD-114", "route Ask of WEST.Shop", "WEST", [
        ServiceCreated(database="Shop", service=Service(
            BROKER_CONFIGURATION_SERVICE, "dbo.Inbox", (NOTICE_CONTRACT,))),
        created(route("Ask", BROKER_CONFIGURATION_SERVICE, LOCAL))]),
    "115 nobody to ask": ("SBD-115", "route Ask of WEST.Shop", "WEST", [
        SHOP_OPEN, created(route("Ask", BROKER_CONFIGURATION_SERVICE, "north"))]),
    "115 without the contract": ("SBD-115", "route Ask of WEST.Shop", "WEST", [
        SHOP_OPEN,
        ServiceCreated(database="Shop", service=Service(BROKER_CONFIGURATION_SERVICE, "dbo.Inbox")),
        created(route("Ask", BROKER_CONFIGURATION_SERVICE, LOCAL))]),
    "117 no address in the name": ("SBD-117", "route Anywhere of EAST.Store", "EAST", [
        dropped("Back", "Store"), dropped("AutoCreatedLocal", "Store"),
        created(route("Anywhere", None, TransportAddress()), "Store")]),
    "118 duplicates": ("SBD-118", "route There of WEST.Shop", "WEST", [
        created(route("Again", "Stock", NetworkAddress("tcp://EAST:4022/", tcp("east").tcp)))]),
    "118 balanced": ("SBD-118", "route There of WEST.Shop", "WEST", [
        created(route("Second", "Stock", tcp("east.example.org")))]),
    "120 LOCAL in a mirrored database": ("SBD-120", "route Near of EAST.Store", "EAST", [
        DatabaseCreated(database="Annex", broker_instance=UUID(int=0xC)),
        QueueCreated(database="Annex", queue=Queue("dbo.Q")),
        ServiceCreated(database="Annex", service=Service("Annex", "dbo.Q", (DEFAULT_CONTRACT,))),
        PartnerSet(database="Store", partner_address="TCP://north:5022"),
        created(route("Near", "Annex", LOCAL), "Store")]),
    "201 broker off": ("SBD-201", "database Store of EAST", "EAST", [
        BrokerSwitched(database="Store", is_enabled=False)]),
    "202 msdb off": ("SBD-202", "database msdb of EAST", "EAST", [BrokerSwitched(database="msdb", is_enabled=False)]),
    "202 msdb off-line": ("SBD-202", "database msdb of EAST", "EAST", [
        DatabaseStateSet(database="msdb", state=DatabaseState.OFFLINE)]),
    "204 read-only": ("SBD-204", "database Store of EAST", "EAST", [
        DatabaseStateSet(database="Store", state=DatabaseState.READ_ONLY)]),
    "205 id of nobody": ("SBD-205", "route Dead of EAST.msdb", "EAST", [
        created(route("Dead", "Gone", LOCAL, broker_instance=NOBODY), "msdb")]),
    "301 no endpoint": ("SBD-301", "instance EAST", "EAST", [EndpointDropped(name="Broker")]),
    "302 stopped": ("SBD-302", "endpoint Broker of EAST", "EAST", [
        EndpointAltered(name="Broker", state=EndpointState.STOPPED)]),
    "304 encryption": ("SBD-304", "endpoint Broker of EAST", "EAST", [
        EndpointAltered(name="Broker", encryption="DISABLED")]),
    "401 no such service": ("SBD-401", "route Other of WEST.Shop", "WEST", [created(route("Other", "Gone", "east"))]),
    "403 directions": ("SBD-403", "contract Sale of WEST.Shop", "WEST", [
        ContractDropped(database="Shop", name="Sale"),
        ContractCreated(database="Shop", contract=Contract("Sale", (ContractUse("Order", SentBy.ANY),)))]),
    "404 stricter": ("SBD-404", "message type Order of WEST.Shop", "EAST", [
        MessageTypeAltered(database="Store", name="Order", validation=Validation.WELL_FORMED_XML)]),
    "405 queue off": ("SBD-405", "queue dbo.Inbox of EAST.Store", "EAST", [queue(is_enabled=False)]),
    "407 as nobody": ("SBD-407", "queue dbo.Inbox of EAST.Store", "EAST", [
        queue(activation=ActivationPatch(
            procedure_name="dbo.Read", max_queue_readers=2, execute_as="Nobody", is_enabled=True))]),
    "408 no readers": ("SBD-408", "queue dbo.Inbox of EAST.Store", "EAST", [
        queue(activation=ActivationPatch(
            procedure_name="dbo.Read", max_queue_readers=0, execute_as="SELF", is_enabled=True))]),
    "409 activation off": ("SBD-409", "queue dbo.Inbox of EAST.Store", "EAST", [
        queue(activation=ActivationPatch(procedure_name="dbo.Read", max_queue_readers=1, execute_as="SELF"))]),
    "411 retention": ("SBD-411", "queue dbo.Inbox of EAST.Store", "EAST", [queue(is_retention_enabled=True)]),
    "412 poison": ("SBD-412", "queue dbo.Inbox of EAST.Store", "EAST", [
        queue(is_poison_message_handling_enabled=False)]),
    "501 no SEND": ("SBD-501", "service Stock of EAST.Store", "EAST", [
        PermissionSet(database="Store", securable=Securable.SERVICE, name="Stock",
                      verb=PermissionVerb.REVOKE, grantee="public")]),
    "501 SEND denied": ("SBD-501", "service Stock of EAST.Store", "EAST", [
        PermissionSet(database="Store", securable=Securable.SERVICE, name="Stock",
                      verb=PermissionVerb.DENY, grantee="public")]),
}  # fmt: skip
WITHOUT_FIX = {
    "205 id of nobody",
    "304 encryption",
    "401 no such service",
    "403 directions",
    "118 balanced",
    "115 nobody to ask",
    "117 no address in the name",
}


@for_each("name", BREAKS)
def test_one_cause_makes_one_finding_and_its_fix_mends_it(name):
    code, where, instance, changes = BREAKS[name]
    estate = broken(instance, *changes)
    found = diagnosed(estate).findings
    assert [(each.code, subject_text(each.subject)) for each in found] == [(code, where)]
    (finding,) = found
    for language in ("en", "fr", "de"):
        assert "{" not in "".join(msgspec.structs.astuple(worded(finding, language)))
        assert all(said_of(change, language) for part in finding.fix for change in part.changes)
    assert bool(finding.fix) is (name not in WITHOUT_FIX)
    if finding.fix:
        after = diagnosed(mended(estate, finding)).findings
        assert finding.key not in {each.key for each in after}
        assert [each for each in after if each.severity is Severity.ERROR] == []


def test_the_sound_estate_is_sound():
    assert diagnosed(sound_estate()).findings == ()


LAGER = (
    ("STOCK", "letter case differs: at character 2 'T' (U+0054) instead of 't' (U+0074)"),
    ("Stock\u00a0", "at character 6 '\ufffd' (U+00A0) instead of nothing"),
    ("Stосk", "letters look alike and are others: at character 3 'о' (U+043E) instead of 'o' (U+006F)"),
    ("Stock/", "there is a slash at the end: at character 6 '/' (U+002F) instead of nothing"),
    ("St\u200bock", "at character 3 '\ufffd' (U+200B) instead of nothing"),
)


@pytest.mark.parametrize(("written", "said"), LAGER)
def test_a_near_miss_is_told_by_its_code_points(written, said):
    (finding,) = diagnosed(broken("WEST", altered("There", service_name=written))).findings
    assert finding.code == "SBD-108"
    assert said in worded(finding).text


@pytest.mark.parametrize("address", [tcp("east", 4023), tcp("north"), LOCAL])
def test_a_near_miss_whose_address_is_wrong_too_says_why_no_name_mends_it(address):
    (finding,) = (
        each
        for each in diagnosed(broken("WEST", altered("There", service_name="stock", address=address))).findings
        if each.code == "SBD-108"
    )
    assert finding.fix == ()
    assert worded(finding).text.endswith("The address of the route does not lead to it either.")
    assert "the address of the instance that has it" in worded(finding).cure


def test_a_service_of_another_kind_is_no_near_miss():
    found = diagnosed(broken("WEST", altered("There", service_name="Stocks"))).findings
    assert [(each.code, subject_text(each.subject)) for each in found] == [
        ("SBD-401", "route There of WEST.Shop"),
        ("SBD-101", "service Stock of EAST.Store"),
    ]


def test_a_loop_is_told_once_with_its_instances():
    estate = broken("WEST", created(route("Far", "Gone", "north")))
    for one, other in (("NORTH", "east"), ("EAST", "north")):
        estate = changed(
            estate,
            one,
            created(route("On", "Gone", other), "msdb"),
            EndpointAltered(name="Broker", is_message_forwarding_enabled=True),
        )
    (finding,) = diagnosed(estate).findings
    assert finding.code == "SBD-112"
    assert "NORTH → EAST → NORTH" in worded(finding).text


def test_two_active_brokers_with_one_id():
    estate = changed(
        sound_estate(),
        "NORTH",
        DatabaseCreated(database="Copy", broker_instance=STORE),
        QueueCreated(database="Copy", queue=Queue("dbo.Inbox")),
        ServiceCreated(database="Copy", service=Service("Stock", "dbo.Inbox", (DEFAULT_CONTRACT,))),
    )
    assert {each.code for each in diagnosed(estate).findings} == {"SBD-203"}


def test_a_copy_whose_broker_is_off_is_left_in_peace():
    estate = changed(
        sound_estate(),
        "NORTH",
        DatabaseCreated(database="Copy", broker_instance=STORE),
        QueueCreated(database="Copy", queue=Queue("dbo.Inbox")),
        ServiceCreated(database="Copy", service=Service("Stock", "dbo.Inbox", (DEFAULT_CONTRACT,))),
        BrokerSwitched(database="Copy", is_enabled=False),
    )
    assert diagnosed(estate).findings == ()


def test_a_missing_contract_is_copied_with_its_types():
    estate = broken("WEST", ContractDropped(database="Shop", name="Sale"))
    (finding,) = diagnosed(estate).findings
    assert (finding.code, subject_text(finding.subject)) == ("SBD-402", "database Shop of WEST")
    assert diagnosed(mended(estate, finding)).findings == ()


def test_findings_keep_their_key_while_the_fault_is_there():
    before = diagnosed(broken("EAST", dropped("Back", "Store"))).findings
    after = diagnosed(broken("EAST", dropped("Back", "Store"), queue(is_retention_enabled=True))).findings
    assert {each.key for each in before} <= {each.key for each in after}
    assert len({each.key for each in after}) == len(after)


def test_a_diagnosis_says_how_long_it_stands():
    assert diagnosed(sound_estate()).stands_until is None
    later = broken("WEST", altered("There", expires_at=NOW + 100_000))
    assert diagnosed(later).stands_until == NOW + 100_000 - 86_400
    soon = broken("WEST", altered("There", expires_at=NOW + 100))
    assert diagnosed(soon).stands_until == NOW + 100


def _together(names):
    """The sound estate with several things broken; what is refused after the others is left out."""
    estate = sound_estate()
    for name in names:
        _, _, instance, changes = BREAKS[name]
        with suppress(CatalogError):
            estate = changed(estate, instance, *changes)
    return estate


@examples(80, derandomize=True)
@given(st.lists(st.sampled_from(list(BREAKS)), min_size=2, max_size=3, unique=True))
def test_fixes_hold_where_several_things_are_broken(names):
    estate = _together(names)
    before = diagnosed(estate).findings
    for finding in before:
        if finding.fix:
            after = diagnosed(mended(estate, finding)).findings
            assert finding.key not in {each.key for each in after}, finding
            errors = {each.key for each in before if each.severity is Severity.ERROR}
            new = [each for each in after if each.severity is Severity.ERROR and each.key not in errors]
            assert new == [], (finding, new)
