"""Checks of certificates, bindings and permissions, on an estate whose dialogs and connections are secured."""

import msgspec
import pytest

from engine.core.catalog.changes import EndpointAltered, ServiceAltered
from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import Login, User
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateDropped,
    MasterKeyAltered,
    PermissionSet,
    UserCreated,
)
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, PermissionVerb
from engine.diagnosis.diagnose import diagnose
from engine.diagnosis.finding import Severity
from engine.diagnosis.pair import EncryptionWanted, PairQuestion, diagnose_pair
from engine.diagnosis.saying import said as said_of
from engine.diagnosis.words import subject_text, worded
from tests.support.certificates import EPOCH, bound, certificate, certified, keys, owned, users
from tests.support.diagnosed_estates import changed, mended, sound_estate

DAY = 86_400.0
SELLER, KEEPER = "Seller", "Keeper"


def secured(**sellers):
    """The sound estate with full dialog security from Till to Stock."""
    estate = changed(
        sound_estate(),
        "WEST",
        *keys("Shop"),
        *users("Shop", SELLER, "Supplier"),
        *certified("Shop", certificate(SELLER, SELLER, **sellers), certificate(KEEPER, "Supplier", is_private=False)),
        *owned("Shop", "Till", SELLER),
        *bound("Shop", "Stock", "Supplier"),
    )
    return changed(
        estate,
        "EAST",
        *keys("Store"),
        *users("Store", KEEPER, "Buyer"),
        *certified("Store", certificate(KEEPER, KEEPER), certificate(SELLER, "Buyer", is_private=False, **sellers)),
        *owned("Store", "Stock", KEEPER),
    )


def found(estate):
    return diagnose(estate, EPOCH).findings


def test_a_secured_estate_is_sound():
    assert found(secured()) == ()


BREAKS = {
    "501": ("SBD-501", "EAST", True, [
        PermissionSet(database="Store", securable=Securable.SERVICE, name="Stock",
                      verb=PermissionVerb.REVOKE, grantee="public")]),
    "503": ("SBD-503", "WEST", True, [
        CertificateAltered(database="Shop", name=KEEPER, is_active_for_begin_dialog=False)]),
    "503 none": ("SBD-503", "WEST", False, [CertificateDropped(database="Shop", name=KEEPER)]),
    "504": ("SBD-504", "WEST", False, [CertificateAltered(database="Shop", name=SELLER, drops_private_key=True)]),
    "504 none": ("SBD-504", "WEST", False, [CertificateDropped(database="Shop", name=SELLER)]),
    "505": ("SBD-505", "WEST", True, [MasterKeyAltered(database="Shop", is_encrypted_by_server=False)]),
    "505 at the target": ("SBD-505", "EAST", True, [MasterKeyAltered(database="Store", is_encrypted_by_server=False)]),
    "506": ("SBD-506", "EAST", False, [CertificateDropped(database="Store", name=SELLER)]),
    "507": ("SBD-507", "EAST", False, [ServiceAltered(database="Store", name="Stock", owner="dbo")]),
    "508": ("SBD-508", "WEST", True, certified("Shop", certificate("Older", SELLER, ends=100 * DAY))),
}  # fmt: skip


@pytest.mark.parametrize("name", BREAKS)
def test_one_cause_makes_one_finding_and_its_fix_mends_it(name):
    code, instance, has_fix, changes = BREAKS[name]
    estate = changed(secured(), instance, *changes)
    (finding,) = found(estate)
    assert (finding.code, bool(finding.fix)) == (code, has_fix)
    for language in ("en", "fr", "de"):
        assert "{" not in "".join(msgspec.structs.astuple(worded(finding, language)))
        assert all(said_of(change, language) for part in finding.fix for change in part.changes)
    if has_fix:
        after = found(mended(estate, finding))
        assert finding.key not in {each.key for each in after}
        assert [each for each in after if each.severity is Severity.ERROR] == []


def test_a_certificate_that_expires_soon_is_told_at_both_sides():
    told = found(secured(ends=10 * DAY))
    assert [(each.code, each.subject.instance) for each in told] == [("SBD-509", "EAST"), ("SBD-509", "WEST")]
    assert "expires in 10 days" in worded(told[0]).text


def test_a_pair_that_is_expected_to_be_unsecured_is_told_of_its_binding():
    question = PairQuestion(from_service="Till", to_service="Stock", encryption=EncryptionWanted.OFF)
    assert [each.code for each in diagnose_pair(secured(), EPOCH, question).findings] == ["SBD-511"]
    question = PairQuestion(from_service="Till", to_service="Stock")
    assert diagnose_pair(secured(), EPOCH, question).findings == ()


# --- connections -----------------------------------------------------------------------------------------------------


def shows(estate, instance):
    """The endpoint proves itself by a certificate of master."""
    return changed(
        estate,
        instance,
        *keys("master"),
        *certified("master", certificate(instance, "dbo")),
        EndpointAltered(name="Broker", authentication=f"CERTIFICATE [{instance}]"),
    )


def knows(estate, instance, peer, *, grants=True):
    """The peer's certificate is there, and its login may connect."""
    grant = ConnectPermissionSet(name="Broker", verb=PermissionVerb.GRANT, grantee=peer)
    return changed(
        estate,
        instance,
        LoginCreated(login=Login(peer)),
        UserCreated(database="master", user=User(peer, login=peer)),
        *certified("master", certificate(f"{peer} public", peer, is_private=False, subject=peer)),
        *([grant] if grants else []),
    )


def test_one_end_by_certificate_and_the_other_by_windows():
    assert [each.code for each in found(shows(sound_estate(), "EAST"))] == ["SBD-303"]


def test_a_peer_that_is_not_known_or_may_not_connect():
    both = shows(shows(sound_estate(), "EAST"), "WEST")
    assert [(each.code, each.subject.instance) for each in found(both)] == [("SBD-307", "EAST"), ("SBD-307", "WEST")]
    known = knows(knows(both, "EAST", "WEST"), "WEST", "EAST", grants=False)
    (finding,) = found(known)
    assert (finding.code, finding.subject.instance) == ("SBD-305", "WEST")
    assert found(mended(known, finding)) == ()


def test_an_endpoint_that_shows_an_expired_certificate():
    estate = changed(
        sound_estate(),
        "EAST",
        *keys("master"),
        *certified("master", certificate("Old", "dbo", ends=-DAY)),
        EndpointAltered(name="Broker", authentication="WINDOWS CERTIFICATE [Old]"),
    )
    assert [(each.code, subject_text(each.subject)) for each in found(estate)] == [
        ("SBD-306", "endpoint Broker of EAST")
    ]
