"""No text of a script or of a message makes the console compute without end, or fill the memory."""

import pytest

from tests.support.bounded_process import run_bounded

GROUPS = ("conversions", "statements")
GROUPS_OF_MINUTES = ("functions", "documents", "scripts", "memory")


@pytest.mark.parametrize(
    "group", [*GROUPS, *(pytest.param(each, marks=pytest.mark.slow) for each in GROUPS_OF_MINUTES)]
)
def test_hostile_texts_are_answered(group):
    assert run_bounded("tests.support.hostile_console", group)
