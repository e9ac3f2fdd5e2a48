"""`manage.py estate_snapshots`: what it writes is what the job `whatif` reads, and a refusal writes nothing."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from brokerweb.topology.models import ChangeSet, ChangeSetState
from engine.pipeline.whatif.snapshots import Estate, read_snapshots
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db
CHANGE_SETS = "/estates/paire/change-sets"
ROUTES = "/estates/paire/instances/PARIS/databases/Ventes/routes"


@pytest.fixture
def estate(db):
    return make_estate(pair_catalogs(), name="paire")


def written(folder: Path, *arguments: str) -> tuple[Estate, ...]:
    out = StringIO()
    call_command("estate_snapshots", "--out", str(folder), *arguments, stdout=out)
    assert sorted(out.getvalue().splitlines()) == sorted(map(str, folder.iterdir()))
    return read_snapshots(folder, "whatif")[1]


def routes_of(estate: Estate) -> set[str]:
    (paris,) = (catalog for name, catalog in estate.catalogs.items() if name == "PARIS")
    return {str(route) for database in paris.databases.values() for route in database.routes}


def test_revisions_are_as_they_were_and_a_draft_as_it_would_be(estate, editor, tmp_path):
    newest = estate.revision
    number = editor.ask("POST", CHANGE_SETS, {"title": "More"}).json()["number"]
    made = editor.decide(f"{ROUTES}?change_set={number}", {"name": "neu", "address": "LOCAL"})
    assert made.status_code == 201, made.content
    first, last, draft = written(
        tmp_path / "a", "--revision", "0", "--revision", str(newest), "--change-set", str(number)
    )
    assert (first.revision, last.revision, draft.revision) == (0, newest, newest + 1)
    assert (set(first.catalogs), set(last.catalogs)) == (set(), {"PARIS", "LYON"})
    assert routes_of(draft) - routes_of(last) == {"neu"}
    assert [each.revision for each in written(tmp_path / "b")] == [newest]


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (("--revision", "0", "--revision", "99"), "15151: "),
        (("--revision", "-1"), "15151: "),
        (("--change-set", "7"), "15151: "),
        (("--change-set", "1"), "153: "),
        (("--estate", "none"), "15151: "),
    ],
)
def test_what_there_is_not_is_refused_and_nothing_is_written(estate, editor, tmp_path, arguments, number):
    editor.ask("POST", CHANGE_SETS, {"title": "Over"})
    ChangeSet.objects.update(state=ChangeSetState.DISCARDED)
    with pytest.raises(CommandError) as refused:
        written(tmp_path / "a", *arguments)
    assert (str(refused.value).startswith(number), refused.value.returncode) == (True, 2), refused.value
    assert not (tmp_path / "a").exists()


def test_a_folder_that_cannot_be_written_has_a_number(estate, tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(CommandError, match=r"^5123: "):
        written(tmp_path / "a")
