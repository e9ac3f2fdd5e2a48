"""`/metrics` of the dashboard: who may read it, and what it says of requests, websockets, jobs and the outbox."""

from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from brokerweb.accounts.rights import Right, Role
from brokerweb.accounts.services import user_create
from brokerweb.accounts.tokens import token_create
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.config.metrics.stored import StoredMetrics
from brokerweb.config.metrics.websockets import counted_sockets
from brokerweb.jobs.models import Job, JobState

pytestmark = pytest.mark.django_db

TOKEN = "sixteen letters or more"


def samples(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape(client: Client, **headers: str) -> dict[tuple[str, ...], float]:
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"].startswith("text/plain")
    return samples(answer.content.decode())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def refusal(client: Client, headers: dict[str, str], **extra: str) -> tuple[int, str]:
    answer = client.get("/metrics", headers=headers, **extra)
    problem = answer.json()
    assert problem["detail"]
    assert problem["why"]
    assert problem["cure"]
    assert ("WWW-Authenticate" in answer) == (answer.status_code == 401)
    return answer.status_code, problem["code"]


def test_a_program_of_this_machine_needs_no_token(client: Client):
    assert scrape(client)["brokerweb_web_database_up",] == 1


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_whoever_comes_through_a_proxy_of_this_machine_needs_one(client: Client, header: str):
    assert refusal(client, {header: "127.0.0.1"}) == (401, "unauthenticated")


@pytest.mark.parametrize("address", ["192.0.2.7", "2001:db8::7", ""])
def test_another_machine_needs_one(client: Client, address: str):
    assert refusal(client, {}, REMOTE_ADDR=address) == (401, "unauthenticated")


def test_where_a_token_is_set_nobody_reads_without(client: Client, settings):
    settings.METRICS_TOKEN = TOKEN
    assert refusal(client, {}) == (401, "unauthenticated")
    assert refusal(client, bearer(TOKEN + "x")) == (401, "unauthenticated")
    assert ("brokerweb_web_database_up",) in scrape(client, **bearer(TOKEN))
    answer = client.get("/metrics", headers=bearer(TOKEN), REMOTE_ADDR="192.0.2.7")
    assert answer.status_code == 200


def test_the_token_of_an_administrator_reads_and_that_of_others_does_not(client: Client):
    admin = user_create("anna", Role.ADMIN)
    for scope, status in ((Right.ADMINISTER, 200), (Right.VIEW, 403)):
        _, text = token_create(admin, scope, [scope], 1)
        assert client.get("/metrics", headers=bearer(text), REMOTE_ADDR="192.0.2.7").status_code == status
    _, text = token_create(user_create("olga", Role.OPERATOR), "watch", [Right.VIEW], 1)
    assert refusal(client, bearer(text)) == (403, "right-missing")


def test_a_session_of_the_dashboard_is_no_way_in(client: Client):
    client.force_login(user_create("anna", Role.ADMIN))
    assert refusal(client, {}, REMOTE_ADDR="192.0.2.7") == (401, "unauthenticated")


def test_requests_are_counted_by_operation_and_status_and_timed(client: Client):
    before = scrape(client)
    for _ in range(3):
        client.get("/api/v1/estates")
    client.get("/api/v1/estates/no-such-estate")
    client.post("/api/v1/jobs/00000000-0000-4000-8000-00000000abcd/cancel")
    client.get("/api/v1/nothing-here")
    client.get("/login")
    after = scrape(client)

    def counted(*labels: str) -> float:
        name = ("brokerweb_web_requests_total", *labels)
        return after[name] - before.get(name, 0)

    assert counted("estates_list", "401") == 3
    assert counted("topology_read", "401") == 1
    assert counted("job_cancel", "401") == 1
    assert counted("login", "200") == 1
    timed = ("brokerweb_web_request_seconds_count", "estates_list")
    assert after[timed] - before.get(timed, 0) == 3
    assert not [name for name in after if "nothing-here" in str(name)], "nobody makes metrics by asking"


def test_jobs_and_the_outbox_are_told_as_they_stand_in_the_database(client: Client):
    now = timezone.now()
    for state in (JobState.QUEUED, JobState.DONE, JobState.DONE):
        Job.objects.create(kind="k", title="t", state=state, created_at=now)
    for revision, attempts in ((1, 4), (2, 0)):
        OutboxMessage.objects.create(
            estate_name="e", instance_name="i", base_revision=revision - 1, revision=revision, changes=[],
            attempts=attempts, next_attempt_at=now, created_at=now - timedelta(seconds=100 / revision),
        )  # fmt: skip
    found = scrape(client)
    assert {state: found["brokerweb_web_jobs", state] for state in ("queued", "running", "done")} == {
        "queued": 1,
        "running": 0,
        "done": 2,
    }
    assert found["brokerweb_web_outbox_messages",] == 2
    assert 100 <= found["brokerweb_web_outbox_oldest_seconds",] < 160
    assert found["brokerweb_web_outbox_attempts_max",] == 4


def test_an_empty_outbox_has_no_age(client: Client):
    found = scrape(client)
    assert found["brokerweb_web_outbox_messages",] == found["brokerweb_web_outbox_oldest_seconds",] == 0


def test_a_database_that_does_not_answer_is_told_and_nothing_else_fails(client: Client):
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {OutboxMessage._meta.db_table} RENAME TO away")
    found = scrape(client)
    assert found["brokerweb_web_database_up",] == 0
    assert ("brokerweb_web_outbox_messages",) not in found


def test_what_is_described_is_what_is_told(client: Client):
    described = [(each.name, each.type, each.documentation) for each in StoredMetrics().describe()]
    assert [(each.name, each.type, each.documentation) for each in StoredMetrics().collect()] == described


@pytest.mark.django_db(transaction=True)
async def test_websockets_are_counted_while_they_are_open(client: Client):
    seen = []

    async def socket(scope, receive, send):
        seen.append((await sync_to_async(scrape)(client))["brokerweb_web_websocket_clients",])
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await counted_sockets(socket)({}, None, None)
    after = (await sync_to_async(scrape)(client))["brokerweb_web_websocket_clients",]
    assert seen == [after + 1]


@pytest.mark.usefixtures("live_estate")
def test_instances_that_this_process_hosts_are_told_with_it(client: Client):
    found = scrape(client)
    assert [value for name, value in found.items() if name[0] == "brokerweb_engine_instance_up"] == [1, 1]
    assert [name for name in found if name[0] == "brokerweb_broker_statistics_sql_sends_total"]
