"""Every number the engine uses has its words, and every sentence gets the parameters it names."""

import ast
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import engine
from engine.core.vocabulary.errors import catalogue, status_text, text_of
from tests.support.each import for_each

ENGINE = Path(engine.__file__).parent
RAISING = {"LocalProtocolError", "RemoteProtocolError", "CatalogError", "LimitExceeded"}
TEXTS = {"text_of", "status_text"}
KEYWORDS = {"status", "number", "error", "error_number"}
VENDOR_RANGES = (range(8400, 8500), range(9600, 9800), range(11200, 11300), range(28000, 28100))
PARAMETERS = {
    "name", "service", "broker_instance", "database", "address", "detail", "queue", "contract", "message_type",
    "conversation_handle", "state", "limit", "value", "line", "column", "found", "expected", "job",
}  # fmt: skip


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


Use = tuple[int, int, ast.Call | None]
"""Line, number and, where a sentence is filled in, the call that fills it."""


@cache
def modules() -> dict[str, list[Use]]:
    """What each module of the engine uses."""
    paths = sorted(ENGINE.rglob("*.py"))
    return {str(path.relative_to(ENGINE)): list(uses(ast.parse(path.read_text("utf-8")))) for path in paths}


def constant(node: ast.expr | None) -> int | None:
    is_number = isinstance(node, ast.Constant) and type(node.value) is int
    return node.value if is_number else None  # type: ignore[union-attr,return-value]


def uses(tree: ast.Module) -> Iterator[Use]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            first = constant(node.args[0]) if node.args else None
            if name in RAISING | TEXTS and first is not None:
                yield node.lineno, first, node
            for keyword in node.keywords:
                value = constant(keyword.value)
                if keyword.arg in KEYWORDS and value is not None and value >= 100:
                    yield node.lineno, value, None
        elif isinstance(node, ast.Constant):
            value = constant(node)
            if value is not None and any(value in numbers for numbers in VENDOR_RANGES):
                yield node.lineno, value, None


def unknown_numbers(module: str, found: list[Use]) -> list[str]:
    return [f"{module}:{line}: {number}" for line, number, _ in found if number not in catalogue()]


def unfilled_sentences(module: str, found: list[Use]) -> list[str]:
    complaints = []
    for line, number, call in found:
        if call is None or number not in catalogue() or any(keyword.arg is None for keyword in call.keywords):
            continue
        missing = placeholders(catalogue()[number].text) - {keyword.arg or "" for keyword in call.keywords}
        if missing:
            complaints.append(f"{module}:{line}: {number} lacks {', '.join(sorted(missing))}")
    return complaints


def test_every_number_used_in_the_engine_has_its_words() -> None:
    assert [complaint for each in modules().items() for complaint in unknown_numbers(*each)] == []


def test_every_sentence_gets_the_parameters_it_names() -> None:
    assert [complaint for each in modules().items() for complaint in unfilled_sentences(*each)] == []


def test_the_search_for_numbers_bites() -> None:
    found = list(uses(ast.parse("raise CatalogError(9701, name=1)\nstatus_text(9750)\nf(status=9702)\nX = 9703")))
    assert set(unknown_numbers("sample", found)) == {"sample:1: 9701", "sample:3: 9702", "sample:4: 9703"}
    assert unfilled_sentences("sample", found) == ["sample:2: 9750 lacks service"]


@for_each("number", sorted(catalogue()))
def test_each_entry_reads_as_a_sentence_made_of_known_parameters(number: int) -> None:
    entry = catalogue()[number]
    assert placeholders(entry.text + entry.why + entry.cure) <= PARAMETERS
    assert entry.text[0].isupper() or entry.text[0] in "'{"
    assert not entry.text.endswith(".")
    for sentence in (entry.why, entry.cure):
        assert sentence == "" or sentence.endswith(".")
    filled = text_of(number, **dict.fromkeys(PARAMETERS, "x"))
    assert "{" not in filled
    assert status_text(number, **dict.fromkeys(PARAMETERS, "x")).startswith(f"{number}: ")


def test_a_status_whose_detail_is_the_whole_sentence_says_it_once():
    whole = text_of(28036, name="CN=LYON")
    assert status_text(28036, address="TCP://lyon:4022", detail=whole) == f"28036: {whole}"
    assert status_text(9754, address="TCP://lyon:4022", detail="refused").endswith("TCP://lyon:4022 failed: refused")
