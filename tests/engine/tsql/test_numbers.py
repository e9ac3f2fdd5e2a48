"""Numbers of T-SQL are taken as they are written, or refused as they are written: none is cut."""

import re

import pytest

from tests.engine.tsql.test_reading_statements import BASE, plan

HUGE = "99999999999999999999999999"
ENDPOINT = "CREATE ENDPOINT E STATE = STOPPED AS TCP (LISTENER_PORT = {}) FOR SERVICE_BROKER ({})"


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        (ENDPOINT.format(4999, f"MESSAGE_FORWARD_SIZE = {HUGE}"), 5839),
        (ENDPOINT.format(4999, "MESSAGE_FORWARD_SIZE = 2147483648"), 5839),
        (ENDPOINT.format(HUGE, ""), 5837),
        (f"CREATE ROUTE r WITH SERVICE_NAME = 'x', ADDRESS = 'LOCAL', LIFETIME = {HUGE}", 9746),
        (f"CREATE BROKER PRIORITY p FOR CONVERSATION SET (PRIORITY_LEVEL = {HUGE})", 153),
        (f"CREATE ROUTE r WITH SERVICE_NAME = 'x', ADDRESS = 'LOCAL', LIFETIME = {'9' * 1000}", 9746),
    ],
)
def test_a_number_that_is_too_large_is_refused_as_it_is_written(statement, number):
    (problem,) = plan(BASE + statement.replace(", ()", "")).problems
    assert problem.number == number
    written = max(re.findall(r"[0-9]+", statement), key=len)
    assert written in problem.text


def test_a_number_that_nobody_can_read_is_refused_too():
    (problem,) = plan(BASE + ENDPOINT.format(4999, f"MESSAGE_FORWARD_SIZE = {'9' * 5000}")).problems
    assert problem.number == 5839
    assert "\u22652^" in problem.text


def test_the_largest_forwarding_size_is_taken():
    made = plan(BASE + ENDPOINT.format(4999, "MESSAGE_FORWARD_SIZE = 2147483647"))
    assert made.problems == ()
    (catalog,) = made.catalogs.values()
    assert catalog.endpoint.message_forward_size_megabytes == 2147483647
