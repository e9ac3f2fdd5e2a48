"""Which instance an address means (routing.md E25, ADR 3)."""

from engine.core.catalog.hosts import HostBook, host_names, is_loopback
from engine.core.vocabulary.messages import TcpAddress
from tests.support.each import for_each

BOOK = HostBook(
    [
        ("PARIS", host_names("PARIS", ["Broker.Paris.Example"]), 4022),
        ("LYON", host_names("LYON", []), 4023),
        ("LYON\\TEST", host_names("LYON\\TEST", []), 4024),
        ("SILENT", host_names("SILENT", []), None),
        ("NICE", host_names("NICE", ["nice.corp.example"]), 4025),
    ]
)


@for_each(
    ("host", "port", "found"),
    [
        ("paris", 4022, ["PARIS"]),
        ("PARIS.", 4022, ["PARIS"]),
        ("paris.corp.example", 4022, ["PARIS"]),
        ("broker.paris.example", 4022, ["PARIS"]),
        ("paris", 4023, []),
        ("nice", 4025, ["NICE"]),
        ("nice.corp.example", 4025, ["NICE"]),
        ("nice.other.example", 4025, []),
        ("lyon", 4023, ["LYON"]),
        ("lyon", 4024, ["LYON\\TEST"]),
        ("localhost", 4022, ["PARIS"]),
        ("127.0.0.1", 4024, ["LYON\\TEST"]),
        ("::1", 4023, ["LYON"]),
        ("localhost", 4999, []),
        ("silent", 4022, []),
        ("nowhere.example", 4022, []),
    ],
)
def test_the_host_says_who_is_called_and_the_port_must_be_theirs(host, port, found):
    assert BOOK.at(TcpAddress(host, port)) == found


def test_a_known_host_is_called_even_where_nobody_listens():
    assert BOOK.called(TcpAddress("silent", 4022)) == ["SILENT"]
    assert BOOK.called(TcpAddress("nowhere", 4022)) == []


def test_loopback_is_the_caller_itself_when_it_has_the_port():
    book = HostBook([("A", ("a",), 4022), ("B", ("b",), 4022), ("C", ("c",), 4023)])
    assert [book.at(TcpAddress("localhost", 4022), caller) for caller in "ABC"] == [["A"], ["B"], []]
    assert book.at(TcpAddress("localhost", 4023), "A") == ["C"]
    assert book.at(TcpAddress("b", 4022), "A") == ["B"]


def test_loopback_means_nobody_when_two_have_the_port():
    book = HostBook([("A", ("a",), 4022), ("B", ("b",), 4022)])
    assert book.at(TcpAddress("localhost", 4022)) == []


def test_what_loopback_is():
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1")))
    assert not any(map(is_loopback, ("paris", "10.0.0.1", "")))
