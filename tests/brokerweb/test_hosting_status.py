"""Who hosts what, as `engine_status` and the API tell it from the book of leases."""

import json
import time
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from brokerweb.accounts.rights import Role
from brokerweb.common.leases.book import DjangoLeaseBook
from brokerweb.operations.hosting_text import status_lines
from brokerweb.operations.management.commands import engine_status
from brokerweb.topology.models import Estate, Instance
from engine.core.vocabulary.identifiers import CatalogRevision, EstateName, EventSequence, InstanceName
from engine.core.vocabulary.moment import Duration
from engine.hosting.leases import HolderId, InstanceFigures

DEMO = EstateName("demo")
ANNE = HolderId("anne@server/4711/1f2e3d4c")
LEASE = Duration(60.0)


@pytest.fixture
def book(transactional_db: None) -> DjangoLeaseBook:
    estate = Estate.objects.create(name=DEMO)
    for name in ("HUB", "PARIS"):
        Instance.objects.create(estate=estate, name=name, folded_name=name.lower(), desired_revision=7)
    return DjangoLeaseBook(fences=True)


def host(book: DjangoLeaseBook, name: str, seconds: float = LEASE, **figures: object) -> None:
    key = (DEMO, InstanceName(name))
    assert book.take(key, ANNE, seconds) is not None
    if figures:
        assert book.renew(ANNE, {key: InstanceFigures(**figures)}, seconds) == {key}


RUNNING = {
    "revision": CatalogRevision(7),
    "last_event": EventSequence(41),
    "inbox": 1,
    "transmission": 12,
    "oldest_seconds": Duration(90.0),
    "ready": 3,
    "worker_bytes": 100 * 2**20,
}


def look(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and output of the command."""
    code = 0
    try:
        call_command("engine_status", *arguments)
    except SystemExit as ended:
        code = int(str(ended.code))
    return code, capsys.readouterr().out


def test_the_table_says_who_since_when_with_which_revision_lag_and_memory(book, capsys):
    host(book, "PARIS", **RUNNING)
    host(book, "HUB", **{**RUNNING, "transmission": 0, "oldest_seconds": None})
    code, output = look(capsys)
    assert code == 0
    headings, hub, paris = [line.split() for line in output.splitlines()]
    assert headings[:5] == ["ESTATE", "INSTANCE", "STATE", "WORKER", "SINCE"]
    assert paris[:5] == ["demo", "PARIS", "running", "anne@server", "(4711)"]
    assert paris[7:] == ["1", "7", "1", "12", "90", "s", "3", "41", "100", "MiB"]
    assert hub[9:] == ["1", "0", "-", "3", "41", "100", "MiB"]


def test_an_instance_that_nobody_has_ends_the_command_with_1(book, capsys):
    host(book, "PARIS", **RUNNING)
    code, output = look(capsys)
    assert code == 1
    assert output.splitlines()[1].split()[:4] == ["demo", "HUB", "nobody", "-"]


def test_a_lease_that_has_ended_is_nobodys(book, capsys):
    host(book, "PARIS", 0.05, **RUNNING)
    time.sleep(0.1)
    _, output = look(capsys, "--json")
    (paris,) = [each for each in json.loads(output)["instances"] if each["instance"] == "PARIS"]
    assert (paris["state"], paris["holder"], paris["fence"]) == ("nobody", None, 1)


@pytest.mark.parametrize(
    ("figures", "state"),
    [({}, "starting"), ({"failure": "disk full"}, "failed"), ({**RUNNING, "revision": CatalogRevision(5)}, "running")],
)
def test_what_does_not_run_with_the_wanted_revision_is_not_sound(book, capsys, figures, state):
    host(book, "HUB", **RUNNING)
    host(book, "PARIS", **figures)
    code, output = look(capsys, "--json")
    told = json.loads(output)
    assert (code, told["is_sound"]) == (1, False)
    assert told["instances"][1]["state"] == state


def test_a_failure_is_told_below_the_table_and_a_late_revision_in_it(book, capsys):
    host(book, "HUB", **{**RUNNING, "revision": CatalogRevision(5)})
    host(book, "PARIS", failure="Instance PARIS has stopped: disk full.")
    _, output = look(capsys)
    assert "5 of 7" in output.splitlines()[1]
    assert output.splitlines()[-1] == "demo/PARIS: Instance PARIS has stopped: disk full."


def test_an_instance_outside_the_topology_is_shown_while_somebody_has_it_and_not_when_it_is_closed(book, capsys):
    lease = book.take((DEMO, InstanceName("LYON")), ANNE, LEASE)
    assert lease is not None
    assert "LYON" in look(capsys)[1]
    book.give_back(lease, is_closed=True)
    assert "LYON" not in look(capsys)[1]


def test_one_estate_can_be_asked_for_and_none_is_said(book, capsys):
    Estate.objects.create(name="other")
    assert look(capsys, "--estate", "other") == (0, "There are no instances yet.\n")
    assert "demo" in look(capsys, "--estate", "demo")[1]
    assert list(status_lines([])) == ["There are no instances yet."]


def test_an_estate_that_there_is_not_is_no_sound_one(book, capsys):
    Estate.objects.create(name="other")
    with pytest.raises(CommandError, match=r"15151: There is no estate 'dmeo'. There are: demo, other.") as caught:
        look(capsys, "--estate", "dmeo")
    assert caught.value.returncode == 2


def test_a_watch_looks_again_until_ctrl_c_and_ends_with_the_last_look(book, capsys, monkeypatch):
    host(book, "HUB", **RUNNING)
    looks = []

    def wait(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            raise KeyboardInterrupt
        host(book, "PARIS", **RUNNING)

    monkeypatch.setattr(engine_status, "time", SimpleNamespace(sleep=wait))
    code, output = look(capsys, "--watch", "--json")
    assert code == 0
    assert [json.loads(line)["is_sound"] for line in output.splitlines()] == [False, True]


def test_a_database_that_cannot_be_read_is_said_with_2(monkeypatch):
    def away(_: object) -> None:
        raise OperationalError("no such table: leases_instancelease")

    monkeypatch.setattr(engine_status, "hosting_status", away)
    with pytest.raises(CommandError, match=r"no such table.* `manage.py migrate`") as refused:
        call_command("engine_status")
    assert refused.value.returncode == 2


def test_the_api_tells_the_same_to_whoever_may_look(book, api_as):
    host(book, "PARIS", **RUNNING)
    answer = api_as(Role.VIEWER).ask("GET", "/estates/demo/hosting")
    assert answer.status_code == 200
    hub, paris = answer.json()
    assert (hub["state"], hub["wanted_revision"]) == ("nobody", 7)
    assert (paris["holder"], paris["transmission"], paris["oldest_seconds"]) == (ANNE, 12, 90)


def test_the_api_says_that_there_is_no_such_estate(api_as):
    assert api_as(Role.VIEWER).ask("GET", "/estates/demmo/hosting").status_code == 404
