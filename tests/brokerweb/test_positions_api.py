"""Positions of the drawing: kept for everybody, and nothing of the estate knows of them."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Decision, NodePosition, TopologyRevision
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

PATH = "/estates/paire/positions"


def put(**places):
    return [{"node": f"instance/{name}", "x": x, "y": y} for name, (x, y) in places.items()]


def positions(api):
    return {each["node"]: (each["x"], each["y"]) for each in api.ask("GET", PATH).json()["positions"]}


def test_a_box_stays_where_it_was_put_and_the_estate_is_as_it_was(editor, api_as):
    estate = make_estate(pair_catalogs())
    before = editor.ask("GET", "/estates/paire").json()
    decided = (Decision.objects.count(), TopologyRevision.objects.count())
    assert editor.ask("PATCH", PATH, {"put": put(PARIS=(10.5, -20), LYON=(0, 0))}).status_code == 204
    assert positions(api_as(Role.VIEWER)) == {"instance/PARIS": (10.5, -20.0), "instance/LYON": (0.0, 0.0)}
    estate.refresh_from_db()
    assert editor.ask("GET", "/estates/paire").json() == before
    assert (Decision.objects.count(), TopologyRevision.objects.count()) == decided


def test_the_last_to_move_a_box_is_right_and_the_others_stay(editor):
    make_estate(pair_catalogs())
    editor.ask("PATCH", PATH, {"put": put(PARIS=(1, 1), LYON=(2, 2))})
    editor.ask("PATCH", PATH, {"put": put(PARIS=(3, 3))})
    assert positions(editor) == {"instance/PARIS": (3.0, 3.0), "instance/LYON": (2.0, 2.0)}


def test_a_box_that_is_forgotten_goes_back_to_the_layout(editor):
    make_estate(pair_catalogs())
    editor.ask("PATCH", PATH, {"put": put(PARIS=(1, 1), LYON=(2, 2))})
    assert editor.ask("PATCH", PATH, {"forgotten": ["instance/PARIS", "instance/NOBODY"]}).status_code == 204
    assert positions(editor) == {"instance/LYON": (2.0, 2.0)}


def test_the_same_box_of_another_estate_is_another_box(editor):
    make_estate(pair_catalogs())
    make_estate(pair_catalogs(), name="autre")
    editor.ask("PATCH", PATH, {"put": put(PARIS=(1, 1))})
    assert editor.ask("GET", "/estates/autre/positions").json() == {"positions": []}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_who_may_not_edit_moves_nothing(api_as, role):
    make_estate(pair_catalogs())
    assert api_as(role).ask("PATCH", PATH, {"put": put(PARIS=(1, 1))}).status_code == 403
    assert NodePosition.objects.count() == 0


@pytest.mark.parametrize(
    "body",
    [
        {"put": [{"node": "database/PARIS/Ventes", "x": 0, "y": 0}]},
        {"put": [{"node": "instance/PARIS", "x": 1e12, "y": 0}]},
        {"put": [{"node": "instance/PARIS", "x": 0}]},
        {"places": []},
    ],
)
def test_what_is_no_place_of_a_box_is_refused_whole(editor, body):
    make_estate(pair_catalogs())
    kept = {"put": [*put(LYON=(5, 5)), *body.get("put", [])], **{key: body[key] for key in body if key != "put"}}
    assert editor.ask("PATCH", PATH, kept).status_code in (400, 422)
    assert NodePosition.objects.count() == 0


def test_nobody_s_estate_has_no_positions(editor):
    assert editor.ask("GET", PATH).status_code == 404
    assert editor.ask("PATCH", PATH, {"put": put(PARIS=(1, 1))}).status_code == 404


def test_a_thousand_boxes_take_as_many_statements_as_two_hundred(editor):
    make_estate(pair_catalogs())

    def statements(count):
        body = {"put": put(**{f"S{number}": (number, number) for number in range(count)})}
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert editor.ask("PATCH", PATH, json.loads(json.dumps(body))).status_code == 204
        return len(queries)

    assert statements(1000) <= statements(200) + 6
