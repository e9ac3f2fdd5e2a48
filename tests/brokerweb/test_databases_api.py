"""Roles, backups, restores and broker options over HTTP, against the real engine."""

from uuid import uuid4

import msgspec
import pytest

from brokerweb.accounts.rights import Role
from brokerweb.operations.models import Backup
from brokerweb.operations.services import commands
from brokerweb.topology.models import Database, TopologyRevision
from engine import api as engine
from tests.brokerweb.conftest import is_applied
from tests.brokerweb.estates import VENTES, import_live
from tests.support.each import for_each
from tests.support.waiting import until


@pytest.fixture
def editor(live_estate, api_as):
    return api_as(Role.EDITOR)


@pytest.fixture
def instance(live_estate):
    return f"/estates/{live_estate.name}/instances/PARIS"


@pytest.fixture
def paris(instance):
    return f"{instance}/databases/Ventes"


@pytest.fixture
def lyon(live_estate):
    return f"/estates/{live_estate.name}/instances/LYON/databases/Stock"


def begun(client, paris, *bodies):
    body = {"from_service": "//test/Commandes", "to_service": "//test/Réception"}
    conversation = (
        f"{paris}/conversations/" + (client.ask("POST", f"{paris}/conversations", body).json()["conversation_handle"])
    )
    if bodies:
        client.ask("POST", f"{conversation}/messages", {"bodies": list(bodies)})
    return conversation


def view_of(client, database):
    instance, name = database.split("/databases/")
    view = client.ask("GET", f"{instance}/view").json()
    return next((each for each in view["databases"] if each["name"] == name), None)


def states_of(client, database):
    return [row["state"] for row in view_of(client, database)["conversation_endpoints"]]


def taken(client, database, name="avant"):
    answer = client.ask("POST", f"{database}/backups", {"name": name})
    assert answer.status_code == 201, answer.json()
    return answer.json()


def row_of(estate, name="Ventes"):
    return Database.objects.get(instance__estate=estate, instance__name="PARIS", name=name)


class TestBrokerOptions:
    def test_new_broker_gives_another_id_and_ends_what_was(self, live_estate, editor, paris):
        begun(editor, paris)
        answer = editor.decide(f"{paris}/new-broker")
        assert answer.status_code == 200
        until(lambda: is_applied(live_estate), "PARIS has the revision")
        view = view_of(editor, paris)
        assert view["broker_instance"] == str(row_of(live_estate).broker_instance) != str(VENTES)
        assert states_of(editor, paris) == ["ER"]

    def test_error_conversations_ends_both_sides_and_keeps_the_id(self, live_estate, editor, paris, lyon):
        begun(editor, paris, "a")
        until(lambda: states_of(editor, lyon) == ["CO"], "the message arrived")
        assert editor.ask("POST", f"{paris}/error-conversations").status_code == 200
        until(lambda: states_of(editor, paris) == ["ER"] == states_of(editor, lyon), "both sides are in error")
        assert row_of(live_estate).broker_instance == VENTES

    def test_what_the_catalog_refuses_changes_nothing(self, live_estate, editor, paris):
        row = row_of(live_estate)
        row.state = "read_only"
        row.save()
        for option, code in (("new-broker", 9775), ("error-conversations", 3906)):
            answer = editor.decide(f"{paris}/{option}")
            assert (answer.status_code, answer.json()["code"]) == (422, code)
        assert TopologyRevision.objects.filter(estate=live_estate).count() == 1


class TestBackups:
    def test_a_backup_is_taken_listed_and_forgotten(self, live_estate, editor, paris):
        begun(editor, paris, "a", "b")
        backup = taken(editor, paris)
        assert (backup["database"], backup["conversations"], backup["taken_by"]) == ("Ventes", 1, "the-editor")
        unnamed = editor.ask("POST", f"{paris}/backups", {}).json()
        assert unnamed["name"].startswith("Ventes 2")
        path = f"/estates/{live_estate.name}/backups"
        assert [each["name"] for each in editor.ask("GET", path).json()] == [unnamed["name"], "avant"]
        assert editor.ask("DELETE", f"{path}/{backup['id']}").status_code == 204
        assert editor.ask("DELETE", f"{path}/{backup['id']}").status_code == 404

    @for_each(("name", "number"), [("a\x00b", 153), ("\t", 1038), ("a\u0085", 153)])
    @for_each("how", ["backups", "detach"])
    def test_a_name_with_a_control_character_is_none(self, editor, paris, how, name, number):
        answer = editor.ask("POST", f"{paris}/{how}", {"name": name})
        assert (answer.status_code, answer.json()["code"], answer.json()["pointer"]) == (422, number, "/name")

    def test_a_name_is_taken_once(self, editor, paris):
        taken(editor, paris)
        answer = editor.ask("POST", f"{paris}/backups", {"name": "avant"})
        assert (answer.status_code, answer.json()["code"], answer.json()["pointer"]) == (409, 2714, "/name")

    def test_a_restore_brings_conversations_back_in_one_revision(self, live_estate, editor, instance, paris):
        conversation = begun(editor, paris)
        backup = taken(editor, paris)
        editor.ask("POST", f"{conversation}/end", {"with_cleanup": True})
        assert states_of(editor, paris) == []
        body = {"backup": backup["id"], "database": "Ventes", "option": "ENABLE_BROKER"}
        answer = editor.ask("POST", f"{instance}/restore", body)
        assert answer.status_code == 200, answer.json()
        assert answer.json() == {
            "revision": 2,
            "broker_instance": str(VENTES),
            "is_broker_enabled": True,
            "notice": None,
            "notice_text": "",
        }
        assert states_of(editor, paris) == ["SO"]
        assert is_applied(live_estate)
        revision = TopologyRevision.objects.get(estate=live_estate, number=2)
        assert (revision.summary, revision.author.username) == ("Restore Ventes on PARIS", "the-editor")

    def test_a_copy_gets_an_id_of_its_own_and_later_changes_reach_it(self, live_estate, editor, instance, paris):
        backup = taken(editor, paris)
        body = {"backup": backup["id"], "database": "Essai", "option": "NEW_BROKER"}
        answer = editor.ask("POST", f"{instance}/attach", body)
        assert answer.status_code == 200, answer.json()
        copy = row_of(live_estate, "Essai")
        assert str(copy.broker_instance) == answer.json()["broker_instance"] != str(VENTES)
        assert view_of(editor, f"{instance}/databases/Essai")["broker_instance"] == str(copy.broker_instance)
        assert copy.services.count() == 1
        answer = editor.decide(f"{instance}/databases/Essai/broker", {"is_enabled": False})
        assert answer.status_code == 200
        until(lambda: is_applied(live_estate), "the next revision follows on the attached one")
        assert view_of(editor, f"{instance}/databases/Essai")["is_broker_enabled"] is False

    def test_a_copy_beside_the_original_is_switched_off_and_says_why(self, live_estate, editor, instance, paris):
        body = {"backup": taken(editor, paris)["id"], "database": "Essai"}
        answer = editor.ask("POST", f"{instance}/attach", body).json()
        assert (answer["is_broker_enabled"], answer["notice"]) == (False, 9773)
        assert "Essai" in answer["notice_text"]
        assert row_of(live_estate, "Essai").is_broker_enabled is False

    def test_a_detached_database_is_in_its_backup_and_comes_back(self, live_estate, editor, instance, paris):
        begun(editor, paris)
        answer = editor.ask("POST", f"{paris}/detach", {"name": "parti"})
        assert answer.status_code == 200, answer.json()
        backup = answer.json()["backup"]
        assert (backup["is_detached"], backup["conversations"]) == (True, 1)
        assert view_of(editor, paris) is None
        assert not Database.objects.filter(instance__estate=live_estate, name="Ventes").exists()
        body = {"backup": backup["id"], "database": "Ventes"}
        assert editor.ask("POST", f"{instance}/attach", body).status_code == 200
        assert states_of(editor, paris) == ["SO"]

    def test_the_history_rebuilds_what_moved(self, live_estate, editor, instance, paris):
        body = {"backup": taken(editor, paris)["id"], "database": "Essai", "option": "NEW_BROKER"}
        editor.ask("POST", f"{instance}/attach", body)
        engine.close_instance(live_estate.name, "PARIS", forgets=True)
        answer = editor.decide(f"{instance}/databases/Essai/broker", {"is_enabled": False})
        assert answer.status_code == 200
        until(lambda: is_applied(live_estate), "the history was carried out anew")
        essai = view_of(editor, f"{instance}/databases/Essai")
        assert essai["broker_instance"] == str(row_of(live_estate, "Essai").broker_instance)

    @pytest.mark.parametrize(
        ("action", "body", "status", "code"),
        [
            ("attach", {"database": "Ventes"}, 409, 1801),
            ("attach", {"database": ""}, 422, 1038),
            ("restore", {"database": "Ventes", "option": "NEW_BROKER", "is_recovered": False}, 422, 3031),
            ("restore", {"database": "msdb"}, 422, 3708),
            ("restore", {"database": "Ventes", "option": "LES_DEUX"}, 422, "bad-field"),
        ],
    )
    def test_what_is_refused_changes_nothing_and_later_changes_follow(
        self, live_estate, editor, instance, paris, action, body, status, code
    ):
        before = engine.read_view(live_estate.name, "PARIS", 0).databases
        backup = taken(editor, paris)
        answer = editor.ask("POST", f"{instance}/{action}", {"backup": backup["id"], **body})
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        until(lambda: is_applied(live_estate), "PARIS has the number of the revision that came to nothing")
        assert engine.read_view(live_estate.name, "PARIS", 0).databases == before
        assert editor.decide(f"{paris}/broker", {"is_enabled": False}).status_code == 200
        until(lambda: is_applied(live_estate), "the next change follows")

    def test_another_database_is_replaced_only_when_that_is_said(self, live_estate, editor, paris, lyon):
        backup = taken(editor, paris)
        path = f"/estates/{live_estate.name}/instances/LYON/restore"
        body = {"backup": backup["id"], "database": "Stock"}
        refused = editor.ask("POST", path, body)
        assert (refused.status_code, refused.json()["code"]) == (422, 3154)
        until(lambda: is_applied(live_estate), "LYON is at the number")
        assert editor.ask("POST", path, {**body, "replaces": True}).status_code == 200
        restored = Database.objects.get(instance__estate=live_estate, instance__name="LYON", name="Stock")
        assert restored.broker_instance == VENTES
        assert view_of(editor, lyon)["broker_instance"] == str(VENTES)

    @pytest.mark.parametrize("has_estate_moved_on", [False, True])
    def test_an_answer_that_was_lost_is_found_again_by_its_key(
        self, live_estate, editor, instance, paris, lyon, has_estate_moved_on
    ):
        backup, key = taken(editor, paris), uuid4()
        lost = engine.commands.AttachDatabase(
            command_id=engine.CommandId(key),
            base=engine.CatalogRevision(1),
            revision=engine.CatalogRevision(2),
            database=engine.DatabaseName("Essai"),
            backup=msgspec.json.decode(Backup.objects.get().content, type=engine.DatabaseBackup),
            option=engine.AttachOption.NEW_BROKER,
        )
        (done,) = engine.execute(live_estate.name, "PARIS", [lost])
        if has_estate_moved_on:
            editor.decide(f"{lyon}/broker", {"is_enabled": False})
        body = {"backup": backup["id"], "database": "Essai", "option": "NEW_BROKER"}
        answer = editor.ask("POST", f"{instance}/attach", body, Idempotency_Key=str(key))
        assert answer.status_code == 200, answer.json()
        assert answer.json()["broker_instance"] == str(done.broker_instance)
        assert row_of(live_estate, "Essai").broker_instance == done.broker_instance
        until(lambda: is_applied(live_estate), "PARIS has the number of the revision")

    def test_when_nobody_answers_nothing_is_moved_and_the_next_attempt_works(
        self, live_estate, editor, instance, paris, monkeypatch
    ):
        body = {"backup": taken(editor, paris)["id"], "database": "Essai", "option": "NEW_BROKER"}
        with monkeypatch.context() as patience:
            patience.setattr(commands, "COMMAND_SECONDS", 0.3)
            engine.close_instance(live_estate.name, "PARIS")
            answer = editor.ask("POST", f"{instance}/attach", body)
        assert answer.status_code == 503
        assert not Database.objects.filter(name="Essai").exists()
        until(lambda: is_applied(live_estate), "PARIS is open again and at the number")
        assert editor.ask("POST", f"{instance}/attach", body).status_code == 200
        assert view_of(editor, f"{instance}/databases/Essai") is not None

    def test_while_a_change_is_on_its_way_nothing_is_moved(self, live_estate, editor, instance, paris):
        body = {"backup": taken(editor, paris)["id"], "database": "Essai"}
        live_estate.instances.filter(name="PARIS").update(apply_error="9797: elsewhere", applied_revision=0)
        answer = editor.ask("POST", f"{instance}/attach", body)
        assert (answer.status_code, answer.json()["code"]) == (409, "change-under-way")
        assert "9797: elsewhere" in answer.json()["detail"]
        live_estate.instances.filter(name="PARIS").update(apply_error="", applied_revision=1)

    def test_a_stale_revision_is_refused(self, editor, instance, paris):
        body = {"backup": taken(editor, paris)["id"], "database": "Essai"}
        assert editor.ask("POST", f"{instance}/attach", body, If_Match='"7"').status_code == 412

    def test_an_operator_takes_backups_and_moves_nothing(self, live_estate, api_as, instance, paris):
        operator = api_as(Role.OPERATOR)
        backup = taken(operator, paris)
        body = {"backup": backup["id"], "database": "Essai"}
        for path, sent in (
            (f"{instance}/attach", body),
            (f"{instance}/restore", body),
            (f"{paris}/detach", {}),
            (f"{paris}/new-broker", None),
            (f"{paris}/error-conversations", None),
        ):
            assert operator.ask("POST", path, sent).status_code == 403
        assert api_as(Role.VIEWER).ask("POST", f"{paris}/backups", {}).status_code == 403
        assert Backup.objects.count() == 1


class TestMirroring:
    @pytest.fixture
    def mirrored(self, live_estate, editor, instance, paris):
        """Ventes of PARIS and its copy on LYON, each naming the other."""
        backup = taken(editor, paris)
        path = f"/estates/{live_estate.name}/instances/LYON/restore"
        answer = editor.ask("POST", path, {"backup": backup["id"], "database": "Ventes", "is_recovered": False})
        assert answer.status_code == 200, answer.json()
        script = (
            ":CONNECT PARIS\nALTER DATABASE Ventes SET PARTNER = 'TCP://lyon:4022'\n"
            ":CONNECT LYON\nALTER DATABASE Ventes SET PARTNER = 'TCP://paris:4022'\n"
        )
        import_live(live_estate.name, engine.imports.ImportFile("miroir.sql", script))
        until(lambda: is_applied(live_estate), "both know their partner")
        return f"/estates/{live_estate.name}/instances/LYON/databases/Ventes"

    def states(self, client, *databases):
        return [view_of(client, database)["state"] for database in databases]

    def test_a_failover_carries_conversations_over_and_back(self, live_estate, editor, paris, mirrored):
        assert self.states(editor, paris, mirrored) == ["online", "mirror"]
        begun(editor, paris)
        answer = editor.ask("POST", f"{paris}/failover")
        assert (answer.status_code, answer.json()) == (200, {"principal": "LYON", "mirror": "PARIS"})
        assert self.states(editor, paris, mirrored) == ["mirror", "online"]
        assert states_of(editor, mirrored) == ["SO"], "what was begun at the old principal goes on at the new one"
        assert is_applied(live_estate)
        partner = Database.objects.get(instance__estate=live_estate, instance__name="LYON", name="Ventes")
        assert (partner.state, partner.partner_address) == ("mirror", "TCP://paris:4022")
        wrong = editor.ask("POST", f"{paris}/failover")
        assert (wrong.status_code, wrong.json()["code"]) == (422, 1470)
        back = editor.ask("POST", f"{mirrored}/failover")
        assert back.status_code == 200, back.json()
        assert self.states(editor, paris, mirrored) == ["online", "mirror"]

    @pytest.mark.slow
    def test_nothing_happens_when_the_partner_is_out_of_reach(self, live_estate, editor, paris, mirrored, monkeypatch):
        monkeypatch.setattr(commands, "COMMAND_SECONDS", 1.0)
        engine.close_instance(live_estate.name, "LYON")
        assert editor.ask("POST", f"{paris}/failover").status_code == 503
        assert self.states(editor, paris) == ["online"]
        assert is_applied(live_estate)

    def test_a_role_is_given_to_one_partner_alone(self, live_estate, editor, paris, mirrored):
        answer = editor.ask("POST", f"{mirrored}/mirroring-role", {"role": "principal"})
        assert (answer.status_code, answer.json()) == (200, {"role": "principal"})
        assert self.states(editor, paris, mirrored) == ["online", "online"]
        (row, *_) = editor.ask("GET", f"/estates/{live_estate.name}/audit").json()["items"]
        assert row["summary"] == "Give Ventes on LYON alone the mirroring role principal"
        assert row["objects"] == [
            {
                "instance": "LYON",
                "database": "Ventes",
                "kind": "database",
                "name": "Ventes",
                "effect": "change",
                "fields": [{"name": "mirroring_role", "before": "mirror", "after": "principal"}],
            }
        ]
        both = editor.ask("POST", f"{paris}/failover")
        assert (both.status_code, both.json()["code"]) == (422, 1470)
        assert "LYON" in both.json()["detail"]

    def test_a_database_without_partner_has_no_role(self, editor, paris):
        for path, body in (("failover", None), ("mirroring-role", {"role": "mirror"})):
            answer = editor.ask("POST", f"{paris}/{path}", body)
            assert (answer.status_code, answer.json()["code"]) == (422, 1416)

    def test_a_partner_outside_the_estate_is_said_to_be_there(self, live_estate, editor, paris):
        row = row_of(live_estate)
        row.partner_address = "TCP://ailleurs:4022"
        row.save()
        answer = editor.ask("POST", f"{paris}/failover")
        assert answer.status_code == 404
        assert "TCP://ailleurs:4022" in answer.json()["why"]


class TestKeySuite:
    def test_every_instance_takes_it_over(self, live_estate, editor, paris):
        path = f"/estates/{live_estate.name}"
        assert editor.ask("GET", path).json()["key_suite"] == "md5"
        answer = editor.ask("POST", f"{path}/key-suite", {"key_suite": "aes-256-gcm"})
        assert (answer.status_code, answer.json()) == (200, {"key_suite": "aes-256-gcm", "untold": []})
        assert editor.ask("GET", path).json()["key_suite"] == "aes-256-gcm"
        decided = editor.ask("GET", f"{path}/audit").json()["items"][0]
        assert (decided["author"], decided["revision"]) == ("the-editor", None)
        assert decided["summary"] == "Protect messages of secure dialogs by aes-256-gcm, no longer by md5"
        begun(editor, paris)

    def test_it_is_one_of_two(self, live_estate, editor):
        answer = editor.ask("POST", f"/estates/{live_estate.name}/key-suite", {"key_suite": "rot13"})
        assert answer.status_code == 422

    def test_an_operator_does_not_choose_it(self, live_estate, api_as):
        path = f"/estates/{live_estate.name}/key-suite"
        assert api_as(Role.OPERATOR).ask("POST", path, {"key_suite": "md5"}).status_code == 403
