"""The generated parts of docs/protocol/routing.md: the tables of precedence, and worked examples with their proof."""

import re
from pathlib import Path

from engine.api import check_routes
from engine.core.routing.precedence import CHOOSE_RULES, MATCH_RULES

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "protocol" / "routing.md"
EXAMPLES = ROOT / "docs" / "examples" / "routing-cases.yaml"


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {
        "match-steps": _table(MATCH_RULES),
        "choose-steps": _table(CHOOSE_RULES),
        "match-examples": _examples("match"),
        "choose-examples": _examples("choose"),
    }


def _table(rules) -> str:
    rows = [f"| {int(step)} | {rule.condition} | {rule.effect} |" for step, rule in rules.items()]
    return "\n".join(["| step | when | then |", "|---|---|---|", *rows, ""])


def _examples(kind: str) -> str:
    """Every case of the example file whose id begins with the kind and the number of a step."""
    text = EXAMPLES.read_text(encoding="utf-8")
    report = check_routes({EXAMPLES.name: text})
    lines = text.splitlines()
    parts = []
    for case in report.cases:
        if re.match(rf"{kind}-\d-", case.id):
            _, step, name = case.id.split("-", 2)
            parts.append(f"#### {kind.capitalize()} step {step}: {name.replace('-', ' ')}\n")
            parts.append("```yaml\n" + "\n".join(_source(lines, case.line - 1)) + "\n```\n")
            parts.append("```\n" + "\n".join(case.proof) + "\n```\n")
    return "\n".join(["", *parts, ""])


def _source(lines: list[str], first: int) -> list[str]:
    """The lines of one case."""
    found = [lines[first]]
    for line in lines[first + 1 :]:
        if not line.startswith("  "):
            break
        found.append(line)
    return found
