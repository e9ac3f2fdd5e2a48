"""A body has a bound by its operation, and mistakes in it take little memory and little of an answer."""

import re
import tracemalloc

import pytest

from brokerweb.common.api.body_bounds import BODY_BYTES, LARGE, VALUES_MAX
from brokerweb.common.api.errors import PROBLEMS_MAX
from brokerweb.config.http.bounds import body_bytes_max
from brokerweb.config.openapi import openapi_document

RAW = {"content_type": "application/json"}
MEGABYTE = 1 << 20
LARGE_OPERATIONS = {
    "assertions_file_take",
    "change_set_flows_intend",
    "changes_make",
    "import_scripts",
    "messages_send",
    "object_create",
    "objects_edit",
    "positions_set",
    "training_run",
}
"""They take scripts, messages, or many objects at once."""
FILE_OPERATIONS = {"lake_import_trace", "lake_take_out_trace"}


def test_every_operation_has_the_bound_that_fits_it():
    seen = {}
    for path, operations in openapi_document()["paths"].items():
        address = re.sub(r"{\w+}", "%C3%A9t%C3%A9%20x", path).encode()
        for operation in operations.values():
            if "requestBody" in operation:
                seen[operation["operationId"]] = body_bytes_max(address)
                assert body_bytes_max(address + b"?change_set=1") == body_bytes_max(address), path
    assert {name for name, most in seen.items() if most == 32 * MEGABYTE} == LARGE_OPERATIONS
    assert {name for name, most in seen.items() if most > 32 * MEGABYTE} == FILE_OPERATIONS
    assert {most for name, most in seen.items() if name not in LARGE_OPERATIONS | FILE_OPERATIONS} == {BODY_BYTES}


def test_the_pattern_of_large_bodies_takes_no_longer_address():
    assert not LARGE.fullmatch("/api/v1/imports/x")
    assert not LARGE.fullmatch("/api/v1/estates/a/b/changes")
    assert not LARGE.fullmatch("/api/v1/estates/a/objects")


def test_a_body_beyond_the_bound_of_its_operation_is_refused_with_the_bound(editor):
    body = b'{"title": "' + b"x" * (BODY_BYTES - 13) + b'"}'
    assert len(body) == BODY_BYTES
    within = editor.generic("POST", "/api/v1/estates/none/change-sets", body, **RAW)
    beyond = editor.generic("POST", "/api/v1/estates/none/change-sets", body + b" ", **RAW)
    assert within.json()["code"] == "bad-field"
    problem = beyond.json()
    assert (problem["code"], problem["parameters"]) == ("too-large", {"bytes_max": BODY_BYTES})
    assert "0.25 MB" in problem["detail"]


def test_an_answer_lists_the_first_mistakes_and_counts_the_others(editor):
    body = {"title": 1, **{f"k{number}": 1 for number in range(10_000)}}
    problem = editor.ask("POST", "/estates/none/change-sets", body).json()
    assert (problem["code"], problem["pointer"]) == ("unknown-field", "/k0")
    assert [each["where"][-1] for each in problem["parameters"]["problems"]] == [f"k{n}" for n in range(PROBLEMS_MAX)]
    assert problem["parameters"]["further_problems"] == 10_000 - PROBLEMS_MAX


def test_a_few_unknown_fields_are_listed_with_the_other_mistakes(editor):
    problem = editor.ask("POST", "/estates/none/change-sets", {"title": 1, "a": 1, "b": 2}).json()
    assert len(problem["parameters"]["problems"]) == 3
    assert problem["parameters"]["further_problems"] == 0


def test_an_answer_lists_the_first_mistakes_of_a_list(editor):
    problem = editor.ask("POST", "/estates/none/change-sets/1/flows/intended", {"keys": [1] * 1000, "intended": True})
    assert len(problem.json()["parameters"]["problems"]) == PROBLEMS_MAX
    assert problem.json()["parameters"]["further_problems"] == 1000 - PROBLEMS_MAX


MANY = VALUES_MAX - 10
IMPORTS, CHANGES, EDITS = "/api/v1/imports", "/api/v1/estates/none/changes", "/api/v1/estates/none/objects/route/edits"


@pytest.mark.parametrize(
    ("address", "body"),
    [
        (IMPORTS, b'{"estate": "x", "files": [' + b"1," * MANY + b"1]}"),
        (IMPORTS, b'{"estate": "x", "files": [' + b"{}," * MANY + b"{}]}"),
        (IMPORTS, b'{"estate": "x", "files": [' + b"{}," * (4 * VALUES_MAX) + b"{}]}"),
        (IMPORTS, b'{"estate": "x", "files": [' + (b"[" * 400 + b"]" * 400 + b",") * 30_000 + b"1]}"),
        (IMPORTS, b"{" + b",".join(b'"k%d":1' % n for n in range(MANY)) + b"}"),
        (IMPORTS, b'{"files": [{' + b",".join(b'"k%d":1' % n for n in range(MANY)) + b"}]}"),
        (IMPORTS, b'{"files": [{"name": "a", "text": "b", "left_out": [' + b'"",' * 90_000 + b'""]}]}'),
        (EDITS, b'{"action": "drop", "objects": [' + b"{}," * (MANY // 2) + b"{}]}"),
        (CHANGES, b'{"summary": "x", "changes": {' + b",".join(b'"k%d":1' % n for n in range(MANY)) + b"}}"),
        (CHANGES, b'{"summary": "x", "changes": {"k": [' + b"1," * MANY + b"1]}}"),
    ],
)
def test_mistakes_in_a_large_body_take_little_memory(editor, address, body):
    editor.generic("POST", address, b"{}", **RAW)
    tracemalloc.start()
    try:
        answer = editor.generic("POST", address, body, **RAW)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.status_code in (400, 413, 422), answer.content[:1000]
    assert len(answer.content) < 16_384
    # The test client keeps the body several times, and each value takes up to 100 bytes.
    assert peak < 8 * len(body) + 130 * VALUES_MAX


def test_values_in_texts_are_not_counted(editor):
    script = "SELECT '[{\\\"', 1, 2;\n" * 30_000
    body = {"estate": "x", "files": [{"name": "a.sql", "text": script}], "dry_run": 1}
    assert script.count(",") + script.count("[") > VALUES_MAX / 3
    problem = editor.ask("POST", "/imports", {**body, "files": body["files"] * 10}).json()
    assert (problem["code"], problem["pointer"]) == ("bad-field", "/dry_run")
