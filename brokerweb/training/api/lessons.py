"""The lessons that hints and reports lead to, in the asker's language."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from brokerweb.accounts.api import viewing
from brokerweb.common.languages import asked_language
from brokerweb.training.api.pictures import lesson_named
from brokerweb.training.api.schemas import LessonBlockOut, LessonOut, LessonsOut
from brokerweb.training.lesson_pages import lesson_in
from brokerweb.training.library import lessons_by_scenario

router = Router(tags=["training"], auth=viewing)


@router.get("/training/lessons", response={200: LessonsOut}, operation_id="training_lessons_list")
def training_lessons_list(request: HttpRequest) -> LessonsOut:
    """Every lesson, in the order in which the exercises lead to them."""
    return LessonsOut(lessons=[lesson_named(each) for each in lessons_by_scenario()])


@router.get("/training/lessons/{lesson}", response={200: LessonOut}, operation_id="training_lesson_read")
def training_lesson_read(request: HttpRequest, lesson: str) -> LessonOut:
    """One page."""
    found = lesson_in(asked_language(), lesson)
    return LessonOut(
        id=found.id,
        title=found.title,
        blocks=[LessonBlockOut(kind=each.kind, texts=list(each.texts)) for each in found.blocks],
    )
