"""What importing scripts would do: effects, refusals at their place, all or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.vocabulary.identifiers import MASTER, DatabaseName, EndpointName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect, ImportPlan
from engine.tsql.sample_estates import samples
from tests.support.each import for_each
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.thoroughness import examples

NOW = UtcTime(1_700_000_000.0)
PARIS, LYON = InstanceName("PARIS"), InstanceName("LYON")
GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
OTHER_GUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


def plan(*texts: str, onto: ImportPlan | None = None, database: str = "Ventes") -> ImportPlan:
    """The import of scripts into PARIS, which exists with a database Ventes."""
    before = onto.catalogs if onto else {PARIS: new_instance(PARIS, NumberedEntropy())}
    scripts = [parse_script(text, f"{number}.sql") for number, text in enumerate(texts, 1)]
    ventes = parse_script("IF NOT EXISTS (SELECT 1) CREATE DATABASE Ventes", "avant.sql")
    return plan_import(
        [ventes, *scripts],
        before,
        default_instance=PARIS,
        default_database=DatabaseName(database),
        now=NOW,
        entropy=NumberedEntropy(100),
    )


def effects(made: ImportPlan) -> list[Effect]:
    return [row.effect for row in made.rows if row.file != "avant.sql"]


def places(made: ImportPlan) -> list[tuple[int, int, int]]:
    return [(problem.number, problem.line, problem.column) for problem in made.problems]


def ventes(made: ImportPlan):  # type: ignore[no-untyped-def]
    assert made.problems == ()
    return made.catalogs[PARIS].databases[DatabaseName("Ventes")]


OBJECTS = """CREATE MESSAGE TYPE t VALIDATION = EMPTY
CREATE CONTRACT c (t SENT BY ANY)
CREATE QUEUE q WITH RETENTION = ON
CREATE SERVICE s ON QUEUE q (c)
CREATE ROUTE r WITH SERVICE_NAME = 's2', ADDRESS = 'TCP://lyon:4022', LIFETIME = 60
CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED)
ALTER DATABASE Ventes SET PARTNER = 'TCP://lyon:5022'
"""


class TestEffects:
    def test_new_objects_are_added(self) -> None:
        made = plan(OBJECTS)
        assert effects(made) == [*[Effect.ADD] * 6, Effect.CHANGE]
        assert ventes(made).routes["r"].expires_at == NOW + 60
        assert ventes(made).services["s"].queue == "dbo.q"
        assert ventes(made).queues["dbo.q"].is_retention_enabled
        assert made.catalogs[PARIS].endpoint == Endpoint(
            EndpointName("e"), 4022, EndpointState.STARTED, is_message_forwarding_enabled=True
        )

    def test_a_second_import_finds_everything_the_same_and_changes_nothing(self) -> None:
        again = plan(OBJECTS, onto=plan(OBJECTS))
        assert set(effects(again)) == {Effect.SAME}
        assert (again.problems, again.changes) == ((), {})

    def test_alterations_are_changes_and_alterations_to_what_is_so_already_are_none(self) -> None:
        text = (
            OBJECTS
            + """ALTER QUEUE q WITH STATUS = OFF
        ALTER QUEUE q WITH STATUS = OFF
        ALTER ROUTE r WITH ADDRESS = 'LOCAL'
        ALTER MESSAGE TYPE t VALIDATION = EMPTY
        ALTER SERVICE s (ADD CONTRACT [DEFAULT])
        ALTER ENDPOINT e STATE = STOPPED
        ALTER DATABASE Ventes SET ENABLE_BROKER
        ALTER QUEUE q REBUILD
        PRINT 'x'
        DROP ROUTE AutoCreatedLocal"""
        )
        assert effects(plan(text))[7:] == [
            Effect.CHANGE, Effect.SAME, Effect.CHANGE, Effect.SAME, Effect.CHANGE, Effect.CHANGE, Effect.SAME,
            Effect.IGNORED, Effect.IGNORED, Effect.REMOVE,
        ]  # fmt: skip

    def test_what_is_dropped_and_made_anew_as_it_was_is_no_change(self) -> None:
        text = "DROP SERVICE s\nCREATE SERVICE s ON QUEUE q (c)"
        made = plan(text, onto=plan(OBJECTS))
        assert (effects(made), made.changes) == ([Effect.REMOVE, Effect.ADD], {})

    @pytest.mark.parametrize(
        ("statement", "number"),
        [
            ("CREATE MESSAGE TYPE t", 2714),
            ("CREATE CONTRACT c (t SENT BY INITIATOR)", 2714),
            ("CREATE QUEUE Q", 2714),
            ("CREATE SERVICE s ON QUEUE q", 2714),
            ("CREATE ROUTE R WITH SERVICE_NAME = 's3', ADDRESS = 'TCP://lyon:4022', LIFETIME = 60", 2714),
            ("CREATE ROUTE r WITH SERVICE_NAME = 's2', ADDRESS = 'TCP://lyon:4022'", 2714),
            ("CREATE ENDPOINT e AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ()", 7862),
        ],
    )
    def test_an_object_of_another_definition_is_a_problem(self, statement: str, number: int) -> None:
        made = plan("\n  " + statement, onto=plan(OBJECTS))
        assert (places(made), effects(made)) == ([(number, 2, 3)], [Effect.ERROR])

    def test_an_endpoint_is_made_stopped_unless_its_state_is_given(self) -> None:
        made = plan("CREATE ENDPOINT e AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ()")
        assert made.catalogs[PARIS].endpoint == Endpoint(EndpointName("e"), 4022, EndpointState.STOPPED)

    def test_a_database_that_exists_is_the_same_unless_another_id_is_asked_for(self) -> None:
        first = plan(f"CREATE DATABASE d -- broker_instance: {GUID}")
        for text, effect in (
            ("CREATE DATABASE D", Effect.SAME),
            (f"CREATE DATABASE d -- broker_instance: {GUID.upper()}", Effect.SAME),
            (f"CREATE DATABASE d -- broker_instance: {OTHER_GUID}", Effect.ERROR),
        ):
            assert effects(plan(text, onto=first)) == [effect]

    def test_new_broker_makes_a_new_id(self) -> None:
        before = ventes(plan("")).broker_instance
        assert ventes(plan("ALTER DATABASE CURRENT SET NEW_BROKER")).broker_instance != before

    def test_the_other_half_of_a_mirrored_pair_becomes_the_copy(self) -> None:
        made = ventes(plan("ALTER DATABASE Ventes SET PARTNER = 'TCP://lyon:5022' -- role: mirror"))
        assert (made.state, made.partner_address) == ("mirror", "TCP://lyon:5022")


class TestConditions:
    @pytest.mark.parametrize("definition", ["q WITH RETENTION = ON", "q"])
    def test_if_not_exists_leaves_alone_what_exists(self, definition: str) -> None:
        made = plan(f"IF NOT EXISTS (SELECT 1) CREATE QUEUE {definition}", onto=plan(OBJECTS))
        assert (effects(made), made.problems) == ([Effect.SAME], ())
        assert len(made.warnings) == (0 if "RETENTION" in definition else 1)

    def test_if_exists_leaves_alone_what_does_not(self) -> None:
        made = plan("IF EXISTS (SELECT 1) DROP ROUTE nulle\nIF EXISTS (SELECT 1) DROP ROUTE AutoCreatedLocal")
        assert effects(made) == [Effect.SAME, Effect.REMOVE]

    def test_without_the_condition_both_are_problems(self) -> None:
        assert places(plan("DROP ROUTE nulle")) == [(15151, 1, 1)]


PROBLEMS = [
    ("CREATE ROUTE r WITH ADDRESS = 'lyon:4022'", 9744, 31),
    ("CREATE ROUTE r WITH ADDRESS = 'TRANSPORT', SERVICE_NAME = 's'", 9745, 59),
    ("CREATE ROUTE r WITH ADDRESS = 'LOCAL', LIFETIME = 0", 9746, 51),
    ("CREATE ROUTE r WITH ADDRESS = 'LOCAL', LIFETIME = " + "9" * 5000, 9746, 51),
    ("CREATE ROUTE r WITH ADDRESS = 'LOCAL', BROKER_INSTANCE = 'x', SERVICE_NAME = 's'", 8413, 58),
    ("CREATE ROUTE r WITH ADDRESS = 'LOCAL', SERVICE_NAME = ''", 9659, 55),
    (f"CREATE ROUTE r WITH ADDRESS = 'LOCAL', BROKER_INSTANCE = '{GUID}'", 9662, 1),
    ("CREATE ROUTE r WITH ADDRESS = 'TCP://a:1', MIRROR_ADDRESS = 'TCP://b:1'", 9661, 1),
    ("CREATE ROUTE dbo.r WITH ADDRESS = 'LOCAL'", 9609, 1),
    ("ALTER ROUTE AutoCreatedLocal WITH LIFETIME = NULL", 153, 1),
    ("ALTER ROUTE AutoCreatedLocal WITH MIRROR_ADDRESS = 'LOCAL'", 9743, 52),
    ("CREATE QUEUE a.b.c.d", 117, 1),
    ("CREATE QUEUE ailleurs..q", 911, 1),
    ("CREATE QUEUE #q", 153, 1),
    ("CREATE QUEUE q WITH ACTIVATION (STATUS = ON)", 9614, 1),
    ("CREATE QUEUE q WITH ACTIVATION (PROCEDURE_NAME = p)", 9620, 1),
    ("CREATE QUEUE q WITH ACTIVATION (PROCEDURE_NAME = p, MAX_QUEUE_READERS = 1)", 9613, 1),
    ("CREATE QUEUE q WITH ACTIVATION (PROCEDURE_NAME = p, MAX_QUEUE_READERS = 40000, EXECUTE AS OWNER)", 9742, 1),
    ("CREATE SERVICE s ON QUEUE q", 15151, 1),
    ("CREATE SERVICE s ON QUEUE msdb.dbo.q", 153, 1),
    ("CREATE CONTRACT c (t SENT BY ANY)", 15151, 1),
    ("CREATE CONTRACT c ([DEFAULT] SENT BY TARGET)", 8492, 1),
    ("ALTER SERVICE s", 15151, 1),
    ("DROP MESSAGE TYPE [DEFAULT]", 3708, 1),
    ("DROP DATABASE msdb", 3708, 1),
    ("ALTER ENDPOINT e STATE = STARTED", 15151, 1),
    ("CREATE ENDPOINT e AS TCP (LISTENER_PORT = 80) FOR SERVICE_BROKER ()", 5837, 1),
    ("ALTER DATABASE nulle SET ENABLE_BROKER", 911, 1),
    ("ALTER DATABASE Ventes SET PARTNER = 'lyon'", 9744, 37),
    ("USE nulle", 911, 1),
    ("CREATE DATABASE d -- broker_instance: nul", 8413, 19),
]


@for_each(("text", "number", "column"), PROBLEMS)
def test_a_refused_statement_is_a_problem_at_the_clause_to_blame(text: str, number: int, column: int) -> None:
    made = plan("PRINT 'x'\n" + text)
    assert places(made) == [(number, 2, column)]
    assert effects(made) == [Effect.IGNORED, Effect.ERROR]
    assert "{" not in made.problems[0].text + made.problems[0].why + made.problems[0].cure


class TestAllOrNothing:
    def test_one_problem_and_nothing_changes(self) -> None:
        made = plan(OBJECTS, "CREATE ROUTE", ":CONNECT LYON")
        assert (made.changes, made.created) == ({}, ())
        assert made.catalogs == {PARIS: new_instance(PARIS, NumberedEntropy())}
        assert [problem.file for problem in made.problems] == ["2.sql"]

    def test_all_problems_of_all_scripts_are_told_in_the_order_of_their_lines(self) -> None:
        made = plan("DROP ROUTE a\nDROP ROUTE", "DROP ROUTE b")
        assert [(problem.file, problem.line) for problem in made.problems] == [("1.sql", 1), ("1.sql", 2), ("2.sql", 1)]

    def test_warnings_come_in_the_order_of_their_lines(self) -> None:
        route = "CREATE ROUTE r WITH ADDRESS = 'TCP://lyon'"
        made = plan(f"{route}\nEXEC (@s)", f"EXEC (@s)\n{route}")
        assert [(warning.file, warning.line) for warning in made.warnings] == [
            ("1.sql", 1), ("1.sql", 2), ("2.sql", 1), ("2.sql", 2),
        ]  # fmt: skip

    def test_after_use_of_an_unknown_database_what_follows_is_not_looked_at(self) -> None:
        made = plan("USE nulle\nCREATE QUEUE q\nALTER DATABASE CURRENT SET NEW_BROKER\nCREATE DATABASE d")
        assert places(made) == [(911, 1, 1)]
        assert effects(made) == [Effect.ERROR, Effect.ERROR, Effect.ERROR, Effect.ADD]

    def test_the_catalogs_that_were_asked_about_stay_as_they_were(self) -> None:
        catalogs = {PARIS: new_instance(PARIS, NumberedEntropy())}
        script = parse_script("CREATE QUEUE q", "e")
        made = plan_import([script], catalogs, default_instance=PARIS, now=NOW, entropy=NumberedEntropy(9))
        assert find_database(made.catalogs[PARIS], "master").queues.keys() == {"dbo.q"}
        assert catalogs == {PARIS: new_instance(PARIS, NumberedEntropy())}


class TestInstances:
    def test_connect_goes_to_another_instance_and_makes_it_when_it_is_new(self) -> None:
        made = plan(
            "CREATE QUEUE a\n:CONNECT LYON\n-- host: lyon.exemple.fr\nGO\n"
            "CREATE QUEUE b\n:CONNECT paris\nCREATE QUEUE c"
        )
        assert made.created == (LYON,)
        assert made.catalogs[LYON].host_names == ("lyon.exemple.fr",)
        assert made.catalogs[LYON].databases[MASTER].queues.keys() == {"dbo.b"}
        assert made.catalogs[PARIS].databases[MASTER].queues.keys() == {"dbo.c"}
        assert [row.instance for row in made.rows if row.file == "1.sql"] == [PARIS, LYON, LYON, PARIS]

    def test_each_script_begins_where_it_is_told(self) -> None:
        made = plan(":CONNECT LYON\nCREATE QUEUE a", "CREATE QUEUE b")
        assert ventes(made).queues.keys() == {"dbo.b"}

    def test_the_changes_of_a_new_instance_begin_with_nothing(self) -> None:
        made = plan(":CONNECT LYON\nCREATE ROUTE r WITH ADDRESS = 'LOCAL'")
        assert apply_changes(InstanceCatalog(name=LYON), made.changes[LYON]) == made.catalogs[LYON]

    def test_an_instance_that_no_statement_needs_is_not_made(self) -> None:
        script = parse_script(":CONNECT LYON\nGO", "e")
        made = plan_import([script], {}, default_instance=PARIS, now=NOW, entropy=NumberedEntropy())
        assert made.catalogs.keys() == {LYON}


def test_an_address_without_port_is_accepted_with_a_warning() -> None:
    made = plan("\nCREATE ROUTE r WITH ADDRESS = 'TCP://lyon'")
    assert [(warning.line, "4022" in warning.text) for warning in made.warnings] == [(2, True)]
    assert ventes(made).routes["r"].address.tcp.port == 4022


def test_zero_readers_and_a_twin_are_pointed_out() -> None:
    readers = "CREATE QUEUE q WITH ACTIVATION (PROCEDURE_NAME = p, MAX_QUEUE_READERS = 0, EXECUTE AS SELF)"
    assert len(plan(readers).warnings) == 1
    twins = f"CREATE DATABASE a -- broker_instance: {GUID}\nGO\nCREATE DATABASE b -- broker_instance: {GUID}"
    made = plan(twins)
    assert [warning.line for warning in made.warnings] == [3]
    assert not made.catalogs[PARIS].databases[DatabaseName("b")].is_broker_enabled


STATEMENTS = [
    statement + "\n"
    for _, text in samples()[0].scripts
    for batch in text.split("GO\n")
    for statement in batch.split(";")
] + ["GO\n", "DROP SERVICE [//exemple.fr/Ventes/Guichet]\n", "DROP QUEUE dbo.[Réponses]\n", "USE msdb\n"]


@examples(60)
@given(st.lists(st.sampled_from(STATEMENTS), max_size=30).map("".join))
def test_whatever_is_imported_the_changes_make_what_was_promised_and_a_broken_plan_promises_nothing(text: str) -> None:
    before = {PARIS: new_instance(PARIS, NumberedEntropy())}
    script = parse_script(text, "e")
    made = plan_import([script], before, default_instance=PARIS, now=NOW, entropy=NumberedEntropy(100))
    if made.problems:
        assert (made.changes, made.catalogs) == ({}, before)
    for name, catalog in made.catalogs.items():
        start = before.get(name) or InstanceCatalog(name=name)
        assert apply_changes(start, made.changes.get(name, ())) == catalog


@pytest.mark.parametrize("clause", ["DISABLE_BROKER", "NEW_BROKER", "PARTNER OFF"])
def test_the_current_database_is_called_by_its_name(clause: str) -> None:
    made = plan(f"ALTER DATABASE CURRENT SET {clause}")
    assert [row.object_name for row in made.rows if row.file == "1.sql"] == ["Ventes"]


class TestNamesOfInstances:
    def test_after_a_name_that_no_instance_can_have_nothing_is_looked_at_until_the_next(self) -> None:
        made = plan(":CONNECT a\x01b\nCREATE QUEUE q\nUSE x\nCREATE QUEUE r\n:CONNECT BERLIN\nCREATE QUEUE s")
        assert places(made) == [(153, 1, 1)]
        assert effects(made) == [*[Effect.ERROR] * 4, Effect.ADD, Effect.ADD]

    @pytest.mark.parametrize("name", ["", "a\x01b", "x" * 129])
    def test_a_script_that_begins_on_such_a_name(self, name: str) -> None:
        scripts = [parse_script("GO\nCREATE QUEUE q\nCREATE QUEUE r", "s.sql")]
        made = plan_import(scripts, {}, default_instance=InstanceName(name), now=NOW, entropy=NumberedEntropy())
        assert [problem.line for problem in made.problems] == [2]
        assert effects(made) == [Effect.ERROR, Effect.ERROR]
