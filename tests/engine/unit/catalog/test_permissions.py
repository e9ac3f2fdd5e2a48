"""Permissions in the catalog: what may be said, what goes with what, and the way from one catalog to another."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.changes import (
    CatalogChange,
    DatabaseCreated,
    QueueAltered,
    QueueCreated,
    ServiceAltered,
    ServiceCreated,
    ServiceDropped,
)
from engine.core.catalog.difference import diff
from engine.core.catalog.objects import Queue, Service
from engine.core.catalog.permission_rules import guarded_services
from engine.core.catalog.permissions import EVERYBODY, Permission, Securable, is_permitted
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.security import User
from engine.core.catalog.security_changes import PermissionSet, UserCreated, UserDropped
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.vocabulary.errors import CatalogError
from tests.support.numbered_entropy import NumberedEntropy

ENTROPY = NumberedEntropy()
NAMES = ("Anne", "Bernd", "public")


def made(*changes):
    return apply_changes(
        new_instance("PARIS", ENTROPY),
        [
            DatabaseCreated(database="Ventes", broker_instance=ENTROPY.new_uuid()),
            QueueCreated(database="Ventes", queue=Queue("q")),
            ServiceCreated(database="Ventes", service=Service("s", "q")),
            *(UserCreated(database="Ventes", user=User(name)) for name in ("Anne", "Bernd")),
            *changes,
        ],
    )


def change(verb, grantee, securable="SERVICE", name=None):
    return PermissionSet(
        database="Ventes",
        securable=Securable(securable),
        name=name or ("s" if securable == "SERVICE" else "dbo.q"),
        verb=PermissionVerb(verb),
        grantee=grantee,
    )


def senders(catalog):
    return catalog.databases["Ventes"].services["s"].send_permissions


def test_services_and_queues_are_born_open_whatever_the_value_says():
    catalog = made(
        QueueCreated(database="Ventes", queue=Queue("r", receive_permissions=())),
        ServiceCreated(database="Ventes", service=Service("t", "r", send_permissions=())),
    )
    database = catalog.databases["Ventes"]
    assert database.services["t"].send_permissions == EVERYBODY
    assert database.queues["dbo.r"].receive_permissions == EVERYBODY
    assert guarded_services(catalog) == frozenset()


def test_a_grantee_is_spelled_as_its_user_and_named_once():
    catalog = made(change("GRANT", "anne"), change("DENY", "ANNE"), change("GRANT", "PUBLIC"))
    assert senders(catalog) == (*EVERYBODY, Permission("Anne", is_denied=True))


@pytest.mark.parametrize(
    ("refused", "number"),
    [
        (change("GRANT", "Nemo"), 15151),
        (change("GRANT", "Anne", name="nowhere"), 15151),
        (change("GRANT", "Anne", "QUEUE", "dbo.nowhere"), 15151),
        (change("GRANT", "dbo"), 4624),
        (change("REVOKE", "DBO", "QUEUE"), 4624),
        (change("DENY", "db_owner"), 4617),
        (msgspec.structs.replace(change("GRANT", "Anne"), database="Weg"), 911),
    ],
)
def test_what_is_refused_changes_nothing(refused, number):
    catalog = made()
    before = msgspec.msgpack.encode(catalog)
    with pytest.raises(CatalogError) as caught:
        apply_changes(catalog, [refused])
    assert caught.value.number == number
    assert msgspec.msgpack.encode(catalog) == before


def test_the_owner_of_a_service_is_granted_nothing():
    owned = ServiceAltered(database="Ventes", name="s", owner="Anne")
    with pytest.raises(CatalogError) as caught:
        made(owned, change("GRANT", "anne"))
    assert caught.value.number == 4624


def test_a_new_owner_leaves_its_permission_behind():
    catalog = made(change("DENY", "Anne"), ServiceAltered(database="Ventes", name="s", owner="anne"))
    assert senders(catalog) == EVERYBODY


def test_permissions_go_with_their_user_and_stay_when_all_else_changes():
    catalog = made(
        change("REVOKE", "public"),
        change("GRANT", "Anne"),
        change("DENY", "Bernd"),
        change("DENY", "Anne", "QUEUE"),
        QueueAltered(database="Ventes", name="q", is_retention_enabled=True),
        ServiceAltered(database="Ventes", name="s", adds=("DEFAULT",)),
        UserDropped(database="Ventes", name="anne"),
    )
    assert senders(catalog) == (Permission("Bernd", is_denied=True),)
    assert catalog.databases["Ventes"].queues["dbo.q"].receive_permissions == EVERYBODY
    again = apply_changes(
        catalog,
        [
            ServiceDropped(database="Ventes", name="s"),
            ServiceCreated(database="Ventes", service=Service("s", "q")),
        ],
    )
    assert senders(again) == EVERYBODY


@pytest.mark.parametrize(
    ("permissions", "principal", "expected"),
    [
        (EVERYBODY, "Anne", True),
        ((), "Anne", False),
        ((), "public", False),
        ((), "dbo", True),
        ((), "DB_OWNER", True),
        ((), "besitzer", True),
        ((Permission("Anne"),), "ANNE", True),
        ((Permission("Anne"),), "Bernd", False),
        ((Permission("Anne", is_denied=True), *EVERYBODY), "Anne", False),
        ((Permission("Anne", is_denied=True), *EVERYBODY), "Bernd", True),
        ((Permission("Anne"), Permission("public", is_denied=True)), "Anne", False),
        ((Permission("public", is_denied=True),), "Besitzer", True),
    ],
)
def test_who_is_permitted(permissions, principal, expected):
    assert is_permitted(permissions, principal, "Besitzer") is expected


def test_guarded_is_what_not_everybody_may_send_to_or_its_owner_not_receive():
    guarded = frozenset({("Ventes", "s")})
    owned = ServiceAltered(database="Ventes", name="s", owner="Anne")
    assert guarded_services(made(change("DENY", "Anne"))) == guarded
    assert guarded_services(made(change("REVOKE", "public"))) == guarded
    assert guarded_services(made(owned, change("REVOKE", "public", "QUEUE"))) == guarded
    assert guarded_services(made(change("REVOKE", "public", "QUEUE"))) == frozenset()


def test_a_catalog_from_before_permissions_is_open():
    """Stored catalogs have no such fields; they mean what they meant."""
    stored = msgspec.to_builtins(Service("s", "q"))
    del stored["send_permissions"]
    assert msgspec.convert(stored, Service).send_permissions == EVERYBODY


changes_drawn = st.lists(
    st.builds(
        change,
        st.sampled_from(["GRANT", "DENY", "REVOKE"]),
        st.sampled_from(NAMES),
        st.sampled_from(["SERVICE", "QUEUE"]),
    ),
    max_size=6,
)


def meaning(catalog):
    database = catalog.databases["Ventes"]
    return set(senders(catalog)), set(database.queues["dbo.q"].receive_permissions), database.services["s"].owner


@given(changes_drawn, changes_drawn, st.sampled_from(["dbo", "Anne"]), st.sampled_from(["dbo", "Bernd"]))
def test_the_difference_leads_from_any_permissions_to_any_others(first, second, owner, next_owner):
    def with_owner(changes, name):
        own = [] if name == "dbo" else [ServiceAltered(database="Ventes", name="s", owner=name)]
        kept = [each for each in changes if each.grantee != name or each.securable is Securable.QUEUE]
        return made(*kept, *own)

    before, after = with_owner(first, owner), with_owner(second, next_owner)
    after.databases["Ventes"].broker_instance = before.databases["Ventes"].broker_instance
    for name in ("master", "msdb"):
        after.databases[name] = before.databases[name]
    found = diff(before, after)
    assert meaning(apply_changes(before, found)) == meaning(after)
    assert diff(apply_changes(before, found), after) == ()


def test_a_permission_travels_as_a_change():
    each = change("DENY", "Anne")
    assert msgspec.json.decode(msgspec.json.encode(each), type=CatalogChange) == each
