"""What the collector wrote is read as tools save it, and what is not its document is refused with place and number."""

import json

import pytest

from engine.collection.document import read_document
from engine.collection.unwrapping import is_collection
from engine.core.vocabulary.errors import CatalogError
from tests.engine.collection.documents import document, route
from tests.support.collecting import as_saved

AWKWARD = document(routes=[route('vers  l\'entrepôt de "Lyon"', "TCP://lyon:4022"), route("a\tb" + " " * 300, "LOCAL")])


@pytest.mark.parametrize("how", ["sqlcmd", "csv", "FOR JSON"])
def test_it_is_read_as_tools_save_it(how):
    text = as_saved(AWKWARD, how)
    assert is_collection(text)
    assert read_document(text) == read_document(json.dumps(AWKWARD, indent=2))


def test_names_keep_their_blanks():
    routes = read_document(as_saved(AWKWARD)).databases[0].sys.routes
    assert [each.name for each in routes] == ['vers  l\'entrepôt de "Lyon"', "a\tb" + " " * 300]


@pytest.mark.parametrize(
    "text", ["CREATE ROUTE [{a}] WITH ADDRESS = 'LOCAL'", "", "-- {\nSELECT 1", "SELECT '{' AS format;"]
)
def test_a_script_is_none(text):
    assert not is_collection(text)


def test_a_document_that_was_cut_off_is_refused():
    with pytest.raises(CatalogError) as refusal:
        read_document(as_saved(AWKWARD)[:-400])
    assert refusal.value.number == 13609


def test_a_wrong_value_is_named_by_its_place():
    wrong = document(routes=[route("a", "LOCAL"), {**route("b", "LOCAL"), "route_id": "7"}])
    with pytest.raises(CatalogError) as refusal:
        read_document(as_saved(wrong))
    assert refusal.value.number == 13608
    assert "$.databases[0].sys.routes[1].route_id" in refusal.value.text


@pytest.mark.parametrize("change", [{"format": "other"}, {"format_version": 2, "news": 1}])
def test_another_format_says_so_whatever_else_is_in_it(change):
    with pytest.raises(CatalogError) as refusal:
        read_document(json.dumps({**AWKWARD, **change}))
    assert refusal.value.number == 13610


def test_a_large_server_in_one_field_of_a_csv_file_is_read():
    """Python's reader takes 131,072 letters a field, of its own accord."""
    many = document(routes=[route(f"r{number:05}", "LOCAL") for number in range(6_000)])
    text = '"document"\n"' + json.dumps(many).replace('"', '""') + '"\n'
    assert read_document(text) == read_document(json.dumps(many))


def test_names_in_a_csv_file_keep_characters_at_which_python_splits_lines():
    odd = document(routes=[route("a\u2028b\x85c", "LOCAL")])
    text = '"document"\n"' + json.dumps(odd, ensure_ascii=False).replace('"', '""') + '"\n'
    assert read_document(text).databases[0].sys.routes[0].name == "a\u2028b\x85c"


def test_a_document_that_is_nested_without_end_is_refused():
    deep = "[" * 20_000 + "]" * 20_000
    with pytest.raises(CatalogError) as refusal:
        read_document('{"format":"service-broker-collection","format_version":1,"x":' + deep + "}")
    assert refusal.value.number == 13609
