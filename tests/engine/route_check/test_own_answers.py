"""Properties: what the router answers, written down as expectation, passes; anything else in its place fails."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import check_routes
from engine.core.routing.classifier import MessageClassifier
from engine.core.vocabulary.messages import DialogTarget
from engine.route_check.cases import HOME, NOW
from engine.route_check.ends import Ends
from engine.route_check.reading import read_cases
from engine.route_check.world import instance_of
from tests.support.thoroughness import examples

WORDS = ("deliver_local", "send", "forward", "delayed", "drop")
SERVICES = ("S", "s", "tcp://name.example:9/S", "SQL/ServiceBroker/BrokerConfiguration")
IDS = (None, "B1", "b1", "B2")
ADDRESSES = ("TCP://one:1", "tcp://ONE:1/", "TCP://two:4022", "TCP://me:7")

KEYS = [
    *("id", "routes", "instance", "conversation", "setup", "expected", "also_acceptable", "database", "msdb"),
    *("name", "service", "broker", "address", "mirror", "lifetime_seconds", "expired", "own_addresses", "principal"),
    *("databases", "outcome", "candidates", "chosen", "match_step", "alternatives"),
]

ANYTHING = {"outcome": "one_of", "alternatives": list(WORDS)}


@st.composite
def tables(draw):
    """Legal routes of all shapes, under names A, B, C …"""
    made = []
    for name in "ABCDE"[: draw(st.integers(0, 5))]:
        service = draw(st.sampled_from((None, *SERVICES)))
        broker = None if service in (None, SERVICES[3]) else draw(st.sampled_from(IDS))
        address = draw(st.sampled_from((*ADDRESSES, "LOCAL", *(["TRANSPORT"] if service is None else []))))
        route = {"name": name, "service": service, "broker": broker, "address": address}
        if broker is not None and address == ADDRESSES[0] and draw(st.booleans()):
            route["mirror"] = draw(st.sampled_from(ADDRESSES[2:]))
        if draw(st.integers(0, 5)) == 0:
            route["expired"] = True
        made.append(route)
    return made


@st.composite
def cases(draw):
    """A case without expectation."""
    service = draw(st.sampled_from(SERVICES))
    databases = [
        {"name": "D", "broker_id": "B2", "services": ["S"], "state": draw(st.sampled_from(("enabled", "disabled")))}
    ]
    return {
        "id": "x",
        "routes": {"database": draw(tables()), "msdb": draw(tables())},
        "instance": {"hosts_target_service": draw(st.booleans()), "forwarding": draw(st.booleans())},
        "conversation": {
            "service": service,
            "broker_id": draw(st.sampled_from(IDS)),
            "origin": draw(st.sampled_from(("inside", "outside"))),
            "message_from_target": draw(st.booleans()),
        },
        "setup": {
            "owned_broker_ids": draw(st.sampled_from(([], ["B1"], ["B1", "B2"]))),
            "own_addresses": draw(st.sampled_from(([], ["TCP://me:7"]))),
            "principal": draw(st.sampled_from((None, *ADDRESSES))),
            "pending_route_requests": draw(st.sampled_from(([], [service]))),
            "databases": draw(st.sampled_from(([], databases))),
        },
    }


def run(*made):
    report = check_routes({"f": json.dumps(made)})
    assert report.faults == ()
    return report


def found(end, **further):
    """The expectation that says what was found."""
    return {
        "outcome": end.outcome,
        "chosen": end.chosen,
        "address": end.address,
        "match_step": end.match_step,
        **further,
    }


@examples(300)
@given(cases())
def test_its_own_answer_passes_and_any_other_fails(case):
    result = run({**case, "expected": ANYTHING}).cases[0]
    assert result.passed
    if result.alternatives:
        ends = [found(each) for each in result.alternatives]
        right = {"outcome": "one_of", "alternatives": ends}
        other = [word for word in WORDS if word != result.alternatives[0].outcome]
        wrong = [{"outcome": "one_of", "alternatives": other}, other[0]]
    else:
        right = found(result, candidates=list(result.candidates))
        wrong = [{**right, "outcome": word} for word in WORDS if word != result.outcome]
        wrong += [
            {**right, "chosen": "Nobody"},
            {**right, "address": "TCP://nobody:1"},
            {**right, "candidates": [*result.candidates, "Nobody"]},
            {**right, "match_step": 7 if result.match_step != 7 else 1},
        ]
    judged = run(*({**case, "id": str(at), "expected": each} for at, each in enumerate([right, *wrong]))).cases
    assert [each.passed for each in judged] == [True] + [False] * len(wrong)
    assert all(each.proof[0].startswith("Expected: ") for each in judged[1:])


@examples(200)
@given(cases())
def test_the_ends_are_those_that_the_router_itself_lists(case):
    case["setup"]["principal"] = None
    ((read,), _, _) = read_cases("f", json.dumps([{**case, "expected": ANYTHING}]))
    ends = Ends(read)
    router = MessageClassifier(instance_of(read))
    router.pending = {(table, service) for service in read.pending for table in (HOME, "msdb")}
    target = DialogTarget(read.service, read.broker_instance)
    if read.from_outside:
        listed = router.from_outside(target, NOW, from_target=read.from_target).alternatives
    else:
        listed = router.from_inside(HOME, target, NOW, from_target=read.from_target).alternatives
    assert ends.is_complete
    assert sum(end.weight for end in ends.all) == pytest.approx(1)
    assert [end.weight for end in ends.all] == ([each.weight for each in listed] or [1])
    assert all(ends.explained(end).alternatives == listed for end in ends.all)


@examples(200)
@given(cases())
def test_an_end_is_what_its_explanation_says(case):
    """Candidates without explanation are those with it, also where an id was picked; the rest is the same decision."""
    ((read,), _, _) = read_cases("f", json.dumps([{**case, "expected": ANYTHING}]))
    ends = Ends(read)
    for end in ends.all:
        told = ends.explained(end)
        pairs = [(end.decision, told, end.candidates)]
        if told.via is not None:
            pairs.append((end.decision.via, told.via, end.via_candidates))
        for plain, explained, candidates in pairs:
            assert candidates.names == explained.candidates
            assert (plain.route, plain.match_step, plain.status) == (
                explained.route,
                explained.match_step,
                explained.status,
            )


@examples(200)
@given(cases(), st.sampled_from(WORDS), st.sampled_from((None, *"ABCDE")), st.sampled_from((None, *range(8))))
def test_what_is_told_does_not_depend_on_what_is_expected(case, outcome, chosen, step):
    other = {"outcome": outcome, "chosen": chosen, "match_step": step}
    one, two = run({**case, "expected": ANYTHING}, {**case, "id": "y", "expected": other}).cases
    fields = ("outcome", "chosen", "address", "match_step", "candidates")
    assert [getattr(one, field) for field in fields] == [getattr(two, field) for field in fields]
    assert [found(each, weight=each.weight) for each in one.alternatives] == [
        found(each, weight=each.weight) for each in two.alternatives
    ]
    assert two.passed is all(each.passed for each in two.alternatives) or not two.alternatives


@examples(200)
@given(cases())
def test_who_cannot_win_is_never_chosen(case):
    text = json.dumps([{**case, "expected": ANYTHING}])
    ((read,), _, _) = read_cases("f", text)
    decisions = [each for end in Ends(read).all for each in (end.decision, end.decision.via) if each and each.route]
    chosen = {("msdb" if each.table == "msdb" else "database", each.route.name) for each in decisions}
    losers = [route for route in check_routes({"f": text}).routes if not route.can_win]
    assert [route for route in losers if (route.table, route.name) in chosen] == []
    assert all(route.reason for route in losers)


YAML_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from((*WORDS, "one_of", "LOCAL")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


@examples(300)
@given(YAML_VALUES)
def test_no_file_makes_it_stumble(value):
    report = check_routes({"f": json.dumps([{"id": "x", "conversation": {"service": "S"}, "expected": value}, value])})
    assert report.faults
    assert all(fault.line >= 1 and fault.column >= 1 and fault.text for fault in report.faults)


@examples(300)
@given(st.text(alphabet="-[]{}:,&*!|>'\"%#? \n\tab0~", max_size=60))
def test_no_text_makes_it_stumble(text):
    assert check_routes({"f": text}).faults
