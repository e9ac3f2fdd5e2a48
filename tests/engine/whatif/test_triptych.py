"""One question as a mirrored pair stands: as it is, failed over, both partners down."""

import pytest

from engine.api import CatalogError, what_if
from engine.core.catalog.changes import DatabaseCreated, DatabaseStateSet, PartnerSet, RouteAltered
from engine.core.catalog.database import DatabaseState
from tests.support.diagnosed_estates import NOW, changed, sample_estate, sound_estate, tcp

Disposition, State = what_if.Disposition, what_if.PairState


@pytest.fixture(scope="module")
def estate():
    return sample_estate()


def invoices(instance="PARIS", database="Ventes"):
    return what_if.FlowQuestion(
        instance=instance,
        database=database,
        service="//exemple.fr/Ventes/Guichet",
        to_service="//beispiel.de/Buchhaltung/Rechnungen",
    )


def test_the_address_that_is_dialled_goes_with_the_principal(estate):
    found = what_if.triptych(estate, invoices(), at=NOW)
    assert [(each.instance, each.is_principal) for each in found.pair] == [("BERLIN", True), ("LYON", False)]
    assert [column.name for column in found.columns] == [State.AS_IS, State.FAILED_OVER, State.BOTH_DOWN]
    assert [[(each.address, each.is_mirror_address) for each in column.dialled] for column in found.columns] == [
        [("TCP://berlin:4022", False)],
        [("TCP://lyon:4022", True)],
        [("TCP://berlin:4022", False)],
    ]
    assert [column.answer.disposition for column in found.columns] == [
        Disposition.DELIVERED,
        Disposition.DELIVERED,
        Disposition.NOBODY_CLAIMS,
    ]
    assert [column.answer.legs[0].ways[0].instance for column in found.columns] == ["BERLIN", "LYON", "PARIS"]


def test_each_column_is_the_answer_under_its_faults(estate):
    for column in what_if.triptych(estate, invoices(), at=NOW).columns:
        assert what_if.ask(estate, invoices(), at=NOW, faults=column.faults) == column.answer


def test_faults_are_supposed_in_all_columns(estate):
    cut = what_if.Fault(kind=what_if.FaultKind.LINK, instance="PARIS", other="LYON")
    columns = what_if.triptych(estate, invoices(), at=NOW, faults=[cut]).columns
    assert all(cut in column.faults for column in columns)
    assert [column.answer.disposition for column in columns] == [
        Disposition.DELIVERED,
        Disposition.NOBODY_CLAIMS,
        Disposition.NOBODY_CLAIMS,
    ]


def test_the_pair_is_the_same_when_it_has_failed_over_already(estate):
    failed_over = changed(
        changed(estate, "BERLIN", DatabaseStateSet(database="Buchhaltung", state=DatabaseState.MIRROR)),
        "LYON",
        DatabaseStateSet(database="Buchhaltung", state=DatabaseState.ONLINE),
    )
    found = what_if.triptych(failed_over, invoices(), at=NOW)
    assert [(each.instance, each.is_principal) for each in found.pair] == [("LYON", True), ("BERLIN", False)]
    assert [column.answer.legs[0].ways[0].instance for column in found.columns] == ["LYON", "BERLIN", "PARIS"]


def test_a_pair_that_no_mirrored_route_leads_to_is_found_at_the_end_of_the_way():
    """The route knows one partner alone: after a failover nothing arrives any more."""
    estate = sound_estate()
    copy = estate["EAST"].databases["Store"]
    estate = changed(
        estate,
        "NORTH",
        DatabaseCreated(database="Store", broker_instance=copy.broker_instance),
        DatabaseStateSet(database="Store", state=DatabaseState.MIRROR),
        PartnerSet(database="Store", partner_address="TCP://east:5022"),
    )
    estate = changed(estate, "EAST", PartnerSet(database="Store", partner_address="TCP://north:5022"))
    question = what_if.FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
    found = what_if.triptych(estate, question, at=NOW)
    assert [each.instance for each in found.pair] == ["EAST", "NORTH"]
    assert [column.dialled for column in found.columns] == [(), (), ()]
    works = [column.answer.disposition is Disposition.DELIVERED for column in found.columns]
    assert works == [True, False, False]


def test_without_a_pair_on_the_way_there_is_a_number(estate):
    question = what_if.FlowQuestion(instance="WEST", database="shop", service="Till", to_service="Stock")
    with pytest.raises(CatalogError) as caught:
        what_if.triptych(sound_estate(), question, at=NOW)
    assert (caught.value.number, "'Store'" in str(caught.value)) == (1416, True)


def test_a_route_without_its_mirror_address_leads_to_one_partner_alone(estate):
    plain = changed(
        estate,
        "PARIS",
        RouteAltered(database="Ventes", name="Comptabilité allemande", mirror_address=tcp("berlin", 4999)),
    )
    columns = what_if.triptych(plain, invoices(), at=NOW).columns
    assert [column.answer.disposition for column in columns] == [
        Disposition.DELIVERED,
        Disposition.NOBODY_CLAIMS,
        Disposition.NOBODY_CLAIMS,
    ]
