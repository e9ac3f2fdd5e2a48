"""Certificates through files in consoles: the instances of one estate share a folder, and no disk is touched."""

import pytest

from engine.tsql.console.session import ConsoleSession
from engine.tsql.server_files import MemoryFiles
from tests.support.certificates import VAULT
from tests.support.console_world import Consoles, Typing

KEY = "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Str0ng!'; "


@pytest.fixture
def sides():
    """Consoles on two instances with one folder."""
    world, files = Consoles("A", "B"), MemoryFiles()

    def typing(name):
        target = world.target(name)
        target.smith, target.files = VAULT, files
        return Typing(ConsoleSession(target, "master"))

    return typing("A"), typing("B")


def test_what_one_instance_writes_the_other_reads(sides, tmp_path):
    a, b = sides
    path = tmp_path / "c.cer"
    a.do(KEY + f"CREATE CERTIFICATE c WITH SUBJECT = 's'; BACKUP CERTIFICATE c TO FILE = '{path}'")
    b.do(f"CREATE USER u WITHOUT LOGIN; CREATE CERTIFICATE c AUTHORIZATION u FROM FILE = N'{str(path).upper()}'")
    assert b.value("CERTENCODED(CERT_ID('C'))") == a.value("CERTENCODED(CERT_ID('c'))")
    assert not path.exists()
    path.write_bytes(a.value("CERTENCODED(CERT_ID('c'))"))
    twice = a.failure(
        f"BACKUP CERTIFICATE c TO FILE = '{tmp_path}/other.cer'; CREATE CERTIFICATE d FROM FILE = '{path}.'"
    )
    assert twice.number == 15208


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("BACKUP CERTIFICATE nope TO FILE = 'f'", 15151),
        ("BACKUP CERTIFICATE c TO FILE = 'there'", 15240),
        ("BACKUP CERTIFICATE c TO FILE = 'n' WITH PRIVATE KEY (FILE = 'N', ENCRYPTION BY PASSWORD = 'x')", 15240),
        ("BACKUP CERTIFICATE c TO FILE = 'n' WITH PRIVATE KEY (FILE = 'there', ENCRYPTION BY PASSWORD = 'x')", 15240),
        ("BACKUP CERTIFICATE p TO FILE = 'n' WITH PRIVATE KEY (FILE = 'k', ENCRYPTION BY PASSWORD = 'x')", 15556),
        ("BEGIN TRANSACTION; BACKUP CERTIFICATE c TO FILE = 'n'", 226),
        ("CREATE CERTIFICATE d FROM FILE = '/etc/passwd'", 15208),
        ("CREATE CERTIFICATE d FROM FILE = 'k'", 15208),
    ],
)
def test_refusals_have_their_numbers(sides, statement, number):
    a, _ = sides
    a.do(KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's'; BACKUP CERTIFICATE c TO FILE = 'there'")
    a.do("CREATE CERTIFICATE p ENCRYPTION BY PASSWORD = 'x' WITH SUBJECT = 'p'")
    assert a.failure(statement).number == number
    assert a.session.target.files.read("n") is None, "both files are written, or none"


def test_private_keys_go_from_instance_to_instance_by_password(sides):
    a, b = sides
    a.do(KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's'")
    a.do("BACKUP CERTIFICATE c TO FILE = 'c' WITH PRIVATE KEY (FILE = 'k', ENCRYPTION BY PASSWORD = 'geheim')")
    b.do(KEY)
    read = "CREATE CERTIFICATE c FROM FILE = 'c' WITH PRIVATE KEY (FILE = 'k', DECRYPTION BY PASSWORD = '%s')"
    assert b.failure(read % "Geheim").number == 15465
    b.do(read % "geheim")
    assert b.rows("SELECT pvt_key_encryption_type FROM sys.certificates") == [("MK",)]


def test_a_certificate_is_copied_by_its_bytes(sides):
    a, _ = sides
    a.do(KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's'")
    copied = (
        "DECLARE @s nvarchar(max) = N'CREATE CERTIFICATE d FROM BINARY = '"
        " + CONVERT(nvarchar(max), CERTENCODED(CERT_ID('c')), 1); DROP CERTIFICATE c; EXEC (@s)"
    )
    a.do(copied)
    assert a.rows("SELECT name FROM sys.certificates") == [("d",)]
    assert a.rows("SELECT CERT_ID('nope'), CERTENCODED(1), CERTENCODED(NULL)") == [(None, None, None)]


def test_where_there_is_no_folder_this_is_said(sides):
    a, _ = sides
    a.do(KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's'")
    a.session.target.files = None
    assert a.failure("BACKUP CERTIFICATE c TO FILE = 'f'").number == 15240
    assert a.failure("CREATE CERTIFICATE d FROM FILE = 'f'").number == 15208
