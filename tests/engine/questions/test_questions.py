"""Questions whose answers are tables, of one state and of the difference between two."""

import msgspec
import pytest

from engine.api import CatalogError, questions, what_if
from engine.core.catalog.changes import BrokerRenewed, DatabaseCreated, RouteAltered, RouteCreated, RouteDropped
from tests.support.diagnosed_estates import NOW, STORE, broken, changed, route, sample_estate, sound_estate

FLOW = {"instance": "WEST", "database": "Shop", "service": "Till", "to_service": "Stock"}


def state(catalogs, label="live", **given):
    return questions.EstateState(label=label, catalogs=catalogs, at=NOW, **given)


def rows(name, catalogs, /, parameters=None, **given):
    table = questions.ask(name, parameters or {}, state(catalogs, **given))
    names = [column.name for column in table.columns]
    assert all(len(row) == len(names) for row in table.rows)
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_nine_questions_with_help_and_parameters():
    assert len(questions.QUESTIONS) == 9
    for name, found in questions.QUESTIONS.items():
        assert (found.name, bool(found.help)) == (name, True)
        assert set(found.parameters()["properties"]) == set(found.question.__struct_fields__)


@pytest.mark.parametrize("name", sorted(questions.QUESTIONS))
def test_every_question_differs_in_nothing_from_itself(name):
    parameters = FLOW if name in ("route_trace", "delivery_under_faults") else {}
    one, other = state(sound_estate(), "a"), state(sound_estate(), "b")
    table = questions.ask(name, parameters, one, other)
    assert (table.rows, table.base, table.reference) == ((), "a", "b")


def test_a_trace_ends_where_the_answer_says():
    found = rows("route_trace", sound_estate(), FLOW)
    assert [(each["instance"], each["route"], each["disposition"]) for each in found if each["leg"] == "message"] == [
        ("WEST", "There", None),
        ("EAST", "AutoCreatedLocal", "delivered"),
    ]


def test_what_does_not_work_and_what_a_change_adds_to_it():
    assert rows("unreachable_services", sound_estate()) == []
    after = broken("EAST", RouteDropped(database="Store", name="Back"))
    table = questions.ask("unreachable_services", {}, state(after, "draft"), state(sound_estate()))
    assert {row[0] for row in table.rows} == {"come"}
    assert ("WEST", "Stock") in {(row[1], row[4]) for row in table.rows}
    assert rows("unreachable_services", after, {"service": "Nobody"}) == []


def test_shadowed_and_expiring_routes():
    old = broken("WEST", RouteCreated(database="Shop", route=route("Old", "Stock", "north", expires_at=NOW)))
    assert [each["route"] for each in rows("shadowed_routes", old)] == ["Old"]
    soon = broken("WEST", RouteAltered(database="Shop", name="There", expires_at=NOW + 60))
    (found,) = rows("expiring_routes", soon)
    assert (found["route"], found["at"], found["lost"] > 0) == ("There", NOW + 60, True)
    assert rows("expiring_routes", soon, {"days": "0.0001"}) == []


def test_loops_and_twins():
    loop = changed(
        broken("EAST", RouteCreated(database="msdb", route=route("Round", "Stock", "west"))),
        "WEST",
        RouteCreated(database="msdb", route=route("Round", "Stock", "east")),
    )
    for name in ("EAST", "WEST"):
        endpoint = msgspec.structs.replace(loop[name].endpoint, is_message_forwarding_enabled=True)
        loop[name] = msgspec.structs.replace(loop[name], endpoint=endpoint)
    assert {each["code"] for each in rows("routing_loops", loop)} == {"SBD-112"}
    twins = broken("NORTH", DatabaseCreated(database="Copy", broker_instance=STORE))
    assert [each["code"] for each in rows("duplicate_identities", twins)] == ["SBD-203"]


def test_a_failover_of_every_pair():
    (found,) = rows("mirror_failover", sample_estate())
    assert (found["instance"], found["partner_instance"], found["moved"]) == ("BERLIN", "LYON", 1)


def test_drift_and_what_is_not_known_of_it():
    wanted = broken("WEST", BrokerRenewed(database="Shop", broker_instance=STORE))
    applied = {"WEST": sound_estate()["WEST"], "EAST": sound_estate()["EAST"]}
    table = questions.ask("drift", {}, state(wanted, applied=applied))
    assert {row[0] for row in table.rows} == {"WEST"}
    assert table.caps == ("not known what has been applied: NORTH",)


def test_every_simulated_world_is_told_with_its_seed():
    found = rows("delivery_under_faults", sound_estate(), {**FLOW, "seeds": 2})
    assert [(each["seed"], each["arrived"]) for each in found] == [(1, "EAST/Store"), (2, "EAST/Store")]
    down = what_if.Fault(kind=what_if.FaultKind.INSTANCE, instance="EAST")
    (lost,) = rows("delivery_under_faults", sound_estate(), {**FLOW, "seeds": 1}, faults=(down,))
    assert (lost["arrived"], lost["acknowledged_after"]) == (None, None)


def test_bad_questions():
    with pytest.raises(CatalogError) as caught:
        questions.ask("weather", {}, state(sound_estate()))
    assert caught.value.number == 15151
    with pytest.raises(msgspec.ValidationError, match="takes no colour"):
        questions.ask("drift", {"colour": "blue"}, state(sound_estate()))
    with pytest.raises(msgspec.ValidationError):
        questions.ask("expiring_routes", {"days": "many"}, state(sound_estate()))
    with pytest.raises(CatalogError):
        questions.ask("route_trace", {**FLOW, "database": "Gone"}, state(sound_estate()))
