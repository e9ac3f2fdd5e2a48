"""The generated part of `docs/questions.md`: every question with its parameters and columns."""

from collections.abc import Mapping
from pathlib import Path

from engine.api import questions
from engine.questions import asking

DOCUMENT = Path(__file__).parents[2] / "docs" / "questions.md"


def generated_parts() -> Mapping[str, str]:
    """The table of the questions."""
    lines = ["| question | answers with | heeds faults | parameters | columns |", "|---|---|---|---|---|"]
    for room in asking.ROOMS:
        found = room.REGISTRATION
        names = ", ".join(map(_parameter, questions.parameters_of(found.question))) or "none"
        columns = ", ".join(
            f"**`{column.name}`**" if column.name in found.key else f"`{column.name}`" for column in found.columns
        )
        heeds = "yes" if found.heeds_faults else "no"
        lines.append(f"| `{found.name}` | {found.help} | {heeds} | {names} | {columns} |")
    assert len(questions.QUESTIONS) == len(asking.ROOMS)
    return {"questions": "\n".join(lines) + "\n"}


def _parameter(parameter: questions.Parameter) -> str:
    told = f"`{parameter.name}`"
    if parameter.maximum is not None:
        return f"{told} ({parameter.minimum:g} to {parameter.maximum:.15g}, else {parameter.default:g})"
    return told if parameter.is_required else f"{told} (optional)"
