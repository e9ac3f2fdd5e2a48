"""Certificates that one script writes to a file and another reads, in whatever order they come (tsql.md 6)."""

import pytest

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from engine.tsql.server_files import FILE_BYTES_MAX, FILES_MAX, PATH_LENGTH_MAX, MemoryFiles, check_write, file_key
from tests.support.certificates import VAULT
from tests.support.each import for_each
from tests.support.numbered_entropy import NumberedEntropy

KEY = "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Str0ng!pass'\n"


def side(own, other):
    """A server of a tutorial: its own certificate written, that of the other one read."""
    return f"""
        :CONNECT NODE{own}
        USE master
        GO
        {KEY}
        CREATE CERTIFICATE Cert{own} WITH SUBJECT = '{own}'
        BACKUP CERTIFICATE Cert{own} TO FILE = 'C:\\certs\\Cert{own}.cer'
        CREATE ENDPOINT Broker STATE = STARTED AS TCP (LISTENER_PORT = 4022)
          FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE Cert{own})
        GO
        CREATE LOGIN Login{other} WITH PASSWORD = 'Str0ng!pass'
        CREATE USER User{other} FOR LOGIN Login{other}
        CREATE CERTIFICATE Cert{other} AUTHORIZATION User{other} FROM FILE = 'c:/certs/cert{other}.CER'
        GRANT CONNECT ON ENDPOINT::Broker TO Login{other}
        GO
        """


def plan(*texts, files=None):
    return plan_import(
        [parse_script(text, f"{number}.sql") for number, text in enumerate(texts)],
        {},
        default_instance=InstanceName("NODEA"),
        now=UtcTime(1_780_000_000.0),
        entropy=NumberedEntropy(),
        smith=VAULT,
        files=files or {},
    )


def certificates(made, node):
    assert made.problems == ()
    return made.catalogs[InstanceName(node)].databases[DatabaseName("master")].certificates


@for_each(
    "texts", [(side("A", "B"), side("B", "A")), (side("B", "A"), side("A", "B")), (side("B", "A") + side("A", "B"),)]
)
def test_two_servers_have_the_certificates_of_each_other(texts):
    made = plan(*texts)
    a, b = certificates(made, "NODEA"), certificates(made, "NODEB")
    assert b["CertA"].certificate == a["CertA"].certificate
    assert a["CertB"].certificate == b["CertB"].certificate
    assert (a["CertA"].private_key is None, b["CertA"].private_key) == (False, None)
    assert a["CertB"].owner == "UserB"
    assert sorted(map(file_key, made.files)) == ["c:/certs/certa.cer", "c:/certs/certb.cer"]
    # What comes behind the statement that waited is there too, and rows are in the order of the scripts.
    assert made.catalogs[InstanceName("NODEA")].connect_permissions["LoginB"]
    assert [(row.file, row.line) for row in made.rows] == sorted((row.file, row.line) for row in made.rows)


def test_a_statement_that_waits_holds_up_its_own_server_alone():
    """The second script of A would grant to a login that the first one makes behind the file."""
    first = ":CONNECT NODEA\nCREATE CERTIFICATE CertB FROM FILE = 'b'\nCREATE DATABASE Later\n"
    second = ":CONNECT NODEA\nUSE Later\nCREATE QUEUE q\n"
    third = f":CONNECT NODEB\n{KEY}CREATE CERTIFICATE CertB WITH SUBJECT = 'b'\nBACKUP CERTIFICATE CertB TO FILE = 'b'"
    made = plan(first, second, third)
    assert made.problems == ()
    assert "dbo.q" in made.catalogs[InstanceName("NODEA")].databases[DatabaseName("Later")].queues


def test_scripts_of_one_server_in_the_wrong_order_are_followed_too():
    reads = ":CONNECT NODEA\nCREATE CERTIFICATE CertB FROM FILE = 'b'\n"
    writes = f":CONNECT NODEA\n{KEY}CREATE CERTIFICATE CertA WITH SUBJECT = 'a'\nBACKUP CERTIFICATE CertA TO FILE = 'a'"
    other = (
        f":CONNECT NODEB\nCREATE CERTIFICATE CertA FROM FILE = 'a'\n{KEY}"
        "CREATE CERTIFICATE CertB WITH SUBJECT = 'b'\nBACKUP CERTIFICATE CertB TO FILE = 'b'"
    )
    made = plan(reads, writes, other)
    assert "CertB" in certificates(made, "NODEA")


@for_each(
    ("text", "numbers"),
    [
        ("CREATE CERTIFICATE c FROM FILE = 'C:\\nowhere.cer'", [15208]),
        (KEY + "CREATE CERTIFICATE c FROM FILE = 'f'\nBACKUP CERTIFICATE c TO FILE = 'f'", [15208, 15151]),
        (KEY + "BACKUP CERTIFICATE nope TO FILE = 'f'", [15151]),
        (KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's'" + "\nBACKUP CERTIFICATE c TO FILE = 'f'" * 2, [15240]),
        (KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's'\nBACKUP CERTIFICATE c TO FILE = ' '", [15240]),
        (KEY + "CREATE CERTIFICATE c WITH SUBJECT = 's'\nBACKUP CERTIFICATE c TO DISK = 'f'", [102]),
        (
            KEY
            + "CREATE CERTIFICATE c WITH SUBJECT = 's'\n"
            + "BACKUP CERTIFICATE c TO FILE = 'f' WITH PRIVATE KEY (FILE = 'k')",
            [102],
        ),
    ],
)
def test_what_is_wrong_has_its_number_and_nothing_is_done(text, numbers):
    made = plan(text)
    assert [each.number for each in made.problems] == numbers
    assert (made.changes, made.files) == ({}, {})


def test_the_private_key_comes_with_the_right_password_alone():
    written = (
        f":CONNECT NODEA\n{KEY}CREATE CERTIFICATE c WITH SUBJECT = 's'\n"
        "BACKUP CERTIFICATE c TO FILE = 'c.cer' WITH PRIVATE KEY (FILE = 'c.pvk', ENCRYPTION BY PASSWORD = 'geheim')"
    )

    def read(options, key=KEY):
        text = (
            f":CONNECT NODEB\n{key}CREATE CERTIFICATE c FROM FILE = 'c.cer' WITH PRIVATE KEY (FILE = 'c.pvk'{options})"
        )
        return plan(text, written)

    found = certificates(read(", DECRYPTION BY PASSWORD = 'geheim'"), "NODEB")["c"]
    assert (found.private_key is None, found.is_password_protected) == (False, False)
    protected = certificates(read(", DECRYPTION BY PASSWORD = 'geheim', ENCRYPTION BY PASSWORD = 'x'", ""), "NODEB")[
        "c"
    ]
    assert (protected.private_key, protected.is_password_protected) == (None, True)
    for options, key, number in (
        (", DECRYPTION BY PASSWORD = 'other'", KEY, 15465),
        ("", KEY, 15465),
        (", DECRYPTION BY PASSWORD = 'geheim'", "", 15581),
    ):
        assert [each.number for each in read(options, key).problems] == [number]


def test_the_key_of_another_certificate_is_refused_and_no_file_shows_a_password():
    text = f"{KEY}CREATE CERTIFICATE c WITH SUBJECT = 's'\nCREATE CERTIFICATE d WITH SUBJECT = 't'\n" + "".join(
        f"BACKUP CERTIFICATE {name} TO FILE = '{name}.cer' "
        f"WITH PRIVATE KEY (FILE = '{name}.pvk', ENCRYPTION BY PASSWORD = 'geheim')\n"
        for name in "cd"
    )
    swapped = (
        ":CONNECT NODEB\n"
        + KEY
        + (
            "CREATE CERTIFICATE c FROM FILE = 'c.cer' "
            "WITH PRIVATE KEY (FILE = 'd.pvk', DECRYPTION BY PASSWORD = 'geheim')"
        )
    )
    assert [each.number for each in plan(text, swapped).problems] == [15465]
    made = plan(text)
    assert all(b"geheim" not in content for content in made.files.values())
    assert "geheim" not in repr(made)
    assert "geheim" not in repr(parse_script(text, "s.sql"))


def test_an_import_reads_the_files_of_its_estate_and_may_be_repeated():
    first = plan(side("A", "B").split("GO\n        CREATE LOGIN")[0])
    files = {file_key(path): content for path, content in first.files.items()}
    reads = ":CONNECT NODEB\nCREATE CERTIFICATE CertA FROM FILE = 'C:/certs/CertA.cer'"
    assert certificates(plan(reads, files=files), "NODEB")["CertA"].certificate in files.values()
    again = plan(side("A", "B").split("GO\n        CREATE LOGIN")[0], files=files)
    assert [row.effect for row in again.rows if row.verb == "BACKUP"] == [Effect.SAME]


@for_each(
    ("one", "other"),
    [
        ("C:\\a\\B.cer", "c:/A/b.CER"),
        (" x ", "x"),
        ("c:\\\\a", "c:/a"),
        ("\\\\srv\\share\\x", "//SRV/share/x"),
        ("./x", "X"),
    ],
)
def test_a_path_is_found_however_it_is_written(one, other):
    assert file_key(one) == file_key(other)


@pytest.mark.parametrize(
    ("path", "size", "count"),
    [
        ("", 1, 0),
        ("a\0b", 1, 0),
        ("x" * (PATH_LENGTH_MAX + 1), 1, 0),
        ("f", FILE_BYTES_MAX + 1, 0),
        ("f", 1, FILES_MAX),
    ],
)
def test_files_are_bounded(path, size, count):
    with pytest.raises(Exception, match="15240"):
        check_write(path, b"x" * size, is_there=False, count=count)


def test_a_file_that_is_there_stays_as_it_is():
    files = MemoryFiles()
    files.write("C:\\a", b"1")
    with pytest.raises(Exception, match="15240"):
        files.write("c:/A", b"2")
    assert files.read("C:/a") == b"1"


@for_each("expiry", ["12/31/2022", "2022-12-31", "20221231"])
def test_a_certificate_that_ends_before_it_begins_is_refused_with_both_dates(expiry):
    made = plan(KEY + f"CREATE CERTIFICATE c WITH SUBJECT = 's', EXPIRY_DATE = '{expiry}'")
    (problem,) = made.problems
    assert problem.number == 15297
    assert "ends on 2022-12-31 and begins on 2026-05-28" in problem.text
    assert "EXPIRY_DATE" in problem.cure
    assert problem.column > 30, "it is at the date"
