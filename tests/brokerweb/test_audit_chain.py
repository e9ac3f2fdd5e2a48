"""The hash chain of the log: whole as long as nobody touches it, and broken where somebody has."""

import hashlib
import json

import pytest
from django.core.management import CommandError, call_command

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.audit_chain import PIECE, content_digest
from brokerweb.topology.models import Decision, Estate
from brokerweb.topology.selectors.audit_chain import KnownLink, chain_report
from brokerweb.topology.services.moves import move_release, move_reserve, move_settle
from engine import api as engine
from tests.brokerweb.conftest import logged_in
from tests.brokerweb.estates import PARIS, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db
ESTATE = "/estates/paire"
ROUTE = f"{ESTATE}/instances/PARIS/databases/Ventes/routes/vers_lyon"


@pytest.fixture(scope="module")
def editor(rows_of_file):
    with rows_of_file():
        return logged_in(user_create("the-editor", Role.EDITOR, reads_payloads=True))


@pytest.fixture(scope="module")
def written(rows_of_file, editor):
    """Five decisions: live, in a draft that is undone and redone, and applied."""
    with rows_of_file():
        write_decisions(editor)


@pytest.fixture
def log(written, db):
    return Estate.objects.get()


def write_decisions(editor):
    make_estate(pair_catalogs())
    assert editor.ask("PATCH", ROUTE, {"address": "TCP://lyon:4023"}, If_Match='"1"').status_code == 200
    editor.ask("POST", f"{ESTATE}/change-sets", {})
    for address in ("LOCAL", "TCP://lyon:4024"):
        tag = editor.ask("GET", f"{ESTATE}?change_set=1")["ETag"]
        path = f"{ROUTE}?change_set=1"
        assert editor.ask("PATCH", path, {"address": address}, If_Match=tag).status_code == 200
    for turn in ("undo", "redo", "undo"):
        assert editor.ask("POST", f"{ESTATE}/change-sets/1/{turn}").status_code == 200
    assert editor.ask("POST", f"{ESTATE}/change-sets/1/apply", If_Match='"1-5"').status_code == 200
    assert Decision.objects.count() == 5


def at(report):
    return [each.sequence for each in report.breaks]


def test_a_log_that_nobody_has_touched_is_whole(log, editor):
    report = chain_report(log)
    assert report.is_whole
    assert (report.decision_count, report.last_sequence) == (5, 5)
    told = editor.ask("GET", f"{ESTATE}/audit/chain").json()
    assert (told["is_whole"], told["head"], told["breaks"]) == (True, report.head, [])
    assert editor.ask("GET", f"{ESTATE}/audit").json()["items"][0]["digest"] == report.head


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("summary", "Nothing happened"),
        ("author_name", "somebody-else"),
        ("client_address", "10.0.0.1"),
        ("request_id", "x"),
        ("objects_changed", "[]"),
        ("origin", "job"),
        ("revision", 9),
        ("change_set", None),
        ("filled_digest", "0" * 64),
    ],
)
def test_a_changed_field_is_found_where_it_is(log, field, value):
    Decision.objects.filter(sequence=5).update(**{field: value})
    assert set(at(chain_report(log))) == {5}


def test_a_changed_hash_is_found_and_what_follows_is_not_accused_beyond_the_next(log):
    Decision.objects.filter(sequence=2).update(digest="0" * 64)
    assert at(chain_report(log)) == [2, 3]


def test_removed_decisions_are_missed(log):
    Decision.objects.filter(sequence__in=(1, 2, 4)).delete()
    assert at(chain_report(log)) == [3, 5]


def test_removing_the_last_one_shows_by_a_hash_that_was_noted(log):
    known = KnownLink(5, chain_report(log).head)
    Decision.objects.filter(sequence=5).delete()
    assert chain_report(log).is_whole
    assert at(chain_report(log, known)) == [5]


def test_a_log_written_anew_shows_by_a_hash_that_was_noted(log):
    known = KnownLink(4, Decision.objects.get(sequence=4).digest)
    assert chain_report(log, known).is_whole
    assert at(chain_report(log, KnownLink(4, "0" * 64))) == [4]


def test_an_author_who_is_gone_keeps_his_name_and_the_chain_its_links(log, api_as):
    User.objects.filter(username="the-editor").delete()
    assert chain_report(log).is_whole
    row = api_as(Role.ADMIN).ask("GET", f"{ESTATE}/audit?author=the-editor").json()["items"][0]
    assert row["author"] == "the-editor"


def test_what_a_reserved_revision_becomes_is_guarded_too(log):
    log.instances.update(applied_revision=3, desired_revision=3)
    settled = move_reserve(PARIS, user=None, expected_revision=None, summary="Restore")
    more = [engine.HostNamesSet(host_names=("paris2",))]
    move_settle(settled, settled.revision, lambda catalog: engine.apply_changes(catalog, more))
    released = move_reserve(PARIS, user=None, expected_revision=None, summary="Restore again")
    move_release(released, "nobody was there")
    assert chain_report(log).is_whole
    Decision.objects.filter(sequence=6).update(objects_changed="[]")
    Decision.objects.filter(sequence=7).update(summary="Restore again")
    assert at(chain_report(log)) == [6, 7]


def test_the_command_says_whether_and_where(log, capsys):
    call_command("audit_verify")
    head = chain_report(log).head
    assert f"paire: whole, 5 decisions, 5:{head}" in capsys.readouterr().out
    call_command("audit_verify", "paire", "--known", f"5:{head}", "--json")
    assert json.loads(capsys.readouterr().out)["paire"]["is_whole"] is True
    Decision.objects.filter(sequence=3).update(summary="x")
    with pytest.raises(SystemExit) as left:
        call_command("audit_verify")
    assert left.value.code == 1
    assert "decision 3: It was changed" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["nulle"], ["--known", "1:00"], ["paire", "--known", "x"]])
def test_what_the_command_cannot_do(log, arguments):
    with pytest.raises(CommandError) as refused:
        call_command("audit_verify", *arguments)
    assert refused.value.returncode == 2


def test_the_log_takes_the_right_to_edit(log, api_as):
    assert api_as(Role.VIEWER).ask("GET", f"{ESTATE}/audit/chain").status_code == 403


@pytest.mark.parametrize("length", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 7])
def test_what_is_hashed_piece_by_piece_has_the_hash_of_the_whole(length):
    objects = ('é"\\\n😀\x7f' * length)[:length]
    whole = json.dumps(["a “sentence”", objects], ensure_ascii=False, separators=(",", ":"))
    assert content_digest("a “sentence”", [objects]) == hashlib.sha256(whole.encode()).hexdigest()
