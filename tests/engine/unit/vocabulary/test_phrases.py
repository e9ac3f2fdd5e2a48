"""Words and sentences of the engine without a number: known again in English, and said in every language."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine.core.vocabulary.errors import catalogue, text_of
from engine.core.vocabulary.phrasebook import Phrasebook, placeholders
from engine.core.vocabulary.translations import TRANSLATIONS, phrases_in, sentence_in, translated
from engine.tsql.assumptions import FILES_ARE_NOT_READ
from tests.support.each import for_each

ENGINE = Path(engine.__file__).parent
SPEAKING = ("tsql", "collection", "core/catalog", "whatif", "questions")
"""Rooms in which every sentence is one that somebody reads; elsewhere those are that become words of an error."""
WORDS = {"detail", "expected", "found"}
TELLING = {"EngineUnavailable", "InstanceDown", "TargetUnavailable", "_end"}
RAISED_FOR_PROGRAMMERS = {"TypeError", "ValueError", "RuntimeError", "LookupError", "KeyError", "AssertionError"}
NOT_SHOWN = {
    # Names of states and guards.
    "all in error",
    "twin found",
    "not exists",
    "current database",
    # Inputs and states of a protocol, which have names and no words.
    "7 while 7",
    # Lines of the client, the same in all languages.
    ":on error exit, :on error ignore",
    # The end of sentences that are there as a whole.
    FILES_ARE_NOT_READ,
}
FILLED = {
    "kind": "queue",
    "securable.lower()": "service",
    "error.text": text_of(8417),
    "text_of(9648, queue=name)": text_of(8417),
    "text_of(9773, database=database.name, name=twin.name)": text_of(8417),
    "text_of(28022)": text_of(28022),
    "text_of(28023)": text_of(28023),
    "found.kind.value.replace('-', ' ')": "queue",
    "who": "The engine",
    "reason": "is being loaded",
}
_PROSE = re.compile(r"[a-z]{2,} [a-z]+")
_SQL = re.compile(r"\b(SELECT|CREATE|EXISTS|INSERT)\b.*\b(FROM|INTO|TABLE|sys)\b", re.DOTALL)


def spelled(node: ast.expr, module: str) -> str:
    """The text of a literal; braces are filled with what stands in them, or with something."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    assert isinstance(node, ast.JoinedStr)
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        name = ast.unparse(part.value)
        known = getattr(importlib.import_module(module), name, None) if name.isupper() or "_" in name else None
        parts.append(FILLED.get(name, known if isinstance(known, str) else "'7'" if part.conversion == 114 else "7"))
    return "".join(parts)


def literals(tree: ast.AST) -> Iterator[ast.expr]:
    """The texts of a module, without docstrings, without what assertions and faults of programs say."""
    silent: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                silent.add(id(docstring))
            case ast.Assert(msg=ast.expr() as said):
                silent.update(id(each) for each in ast.walk(said))
            case ast.Call(func=ast.Name(id=name)) if name in RAISED_FOR_PROGRAMMERS:
                silent.update(id(each) for each in ast.walk(node))
            case ast.JoinedStr():
                silent.update(id(each) for each in ast.walk(node) if each is not node)
            case _:
                continue
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            yield node


def told(tree: ast.AST) -> Iterator[ast.expr]:
    """The texts that are given to an error as words, or to somebody who tells them."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        given = [keyword.value for keyword in node.keywords if keyword.arg in WORDS]
        for each in [*given, *(node.args if name in TELLING else ())]:
            yield from literals(each) if not isinstance(each, ast.Constant) else [each]


def modules() -> Iterator[tuple[str, str, ast.Module]]:
    """Where a module is, its name, its tree."""
    for path in sorted(ENGINE.rglob("*.py")):
        where = path.relative_to(ENGINE)
        name = ".".join(("engine", *where.with_suffix("").parts)).removesuffix(".__init__")
        yield where.as_posix(), name, ast.parse(path.read_text("utf-8"))


def sentences_of(where: str, name: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """What a module lets somebody read, with its line."""
    is_speaking = where.startswith(SPEAKING)
    for node in literals(tree) if is_speaking else told(tree):
        if isinstance(node, ast.Constant) and not isinstance(node.value, str):
            continue
        text = spelled(node, name)
        if text and text not in NOT_SHOWN and (not is_speaking or _PROSE.search(text)) and not _SQL.search(text):
            yield node.lineno, text


def is_known(text: str) -> bool:
    """Whether a text is said in all languages, or has no words to be translated."""
    if not re.search(r"[a-z]{2,}", text) or text in phrases_in("en").values():
        return True
    return all(sentence_in(language, text) != text for language in TRANSLATIONS)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_language_has_every_phrase_with_its_placeholders(language: str) -> None:
    ours, english = phrases_in(language), phrases_in("en")
    assert list(ours) == list(english)
    assert [name for name in ours if placeholders(ours[name]) != placeholders(english[name])] == []


def test_french_has_spaces_that_do_not_break_where_it_needs_them() -> None:
    # A colon stands without a space in an address, in :CONNECT and in a comment that is quoted.
    texts = [text.replace(":CONNECT", "").replace("{word}: ", "") for text in phrases_in("fr").values()]
    texts = [text.replace("SERVICE::", "") for text in texts]
    assert [text for text in texts if re.search(r" [:;?!»]|« |[^\s\u00a0][;?!»]|[^\s\u00a0]:\s", text)] == []


def test_whatever_the_engine_says_without_a_number_is_a_phrase() -> None:
    unknown = [
        f"{where}:{line}: {text}"
        for where, name, tree in modules()
        for line, text in sentences_of(where, name, tree)
        if not is_known(text)
    ]
    assert unknown == []


def test_the_search_for_sentences_bites() -> None:
    tree = ast.parse(
        '"""Docs of it."""\nraise CatalogError(153, detail="it is too blue")\nassert x, "never read by one"'
    )
    assert list(sentences_of("core/handlers/x.py", "engine.api", tree)) == [(2, "it is too blue")]
    assert list(sentences_of("tsql/x.py", "engine.api", tree)) == [(2, "it is too blue")]
    assert not is_known("it is too blue")


@for_each("name", sorted(phrases_in("en")))
def test_a_phrase_that_is_filled_with_odd_names_is_found_again(name: str) -> None:
    template = phrases_in("en")[name]
    odd = {
        each: "contract 'a: b. c'" if each.endswith("_words") else f"{each} 'of' {{it}}; and: on"
        for each in placeholders(template)
    }
    text = template.format_map(odd)
    names = [found for found, _ in Phrasebook(phrases_in("en")).found(text)]
    same = {each for each, other in phrases_in("en").items() if other == template}
    assert same & set(names)
    assert sentence_in("en", text) == text


def test_words_of_an_error_are_said_in_the_language_of_its_sentence() -> None:
    said = translated("fr", 15151, {"value": "queue", "name": "queue", "database": "instance PARIS"})
    assert said is not None
    # The name is the user's, even when it reads like a word of ours.
    assert said.text == "Introuvable dans l’instance PARIS\u00a0: file d’attente «\u00a0queue\u00a0»"
    said = translated("de", 102, {"found": "the end of the script", "expected": "ADDRESS, LIFETIME or a name"})
    assert said is not None
    assert said.text == "Syntaxfehler bei dem Ende des Skripts, erwartet wird ADDRESS, LIFETIME oder ein Name"


def test_a_sentence_with_its_number_and_others_inside_is_said_in_one_language() -> None:
    within = f"28036: {text_of(28036, name='CN=LYON')}"
    text = f"9754: {text_of(9754, address='TCP://lyon:4022', detail=within)}"
    assert sentence_in("de", text) == (
        "9754: Die Verbindung zu TCP://lyon:4022 ist gescheitert: "
        "28036: Der Handshake ist gescheitert: Das Zertifikat „CN=LYON“ ist in master nicht zu finden"
    )
    left_out = f"{text_of(15151, value='service', name='//a', database='Shop')}; the permission is left out."
    assert sentence_in("fr", left_out) == (
        "Introuvable dans Shop\u00a0: service «\u00a0//a\u00a0»\u00a0; l’autorisation est écartée."
    )


def test_lists_of_objects_are_said_one_by_one() -> None:
    text = "The estate has in Shop what the server does not show: queue 'a', message type 'b' and 2 more. "
    text += "It stays; drop it in the change set if it is gone."
    assert "Warteschlange „a“, Nachrichtentyp „b“ und 2 weitere" in sentence_in("de", text)


def test_what_is_not_the_engine_s_stays_as_it_is() -> None:
    for text in ("", "a program's own words", "Number 9754: no", "x" * 100_000, "queue 'a' " * 300):
        assert sentence_in("fr", text) == text
    assert sentence_in("pt", "Is so already.") == "Is so already."


def test_every_number_names_as_words_only_its_own_parameters() -> None:
    for number, entry in catalogue().items():
        assert set(entry.words) <= placeholders(entry.text + entry.why + entry.cure), number
