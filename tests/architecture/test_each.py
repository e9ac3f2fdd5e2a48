"""A test of many values fails for each value that fails, however it fails."""

import pytest

from tests.support.each import for_each


def wrong(value: int) -> None:
    assert value != 1


def failing(value: int) -> None:
    if value == 2:
        pytest.fail("two")
    wrong(value)


def skipping(value: int) -> None:
    if value == 2:
        pytest.skip("no two")
    wrong(value)


def test_every_value_that_fails_is_told_with_its_traceback():
    with pytest.raises(BaseExceptionGroup, match="2 of 4 failed") as caught:
        for_each("value", range(4))(failing)()
    assert [type(each) for each in caught.value.exceptions] == [AssertionError, pytest.fail.Exception]
    assert [each.__notes__ for each in caught.value.exceptions] == [["with value=1"], ["with value=2"]]


def test_a_skip_hides_no_failure():
    with pytest.raises(BaseExceptionGroup, match="1 of 4 failed"):
        for_each("value", range(4))(skipping)()
    with pytest.raises(pytest.skip.Exception):
        for_each("value", [0, 2])(skipping)()


async def test_what_is_awaited_is_judged_alike():
    async def awaited(value: int) -> None:
        wrong(value)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 failed"):
        await for_each("value", range(2))(awaited)()
