"""Flows that conversations of running instances show: seen by a look, remembered, forgotten after long silence."""

from datetime import timedelta

import pytest
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import Estate, ObservedFlow
from brokerweb.topology.selectors.observed_flows import REMEMBERED, observed_flows
from brokerweb.topology.services.observed_flows import traffic_look
from tests.brokerweb.conftest import ApiClient
from tests.support.waiting import until


@pytest.fixture
def operator(live_estate):
    client = ApiClient()
    client.force_login(user_create("talking", Role.EDITOR))
    return client


def talk(client, estate):
    base = f"/estates/{estate.name}/instances/PARIS/databases/Ventes/conversations"
    body = {"from_service": "//test/Commandes", "to_service": "//test/Réception"}
    begun = client.ask("POST", base, body)
    assert begun.status_code == 201, begun.json()
    sent = client.ask("POST", f"{base}/{begun.json()['conversation_handle']}/messages", {"bodies": ["a"]})
    assert sent.status_code == 201, sent.json()


def test_a_conversation_of_a_running_instance_is_a_flow_of_its_draft(operator, live_estate):
    talk(operator, live_estate)
    sets = f"/estates/{live_estate.name}/change-sets"
    assert operator.ask("POST", sets, {}).status_code == 201
    where = f"/estates/{live_estate.name}/instances/PARIS/databases/Ventes/routes/vers_lyon?change_set=1"
    assert operator.decide(where, {"address": "TCP://nowhere:4022"}, method="PATCH").status_code == 200
    found = operator.ask("GET", f"{sets}/1/flows?change=lost").json()
    assert found["unread"] == []
    orders = [row for row in found["rows"] if row["question"]["to_service"] == "//test/Réception"]
    assert orders
    assert all(row["is_observed"] for row in orders)
    assert {row.question["instance"] for row in ObservedFlow.objects.all()} == {"PARIS"}


def test_what_was_seen_of_one_estate_says_nothing_of_the_next_with_its_number(live_estate):
    elsewhere = Estate(pk=live_estate.pk, name="nobody-runs-it")
    assert traffic_look(elsewhere) == ("LYON", "PARIS")
    assert traffic_look(live_estate) == ()


def test_within_a_moment_nobody_is_asked_again_and_what_is_old_is_forgotten(operator, live_estate):
    assert traffic_look(live_estate) == ()
    talk(operator, live_estate)
    assert traffic_look(live_estate) == ()
    assert observed_flows(live_estate, timezone.now()) == {}


def test_a_flow_of_last_week_counts_and_one_of_last_year_does_not(operator, live_estate):
    talk(operator, live_estate)
    until(lambda: traffic_look(live_estate) == () and ObservedFlow.objects.exists(), "the flow was seen")
    now = timezone.now()
    assert observed_flows(live_estate, now + timedelta(days=7))
    assert not observed_flows(live_estate, now + REMEMBERED + timedelta(days=1))
