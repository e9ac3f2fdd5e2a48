"""The generated parts of docs/protocol/security.md: which security a dialog gets, and the numbers of what goes wrong.

`tests.support.generated_documents` writes them into the document.
"""

import re
from pathlib import Path

from engine.core.catalog.security import NUMBER_OF, Unusable
from engine.core.routing.dialog_security import SECURITY_TYPES, Binding, Case, Fault
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.errors import catalogue

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "protocol" / "security.md"

WAITING = (9727, 9770, 9731, *NUMBER_OF.values(), 9728, 9768, 28050, 28051, 28054, 28052)
ARRIVING = (11229, 11230, 11231, 11232, 11233, 28056, 28024, 28025, 28051, 28054, 28062, 28066, 8401)

_WORDS = {
    SecurityKind.NONE: "none",
    SecurityKind.ANONYMOUS: "anonymous",
    SecurityKind.FULL: "full",
    Fault.NO_BINDING: "waits, 9727",
    Fault.NO_CERTIFICATE: "waits, 9731 or what is wrong with it",
}


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    parts = {"kinds": _kinds(), "decision": _decision(), "waiting": _numbers(WAITING), "arriving": _numbers(ARRIVING)}
    return {name: f"{text}\n" for name, text in parts.items()}


def _kinds() -> str:
    rows = ["| owner of the initiating service | ENCRYPTION | " + " | ".join(Binding) + " |", "|---|---|---|---|---|"]
    for has_certificate in (True, False):
        for encryption in (True, False):
            found = [
                _WORDS[SECURITY_TYPES[Case(has_certificate=has_certificate, encryption=encryption, binding=binding)]]
                for binding in Binding
            ]
            who = "has a certificate" if has_certificate else "has none"
            rows.append(f"| {who} | {'ON' if encryption else 'OFF'} | {' | '.join(found)} |")
    return "\n".join(rows)


def _decision() -> str:
    """The table as a picture: every case is a path from the binding to an end."""
    names = {Binding.NONE: "none", Binding.ANONYMOUS: "anonymous", Binding.FULL: "full"}
    lines = ["```mermaid", "flowchart LR", "  start([first message for the network]) --> binding{binding?}"]
    for binding, name in names.items():
        ends = {(c.has_certificate, c.encryption): _WORDS[e] for c, e in SECURITY_TYPES.items() if c.binding is binding}
        by_encryption = {e: {ends[c, e] for c in (True, False)} for e in (True, False)}
        by_certificate = {c: {ends[c, e] for e in (True, False)} for c in (True, False)}
        lines.append(f"  binding -- {binding.value.replace('remote service binding', 'binding')} --> {name}")
        if len(set(ends.values())) == 1:
            lines.append(f"  {name}([{next(iter(ends.values()))}])")
        elif all(len(each) == 1 for each in by_encryption.values()):
            lines.append(f"  {name}{{ENCRYPTION?}}")
            for on, end in by_encryption.items():
                lines.append(f"  {name} -- {'ON' if on else 'OFF'} --> {name}{int(on)}([{next(iter(end))}])")
        else:
            lines.append(f"  {name}{{certificate of the owner?}}")
            for has, end in by_certificate.items():
                lines.append(f"  {name} -- {'yes' if has else 'no'} --> {name}{int(has)}([{next(iter(end))}])")
    return "\n".join([*lines, "```"])


def _numbers(numbers: tuple[int, ...]) -> str:
    rows = ["| number | what happened | what to do |", "|---|---|---|"]
    for number in dict.fromkeys(numbers):
        entry = catalogue()[number]
        rows.append(f"| {number} | {_plain(entry.text)} | {_plain(entry.cure) or '–'} |")
    return "\n".join(rows)


def _plain(text: str) -> str:
    return re.sub(r"'?\{(\w+)\}'?", r"*\1*", text)


assert set(NUMBER_OF) == set(Unusable), "every flaw of a certificate has its number"
