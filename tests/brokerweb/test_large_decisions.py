"""A decision about more objects than a row holds: kept in parts, read as one, in history, outbox, log and drafts."""

import json

import pytest

from brokerweb.common.outbox.models import OutboxMessage, OutboxPart
from brokerweb.common.outbox.services import outbox_changes
from brokerweb.topology.changes import PIECE_LENGTH, changes_from_json
from brokerweb.topology.models import Decision, DecisionPart, Estate, RevisionPart, TopologyRevision
from brokerweb.topology.object_changes import objects_kept
from brokerweb.topology.selectors.audit_chain import chain_report
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.history import catalogs_at, catalogs_from_history
from brokerweb.topology.selectors.parts import pieces_of
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.topology.services.decisions import decision_append, objects_of_step
from brokerweb.topology.services.imports import estate_import
from brokerweb.topology.services.revision import DraftStep
from engine import api as engine
from tests.brokerweb.estates import decide, make_estate, pair_catalogs

COUNT = 2 * PIECE_LENGTH + 500
ESTATE = "/estates/grand"
LAST = f"route {COUNT - 1}"


def import_routes(estate, first, count, **options):
    """Further routes of PARIS, from the number `first` on, by a script."""
    begin = ":CONNECT PARIS\nGO\nUSE Ventes;\nGO\n"
    lines = (f"CREATE ROUTE [route {number}] WITH ADDRESS = 'LOCAL';\n" for number in range(first, first + count))
    file = engine.imports.ImportFile("routes.sql", begin + "".join(lines))
    return estate_import(estate_name=estate, files=[file], user=None, **options)


def make_routes(estate, first, count):
    """The same, live, as one decision."""
    routes = (
        engine.Route(name=f"route {number}", address=engine.LocalAddress()) for number in range(first, first + count)
    )
    changes = [engine.RouteCreated(database="Ventes", route=route) for route in routes]
    decide(InstancePlace(estate, "PARIS"), changes)


@pytest.fixture(scope="module")
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs(), name="grand")
        make_routes("grand", 0, COUNT)
        make_routes("grand", COUNT, 1)


@pytest.fixture
def estate(written, db):
    return Estate.objects.get(name="grand")


def routes_of(catalog):
    return len(catalog.databases["Ventes"].routes)


def test_no_row_holds_more_than_a_piece(estate):
    revision = TopologyRevision.objects.get(number=2)
    decision = Decision.objects.get(revision=2)
    assert revision.part_count == decision.part_count == RevisionPart.objects.count() == 2
    assert DecisionPart.objects.count() == OutboxPart.objects.count() == 2
    for piece in pieces_of(revision, "changes"):
        assert sum(map(len, piece.values())) <= PIECE_LENGTH
    for piece in pieces_of(decision, "inverse"):
        assert sum(map(len, piece.values())) <= PIECE_LENGTH
    for text in pieces_of(decision, "objects_changed"):
        assert len(json.loads(text)) <= PIECE_LENGTH
    for row in OutboxPart.objects.all():
        assert len(row.changes) <= PIECE_LENGTH


def test_history_and_outbox_have_every_change_in_order(estate):
    wanted = estate_catalogs(estate)
    assert catalogs_from_history(estate, estate.revision) == wanted
    before, after = (catalogs_at(estate, number)["PARIS"] for number in (1, 2))
    assert routes_of(after) == routes_of(before) + COUNT
    message = OutboxMessage.objects.get(instance_name="PARIS", revision=2)
    changes = changes_from_json(outbox_changes(message))
    assert engine.diff_catalogs(engine.apply_changes(before, changes), after) == ()
    assert len(changes) == COUNT


@pytest.mark.slow
def test_the_inverse_leads_back(estate):
    before, after = (catalogs_at(estate, number)["PARIS"] for number in (1, 2))
    decision = Decision.objects.get(revision=2)
    back = [change for piece in pieces_of(decision, "inverse") for change in piece["PARIS"]]
    assert len(back) == COUNT
    assert engine.diff_catalogs(engine.apply_changes(after, changes_from_json(back)), before) == ()


def test_the_log_tells_and_finds_all_of_it(estate, editor):
    whole = json.loads(b"".join(editor.ask("GET", f"{ESTATE}/audit?format=json").streaming_content))
    assert [len(row["objects"]) == row["object_count"] > 0 for row in whole] == [True, True, True]
    assert [each["name"] for each in whole[1]["objects"]][-1] == LAST
    page = editor.ask("GET", f"{ESTATE}/audit?object={LAST.replace(' ', '%20')}").json()
    assert [row["revision"] for row in page["items"]] == [2]
    assert len(page["items"][0]["objects"]) == 200
    assert editor.ask("GET", f"{ESTATE}/audit?object=nowhere").json()["items"] == []


@pytest.mark.slow
def test_a_large_revision_is_reverted_undone_redone_and_applied(estate, editor):
    assert editor.ask("POST", f"{ESTATE}/revisions/2/revert").status_code == 201
    path = f"{ESTATE}/change-sets/1"
    told = editor.ask("GET", path).json()
    assert told["object_count"] == COUNT
    assert told["can_undo"]
    assert editor.ask("POST", f"{path}/undo").status_code == 200
    assert editor.ask("GET", path).json()["object_count"] == 0
    assert editor.ask("POST", f"{path}/redo").status_code == 200
    tag = editor.ask("GET", path)["ETag"]
    assert editor.ask("POST", f"{path}/apply", If_Match=tag).status_code == 200
    estate.refresh_from_db()
    assert routes_of(estate_catalogs(estate)["PARIS"]) == 3
    assert editor.ask("GET", path).json()["object_count"] == COUNT
    assert chain_report(estate).is_whole


@pytest.mark.slow
def test_a_large_import_into_a_draft_is_there_whole(estate, editor):
    import_routes("grand", COUNT + 1, COUNT, change_set="new")
    assert DecisionPart.objects.filter(decision__revision=None).count() == 2
    path = f"{ESTATE}/objects/route?change_set=1&text=route%20{2 * COUNT}"
    (found,) = editor.ask("GET", path).json()["items"]
    assert found["effect"] == "add"
    asked = [
        change
        for piece in pieces_of(Decision.objects.get(revision=None), "changes")
        for change in changes_from_json(piece["PARIS"])
    ]
    assert len(asked) == COUNT


@pytest.mark.parametrize(
    "tamper",
    [
        lambda parts: parts.filter(position=2).delete(),
        lambda parts: parts.filter(position=1).update(position=3),
        lambda parts: parts.filter(position=2).update(objects_changed="[]"),
        lambda parts: parts.first().decision.parts.create(position=3) and Decision.objects.update(part_count=3),
        lambda parts: Decision.objects.update(part_count=0),
    ],
)
def test_who_touches_a_part_breaks_the_chain(estate, tamper):
    assert chain_report(estate).is_whole
    tamper(DecisionPart.objects.filter(decision__revision=2))
    assert 2 in [each.sequence for each in chain_report(estate).breaks]


@pytest.mark.slow
def test_two_parts_cannot_change_places(estate):
    first, second = DecisionPart.objects.filter(decision__revision=2)
    texts = first.objects_changed, second.objects_changed
    for row, text in zip((second, first), texts, strict=True):
        DecisionPart.objects.filter(pk=row.pk).update(objects_changed=text)
    assert [each.sequence for each in chain_report(estate).breaks] == [2]


def test_a_large_decision_of_before_there_were_parts_is_read_and_verified(estate):
    after = estate_catalogs(estate)["PARIS"]
    step = DraftStep(engine.InstanceCatalog(name="PARIS"), after, ())
    whole = objects_kept(objects_of_step(step))
    row = decision_append(estate, [whole], user=None, summary="As one value")
    assert (row.part_count, row.object_count) == (0, whole.count)
    assert whole.count > COUNT
    assert chain_report(estate).is_whole
    Decision.objects.filter(pk=row.pk).update(objects_changed=whole.text.replace(LAST, "another"))
    assert [each.sequence for each in chain_report(estate).breaks] == [row.sequence]
