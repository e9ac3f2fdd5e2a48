"""The whole engine is killed in the middle of sending and started again: all messages, once, in order."""

import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.architecture.tidy import ROOT
from tests.engine.hosting.engine_process import MESSAGES, engine_alone


def start(data_directory: Path, conversation: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.engine.hosting.engine_process"]
    return subprocess.Popen(
        [*command, str(data_directory), "", conversation],
        cwd=ROOT,
        env=engine_alone(),
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("killed_after", [1, 40, MESSAGES - 1])
def test_after_kill_9_all_messages_arrive_once_and_in_order(tmp_path: Path, killed_after: int):
    """The second process sends every number again, as a client does that does not know how far it came."""
    conversation = str(uuid4())
    first = start(tmp_path, conversation)
    assert first.stdout is not None
    for line in first.stdout:
        if line.strip() == str(killed_after):
            break
    first.kill()
    first.communicate()

    output, _ = start(tmp_path, conversation).communicate(timeout=60)

    assert output.splitlines()[-1] == " ".join(["received", *map(str, range(MESSAGES))])
