"""The generated parts of docs/protocol/links.md: states, tables and frames, from the tables that the code runs by."""

import ast
import inspect
from collections.abc import Iterable, Mapping
from enum import Enum, StrEnum
from pathlib import Path

import msgspec

from engine.core.link import negotiation
from engine.core.link.arbitration import NEWER_STAYS, VERDICTS
from engine.core.link.codec import KINDS
from engine.core.link.login import LOGIN_TRANSITIONS, LoginState
from engine.core.link.negotiation import ENCRYPTION_OF, EncryptionLevel, Offer
from engine.core.link.states import TRANSITIONS, LinkRole
from engine.core.vocabulary import limits
from engine.core.vocabulary.messages import LinkState
from tests.support.state_diagrams import diagram

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "protocol" / "links.md"
LIMITS = (
    "FRAME_BYTES_MAX",
    "HANDSHAKE_FRAME_BYTES_MAX",
    "FRAME_BYTES_FULL",
    "FRAME_MESSAGES_FULL",
    "LINK_ROOM_BYTES",
    "LINK_BUFFER_BYTES_MAX",
    "LINK_UNSENT_BYTES_FULL",
    "LINK_UNACKNOWLEDGED_SECONDS",
    "LINK_LINGER_SECONDS",
    "LINK_SOCKET_BYTES",
    "INBOX_BYTES_MAX",
    "LINK_ROLES_MAX",
    "ACCEPTED_LINKS_MAX",
    "LOGINS_PENDING_MAX",
)


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {
        "link-states": "".join(_diagram(role, TRANSITIONS[role], initial=LinkState.NEW) for role in LinkRole),
        "login-states": "".join(
            _diagram(role, LOGIN_TRANSITIONS[role], initial=LoginState.INITIAL) for role in LinkRole
        ),
        "encryption": _encryption(),
        "arbitration": _arbitration(),
        "frames": _frames(),
        "limits": _limits(),
    }


def _diagram(role: LinkRole, table: Mapping[tuple[Enum, Enum], Enum], *, initial: Enum) -> str:
    """One side's states, as far as it can reach them; what a state does not leave at its end is left out."""
    names = StrEnum("names", {state.name: state.name for state in type(initial)})
    reached = {initial}
    while more := {after for (before, _), after in table.items() if before in reached} - reached:
        reached |= more
    ends = {LinkState.CLOSED, LoginState.ERROR}
    shown = {
        (names[before.name], happened): names[after.name]
        for (before, happened), after in sorted(table.items(), key=lambda each: list(type(initial)).index(each[0][0]))
        if before in reached - ends
    }
    return f"The {role.value} side:\n\n{diagram(shown, initial=names[initial.name])}\n"


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [head, ["---"] * len(list(head)), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def _encryption() -> str:
    rows = [[ours.value, *(ENCRYPTION_OF[ours, peer].value for peer in EncryptionLevel)] for ours in EncryptionLevel]
    return _table(["ours \\ peer", *(level.value for level in EncryptionLevel)], rows)


def _arbitration() -> str:
    rows = []
    for (newer, older, is_lower), number in VERDICTS.items():
        who = {LinkRole.DIALLING: "us", LinkRole.ACCEPTING: "the peer"}
        stays = "the newer one" if number == NEWER_STAYS else "the older one"
        rows.append([who[newer], who[older], "ours" if is_lower else "the peer's", stays, number])
    return _table(["newer one dialled by", "older one dialled by", "lower arbitration id", "stays", "number"], rows)


def _frames() -> str:
    rows = []
    for kind, frame in enumerate(KINDS, start=1):
        says = _first_sentence(frame)
        rows.append([kind, frame.__name__, says, _fields(frame)])
    fields = "\nAn `Offer` holds " + _fields(Offer) + ".\n"
    return _table(["kind", "frame", "says", "fields"], rows) + fields


def _first_sentence(described: type) -> str:
    return " ".join((inspect.getdoc(described) or "").split("\n\n")[0].split())


def _fields(struct: type[msgspec.Struct]) -> str:
    """The names, in their order."""
    module = ast.parse(inspect.getsource(negotiation if struct is Offer else inspect.getmodule(struct)))
    [definition] = [node for node in module.body if isinstance(node, ast.ClassDef) and node.name == struct.__name__]
    names = [f"`{node.target.id}`" for node in definition.body if isinstance(node, ast.AnnAssign)]
    return ", ".join(names) or "none"


def _limits() -> str:
    source = (ROOT / "engine" / "core" / "vocabulary" / "limits.py").read_text(encoding="utf-8")
    body = ast.parse(source).body
    said: dict[str, str] = {}
    for position, node in enumerate(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            text = next(each for each in body[position:] if isinstance(each, ast.Expr))
            assert isinstance(text.value, ast.Constant)
            said[node.target.id] = " ".join(str(text.value.value).split())
    return _table(
        ["bound", "value", "why"], ([f"`{name}`", f"{getattr(limits, name):,}", said[name]] for name in LIMITS)
    )
