"""States of databases in scripts: what begins one, and what ends it and no other."""

import pytest

from engine.core.catalog.changes import DatabaseCreated, DatabaseStateSet
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from tests.support.catalogs import ID, OTHER_ID, VENTES
from tests.support.numbered_entropy import NumberedEntropy

PARIS = InstanceName("PARIS")


def plan(text: str, state: DatabaseState):
    before = apply_changes(
        new_instance(PARIS, NumberedEntropy()),
        [DatabaseCreated(database=VENTES, broker_instance=ID), DatabaseStateSet(database=VENTES, state=state)],
    )
    return plan_import(
        [parse_script(text, "s.sql")],
        {PARIS: before},
        default_instance=PARIS,
        now=UtcTime(0.0),
        entropy=NumberedEntropy(100),
    )


@pytest.mark.parametrize(
    ("before", "option", "after"),
    [
        ("online", "SET OFFLINE WITH ROLLBACK IMMEDIATE", "offline"),
        ("online", "SET READ_ONLY", "read_only"),
        ("online", "SET SINGLE_USER WITH NO_WAIT", "single_user"),
        ("offline", "SET ONLINE", "online"),
        ("read_only", "SET READ_WRITE", "online"),
        ("single_user", "SET MULTI_USER", "online"),
        ("offline", "SET READ_WRITE", "offline"),
        ("mirror", "SET MULTI_USER", "mirror"),
        ("mirror", "SET ONLINE", "mirror"),
        ("mirror", "SET PARTNER OFF -- role: principal", "online"),
        ("offline", "SET PARTNER OFF -- role: principal", "offline"),
        ("online", "SET PARTNER OFF -- role: mirror", "mirror"),
    ],
)
def test_what_an_option_makes_of_a_state(before: str, option: str, after: str) -> None:
    made = plan(f"ALTER DATABASE Ventes {option}", DatabaseState(before))
    assert made.problems == ()
    assert made.catalogs[PARIS].databases[VENTES].state == after
    assert made.rows[0].effect is (Effect.SAME if before == after else Effect.CHANGE)


def test_beside_other_options_a_state_is_read_as_well() -> None:
    made = plan("ALTER DATABASE Ventes SET RECOVERY FULL, READ_ONLY", DatabaseState.ONLINE)
    assert [row.effect for row in made.rows] == [Effect.CHANGE]


class TestIdentityBesideUse:
    def test_it_is_the_id_and_the_broker_stays_as_it_was(self) -> None:
        made = plan(f"USE master -- broker_instance: {OTHER_ID}", DatabaseState.ONLINE)
        master = made.catalogs[PARIS].databases["master"]
        assert (master.broker_instance, master.is_broker_enabled) == (OTHER_ID, False)
        assert [row.effect for row in made.rows] == [Effect.CHANGE]

    def test_the_id_that_a_database_has_is_no_change(self) -> None:
        made = plan(f"USE Ventes -- broker_instance: {ID}", DatabaseState.ONLINE)
        assert (made.rows, made.changes) == ((), {})

    @pytest.mark.parametrize(
        ("text", "number", "column"),
        [("USE msdb -- broker_instance: x", 8413, 10), (f"USE msdb -- broker_instance: {ID}", 9772, 1)],
    )
    def test_a_wrong_id_and_one_that_is_taken(self, text: str, number: int, column: int) -> None:
        (problem,) = plan(text, DatabaseState.ONLINE).problems
        assert (problem.number, problem.line, problem.column) == (number, 1, column)


def test_new_broker_gives_the_id_of_the_comment() -> None:
    made = plan(f"ALTER DATABASE Ventes SET NEW_BROKER -- broker_instance: {OTHER_ID}", DatabaseState.ONLINE)
    assert made.catalogs[PARIS].databases[VENTES].broker_instance == OTHER_ID


def test_host_names_are_these_and_no_others() -> None:
    text = ":CONNECT PARIS\n-- host: a, B\nGO\n:CONNECT PARIS\n-- host_names: c\n-- host_names: d"
    assert plan(text, DatabaseState.ONLINE).catalogs[PARIS].host_names == ("c", "d")
    assert plan(text.replace("c\n-- host_names: d", ""), DatabaseState.ONLINE).catalogs[PARIS].host_names == ()
