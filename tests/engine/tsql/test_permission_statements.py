"""T-SQL about SEND on services and RECEIVE on queues: read, made, left out, described (tsql.md 12)."""

import pytest

from engine.core.catalog.permissions import EVERYBODY, Permission
from engine.core.catalog.revision import new_instance
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from tests.support.numbered_entropy import NumberedEntropy

PARIS = InstanceName("PARIS")
SERVICE = "CREATE QUEUE dbo.q\nCREATE SERVICE [//s] ON QUEUE dbo.q ([DEFAULT])\n"
USERS = "CREATE USER a WITHOUT LOGIN; CREATE USER [b c] WITHOUT LOGIN\n"


def plan(text: str, onto=None, *more: str):
    before = onto.catalogs if onto else {PARIS: new_instance(PARIS, NumberedEntropy())}
    return plan_import(
        [parse_script(each, f"{number}.sql") for number, each in enumerate((text, *more), 1)],
        before,
        default_instance=PARIS,
        now=UtcTime(1_700_000_000.0),
        entropy=NumberedEntropy(100),
    )


def database(made):
    assert made.problems == ()
    return made.catalogs[PARIS].databases["master"]


def senders(made):
    return database(made).services["//s"].send_permissions


def receivers(made):
    return database(made).queues["dbo.q"].receive_permissions


def test_a_new_service_is_open_to_public():
    made = plan(SERVICE)
    assert (senders(made), receivers(made)) == (EVERYBODY, EVERYBODY)


def test_send_is_granted_to_several_denied_and_revoked():
    made = plan(
        SERVICE + USERS + "GRANT SEND ON SERVICE::[//s] TO a, [b c] WITH GRANT OPTION AS dbo;\n"
        "DENY SEND ON SERVICE::[//s] TO [B C] CASCADE\n"
        "REVOKE SEND ON SERVICE :: [//s] FROM public"
    )
    assert senders(made) == (Permission("a"), Permission("b c", is_denied=True))
    granted, denied, revoked = made.rows[-3:]
    assert (granted.verb, granted.object_kind, granted.object_name) == ("GRANT SEND", "service", "//s")
    assert (granted.effect, denied.effect, revoked.effect) == (Effect.ADD, Effect.CHANGE, Effect.REMOVE)
    assert made.warnings == ()


@pytest.mark.parametrize("name", ["OBJECT::dbo.q", "OBJECT::q", "[dbo].[Q]", "q", "master.dbo.q"])
def test_receive_is_granted_on_a_queue_however_it_is_named(name: str):
    made = plan(SERVICE + USERS + f"REVOKE RECEIVE ON {name} FROM public; GRANT RECEIVE ON {name} TO a")
    assert receivers(made) == (Permission("a"),)
    assert (made.rows[-1].verb, made.rows[-1].object_kind) == ("GRANT RECEIVE", "queue")


@pytest.mark.parametrize(
    "permissions",
    [
        "SEND, CONTROL ON SERVICE::[//s]",
        "CONTROL, SEND ON SERVICE::[//s]",
        "VIEW DEFINITION, SEND, ALTER ON SERVICE::[//s]",
    ],
)
def test_among_several_permissions_only_send_is_kept_and_said(permissions: str):
    made = plan(SERVICE + USERS + f"DENY {permissions} TO a")
    assert senders(made)[-1] == Permission("a", is_denied=True)
    assert [warning.text for warning in made.warnings] == [
        "Of these permissions only SEND is modelled; the others are left out."
    ]


def test_among_the_permissions_on_a_queue_only_receive_is_kept():
    made = plan(SERVICE + USERS + "DENY SELECT, RECEIVE, REFERENCES ON OBJECT::dbo.q TO a")
    assert receivers(made)[-1] == Permission("a", is_denied=True)
    assert any("only RECEIVE is modelled" in warning.text for warning in made.warnings)


def test_a_user_that_another_script_makes_is_made_and_said():
    made = plan(SERVICE + "GRANT SEND ON SERVICE::[//s] TO Acheteur", None, "CREATE USER Acheteur WITHOUT LOGIN")
    assert senders(made) == (*EVERYBODY, Permission("Acheteur"))
    assert "User 'Acheteur' is made" in made.warnings[0].text
    assert list(database(made).users) == ["Acheteur"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("GRANT SEND ON SERVICE::[//t] TO public", "Cannot find the service '//t'"),
        ("GRANT RECEIVE ON QueryNotificationErrorsQueue TO public", "Cannot find the queue"),
        ("REVOKE SEND ON SERVICE::[//s] FROM nobody", "Cannot find the user 'nobody'"),
        ("GRANT SEND ON SERVICE::[//s] TO dbo", "Permissions of 'dbo' cannot be"),
        ("GRANT SEND ON SERVICE::[//s] TO db_owner", "from the role 'db_owner'"),
    ],
)
def test_a_permission_without_effect_is_left_out_and_said(text: str, said: str):
    made = plan(SERVICE + text)
    assert senders(made) == EVERYBODY
    assert made.rows[-1].effect is Effect.IGNORED
    assert [warning.text for warning in made.warnings if said in warning.text] != []


def test_the_owner_of_a_service_is_not_granted_what_it_has():
    made = plan(
        USERS + "CREATE QUEUE dbo.q; CREATE SERVICE [//s] AUTHORIZATION a ON QUEUE dbo.q\n"
        "GRANT SEND ON SERVICE::[//s] TO a"
    )
    assert senders(made) == EVERYBODY
    assert made.rows[-1].effect is Effect.IGNORED


def test_a_script_that_is_run_twice_changes_nothing_the_second_time():
    text = SERVICE + USERS + "REVOKE SEND ON SERVICE::[//s] FROM public; GRANT SEND ON SERVICE::[//s] TO a"
    again = plan(text, plan(text))
    assert (again.problems, again.changes) == ((), {})
    assert {row.effect for row in again.rows} == {Effect.SAME}


@pytest.mark.parametrize(
    "text",
    [
        "GRANT SEND ON SERVICE::[//s]",
        "GRANT SEND ON SERVICE::[//s] TO",
        "GRANT RECEIVE ON OBJECT: dbo.q TO a",
        "DENY SEND ON SERVICE::[//s] public",
    ],
)
def test_what_is_incomplete_is_told_with_its_number(text: str):
    assert [problem.number for problem in plan(SERVICE + text).problems] == [102]


# ── what the vendor would refuse ──


def ungranted(made):
    return [(warning.file, warning.line) for warning in made.warnings if "Nobody is granted SEND" in warning.text]


def test_a_script_without_any_grant_is_told_that_the_vendor_would_refuse():
    made = plan(SERVICE)
    assert ungranted(made) == [("1.sql", 2)]
    assert "-8494" in made.warnings[0].text
    assert "'//s'" in made.warnings[0].text


@pytest.mark.parametrize(
    "text",
    [
        SERVICE + "GRANT SEND ON SERVICE::[//s] TO public",
        SERVICE + "DENY SEND ON SERVICE::[//s] TO public",
        SERVICE + "DROP SERVICE [//s]",
        "CREATE QUEUE q; CREATE SERVICE [//only begins] ON QUEUE q",
    ],
)
def test_whoever_says_who_may_send_is_told_nothing(text: str):
    assert ungranted(plan(text)) == []


def test_a_grant_may_stand_in_another_script():
    assert ungranted(plan(SERVICE, None, "GRANT SEND ON SERVICE::[//s] TO public")) == []


MANY = "CREATE QUEUE q\n" + "\n".join(f"CREATE SERVICE s{n} ON QUEUE q ([DEFAULT])" for n in range(5))
ENDPOINT = (
    "CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS)"
)


def test_many_services_make_one_notice():
    made = plan(f"{MANY}\n{ENDPOINT}")
    assert ungranted(made) == [("1.sql", 2)]
    assert "'s0', 's1', 's2' and 2 more" in made.warnings[0].text


@pytest.mark.parametrize(
    ("more", "is_said"),
    [
        ("", False),
        (ENDPOINT, True),
        ("CREATE USER a WITHOUT LOGIN; CREATE SERVICE other AUTHORIZATION a ON QUEUE q", True),
        ("CREATE DATABASE d\nGO\nUSE d\nGO\nCREATE QUEUE q; CREATE SERVICE other ON QUEUE q", True),
    ],
)
def test_one_owner_within_one_database_needs_no_permission(more: str, is_said: bool):
    """An owner may send to its own services; only others are refused."""
    assert bool(ungranted(plan(f"{MANY}\n{more}"))) is is_said


# ── queues whose procedures are not made ──


ACTIVATED = "WITH ACTIVATION (PROCEDURE_NAME = dbo.p, MAX_QUEUE_READERS = 1, EXECUTE AS SELF)"


def unactivated(made):
    return [warning for warning in made.warnings if "an import creates no procedures" in warning.text]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"CREATE QUEUE q {ACTIVATED}", 1),
        (f"CREATE QUEUE q\nALTER QUEUE Q {ACTIVATED.replace('(', '(STATUS = ON, ')}", 2),
        (f"CREATE QUEUE q\nALTER QUEUE q {ACTIVATED}", None),
        (f"CREATE QUEUE q\nALTER QUEUE q {ACTIVATED}\nALTER QUEUE q WITH ACTIVATION (STATUS = ON)", 3),
        (f"CREATE QUEUE q {ACTIVATED}\nALTER QUEUE q WITH ACTIVATION (STATUS = OFF)", None),
        (f"CREATE QUEUE q {ACTIVATED}\nALTER QUEUE q WITH ACTIVATION (DROP)", None),
        (f"CREATE QUEUE q {ACTIVATED}\nDROP QUEUE q", None),
        (f"CREATE DATABASE d\nGO\nUSE d\nCREATE QUEUE q {ACTIVATED}\nUSE master\nDROP DATABASE d", None),
    ],
)
def test_a_queue_that_activates_a_procedure_is_pointed_out(text: str, line: int | None):
    warnings = unactivated(plan(text))
    assert [warning.line for warning in warnings] == ([] if line is None else [line])
    assert all("on for 'dbo.q' ('dbo.p'), and an import creates" in warning.text for warning in warnings)


def test_many_activated_queues_make_one_notice():
    (warning,) = unactivated(plan("\n".join(f"CREATE QUEUE q{n} {ACTIVATED}" for n in range(5))))
    assert warning.line == 1
    assert (
        "on for 'dbo.q0' ('dbo.p'), 'dbo.q1' ('dbo.p'), 'dbo.q2' ('dbo.p') and 2 more, and an import creates"
        in warning.text
    )
