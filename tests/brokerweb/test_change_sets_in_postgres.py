"""Change sets when the dashboard's database is PostgreSQL: the same promises, and rows written in bulk keep ids."""

import pytest
from django.utils import timezone

from brokerweb.common.errors import LossesUnticked
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.topology.models import Decision, Estate, Route
from brokerweb.topology.selectors.audit import AuditAsked, audit_page
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.draft_flows import draft_impact, is_lost
from brokerweb.topology.selectors.drafts import change_set_at
from brokerweb.topology.selectors.observed_flows import observed_flows
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.bulk import changes_decide
from brokerweb.topology.services.change_sets import change_set_apply, revision_revert
from brokerweb.topology.services.flows import losses_intend
from brokerweb.topology.services.observed_flows import flows_remember
from brokerweb.topology.services.route import route_update
from engine import api as engine
from tests.brokerweb.draft_contract import ConcurrentDraftsContract, at_once, estate_with_draft


@pytest.fixture
def estate(postgres):
    yield estate_with_draft()
    Estate.objects.all().delete()
    OutboxMessage.objects.all().delete()


class TestConcurrentDraftsInPostgres(ConcurrentDraftsContract):
    """On a server, where transactions meet."""


def test_a_draft_of_many_routes_is_applied_reverted_and_found(estate):
    names = [f"r{number}" for number in range(700)]
    made = [
        {"change": "route-created", "database": "Ventes", "route": {"name": name, "address": {"type": "local"}}}
        for name in names
    ]
    moved = [
        {"change": "route-altered", "database": "Ventes", "name": name, "address": {"type": "transport"}}
        for name in names
    ]

    def decide(changes, change_set):
        return changes_decide(
            "paire",
            {"PARIS": changes},
            summary="Many",
            change_set=change_set,
            user=None,
            expected_revision=None,
        )

    decide(made, None)
    ids = dict(Route.objects.values_list("name", "id"))
    before = estate_catalogs(estate)["PARIS"]
    decide(moved, 1)
    assert change_set_apply("paire", 1, user=None, expected_sequence=1) == 3
    assert dict(Route.objects.values_list("name", "id")) == ids
    assert Route.objects.filter(address="TRANSPORT").count() == 700
    draft = revision_revert("paire", 3, user=None)
    change_set_apply("paire", draft.number, user=None, expected_sequence=None)
    assert engine.diff_catalogs(estate_catalogs(estate)["PARIS"], before) == ()
    decide([{"change": "route-dropped", "database": "Ventes", "name": name} for name in names], None)
    assert not Route.objects.filter(name__in=names).exists()
    page = audit_page("paire", AuditAsked(object="R699"), before=None, limit=10)
    assert [row["revision"] for row in page["items"]] == [5, 4, None, 3, None, 2]
    assert Decision.objects.count() == 7


def test_losses_are_ticked_and_flows_remembered_twice_as_once(estate):
    route_update(
        DatabasePlace("paire", "PARIS", "Ventes", 1),
        "vers_lyon",
        user=None,
        expected_revision=None,
        clauses={"address": "TCP://nowhere:4022"},
    )
    with pytest.raises(LossesUnticked):
        change_set_apply("paire", 1, user=None, expected_sequence=None)
    lost = [row for row in draft_impact(change_set_at("paire", 1), timezone.now()).changes if is_lost(row)]
    keys = [row.key for row in lost]
    answers = at_once(
        *(lambda: losses_intend("paire", 1, keys, intended=True, user=None, expected_sequence=None) for _ in range(2))
    )
    assert answers == [2, 2]
    flows = frozenset(row.question for row in lost)
    for _ in range(2):
        flows_remember(estate, flows)
    assert set(observed_flows(estate, timezone.now()).values()) == flows
    assert change_set_apply("paire", 1, user=None, expected_sequence=None) == 2
