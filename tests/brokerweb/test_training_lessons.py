"""Lessons: the same page in every language, T-SQL that a console knows, reachable from hints and reports."""

import re

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.training.lesson_pages import FOLDER, BadLesson, BlockKind, _blocks, lesson_ids, lesson_in
from brokerweb.training.library import lessons_by_scenario, lessons_of, scenarios
from engine.training.words import LANGUAGES
from engine.tsql.console.checking import mistakes_in
from tests.brokerweb.conftest import ApiClient

IDS = lesson_ids()


@pytest.fixture
def olga(db):
    client = ApiClient()
    client.force_login(user_create("olga", Role.OPERATOR))
    return client


@pytest.mark.parametrize("name", IDS)
def test_a_lesson_is_the_same_in_every_language(name: str):
    pages = [lesson_in(language, name) for language in LANGUAGES]
    assert len({page.title for page in pages}) == len(LANGUAGES), "no page stands in for another language"
    english, *others = pages
    for page in others:
        assert [block.kind for block in page.blocks] == [block.kind for block in english.blocks]
        for block, like in zip(page.blocks, english.blocks, strict=True):
            assert len(block.texts) == len(like.texts)
            if block.kind is BlockKind.SQL:
                assert block.texts == like.texts
            elif block.kind is not BlockKind.HEADING:
                assert block.texts != like.texts, "not translated"


@pytest.mark.parametrize("name", IDS)
def test_its_statements_are_ones_that_a_console_knows(name: str):
    scripts = ["\n".join(block.texts) for block in lesson_in("en", name).blocks if block.kind is BlockKind.SQL]
    assert scripts, "a lesson shows what to type"
    for script in scripts:
        assert mistakes_in(script) == [], script


@pytest.mark.parametrize("name", IDS)
def test_french_has_its_spaces_and_marks_are_closed(name: str):
    for block in lesson_in("fr", name).blocks:
        for text in block.texts if block.kind is not BlockKind.SQL else ():
            bare = re.sub(r"`[^`]*`", "", text)
            assert not re.search(r"(?<!\u00a0)[;?!]|(?<![\u00a0\w]):(?!\w)| [:;?!]", bare), text
    for language in LANGUAGES:
        for block in lesson_in(language, name).blocks:
            for text in block.texts if block.kind is not BlockKind.SQL else ():
                assert text.count("`") % 2 == 0, text
                assert text.count("*") % 2 == 0, text


def test_no_lesson_stands_idle_and_none_is_missing():
    led_to = {lesson for scenario in scenarios().values() for lesson in lessons_of(scenario)}
    assert led_to == set(IDS)
    assert set(lessons_by_scenario()) == set(IDS)
    for language in LANGUAGES:
        assert {file.stem for file in (FOLDER / language).glob("*.md")} == set(IDS)


def test_a_block_that_is_not_closed_is_told_with_its_line():
    with pytest.raises(BadLesson, match=r"x\.md:3: "):
        list(_blocks(FOLDER / "x.md", ["", "```sql", "SELECT 1;"]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_over_http(olga, language: str):
    listed = olga.ask("GET", "/training/lessons", Accept_Language=language).json()["lessons"]
    assert {each["id"] for each in listed} == set(IDS)
    page = olga.ask("GET", "/training/lessons/routes", Accept_Language=language).json()
    assert page["title"] == lesson_in(language, "routes").title
    assert page["blocks"][0]["kind"] == "text"
    missing = olga.ask("GET", "/training/lessons/nothing", Accept_Language=language)
    assert missing.status_code == 404
    assert "nothing" in missing.json()["detail"]


def test_a_path_is_no_lesson(olga):
    for name in ("..%2F..%2Fmodels", "routes.md", "%00"):
        assert olga.ask("GET", f"/training/lessons/{name}").status_code == 404


def test_a_hint_and_a_report_lead_to_lessons(olga):
    begun = olga.ask("POST", "/training/sessions", {"scenario": "first-route", "mode": "practise"}).json()
    path = f"/training/sessions/{begun['run']['id']}"
    hinted = olga.ask("POST", f"{path}/hint", {}, Accept_Language="fr").json()
    lesson = lesson_in("fr", "waiting-messages")
    assert hinted["hints"][0]["lesson"] == {"id": "waiting-messages", "title": lesson.title}
    ended = olga.ask("POST", f"{path}/give-up", {}).json()
    assert [each["id"] for each in ended["end"]["lessons"]] == ["waiting-messages", "routes"]


def test_the_catalogue_goes_from_easy_to_hard(olga):
    cards = olga.ask("GET", "/training/scenarios").json()["scenarios"]
    seen: set[str] = set()
    for card in cards:
        assert {each["id"] for each in card["after"]} <= seen, card["id"]
        seen.add(card["id"])
    levels = [card["level"] for card in cards]
    assert levels == sorted(levels, key=("beginner", "intermediate", "advanced").index)
    assert cards[0]["id"] == "first-route"
    assert cards[0]["after"] == []
