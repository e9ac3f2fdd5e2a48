"""The parts of `manage.py run` that keep two of them out of each other's way."""

import os
import socket

import pytest

from brokerweb.config.process.listening import NoPort, listening_socket
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock
from brokerweb.topology.services.publish import WEB_QUEUE
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


def test_a_taken_port_leads_to_the_next_free_one():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with listening_socket("127.0.0.1", port) as listener:
            assert listener.getsockname()[1] > port
            with socket.create_connection(listener.getsockname(), timeout=5):
                pass


def test_an_address_of_another_machine_is_said_to_be_none():
    with pytest.raises(NoPort, match=r"192\.0\.2\.1"):
        listening_socket("192.0.2.1", 8000)


def test_whatever_beat_sends_is_a_task_on_the_queue_that_workers_of_the_web_take():
    for entry in engine.celery_app.conf.beat_schedule.values():
        assert entry["task"] in engine.celery_app.tasks
        assert entry["options"] == {"queue": WEB_QUEUE}
