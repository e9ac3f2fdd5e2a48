"""The three states of a mirrored pair over the API: where each of them is dialled, and what comes of it."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.services.imports import sample_load

pytestmark = pytest.mark.django_db

TRIPTYCH = "/estates/demo-fr-de/what-if/triptych"
INVOICES = {
    "instance": "PARIS",
    "database": "Ventes",
    "service": "//exemple.fr/Ventes/Guichet",
    "to_service": "//beispiel.de/Buchhaltung/Rechnungen",
}


@pytest.fixture
def viewer(api_as):
    sample_load("demo-fr-de", user=user_create("loader", Role.ADMIN))
    return api_as(Role.VIEWER)


def test_the_answer_follows_the_principal_and_fails_without_one(viewer):
    answer = viewer.ask("POST", TRIPTYCH, {"question": INVOICES})
    assert answer.status_code == 200, answer.json()
    found = answer.json()
    assert {(each["instance"], each["is_principal"]) for each in found["pair"]} == {("BERLIN", True), ("LYON", False)}
    as_is, failed_over, both_down = found["columns"]
    assert [each["name"] for each in found["columns"]] == ["as-is", "failed-over", "both-down"]
    assert as_is["answer"]["legs"][0]["ways"][0]["instance"] == "BERLIN"
    assert failed_over["answer"]["legs"][0]["ways"][0]["instance"] == "LYON"
    assert both_down["answer"]["disposition"] == "nobody-claims"
    dialled = [(each["address"].lower(), each["is_mirror_address"]) for each in failed_over["dialled"]]
    assert ("tcp://lyon:4022", True) in dialled
    assert [each["kind"] for each in failed_over["faults"]] == ["partner"]
    assert found["basis"]["revision"] == 1


def test_without_a_pair_on_the_way_there_is_a_number(viewer):
    question = {**INVOICES, "to_service": "//exemple.fr/Commandes/Réception"}
    answer = viewer.ask("POST", TRIPTYCH, {"question": question})
    assert (answer.status_code, answer.json()["code"]) == (422, 1416)
    assert answer.json()["cure"]


def test_faults_that_are_supposed_anyhow_are_supposed_in_every_column(viewer):
    cut = {"kind": "link", "instance": "PARIS", "other": "LYON"}
    found = viewer.ask("POST", TRIPTYCH, {"question": INVOICES, "faults": [cut]}).json()
    assert all(any(each["kind"] == "link" for each in column["faults"]) for column in found["columns"])
    assert found["columns"][0]["answer"]["legs"][0]["light"] == "green"
    assert found["columns"][1]["answer"]["legs"][0]["light"] == "red"
