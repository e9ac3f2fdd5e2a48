"""A failover in whose middle a partner stops answering: never two principals by our doing, and what is known is told.

Between web and engine stands somebody who loses what he is told to: a command on its way, or its answer.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.operations.services.console import console_open
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.places import DatabasePlace
from engine import api as engine
from tests.brokerweb.conftest import is_applied
from tests.brokerweb.estates import import_live
from tests.support.waiting import until

PRINCIPAL, MIRROR = engine.MirroringRole.PRINCIPAL, engine.MirroringRole.MIRROR
Meets = Callable[[str, engine.Command], bool]


class Way:
    """The way to the engine. What meets one of its rules is lost before it is carried out, or its answer is."""

    def __init__(self, execute: Callable[..., Any]) -> None:
        self._execute = execute
        self.loses_commands: Meets = lambda *_: False
        self.loses_answers: Meets = lambda *_: False
        self.lost: list[tuple[str, str, engine.Command]] = []

    def execute(self, estate: str, instance: str, sent: list[engine.Command], **options: Any) -> Any:
        """As `engine.execute`."""
        (command,) = sent
        if self.loses_commands(instance, command):
            self.lost.append((estate, instance, command))
            raise engine.EngineUnavailable(f"Instance {instance} did not answer.")
        replies = self._execute(estate, instance, sent, **options)
        if self.loses_answers(instance, command):
            raise engine.EngineUnavailable(f"Instance {instance} did not answer.")
        return replies

    def arrive_late(self) -> None:
        """What was lost was on its way."""
        for estate, instance, command in self.lost:
            self._execute(estate, instance, [command])


def gives(where: str, role: engine.MirroringRole, times: int = 1) -> Meets:
    """The first so many times that a partner is told this role, or asked under the same id what became of it."""
    ids: list[Any] = []
    left = times

    def meets(instance: str, command: engine.Command) -> bool:
        nonlocal left
        if instance != where or not isinstance(command, engine.commands.SetMirroringRole):
            return False
        if command.role is role and not ids:
            ids.append(command.command_id)
        left -= command.command_id in ids
        return command.command_id in ids and left >= 0

    return meets


@pytest.fixture
def editor(live_estate, api_as):
    return api_as(Role.EDITOR)


@pytest.fixture
def pair(live_estate, editor):
    """Ventes of PARIS and its copy on LYON."""
    path = f"/estates/{live_estate.name}/instances"
    backup = editor.ask("POST", f"{path}/PARIS/databases/Ventes/backups", {"name": "avant"}).json()
    body = {"backup": backup["id"], "database": "Ventes", "is_recovered": False}
    assert editor.ask("POST", f"{path}/LYON/restore", body).status_code == 200
    script = (
        ":CONNECT PARIS\nALTER DATABASE Ventes SET PARTNER = 'TCP://lyon:4022'\n"
        ":CONNECT LYON\nALTER DATABASE Ventes SET PARTNER = 'TCP://paris:4022'\n"
    )
    import_live(live_estate.name, engine.imports.ImportFile("miroir.sql", script))
    until(lambda: is_applied(live_estate), "both know their partner")
    return Pair(live_estate, editor)


class Pair:
    def __init__(self, estate: Estate, editor: Any) -> None:
        self.estate, self._editor = estate, editor

    def fail_over(self) -> Any:
        return self._editor.ask("POST", f"/estates/{self.estate.name}/instances/PARIS/databases/Ventes/failover")

    def roles(self) -> list[str]:
        views = [engine.read_view(self.estate.name, name, rows_max=0) for name in ("PARIS", "LYON")]
        return [each.state.value for view in views for each in view.databases if each.name == "Ventes"]

    def noted(self) -> list[tuple[str, Any]]:
        row = self._editor.ask("GET", f"/estates/{self.estate.name}/audit").json()["items"][0]
        return [(each["instance"], field["after"]) for each in row["objects"] for field in each["fields"]]


@pytest.fixture
def way(pair, monkeypatch) -> Iterator[Way]:
    made = Way(engine.execute)
    monkeypatch.setattr(engine, "execute", made.execute)
    yield made
    monkeypatch.undo()


def typed(pair: Pair, instance: str, script: str) -> list[Any]:
    """What a console says to a script, errors by their numbers."""
    session = console_open(DatabasePlace(pair.estate.name, instance, "master"), user=None)
    try:
        return [getattr(each, "number", each) for each in session.run(script)]
    finally:
        session.close()


def test_a_console_has_the_roles_changed_as_the_page_does(pair):
    fail_over = "ALTER DATABASE Ventes SET PARTNER FAILOVER"
    assert typed(pair, "LYON", fail_over) == [1470]
    assert typed(pair, "LYON", "USE Ventes; SELECT name FROM Ventes.sys.routes") == [954, 954]
    assert typed(pair, "PARIS", fail_over) == []
    assert pair.roles() == ["mirror", "online"]
    assert typed(pair, "PARIS", "USE Ventes") == [954]
    assert typed(pair, "LYON", "USE Ventes") == []
    assert typed(pair, "PARIS", "ALTER DATABASE Ventes SET PARTNER FORCE_SERVICE_ALLOW_DATA_LOSS") == []
    assert pair.roles() == ["online", "online"]


def test_an_answer_that_is_lost_is_asked_for_again_and_the_failover_is_done(pair, way):
    way.loses_answers = gives("LYON", PRINCIPAL)
    answer = pair.fail_over()
    assert (answer.status_code, answer.json()) == (200, {"principal": "LYON", "mirror": "PARIS"})
    assert pair.roles() == ["mirror", "online"]


def test_a_command_that_is_lost_is_never_carried_out_later_so_that_the_principal_takes_its_role_back(pair, way):
    way.loses_commands = gives("LYON", PRINCIPAL)
    answer = pair.fail_over()
    assert (answer.status_code, answer.json()["code"]) == (503, "failover-undone")
    assert "PARIS is the principal of Ventes, as before" in answer.json()["detail"]
    assert pair.roles() == ["online", "mirror"]
    assert pair.noted() == [("LYON", "engine-unavailable")]
    way.arrive_late()
    assert pair.roles() == ["online", "mirror"]
    assert pair.fail_over().status_code == 200
    assert pair.roles() == ["mirror", "online"]


@pytest.mark.parametrize(("arrives", "roles"), [(True, ["mirror", "online"]), (False, ["mirror", "mirror"])])
def test_a_partner_of_which_nothing_is_known_may_be_principal_so_that_the_other_is_not(pair, way, arrives, roles):
    way.loses_commands = gives("LYON", PRINCIPAL, times=2)
    answer = pair.fail_over()
    assert (answer.status_code, answer.json()["code"]) == (503, "failover-uncertain")
    assert "not known whether LYON has become the principal" in answer.json()["detail"]
    assert "by force" in answer.json()["cure"]
    assert pair.noted() == [("LYON", "engine-unavailable")]
    if arrives:
        way.lost = way.lost[:1]
        way.arrive_late()
    assert pair.roles() == roles


def test_a_principal_of_which_nothing_is_known_is_told_and_its_partner_left_as_it_is(pair, way):
    way.loses_commands = gives("PARIS", MIRROR, times=2)
    answer = pair.fail_over()
    assert (answer.status_code, answer.json()["code"]) == (503, "failover-uncertain")
    assert "not known whether PARIS is the principal" in answer.json()["detail"]
    way.lost = way.lost[:1]
    way.arrive_late()
    assert pair.roles() == ["mirror", "mirror"]
    until(lambda: is_applied(pair.estate), "nothing is under way any more")


def test_a_principal_that_has_not_let_go_is_as_before(pair, way):
    way.loses_commands = gives("PARIS", MIRROR)
    answer = pair.fail_over()
    assert (answer.status_code, answer.json()["code"]) == (503, "failover-undone")
    way.arrive_late()
    assert pair.roles() == ["online", "mirror"]


@pytest.mark.parametrize(
    ("kind", "silent"), [(engine.commands.BackupDatabase, "PARIS"), (engine.commands.RestoreDatabase, "LYON")]
)
def test_a_partner_that_goes_before_it_was_given_the_role_leaves_it_where_it_was(pair, way, kind, silent):
    way.loses_commands = lambda _, command: isinstance(command, kind)
    answer = pair.fail_over()
    assert (answer.status_code, answer.json()["code"]) == (503, "failover-undone")
    assert answer.json()["parameters"]["silent"] == silent
    assert pair.roles() == ["online", "mirror"]
    until(lambda: is_applied(pair.estate), "nothing is under way any more")
    way.loses_commands = lambda *_: False
    assert pair.fail_over().status_code == 200


def test_a_partner_that_is_closed_in_the_middle_is_not_principal_beside_the_other_when_it_is_back(pair, way):
    is_closed = False

    def dies(instance: str, command: engine.Command) -> bool:
        nonlocal is_closed
        if instance == "LYON" and isinstance(command, engine.commands.SetMirroringRole) and not is_closed:
            engine.close_instance(pair.estate.name, "LYON")
            is_closed = True
        return instance == "LYON" and is_closed

    way.loses_commands = dies
    answer = pair.fail_over()
    assert (answer.status_code, answer.json()["code"]) == (503, "failover-uncertain")
    way.loses_commands = lambda *_: False
    engine.open_instance(pair.estate.name, "LYON")
    assert pair.roles() == ["mirror", "mirror"]
