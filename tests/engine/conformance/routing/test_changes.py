"""A table after changes is the table that a restart would read: routing.md 1, 1.2, E8, E33."""

from uuid import UUID

import pytest

from engine.core.catalog.changes import DatabaseCreated, DatabaseDropped, RouteAltered, RouteCreated, RouteDropped
from engine.core.routing.classifier import MessageClassifier
from tests.support.routing_tables import DELAYED, change, inside, paris, routes, tcp

FAR_S = ("far", "S", None, "lyon")
REBORN = DatabaseCreated(database="Ventes", broker_instance=UUID(int=77))


def made(*described):
    return routes(described)[described[0]]


def drawn(classifier):
    """Routes that new conversations take, one after the other."""
    return [inside(classifier).route.name for _ in range(3)]


@pytest.mark.parametrize("spelled", ["Ventes", "VENTES"])
def test_e33_a_database_that_was_dropped_and_made_anew_has_the_route_it_is_born_with_and_no_other(spelled):
    classifier = change(paris([FAR_S]), DatabaseDropped(database=spelled), REBORN)
    assert [route.name for route in classifier.tables["Ventes"]] == ["AutoCreatedLocal"]
    assert inside(classifier).classification is DELAYED


def test_routes_of_a_database_made_anew_are_those_of_the_new_one():
    new = RouteCreated(database="Ventes", route=made("new", "S", None, "nice"))
    classifier = change(paris([FAR_S]), DatabaseDropped(database="Ventes"), REBORN, new)
    assert inside(classifier).route.name == "new"


def test_a_dropped_database_has_no_table():
    assert "Ventes" not in change(paris([FAR_S]), DatabaseDropped(database="Ventes")).tables


def test_a_change_counts_in_whatever_letter_case_the_database_and_the_route_are_spelled():
    classifier = paris([FAR_S])
    change(classifier, RouteAltered(database="VENTES", name="FAR", address=tcp("nice")))
    assert inside(classifier).address.host == "nice"
    change(classifier, RouteCreated(database="ventes", route=made("other", "T", None, "metz")))
    assert inside(classifier, "T").address.host == "metz"
    change(classifier, RouteDropped(database="vENTES", name="Far"))
    assert inside(classifier).classification is DELAYED


@pytest.mark.parametrize(
    ("changes", "order"),
    [
        ([RouteAltered(database="Ventes", name="a", address=tcp("metz"))], ["a", "b", "a"]),
        (
            [
                RouteDropped(database="Ventes", name="a"),
                RouteCreated(database="Ventes", route=made("a", "S", None, "lyon")),
            ],
            ["b", "a", "b"],
        ),
        (
            [
                RouteDropped(database="Ventes", name="a"),
                RouteCreated(database="Ventes", route=made("c", "S", None, "metz")),
                RouteCreated(database="Ventes", route=made("a", "S", None, "lyon")),
            ],
            ["b", "c", "a"],
        ),
        (
            [
                RouteDropped(database="Ventes", name="a"),
                RouteCreated(database="Ventes", route=made("a", "S", None, "metz")),
                RouteDropped(database="Ventes", name="A"),
            ],
            ["b", "b", "b"],
        ),
    ],
    ids=["altered", "made anew", "made anew after another", "gone"],
)
def test_e8_turns_go_in_the_order_of_creation_with_and_without_a_restart(changes, order):
    classifier = change(paris([("a", "S", None, "lyon"), ("b", "S", None, "nice")]), *changes)
    assert drawn(classifier) == order
    assert drawn(MessageClassifier(classifier.catalog)) == order
