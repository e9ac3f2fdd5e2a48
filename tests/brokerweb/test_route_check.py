"""`manage.py route_check`: what it prints, and the exit codes a pipeline goes by."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.support.thoroughness import THOROUGH

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples" / "routing-cases.yaml"
CASE = """\
- id: {id}
  routes: {{database: [{{name: Straße, service: S, address: "TCP://a"}}, {{name: Old, address: LOCAL, expired: true}}]}}
  conversation: {{service: S}}
  expected: {expected}
"""


@pytest.fixture
def file(tmp_path):
    def write(*expected, name="cases.yaml"):
        path = tmp_path / name
        text = "".join(CASE.format(id=f"case {at}", expected=each) for at, each in enumerate(expected))
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def route_check(*arguments):
    """Exit code and output."""
    code, out, _ = both_outputs(*arguments)
    return code, out


def both_outputs(*arguments):
    """Exit code, output, and error output."""
    out, err = StringIO(), StringIO()
    try:
        call_command("route_check", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return end.code, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_the_examples_pass_in_a_process_of_their_own_without_a_database(tmp_path):
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path / 'nowhere' / 'db.sqlite3'}"}
    result = subprocess.run(
        [sys.executable, "manage.py", "route_check", str(EXAMPLES)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1].endswith("passed, 0 failed.")
    assert not (tmp_path / "nowhere").exists()


def test_one_line_a_case_and_then_the_routes(file):
    code, text = route_check(file("send", "send"))
    path = file("send", "send")
    assert (code, text.splitlines()) == (
        0,
        [
            f"warning {path}:2:59: The address 'TCP://a' names no port; 4022 is assumed.",
            f"warning {path}:6:59: The address 'TCP://a' names no port; 4022 is assumed.",
            "ok      case 0: send to TCP://a, route Straße, match step 2",
            "ok      case 1: send to TCP://a, route Straße, match step 2",
            "2 routes: 1 exercised.",
            f"        {path}:2: Old in database: never exercised; can never win: it has expired",
            "2 cases: 2 passed, 0 failed.",
        ],
    )


def test_a_failure_comes_with_its_proof(file):
    code, text = route_check(file("send", "drop"))
    assert code == 1
    assert "FAILED  case 1: send to TCP://a, route Straße, match step 2\n" in text
    assert "        Expected: drop.\n" in text
    assert "          Old is no candidate: it has expired.\n" in text
    assert text.count("Routing table:") == 1
    assert text.endswith("2 cases: 1 passed, 1 failed.\n")


def test_the_proof_of_every_case_on_demand(file):
    assert route_check(file("send", "send"), "--proof")[1].count("Routing table:") == 2


def test_a_bad_file_and_a_missing_one(file, tmp_path):
    good, bad, missing = file("send"), file("sent", "[", name="bad.yaml"), str(tmp_path / "missing.yaml")
    code, text = route_check(good, bad, missing)
    assert code == 2
    assert f"error   {missing}:1:1: 4860: There is no file '{missing}'" in text
    assert f"error   {bad}:9:1: 153: not YAML" in text
    assert text.endswith("Nothing was run: 2 faults.\n")
    assert "case 0" not in text


def test_a_file_that_is_not_utf_8(tmp_path):
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"- id: x\n  name: caf\xe9\n")
    assert route_check(str(path)) == (
        2,
        f"error   {path}:2:12: 4864: The file '{path}' is not UTF-8\nNothing was run: 1 fault.\n",
    )


def test_a_byte_order_mark_is_no_fault(file):
    path = Path(file("send"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert route_check(str(path))[0] == 0


def test_json(file):
    code, text, besides = both_outputs(file("send", "{outcome: send, chosen: Old}"), "--json")
    cases = json.loads(text)
    assert (code, [case["passed"] for case in cases]) == (1, [True, False])
    keys = {"id", "passed", "outcome", "chosen", "address", "match_step", "candidates", "proof"}
    assert keys <= cases[0].keys()
    told = {key: cases[0][key] for key in ("id", "outcome", "chosen", "address", "match_step", "candidates")}
    assert told == {
        "id": "case 0",
        "outcome": "send",
        "chosen": "Straße",
        "address": "TCP://a",
        "match_step": 2,
        "candidates": ["Straße"],
    }
    assert "Old in database: never exercised; can never win" in besides
    assert "Straße" not in besides


def test_json_of_a_draw(tmp_path):
    path = tmp_path / "draw.yaml"
    path.write_text(
        "- id: x\n"
        "  routes: {database: [{name: A, service: S, broker: 1, address: LOCAL},"
        " {name: B, service: S, broker: 2, address: 'TCP://b:1'}]}\n"
        "  conversation: {service: S}\n"
        "  expected: {outcome: one_of, alternatives: [A, B]}\n",
        encoding="utf-8",
    )
    code, text = route_check(str(path), "--json")
    (case,) = json.loads(text)
    assert (code, case["outcome"], case["chosen"], case["candidates"]) == (0, "delayed", "A", ["A"])
    assert [(each["weight"], each["outcome"], each["chosen"]) for each in case["alternatives"]] == [
        (0.5, "delayed", "A"),
        (0.5, "send", "B"),
    ]


def test_what_a_file_says_forges_no_line(tmp_path):
    """Line ends, control characters, what turns the direction of writing, a blank that is none."""
    path = tmp_path / "forged.yaml"
    name = '"r\\u2028\\u202e\\_ok"'
    path.write_text(
        '- id: "a\\n\\r\\t\\e[31m\\x7f\\x9bok      b"\n'
        f"  routes: {{database: [{{name: {name}, service: {name}, address: LOCAL}}]}}\n"
        "  conversation: {service: S}\n"
        f"  expected: {{outcome: one_of, alternatives: [{name}]}}\n",
        encoding="utf-8",
    )
    shown = r"r\u2028\u202e\xa0ok"
    code, text, _ = both_outputs(str(path), "--proof")
    first = r"FAILED  a\n\r\t\x1b[31m\x7f\x9bok      b: delayed, match step 7"
    assert (code, text.split("\n")[0]) == (1, first)
    assert f"note: The alternative [{shown}] can never be drawn." in text
    assert f"{shown} is no candidate: it names another service, '{shown}'." in text
    assert f":2: {shown} in database: never exercised" in text
    assert all(line.isprintable() for line in text.split("\n"))
    _, text, besides = both_outputs(str(path), "--json")
    assert json.loads(text)[0]["id"].startswith("a\n\r\t\x1b[31m")
    assert f":2: {shown} in database: never exercised" in besides
    assert all(line.isprintable() for line in besides.split("\n"))


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_fault_repeats_no_control_character(tmp_path, arguments):
    path = tmp_path / "fault\n.yaml"
    text = CASE.format(id="x", expected='"\\e[2J"').replace("service: S, address", 'service: "S\\e[1m", address')
    path.write_text(text, encoding="utf-8")
    code, *outputs = both_outputs(str(path), *arguments)
    said = "".join(outputs)
    assert code == 2
    assert r"fault\n.yaml:2:47: 8412: The service name 'S\x1b[1m' is not well formed" in said
    assert r"fault\n.yaml:4:13: " in said
    assert r"\x1b[2J" in said
    assert all(line.isprintable() for line in said.split("\n"))


def test_where_no_table_was_read_there_is_no_match_step(tmp_path):
    path = tmp_path / "shut.yaml"
    path.write_text(
        "- id: shut\n"
        "  conversation: {service: S}\n"
        "  setup: {databases: [{name: Home, state: disabled}]}\n"
        "  expected: delayed\n",
        encoding="utf-8",
    )
    assert route_check(str(path))[1].splitlines()[0] == "ok      shut: delayed, no routing table read"
    (case,) = json.loads(route_check(str(path), "--json")[1])
    assert case["match_step"] is None


LEFT = [
    (cases, expected, verdict, arguments)
    for expected, verdict in (("send", 0), ("drop", 1), ("sent", 2))
    for cases in (1, 400)
    for arguments in ([], ["--json"], ["--proof"])
]


# In `make test` one with little output and one with much: 1 case that fails as asked, 400 that do not, as JSON.
@pytest.mark.parametrize(("cases", "expected", "verdict", "arguments"), LEFT if THOROUGH else [LEFT[0], LEFT[10]])
def test_a_reader_that_has_left_changes_neither_verdict_nor_exit_code(file, cases, expected, verdict, arguments):
    """As with `| head`: with little output it is noticed at the end only, with much while it is being written."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [sys.executable, "manage.py", "route_check", file(*[expected] * cases), *arguments],
            cwd=ROOT,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(writing)
    assert result.returncode == verdict
    assert "Traceback" not in result.stderr
    assert "BrokenPipe" not in result.stderr
    assert bool(result.stderr) is ("--json" in arguments)


def test_json_of_a_bad_file(file):
    code, text, besides = both_outputs(file("sent"), "--json")
    assert (code, json.loads(text)) == (2, [])
    assert ":4:" in besides
    assert besides.endswith("Nothing was run: 1 fault.\n")


def test_without_a_file_it_says_how_it_is_called():
    with pytest.raises(CommandError, match="FILE"):
        call_command("route_check")
