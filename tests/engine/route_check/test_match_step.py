"""Match step 0, 7 and none: what decided where no route was asked (routing.md 2, 3)."""

import pytest

from tests.support.routing_cases import ALL, FAR, passes, run

DOORS = [
    ("home", "disabled", "service: S", 9791),
    ("home", "single_user", "service: S", 28075),
    ("home", "read_only", "service: S", 28014),
    ("msdb", "disabled", "service: S, origin: outside", 9789),
    ("msdb", "single_user", "service: S, origin: outside", 9790),
    ("msdb", "offline", "service: S, origin: outside, broker_id: B1, message_from_target: true", 9788),
]


@pytest.mark.parametrize(("database", "state", "conversation", "number"), DOORS)
def test_a_closed_door_has_no_match_step(database, state, conversation, number):
    """routing.md 2: nothing leaves the one, nothing is routed by the other; no table is read, and no rule decides."""
    fields = {
        "database": ALL,
        "msdb": ALL,
        "conversation": conversation,
        "setup": f"databases: [{{name: {database}, broker_id: B1, state: {state}}}]",
    }
    outcome = "drop" if "outside" in conversation else "delayed"
    case = run(f"{{outcome: {outcome}, match_step: null}}", **fields)
    assert (case.passed, case.match_step) == (True, None)
    assert case.proof[1] == "No routing table is read."
    assert f" {number}: " in case.proof[-1]
    for step in range(8):
        wrong = run(f"{{outcome: {outcome}, match_step: {step}}}", **fields)
        assert not wrong.passed
        assert wrong.proof[1].endswith(", no routing table read.")


@pytest.mark.parametrize("state", ["enabled", "disabled"])
def test_the_reply_rule_is_step_0_or_none(state):
    """It reads no table either; whether the database can take the reply is another matter (28016)."""
    fields = {
        "conversation": "service: S, origin: outside, broker_id: B1, message_from_target: true",
        "setup": f"databases: [{{name: D, broker_id: B1, services: [S], state: {state}}}]",
    }
    outcome = "deliver_local" if state == "enabled" else "drop"
    for step, passed in (("0", True), ("null", True), ("7", False)):
        case = run(f"{{outcome: {outcome}, match_step: {step}}}", **fields)
        assert (case.passed, case.match_step) == (passed, 0)


def test_the_last_step_is_7_and_not_none():
    for step, passed in (("7", True), ("null", False), ("0", False)):
        assert passes(f"{{outcome: delayed, match_step: {step}}}") is passed


def test_behind_a_self_address_msdb_may_be_shut():
    """The first table was read, the second was not; each may be told."""
    fields = {
        "database": FAR,
        "setup": "own_addresses: ['TCP://far.example'], databases: [{name: msdb, state: offline}]",
    }
    case = run("delayed", **fields)
    assert (case.passed, case.match_step, case.chosen) == (True, None, None)
    for said, passed in (("match_step: null", True), ("match_step: 2, chosen: Far", True), ("match_step: 0", False)):
        assert passes(f"{{outcome: delayed, {said}}}", **fields) is passed
