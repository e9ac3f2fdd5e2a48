"""Assertions as a file of YAML: written, and read with every mistake told."""

from __future__ import annotations

from typing import Final

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brokerweb.accounts.models import User
from brokerweb.common.errors import AssertionsUnreadable
from brokerweb.common.languages import sentence
from brokerweb.topology.deeds import Deed
from brokerweb.topology.flows import question_to_json
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.services.deeds import deeds_note
from brokerweb.topology.services.revision import estate_lock
from brokerweb.whatif.models import Assertion
from brokerweb.whatif.sayings import deeds_of, told, values_of
from brokerweb.whatif.selectors.basis import AT_MAX, AT_MIN
from brokerweb.whatif.services.assertion_bulk import DEEDS_MAX, rows_made
from brokerweb.whatif.services.assertions import refuse_too_many, row_moved
from brokerweb.whatif.stored import assertion_of_row, moment_of, to_json
from engine import api as engine

FILE: Final = "assertions.yaml"
UNUSABLE: Final = 153
"""As the engine numbers what a file cannot say."""
MISTAKES_MAX: Final = 500
"""Mistakes that an answer names."""
Wanted = engine.assertions.Assertion


class FileTaken(msgspec.Struct, frozen=True, kw_only=True):
    """What a file has made of an estate's assertions."""

    created: int
    changed: int
    unchanged: int
    removed: int


def assertions_file(estate_name: str) -> str:
    """Every assertion of an estate, the disabled ones too, as a file that `assertions_take` reads."""
    rows = Assertion.objects.filter(estate=estate_of(estate_name)).order_by("name")
    return engine.assertions.to_yaml(assertion_of_row(row) for row in rows)


def assertions_take(estate_name: str, text: str, *, replaces: bool, user: User | None) -> FileTaken:
    """Take over the assertions of a file: those of a name that is there are changed, and keep tags and switch.

    With `replaces` all others are deleted. Raises `AssertionsUnreadable` with every mistake, `ObjectNotFound`, and
    `TooManyAssertions`; then nothing is taken.
    """
    wanted = _read(text)
    with transaction.atomic():
        estate = estate_lock(estate_name)
        there = {row.name: row for row in Assertion.objects.filter(estate=estate)}
        added = [each for each in wanted if each.name not in there]
        names = {each.name for each in wanted}
        removed = [row for name, row in there.items() if replaces and name not in names]
        refuse_too_many(estate, len(added) - len(removed))
        deeds = [deed for row in removed for deed in deeds_of(row, values_of(row), None)]
        for row in removed:
            row.delete()
        created = rows_made(estate, added, user)
        deeds += [deed for row in created for deed in deeds_of(row, None, values_of(row))]
        changed = [row for each in wanted if each.name in there and _set(row := there[each.name], each, user, deeds)]
        done = FileTaken(
            created=len(created),
            changed=len(changed),
            unchanged=len(wanted) - len(created) - len(changed),
            removed=len(removed),
        )
        if created or changed or removed:
            summary = told("read-assertions", created=done.created, changed=done.changed, removed=done.removed)
            deeds_note(estate_name, deeds[:DEEDS_MAX], user=user, summary=summary)
    return done


def _read(text: str) -> list[Wanted]:
    found, mistakes = engine.assertions.read_assertions(FILE, text)
    told_of = [{"line": each.line, "column": each.column, "text": sentence(each.text)} for each in mistakes]
    for each in found:
        mistake = _unstorable(each.assertion)
        if mistake:
            told_of.append({"line": each.line, "column": 1, "text": f"{UNUSABLE}: {mistake}"})
    if told_of:
        first = told_of[0]
        raise AssertionsUnreadable(
            ngettext(
                "The file has {count} mistake; line {line}, column {column}: {text}.",
                "The file has {count} mistakes; the first in line {line}, column {column}: {text}.",
                len(told_of),
            ).format(count=len(told_of), **first),
            pointer="/text",
            parameters={"count": len(told_of), "mistakes": told_of[:MISTAKES_MAX]},
        )
    return [each.assertion for each in found]


def _unstorable(wanted: Wanted) -> str:
    """Why not every database can keep an assertion; empty where all can."""
    try:
        is_text = b"\\u0000" not in msgspec.json.encode(wanted)
    except UnicodeEncodeError:
        is_text = False
    if not is_text:
        return _("a text holds the character U+0000, or half a character")
    if wanted.at is not None and not AT_MIN.timestamp() <= wanted.at <= AT_MAX.timestamp():
        return _("'at' is an instant between {first} and {last}").format(
            first=AT_MIN.date().isoformat(), last=AT_MAX.date().isoformat()
        )
    return ""


def _set(row: Assertion, wanted: Wanted, user: User | None, deeds: list[Deed]) -> bool:
    """Make a stored assertion what a file says; answers whether it was another one."""
    asked = (question_to_json(wanted.question), to_json(wanted.faults), moment_of(wanted.at), to_json(wanted.expected))
    is_same = asked == (row.question, row.faults, row.at, row.expected)
    if is_same and row.note == wanted.note:
        return False
    before = values_of(row)
    row.note = wanted.note
    row.question, row.faults, row.at, row.expected = asked
    if not is_same:
        row.last_passed = None
    row_moved(row, user)
    deeds += deeds_of(row, before, values_of(row))
    return True
