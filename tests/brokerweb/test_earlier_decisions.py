"""Revisions from before the log are in it after the migration: with their objects, and so that they can be reverted."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from brokerweb.topology.models import Decision, TopologyRevision
from brokerweb.topology.selectors.audit_chain import chain_report
from engine import api as engine
from tests.brokerweb.estates import PARIS, decide, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db(transaction=True)

KEPT = (
    "sequence",
    "revision",
    "summary",
    "author_id",
    "decided_at",
    "inverse",
    "objects_changed",
    "touched",
    "object_count",
)


def there_and_back(migration):
    """Topology as of a migration, and then all apps as of today: what stands on it went with it."""
    MigrationExecutor(connection).migrate([("topology", migration)])
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def migrate():
    Decision.objects.all().delete()
    there_and_back("0005_change_sets")


@pytest.fixture
def estate():
    estate = make_estate(pair_catalogs())
    for change in (
        engine.RouteAltered(database="Ventes", name="vers_lyon", address=engine.LocalAddress()),
        engine.BrokerSwitched(database="Ventes", is_enabled=False),
        engine.RouteDropped(database="ventes", name="VERS_LYON"),
    ):
        decide(PARIS, [change], summary=f"{type(change).__name__}")
    return estate


@pytest.mark.slow
def test_what_is_made_of_the_history_is_what_was_logged_when_it_was_made(estate):
    logged = [{name: row[name] for name in KEPT} for row in Decision.objects.order_by("sequence").values()]
    migrate()
    remade = [{name: row[name] for name in KEPT} for row in Decision.objects.order_by("sequence").values()]
    for row, again in zip(logged, remade, strict=True):
        # Written a moment apart then, taken over now.
        assert abs((row.pop("decided_at") - again.pop("decided_at")).total_seconds()) < 1
        assert row == again
    assert set(Decision.objects.values_list("origin", flat=True)) == {"unrecorded"}


@pytest.mark.slow
def test_what_was_there_before_the_chain_has_its_place_in_it(estate):
    migrate()
    assert chain_report(estate).is_whole
    Decision.objects.filter(sequence=3).update(summary="Something else")
    assert [each.sequence for each in chain_report(estate).breaks] == [3]


@pytest.mark.slow
def test_a_log_of_before_there_were_parts_stays_as_it_was_hashed(estate):
    head = chain_report(estate).head
    there_and_back("0011_searched_listing")
    report = chain_report(estate)
    assert (report.is_whole, report.head, report.decision_count) == (True, head, 4)


@pytest.mark.slow
def test_an_earlier_revision_can_be_reverted(estate, editor):
    migrate()
    answer = editor.ask("POST", "/estates/paire/revisions/2/revert")
    assert answer.status_code == 201
    (found,) = answer.json()["objects"]
    assert (found["name"], found["conflict"]) == ("vers_lyon", "open")


@pytest.mark.slow
def test_an_instance_whose_history_cannot_be_followed_is_in_the_log_without_objects(estate):
    row = TopologyRevision.objects.get(number=2)
    row.changes = {"PARIS": [{"change": "what-an-older-version-had", "database": "Ventes"}]}
    row.save()
    migrate()
    found = {each.revision: each for each in Decision.objects.all()}
    assert found[1].object_count > 10
    assert [found[number].object_count for number in (2, 3, 4)] == [0, 0, 0]
    assert found[3].summary == "BrokerSwitched"
