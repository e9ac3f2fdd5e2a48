"""T-SQL about logins, CONNECT on the endpoint and its certificate: read, made, refused (tsql.md 8, 12)."""

import pytest

from engine.core.catalog.endpoint_rules import may_connect
from engine.core.catalog.revision import new_instance
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from tests.support.certificates import VAULT
from tests.support.numbered_entropy import NumberedEntropy

NOW = UtcTime(1_700_000_000.0)
PARIS = InstanceName("PARIS")
CERTIFICATE = (
    "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Geheim!123'\n"
    "CREATE CERTIFICATE Own WITH SUBJECT = 'PARIS', EXPIRY_DATE = '2040-01-01'\n"
)
ENDPOINT = "CREATE ENDPOINT e AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE Own)\n"
EARLY = "CREATE CERTIFICATE c WITH SUBJECT = 'x', START_DATE = '2023-01-01', EXPIRY_DATE = '2023-12-01'\n"
LATE = "CREATE CERTIFICATE c WITH SUBJECT = 'x', EXPIRY_DATE = '2023-11-01', START_DATE = '2023-01-01'\n"
COMING = "CREATE CERTIFICATE c WITH SUBJECT = 'x', START_DATE = '2030-01-01', EXPIRY_DATE = '2031-01-01'\n"


def plan(text: str, onto=None):
    before = onto.catalogs if onto else {PARIS: new_instance(PARIS, NumberedEntropy())}
    return plan_import(
        [parse_script(text, "1.sql")],
        before,
        default_instance=PARIS,
        now=NOW,
        entropy=NumberedEntropy(100),
        smith=VAULT,
    )


def paris(made):
    assert made.problems == ()
    return made.catalogs[PARIS]


def numbers(made):
    return [problem.number for problem in made.problems]


@pytest.mark.parametrize(
    "text",
    [
        "CREATE LOGIN [LYON login]",
        "CREATE LOGIN [LYON login] WITH PASSWORD = 'Geheim-1'",
        "CREATE LOGIN [LYON login] WITH PASSWORD = 0x02AB HASHED, SID = 0x01, CHECK_POLICY = OFF, DEFAULT_DATABASE = m",
        "CREATE LOGIN [LYON login] WITH PASSWORD = 'Geheim-1' MUST_CHANGE, CHECK_EXPIRATION = ON;",
        "CREATE LOGIN [LYON login] FROM WINDOWS WITH DEFAULT_LANGUAGE = [Français]",
        "CREATE LOGIN [LYON login] FROM CERTIFICATE c",
        "CREATE LOGIN [LYON login] FROM ASYMMETRIC KEY k",
        "CREATE LOGIN [LYON login] FROM EXTERNAL PROVIDER",
    ],
)
def test_a_login_is_its_name_however_it_proves_itself(text: str):
    made = plan(text + "\nCREATE QUEUE dbo.q")
    assert list(paris(made).logins) == ["LYON login"]
    assert [row.effect for row in made.rows] == [Effect.ADD, Effect.ADD]
    assert "Geheim" not in repr(made)


@pytest.mark.parametrize(
    ("text", "login"),
    [
        ("CREATE USER Lyon", "Lyon"),
        ("CREATE USER Lyon WITHOUT LOGIN", None),
        ("CREATE USER Lyon FOR LOGIN [LYON login]", "LYON login"),
        ("CREATE USER Lyon FROM CERTIFICATE c", None),
    ],
)
def test_a_user_knows_its_login(text: str, login: str | None):
    assert paris(plan(text)).databases["master"].users["Lyon"].login == login


def test_connect_is_granted_to_several_denied_and_revoked():
    made = plan(
        CERTIFICATE + ENDPOINT + "CREATE LOGIN a; CREATE LOGIN b; CREATE USER a; CREATE USER b;\n"
        "GRANT CONNECT ON ENDPOINT::e TO a, [b] WITH GRANT OPTION AS sa;\n"
        "DENY CONNECT ON ENDPOINT::[e] TO b CASCADE\n"
        "GRANT CONNECT ON ENDPOINT :: e TO public;"
        "REVOKE CONNECT ON ENDPOINT::e FROM public"
    )
    permissions = paris(made).connect_permissions
    assert {name: each.is_denied for name, each in permissions.items()} == {"a": False, "b": True}
    assert (may_connect(paris(made), "a"), may_connect(paris(made), "b")) == (True, False)
    row = next(row for row in made.rows if row.verb == "GRANT CONNECT")
    assert (row.object_kind, row.object_name, row.effect, row.database) == ("endpoint", "e", Effect.ADD, None)


def test_a_login_that_another_script_makes_is_made_and_said():
    made = plan(CERTIFICATE + ENDPOINT + "GRANT CONNECT ON ENDPOINT::e TO [LYON login]")
    assert list(paris(made).connect_permissions) == ["LYON login"]
    assert "Login 'LYON login' is made" in made.warnings[0].text


@pytest.mark.parametrize(
    "text",
    [
        "GRANT CONNECT TO u",
        "GRANT CONNECT SQL TO u",
        "GRANT ALTER ON ENDPOINT::e TO u",
        "REVOKE GRANT OPTION FOR CONNECT ON ENDPOINT::e TO u",
        "GRANT CONTROL ON SERVICE::s TO public",
        "REVOKE GRANT OPTION FOR SEND ON SERVICE::s FROM u",
        "GRANT SELECT ON dbo.q TO u",
        "ALTER LOGIN u DISABLE",
    ],
)
def test_other_permissions_are_stepped_over(text: str):
    made = plan(text)
    assert (made.problems, [row.effect for row in made.rows]) == ((), [Effect.IGNORED])


def test_a_script_that_is_run_twice_changes_nothing_the_second_time():
    text = (
        CERTIFICATE + "CREATE LOGIN a WITH PASSWORD = 'x'\nCREATE USER a FOR LOGIN a\n" + ENDPOINT
        + "GRANT CONNECT ON ENDPOINT::e TO a"
    )  # fmt: skip
    again = plan(text, onto=plan(text))
    assert (again.problems, again.changes) == ((), {})
    assert {row.effect for row in again.rows} == {Effect.SAME}


def test_a_certificate_is_exchanged_in_one_script():
    first = plan(CERTIFICATE + ENDPOINT + "CREATE LOGIN a; GRANT CONNECT ON ENDPOINT::e TO a")
    second = plan(
        "ALTER ENDPOINT e FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS)\n"
        "DROP CERTIFICATE Own\n"
        "CREATE CERTIFICATE Own WITH SUBJECT = 'PARIS again', EXPIRY_DATE = '2041-01-01'\n"
        "ALTER ENDPOINT e FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE Own)\n"
        "DROP LOGIN a",
        onto=first,
    )
    assert paris(second).endpoint == paris(first).endpoint
    assert second.changes
    assert dict(paris(second).connect_permissions) == {}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (ENDPOINT, 15151),
        (CERTIFICATE + ENDPOINT + "DROP CERTIFICATE own", 3716),
        (CERTIFICATE + ENDPOINT + "GRANT CONNECT ON ENDPOINT::f TO public", 15151),
        (CERTIFICATE + ENDPOINT + "DENY CONNECT ON ENDPOINT::e TO sa", 4624),
        ("DROP LOGIN sa", 15150),
        ("GRANT CONNECT ON ENDPOINT::e", 102),
        ("CREATE LOGIN", 102),
    ],
)
def test_what_cannot_be_has_its_number(text: str, number: int):
    assert numbers(plan(text)) == [number]


@pytest.mark.parametrize(
    ("certificate", "said"),
    [(EARLY, "expires in 16 days"), (LATE, "28035"), (COMING, "28035")],
    ids=["soon", "expired", "not yet"],
)
def test_dates_of_the_endpoints_certificate_are_said(certificate: str, said: str):
    made = plan(CERTIFICATE + certificate + ENDPOINT.replace("Own", "c"))
    paris(made)
    (warning,) = made.warnings
    assert said in warning.text
