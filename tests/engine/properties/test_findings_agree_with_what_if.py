"""Findings about security and what-if say the same of random secured estates, neither more nor less.

What a finding says is refused, no what-if delivers; what security refuses whichever service begins, is a finding.
"""

from engine.core.link.admission import login_fault
from engine.diagnosis.diagnose import diagnose
from engine.diagnosis.finding import ObjectKind
from engine.diagnosis.security import trials
from engine.diagnosis.survey import Survey
from engine.whatif.disposition import ARRIVED
from engine.whatif.flows import beginning_services
from engine.whatif.legs import round_trip
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from tests.support.random_estates import NOW
from tests.support.secured_estates import secured_case
from tests.support.thoroughness import share

SEEDS = [21, 98, 115, 528, *share(range(600), 120)]
"""The first ones are those of which findings and what-if once said different things."""
AT_SENDER = {9728, 9730, 9731, 9733, 9734, 9735, 9737, 9768, 28024, 28025, 28050, 28051, 28054}
AT_TARGET = {8494, 8401, 11229, 11230, 28024, 28025, 28054, 28051, 28056, 28066}
LOGIN = {9751, 9752, 9758, 28034, 28035, 28036, 28045}
LOGIN_CODES = {"SBD-303", "SBD-304", "SBD-305", "SBD-306", "SBD-307"}


def ways_between(snapshot, pair):
    """The ways of first messages by each service of the initiator's database as they mean it."""
    database = snapshot.catalogs[pair.initiator.instance].databases[pair.initiator.database]
    return [
        way
        for service in beginning_services(database)
        for way in round_trip(
            snapshot,
            FlowQuestion(
                instance=pair.initiator.instance,
                database=pair.initiator.database,
                service=service.name,
                to_service=pair.service.name,
                broker_instance=pair.intent.broker,
            ),
            legs=1,
        )[0].ways
    ]


def test_what_a_finding_says_is_refused_is_delivered_by_no_what_if():
    tried = 0
    for seed in SEEDS:
        catalogs = secured_case(seed).catalogs
        survey, snapshot = Survey(catalogs, NOW), Snapshot(catalogs, at=NOW)
        for trial in trials(survey, survey.pairs, encryption=False):
            pair = trial.pair
            tried += 1
            there = pair.target.instance, pair.target.database
            arrived = [way for way in ways_between(snapshot, pair) if way.disposition in ARRIVED]
            assert not [way for way in arrived if (way.instance, way.database) == there], (seed, trial.number)
    assert tried


def test_a_finding_about_a_login_is_one_that_fails():
    tried = 0
    for seed in SEEDS:
        catalogs = secured_case(seed).catalogs
        for each in diagnose(catalogs, NOW).findings:
            if each.code in LOGIN_CODES - {"SBD-306"}:
                one, other = catalogs[each.subject.instance], catalogs[each.about]
                tried += 1
                assert login_fault(one, other, NOW) or login_fault(other, one, NOW), (seed, each.code)
    assert tried


def test_what_security_refuses_is_a_finding():
    refused = set()
    for seed in SEEDS:
        catalogs = secured_case(seed).catalogs
        survey, snapshot = Survey(catalogs, NOW), Snapshot(catalogs, at=NOW)
        findings = diagnose(catalogs, NOW).findings
        failing = {
            (trial.pair.initiator, trial.pair.target, trial.pair.service.name)
            for trial in trials(survey, survey.pairs, encryption=False)
        }
        keyless = {(each.subject.instance, each.subject.database) for each in findings if each.code == "SBD-510"}
        for pair in survey.pairs:
            ways = ways_between(snapshot, pair) if pair.is_dialog else []
            numbers = {way.number for way in ways}
            if not ways or not numbers <= AT_SENDER | AT_TARGET:
                continue
            if any(way.number in AT_TARGET - AT_SENDER and way.instance != pair.target.instance for way in ways):
                continue
            refused |= numbers
            known = (pair.initiator, pair.target, pair.service.name) in failing
            home = pair.initiator.instance, pair.initiator.database
            assert known or home in keyless, (seed, pair.initiator, pair.target, numbers)
    assert {8494, 9731, 11229} <= refused


def test_a_login_that_fails_on_a_way_that_is_meant_is_a_finding():
    refused = set()
    for seed in SEEDS:
        catalogs = secured_case(seed).catalogs
        survey, snapshot = Survey(catalogs, NOW), Snapshot(catalogs, at=NOW)
        told = {
            frozenset({each.subject.instance, each.about or each.subject.instance})
            for each in diagnose(catalogs, NOW).findings
            if each.code in LOGIN_CODES
        }
        unusable = {
            each.subject.instance
            for each in diagnose(catalogs, NOW).findings
            if each.code == "SBD-306" and each.subject.kind is ObjectKind.ENDPOINT
        }
        for pair in survey.pairs:
            for way in ways_between(snapshot, pair) if pair.is_dialog else ():
                if way.number in LOGIN and frozenset({way.instance, way.further}) in map(frozenset, survey.links):
                    refused.add(way.number)
                    ends = frozenset({way.instance, way.further})
                    assert ends in told or ends & unusable, (seed, way.number, way.instance, way.further)
    assert {9751, 9752} & refused
