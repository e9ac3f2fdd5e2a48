"""`GET /metrics` of a worker: read as Prometheus reads it, from a real engine with two instances."""

import urllib.error
import urllib.request
from collections.abc import Iterator

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from engine.core.system_views.counter_views import TOTAL, counters_of
from engine.hosting import client
from engine.hosting.app import configure
from engine.hosting.bootstep import running_host_readings, started_metrics
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.leases import InstanceFigures
from engine.hosting.metrics.collector import HostMetrics
from engine.hosting.metrics.mapping import NOT_EXPOSED, VENDOR_METRICS
from engine.hosting.metrics.reading import InstanceReading
from engine.hosting.settings import HostingSettings
from engine.hosting.worker import host_metrics
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    STOCK,
    begin_dialog,
    define,
    ready_at_lyon,
    receive_all,
    send,
    waiting_at_paris,
)
from tests.support.free_port import free_port
from tests.support.views_document import reader_of_an_empty_instance
from tests.support.waiting import until

TOKEN = "a token of thirty-two characters"


@pytest.fixture
def settings(settings: HostingSettings) -> HostingSettings:
    return msgspec.structs.replace(settings, metrics_port=free_port())


def scrape(settings: HostingSettings, token: str | None = None) -> dict[tuple[str, ...], float]:
    """Every sample of the broker by its name and the values of its labels, which come in the order of their names."""
    text = get(settings, token=token)
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def get(settings: HostingSettings, path: str = "/metrics", method: str = "GET", token: str | None = None) -> str:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    address = f"http://127.0.0.1:{settings.metrics_port}{path}"
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers, method=method), timeout=60) as answer:
        return answer.read().decode()


def refusal_of(settings: HostingSettings, **asked: str) -> tuple[int, str]:
    with pytest.raises(urllib.error.HTTPError) as refused:
        get(settings, **asked)
    with refused.value as answer:
        return answer.code, answer.read().decode()


def test_a_scrape_tells_of_every_instance_of_the_process(engine: EmbeddedEngine, settings: HostingSettings):
    define()
    handle = begin_dialog()
    for number in range(3):
        send(handle, number)
    until(lambda: ready_at_lyon() == 3 and waiting_at_paris() == 0, "three messages at LYON, acknowledged")
    assert receive_all() == [0, 1, 2]
    paris, lyon = (ESTATE, PARIS), (ESTATE, LYON)
    waiting = ("brokerweb_engine_instance_transmission_queue_messages", *paris)
    until(lambda: scrape(settings)[waiting] == 0, "what was counted for the last renewal is counted anew")
    found = scrape(settings)
    assert found["brokerweb_broker_statistics_sql_sends_total", *paris] == 3
    assert found["brokerweb_broker_statistics_sql_sends_total", *lyon] == 0
    assert found["brokerweb_broker_statistics_enqueued_transport_messages_total", *lyon] == 3
    assert found["brokerweb_broker_statistics_enqueued_priority_messages_total", *lyon, "5"] == 3
    assert found["brokerweb_broker_statistics_enqueued_priority_messages_total", *lyon, "6"] == 0
    assert found["brokerweb_broker_activation_tasks_running", STOCK, *lyon] == 0
    assert found["brokerweb_engine_instance_up", *paris] == found["brokerweb_engine_instance_up", *lyon] == 1
    assert found["brokerweb_engine_instance_revision", *paris] == 1
    assert not [name for name in found if TOTAL in name], "Prometheus makes sums by itself"


def test_io_is_counted_on_the_wire_and_stays_when_the_connection_is_closed(
    engine: EmbeddedEngine, settings: HostingSettings
):
    define()
    send(begin_dialog(), 0)
    until(lambda: ready_at_lyon() == 1 and waiting_at_paris() == 0, "the message at LYON, acknowledged")
    sent = ("brokerweb_broker_transport_send_io_bytes_total", ESTATE, PARIS)
    before = scrape(settings)
    assert before[sent] > 512
    assert before["brokerweb_broker_transport_send_ios_total", ESTATE, PARIS] > 1
    assert before["brokerweb_broker_transport_receive_io_bytes_total", ESTATE, LYON] == before[sent]
    client.close_instance(ESTATE, LYON)
    closed = ("brokerweb_broker_transport_open_connections", ESTATE, PARIS)
    until(lambda: scrape(settings)[closed] == 0, "the connection is closed")
    assert scrape(settings)[sent] >= before[sent]
    assert (sent[0], ESTATE, LYON) not in scrape(settings), "who is not hosted is not told of"


def test_what_is_not_asked_for_rightly_is_refused_with_a_reason(engine: EmbeddedEngine, settings: HostingSettings):
    assert refusal_of(settings, path="/") == (404, "There is nothing at this address; metrics are at /metrics.\n")
    assert refusal_of(settings, method="POST") == (405, "Metrics are read with GET.\n")


@pytest.fixture
def guarded(settings: HostingSettings) -> Iterator[HostingSettings]:
    settings = msgspec.structs.replace(settings, metrics_token=TOKEN)
    configure(settings)
    engine = EmbeddedEngine()
    engine.start()
    yield settings
    engine.stop()


def test_with_a_token_nobody_reads_without(guarded: HostingSettings):
    for token in (None, "a token of thirty-two characterS", "", "ä"):
        status, why = refusal_of(guarded, **({} if token is None else {"token": token.encode().decode("latin-1")}))
        assert (status, "METRICS_TOKEN" in why) == (401, True)
    assert scrape(guarded, TOKEN)["process_start_time_seconds",] > 0


def test_a_worker_whose_port_is_taken_works_without(settings: HostingSettings, caplog: pytest.LogCaptureFixture):
    taken = EmbeddedEngine()
    configure(settings)
    taken.start()
    try:
        other = msgspec.structs.replace(settings, data_directory=settings.data_directory / "other")
        configure(other)
        assert started_metrics(other) is None
        assert "Metrics are not served on 127.0.0.1" in caplog.text
    finally:
        taken.stop()


def test_an_instance_that_has_failed_is_down_and_nothing_else_is_told_of_it():
    failed = InstanceReading(key=("e", "i"), figures=InstanceFigures(failure="its disk is full"))
    samples = [sample for family in HostMetrics(lambda: [failed]).collect() for sample in family.samples]
    assert [(each.name, each.labels, each.value) for each in samples] == [
        ("brokerweb_engine_instance_up", {"estate": "e", "instance": "i"}, 0)
    ]


def test_a_process_that_hosts_nothing_tells_of_nothing():
    assert [sample for family in host_metrics().collect() for sample in family.samples] == []


def test_every_counter_of_the_vendor_is_one_metric_or_named_as_unknown():
    vendor = {(each.object, each.name) for each in counters_of(reader_of_an_empty_instance())}
    exposed = [(metric.object, name) for metric in VENDOR_METRICS for name in metric.counters]
    left_out = [(of, name) for of, names in NOT_EXPOSED.items() for name in names]
    assert sorted([*exposed, *left_out]) == sorted(vendor)


def test_counters_that_share_a_metric_hold_the_same_number(engine: EmbeddedEngine):
    define()
    send(begin_dialog(), 0)
    until(lambda: ready_at_lyon() == 1, "the message at LYON")
    receive_all()
    (lyon,) = [each for each in running_host_readings() if each.key[1] == LYON]
    values = {(row.object, row.name, row.instance): row.value for row in lyon.counters}
    for metric in VENDOR_METRICS:
        if not metric.by_value:
            for database in {row.instance for row in lyon.counters if row.object == metric.object}:
                assert len({values[metric.object, name, database] for name in metric.counters}) == 1, metric.name


def test_an_instance_without_any_database_is_measured(engine: EmbeddedEngine):
    client.open_instance(ESTATE, PARIS)
    (paris,) = running_host_readings()
    assert {row.name: row.value for row in paris.counters}["SQL SEND Total"] == 0


def test_what_nobody_knows_is_what_is_not_exposed(engine: EmbeddedEngine):
    define()
    (paris,) = [each for each in running_host_readings() if each.key[1] == PARIS]
    known = {(row.object, row.name) for row in paris.counters}
    assert known == {(metric.object, name) for metric in VENDOR_METRICS for name in metric.counters}
