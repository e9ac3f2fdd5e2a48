"""Certificates come by script, leave by command, and their private keys by no door."""

import base64
import json

import pytest
from django.core.management import CommandError, call_command

from brokerweb.config.openapi import OPENAPI_PATH
from brokerweb.topology.models import Database, Estate, TopologyRevision
from brokerweb.topology.selectors.catalogs import estate_catalogs
from engine import api as engine
from engine.hosting import client

pytestmark = pytest.mark.django_db

SCRIPT = """\
:CONNECT PARIS
CREATE DATABASE Ventes;
GO
USE Ventes;
CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Motdepasse7!';
CREATE USER Vendeur WITHOUT LOGIN;
CREATE USER Fournisseur WITHOUT LOGIN;
CREATE CERTIFICATE Sceau AUTHORIZATION Vendeur WITH SUBJECT = 'Vendeur';
CREATE QUEUE File;
CREATE SERVICE Client AUTHORIZATION Vendeur ON QUEUE File;
CREATE REMOTE SERVICE BINDING Liaison TO SERVICE 'Entrepot' WITH USER = Fournisseur, ANONYMOUS = ON;
"""


@pytest.fixture
def imported(editor):
    files = [{"name": "p.sql", "text": SCRIPT}]
    answer = editor.ask("POST", "/imports", {"estate": "demo", "files": files, "dry_run": False})
    assert answer.json()["is_applied"], answer.content
    return answer


def ventes():
    return estate_catalogs(Estate.objects.get())["PARIS"].databases["Ventes"]


def test_what_a_script_defines_is_kept(imported):
    found = ventes()
    assert list(found.users) == ["Vendeur", "Fournisseur"]
    assert found.certificates["Sceau"].private_key is not None
    assert found.remote_service_bindings["Liaison"].is_anonymous
    assert found.services["Client"].owner == "Vendeur"


@pytest.fixture
def no_engine(monkeypatch):
    """No worker hosts the instances: who asks them hears so at once, not when the patience is over."""

    def give_up(*_):
        raise client.ResultTimeout

    monkeypatch.setattr(client, "_result", give_up)


def test_no_key_and_no_password_is_in_an_answer_or_in_the_log(imported, editor, caplog, no_engine):
    """Every answer about the estate; the rows hold keys sealed, and even so they stay inside."""
    found = ventes()
    secrets = [found.certificates["Sceau"].private_key.sealed, found.master_key.key.sealed]
    document = json.loads(OPENAPI_PATH.read_text(encoding="utf-8"))
    paths = [path for path, methods in document["paths"].items() if "get" in methods]
    texts = [imported.content.decode(), caplog.text]
    for path in paths:
        address = path.removeprefix("/api/v1")
        for name, value in {"estate": "demo", "instance": "PARIS", "database": "Ventes", "queue": "dbo.File"}.items():
            address = address.replace("{" + name + "}", value)
        if "{" not in address:
            texts.append(editor.ask("GET", address).content.decode())
    assert len(texts) > 4
    everything = "\n".join(texts)
    assert "Ventes" in everything
    for secret in secrets:
        for spelling in (
            base64.b64encode(secret).decode()[:24],
            secret.hex()[:32],
            secret.hex().upper()[:32],
            repr(secret)[2:30],
        ):
            assert spelling not in everything
    assert "Motdepasse7" not in everything + json.dumps(TopologyRevision.objects.get().changes)
    assert "Motdepasse7" not in json.dumps(Database.objects.get(name="Ventes").security)


def test_the_command_prints_the_public_half_as_a_statement(imported, capsys):
    call_command("certificate", "demo", "paris", "ventes", "SCEAU", "--owner", "Client]s")
    script = capsys.readouterr().out
    found = ventes().certificates["Sceau"]
    assert script.startswith("CREATE CERTIFICATE [Sceau] AUTHORIZATION [Client]]s]\n    FROM BINARY = 0x")
    read = engine.parse_script(script, "x.sql")
    assert read.problems == ()
    assert bytes.fromhex(read.statements[0].source.binary.value[2:]) == found.certificate


@pytest.mark.parametrize(
    "where",
    [("x", "PARIS", "Ventes", "Sceau"), ("demo", "PARIS", "Rien", "Sceau"), ("demo", "PARIS", "Ventes", "Rien")],
)
def test_a_certificate_that_is_not_there_is_a_sentence(imported, where):
    with pytest.raises(CommandError, match="has no"):
        call_command("certificate", *where)
