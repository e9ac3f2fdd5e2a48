"""How an endpoint proves itself and encrypts, and who may connect to it, through the API."""

import time

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Endpoint
from brokerweb.topology.selectors.topology import topology_picture
from engine import api as engine
from tests.brokerweb.estates import PARIS, decide, make_estate, pair_catalogs
from tests.support.certificates import VAULT

pytestmark = pytest.mark.django_db

DAY = 86_400.0
PATH = "/estates/paire/instances/PARIS/endpoint"


def certificate(name: str, owner: str = "dbo", *, days_left: float = 365, is_own: bool = True) -> engine.Certificate:
    now = time.time()
    made = VAULT.new_certificate(MASTER_KEY, f"{name} of {owner}", now - 400 * DAY, now + days_left * DAY)
    assert made is not None
    facts, private_key = made
    fields = {field: getattr(facts, field) for field in facts.__struct_fields__}
    return engine.Certificate(name=name, owner=owner, private_key=private_key if is_own else None, **fields)


MASTER_KEY = VAULT.new_master_key()


def secured(paris: engine.InstanceCatalog, **days_left: float) -> engine.InstanceCatalog:
    """PARIS with a master key, certificates of its own, and LYON known by the user of a login."""
    changes = engine.security_changes
    user = engine.User(engine.UserName("Lyon"), login=engine.LoginName("LyonLogin"))
    return engine.apply_changes(
        paris,
        [
            changes.MasterKeyCreated(database="master", master_key=engine.MasterKey(MASTER_KEY)),
            *(
                changes.CertificateCreated(database="master", certificate=certificate(name, days_left=days))
                for name, days in days_left.items()
            ),
            engine.server_changes.LoginCreated(login=engine.Login(engine.LoginName("LyonLogin"))),
            changes.UserCreated(database="master", user=user),
            changes.CertificateCreated(database="master", certificate=certificate("LyonCert", "Lyon", is_own=False)),
        ],
    )


@pytest.fixture(scope="module")
def written(rows_of_file):
    paris, lyon = pair_catalogs()
    with rows_of_file():
        make_estate([secured(paris, Eigen=365, Alt=-10, Bald=12), lyon])


@pytest.fixture
def editor(written, api_as):
    return api_as(Role.EDITOR)


def endpoint(client) -> dict:
    topology = client.ask("GET", "/estates/paire").json()
    return next(each for each in topology["instances"] if each["name"] == "PARIS")["endpoint"]


def patch(client, revision: int = 1, **clauses: str):
    return client.ask("PATCH", PATH, clauses, If_Match=f'"{revision}"')


def test_the_picture_says_who_is_known_and_what_could_be_shown(editor):
    trust = endpoint(editor)["trust"]
    assert trust["certificate"] is None
    assert trust["usable_certificates"] == ["Eigen", "Bald"]
    (lyon,) = trust["peers"]
    assert (lyon["certificate"], lyon["owner"], lyon["login"]) == ("LyonCert", "Lyon", "LyonLogin")
    assert (lyon["may_connect"], lyon["validity"]) == (False, "valid")
    assert (trust["lets_strangers_in"], trust["connect_permissions"]) == (False, [])


def test_authentication_and_encryption_are_changed_in_one_revision_and_kept(editor):
    answer = patch(editor, authentication="CERTIFICATE [Bald]", encryption="SUPPORTED ALGORITHM AES")
    assert (answer.status_code, answer.json()["revision"]) == (200, 2)
    now = endpoint(editor)
    assert (now["authentication"], now["encryption"]) == ("CERTIFICATE [Bald]", "SUPPORTED ALGORITHM AES")
    shown = now["trust"]["certificate"]
    assert (shown["name"], shown["hindrance"], shown["validity"]) == ("Bald", None, "expires-soon")


def test_what_is_so_already_makes_no_revision(editor):
    assert patch(editor, authentication="WINDOWS NEGOTIATE").json()["revision"] == 1


@pytest.mark.parametrize(
    ("clauses", "status", "code", "pointer"),
    [
        ({"authentication": "CERTIFICATE [Fehlt]"}, 404, 15151, "/authentication"),
        ({"authentication": "CERTIFICATE [Alt]"}, 422, 28055, "/authentication"),
        ({"authentication": "CERTIFICATE [LyonCert]"}, 422, 28055, "/authentication"),
        ({"authentication": "PASSWORD"}, 422, 153, "/authentication"),
        ({"encryption": "PERHAPS"}, 422, 153, "/encryption"),
        ({"encryption": "DISABLED ALGORITHM AES"}, 422, 153, "/encryption"),
    ],
)
def test_what_the_engine_refuses_stands_at_its_field_and_changes_nothing(editor, clauses, status, code, pointer):
    answer = patch(editor, **clauses)
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["pointer"]) == (status, code, pointer)
    assert problem["cure"]
    assert endpoint(editor)["authentication"] == "WINDOWS NEGOTIATE"


def test_a_change_from_an_old_revision_is_refused(editor):
    assert patch(editor, encryption="DISABLED").status_code == 200
    assert patch(editor, encryption="SUPPORTED").status_code == 412


def test_connect_is_granted_denied_and_revoked(editor):
    path = PATH + "/permissions"
    for verb, may_connect, permissions in (
        ("GRANT", True, [{"grantee": "LyonLogin", "is_denied": False}]),
        ("DENY", False, [{"grantee": "LyonLogin", "is_denied": True}]),
        ("REVOKE", False, []),
    ):
        assert editor.decide(path, {"grantee": "lyonlogin", "verb": verb}).status_code == 200
        trust = endpoint(editor)["trust"]
        assert (trust["peers"][0]["may_connect"], trust["connect_permissions"]) == (may_connect, permissions)
    assert editor.decide(path, {"grantee": "LyonLogin", "verb": "REVOKE"}).json()["revision"] == 4
    assert editor.decide(path, {"grantee": "public", "verb": "GRANT"}).status_code == 200
    assert endpoint(editor)["trust"]["lets_strangers_in"] is True


def test_a_grantee_that_is_no_login_is_refused(editor):
    problem = editor.decide(PATH + "/permissions", {"grantee": "Nemo", "verb": "GRANT"}).json()
    assert (problem["code"], problem["pointer"]) == (15151, "/grantee")


def test_only_editors_change_how_an_endpoint_proves_itself(editor, api_as):
    operator = api_as(Role.OPERATOR)
    assert patch(operator, encryption="DISABLED").status_code == 403
    assert operator.ask("POST", PATH + "/permissions", {"grantee": "public", "verb": "GRANT"}).status_code == 403


def test_an_instance_without_endpoint_is_not_found(editor):
    assert decide(PARIS, [engine.EndpointDropped(name="Broker")]) == 2
    assert patch(editor, 2, encryption="DISABLED").status_code == 404


def test_a_certificate_that_is_gone_is_shown_as_missing():
    # An estate of its own: what was read of the other one at this revision is remembered.
    estate = make_estate(pair_catalogs(), name="andere")
    Endpoint.objects.filter(instance=estate.instances.get(name="PARIS")).update(authentication="CERTIFICATE [Weg]")
    (paris,) = (each for each in topology_picture("andere")["instances"] if each["name"] == "PARIS")
    assert paris["endpoint"]["trust"]["certificate"]["hindrance"] == "missing"


@pytest.mark.parametrize("clauses", [{}, {"authentication": None, "encryption": None}])
def test_a_change_of_nothing_is_refused_as_in_t_sql(editor, clauses):
    answer = patch(editor, **clauses)
    assert (answer.status_code, answer.json()["code"]) == (422, 7863)
    assert editor.ask("GET", "/estates/paire").json()["revision"] == 1
