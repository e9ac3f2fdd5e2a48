"""The table of the grammar is built once, read from its file afterwards, and built once more where that is damaged."""

import hashlib
import json

import pytest

from engine.tsql import grammar as tables
from engine.tsql.grammar import FILE_NAME, grammar, keep_grammar_in

STATEMENT = ("_CREATE", "_MESSAGE", "_TYPE", "NAME")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_folders", [])
    keep_grammar_in(tmp_path)
    grammar.cache_clear()
    yield tmp_path
    grammar.cache_clear()


def reading(parser):
    """Choices after each word of a statement."""
    under_way = parser.parse_interactive()
    found = [sorted(under_way.choices())]
    for terminal in STATEMENT:
        under_way.feed_token(tables.lark.Token(terminal, terminal))
        found.append(sorted(under_way.choices()))
    return found


def test_a_table_that_is_read_reads_what_the_built_one_does(folder, monkeypatch):
    built = reading(grammar())
    grammar.cache_clear()
    monkeypatch.setattr(tables, "Lark", _only_reads())
    assert reading(grammar()) == built


@pytest.mark.parametrize("damage", ["", "{}", "[]", "half", "other", "states", "twice"])
def test_a_file_that_is_damaged_or_of_another_grammar_is_written_once_more(folder, damage, monkeypatch):
    built = reading(grammar())
    whole = (folder / FILE_NAME).read_text("utf-8")
    digest, table = whole.split("\n")
    stored = json.loads(table)
    emptied = stored | {"data": stored["data"] | {"parser": {"parser": []}}}
    texts = {
        "half": whole[: len(whole) // 2],
        "other": f"{hashlib.sha256(table.encode()).hexdigest()}\n{table}",
        "states": f"{digest}\n{json.dumps(emptied)}",
        # It can be read, but not used, or not for every statement.
        "twice": whole.replace('"name":"create_contract"', '"name":"create_queue"'),
    }
    assert len({whole, *texts.values()}) == len(texts) + 1
    (folder / FILE_NAME).write_text(texts.get(damage, damage), "utf-8")
    grammar.cache_clear()
    assert reading(grammar()) == built
    monkeypatch.setattr(tables, "Lark", _only_reads())
    grammar.cache_clear()
    assert reading(grammar()) == built


def test_a_folder_that_is_not_there_is_no_hindrance(folder):
    keep_grammar_in(folder / "missing")
    assert reading(grammar())


def _only_reads():
    class Reading(tables.Lark):
        def __init__(self, *arguments, **options):
            raise AssertionError("the table is read, not built")

    return Reading
