"""Many changes as one action: all or nothing, and what is wrong is pointed at."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from brokerweb.topology.models import Decision, TopologyRevision
from brokerweb.topology.services.bulk import KEYS_INSIDE
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
CHANGES = f"{ESTATE}/changes"
OFF = {"change": "broker-switched", "database": "Ventes", "is_enabled": False}


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())


def route(name, **fields):
    return {
        "change": "route-created",
        "database": "Ventes",
        "route": {"name": name, "address": {"type": "local"}},
    } | fields


def ask(client, changes, query="", **headers):
    body = {"summary": "Many", "changes": changes}
    if not headers:
        return client.decide(f"{CHANGES}{query}", body)
    return client.ask("POST", f"{CHANGES}{query}", body, **headers)


def test_changes_of_several_instances_are_one_revision(editor):
    stock = {"change": "broker-switched", "database": "Stock", "is_enabled": False}
    answer = ask(editor, {"paris": [route("a"), route("b"), OFF], "LYON": [stock]})
    assert answer.status_code == 200, answer.json()
    assert (answer.json()["revision"], answer["ETag"]) == (2, '"2"')
    assert TopologyRevision.objects.get(number=2).summary == "Many"
    assert Decision.objects.get(revision=2).object_count == 4


def test_they_are_checked_against_the_revision_they_were_made_from(editor):
    assert ask(editor, {"PARIS": [OFF]}, If_Match='"1"').status_code == 200
    assert ask(editor, {"PARIS": [route("a")]}, If_Match='"1"').status_code == 412
    assert ask(editor, {"PARIS": [route("a")]}, "?change_set=1", If_Match='"2"').status_code == 400


@pytest.mark.parametrize(
    ("changes", "status", "pointer"),
    [
        ({"PARIS": [OFF, {"change": "route-mended", "database": "Ventes"}]}, 400, "/changes/PARIS/1/change"),
        ({"PARIS": [{"database": "Ventes"}]}, 400, "/changes/PARIS/0"),
        ({"PARIS": [OFF, {**OFF, "is_enabled": "no"}]}, 400, "/changes/PARIS/1/is_enabled"),
        ({"PARIS": [{**OFF, "database": 7}]}, 400, "/changes/PARIS/0/database"),
        (
            {"PARIS": [route("a", route={"name": "a", "address": {"type": "moon"}})]},
            400,
            "/changes/PARIS/0/route/address/type",
        ),
        ({"PARIS": [{"change": "host-names-set", "host_names": ["a", 7]}]}, 400, "/changes/PARIS/0/host_names/1"),
        ({"PARIS": ["x"]}, 422, "/changes/PARIS/0"),
        ({"PARIS": [route("a"), route("b"), route("A"), route("c")]}, 409, "/changes/PARIS/2"),
        ({"PARIS": [{**OFF, "database": "Achats"}]}, 404, "/changes/PARIS/0"),
        ({"ROME/1": [OFF]}, 404, "/changes/ROME~11"),
        (
            {
                "PARIS": [
                    {"change": "master-key-created", "database": "Ventes", "master_key": {"key": {"sealed": "eA=="}}}
                ]
            },
            400,
            "/changes/PARIS/0",
        ),
    ],
)
def test_what_is_wrong_is_pointed_at_and_nothing_is_done(editor, changes, status, pointer):
    answer = ask(editor, changes)
    problem = answer.json()
    assert (answer.status_code, problem["pointer"]) == (status, pointer), problem
    assert problem["detail"]
    assert problem["cure"]
    assert TopologyRevision.objects.count() == Decision.objects.count() == 1


def test_nothing_to_do_makes_no_revision(editor):
    assert ask(editor, {}).json()["revision"] == 1
    assert ask(editor, {"PARIS": []}).json()["revision"] == 1


def test_the_document_tells_every_change_that_is_taken_with_its_fields():
    document = Path(__file__).parents[2] / "docs" / "operations" / "change-sets.md"
    told = dict(re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", document.read_text(encoding="utf-8"), re.MULTILINE))
    for change in get_args(engine.CatalogChange):
        fields = {
            f"`{field.name}`" if field.required else f"[`{field.name}`]" for field in msgspec.structs.fields(change)
        }
        tag = change.__struct_config__.tag
        assert (set(told[tag].split(", ")) if tag in told else None) == (None if change in KEYS_INSIDE else fields)
