"""Whatever an import or an export says is said in every language: reasons, warnings, mistakes."""

import re
from pathlib import Path

import pytest

from engine.core.vocabulary.translations import TRANSLATIONS, sentence_in, translated
from engine.tsql.parse import parse_script
from engine.tsql.writing.scripts import full_script, whole_script
from engine.tsql.writing.written import ScriptOptions
from tests.engine.tsql.test_conversation_statements import BROKEN, MISSPELLED
from tests.engine.tsql.test_security_statements import plan
from tests.engine.tsql.test_syntax_errors import ERRORS
from tests.support.tsql_corpus import STEPPED_OVER, UNDERSTOOD

SCRIPTS = [path.read_text("utf-8") for path in sorted(Path(__file__).with_name("scripts").glob("*.sql"))]
CORPUS = [*UNDERSTOOD, *(text for texts in STEPPED_OVER.values() for text in texts)]
FURTHER = [
    ":r routes.sql",
    ":setvar a b\nCREATE ROUTE [$(x)] WITH ADDRESS = 'LOCAL'",
    "BEGIN TRAN\nCREATE QUEUE q\nROLLBACK",
    "WHILE 1 = 1 CREATE QUEUE q",
    "BEGIN TRY CREATE QUEUE q END TRY BEGIN CATCH DROP QUEUE q END CATCH",
    "CREATE QUEUE s.q\nCREATE MESSAGE TYPE t VALIDATION = VALID_XML WITH SCHEMA COLLECTION x",
    "ALTER DATABASE v SET ENABLE_BROKER, NEW_BROKER",
    "RESTORE DATABASE v FROM DISK = 'v.bak' WITH ENABLE_BROKER, NEW_BROKER",
    "CREATE QUEUE q WITH ACTIVATION (PROCEDURE_NAME = p, MAX_QUEUE_READERS = 1, EXECUTE AS 'SELF')",
    "CREATE QUEUE [s.x].q",
    "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'x'\nCREATE CERTIFICATE c WITH SUBJECT = 's', START_DATE = '19000101'",
    "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'x'\nCREATE LOGIN l WITH PASSWORD = 'x'",
    "CREATE USER u FOR CERTIFICATE c",
]
ENGLISH = re.compile(r"\b(?:the|or|is|of|it|not|and|with|what)\b")


def said():
    """Every text that an import or an export of these scripts gives anybody to read."""
    for text in [*SCRIPTS, *CORPUS, *FURTHER, *(error[0] for error in (*BROKEN, *ERRORS, *MISSPELLED))]:
        made = plan(text)
        yield from (row.text for row in made.rows if row.text)
        yield from (warning.text for warning in made.warnings)
        if not made.problems:
            yield from (each.text for each in whole_script(full_script(made.catalogs, ScriptOptions())).warnings)


@pytest.mark.filterwarnings("ignore:Attribute's length must be")
def test_no_sentence_stays_english():
    texts = set(said())
    assert len(texts) > 50
    left = [(language, text) for language in TRANSLATIONS for text in texts if sentence_in(language, text) == text]
    assert left == []


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_no_mistake_has_english_words(language):
    for text, *_ in (*BROKEN, *ERRORS, *MISSPELLED, *((each,) for each in FURTHER)):
        for problem in parse_script(text, "s.sql").problems:
            entry = translated(language, problem.number, problem.parameters)
            assert entry is not None
            words = entry.text.replace(str(problem.parameters.get("found", "")), "")
            words = re.sub(r"[\'\"«„][^\'\"»“]*[\'\"»“]", "", words)
            assert ENGLISH.search(words) is None, entry.text
