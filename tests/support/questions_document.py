"""The generated part of `docs/questions.md`: every question with its parameters and columns."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.api import questions
from engine.questions import asking

DOCUMENT = Path(__file__).parents[2] / "docs" / "questions.md"


def generated_parts() -> Mapping[str, str]:
    """The table of the questions."""
    lines = ["| question | answers with | parameters | columns |", "|---|---|---|---|"]
    for room in asking.ROOMS:
        found = room.REGISTRATION
        fields = msgspec.structs.fields(found.question)
        names = ", ".join(f"`{field.name}`" + ("" if field.required else " (optional)") for field in fields)
        columns = ", ".join(f"`{column.name}`" for column in found.columns)
        lines.append(f"| `{found.name}` | {found.help} | {names or 'none'} | {columns} |")
    assert len(questions.QUESTIONS) == len(asking.ROOMS)
    return {"questions": "\n".join(lines) + "\n"}
