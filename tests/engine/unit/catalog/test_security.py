"""Users, master keys, certificates and bindings: what is refused changes nothing (tsql.md 6; protocol.md 9)."""

import msgspec
import pytest

from engine.contracts.codec import catalog_change_decoder, catalog_decoder, json_encoder
from engine.core.catalog.changes import ServiceAltered, ServiceCreated
from engine.core.catalog.difference import diff
from engine.core.catalog.objects import Service
from engine.core.catalog.revision import apply_changes
from engine.core.catalog.security import MasterKey, PrincipalKind, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyCreated,
    MasterKeyDropped,
    MasterKeyRegenerated,
    RemoteServiceBindingAltered,
    RemoteServiceBindingCreated,
    RemoteServiceBindingDropped,
    UserCreated,
    UserDropped,
)
from engine.core.vocabulary.dialog_security import SealedKey
from tests.support.catalogs import database, refusal_of, ventes
from tests.support.certificates import VAULT, certificate, master_key
from tests.support.each import for_each

OWN = certificate("Propre", "Vendeur")
THEIRS = certificate("Leur", "Fournisseur", is_private=False)
BINDING = RemoteServiceBinding("Liaison", "Entrepôt", "Fournisseur")
IN = {"database": "Ventes"}
BASE = (
    MasterKeyCreated(master_key=MasterKey(master_key()), **IN),
    UserCreated(user=User("Vendeur"), **IN),
    UserCreated(user=User("Fournisseur"), **IN),
    UserCreated(user=User("Clé", PrincipalKind.MAPPED_TO_KEY), **IN),
    CertificateCreated(certificate=OWN, **IN),
    CertificateCreated(certificate=THEIRS, **IN),
    RemoteServiceBindingCreated(binding=BINDING, **IN),
)
change = msgspec.structs.replace


def secure(*further):
    return apply_changes(ventes(), [*BASE, *further])


def created(**fields):
    return CertificateCreated(certificate=change(certificate("Neuf", "Vendeur"), **fields), **IN)


def bound(**fields):
    binding = change(RemoteServiceBinding("Autre", "Prüfung", "Fournisseur"), **fields)
    return RemoteServiceBindingCreated(binding=binding, **IN)


@for_each(
    ("refused", "number"),
    [
        (MasterKeyCreated(master_key=MasterKey(master_key()), **IN), 15578),
        (MasterKeyDropped(**IN), 15580),
        (UserCreated(user=User("VENDEUR"), **IN), 15023),
        (UserCreated(user=User("dbo"), **IN), 15023),
        (UserCreated(user=User("Public"), **IN), 15023),
        (UserCreated(user=User(" "), **IN), 1038),
        (UserDropped(name="Personne", **IN), 15151),
        (UserDropped(name="dbo", **IN), 15150),
        (UserDropped(name="public", **IN), 15150),
        (UserDropped(name="vendeur", **IN), 3716),
        (created(name="PROPRE"), 15232),
        (created(reference=OWN.reference), 15232),
        (created(owner="Personne"), 15151),
        (created(name=""), 1038),
        (created(certificate=b""), 15297),
        (created(starts_at=9e9), 15297),
        (CertificateAltered(name="Rien", is_active_for_begin_dialog=True, **IN), 15151),
        (CertificateDropped(name="Rien", **IN), 15151),
        (bound(name="LIAISON"), 2714),
        (bound(service_name="Entrepôt"), 9619),
        (bound(service_name=""), 8412),
        (bound(service_name="x" * 257), 8412),
        (bound(user="Personne"), 9611),
        (bound(user="public"), 28083),
        (bound(user="db_owner"), 28083),
        (bound(user="Clé"), 28083),
        (bound(owner="Personne"), 15151),
        (RemoteServiceBindingAltered(name="Rien", is_anonymous=True, **IN), 15151),
        (RemoteServiceBindingAltered(name="Liaison", user="Personne", **IN), 9611),
        (RemoteServiceBindingAltered(name="Liaison", user="Clé", **IN), 28083),
        (RemoteServiceBindingDropped(name="Rien", **IN), 15151),
        (ServiceAltered(name="Commandes", owner="Personne", **IN), 15151),
        (ServiceCreated(service=Service("Neuf", "dbo.File", (), "Personne"), **IN), 15151),
        (change(UserDropped(name="Vendeur", **IN), database="Rien"), 911),
    ],
)
def test_bad_input_gives_its_number_and_changes_nothing(refused, number):
    assert refusal_of(refused, secure()) == number


@pytest.mark.parametrize("refused", [MasterKeyDropped(**IN), MasterKeyAltered(is_encrypted_by_server=False, **IN)])
def test_without_a_master_key_there_is_none_to_change(refused):
    assert refusal_of(refused, ventes()) == 15151


def test_a_private_key_needs_a_master_key():
    assert refusal_of(CertificateCreated(certificate=change(OWN, owner="dbo"), **IN), ventes()) == 15581


def test_a_user_may_go_that_a_binding_names_but_nothing_belongs_to():
    found = database(secure(CertificateDropped(name="leur", **IN), UserDropped(name="fournisseur", **IN)))
    assert list(found.users) == ["Vendeur", "Clé"]
    assert found.remote_service_bindings["Liaison"].user == "Fournisseur"


def test_a_regenerated_master_key_loses_the_private_keys_under_the_old_one():
    found = database(secure(MasterKeyRegenerated(master_key=MasterKey(VAULT.new_master_key()), **IN)))
    assert [each.private_key for each in found.certificates.values()] == [None, None]


def test_alter_changes_what_is_given_and_nothing_else():
    found = database(
        secure(
            CertificateAltered(name="PROPRE", is_active_for_begin_dialog=False, **IN),
            CertificateAltered(name="PROPRE", **IN),
            RemoteServiceBindingAltered(name="LIAISON", is_anonymous=True, **IN),
            RemoteServiceBindingAltered(name="LIAISON", user="Vendeur", **IN),
            MasterKeyAltered(is_encrypted_by_server=False, **IN),
        )
    )
    assert found.certificates["Propre"] == change(OWN, is_active_for_begin_dialog=False)
    assert found.remote_service_bindings["Liaison"] == change(BINDING, is_anonymous=True, user="Vendeur")
    assert not found.master_key.is_encrypted_by_server
    gone = database(secure(CertificateAltered(name="Propre", drops_private_key=True, **IN), MasterKeyDropped(**IN)))
    assert (gone.certificates["Propre"].private_key, gone.master_key) == (None, None)


VARIANTS = (
    (),
    (RemoteServiceBindingDropped(name="Liaison", **IN),),
    (RemoteServiceBindingAltered(name="Liaison", is_anonymous=True, user="Vendeur", **IN),),
    (CertificateAltered(name="Propre", is_active_for_begin_dialog=False, **IN),),
    (CertificateAltered(name="Propre", drops_private_key=True, **IN), MasterKeyDropped(**IN)),
    (CertificateDropped(name="Leur", **IN), UserDropped(name="Fournisseur", **IN)),
    (
        CertificateDropped(name="Propre", **IN),
        UserDropped(name="Vendeur", **IN),
        UserCreated(user=User("vendeur"), **IN),
    ),
    (
        UserDropped(name="Clé", **IN),
        UserCreated(user=User("Clé"), **IN),
        ServiceAltered(name="Commandes", owner="clé", **IN),
    ),
    (MasterKeyRegenerated(master_key=MasterKey(SealedKey(b"neuf")), **IN),),
    (MasterKeyAltered(is_encrypted_by_server=False, **IN),),
    (
        RemoteServiceBindingDropped(name="Liaison", **IN),
        RemoteServiceBindingCreated(binding=change(BINDING, service_name="Prüfung"), **IN),
    ),
    (CertificateDropped(name="Propre", **IN), created(name="Propre")),
)


@for_each("after", range(len(VARIANTS) + 1))
@for_each("before", range(len(VARIANTS) + 1))
def test_the_difference_leads_from_any_of_them_to_any_other(before, after):
    """The last one has none of it."""
    catalogs = [*(secure(*variant) for variant in VARIANTS), ventes()]
    start, end = catalogs[before], catalogs[after]
    changes = diff(start, end)
    found = apply_changes(start, changes)
    assert diff(found, end) == ()
    assert spelled_alike(database(found)) == spelled_alike(database(end))
    assert (changes == ()) is (before == after)


def spelled_alike(found):
    """What two spellings of one name leave the same."""
    text = msgspec.json.encode(msgspec.to_builtins(found)).decode()
    return sorted(text.casefold())


@pytest.mark.parametrize("each", BASE, ids=lambda each: type(each).__name__)
def test_changes_travel_as_json(each):
    assert catalog_change_decoder.decode(json_encoder.encode(each)) == each


def test_the_catalog_travels_as_json():
    catalog = secure()
    assert catalog_decoder.decode(json_encoder.encode(catalog)) == catalog
