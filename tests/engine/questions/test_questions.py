"""Questions whose answers are tables, of one state and of the difference between two."""

import msgspec
import pytest

from engine.api import CatalogError, questions, what_if
from engine.core.catalog.changes import BrokerRenewed, DatabaseCreated, RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.objects import Endpoint, EndpointState
from tests.support.diagnosed_estates import NOW, STORE, broken, changed, route, sample_estate, sound_estate, tcp
from tests.support.each import for_each

FLOW = {"instance": "WEST", "database": "Shop", "service": "Till", "to_service": "Stock"}


def state(catalogs, label="live", **given):
    return questions.EstateState(label=label, catalogs=catalogs, at=NOW, **given)


def rows(name, catalogs, /, parameters=None, **given):
    table = questions.ask(name, parameters or {}, state(catalogs, **given))
    names = [column.name for column in table.columns]
    assert all(len(row) == len(names) for row in table.rows)
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def differences(name, after, before, parameters=None, **given):
    """What became of rows, each as names and cells of before and after."""
    table = questions.ask(name, parameters or {}, state(after, "after", **given), state(before, "before"))
    names = [column.name for column in table.columns]
    assert table.rows == ()
    told = [(each.change.value, each.before, each.after) for each in table.changes]
    return table, [
        (what, *(None if row is None else dict(zip(names, row, strict=True)) for row in both)) for what, *both in told
    ]


def test_nine_questions_with_help_and_parameters():
    assert len(questions.QUESTIONS) == 9
    for name, found in questions.QUESTIONS.items():
        assert (found.name, bool(found.help)) == (name, True)
        assert [each.name for each in questions.parameters_of(found.question)] == list(found.question.__struct_fields__)
        assert set(found.key) <= {column.name for column in found.columns}
    days, seeds = (questions.QUESTIONS[name].question for name in ("expiring_routes", "delivery_under_faults"))
    (told,) = questions.parameters_of(days)
    assert (told.kind, told.is_required, told.default, told.minimum, told.maximum) == ("number", False, 30.0, 0, 36500)
    assert [each.name for each in questions.parameters_of(seeds) if each.is_required] == list(FLOW)


@pytest.mark.parametrize("name", sorted(questions.QUESTIONS))
def test_every_question_differs_in_nothing_from_itself(name):
    parameters = FLOW if name in ("route_trace", "delivery_under_faults") else {}
    one, other = state(sound_estate(), "a"), state(sound_estate(), "b")
    table = questions.ask(name, parameters, one, other)
    assert (table.rows, table.changes, table.base, table.reference) == ((), (), "a", "b")
    assert table.same == len(questions.ask(name, parameters, one).rows)


def test_a_trace_ends_where_the_answer_says():
    found = rows("route_trace", sound_estate(), FLOW)
    assert [(each["instance"], each["route"], each["disposition"]) for each in found if each["leg"] == "message"] == [
        ("WEST", "There", None),
        ("EAST", "AutoCreatedLocal", "delivered"),
    ]


def test_what_does_not_work_and_what_a_change_adds_to_it():
    assert rows("unreachable_services", sound_estate()) == []
    after = broken("EAST", RouteDropped(database="Store", name="Back"))
    _, found = differences("unreachable_services", after, sound_estate())
    assert {what for what, _, _ in found} == {"come"}
    assert ("WEST", "Stock") in {(row["instance"], row["to_service"]) for _, _, row in found}
    assert {what for what, _, _ in differences("unreachable_services", sound_estate(), after)[1]} == {"gone"}
    assert rows("unreachable_services", after, {"to_service": "Nobody"}) == []


def test_the_leg_on_which_a_flow_fails_is_told():
    """What arrives and is never heard of does not work either: the end is that of its acknowledgement."""
    unheard = broken("EAST", RouteDropped(database="Store", name="Back"))
    assert {
        (row["leg"], row["disposition"], row["number"])
        for row in rows("unreachable_services", unheard, {"to_service": "Stock"})
    } == {("acknowledgement", "delayed", 9796)}
    without = broken("WEST", RouteAltered(database="Shop", name="There", address=tcp("nobody.example")))
    assert {
        (row["leg"], row["disposition"]) for row in rows("unreachable_services", without, {"to_service": "Stock"})
    } == {("message", "nobody-there")}


def test_a_flow_whose_route_is_gone_is_told_although_nobody_would_send_it_any_more():
    without = broken("WEST", RouteDropped(database="Shop", name="There"))
    ((what, _, after),) = differences("unreachable_services", without, sound_estate(), {"to_service": "Stock"})[1]
    assert (what, after["disposition"], after["number"]) == ("come", "delayed", 9796)


def test_a_flow_that_fails_otherwise_is_changed_and_neither_gone_nor_come():
    dead = broken("WEST", RouteAltered(database="Shop", name="There", address=tcp("nobody.example")))
    down = what_if.Fault(kind=what_if.FaultKind.INSTANCE, instance="EAST")
    stock = {"to_service": "Stock"}
    table, ((what, before, after),) = differences("unreachable_services", sound_estate(), dead, stock, faults=(down,))
    assert (what, before["disposition"], after["disposition"]) == ("changed", "nobody-there", "unreachable")
    flow = ("instance", "database", "service", "to_service", "broker_instance")
    assert [before[each] for each in flow] == [after[each] for each in flow]
    assert table.same == 0


def test_an_expiry_that_moves_is_one_changed_row_and_another_stays_the_same():
    def expiring(when):
        other = RouteCreated(database="Shop", route=route("Other", "Elsewhere", "north", expires_at=NOW + 90))
        return broken("WEST", RouteAltered(database="Shop", name="There", expires_at=NOW + when), other)

    table, ((what, before, after),) = differences("expiring_routes", expiring(70), expiring(60))
    assert (what, before["at"], after["at"], before["route"], after["route"]) == (
        "changed",
        NOW + 60,
        NOW + 70,
        "There",
        "There",
    )
    assert table.same == 1


def test_traces_differ_hop_by_hop():
    """A hop that comes between leaves those behind it the same, although their numbers are others."""
    detour = changed(
        broken("WEST", RouteAltered(database="Shop", name="There", address=tcp("north"))),
        "NORTH",
        RouteCreated(database="msdb", route=route("Onward", "Stock", "east")),
    )
    endpoint = Endpoint("Broker", 4022, EndpointState.STARTED, is_message_forwarding_enabled=True)
    detour["NORTH"] = msgspec.structs.replace(detour["NORTH"], endpoint=endpoint)
    _, found = differences("route_trace", detour, sound_estate(), FLOW)
    message = [each for each in found if (each[1] or each[2])["leg"] == "message"]
    assert [(what, (before or {}).get("address"), after["address"]) for what, before, after in message] == [
        ("changed", "TCP://east:4022", "TCP://north:4022"),
        ("come", None, "TCP://east:4022"),
    ]


def test_a_trace_that_ends_otherwise_at_the_same_hop_is_changed():
    off = what_if.Fault(kind=what_if.FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.Inbox")
    _, found = differences("route_trace", sound_estate(), sound_estate(), FLOW, faults=(off,))
    ends = [(what, before["disposition"], after["disposition"]) for what, before, after in found if before and after]
    assert ("changed", "delivered", "held-queue-off") in ends


def test_whoever_only_one_state_has_is_told_and_nobody_at_all_is_refused():
    alone = sound_estate()
    del alone["WEST"]
    table, found = differences("route_trace", sound_estate(), alone, FLOW)
    assert {what for what, _, _ in found} == {"come"}
    assert [(each.kind.value, each.names) for each in table.notes] == [("nobody", ("before",))]
    with pytest.raises(CatalogError, match="15151"):
        differences("route_trace", alone, alone, FLOW)


@pytest.mark.parametrize("name", sorted(questions.QUESTIONS))
def test_where_faults_do_not_matter_the_table_says_so(name):
    down = what_if.Fault(kind=what_if.FaultKind.INSTANCE, instance="EAST")
    given = FLOW if name in ("route_trace", "delivery_under_faults") else {}
    struck = questions.ask(name, given, state(sample_and_sound(), faults=(down,)))
    sound = questions.ask(name, given, state(sample_and_sound()))
    heeds = questions.QUESTIONS[name].heeds_faults
    assert any(each.kind is questions.NoteKind.FAULTS for each in struck.notes) is not heeds
    assert not any(each.kind is questions.NoteKind.FAULTS for each in sound.notes)
    if not heeds:
        assert struck.rows == sound.rows


def sample_and_sound():
    return {**sample_estate(), **sound_estate()}


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
    assert [(each.kind.value, each.names) for each in table.notes] == [("not-applied", ("NORTH",))]
    assert questions.ask("drift", {"instance": "east"}, state(wanted, applied=applied)).notes == ()
    with pytest.raises(CatalogError, match="15151"):
        questions.ask("drift", {"instance": "SOUTH"}, state(wanted, applied=applied))


def test_every_simulated_world_is_told_with_its_seed():
    found = rows("delivery_under_faults", sound_estate(), {**FLOW, "seeds": 2})
    assert [(each["seed"], each["arrived"]) for each in found] == [(1, "EAST/Store"), (2, "EAST/Store")]
    down = what_if.Fault(kind=what_if.FaultKind.INSTANCE, instance="EAST")
    (lost,) = rows("delivery_under_faults", sound_estate(), {**FLOW, "seeds": 1}, faults=(down,))
    assert (lost["arrived"], lost["acknowledged_after"]) == (None, None)


def test_each_world_is_told_before_it_begins_and_whoever_watches_may_end_it():
    class Enough(Exception):
        pass

    begun = []

    def watch():
        begun.append(len(begun))
        if len(begun) == 3:
            raise Enough

    given = {**FLOW, "seeds": 5}
    assert questions.parts_of("delivery_under_faults", given) == 5
    assert questions.parts_of("drift", {}) is None
    with pytest.raises(Enough):
        questions.ask("delivery_under_faults", given, state(sound_estate(), watch=watch))
    assert begun == [0, 1, 2]


@for_each(
    ("name", "given", "number", "says"),
    [
        ("weather", {}, 15151, "weather"),
        ("drift", {"colour": "blue"}, 153, "nothing of this name"),
        ("route_trace", {}, 153, "needs it"),
        ("route_trace", {**FLOW, "service": 7}, 153, "no name"),
        ("route_trace", {**FLOW, "service": ""}, 153, "needs it"),
        ("route_trace", {**FLOW, "broker_instance": "x"}, 8413, "not well formed"),
        ("route_trace", {**FLOW, "database": "Gone"}, 911, "Gone"),
        ("expiring_routes", {"days": "many"}, 153, "no number"),
        ("expiring_routes", {"days": "nan"}, 153, "no number"),
        ("expiring_routes", {"days": "-1"}, 153, "between 0 and 36500"),
        ("expiring_routes", {"days": 36501}, 153, "between 0 and 36500"),
        ("expiring_routes", {"days": True}, 153, "no number"),
        ("delivery_under_faults", {**FLOW, "seeds": 101}, 153, "between 1 and 100"),
        ("delivery_under_faults", {**FLOW, "seeds": 0}, 153, "between 1 and 100"),
        ("delivery_under_faults", {**FLOW, "seeds": 1.5}, 153, "no whole number"),
        ("delivery_under_faults", {**FLOW, "first_seed": -1}, 153, "between 0 and 2147483647"),
    ],
)
def test_bad_questions(name, given, number, says):
    with pytest.raises(CatalogError, match=says) as caught:
        questions.ask(name, given, state(sound_estate()))
    assert caught.value.number == number
