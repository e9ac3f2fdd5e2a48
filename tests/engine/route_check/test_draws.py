"""Where the router draws: every end is judged, up to a bound, and only the one that is shown is explained."""

from cProfile import Profile

import pytest

from engine.api import check_routes
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.explanation import explained
from engine.route_check.ends import ENDS_MAX
from tests.support.routing_cases import ALL, FAR, IDS, TWO, passes, run


@pytest.mark.parametrize(
    ("expected", "passed"),
    [
        ("send", True),
        ("{outcome: send, chosen: One}", False),
        ("{outcome: one_of, alternatives: [One, Two]}", True),
        ("{outcome: one_of, alternatives: [{outcome: send, chosen: One}, {address: 'TCP://two:2'}]}", True),
        ("{outcome: one_of, alternatives: [send]}", True),
        ("{outcome: one_of, alternatives: [One, delayed]}", False),
        ("{outcome: one_of, alternatives: [One, Two], candidates: [One, Two], chosen: null, match_step: 2}", True),
        ("{outcome: one_of, alternatives: [One, Two], match_step: 3}", False),
        ("{outcome: one_of, alternatives: [{outcome: delayed, chosen: One}, Two]}", False),
    ],
)
def test_every_end_that_may_be_drawn_must_be_expected(expected, passed):
    assert passes(expected, database=TWO) is passed


def test_an_end_may_be_expected_and_the_other_also_acceptable():
    assert passes("{outcome: send, chosen: One}", also="{outcome: send, chosen: Two}", database=TWO)


def test_a_certain_answer_is_one_of_several():
    case = run("{outcome: one_of, alternatives: [All, Far, delayed]}", database=f"{ALL}, {FAR}")
    assert case.passed
    assert case.notes == (
        "The alternative [All] can never be drawn.",
        "The alternative [delayed] can never be drawn.",
    )


def test_where_an_id_is_picked_the_candidates_are_those_of_one_pick_or_of_all():
    for candidates, passed in (("[One]", False), ("[One, Two]", True), ("[]", False)):
        expected = f"{{outcome: one_of, candidates: {candidates}, alternatives: [send, delayed]}}"
        assert passes(expected, database=IDS) is passed
    each = "[{outcome: send, candidates: [One]}, {outcome: delayed, candidates: [Two]}]"
    assert passes(f"{{outcome: one_of, alternatives: {each}}}", database=IDS)


def test_of_several_ends_the_first_is_told_and_the_one_that_was_not_expected_proved():
    case = run("send", database=IDS)
    assert (case.passed, case.outcome, case.address, case.match_step) == (False, "send", "TCP://one:1", 3)
    assert case.candidates == ("One",)
    assert [(each.weight, each.outcome, each.address, each.passed) for each in case.alternatives] == [
        (0.5, "send", "TCP://one:1", True),
        (0.5, "delayed", "LOCAL", False),
    ]
    assert case.proof[1] == (
        "Found: delayed, candidates Two, chosen Two, address LOCAL, match step 3; "
        "1 of 2 ends that the router draws are not as expected."
    )
    assert case.proof[-2:] == ("  50 %: on to TCP://one:1, route One, broker id B1", "  50 %: delayed (9796)")


def equal_routes(number, prefix):
    return ", ".join(f"{{name: {prefix}{at}, service: S, address: 'TCP://{prefix}{at}:1'}}" for at in range(number))


def through_two_tables(first, second, expected="forward"):
    """Any of `first` own addresses, and then any of `second` routes of msdb."""
    own = ", ".join(f"'TCP://a{at}:1'" for at in range(first))
    return run(
        expected,
        database=equal_routes(first, "a"),
        msdb=equal_routes(second, "b"),
        instance="forwarding: true",
        setup=f"own_addresses: [{own}]",
    )


def test_more_ends_than_are_followed_are_noted_with_their_number():
    case = through_two_tables(50, ENDS_MAX // 50 + 10)
    assert (case.passed, len(case.alternatives)) == (True, ENDS_MAX)
    assert sum(each.weight for each in case.alternatives) == pytest.approx(0.8)
    assert case.notes == (
        f"The router draws among more than {ENDS_MAX} ends; {ENDS_MAX} were followed and judged, 80 % of all draws.",
    )
    assert f"more than {ENDS_MAX} ends are possible, {ENDS_MAX} were followed (80 % of all draws):" in " ".join(
        case.proof
    )


def test_as_many_ends_as_are_followed_need_no_note():
    case = through_two_tables(50, ENDS_MAX // 50)
    assert (case.notes, len(case.alternatives)) == ((), ENDS_MAX)
    assert f"{ENDS_MAX} ends are possible:" in " ".join(case.proof)
    assert "more than" not in " ".join(case.proof)


def test_of_too_many_ends_those_are_followed_that_meet_every_route_once():
    """The last route of each table is met, though the last combination is not."""
    last = 100 - 1
    expected = f"{{outcome: one_of, alternatives: [a{last}, b{last}, {{chosen: b0, address: 'TCP://nobody:1'}}]}}"
    case = through_two_tables(100, 100, expected)
    assert len(case.alternatives) == ENDS_MAX
    assert {each.chosen for each in case.alternatives} == {f"b{at}" for at in range(100)}
    assert case.notes[1:] == (
        "The alternative [chosen b0, address TCP://nobody:1] was not drawn in any end that was followed.",
    )


def calls_of(function, work):
    """How often `work` calls a function."""
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats() if entry.code is function.__code__)


def test_only_the_end_that_is_shown_is_explained():
    """An explanation costs a pass over the table; two hundred of them would cost two hundred."""
    table = equal_routes(200, "a")
    assert calls_of(explained, lambda: run("send", database=table)) == 1
    assert calls_of(explained, lambda: run("{outcome: send, chosen: a0}", database=table)) == 1


@pytest.mark.parametrize(
    ("shape", "losers"),
    [
        ("{{name: R{at}, service: X, address: LOCAL}}", 99),
        ("{{name: R{at}, service: X, address: 'TCP://h{at}:1'}}", 0),
        ("{{name: R{at}, address: 'TCP://h{at}:1'}}", 0),
    ],
)
def test_coverage_puts_the_routes_of_one_service_to_the_router_together(shape, losers):
    """A hundred routes that no case asks for: some decisions for each of them, not a hundred for each."""
    table = ", ".join(shape.format(at=at) for at in range(100))
    text = f"""\
- id: x
  routes: {{database: [{table}, {{name: Asked, service: S, address: 'TCP://s:1'}}]}}
  conversation: {{service: S}}
  expected: send
"""
    reports = []
    calls = calls_of(MessageClassifier.from_inside, lambda: reports.append(check_routes({"f": text})))
    assert sum(not route.can_win for route in reports[0].routes) == losers
    assert calls <= 205
