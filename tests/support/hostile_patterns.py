"""Every regular expression of a source tree over a megabyte that is made of its own parts: `python -m … ROOT`.

A pattern is pumped where it repeats: what stands before a repetition once, what it repeats a hundred thousand times,
and then something that does not fit. One that looks at the same text again and again does not end.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.bounded_process import begin
from tests.support.hostile_texts import LENGTH, repeated

PACKAGES = ("engine", "brokerweb")
CALLS = {"search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}
MADE_AT_RUN_TIME = {
    # Held to linear time by tests of their own.
    "engine/core/vocabulary/phrasebook.py",
    "brokerweb/common/api/names.py",
}
LETTERS = "a1 -_.\t#@$%[]'\"" + "".join(map(chr, range(0x10000)))
ENDS = ("\0", "\n", " x")


class Used(NamedTuple):
    """A pattern with the ways in which it is used, and where."""

    where: str
    pattern: re.Pattern[Any]
    calls: frozenset[str]


def constants(tree: ast.Module) -> dict[str, Any]:
    """Module-level texts, by their names, as far as they can be told without running anything."""
    known: dict[str, Any] = {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and value is not None and (found := told(value, known)) is not None:
            known[target.id] = found
    return known


def told(node: ast.expr, known: dict[str, Any]) -> Any:
    """The value of an expression of texts and flags; None for every other one."""
    allowed = (
        ast.Constant,
        ast.JoinedStr,
        ast.FormattedValue,
        ast.Name,
        ast.BinOp,
        ast.operator,
        ast.Attribute,
        ast.expr_context,
    )
    if not all(isinstance(each, allowed) for each in ast.walk(node)):
        return None
    try:
        return eval(compile(ast.Expression(node), "pattern", "eval"), {"re": re, **known})
    except NameError:
        return None


def used_in(root: Path) -> Iterator[Used]:
    """Every pattern of the packages under a folder. What cannot be told is an error, so that nothing is left out."""
    files = {path: path.read_text("utf-8") for package in PACKAGES for path in sorted((root / package).rglob("*.py"))}
    everything = "\n".join(files.values())
    for path, text in files.items():
        if "re." not in text:
            continue
        tree = ast.parse(text)
        known, names = constants(tree), {}
        for node in ast.walk(tree):
            for target in [*getattr(node, "targets", []), getattr(node, "target", None)]:
                if isinstance(target, ast.Name) and isinstance(getattr(node, "value", None), ast.Call):
                    names[id(node.value)] = target.id
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=call)) if call in CALLS | {"compile"}:
                    pattern = told(node.args[0], known)
                    where = f"{path.relative_to(root)}:{node.lineno}"
                    if pattern is None:
                        if str(path.relative_to(root)) not in MADE_AT_RUN_TIME:
                            raise AssertionError(f"{where}: a pattern that is made at run time")
                        continue
                    of_call = {"sub": 4, "subn": 4, "split": 3}.get(call, 2)
                    given = [told(each, known) for each in node.args[1 if call == "compile" else of_call :]]
                    given += [told(each.value, known) for each in node.keywords if each.arg == "flags"]
                    name = names.get(id(node))
                    within = text if str(name).startswith("_") else everything
                    calls = {call} if call != "compile" else set(re.findall(rf"\b{name}\.(\w+)", within)) & CALLS
                    # A pattern that has another name where it is used may be used in every way of its file.
                    calls = calls or set(re.findall(r"\.(\w+)\(", within)) & CALLS
                    if not calls:
                        raise AssertionError(f"{where}: a pattern whose use is not known")
                    flags = next((each for each in given if isinstance(each, re.RegexFlag)), re.RegexFlag(0))
                    yield Used(where, re.compile(pattern, flags), frozenset(calls))


# ── texts that nearly fit ────────────────────────────────────────────────────────────────────────────────────────────
def shortest(parsed: Any) -> str:
    """A short text that a part of a pattern takes, or nearly."""
    return "".join(_shortest(*each) for each in parsed)


def _shortest(operation: Any, given: Any) -> str:
    match str(operation):
        case "LITERAL":
            return chr(given)
        case "NOT_LITERAL":
            return "a" if given != ord("a") else "b"
        case "ANY":
            return "a"
        case "IN":
            return next(letter for letter in LETTERS if takes(given, letter))
        case "BRANCH":
            return shortest(given[1][0])
        case "SUBPATTERN":
            return shortest(given[-1])
        case "ATOMIC_GROUP":
            return shortest(given)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return shortest(given[2]) * max(given[0], 0)
        case _:
            return ""


def takes(members: Any, letter: str) -> bool:
    """Whether a set takes a character."""
    is_negated = found = False
    for kind, value in members:
        match str(kind):
            case "NEGATE":
                is_negated = True
            case "LITERAL":
                found |= ord(letter) == value
            case "RANGE":
                found |= value[0] <= ord(letter) <= value[1]
            case "CATEGORY":
                name = str(value).removeprefix("CATEGORY_")
                known = CATEGORIES[name.removeprefix("NOT_")].fullmatch(letter) is not None
                found |= known != name.startswith("NOT_")
    return found != is_negated


CATEGORIES = {"SPACE": re.compile(r"\s"), "WORD": re.compile(r"\w"), "DIGIT": re.compile(r"\d")}


def pumps(parsed: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """What stands before each repetition without an end, and what it repeats."""
    for operation, given in parsed:
        match str(operation):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                _, most, inner = given
                if most > 1_000 and (unit := shortest(inner)):
                    yield before, unit
                    yield "", before + unit
                yield from pumps(inner, before)
            case "BRANCH":
                for branch in given[1]:
                    yield from pumps(branch, before)
            case "SUBPATTERN":
                yield from pumps(given[-1], before)
            case "ATOMIC_GROUP":
                yield from pumps(given, before)
        before += _shortest(operation, given)


def hostile_to(pattern: re.Pattern[Any]) -> Iterator[str]:
    """Texts of a megabyte."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    parsed = re._parser.parse(source, pattern.flags & ~re.DEBUG)  # type: ignore[attr-defined]
    found = set(pumps(parsed)) | {("", shortest(parsed) or "a"), ("", " "), ("", "1"), ("", "[")}
    beginnings = {source_start for source_start, _ in found}
    found |= {(beginning, unit) for beginning in beginnings for unit in (" ", "\t", "0", "a", '"')}
    for before, unit in sorted(found):
        for end in ENDS:
            yield repeated(unit, before, end, LENGTH)


def main(root: Path) -> None:
    """All of them, each in every way in which it is used."""
    for each in used_in(root):
        for call in sorted(each.calls):
            run = getattr(each.pattern, call)
            given = ("",) if call in ("sub", "subn") else ()
            for text in hostile_to(each.pattern):
                begin(f"{each.where} {call} {text[:40]!r} … {text[-4:]!r}")
                found = run(
                    *given, text if isinstance(each.pattern.pattern, str) else text.encode("latin-1", "replace")
                )
                if call == "finditer":
                    for _ in found:
                        pass


if __name__ == "__main__":
    main(Path(sys.argv[1]))
