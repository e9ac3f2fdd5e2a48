"""When a case passes: each rule of the verdict, in both directions."""

from pathlib import Path

import pytest

from engine.api import check_routes
from tests.support.routing_cases import ALL, FAR, IDS, PAIR, passes, run

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "routing-cases.yaml"


def test_every_example_passes():
    report = check_routes({"examples": EXAMPLES.read_text(encoding="utf-8")})
    assert [str(fault) for fault in report.faults + report.warnings] == []
    assert [(case.id, case.proof) for case in report.cases if not case.passed] == []
    assert len(report.cases) >= 60


@pytest.mark.parametrize(
    ("expected", "passed"),
    [
        ("send", True),
        ("{outcome: send, chosen: far, candidates: [FAR], match_step: 2}", True),
        ("{outcome: send, address: 'tcp://FAR.EXAMPLE'}", True),
        ("{outcome: send, address: 'TCP://far.example:4023'}", False),
        ("{outcome: send, address: LOCAL}", False),
        ("{outcome: send, address: null}", False),
        ("{outcome: send, chosen: All}", False),
        ("{outcome: send, chosen: null}", False),
        ("{outcome: send, chosen: Nowhere}", False),
        ("{outcome: send, candidates: [Far, All]}", False),
        ("{outcome: send, candidates: []}", False),
        ("{outcome: send, match_step: 5}", False),
        ("{outcome: send, match_step: null}", False),
        ("forward", False),
        ("delayed", False),
    ],
)
def test_every_key_that_is_given_must_hold(expected, passed):
    assert passes(expected, database=f"{ALL}, {FAR}") is passed


def test_a_failure_says_what_was_expected_and_found_and_why():
    case = run("{outcome: delayed, chosen: All}", database=f"{ALL}, {FAR}")
    assert case.proof == (
        "Expected: delayed, chosen All.",
        "Found: send, candidates Far, chosen Far, address TCP://Far.example:4022/, match step 2.",
        "A message leaves database Home for service 'S', no broker id.",
        "Routing table: sys.routes of Home.",
        "Match step 2 (routes name the service and no id): those routes are the candidates.",
        "Candidates: Far.",
        "  All is no candidate: it would match in step 5 (routes name neither service nor id), and step 2 had ended "
        "the search.",
        "Choose step 3 (candidates have a network address): one of them, in turn.",
        "Chosen: Far, address TCP://Far.example:4022/.",
        "Outcome: sent to TCP://far.example:4022.",
    )


def test_what_else_is_acceptable():
    assert passes("drop", also="{outcome: send, chosen: Far}", database=FAR)
    assert not passes("drop", also="delayed, {outcome: send, chosen: All}", database=FAR)
    case = run("drop", also="delayed", database=FAR)
    assert case.proof[0] == "Expected: [drop] or [delayed]."


# ── several true ways to tell one answer ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("chosen: All, address: LOCAL", True),
        ("chosen: null, address: null", True),
        ("chosen: Far", False),
        ("address: 'TCP://far'", False),
    ],
)
def test_a_local_route_whose_service_is_elsewhere_counts_as_chosen_or_not(said, passed):
    assert passes(f"{{outcome: delayed, candidates: [All], match_step: 5, {said}}}", database=ALL) is passed


@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("chosen: Far, match_step: 2, address: 'TCP://far.example'", True),
        ("chosen: All, match_step: 5, address: LOCAL", True),
        ("chosen: Far, match_step: 5", False),
        ("chosen: All, candidates: [Far]", False),
    ],
)
def test_with_a_self_address_either_table_may_be_told_but_one_only(said, passed):
    fields = {"database": FAR, "msdb": ALL, "instance": "hosts_target_service: true"}
    setup = "own_addresses: ['TCP://far.example']"
    assert passes(f"{{outcome: deliver_local, {said}}}", setup=setup, **fields) is passed


def test_one_of_two_equal_routes_may_be_told_for_the_other():
    twins = "{name: A, service: S, address: 'TCP://x'}, {name: B, service: S, address: 'tcp://X:4022/'}"
    case = run("{outcome: send, chosen: B}", database=twins)
    assert (case.passed, case.chosen) == (True, "A")


def test_a_message_that_goes_nowhere_has_the_address_of_its_route_or_none():
    for address in ("null", "'TCP://far.example'"):
        fields = {"msdb": FAR, "conversation": "service: S, origin: outside"}
        assert passes(f"{{outcome: drop, chosen: Far, address: {address}}}", **fields)


def test_what_is_told_is_the_same_whichever_way_was_expected():
    """A LOCAL route that is passed over is told as chosen, and of two tables the second, which decided."""
    for expected in ("delayed", "{outcome: delayed, chosen: All}", "{outcome: delayed, chosen: null}", "send"):
        case = run(expected, database=ALL)
        assert (case.chosen, case.address, case.match_step, case.candidates) == ("All", "LOCAL", 5, ("All",))
    fields = {"database": FAR, "msdb": ALL, "instance": "hosts_target_service: true"}
    for expected in ("deliver_local", "{outcome: deliver_local, chosen: Far, match_step: 2}", "drop"):
        case = run(expected, setup="own_addresses: ['TCP://far.example']", **fields)
        assert (case.chosen, case.address, case.match_step, case.candidates) == ("All", "LOCAL", 5, ("All",))


# ── instance and setup ───────────────────────────────────────────────────────────────────────────────────────────────
def test_without_principal_either_partner_is_right():
    for address, passed in (("'TCP://a:1'", True), ("'TCP://b:2'", True), ("'TCP://c:3'", False)):
        case = run(f"{{outcome: send, address: {address}}}", database=PAIR)
        assert case.passed is passed
        assert case.address == "TCP://a:1"


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        ("TCP://A:1/", "{outcome: send, address: 'TCP://a:1'}"),
        ("TCP://b:2", "{outcome: send, address: 'TCP://b:2'}"),
        ("TCP://c:3", "{outcome: delayed, chosen: Pair}"),
    ],
)
def test_the_principal_is_the_one_that_claims_it(principal, expected):
    assert passes(expected, database=PAIR, setup=f"principal: '{principal}'")
    wrong = expected.replace("a:1", "b:2") if "a:1" in expected else expected.replace("b:2", "a:1")
    assert passes(wrong.replace("delayed", "send"), database=PAIR, setup=f"principal: '{principal}'") is False


def test_nobody_claims_is_told_with_its_number():
    case = run("send", database=PAIR, setup="principal: 'TCP://c:3'")
    assert any("none of the two claims it" in line for line in case.proof)
    assert "9787" in case.proof[-1]


def test_this_instance_may_be_the_principal():
    fields = {"database": PAIR, "msdb": ALL, "instance": "hosts_target_service: true"}
    setup = "owned_broker_ids: [b1], own_addresses: ['TCP://b:2'], principal: 'TCP://b:2'"
    assert passes("{outcome: deliver_local, chosen: All}", setup=setup, **fields)
    assert passes("send", setup=setup.replace("principal: 'TCP://b:2'", "principal: 'TCP://a:1'"), **fields)


def test_ids_that_are_no_guids_differ_in_more_than_letter_case():
    assert passes("{outcome: send, match_step: 1}", database=IDS, conversation="service: S, broker_id: b1")
    assert passes("{outcome: delayed, match_step: 7}", database=IDS, conversation="service: S, broker_id: 1")


def test_an_id_is_shown_as_it_was_typed():
    case = run("send", database=IDS, conversation="service: S, broker_id: some Other Id")
    assert "broker id some Other Id." in case.proof[2]
    assert "  One is no candidate: it names another broker id, B1." in case.proof


def test_the_acknowledgement_replaces_the_id():
    setup = "acknowledged_by: B1"
    assert passes("{outcome: send, match_step: 1}", database=IDS, conversation="service: S, broker_id: X", setup=setup)


def test_a_service_is_hosted_where_the_case_says():
    hosted, outside = "hosts_target_service: true", "service: S, broker_id: B1, origin: outside"
    assert "Home" in run("deliver_local", database=ALL, instance=hosted).proof[-1]
    owned = run("deliver_local", database=ALL, instance=hosted, setup="owned_broker_ids: [B1]")
    assert "Owner of B1" in owned.proof[-1]
    listed = "databases: [{name: D, broker_id: B1, services: [S]}], owned_broker_ids: [B1, B2]"
    assert (
        "database D." in run("deliver_local", msdb=ALL, instance=hosted, conversation=outside, setup=listed).proof[-1]
    )
    case = run("{outcome: drop}", msdb=ALL, instance=hosted, conversation=outside.replace("B1", "B2"), setup=listed)
    assert case.passed
    assert "8490" in case.proof[-1]


def test_a_contradiction_about_the_service_is_noted():
    off = "databases: [{name: D, services: [S], state: offline}]"
    assert "no database that is available" in run("delayed", instance="hosts_target_service: true", setup=off).notes[0]
    on = "databases: [{name: D, services: [S]}]"
    assert "database D has the service; it counts" in run("delayed", setup=on).notes[0]
    assert run("delayed", setup=off).notes == ()


def test_of_two_databases_with_one_id_the_second_is_off_and_that_is_noted():
    """E35: what the second has is not here, whichever way it is looked for."""
    twins = "databases: [{name: One, broker_id: B1}, {name: Two, broker_id: b1, services: [S]}]"
    case = run("{outcome: delayed, match_step: 5}", database=ALL, setup=twins)
    assert case.passed
    assert case.notes == ("setup.databases: Two has the broker id of One, so its broker is off (E35).",)
    deliver = run("deliver_local", database=ALL, setup=twins.replace("b1", "B2"))
    assert deliver.passed
    assert not any("E35" in note for note in deliver.notes)
    off = "databases: [{name: One, broker_id: B1, state: disabled}, {name: Two, broker_id: B1, services: [S]}]"
    case = run("deliver_local", database=ALL, setup=off)
    assert case.passed
    assert not any("E35" in note for note in case.notes)


def test_a_pending_request_counts_for_msdb_too():
    """E7: step 4 of the second table is skipped as that of the first."""
    ask = "{name: Ask, service: SQL/ServiceBroker/BrokerConfiguration, address: LOCAL}"
    fields = {"msdb": f"{ask}, {ALL}", "conversation": "service: S, origin: outside"}
    assert passes("{outcome: drop, match_step: 4}", **fields)
    assert passes("{outcome: drop, match_step: 5}", setup="pending_route_requests: [S]", **fields)
    assert passes("{outcome: drop, match_step: 4}", setup="pending_route_requests: [T]", **fields)


def test_a_principal_behind_a_self_address_is_forwarded_to_and_not_entered_twice():
    """E27 sends the message of this database once through msdb; a mirrored route there is a forward (E26)."""
    fields = {
        "database": FAR,
        "msdb": PAIR.replace("'TCP://b:2'", "'TCP://far.example:4022'"),
        "instance": "forwarding: true",
        "setup": "own_addresses: ['TCP://far.example'], principal: 'TCP://far.example'",
    }
    case = run("{outcome: forward, chosen: Far, match_step: 2}", **fields)
    assert (case.passed, case.chosen) == (True, "Pair")
    assert case.proof[0].startswith("A message leaves database Home ")
    assert passes("{outcome: forward, chosen: Pair, match_step: 3, address: 'TCP://far.example'}", **fields)


def test_only_own_addresses_are_the_instance_itself():
    local = "{name: Loop, service: S, address: 'TCP://localhost:4022'}"
    assert passes("send", database=local)
    assert passes("{outcome: delayed, match_step: 7}", database=local, setup="own_addresses: ['TCP://me:4022']")


def test_a_caution_stands_in_the_proof():
    fields = {"conversation": "service: S, broker_id: B1, origin: outside", "setup": "owned_broker_ids: [B1]"}
    case = run("deliver_local", instance="hosts_target_service: true", **fields)
    assert case.passed
    assert case.proof[-1].startswith("Caution: ")
