"""docs/protocol/routing.md says what the code does: every step has its example, every decision has its place."""

import re

from engine.api import check_routes
from engine.core.routing.precedence import ChooseStep, MatchStep
from tests.support.each import for_each
from tests.support.routing_document import DOCUMENT, ROOT, generated_parts

TEXT = DOCUMENT.read_text(encoding="utf-8")
DECISIONS = re.findall(r"^\| E(\d+) \| (.+) \| `(\S+)` \| `(\S+)` \|$", TEXT, re.MULTILINE)


def test_every_step_has_an_example():
    parts = generated_parts()
    for kind, steps in (("match", MatchStep), ("choose", ChooseStep)):
        headings = re.findall(rf"^#### {kind.capitalize()} step (\d)", parts[f"{kind}-examples"], re.MULTILINE)
        assert [int(step) for step in headings] == list(steps)


def test_every_example_shows_the_step_that_it_is_named_after():
    for kind in ("match", "choose"):
        examples = re.split(r"^#### ", generated_parts()[f"{kind}-examples"], flags=re.MULTILINE)[1:]
        for example in examples:
            named = re.match(r"\w+ step \d", example)
            assert named is not None
            assert f"\n{named[0]} (" in example


def test_no_decision_is_missing():
    assert [int(number) for number, *_ in DECISIONS] == list(range(1, 48))


@for_each(("number", "said", "code", "test"), DECISIONS)
def test_every_decision_stands_where_the_document_says(number, said, code, test):
    assert (ROOT / "engine" / "core" / code).is_file()
    tests = (ROOT / "tests" / "engine" / "conformance" / test).read_text(encoding="utf-8")
    assert re.search(rf"def test_(\w+_)?e{number}_", tests), said


def test_the_case_that_shows_the_format_passes():
    (block,) = re.findall(r"^```yaml\n(- id: name-beats-catch-all .*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    report = check_routes({"routing.md": block})
    assert (report.faults, [case.proof for case in report.cases if not case.passed]) == ((), [])


def test_the_smallest_case_and_the_fullest_one_are_read():
    full = """\
- id: name-beats-catch-all
  routes:
    database: [{name: AutoCreatedLocal, service: null, broker: null, address: LOCAL, mirror: null}]
    msdb:     [{name: AutoCreatedLocal, service: null, broker: null, address: LOCAL, mirror: null}]
  instance: {hosts_target_service: false, forwarding: null}
  conversation: {service: Billing, broker_id: null, origin: inside, message_from_target: false}
  setup:
    owned_broker_ids: []
    own_addresses: []
    principal: null
    acknowledged_by: null
    pending_route_requests: []
    databases: []
  expected: {outcome: delayed, candidates: [AutoCreatedLocal], chosen: AutoCreatedLocal, address: LOCAL, match_step: 5}
  also_acceptable: []
- {id: smallest, conversation: {service: Billing}, expected: delayed}
"""
    report = check_routes({"f": full})
    assert [case.passed for case in report.cases] == [True, True]
    assert (report.cases[0].chosen, report.cases[0].address) == ("AutoCreatedLocal", "LOCAL")
