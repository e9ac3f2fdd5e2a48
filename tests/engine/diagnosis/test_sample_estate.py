"""The sample: what was planted is found, and nothing else is told."""

import pytest

from engine.core.catalog.changes import DatabaseStateSet, EndpointAltered, RouteCreated, RouteDropped
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import EndpointState
from engine.diagnosis.finding import Severity
from engine.diagnosis.words import subject_text, worded
from tests.support.diagnosed_estates import changed, diagnosed, mended, route, sample_estate

PLANTED = {
    ("SBD-102", "database Archives of LYON"),
    ("SBD-103", "route Soldes de printemps of PARIS.Ventes"),
    ("SBD-101", "service //beispiel.de/Einkauf/Bestellungen of BERLIN.Einkauf"),
    ("SBD-108", "route Vers l'inventaire of PARIS.Ventes"),
}


def told(diagnosis):
    return {(finding.code, subject_text(finding.subject)) for finding in diagnosis.findings}


def test_the_four_planted_mistakes_are_found_and_nothing_else():
    diagnosis = diagnosed(sample_estate())
    assert told(diagnosis) == PLANTED
    assert len(diagnosis.findings) == len(PLANTED)
    assert (diagnosis.count(Severity.ERROR), diagnosis.count(Severity.WARNING)) == (2, 2)


def test_what_can_be_mended_is_mended_and_stays_so():
    estate = sample_estate()
    for finding in diagnosed(estate).findings:
        estate = mended(estate, finding)
    assert {code for code, _ in told(diagnosed(estate))} == {"SBD-101"}


def test_one_stopped_endpoint_is_one_finding():
    estate = changed(sample_estate(), "HUB", EndpointAltered(name="Relais", state=EndpointState.STOPPED))
    assert told(diagnosed(estate)) - PLANTED == {("SBD-302", "endpoint Relais of HUB")}


def test_after_a_failover_nothing_new_is_told():
    estate = changed(sample_estate(), "LYON", DatabaseStateSet(database="Buchhaltung", state=DatabaseState.ONLINE))
    estate = changed(estate, "BERLIN", DatabaseStateSet(database="Buchhaltung", state=DatabaseState.MIRROR))
    assert told(diagnosed(estate)) == PLANTED


def without_mirror(address):
    """The sample whose route to the mirrored database names one address alone."""
    broker = sample_estate()["BERLIN"].databases["Buchhaltung"].broker_instance
    made = route("Comptabilité", "//beispiel.de/Buchhaltung/Rechnungen", address, broker_instance=broker)
    return changed(
        sample_estate(),
        "PARIS",
        RouteDropped(database="Ventes", name="Comptabilité allemande"),
        RouteCreated(database="Ventes", route=made),
    )


@pytest.mark.parametrize(("address", "text"), [("berlin", "is mirrored with"), ("lyon", "is the mirror copy")])
def test_a_route_that_does_not_follow_a_failover(address, text):
    estate = without_mirror(address)
    (finding,) = [each for each in diagnosed(estate).findings if (each.code, subject_text(each.subject)) not in PLANTED]
    assert (finding.code, subject_text(finding.subject)) == ("SBD-119", "route Comptabilité of PARIS.Ventes")
    assert text in worded(finding).text
    assert told(diagnosed(mended(estate, finding))) == PLANTED


def test_a_forwarder_without_route_leads_astray():
    estate = changed(sample_estate(), "HUB", RouteDropped(database="msdb", name="Weiter nach Berlin"))
    (finding,) = [each for each in diagnosed(estate).findings if (each.code, subject_text(each.subject)) not in PLANTED]
    assert (finding.code, subject_text(finding.subject)) == ("SBD-101", "route Vers Berlin of PARIS.Ventes")
    assert "come to HUB" in worded(finding).text
    assert told(diagnosed(mended(estate, finding))) == PLANTED
