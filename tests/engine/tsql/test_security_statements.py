"""T-SQL about users, keys, certificates and bindings: what is read, what it makes, what is refused (tsql.md 6)."""

import pytest

from engine.core.catalog.difference import diff
from engine.core.catalog.revision import new_instance
from engine.core.catalog.security import PrincipalKind
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from tests.support.certificates import VAULT, certificate
from tests.support.each import for_each
from tests.support.numbered_entropy import NumberedEntropy

NOW = UtcTime(1_700_000_000.0)
PARIS = InstanceName("PARIS")
YEAR = 365 * 86_400.0
KEY = "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Geheim!123'\n"
PUBLIC = certificate("Magasinier", "Fournisseur").certificate


def plan(text, *, onto=None, smith=VAULT):
    before = onto.catalogs if onto else {PARIS: new_instance(PARIS, NumberedEntropy())}
    first = parse_script("IF NOT EXISTS (SELECT 1) CREATE DATABASE Ventes", "avant.sql")
    return plan_import(
        [first, parse_script(text, "1.sql")],
        before,
        default_instance=PARIS,
        default_database=DatabaseName("Ventes"),
        now=NOW,
        entropy=NumberedEntropy(100),
        smith=smith,
    )


def ventes(made):
    assert made.problems == ()
    return made.catalogs[PARIS].databases[DatabaseName("Ventes")]


def numbers(made):
    return [problem.number for problem in made.problems]


def effects(made):
    return [row.effect for row in made.rows if row.file == "1.sql"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("CREATE USER u", PrincipalKind.USER),
        ("CREATE USER u WITHOUT LOGIN", PrincipalKind.USER),
        ("CREATE USER u FOR LOGIN [DOM\\x] WITH DEFAULT_SCHEMA = dbo", PrincipalKind.USER),
        ("CREATE USER u WITH PASSWORD = 'x'", PrincipalKind.USER),
        ("CREATE USER u FROM EXTERNAL PROVIDER", PrincipalKind.USER),
        ("CREATE USER u FOR CERTIFICATE c", PrincipalKind.MAPPED_TO_KEY),
        ("CREATE USER u FROM ASYMMETRIC KEY k", PrincipalKind.MAPPED_TO_KEY),
    ],
)
def test_users_in_all_their_forms(text, kind):
    found = ventes(plan(f"{text}\nGO\nCREATE QUEUE q"))
    assert {name: user.kind for name, user in found.users.items()} == {"u": kind}
    assert list(found.queues) == ["dbo.q"]


def test_a_certificate_whose_key_a_password_protects_needs_no_master_key():
    made = ventes(plan("CREATE CERTIFICATE c ENCRYPTION BY PASSWORD = 'Str0ng!' WITH SUBJECT = 'signs'"))
    found = made.certificates["c"]
    assert (made.master_key, found.private_key, found.is_password_protected) == (None, None, True)
    assert found.certificate


def test_a_certificate_is_made_with_its_private_key_sealed():
    text = "CREATE CERTIFICATE c AUTHORIZATION u WITH SUBJECT = N'Élan', EXPIRY_DATE = '2030-12-31'"
    found = ventes(plan(f"{KEY}CREATE USER u WITHOUT LOGIN\n{text}")).certificates["c"]
    assert (found.owner, found.starts_at, found.expires_at, found.key_bits) == ("u", NOW, 1_924_905_600.0, 2048)
    assert "Élan" in found.subject
    assert found.is_active_for_begin_dialog
    master = ventes(plan(KEY)).master_key
    assert master is not None
    assert VAULT.read_certificate(found.certificate).reference == found.reference


def test_its_private_key_opens_under_the_master_key_of_the_same_script():
    found = ventes(plan(KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's'"))
    own = found.certificates["c"]
    signature = VAULT.sign(found.master_key.key, own.private_key, b"x")
    assert VAULT.is_signed(own.certificate, b"x", signature)
    assert own.expires_at == NOW + YEAR


@pytest.mark.filterwarnings("ignore:Attribute's length must be")
@pytest.mark.parametrize("subject", ["x" * 65, "é" * 128, "x" * 4000])
def test_a_subject_may_be_longer_than_x_520_has_a_common_name(subject):
    found = ventes(plan(f"{KEY}CREATE CERTIFICATE c WITH SUBJECT = N'{subject}'")).certificates["c"]
    assert found.subject == f"CN={subject}"
    assert VAULT.read_certificate(found.certificate).subject == found.subject


@pytest.mark.parametrize(
    ("dates", "value"),
    [
        ("START_DATE = '1900-01-01'", "START_DATE"),
        ("START_DATE = '0001-01-01', EXPIRY_DATE = '1949-12-31'", "START_DATE"),
    ],
)
def test_dates_that_no_certificate_can_bear_are_named_with_their_place(dates, value):
    made = plan(f"{KEY}CREATE CERTIFICATE c WITH SUBJECT = 's',\n  {dates}")
    (problem,) = made.problems
    assert (problem.number, problem.line, problem.column) == (153, KEY.count("\n") + 2, 16)
    assert problem.text.startswith(f"{value} = '")
    assert problem.text.endswith("a certificate counts time from 1950 on")


def test_a_certificate_that_begins_in_the_last_year_ends_with_it():
    found = ventes(plan(f"{KEY}CREATE CERTIFICATE c WITH SUBJECT = 's', START_DATE = '9999-12-31'")).certificates["c"]
    assert (found.starts_at, found.expires_at) == (253_402_214_400.0, 253_402_300_799.0)


@pytest.mark.parametrize("form", ["2026-01-31", "20260131", "01/31/2026", "2026-01-31 00:00:00", "2026-01-31T00:00:00"])
def test_dates_are_read_in_their_usual_forms(form):
    made = plan(KEY + f"CREATE CERTIFICATE c WITH SUBJECT = 's', START_DATE = '2025-06-30', EXPIRY_DATE = '{form}'")
    assert ventes(made).certificates["c"].expires_at == 1_769_817_600.0


def test_a_public_certificate_is_given_by_its_bytes():
    text = f"CREATE CERTIFICATE c AUTHORIZATION u FROM BINARY = 0x{PUBLIC.hex().upper()} ACTIVE FOR BEGIN_DIALOG = OFF"
    found = ventes(plan(f"CREATE USER u\n{text}")).certificates["c"]
    assert (found.certificate, found.private_key, found.is_active_for_begin_dialog) == (PUBLIC, None, False)


def test_a_private_key_under_a_password_is_of_no_use_to_the_broker():
    found = ventes(plan(KEY + "CREATE CERTIFICATE c ENCRYPTION BY PASSWORD = 'x' WITH SUBJECT = 's'")).certificates["c"]
    assert (found.private_key, found.is_password_protected) == (None, True)


def test_alter_and_drop():
    first = plan(
        KEY
        + "CREATE USER u CREATE USER v CREATE CERTIFICATE c AUTHORIZATION u WITH SUBJECT = 's'\n"
        + "CREATE REMOTE SERVICE BINDING b TO SERVICE N'Entrepôt' WITH USER = u, ANONYMOUS = ON"
    )
    found = ventes(first).remote_service_bindings["b"]
    assert (found.service_name, found.user, found.is_anonymous, found.owner) == ("Entrepôt", "u", True, "dbo")
    second = plan(
        "ALTER REMOTE SERVICE BINDING b WITH USER = v ANONYMOUS = OFF\n"
        "ALTER CERTIFICATE c WITH ACTIVE FOR BEGIN_DIALOG = OFF\n"
        "ALTER MASTER KEY DROP ENCRYPTION BY SERVICE MASTER KEY",
        onto=first,
    )
    binding = ventes(second).remote_service_bindings["b"]
    assert (binding.user, binding.is_anonymous) == ("v", False)
    assert not ventes(second).certificates["c"].is_active_for_begin_dialog
    assert not ventes(second).master_key.is_encrypted_by_server
    third = plan(
        "ALTER MASTER KEY ADD ENCRYPTION BY SERVICE MASTER KEY\nALTER CERTIFICATE c REMOVE PRIVATE KEY\n"
        "ALTER MASTER KEY FORCE REGENERATE WITH ENCRYPTION BY PASSWORD = 'y'",
        onto=second,
    )
    assert ventes(third).certificates["c"].private_key is None
    assert ventes(third).master_key.key != ventes(second).master_key.key
    last = plan("DROP REMOTE SERVICE BINDING b DROP CERTIFICATE c DROP USER u DROP USER v DROP MASTER KEY", onto=third)
    empty = ventes(last)
    assert (empty.master_key, dict(empty.users), dict(empty.certificates), dict(empty.remote_service_bindings)) == (
        None, {}, {}, {},
    )  # fmt: skip


def test_a_service_has_an_owner_that_may_change():
    text = "CREATE USER u\nCREATE QUEUE q\nCREATE SERVICE s AUTHORIZATION u ON QUEUE q\nCREATE SERVICE t ON QUEUE q\n"
    found = ventes(plan(text + "ALTER AUTHORIZATION ON SERVICE::t TO u\nALTER AUTHORIZATION ON DATABASE::x TO sa"))
    assert {name: service.owner for name, service in found.services.items()} == {"s": "u", "t": "u"}


def test_an_owner_that_no_script_makes_is_made_with_a_warning():
    services = "CREATE SERVICE s AUTHORIZATION v ON QUEUE q\nCREATE SERVICE t AUTHORIZATION db_owner ON QUEUE q"
    made = plan(f"CREATE QUEUE q\n{services}")
    assert list(ventes(made).users) == ["v"]
    assert [(warning.line, "'v'" in warning.text) for warning in made.warnings] == [(2, True)]


def test_a_script_can_be_imported_twice():
    text = (
        KEY
        + "CREATE USER u WITHOUT LOGIN\nCREATE CERTIFICATE c AUTHORIZATION u WITH SUBJECT = 's'\n"
        + "CREATE REMOTE SERVICE BINDING b TO SERVICE 'x' WITH USER = u"
    )
    first = plan(text)
    again = plan(text, onto=first)
    assert again.problems == ()
    assert set(effects(again)) == {Effect.SAME}
    assert diff(first.catalogs[PARIS], again.catalogs[PARIS]) == ()


@for_each(
    ("text", "number"),
    [
        (KEY + KEY, None),
        ("CREATE CERTIFICATE c WITH SUBJECT = 's'", 15581),
        (KEY + "CREATE CERTIFICATE c WITH SUBJECT = ' '", 15297),
        (KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's', EXPIRY_DATE = '2001-01-01'", 15297),
        (KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's', EXPIRY_DATE = 'demain'", 153),
        (KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's', SUBJECT = 't'", 153),
        (KEY + "CREATE CERTIFICATE c WITH EXPIRY_DATE = '2030-01-01'", 102),
        ("CREATE CERTIFICATE c FROM BINARY = 0x00FF", 15297),
        ("CREATE CERTIFICATE c FROM BINARY = 0xABC", 15297),
        ("CREATE CERTIFICATE c FROM BINARY = 'x'", 102),
        ("CREATE CERTIFICATE c FROM FILE = 'c:\\c.cer'", 15208),
        ("CREATE CERTIFICATE c FROM FILE = 'c.cer' WITH PRIVATE KEY (FILE = 'c.pvk')", 15208),
        ("ALTER CERTIFICATE c REMOVE PRIVATE KEY", 15151),
        ("DROP CERTIFICATE c", 15151),
        ("DROP USER u", 15151),
        ("DROP MASTER KEY", 15151),
        ("CREATE USER a.b", 9609),
        ("CREATE USER u\nCREATE USER U FOR CERTIFICATE c", 15023),
        ("CREATE REMOTE SERVICE BINDING b TO SERVICE 's' WITH USER = u", 9611),
        ("CREATE REMOTE SERVICE BINDING b TO SERVICE 's' WITH USER = [public]", 28083),
        ("CREATE REMOTE SERVICE BINDING b TO SERVICE 's' WITH ANONYMOUS = ON", 102),
        ("CREATE REMOTE SERVICE BINDING b TO SERVICE 's' WITH USER = dbo, USER = dbo", 153),
        ("CREATE REMOTE SERVICE BINDING b TO SERVICE '' WITH USER = dbo", 9659),
        ("ALTER REMOTE SERVICE BINDING b WITH ANONYMOUS = ON", 15151),
        ("DROP REMOTE SERVICE BINDING b", 15151),
        ("ALTER AUTHORIZATION ON SERVICE::s TO dbo", 15151),
    ],
)
def test_what_is_wrong_has_its_number_and_changes_nothing(text, number):
    made = plan(text)
    assert numbers(made) == ([] if number is None else [number])
    if number is not None:
        assert made.changes == {}


def test_without_somebody_who_makes_keys_28054():
    assert numbers(plan(KEY, smith=None)) == [28054]


def test_no_password_is_kept_or_shown():
    made = plan(KEY + "CREATE CERTIFICATE c ENCRYPTION BY PASSWORD = 'Motdepasse7' WITH SUBJECT = 's'")
    shown = repr(made)
    assert "Geheim" not in shown
    assert "Motdepasse7" not in shown
