"""Every variable that the documentation names reaches every process of ours, unless its form decides it."""

import re
from pathlib import Path

import pytest

from tests.support.compose import PASSWORDS, read_compose

DOCUMENT = Path("docs/operations/configuration.md")
DECIDED = {"BROKERWEB_DATA", "DATABASE_URL", "ENGINE_STORE_URL", "CELERY_BROKER_URL", "CHANNEL_REDIS_URL"}
"""By which servers and volumes a form has."""
SERVERS = {"database", "redis", "rabbitmq"}
FORMS = {
    ("compose.yml",): {"CELERY_RESULT_URL"},
    ("compose.yml", "compose.postgres.yml"): {"CELERY_RESULT_URL"},
    ("compose.workers.yml",): set(),
    ("compose.workers.yml", "compose.rabbitmq.yml"): set(),
    ("compose.workers.yml", "compose.spark.yml"): set(),
}
"""And what makes no sense there: one process asks nobody for results."""


def documented() -> set[str]:
    table = DOCUMENT.read_text("utf-8").partition("| variable |")[2].partition("\n\n")[0]
    return set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


@pytest.mark.parametrize("files", FORMS, ids=" + ".join)
def test_what_is_set_for_a_form_reaches_all_its_processes(files: tuple[str, ...]):
    wanted = documented() - DECIDED - FORMS[files]
    assert "SERVICE_KEY" in wanted
    given = {**PASSWORDS, **{name: f"given-{name}" for name in wanted}}
    for name, service in read_compose(files, given).items():
        if name in SERVERS:
            continue
        reached = {key for key, value in service["environment"].items() if value == f"given-{key}"}
        assert reached == wanted, name
