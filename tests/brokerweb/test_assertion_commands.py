"""`manage.py assertions` and `manage.py whatif`: what they print, and the exit codes a pipeline goes by."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from brokerweb.topology.services.imports import sample_load

ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "docs" / "examples" / "assertions.yaml")
SCRIPTS = [str(path) for path in sorted((ROOT / "engine" / "tsql" / "samples" / "demo-fr-de").glob("*.sql"))]
GUICHET = "PARIS/Ventes///exemple.fr/Ventes/Guichet"
RECEPTION = "//exemple.fr/Commandes/Réception"


def called(*arguments):
    """Exit code, output, and error output."""
    out, err = StringIO(), StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return end.code, out.getvalue(), err.getvalue()
    except CommandError as error:
        return error.returncode, out.getvalue(), str(error)
    return 0, out.getvalue(), err.getvalue()


def run(*arguments):
    return called("assertions", "run", "--file", EXAMPLE, "--scripts", *SCRIPTS, *arguments)


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "asserted.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.fixture(scope="module")
def written(rows_of_file):
    with rows_of_file():
        sample_load("demo-fr-de", user=None)


@pytest.fixture
def sample(written, db):
    """The sample, as it came."""


def test_the_example_passes_in_a_process_of_its_own_without_a_database(tmp_path):
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path / 'nowhere' / 'db.sqlite3'}"}
    arguments = ["assertions", "run", "--file", EXAMPLE, "--scripts", *SCRIPTS]
    result = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("4 assertions: 4 passed, 0 failed.\n")
    assert not (tmp_path / "nowhere").exists()


def test_a_failure_comes_with_what_was_expected_and_why(tmp_path):
    code, text, _ = run("--fault", "instance=LYON")
    assert code == 1
    assert "FAILED  Orders reach LYON, and PARIS hears of it: stays with PARIS: LYON cannot be reached (" in text
    assert "        Expected: works, reaches LYON/Entrepôt, by Vers la réception → Entrée réception.\n" in text
    assert text.endswith("4 assertions: 2 passed, 2 failed.\n")


def test_coverage_that_does_not_suffice_fails():
    assert run("--fail-under", "10")[0] == 0
    code, text, _ = run("--fail-under", "99.5")
    assert code == 1
    assert "%, and 99.5 % are wanted." in text
    assert "PARIS/Ventes Soldes de printemps: can never win: it has expired" in text
    assert "PARIS/Ventes Vers le dépôt: never exercised" in text


def test_junit(tmp_path):
    out = tmp_path / "results.xml"
    assert run("--fault", "instance=LYON", "--junit", str(out))[0] == 1
    root = ElementTree.parse(out).getroot()
    assert (root.get("tests"), root.get("failures")) == ("4", "2")
    cases = root.findall("./testsuite/testcase")
    assert cases[0].get("name") == "Orders reach LYON, and PARIS hears of it"
    assert (cases[0].get("file"), cases[0].get("line")) == (EXAMPLE, "3")
    assert cases[0].find("failure").get("message").startswith("expected: works, reaches LYON/Entrepôt")
    assert cases[2].find("failure") is None


def test_junit_holds_whatever_a_name_holds(file, tmp_path):
    text = Path(EXAMPLE).read_text("utf-8").replace("Without HUB they wait", '"\\e\\0 <&> \\uFFFE"')
    out = tmp_path / "results.xml"
    assert called("assertions", "run", "--file", file(text), "--scripts", *SCRIPTS, "--junit", str(out))[0] == 0
    names = [case.get("name") for case in ElementTree.parse(out).iter("testcase")]
    assert names[2] == r"\x1b\x00 <&> \ufffe"


def test_json():
    code, text, _ = run("--json")
    told = json.loads(text)
    assert (code, len(told["results"]), all(each["passed"] for each in told["results"])) == (0, 4, True)
    assert told["coverage"]["flows"] == 11


def test_what_was_written_passes(file):
    code, text, _ = called("assertions", "write", "--scripts", *SCRIPTS)
    assert code == 0
    code, out, _ = called("assertions", "run", "--file", file(text), "--scripts", *SCRIPTS)
    assert (code, out.splitlines()[-1]) == (0, "11 assertions: 11 passed, 0 failed.")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "--scripts", *SCRIPTS], "153: Say which assertions to run"),
        (["run", "somebody", "--file", EXAMPLE, "--scripts", *SCRIPTS], "153: --scripts are the estate"),
        (["run", "--file", "nowhere.yaml", "--scripts", *SCRIPTS], "nowhere.yaml:1:1: 4860: "),
        (["run", "--file", EXAMPLE, "--scripts", "nowhere.sql"], "nowhere.sql:1:1: 4860: "),
        (["run", "--file", EXAMPLE, "--scripts", EXAMPLE], "assertions.yaml:"),
        (["run", "--file", SCRIPTS[0], "--scripts", *SCRIPTS], "berlin.sql:3:110: 153: not YAML"),
        (["run", "--file", EXAMPLE, "--scripts", *SCRIPTS, "--junit", "/nowhere/at/all.xml"], "3634: The file"),
    ],
)
def test_bad_input_is_told_by_a_line_and_exit_code_2(arguments, told):
    code, _, text = called("assertions", *arguments)
    assert code == 2
    assert told in text, text


@pytest.mark.parametrize(
    "given", ["meteor=LYON", "link=LYON", "queue=LYON/Archives", "instance=", "LYON", "instance=LYON/more"]
)
def test_a_fault_that_is_none(given):
    code, out, text = run("--fault", given)
    assert (code != 0, out) == (True, "")
    assert "153: " in text


# ── whatif ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_way_with_its_four_legs_and_its_routes(sample):
    code, text, _ = called("whatif", "--from", GUICHET, "--to", RECEPTION)
    assert code == 0
    lines = text.splitlines()
    assert lines[0] == f"PARIS/Ventes //exemple.fr/Ventes/Guichet → {RECEPTION}"
    assert [line.split()[1] for line in lines if line.startswith("GREEN")] == [
        "message",
        "acknowledgement",
        "reply",
        "reply-acknowledgement",
    ]
    assert "         PARIS/Ventes: remote by route Vers la réception to TCP://lyon:4022" in lines


def test_names_may_be_written_as_in_an_address(sample):
    encoded = "PARIS/Ventes/%2F%2Fexemple.fr%2FVentes%2FGuichet"
    to = "%2F%2Fexemple.fr%2FCommandes%2FR%C3%A9ception"
    assert called("whatif", "--from", encoded, "--to", to)[0] == 0


@pytest.mark.parametrize(
    "fault", ["instance=LYON", "link=PARIS/LYON", "link/LYON/PARIS", "database=LYON/Entrep%C3%B4t"]
)
def test_with_a_fault_it_fails_with_its_number(sample, fault):
    code, text, _ = called("whatif", "--from", GUICHET, "--to", RECEPTION, "--fault", fault)
    assert code == 1
    assert "RED    message" in text


def test_before_and_after(sample):
    arguments = ["whatif", "--from", GUICHET, "--to", RECEPTION, "--before", "live"]
    assert called(*arguments)[1].startswith("UNCHANGED: delivered before, delivered after.")
    code, text, _ = called(*arguments, "--fault", "instance=LYON")
    assert (code, text.splitlines()[0]) == (1, "LOST: delivered before, unreachable after.")


def test_the_answer_as_json(sample):
    told = json.loads(called("whatif", "--from", GUICHET, "--to", RECEPTION, "--json")[1])
    assert (told["disposition"], len(told["legs"])) == ("delivered", 4)


def test_questions_of_nobody(sample):
    code, _, text = called("whatif", "--from", "PARIS/Ventes/Nobody", "--to", RECEPTION)
    assert (code, text.startswith("15151: ")) == (2, True)
    code, _, text = called("whatif", "--from", GUICHET, "--to", RECEPTION, "--revision", "99")
    assert code == 2
    code, _, text = called("whatif", "nobody", "--from", GUICHET, "--to", RECEPTION)
    assert (code, text.startswith("15151: ")) == (2, True)


def test_a_question_whose_answer_is_a_table(sample):
    code, text, _ = called("whatif", "--question", "mirror_failover")
    lines = text.splitlines()
    assert (code, lines[1]) == (0, "BERLIN | Buchhaltung | LYON | Buchhaltung | 0 | 1 | 0 | 10 | 0")
    assert lines[-1].startswith("1 row: revision ")
    arguments = ["whatif", "--question", "expiring_routes", "--before", "live"]
    assert called(*arguments)[1].splitlines()[0].startswith("change | at | ")
    told = json.loads(called("whatif", "--question", "unreachable_services", "--set", "to_service=nobody", "--json")[1])
    assert told["rows"] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--question", "weather"], "15151: "),
        (
            ["--question", "drift", "--set", "colour=blue"],
            "153: colour cannot be used for 'drift': the question takes ",
        ),
        (["--question", "expiring_routes", "--set", "days=40000"], "153: 40000 cannot be used for 'days': it must be "),
        (["--question", "route_trace"], "153: "),
        ([], "153: Say who writes to whom"),
    ],
)
def test_questions_that_are_none(sample, arguments, told):
    code, _, text = called("whatif", *arguments)
    assert (code, text.startswith(told)) == (2, True), text
