"""The folder of certificate files of an estate: who may write and read it, and from where."""

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import CertificateFile, Decision, Instance
from brokerweb.topology.selectors.catalogs import instance_catalog
from brokerweb.topology.services.certificate_files import EstateFiles
from brokerweb.topology.services.imports import estate_import
from engine import api as engine
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.sql_browser import SqlBrowser

KEY = "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Str0ng!pass';\n"
WRITE = KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's';\nBACKUP CERTIFICATE c TO FILE = 'C:\\c\\c.cer';\n"
READ = "CREATE CERTIFICATE c FROM FILE = 'c:/C/C.cer';\n"


def run(script, *, estate, instance="A", is_dry_run=False):
    file = engine.imports.ImportFile("s.sql", script, engine.InstanceName(instance))
    return estate_import(estate_name=estate, files=[file], user=None, is_dry_run=is_dry_run)


def numbers(result):
    return [each.number for each in result.plan.problems]


@pytest.mark.django_db
class TestImports:
    def test_a_later_import_reads_what_an_earlier_one_wrote_and_another_estate_does_not(self):
        assert numbers(run(WRITE, estate="one")) == []
        assert numbers(run(READ, estate="one", instance="B", is_dry_run=True)) == []
        assert numbers(run(READ, estate="two", instance="B", is_dry_run=True)) == [15208]
        a = instance_catalog(Instance.objects.get(estate__name="one", name="A")).databases["master"]
        assert EstateFiles("one").read("C:/C/c.CER") == a.certificates["c"].certificate
        assert EstateFiles("two").read("C:\\c\\c.cer") is None

    def test_a_dry_run_and_an_import_with_a_mistake_write_nothing(self):
        run(WRITE, estate="one", is_dry_run=True)
        run(WRITE + "CREATE QUEUE", estate="one", is_dry_run=True)
        assert not CertificateFile.objects.exists()

    def test_an_import_that_is_repeated_changes_nothing(self):
        run(WRITE, estate="one")
        before = list(CertificateFile.objects.values("path", "content"))
        assert not run(WRITE, estate="one").plan.changes
        assert list(CertificateFile.objects.values("path", "content")) == before

    def test_files_are_gone_with_their_estate(self):
        run(WRITE, estate="one")
        CertificateFile.objects.get().estate.delete()
        assert not CertificateFile.objects.exists()


def browser(role):
    client = ApiClient()
    client.force_login(user_create(f"a-{role}", role, reads_payloads=True))
    return client


async def answers_of(client, estate, script, instance="PARIS"):
    async with SqlBrowser(client) as session:
        await session.hello(estate.name, instance, "master")
        assert (await session.hear("welcome", "refused"))["type"] == "welcome"
        return await session.run(script)


def failures(answers):
    return [each["number"] for each in answers if each["type"] == "failed"]


async def test_editors_exchange_certificates_between_instances_and_the_log_has_it(live_estate, transactional_db):
    editor, operator = [await sync_to_async(browser)(role) for role in (Role.EDITOR, Role.OPERATOR)]
    assert failures(await answers_of(editor, live_estate, WRITE)) == []
    row = await Decision.objects.filter(estate=live_estate).alatest("sequence")
    assert row.summary == "Run BACKUP CERTIFICATE in master on PARIS"
    assert failures(await answers_of(editor, live_estate, READ, "LYON")) == []
    assert failures(await answers_of(editor, live_estate, "BACKUP CERTIFICATE c TO FILE = 'c:/c/c.cer'")) == [15240]
    # Who may operate and not edit neither writes nor learns what is there.
    for script in ("BACKUP CERTIFICATE c TO FILE = 'n'", READ, READ.replace("C.cer", "none")):
        assert failures(await answers_of(operator, live_estate, script)) == [15247]
    assert await CertificateFile.objects.filter(estate=live_estate).acount() == 1


def test_the_command_line_writes_into_the_same_folder(live_estate, tmp_path):
    for instance, script in (("PARIS", WRITE), ("LYON", READ)):
        file = tmp_path / "s.sql"
        file.write_text(script, "utf-8")
        call_command("sql", instance, "master", "-f", str(file), "--estate", live_estate.name)
    a, b = (
        instance_catalog(Instance.objects.get(estate=live_estate, name=name)).databases["master"].certificates["c"]
        for name in ("PARIS", "LYON")
    )
    assert a.certificate == b.certificate
