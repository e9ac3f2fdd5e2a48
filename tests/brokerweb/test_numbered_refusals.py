"""Every command's bad input gives an error with a number and changes nothing; what has no end is not read."""

import os
import re
import socket
from importlib import import_module
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command, get_commands

from brokerweb.common.given_files import FileRefused, script_piped, text_given
from brokerweb.common.numbered_command import NumberedCommand
from brokerweb.config.process.listening import PORT_MAX, NoPort, listening_socket
from brokerweb.config.process.lock import data_directory_lock

WITHOUT_ARGUMENTS = ("export_openapi", "prepare", "reset")
READERS = ("simulate", "route_check", "training_check", "tsql_import")
WRONG = {
    "assertions": ["run", "nulle"],
    "audit_verify": ["--known", "x"],
    "backup": ["/dev/null/part"],
    "certificate": ["nulle", "PARIS", "Ventes", "c"],
    "diagnose": ["nulle"],
    "engine_status": ["--estate", "nulle"],
    "estate_snapshots": ["--estate", "nulle", "--out", "/nulle/part"],
    "login_link": ["--user", "nobody"],
    "pipeline": ["audit", "--in", "/nulle", "--out", "/nulle/part"],
    "restore": ["/nulle/part"],
    "run": ["--port", "99999"],
    "sql": ["PARIS", "Ventes", "--estate", "nulle"],
    "lake_compact": ["--lake", "/nulle/lac"],
    "trace_import": ["/nulle", "--lake", "/nulle/lac", "--estate", "e", "--instance", "PARIS"],
    "tsql_export": ["--estate", "nulle"],
    "user_create": ["a name with spaces"],
    "whatif": ["nulle"],
}


def refusal(*arguments: str) -> tuple[int, str]:
    """Exit code, and all that was said."""
    out, err = StringIO(), StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=err)
    except CommandError as refused:
        return refused.returncode, str(refused)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue() + err.getvalue()
    return 0, out.getvalue() + err.getvalue()


def own_commands() -> list[str]:
    """Our commands. `migrate` is Django's, with two checks before it (test_backup_refusals)."""
    ours = {name for name, app in get_commands().items() if str(app).startswith("brokerweb")}
    return sorted(ours - {"migrate"})


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_cannot_be_read_is_told_with_place_and_number(command, tmp_path):
    missing, latin, fifo = tmp_path / "missing", tmp_path / "latin", tmp_path / "fifo"
    latin.write_bytes(b"name: x\nb: \x81\n")
    os.mkfifo(fifo)
    for path, place, number in (
        (missing, "1:1", 4860),
        (tmp_path, "1:1", 4861),
        (fifo, "1:1", 4861),
        (Path("/dev/zero"), "1:1", 4861),
        (latin, "2:4", 4864),
    ):
        code, said = refusal(command, str(path))
        assert (code, f"{path}:{place}: {number}: " in said) == (2, True), said


def test_a_file_and_a_pipe_are_read_up_to_their_bound(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"x" * 10)
    assert text_given(str(path), bytes_max=10) == "x" * 10
    with pytest.raises(FileRefused, match=r"4861: .* larger than 9 bytes"):
        text_given(str(path), bytes_max=9)
    with pytest.raises(FileRefused, match=r"stdin:1:1: 4861: .* larger than 9 bytes"):
        script_piped("stdin", BytesIO(b"x" * 10), bytes_max=9)
    with pytest.raises(FileRefused, match="4861"):
        text_given("a\0b", bytes_max=9)


def test_standard_input_that_is_no_text_is_told_with_its_place(monkeypatch):
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"PRINT 1\n\x81")))
    assert refusal("tsql_import", "-", "--estate", "demo")[0] == 2


@pytest.mark.django_db
@pytest.mark.parametrize("command", sorted(WRONG))
def test_what_arguments_name_and_is_not_there_is_told_with_a_number(command):
    code, said = refusal(command, *WRONG[command])
    assert code == 2
    assert re.match(r"(\d{3,5}): ", said), said


@pytest.mark.parametrize("command", [*READERS, *WITHOUT_ARGUMENTS, *sorted(WRONG)])
def test_an_unknown_argument_is_refused_with_a_number(command):
    with pytest.raises(CommandError, match="153: "):
        call_command(command, "x", "x", "x", "x", "--surprise")


def test_a_port_that_cannot_be_had_and_data_in_use_have_numbers(settings, tmp_path):
    settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, data_directory=tmp_path)
    with data_directory_lock(tmp_path):
        assert refusal("run", "--port", "0")[1].startswith("924: brokerweb already runs on ")
        assert refusal("reset")[1].startswith("3702: brokerweb already runs on ")
    # An address of nobody (RFC 5737).
    code, said = refusal("run", "--host", "192.0.2.1", "--port", "0")
    assert (code, said[:7]) == (2, "26024: ")
    with pytest.raises(NoPort) as refused, socket.create_server(("127.0.0.1", PORT_MAX)):
        listening_socket("127.0.0.1", PORT_MAX)
    assert refused.value.number == 26023


def test_what_a_command_cannot_write_has_a_number(monkeypatch, tmp_path):
    command = "brokerweb.config.management.commands.export_openapi"
    monkeypatch.setattr(f"{command}.OPENAPI_PATH", tmp_path / "no" / "x.json")
    monkeypatch.setattr(f"{command}.openapi_text", lambda: "{}")
    assert refusal("export_openapi") == (
        2,
        f"5123: {tmp_path}/no/x.json cannot be written: No such file or directory. See that this user may write there.",
    )


@pytest.mark.parametrize(("secret", "number"), [("zq7x", 15116), ("password1234", 15118)])
def test_a_password_is_refused_as_the_vendor_would(monkeypatch, secret, number):
    monkeypatch.setattr("sys.stdin", StringIO(secret + "\n"))
    assert refusal("user_create", "olga", "--password")[1].startswith(f"{number}: ")


def test_no_command_is_forgotten():
    assert own_commands() == sorted([*READERS, *WITHOUT_ARGUMENTS, *WRONG])
    for name in own_commands():
        module = import_module(f"{get_commands()[name]}.management.commands.{name}")
        assert issubclass(module.Command, NumberedCommand), name
