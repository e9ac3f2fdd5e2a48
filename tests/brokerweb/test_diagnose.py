"""`manage.py diagnose`: what it prints, and the exit codes a pipeline goes by."""

import json
from io import StringIO
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from brokerweb.topology.models import Estate, FindingSuppression
from brokerweb.topology.selectors.findings import wanted_findings
from brokerweb.topology.services.imports import sample_load
from engine import api as engine
from tests.brokerweb.estates import STOCK, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample(db):
    sample_load("demo-fr-de", user=None)
    return Estate.objects.get()


@pytest.fixture
def pair(db):
    """Nothing is wrong with it."""
    return make_estate(pair_catalogs())


def diagnose(*arguments):
    """Exit code and output."""
    out = StringIO()
    try:
        call_command("diagnose", *arguments, stdout=out, stderr=StringIO())
    except SystemExit as end:
        return end.code, out.getvalue()
    return 0, out.getvalue()


def test_the_sample_in_columns(sample):
    code, text = diagnose()
    lines = text.splitlines()
    assert code == 1
    assert lines[0].split() == ["LEVEL", "CODE", "NUMBER", "INSTANCE", "DATABASE", "TEXT"]
    assert [line.split()[:2] for line in lines[1:-1]] == [
        ["ERROR", "SBD-102"],
        ["ERROR", "SBD-103"],
        ["WARNING", "SBD-101"],
        ["WARNING", "SBD-108"],
    ]
    assert "29931   LYON      Archives  database Archives: Database LYON.Archives has no way back" in lines[1]
    assert lines[-1] == "2 Errors, 2 Warnings"


def test_a_sound_estate(pair):
    assert diagnose("paire") == (0, "0 Errors, 0 Warnings\n")


def test_level_and_ignored_codes(sample):
    assert diagnose("--level", "ERROR")[1].count("WARNING") == 0
    assert diagnose("--ignore", "sbd-103", "--ignore", "29931")[1].splitlines()[-1] == "0 Errors, 1 Warning"
    assert diagnose("--ignore", "SBD-103", "--ignore", "SBD-102")[0] == 0


def test_what_is_put_aside_is_counted_and_fails_nothing(sample):
    estate = Estate.objects.get()
    for seen in wanted_findings(estate).findings[:2]:
        FindingSuppression.objects.create(
            estate=estate, key=seen.finding.key, code=seen.finding.code, reason="known", created_at=timezone.now()
        )
    code, text = diagnose()
    assert (code, text.splitlines()[-1]) == (0, "0 Errors, 2 Warnings (2 suppressed)")


def test_xml_in_the_shape_of_ssbdiagnose(sample):
    _, text = diagnose("--xml")
    root = ElementTree.fromstring(text)
    assert root.tag == "DiagnosticInformation"
    assert [child.tag for child in root] == ["Banner", "Issue", "Issue", "Issue", "Issue"]
    assert set(root[0].keys()) == {"title", "product", "version"}
    first = root[1].attrib
    assert (first["type"], first["code"], first["server"], first["database"], first["object"]) == (
        "Diagnosis",
        "29931",
        "LYON",
        "Archives",
        "Archives",
    )
    assert root[1].text.startswith("Database LYON.Archives has no way back")


def test_json(sample):
    told = json.loads(diagnose("--json")[1])
    assert [each["code"] for each in told["findings"]] == ["SBD-102", "SBD-103", "SBD-101", "SBD-108"]
    assert told["findings"][0]["fix"][0]["instance"] == "LYON"
    assert told["unchecked"]


def test_another_language(sample):
    _, text = diagnose("--language", "de")
    lines = text.splitlines()
    assert "Datenbank Archives: Die Datenbank LYON.Archives hat keinen Weg zurück" in lines[1]
    assert lines[-1] == "2 Fehler, 2 Warnungen"
    assert diagnose("--language", "fr", "--level", "ERROR")[1].splitlines()[-1] == "2 erreurs, 0 avertissement"
    assert ElementTree.fromstring(diagnose("--xml", "--language", "fr")[1])[1].text.startswith(
        "La base de données LYON.Archives n’a aucun chemin de retour"
    )
    told = json.loads(diagnose("--json", "--language", "de")[1])
    assert told["findings"][0]["title"] == "Keine Route zurück zum Initiator"
    assert "Verfügbarkeitsgruppen" in {each["title"] for each in told["unchecked"]}


GUICHET, DEPOT, STOCK_SERVICE = "//exemple.fr/Ventes/Guichet", "//exemple.fr/Archives/Dépôt", "//test/Réception"


def test_one_pair_with_a_fault(sample):
    code, text = diagnose("--from-service", GUICHET, "--to-service", DEPOT, "--encryption", "OFF")
    assert code == 1
    assert [line.split()[:2] for line in text.splitlines()[1:-1]] == [["ERROR", "SBD-102"]]


def test_one_pair_without(sample):
    to = "//exemple.fr/Commandes/Réception"
    assert diagnose("--from-service", GUICHET, "--to-service", to, "--encryption", "OFF")[0] == 0


def test_encryption_that_was_not_prepared(pair):
    code, text = diagnose("--from-service", "//test/Commandes", "--to-service", f"{STOCK_SERVICE},{STOCK}")
    assert code == 1
    assert [line.split()[1] for line in text.splitlines()[1:-1]] == ["SBD-502"]


def test_a_contract_that_the_target_does_not_list(pair):
    arguments = ["--from-service", "//test/Commandes", "--to-service", STOCK_SERVICE, "--encryption", "OFF"]
    assert diagnose(*arguments, "--on-contract", "//test/Commander")[0] == 0
    code, text = diagnose(*arguments, "--on-contract", "//test/Autre")
    assert (code, text.splitlines()[1].split()[1]) == (1, "SBD-402")


@pytest.mark.parametrize(
    "arguments", [["nulle"], ["paire", "--from-service", "//test/Nulle", "--to-service", STOCK_SERVICE]]
)
def test_what_does_not_exist(pair, arguments):
    with pytest.raises(CommandError) as caught:
        diagnose(*arguments)
    assert caught.value.returncode == 2


def test_without_a_name_there_must_be_one_estate(pair):
    make_estate(pair_catalogs(), name="autre")
    with pytest.raises(CommandError, match="autre, paire"):
        diagnose()


def test_a_name_forges_no_line(db):
    paris, lyon = pair_catalogs()
    name = "a\u2028ERROR"
    paris = engine.apply_changes(
        paris,
        [
            engine.RouteCreated(
                database="Ventes", route=engine.Route(name=name, address=engine.LocalAddress(), service_name=name)
            )
        ],
    )
    make_estate([paris, lyon])
    assert r"a\u2028ERROR" in diagnose()[1]
    assert ElementTree.fromstring(diagnose("--xml")[1])[1].get("object") == name
