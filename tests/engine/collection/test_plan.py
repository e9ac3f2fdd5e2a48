"""A collected server becomes the instance that it is; what the estate has of it already is compared."""

from base64 import b64encode

import pytest

from engine.collection.plan import CollectedFile, plan_collections
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.difference import diff
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Activation, SentBy, Validation
from engine.core.catalog.permissions import Permission
from engine.core.catalog.revision import apply_changes
from engine.revisions import objects_of
from engine.security.vault import Vault
from engine.tsql.plan import Effect
from tests.engine.collection.documents import GUID, database, document, queue, route
from tests.engine.conformance.views.lively import lively_world
from tests.engine.tsql.test_sample_estate import load
from tests.support.collecting import as_saved, document_of
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.self_signed import self_signed

SMITH = Vault(b"k" * 32)


def plan(*documents, onto=None, left_out=(), instance=None):
    files = [
        CollectedFile(f"{number}.json", as_saved(each), instance, frozenset(left_out))
        for number, each in enumerate(documents)
    ]
    return plan_collections(files, onto or {}, entropy=NumberedEntropy(1000), smith=SMITH)


def comparable(catalog):
    """What views show of a catalog: neither permissions, nor who activation acts as, nor states and partners."""
    shown = {}
    for key, found in objects_of(catalog).items():
        if key.kind in ("instance", "endpoint", "login", "user", "master-key", "database", "certificate"):
            continue
        shown[key] = found
    return shown


SAMPLE = load({}).catalogs


@pytest.mark.parametrize("name", sorted(SAMPLE))
def test_the_views_of_a_sample_make_its_catalog_again(name):
    found = plan(document_of(SAMPLE[name]))
    assert not found.problems
    made, wanted = comparable(found.catalogs[name]), comparable(SAMPLE[name])
    expected = {
        key
        for key in wanted
        # What has nothing of the broker is left out; permissions are in no view, so services come closed.
        if any(key.database == each.casefold() for each in found.catalogs[name].databases)
    }
    assert set(made) == expected
    for key in expected:
        one, other = made[key].value, wanted[key].value
        for field in one.__struct_fields__:
            if not field.endswith("permissions"):
                assert getattr(one, field) == getattr(other, field), (key, field)
    for each in found.catalogs[name].databases.values():
        twin = SAMPLE[name].databases[each.name]
        assert (each.broker_instance, each.is_broker_enabled) == (twin.broker_instance, twin.is_broker_enabled)
    endpoint, twin = found.catalogs[name].endpoint, SAMPLE[name].endpoint
    assert (endpoint is None) == (twin is None)
    if endpoint is not None:
        assert (endpoint.port, endpoint.state, endpoint.is_message_forwarding_enabled) == (
            twin.port, twin.state, twin.is_message_forwarding_enabled,
        )  # fmt: skip


def test_a_lively_instance_comes_again_with_activation_priorities_and_schemas():
    for node in lively_world()[1:]:
        catalog = node.instance.catalog
        found = plan(document_of(catalog))
        assert not found.problems
        for name, each in found.catalogs[catalog.name].databases.items():
            twin = catalog.databases[name]
            assert set(each.queues) == set(twin.queues)
            assert each.priorities == twin.priorities
            # The view shows who SELF was, which is dbo here, and not that SELF was said.
            activations = {queue.name: queue.activation for queue in each.queues.values()}
            assert str(activations).replace("'dbo'", "'SELF'") == str(
                {queue.name: queue.activation for queue in twin.queues.values()}
            )


def test_importing_the_same_again_changes_nothing():
    before = plan(*(document_of(each) for each in SAMPLE.values()))
    again = plan(*(document_of(each) for each in SAMPLE.values()), onto=before.catalogs)
    assert (again.changes, again.created, again.problems) == ({}, (), ())
    assert {row.effect for row in again.rows} <= {Effect.SAME, Effect.IGNORED}


def test_the_changes_of_a_plan_lead_to_its_catalogs():
    found = plan(*(document_of(each) for each in SAMPLE.values()))
    for name, changes in found.changes.items():
        assert diff(apply_changes(InstanceCatalog(name=name), changes), found.catalogs[name]) == ()


TO_TARGET = {"is_sent_by_initiator": True, "is_sent_by_target": False}
BOTH_WAYS = {"is_sent_by_initiator": True, "is_sent_by_target": True}
VENDOR_MADE = {
    "service_message_types": [
        {"message_type_id": 14, "name": "DEFAULT", "validation": "N "},
        {"message_type_id": 65540, "name": "{//www.microsoft.com/databasemail/messages}SendMail", "validation": "N "},
        {"message_type_id": 65550, "name": "//Commande", "validation": "X "},
    ],
    "service_contracts": [
        {"service_contract_id": 65540, "name": "//www.microsoft.com/databasemail/v1.0/SendMail"},
        {"service_contract_id": 65550, "name": "//Commander"},
    ],
    "service_contract_message_usages": [
        {"service_contract_id": 65540, "message_type_id": 65540, **TO_TARGET},
        {"service_contract_id": 65550, "message_type_id": 65550, **BOTH_WAYS},
    ],
    "service_queues": [
        queue(1977058079, "QueryNotificationErrorsQueue", is_ms_shipped=True),
        queue(11, "ExternalMailQueue", is_ms_shipped=True),
        queue(12, "Réception", max_readers=4, activation_procedure="[Ventes].[dbo].[lire]", execute_as_principal_id=-2,
              is_activation_enabled=True, is_receive_enabled=False),
    ],
    "services": [
        {"service_id": 1, "name": "QueryNotificationService", "service_queue_id": 1977058079},
        {"service_id": 65536, "name": "ExternalMailService", "service_queue_id": 11},
        {"service_id": 65537, "name": "//Ventes", "service_queue_id": 12},
    ],
    "service_contract_usages": [
        {"service_id": 65536, "service_contract_id": 65540},
        {"service_id": 65537, "service_contract_id": 65550},
    ],
}  # fmt: skip


def test_what_the_product_made_is_left_out_and_what_people_made_comes():
    found = plan(document(**VENDOR_MADE))
    assert not found.problems
    made = found.catalogs["PARIS"].databases["Ventes"]
    assert list(made.message_types) == ["//Commande"]
    assert made.message_types["//Commande"].validation is Validation.WELL_FORMED_XML
    assert [(use.message_type, use.sent_by) for use in made.contracts["//Commander"].uses] == [
        ("//Commande", SentBy.ANY)
    ]
    assert list(made.contracts) == ["//Commander"]
    assert list(made.queues) == ["dbo.Réception"]
    assert made.queues["dbo.Réception"].activation == Activation("Ventes.dbo.lire", 4, "OWNER", is_enabled=True)
    assert not made.queues["dbo.Réception"].is_enabled
    assert list(made.services) == ["//Ventes"]
    assert list(made.routes) == []  # AutoCreatedLocal was dropped on this server


def test_databases_without_anything_of_the_broker_are_left_out_and_named():
    found = plan(document(database("Vide", routes=[route("AutoCreatedLocal", "LOCAL")]), routes=[route("r", "LOCAL")]))
    assert list(found.catalogs["PARIS"].databases) == ["Ventes", "master", "msdb"]
    assert [row.text for row in found.rows if row.object_name == "Vide"] == ["Nothing of the broker was made in it."]


def test_users_permissions_and_bindings_are_those_of_the_server():
    data, _ = self_signed("vendeur", kind="rsa")
    found = plan(
        document(
            **VENDOR_MADE,
            database_principals=[
                {"principal_id": 0, "name": "public", "type": "R"},
                {"principal_id": 1, "name": "dbo", "type": "S"},
                {"principal_id": 5, "name": "vendeur", "type": "S", "sid": "AQ=="},
                {"principal_id": 6, "name": "personne", "type": "S"},
                {"principal_id": 7, "name": "lecteurs", "type": "R"},
            ],
            database_permissions=[
                {"class": 17, "major_id": 65537, "grantee_principal_id": 5, "permission_name": "SEND", "state": "G"},
                {"class": 17, "major_id": 65537, "grantee_principal_id": 7, "permission_name": "SEND", "state": "G"},
                {"class": 1, "major_id": 12, "grantee_principal_id": 0, "permission_name": "RECEIVE", "state": "D"},
            ],
            certificates=[
                {
                    "certificate_id": 256,
                    "name": "c",
                    "principal_id": 5,
                    "pvt_key_encryption_type": "MK",
                    "encoded": b64encode(data).decode(),
                },
            ],
            remote_service_bindings=[
                {
                    "remote_service_binding_id": 65536,
                    "name": "b",
                    "remote_service_name": "//Lager",
                    "remote_principal_id": 5,
                    "is_anonymous_on": True,
                },
            ],
        )
        | {"server_principals": [{"principal_id": 260, "name": "DOM\\vendeur", "type": "U", "sid": "AQ=="}]}
    )
    assert not found.problems
    catalog = found.catalogs["PARIS"]
    made = catalog.databases["Ventes"]
    assert {name: user.login for name, user in made.users.items()} == {"vendeur": "DOM\\vendeur"}
    assert list(catalog.logins) == ["DOM\\vendeur"]
    assert made.services["//Ventes"].send_permissions == (Permission("vendeur"),)
    assert made.queues["dbo.Réception"].receive_permissions == (Permission("public", is_denied=True),)
    assert made.certificates["c"].certificate == data
    assert made.certificates["c"].private_key is None
    assert (made.remote_service_bindings["b"].user, made.remote_service_bindings["b"].is_anonymous) == ("vendeur", True)
    assert any("'lecteurs'" in each.text for each in found.warnings)


def test_states_and_mirroring_partners():
    mirrored = [{"mirroring_role": 2, "mirroring_partner_name": "TCP://lyon:5022"}]
    found = plan(
        document(
            {**database("Miroir", state=1), "sys": None, "problem": "…", "database_mirroring": mirrored},
            database("Lecture", guid=GUID[:-1] + "0", is_read_only=True, routes=[route("r", "LOCAL")]),
        )
    )
    assert not found.problems
    made = found.catalogs["PARIS"].databases
    assert (made["Miroir"].state, made["Miroir"].partner_address) == (DatabaseState.MIRROR, "TCP://lyon:5022")
    assert made["Lecture"].state is DatabaseState.READ_ONLY


def test_a_wrong_object_is_told_with_its_number_and_may_be_left_out():
    wrong = document(routes=[route("a", "LOCAL"), route("b", "nowhere"), route("c", "LOCAL")])
    found = plan(wrong)
    assert found.changes == {}
    (problem,) = found.problems
    (row,) = [row for row in found.rows if row.effect is Effect.ERROR]
    assert (problem.number, problem.line, row.object_name) == (9744, row.line, "b")
    again = plan(wrong, left_out={row.line})
    assert not again.problems
    assert list(again.catalogs["PARIS"].databases["Ventes"].routes) == ["a", "c"]


ENDPOINT = {
    "endpoint_id": 65536, "name": "Broker", "state_desc": "STARTED", "is_message_forwarding_enabled": False,
    "message_forwarding_size": 10, "connection_auth_desc": "NTLM", "encryption_algorithm_desc": "AES",
}  # fmt: skip
TCP = {"endpoint_id": 65536, "port": 4022}


@pytest.mark.parametrize(
    ("endpoint", "tcp", "number"),
    [
        ({}, {}, None),
        ({}, {"ip_address": "::0001"}, None),
        ({"state_desc": "STARTING"}, {}, 13608),
        ({}, {"ip_address": "10.0.0"}, 153),
        ({}, {"port": 2**70}, 5837),
        ({"message_forwarding_size": -1}, {}, 5839),
    ],
)
def test_an_endpoint_with_a_value_that_is_none_is_refused_by_number(endpoint, tcp, number):
    server = {"service_broker_endpoints": [{**ENDPOINT, **endpoint}], "tcp_endpoints": [{**TCP, **tcp}]}
    found = plan({**document(database("Ventes", routes=[route("a", "LOCAL")])), **server})
    assert [problem.number for problem in found.problems] == ([] if number is None else [number])


def test_what_the_server_does_not_show_stays_and_is_told():
    before = plan(document(routes=[route("a", "LOCAL"), route("b", "TCP://x:1")])).catalogs
    found = plan(document(routes=[route("b", "TCP://y:1")]), onto=before)
    routes = found.catalogs["PARIS"].databases["Ventes"].routes
    assert {name: str(each.address) for name, each in routes.items()} == {"a": "LOCAL", "b": "TCP://y:1"}
    assert [row.effect for row in found.rows if row.object_name == "b"] == [Effect.CHANGE]
    assert any("route 'a'" in each.text for each in found.warnings)


def test_counts_of_the_transmission_queue_are_told_and_change_nothing():
    waiting = [
        {"to_service_name": "//Lager", "transmission_status": "…", "messages": 7, "oldest": "2026-01-01T00:00:00"}
    ]
    found = plan(document(routes=[route("r", "LOCAL")], transmission_queue=waiting))
    (backlog,) = found.backlogs
    assert (backlog.instance, backlog.database, backlog.to_service, backlog.messages) == (
        "PARIS",
        "Ventes",
        "//Lager",
        7,
    )


def test_a_server_may_get_another_name():
    assert list(plan(document(routes=[route("r", "LOCAL")]), instance="PARIS-NEUF").catalogs) == ["PARIS-NEUF"]


def test_names_that_would_be_taken_for_others_are_refused_and_the_rest_is_told():
    views = {
        "schemas": [{"schema_id": 1, "name": "dbo"}, {"schema_id": 5, "name": "s.x"}],
        "database_principals": [{"principal_id": 7, "name": "Self", "type": "S"}],
        "service_queues": [
            queue(11, "in_a_schema", schema_id=5),
            queue(12, "as_a_user", max_readers=1, activation_procedure="[s.x].[p]", execute_as_principal_id=7),
            queue(13, "as_owner", max_readers=1, activation_procedure="[s.x].[p]", execute_as_principal_id=-2),
        ],
    }
    found = plan(document(**views))
    assert [(problem.number, problem.text) for problem in found.problems] == [
        (153, "Schema s.x cannot be used for 'in_a_schema': the schema of a queue has no dot in its name here"),
        (
            153,
            "EXECUTE AS 'Self' cannot be used for 'as_a_user': a user of that name cannot be told from the keyword",
        ),
    ]
    refused = [row.line for row in found.rows if row.effect.value == "error"]
    made = plan(document(**views), left_out=refused).catalogs["PARIS"].databases["Ventes"]
    assert made.queues["dbo.as_owner"].activation == Activation("[s.x].p", 1, "OWNER", is_enabled=False)
