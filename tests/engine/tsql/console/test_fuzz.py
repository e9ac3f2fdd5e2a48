"""No text makes a session raise anything: whatever is wrong with it is an output."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from engine.tsql.console.outputs import ConsoleOutput
from tests.engine.tsql.console.test_dialogs import ANSWER, ASK, HEAR, ONE_DATABASE
from tests.support.console_world import Consoles
from tests.support.thoroughness import examples

SCRIPTS = [ANSWER, ASK, HEAR]
WORDS = [
    *re.findall(r"\w+|'[^']*'|\S", "".join(SCRIPTS)),
    *("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "UNION", "CASE", "WHEN", "END", "BEGIN", "TRY", "CATCH"),
    *("IF", "ELSE", "WHILE", "BREAK", "DECLARE", "@a", "@t", "TABLE", "(", ")", "[", "]", "'", '"', "--", "/*", "*/"),
    *("\nGO\n", "EXEC", "sp_executesql", "N'PRINT 1'", "THROW", "RAISERROR", "sys.routes", "sys.services", "*", "0x"),
    *("CAST(", "AS xml", "TOP", "PERCENT", "JOIN", "ON", "EXISTS", "1e999", "9" * 30, "\x00", "\ud800", "é", "OVER"),
    *("CREATE QUEUE", "DROP DATABASE", "ALTER DATABASE CURRENT SET", "NEW_BROKER", "BACKUP DATABASE", "TO DISK ="),
]
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
    st.tuples(st.sampled_from(SCRIPTS), st.integers(0, 700), st.integers(0, 60), st.sampled_from(WORDS)).map(
        lambda cut: cut[0][: cut[1]] + cut[3] + cut[0][cut[1] + cut[2] :]
    ),
)


@pytest.fixture(scope="module")
def tour():
    typing = Consoles().open()
    typing.do(ONE_DATABASE)
    return typing


@given(script=TEXTS)
@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_text_is_answered_by_outputs(tour, script):
    outputs = tour.run(script.replace("WAITFOR", "WAITFOR DELAY '00:00:01' PRINT"))
    assert all(isinstance(each, ConsoleOutput) for each in outputs)


def test_scripts_of_servers_are_answered_by_outputs(tour):
    scripts = sorted(Path("tests/engine/tsql/scripts").rglob("*.sql"))
    assert scripts
    for path in scripts:
        outputs = tour.run(path.read_text("utf-8", "replace"))
        assert all(isinstance(each, ConsoleOutput) for each in outputs)
