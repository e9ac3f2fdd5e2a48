"""Who follows in one process reads at the same beats: asked together, told together, never more often than promised."""

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from celery.signals import before_task_publish

from brokerweb.live import protocol
from brokerweb.live.services import follower
from brokerweb.live.services.pace import FAN_OUT_BYTES_A_SECOND, REST_SECONDS_MAX, due_at
from tests.brokerweb.live_browser import Browser
from tests.brokerweb.test_live import begin_and_send

TABLE = 0.25


def test_those_that_begin_at_different_moments_come_together():
    for began in (100.0, 100.02, 100.09, 100.12):
        assert due_at(TABLE, began, 0.03, 0) == pytest.approx(100.25)


def test_one_that_was_woken_late_comes_back_to_the_beat_and_is_not_told_twice_in_a_row():
    assert due_at(TABLE, 100.13, 0.03, 0) == pytest.approx(100.5)
    assert due_at(TABLE, 100.24, 0.03, 0) == pytest.approx(100.5)


def test_a_beat_that_floats_do_not_hit_is_not_missed():
    """0.1 is no number of a float: a hundred beats of a trace are a hundred tenths of a second."""
    beats = [1_000.0]
    for _ in range(100):
        beats.append(due_at(0.1, beats[-1], 0.01, 0))
    assert [later - beat for beat, later in pairwise(beats)] == pytest.approx([0.1] * 100)


@pytest.mark.parametrize("interval", [0.1, TABLE, 1.0])
def test_readings_take_half_of_the_time_at_most_and_no_whole_interval_is_lost_for_it(interval):
    for hundredths in range(1, 60):
        seconds = hundredths / 100
        due = due_at(interval, 100.0, seconds, 0)
        assert due - 100.0 >= 2 * seconds - 1e-6
        assert due - 100.0 <= max(interval, 2 * seconds + 0.05) + 1e-6


def test_what_is_much_to_send_is_sent_less_often_and_still_comes():
    assert due_at(TABLE, 100.0, 0.01, FAN_OUT_BYTES_A_SECOND) == pytest.approx(101.0)
    assert due_at(TABLE, 100.0, 0.01, 100 * FAN_OUT_BYTES_A_SECOND) == pytest.approx(100.0 + REST_SECONDS_MAX)


@pytest.fixture
def asked() -> Iterator[list[int]]:
    """For how many pictures each question asked that was sent meanwhile."""
    found: list[int] = []

    def count(headers=None, body=None, **_):
        if headers["task"] == "engine.read_pictures":
            found.append(len(json.loads(body[0][2])))

    before_task_publish.connect(count)
    yield found
    before_task_publish.disconnect(count)


TOPICS = ("conversations", "transmissions", "queues", "connections", "mirrors", "forwarded")


async def follow_all(browser, estate):
    """Six topics of PARIS, each of which has been told."""
    await browser.greet()
    for number, name in enumerate(TOPICS):
        await browser.subscribe(number, estate.name, name, instances=["PARIS"])
    folds = [browser.folds[number] for number in range(len(TOPICS))]
    await browser.until(lambda: all(fold.table.columns for fold in folds))
    return folds


async def test_topics_of_an_instance_are_asked_for_in_one_question(live_estate, viewer, asked):
    async with Browser(viewer) as browser:
        folds = await follow_all(browser, live_estate)
        asked.clear()
        for sent in range(1, 11):
            await begin_and_send(live_estate, 1)
            await browser.until(lambda sent=sent: len(folds[0].rows()) == sent)
    assert max(asked) >= len(TOPICS)
    assert sum(asked) >= 2 * len(asked), "alone is the exception"


async def test_an_instance_at_rest_is_looked_at_for_all_topics_together(live_estate, viewer, asked, monkeypatch):
    monkeypatch.setattr(follower, "LOOK_SECONDS", 0.5)
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 0.5)
    async with Browser(viewer) as browser:
        await follow_all(browser, live_estate)
        await browser.hear("hb")
        asked.clear()
        for _ in range(4):
            await browser.hear("hb")
    assert sum(asked) >= 2 * len(TOPICS), "it is looked at again and again"
    assert sum(asked) >= len(TOPICS) * len(asked) / 2, "most looks are one question"
