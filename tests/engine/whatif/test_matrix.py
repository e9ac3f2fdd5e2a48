"""Flows under faults: each cell is what the question answers under that fault; who cannot send has lost nothing."""

import pytest

from engine.api import CatalogError, what_if
from engine.core.catalog.changes import DatabaseStateSet, ServiceAltered
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import DEFAULT_CONTRACT
from engine.whatif.matrix import failure_totals
from tests.support.diagnosed_estates import NOW, changed, sample_estate, sound_estate

Kind, Change, Disposition = what_if.FaultKind, what_if.FlowChange, what_if.Disposition
Fault = what_if.Fault


@pytest.fixture(scope="module")
def estate():
    return sample_estate()


def whole(estate, faults=None, **given):
    faults = what_if.single_failures(estate) if faults is None else faults
    failures = [[fault] for fault in faults]
    return what_if.matrix(estate, what_if.possible_flows(estate), failures, at=NOW, **given)


def both_ways():
    """The sound estate, in which Till takes dialogs too."""
    takes = ServiceAltered(database="Shop", name="Till", adds=(DEFAULT_CONTRACT,))
    return changed(sound_estate(), "WEST", takes)


def test_every_cell_is_what_the_question_answers_under_the_fault(estate):
    found = whole(estate)
    assert len(found.rows) == 11
    for row in found.rows:
        as_is = what_if.ask(estate, row.question, at=NOW)
        assert row.base.disposition is as_is.disposition
        for column, cell in zip(found.totals, row.cells, strict=True):
            answer = what_if.ask(estate, row.question, at=NOW, faults=column.faults)
            told = answer.legs[0].ways[0].number
            assert cell.disposition is answer.disposition, (row.key, column.faults)
            assert cell.number == (None if told is None else told.number)
            if cell.change is not None:
                gravest = {Change.LOST, Change.GAINED}
                change = what_if.compare(as_is, answer).change
                assert (cell.change in gravest, change in gravest) in ((False, False), (True, True))
                assert cell.change is change or cell.change not in gravest


def test_totals_add_up_to_the_flows(estate):
    found = whole(estate)
    for at, column in enumerate(found.totals):
        cells = [row.cells[at] for row in found.rows]
        counts = (column.lost, column.moved, column.gained, column.unchanged, column.sender_down)
        assert sum(counts) == len(found.rows)
        assert column.lost == sum(cell.change is Change.LOST for cell in cells)
        assert column.sender_down == sum(cell.disposition is Disposition.SENDER_DOWN for cell in cells)


def test_totals_alone_are_those_of_the_matrix(estate):
    flows, faults = list(what_if.possible_flows(estate)), what_if.single_failures(estate, at=NOW)
    for supposed in ((), faults[:1], faults[-1:]):
        failures = [*([fault] for fault in faults), faults[:2]]
        whole = what_if.matrix(estate, flows, failures, at=NOW, supposed=supposed)
        assert failure_totals(estate, flows, failures, at=NOW, supposed=supposed) == whole.totals


def test_a_dead_sender_is_counted_by_itself_and_loses_nothing():
    """WEST writes to EAST and EAST to WEST: with WEST down the one has no sender, and the other is lost."""
    found = whole(both_ways(), [Fault(kind=Kind.INSTANCE, instance="WEST")])
    assert (found.totals[0].lost, found.totals[0].sender_down) == (1, 1)
    ends = {row.question.instance: (row.cells[0].disposition, row.cells[0].change) for row in found.rows}
    assert ends == {"WEST": (Disposition.SENDER_DOWN, None), "EAST": (Disposition.UNREACHABLE, Change.LOST)}


def test_the_far_side_down_is_a_loss():
    (column,) = whole(both_ways(), [Fault(kind=Kind.INSTANCE, instance="EAST")]).totals
    assert (column.lost, column.sender_down) == (1, 1)


def test_an_onlooker_down_changes_nothing():
    (column,) = whole(sound_estate(), [Fault(kind=Kind.INSTANCE, instance="NORTH")]).totals
    assert (column.lost, column.moved, column.sender_down) == (0, 0, 0)
    assert column.unchanged == len(list(what_if.possible_flows(sound_estate())))


def test_what_is_supposed_holds_in_the_base_and_in_every_column():
    down = Fault(kind=Kind.INSTANCE, instance="EAST")
    cut = Fault(kind=Kind.LINK, instance="WEST", other="EAST")
    found = whole(sound_estate(), [cut], supposed=[down])
    row = next(row for row in found.rows if row.question.instance == "WEST")
    assert row.base.disposition is Disposition.UNREACHABLE
    assert row.base.works is False
    assert row.cells[0].change is Change.UNCHANGED


def test_a_flow_moves_to_the_partner(estate):
    fault = Fault(kind=Kind.PARTNER, instance="BERLIN", database="Buchhaltung")
    found = whole(estate, [fault])
    moved = [row.question for row in found.rows if row.cells[0].change is Change.MOVED]
    assert [flow.to_service for flow in moved] == ["//beispiel.de/Buchhaltung/Rechnungen"]


def test_flows_of_nobody_are_left_out():
    estate = sound_estate()
    flow = next(what_if.possible_flows(estate))
    gone = [
        what_if.FlowQuestion(instance="SOUTH", database="Shop", service="Till", to_service="Stock"),
        what_if.FlowQuestion(instance="WEST", database="Shop", service="Gone", to_service="Stock"),
    ]
    assert [row.question for row in what_if.matrix(estate, [*gone, flow], [], at=NOW).rows] == [flow]


def test_a_fault_of_what_is_not_there_is_refused():
    with pytest.raises(CatalogError) as caught:
        whole(sound_estate(), [Fault(kind=Kind.QUEUE, instance="EAST", database="Store", queue="dbo.Nothing")])
    assert caught.value.number == 15151


def test_what_was_dead_before_is_dead_in_every_column():
    estate = changed(sound_estate(), "WEST", DatabaseStateSet(database="Shop", state=DatabaseState.OFFLINE))
    found = whole(estate, [Fault(kind=Kind.INSTANCE, instance="NORTH")])
    row = next(row for row in found.rows if row.question.instance == "WEST")
    assert (row.base.change, row.cells[0].change) == (None, None)


def test_two_faults_at_once_are_one_failure():
    """The two partners of a pair: with one of them failed over the flow lives, with both down it does not."""
    over = Fault(kind=Kind.PARTNER, instance="BERLIN", database="Buchhaltung")
    down = Fault(kind=Kind.INSTANCE, instance="LYON")
    estate = sample_estate()
    flow = next(
        each for each in what_if.possible_flows(estate) if each.to_service == "//beispiel.de/Buchhaltung/Rechnungen"
    )
    found = what_if.matrix(estate, [flow], [[over], [down], [over, down]], at=NOW)
    assert [column.faults for column in found.totals] == [(over,), (down,), (over, down)]
    assert [cell.works for cell in found.rows[0].cells] == [True, True, False]
    assert [column.lost for column in found.totals] == [0, 0, 1]
