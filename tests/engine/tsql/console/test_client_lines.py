"""Lines of the client: `:on error`."""

import pytest

from engine.tsql.console.outputs import Failed, Printed
from tests.support.console_world import Consoles


@pytest.mark.parametrize(
    ("script", "said", "numbers"),
    [
        (":on error exit\nPRINT 1\nGO\nSELECT nope\nGO\nPRINT 2", ["1"], [207]),
        (":On Error EXIT\nPRINT 1\nGO\nRAISERROR(N'x', 16, 1); PRINT 2\nGO\nPRINT 3", ["1", "2"], [50000]),
        (":on error exit\nPRINT 1\nGO\nRAISERROR(N'x', 10, 1)\nGO\nPRINT 2", ["1", "x", "2"], []),
        (":on error exit\nBEGIN TRY SELECT 1 / 0 END TRY BEGIN CATCH PRINT 1 END CATCH\nGO\nPRINT 2", ["1", "2"], []),
        (":on error ignore\nSELECT nope\nGO\nPRINT 2", ["2"], [207]),
        (":on error exit\n:on error ignore\nSELECT nope\nGO\nPRINT 2", ["2"], [207]),
        ("SELECT nope\nGO\n:on error exit\nPRINT 2\nGO\nPRINT 3", ["2", "3"], [207]),
        (":on error exit\nSELECT 1 1\nGO\nPRINT 2", [], [102]),
        (":on error exit\nSELECT 1 / 0\nGO 3\nPRINT 2", [], [8134]),
        (":on error\nPRINT 1\nGO\nPRINT 2", ["1", "2"], [102]),
        (":on error stop\nPRINT 1", ["1"], [102]),
        (":on nothing\nPRINT 1", [], [40510]),
        ("EXEC (N':on error exit')\nGO\nPRINT 1", ["1"], [102]),
    ],
)
def test_on_error_says_whether_an_error_ends_the_script(script, said, numbers):
    outputs = Consoles().open().run(script)
    assert [each.text for each in outputs if isinstance(each, Printed)] == said
    assert [each.number for each in outputs if isinstance(each, Failed)] == numbers


def test_on_error_outlives_its_script():
    typing = Consoles().open()
    typing.do(":on error exit\nGO\n")
    assert typing.session.exits_on_error
    assert typing.run("SELECT nope\nGO\nPRINT 2")[-1].number == 207
    assert typing.said("PRINT 3") == ["3"]
    typing.do(":on error ignore")
    assert not typing.session.exits_on_error
