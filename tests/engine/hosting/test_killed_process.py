"""The whole engine is killed in the middle of sending and started again: all messages, once, in order."""

import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.architecture.tidy import ROOT
from tests.engine.hosting.engine_process import MESSAGES, engine_alone
from tests.support.thoroughness import share


def start(data_directory: Path, conversation: str, store_url: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.engine.hosting.engine_process"]
    return subprocess.Popen(
        [*command, str(data_directory), "", conversation],
        cwd=ROOT,
        env={**engine_alone(), "ENGINE_STORE_URL": store_url},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "sqlite" else request.getfixturevalue("empty").url


@pytest.mark.parametrize("killed_after", share([40, 1, MESSAGES - 1], 1))
def test_after_kill_9_all_messages_arrive_once_and_in_order(tmp_path: Path, killed_after: int, store_url: str):
    """The second process sends every number again, as a client does that does not know how far it came."""
    conversation = str(uuid4())
    first = start(tmp_path, conversation, store_url)
    assert first.stdout is not None
    for line in first.stdout:
        if line.strip() == str(killed_after):
            break
    first.kill()
    first.communicate()

    output, _ = start(tmp_path, conversation, store_url).communicate(timeout=240)

    assert output.splitlines()[-1] == " ".join(["received", *map(str, range(MESSAGES))])
