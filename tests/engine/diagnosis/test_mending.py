"""Fixes of several findings together: each on top of those before it, and nothing is claimed that is not so."""

from hypothesis import HealthCheck, given

from engine.core.catalog.changes import QueueAltered, RouteAltered, RouteCreated, RouteDropped, ServiceCreated
from engine.core.catalog.objects import Service
from engine.core.catalog.revision import apply_changes
from engine.diagnosis.comparison import compare
from engine.diagnosis.mending import mend
from tests.engine.diagnosis.test_laws import estates
from tests.support.diagnosed_estates import NOW, broken, changed, diagnosed, route, sample_estate
from tests.support.thoroughness import examples


def mended(estate, code):
    known = diagnosed(estate)
    return mend(estate, known, {each.key for each in known.findings if each.code == code}, NOW)


def test_all_of_a_kind_are_mended_in_one_go():
    expired = [
        RouteCreated(database=database, route=route(f"Old {number}", f"Gone {number}", "east", expires_at=NOW - 1))
        for database in ("Shop",)
        for number in range(3)
    ]
    found = mended(broken("WEST", *expired), "SBD-103")
    assert (len(found.mended), found.left) == (3, ())
    (part,) = found.changes
    assert (part.instance, len(part.changes)) == ("WEST", 3)
    assert set(found.after["WEST"].databases["Shop"].routes) == {"AutoCreatedLocal", "There"}


def test_two_fixes_that_would_give_their_routes_one_name_give_them_two():
    """Each was proposed as if it were alone: the second has to wait for another diagnosis."""
    estate = broken(
        "WEST",
        RouteCreated(database="Shop", route=route("A", "//a/Stock", "east")),
        RouteCreated(database="Shop", route=route("B", "//b/Stock", "east")),
    )
    estate = changed(
        estate,
        "EAST",
        ServiceCreated(database="Store", service=Service("//a/Stock", "dbo.Inbox", ("Sale",))),
        ServiceCreated(database="Store", service=Service("//b/Stock", "dbo.Inbox", ("Sale",))),
        RouteDropped(database="msdb", name="AutoCreatedLocal"),
    )
    found = mended(estate, "SBD-109")
    assert (len(found.mended), found.left) == (3, ())
    routes = found.after["EAST"].databases["msdb"].routes
    assert {name: each.service_name for name, each in routes.items()} == {
        "To Stock": "//a/Stock",
        "To Stock 2": "//b/Stock",
        "To Stock 3": "Stock",
    }


def test_what_was_hidden_is_told_and_not_mended_unasked():
    estate = broken(
        "EAST",
        QueueAltered(database="Store", name="dbo.Inbox", is_enabled=False, is_retention_enabled=True),
    )
    found = mended(estate, "SBD-405")
    assert [each.code for each in found.mended] == ["SBD-405"]
    assert [each.code for each in found.difference.still] == ["SBD-411"]
    assert found.difference.new == ()


def test_what_nobody_can_decide_is_left_and_nothing_changes():
    estate = broken("WEST", RouteAltered(database="Shop", name="There", service_name="Nobody"))
    known = diagnosed(estate)
    unfixed = {each.key for each in known.findings if not each.fix}
    assert unfixed
    found = mend(estate, known, unfixed, NOW)
    assert found.changes == ()
    assert {each.key for each in found.left} == unfixed
    assert found.difference.new == found.difference.gone == ()


def test_the_sample_is_rid_of_everything_that_has_a_fix():
    estate = sample_estate()
    known = diagnosed(estate)
    fixed = {each.key for each in known.findings if each.fix}
    found = mend(estate, known, fixed, NOW)
    assert {each.key for each in found.mended} == fixed
    assert not any(each.severity == "error" for each in found.difference.new)


@examples(40, suppress_health_check=[HealthCheck.too_slow])
@given(estates)
def test_the_changes_lead_to_what_was_diagnosed_and_every_finding_has_one_fate(estate):
    known = diagnosed(estate)
    chosen = {each.key for each in known.findings}
    found = mend(estate, known, chosen, NOW)
    again = dict(estate)
    for part in found.changes:
        again[part.instance] = apply_changes(again[part.instance], part.changes)
    assert again == found.after
    assert {each.key for each in (*found.mended, *found.left)} == chosen
    assert not {each.key for each in found.mended} & {each.key for each in found.left}
    after = diagnosed(dict(found.after))
    assert compare(known, after) == found.difference
