"""What the rows of views say of conversations, queues, routes and connections (views.md 1, 2)."""

from uuid import UUID

import pytest

from engine.core.catalog.changes import DatabaseStateSet, PriorityHonoured, QueueAltered, RouteDropped
from engine.core.catalog.database import DatabaseState
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.moment import NEVER_SET
from tests.engine.conformance.views.lively import lively_world
from tests.support.mirrored import MirroredWorld
from tests.support.view_reading import page_of, rows_of
from tests.support.world import EPOCH, World, route


@pytest.fixture
def nodes():
    return lively_world()[1:]


def by(rows, column):
    return {row[column]: row for row in rows}


def test_endpoints_join_services_contracts_and_groups(nodes):
    paris = nodes[0]
    endpoints = rows_of(paris, "sys.conversation_endpoints", "Ventes")
    services = by(rows_of(paris, "sys.services", "Ventes"), "service_id")
    contracts = by(rows_of(paris, "sys.service_contracts", "Ventes"), "service_contract_id")
    groups = by(rows_of(paris, "sys.conversation_groups", "Ventes"), "conversation_group_id")
    assert len(endpoints) == 4
    assert len(groups) == 4
    for endpoint in endpoints:
        assert contracts[endpoint["service_contract_id"]]["name"] == "DEFAULT"
        assert services[endpoint["service_id"]]["name"] in ("Client", "Caisse")
        assert groups[endpoint["conversation_group_id"]]["service_id"] == endpoint["service_id"]


def test_both_sides_of_a_conversation_have_its_id_and_a_handle_of_their_own(nodes):
    paris = nodes[0]
    (target,) = rows_of(paris, "sys.conversation_endpoints", "Ventes", where={"is_initiator": "0"})
    (initiator,) = rows_of(paris, "sys.conversation_endpoints", "Ventes", where={"far_service": "Caisse"})
    assert initiator["conversation_id"] == target["conversation_id"]
    assert initiator["conversation_handle"] != target["conversation_handle"]
    assert (initiator["is_initiator"], target["is_initiator"]) == (1, 0)
    assert (initiator["send_sequence"], target["receive_sequence"]) == (1, 1)
    assert (initiator["state"], initiator["state_desc"]) == ("CO", "CONVERSING")


def test_the_transmission_status_is_the_conversations_and_the_same_in_all_its_rows(nodes):
    paris = nodes[0]
    (lost,) = rows_of(paris, "sys.transmission_queue", "Ventes", where={"to_service_name": "Nulle"})
    assert lost["message_body"] == b"quatre"
    assert lost["enqueue_time"] == EPOCH + 5
    paris.say("Ventes", lost["conversation_handle"], "cinq")
    rows = rows_of(paris, "sys.transmission_queue", "Ventes", where={"to_service_name": "Nulle"})
    assert [row["message_sequence_number"] for row in rows] == [0, 1]
    assert len({row["transmission_status"] for row in rows}) == 1


def test_an_end_is_marked_in_the_transmission_queue():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"]))
    paris.define(RouteDropped(database="Ventes", name="AutoCreatedLocal"))
    plain = paris.begin("Ventes", "Client", "Nulle")
    paris.say("Ventes", plain, "x")
    paris.end("Ventes", plain)
    message, end = rows_of(paris, "sys.transmission_queue", "Ventes")
    assert (message["is_end_of_dialog"], end["is_end_of_dialog"], end["is_conversation_error"]) == (False, True, False)
    assert end["message_type_name"].endswith("/EndDialog")
    assert end["transmission_status"].startswith("9750: ")


def test_an_error_is_marked_in_the_transmission_queue():
    paris = lively_world()[1]
    (dialog,) = rows_of(paris, "sys.conversation_endpoints", "Ventes", where={"far_service": "Prüfung"})
    paris.end("Ventes", dialog["conversation_handle"], error_code=1, error_description="assez")
    (error,) = rows_of(paris, "sys.transmission_queue", "Ventes", where={"to_service_name": "Prüfung"})
    assert (error["is_conversation_error"], error["is_end_of_dialog"]) == (True, False)
    assert error["message_type_name"].endswith("/Error")


def test_routes_show_their_clauses_and_automatic_ones_their_documented_id(nodes):
    routes = by(rows_of(nodes[0], "sys.routes", "Ventes"), "name")
    assert routes["AutoCreatedLocal"]["route_id"] == 65536
    assert routes["AutoCreatedLocal"]["address"] == "LOCAL"
    assert routes["to Prüfung by hub"]["address"] == "TCP://hub:4022"
    assert len({row["route_id"] for row in routes.values()}) == len(routes)


def test_objects_keep_their_ids_over_a_restart(nodes):
    paris = nodes[0]
    names = ("sys.routes", "sys.services", "sys.service_queues", "sys.service_message_types", "sys.databases")
    before = [page_of(paris, name, "Ventes").rows for name in names]
    paris.kill()
    paris.start()
    assert [page_of(paris, name, "Ventes").rows for name in names] == before


def test_queues_show_their_clauses(nodes):
    (archive,) = rows_of(nodes[0], "sys.service_queues", "Ventes", where={"name": "Archive"})
    assert (archive["max_readers"], archive["activation_procedure"], archive["is_activation_enabled"]) == (
        3,
        "dbo.lire",
        True,
    )
    assert (archive["execute_as_principal_id"], archive["type"], archive["create_date"]) == (-2, "SQ", NEVER_SET)
    (usage,) = rows_of(
        nodes[0], "sys.service_queue_usages", "Ventes", where={"service_queue_id": str(archive["object_id"])}
    )
    assert rows_of(nodes[0], "sys.services", "Ventes", where={"service_id": str(usage["service_id"])})[0]["name"] == (
        "Archive"
    )


def test_a_message_type_shows_its_validation_and_collection(nodes):
    (order,) = rows_of(nodes[0], "sys.service_message_types", "Ventes", where={"name": "//Commande"})
    assert (order["validation"], order["validation_desc"]) == ("X ", "XML")
    (usage,) = rows_of(nodes[0], "sys.message_type_xml_schema_collection_usages", "Ventes")
    assert (usage["message_type_id"], usage["xml_collection_id"]) == (
        order["message_type_id"],
        order["xml_collection_id"],
    )


def test_a_connection_counts_what_went_over_it(nodes):
    rows = by(rows_of(nodes[0], "sys.dm_broker_connections"), "principal_name")
    assert (rows["HUB"]["state"], rows["HUB"]["state_desc"], rows["HUB"]["is_accept"]) == (4, "LOGGED_IN", False)
    assert rows["HUB"]["total_fragments_sent"] >= 2
    assert rows["HUB"]["login_state_desc"] == "ONLINE"
    assert rows["HUB"]["connect_time"] <= rows["HUB"]["login_time"] <= rows["HUB"]["last_activity_time"]


def test_a_forwarder_shows_what_waits_in_it_as_old_as_it_is(nodes):
    (row,) = rows_of(nodes[1], "sys.dm_broker_forwarded_messages")
    assert (row["to_service_name"], row["from_service_name"]) == ("Prüfung", "Client")
    assert (row["adjacent_broker_address"], row["message_sequence_number"]) == ("TCP://berlin:4022", 1)
    assert 0 <= row["time_consumed"] < row["time_to_live"]


def test_ids_of_brokers_are_text_in_capitals_where_the_vendor_has_text(nodes):
    (endpoint,) = rows_of(nodes[0], "sys.conversation_endpoints", "Ventes", where={"far_service": "Prüfung"})
    (lager,) = rows_of(nodes[2], "sys.databases", where={"name": "Lager"})
    assert endpoint["far_broker_instance"] == str(lager["service_broker_guid"]).upper()
    assert isinstance(lager["service_broker_guid"], UUID)


def test_a_view_of_a_database_shows_no_rows_of_another():
    world = World()
    paris = world.instance(
        "PARIS", world.database("Ventes", ["Client"], route("x", "lyon")), world.database("Stock", [])
    )
    paris.begin("Ventes", "Client", "Nulle")
    assert len(rows_of(paris, "sys.conversation_endpoints", "Ventes")) == 1
    assert rows_of(paris, "sys.conversation_endpoints", "Stock") == []
    assert [row["name"] for row in rows_of(paris, "sys.routes", "Stock")] == ["AutoCreatedLocal"]


def test_a_priority_shows_its_criteria_null_where_it_is_any(nodes):
    (rule,) = rows_of(nodes[1], "sys.conversation_priorities", "Halle")
    (service,) = rows_of(nodes[1], "sys.services", "Halle", where={"name": "Tor"})
    assert (rule["name"], rule["priority"], rule["local_service_id"]) == ("Eilig", 8, service["service_id"])
    assert (rule["service_contract_id"], rule["remote_service_name"]) == (None, None)
    sides = rows_of(nodes[1], "sys.conversation_endpoints", "Halle")
    assert {side["priority"] for side in sides} == {8}


def test_whether_a_database_honours_priorities_is_shown():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", []))
    shown = [rows_of(node, "sys.databases", where={"name": "Ventes"})]
    node.define(PriorityHonoured(database="Ventes", is_honoured=True))
    shown.append(rows_of(node, "sys.databases", where={"name": "Ventes"}))
    assert [rows[0]["is_honor_broker_priority_on"] for rows in shown] == [False, True]


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (DatabaseState.ONLINE, ("MULTI_USER", False, 0, "ONLINE")),
        (DatabaseState.SINGLE_USER, ("SINGLE_USER", False, 0, "ONLINE")),
        (DatabaseState.READ_ONLY, ("MULTI_USER", True, 0, "ONLINE")),
        (DatabaseState.OFFLINE, ("MULTI_USER", False, 6, "OFFLINE")),
        (DatabaseState.MIRROR, ("MULTI_USER", False, 1, "RESTORING")),
    ],
)
def test_the_state_of_a_database_is_shown(state, shown):
    world = World()
    node = world.instance("PARIS", world.database("Ventes", []))
    node.define(DatabaseStateSet(database="Ventes", state=state))
    (row,) = rows_of(node, "sys.databases", where={"name": "Ventes"})
    assert (row["user_access_desc"], row["is_read_only"], row["state"], row["state_desc"]) == shown


def test_partners_of_a_mirrored_pair_are_shown_with_their_roles_and_all_else_is_null():
    world = MirroredWorld()
    found = []
    for node in (world.lyon, world.berlin):
        rows = {row["database_id"]: row for row in rows_of(node, "sys.database_mirroring")}
        names = {row["database_id"]: row["name"] for row in rows_of(node, "sys.databases")}
        assert rows.keys() == names.keys()
        mirrored = [row for row in rows.values() if row["mirroring_guid"] is not None]
        assert len(mirrored) == 1
        found += mirrored
        others = [row for row in rows.values() if row["mirroring_guid"] is None]
        assert all(set(row.values()) == {None, row["database_id"]} for row in others)
    principal, copy = found
    assert principal["mirroring_guid"] == copy["mirroring_guid"]
    told = [(each["mirroring_role"], each["mirroring_role_desc"], each["mirroring_state_desc"]) for each in found]
    assert told == [(1, "PRINCIPAL", "SYNCHRONIZED"), (2, "MIRROR", "SYNCHRONIZED")]
    assert (principal["mirroring_partner_name"], principal["mirroring_partner_instance"]) == (
        "TCP://berlin:5022",
        "berlin",
    )
    assert (copy["mirroring_partner_instance"], copy["mirroring_witness_name"]) == ("lyon", None)


@pytest.mark.parametrize(("state", "number"), [(DatabaseState.OFFLINE, 942), (DatabaseState.MIRROR, 954)])
def test_a_query_that_opens_its_database_is_refused_where_that_is_closed_and_others_look_on(state, number):
    world = World()
    node = world.instance("PARIS", world.database("Ventes", []))
    node.define(DatabaseStateSet(database="Ventes", state=state))
    with pytest.raises(LocalProtocolError) as refused:
        page_of(node, "sys.routes", "Ventes", opens=True)
    assert refused.value.number == number
    assert page_of(node, "sys.databases", "Ventes", opens=True).rows
    assert rows_of(node, "sys.routes", "Ventes")


def test_a_monitor_and_the_reader_it_started_join_the_queue_from_every_database(nodes):
    hub = nodes[1]
    for asks in ("Halle", "msdb"):
        (monitor,) = rows_of(hub, "sys.dm_broker_queue_monitors", asks)
        (task,) = rows_of(hub, "sys.dm_broker_activated_tasks", asks)
        (queue,) = rows_of(hub, "sys.service_queues", "Halle", where={"name": "Tor"})
        (database,) = rows_of(hub, "sys.databases", asks, where={"name": "Halle"})
        assert (monitor["queue_id"], monitor["database_id"]) == (queue["object_id"], database["database_id"])
        assert (task["queue_id"], task["database_id"]) == (queue["object_id"], database["database_id"])
        assert (monitor["state"], monitor["last_empty_rowset_time"]) == ("NOTIFIED", None)
        assert monitor["last_activated_time"] is not None
        assert (task["spid"], task["procedure_name"], task["execute_as"]) == (1, "dbo.öffnen", 1)


def test_what_came_for_a_queue_that_is_off_is_in_the_transmission_queue_of_its_target():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"]))
    node.define(QueueAltered(database="Ventes", name="dbo.Caisse", is_enabled=False))
    node.say("Ventes", node.begin("Ventes", "Client", "Caisse"), "1")
    (waiting,) = rows_of(node, "sys.transmission_queue", "Ventes")
    assert (waiting["to_service_name"], waiting["from_service_name"]) == ("Caisse", "Client")
    assert waiting["transmission_status"].startswith("9617")
    handle = {"conversation_handle": str(waiting["conversation_handle"])}
    assert rows_of(node, "sys.transmission_queue", "Ventes", where=handle) == [waiting]
    assert rows_of(node, "dbo.Caisse", "Ventes") == []
    node.define(QueueAltered(database="Ventes", name="dbo.Caisse", is_enabled=True))
    assert rows_of(node, "sys.transmission_queue", "Ventes") == []
    assert [row["message_body"] for row in rows_of(node, "dbo.Caisse", "Ventes")] == [b"1"]
