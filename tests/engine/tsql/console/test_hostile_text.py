"""No text of a script or of a message makes the console compute without end, or fill the memory."""

import pytest

from tests.support.bounded_process import run_bounded

GROUPS = ("functions", "conversions", "statements", "documents", "scripts", "memory")


@pytest.mark.parametrize("group", GROUPS)
def test_hostile_texts_are_answered(group):
    assert run_bounded("tests.support.hostile_console", group)
