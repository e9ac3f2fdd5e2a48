"""Certificates of an endpoint, logins, and who may connect (tsql.md 8, 12; protocol.md 7.3)."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contracts.codec import binary_catalog_decoder, binary_encoder
from engine.core.catalog.changes import DatabaseCreated, EndpointAltered, EndpointCreated, EndpointDropped
from engine.core.catalog.difference import diff
from engine.core.catalog.endpoint_clauses import authentication_of, encryption_of
from engine.core.catalog.endpoint_rules import credential_of, may_connect
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.link_trust import Hindrance, trust_of
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.revision import apply_change, apply_changes
from engine.core.catalog.security import Login, MasterKey, User, Validity, validity_of
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyCreated,
    MasterKeyRegenerated,
    UserCreated,
    UserDropped,
)
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, LoginDropped, PermissionVerb
from engine.core.vocabulary.errors import CatalogError
from tests.support.certificates import EPOCH, VAULT, YEAR, certificate, master_key

MASTER = {"database": "master"}
DAY = 86_400.0
GRANT, DENY, REVOKE = PermissionVerb
OWN = Endpoint("Broker", 4022, EndpointState.STARTED, authentication="CERTIFICATE [Own]")


def permission(verb: PermissionVerb, grantee: str, name: str = "Broker") -> ConnectPermissionSet:
    return ConnectPermissionSet(name=name, verb=verb, grantee=grantee)


BEGINNING = (
    DatabaseCreated(database="master", broker_instance=UUID(int=1)),
    MasterKeyCreated(master_key=MasterKey(master_key()), **MASTER),
    LoginCreated(login=Login("LyonLogin")),
    UserCreated(user=User("Lyon", login="LyonLogin"), **MASTER),
    UserCreated(user=User("Nobody"), **MASTER),
    CertificateCreated(certificate=certificate("Own", "dbo"), **MASTER),
    CertificateCreated(certificate=certificate("Theirs", "Lyon", is_private=False), **MASTER),
)


def paris(*changes) -> InstanceCatalog:
    return apply_changes(InstanceCatalog(name="PARIS"), (*BEGINNING, *changes))


def refusal(catalog: InstanceCatalog, change) -> int:
    before = binary_encoder.encode(catalog)
    with pytest.raises(CatalogError) as caught:
        apply_change(catalog, change)
    assert binary_encoder.encode(catalog) == before
    return caught.value.number


def created(authentication: str) -> EndpointCreated:
    return EndpointCreated(endpoint=Endpoint("Broker", 4022, authentication=authentication))


@pytest.mark.parametrize(
    ("change", "number"),
    [
        (created("CERTIFICATE [Missing]"), 15151),
        (created("CERTIFICATE [Theirs]"), 28055),
        (created("CERTIFICATE Own"), 153),
        (created("CERTIFICATE []"), 153),
        (created("WINDOWS WINDOWS"), 153),
        (created("CERTIFICATE [Own] CERTIFICATE [Own]"), 153),
        (created("KERBEROS"), 153),
        (created(""), 153),
        (EndpointCreated(endpoint=Endpoint("Broker", 4022, encryption="REQUIRED AES")), 153),
        (EndpointCreated(endpoint=Endpoint("Broker", 4022, encryption="DISABLED ALGORITHM AES")), 153),
        (EndpointCreated(endpoint=Endpoint("Broker", 4022, encryption="REQUIRED ALGORITHM AES AES")), 153),
        (permission(GRANT, "LyonLogin"), 15151),
    ],
)
def test_what_no_endpoint_may_say_is_refused(change, number):
    assert refusal(paris(), change) == number


@pytest.mark.parametrize("clause", ["CERTIFICATE [own]", "WINDOWS NTLM CERTIFICATE [OWN]", "CERTIFICATE [Own] WINDOWS"])
def test_8_an_endpoint_names_a_certificate_in_any_letter_case(clause: str):
    catalog = paris(created(clause))
    assert credential_of(catalog) is not None
    assert trust_of(catalog, EPOCH).shown.name == "Own"


def test_28055_the_master_key_must_be_one_that_the_server_opens():
    closed = MasterKeyAltered(is_encrypted_by_server=False, **MASTER)
    assert refusal(paris(closed), EndpointCreated(endpoint=OWN)) == 28055


def test_3716_the_certificate_of_the_endpoint_is_neither_dropped_nor_robbed_of_its_key():
    catalog = paris(EndpointCreated(endpoint=OWN))
    assert refusal(catalog, CertificateDropped(name="OWN", **MASTER)) == 3716
    assert refusal(catalog, CertificateAltered(name="own", drops_private_key=True, **MASTER)) == 3716
    apply_change(catalog, CertificateAltered(name="Own", is_active_for_begin_dialog=False, **MASTER))
    apply_change(catalog, CertificateDropped(name="Theirs", **MASTER))
    apply_change(catalog, EndpointAltered(name="Broker", authentication="WINDOWS"))
    apply_change(catalog, CertificateDropped(name="Own", **MASTER))


def test_3716_the_master_key_stays_open_while_the_endpoint_shows_a_certificate_under_it():
    catalog = paris(EndpointCreated(endpoint=OWN))
    renewed = MasterKeyRegenerated(master_key=MasterKey(VAULT.new_master_key()), **MASTER)
    assert refusal(catalog, renewed) == 3716
    assert refusal(catalog, MasterKeyAltered(is_encrypted_by_server=False, **MASTER)) == 3716
    apply_change(catalog, EndpointAltered(name="Broker", authentication="WINDOWS"))
    apply_change(catalog, renewed)
    assert refusal(catalog, EndpointAltered(name="Broker", authentication="CERTIFICATE [Own]")) == 28055


def test_what_a_store_of_before_names_is_told_as_missing_or_without_key():
    catalog = paris(EndpointCreated(endpoint=OWN))
    catalog.databases["master"].master_key = None
    assert trust_of(catalog, EPOCH).shown.hindrance is Hindrance.NO_PRIVATE_KEY
    del catalog.databases["master"].certificates["Own"]
    assert trust_of(catalog, EPOCH).shown.hindrance is Hindrance.MISSING


@pytest.mark.parametrize(
    ("change", "number"),
    [
        (LoginCreated(login=Login("LYONLOGIN")), 15025),
        (LoginCreated(login=Login("SA")), 15025),
        (LoginCreated(login=Login("public")), 15025),
        (LoginCreated(login=Login(" ")), 1038),
        (LoginDropped(name="sa"), 15150),
        (LoginDropped(name="Nemo"), 15151),
        (permission(GRANT, "Nemo"), 15151),
        (permission(DENY, "sa"), 4624),
        (permission(GRANT, "LyonLogin", name="Other"), 15151),
    ],
)
def test_logins_and_permissions_that_cannot_be_are_refused(change, number):
    assert refusal(paris(EndpointCreated(endpoint=OWN)), change) == number


@pytest.mark.parametrize(
    ("permissions", "lyon", "nobody", "strangers"),
    [
        ([], False, False, False),
        ([(GRANT, "lyonlogin")], True, False, False),
        ([(GRANT, "LyonLogin"), (REVOKE, "LYONLOGIN")], False, False, False),
        ([(GRANT, "PUBLIC")], True, True, True),
        ([(GRANT, "public"), (DENY, "LyonLogin")], False, True, True),
        ([(GRANT, "LyonLogin"), (DENY, "public")], False, False, False),
        ([(DENY, "LyonLogin"), (GRANT, "LyonLogin")], True, False, False),
    ],
)
def test_7_3_a_denial_counts_more_than_a_grant_and_public_is_everybody(permissions, lyon, nobody, strangers):
    catalog = paris(EndpointCreated(endpoint=OWN), *(permission(verb, grantee) for verb, grantee in permissions))
    asked = (may_connect(catalog, "lyon"), may_connect(catalog, "Nobody"), may_connect(catalog, "public"))
    assert asked == (lyon, nobody, strangers)
    assert may_connect(catalog, "dbo")


def test_a_login_takes_its_permissions_along_and_an_endpoint_all_of_them():
    catalog = paris(EndpointCreated(endpoint=OWN), permission(GRANT, "LyonLogin"), permission(GRANT, "public"))
    apply_change(catalog, LoginDropped(name="LyonLogin"))
    assert list(catalog.connect_permissions) == ["public"]
    apply_change(catalog, LoginCreated(login=Login("LyonLogin")))
    apply_change(catalog, EndpointDropped(name="Broker"))
    assert dict(catalog.connect_permissions) == {}


def test_an_orphaned_user_has_what_public_has():
    catalog = paris(EndpointCreated(endpoint=OWN), permission(GRANT, "LyonLogin"), LoginDropped(name="LyonLogin"))
    assert not may_connect(catalog, "Lyon")


@pytest.mark.parametrize(
    ("days_left", "validity"),
    [(-1, Validity.EXPIRED), (29, Validity.EXPIRES_SOON), (31, Validity.VALID), (3 * 365, Validity.NOT_YET_VALID)],
)
def test_a_certificate_is_said_to_expire_thirty_days_ahead(days_left: float, validity: Validity):
    own = certificate("Own", "dbo")
    assert validity_of(own, own.expires_at - days_left * DAY) is validity


def test_trust_tells_what_could_be_shown_and_who_is_known():
    old = certificate("Old", "dbo", starts=-2 * YEAR, ends=-YEAR)
    catalog = paris(CertificateCreated(certificate=old, **MASTER), EndpointCreated(endpoint=OWN))
    trust = trust_of(catalog, EPOCH)
    assert (trust.usable, trust.shown.hindrance, trust.shown.validity) == (("Own",), None, Validity.VALID)
    (peer,) = trust.peers
    assert (peer.certificate, peer.owner, peer.login, peer.may_connect) == ("Theirs", "Lyon", "LyonLogin", False)
    assert trust_of(InstanceCatalog(name="EMPTY"), EPOCH).shown is None


def test_a_catalog_of_before_has_no_logins_and_is_read():
    catalog = binary_catalog_decoder.decode(binary_encoder.encode({"name": "PARIS", "databases": {}}))
    assert (dict(catalog.logins), dict(catalog.connect_permissions)) == ({}, {})


def test_the_clauses_are_read_as_written():
    assert authentication_of("CERTIFICATE [a]]b WINDOWS] WINDOWS NTLM").methods == ("CERTIFICATE", "NTLM")
    assert authentication_of("CERTIFICATE [a]]b WINDOWS] WINDOWS NTLM").certificate == "a]b WINDOWS"
    assert encryption_of("SUPPORTED").algorithms == ("AES",)
    assert encryption_of("DISABLED").algorithms == ()


_NAMES = st.sampled_from(["Own", "OWN", "Next", "Theirs"])
_LOGINS = st.sampled_from(["LyonLogin", "lyonlogin", "Other", "public"])
_CHANGES = st.one_of(
    st.builds(LoginCreated, login=st.builds(Login, _LOGINS)),
    st.builds(LoginDropped, name=_LOGINS),
    st.builds(ConnectPermissionSet, name=st.just("Broker"), verb=st.sampled_from(PermissionVerb), grantee=_LOGINS),
    st.builds(
        EndpointCreated,
        endpoint=st.builds(
            Endpoint, st.sampled_from(["Broker", "Autre"]), st.just(4022), authentication=st.just("CERTIFICATE [own]")
        ),
    ),
    st.builds(
        EndpointAltered,
        name=st.just("Broker"),
        authentication=_NAMES.map(lambda name: f"CERTIFICATE [{name}]") | st.just("WINDOWS"),
    ),
    st.builds(EndpointDropped, name=st.sampled_from(["Broker", "Autre"])),
    st.builds(CertificateDropped, name=_NAMES, **{key: st.just(value) for key, value in MASTER.items()}),
    st.builds(
        CertificateCreated,
        certificate=st.builds(
            certificate, _NAMES, st.sampled_from(["dbo", "Lyon"]), subject=st.sampled_from(["one", "two", "three"])
        ),
        database=st.just("master"),
    ),
    st.builds(UserDropped, name=st.just("Lyon"), database=st.just("master")),
    st.builds(
        UserCreated,
        user=st.builds(User, st.just("Lyon"), login=st.none() | st.just("Other")),
        database=st.just("master"),
    ),
    st.builds(MasterKeyRegenerated, master_key=st.just(MasterKey(master_key())), database=st.just("master")),
)


def _reached(changes) -> InstanceCatalog:
    catalog = paris()
    for change in changes:
        try:
            apply_change(catalog, change)
        except CatalogError:
            continue
    return catalog


@given(st.lists(_CHANGES, max_size=15).map(_reached), st.lists(_CHANGES, max_size=15).map(_reached))
def test_the_difference_of_two_instances_leads_from_one_to_the_other(before: InstanceCatalog, after: InstanceCatalog):
    reached = apply_changes(before, diff(before, after))
    assert diff(reached, after) == ()
    assert reached.endpoint == after.endpoint or reached.endpoint.name.lower() == after.endpoint.name.lower()
    assert {(each.grantee.lower(), each.is_denied) for each in reached.connect_permissions.values()} == {
        (each.grantee.lower(), each.is_denied) for each in after.connect_permissions.values()
    }
    assert {name.lower() for name in reached.logins} == {name.lower() for name in after.logins}
    assert credential_of(reached) == credential_of(after)
