"""The generated parts of docs/operations/diagnosis.md: every check with its words, and what is not checked and why."""

import re
from pathlib import Path

from engine.diagnosis.words import entries, unchecked

DOCUMENT = Path(__file__).parents[2] / "docs" / "operations" / "diagnosis.md"


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {"checks": _checks(), "unchecked": _unchecked()}


def _checks() -> str:
    rows = ["| code | number | severity | what is wrong | what to do |", "|---|---|---|---|---|"]
    known = entries()
    for name, entry in sorted(known.items(), key=lambda item: item[0]):
        check = known[name.partition("/")[0]]
        severity, number = entry.severity or check.severity, entry.number or check.number
        title = entry.title or check.title
        text = _plain(entry.text or check.text)
        code = "" if "/" in name else name
        rows.append(
            f"| {code} | {number or ''} | {severity} | **{title}.** {text} | {_plain(entry.cure or check.cure)} |"
        )
    return "\n".join([*rows, ""])


def _unchecked() -> str:
    rows = ["| code | check | why not |", "|---|---|---|"]
    rows += [f"| {each.code} | {each.title} | {each.reason} |" for each in unchecked()]
    return "\n".join([*rows, ""])


def _plain(text: str) -> str:
    """Names in braces as placeholders."""
    return re.sub(r"\{(\w+)\}", r"*\1*", text.replace("{hint}", "")).replace("|", "\\|").strip()
