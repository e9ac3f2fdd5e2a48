"""The parts of `manage.py run` that keep two of them out of each other's way."""

import os
import socket

import pytest

from brokerweb.common.web_queue import SPARK_QUEUE, WEB_QUEUE
from brokerweb.config.process.listening import NoPort, listening_socket
from brokerweb.config.process.lock import AlreadyRunning, Holder, data_directory_holder, data_directory_lock
from engine import api as engine


def test_a_second_process_on_the_same_data_is_refused_and_told_which_one_runs(tmp_path):
    with data_directory_lock(tmp_path), pytest.raises(AlreadyRunning) as refused, data_directory_lock(tmp_path):
        pass
    assert f"process {os.getpid()}" in str(refused.value)
    assert str(tmp_path) in str(refused.value)


def test_the_data_is_free_again_afterwards(tmp_path):
    for _ in range(2):
        with data_directory_lock(tmp_path):
            pass


def test_the_process_that_runs_on_the_data_says_where_it_listens_for_as_long_as_it_does(tmp_path):
    assert data_directory_holder(tmp_path) is None
    with data_directory_lock(tmp_path) as record_address:
        assert data_directory_holder(tmp_path) == Holder(str(os.getpid()), None)
        record_address("http://127.0.0.1:8100")
        assert data_directory_holder(tmp_path) == Holder(str(os.getpid()), "http://127.0.0.1:8100")
    assert data_directory_holder(tmp_path) is None
    assert (tmp_path / "run.lock").read_text() == ""


def test_what_a_killed_process_left_in_the_lock_counts_for_nothing(tmp_path):
    (tmp_path / "run.lock").write_text("17\nhttp://127.0.0.1:8100\n")
    assert data_directory_holder(tmp_path) is None
    with data_directory_lock(tmp_path):
        assert data_directory_holder(tmp_path) == Holder(str(os.getpid()), None)


def test_a_taken_port_leads_to_the_next_free_one():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with listening_socket("127.0.0.1", port) as listener:
            assert listener.getsockname()[1] > port
            with socket.create_connection(listener.getsockname(), timeout=60):
                pass


def test_port_0_is_any_free_port():
    with listening_socket("127.0.0.1", 0) as listener, listening_socket("127.0.0.1", 0) as other:
        assert 0 < listener.getsockname()[1] != other.getsockname()[1] > 0


def test_an_address_of_another_machine_is_said_to_be_none():
    with pytest.raises(NoPort, match=r"192\.0\.2\.1"):
        listening_socket("192.0.2.1", 8000)


def test_whatever_beat_sends_is_a_task_on_a_queue_that_workers_take():
    for entry in engine.celery_app.conf.beat_schedule.values():
        assert entry["task"] in engine.celery_app.tasks
        # What waits for the one worker with Spark does not pile up.
        on_spark = {"queue": SPARK_QUEUE, "expires": entry["schedule"]}
        assert entry["options"] == (on_spark if "pipeline" in entry["task"] else {"queue": WEB_QUEUE})
