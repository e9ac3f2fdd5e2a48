"""The sentences under which changes of assertions enter the log, and what they are told to have changed."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_noop as _

from brokerweb.common.sayings import Saying, register_sayings, saying
from brokerweb.topology.deeds import Deed, Value
from brokerweb.topology.flows import question_from_json
from brokerweb.whatif.models import Assertion
from brokerweb.whatif.stored import expectation_of_row
from engine import api as engine

TEMPLATES: Final = {
    "create-assertion": _("Create assertion {name}"),
    "change-assertion": _("Change assertion {name}"),
    "drop-assertion": _("Delete assertion {name}"),
    "enable-assertions": _("Enable {count} assertions"),
    "disable-assertions": _("Disable {count} assertions"),
    "drop-assertions": _("Delete {count} assertions"),
    "tag-assertions": _("Tag {count} assertions with {tag}"),
    "untag-assertions": _("Take the tag {tag} off {count} assertions"),
    "pin-flows": _("Create {count} assertions, one for each flow without"),
    "read-assertions": _("Read assertions from a file: {created} created, {changed} changed, {removed} deleted"),
}
VALUES: Final = ("name", "note", "tags", "is_enabled", "question", "faults", "at", "expected")
"""What of an assertion can be changed."""
register_sayings(TEMPLATES)


def told(name: str, /, **parameters: str | int) -> Saying:
    """The sentence of a template."""
    return saying(name, **parameters)


def values_of(row: Assertion) -> dict[str, Value]:
    """What of an assertion can be changed, as the log tells it."""
    return {
        "name": row.name,
        "note": row.note,
        "tags": ", ".join(row.tags),
        "is_enabled": row.is_enabled,
        "question": engine.what_if.flow_key(question_from_json(row.question)),
        "faults": "; ".join(" ".join(fault.values()) for fault in row.faults),
        "at": None if row.at is None else row.at.isoformat(),
        "expected": engine.assertions.expected_text(expectation_of_row(row)),
    }


def deeds_of(row: Assertion, before: dict[str, Value] | None, after: dict[str, Value] | None) -> list[Deed]:
    """What became of an assertion: one deed for each field that is another one now."""
    fields = VALUES if before is not None and after is not None else ("expected",)
    return [
        Deed(
            instance=row.question["instance"],
            database=row.question["database"],
            kind="assertion",
            name=row.name,
            field=field,
            before=None if before is None else before[field],
            after=None if after is None else after[field],
            is_new=before is None,
            is_gone=after is None,
        )
        for field in fields
        if before is None or after is None or before[field] != after[field]
    ]
