"""The rules of the house that no linter knows, each a function from text to complaints.

A complaint is one line that names the file, the line and the rule. The rules take text and a path rather than
reading files, so that every one of them can be shown to fail on a bad sample.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from operator import add, mul, sub, truediv
from pathlib import Path

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70

ROOT = Path(__file__).resolve().parents[2]

# Rooms that must give the same answer for the same input: time and chance come in as values.
PURE_ROOMS = (
    "engine/core/",
    "engine/runtime/",
    "engine/contracts/",
    "engine/sim/",
    "engine/sandbox/",
    "engine/whatif/",
    "engine/route_check/",
    "engine/assertions/",
    "engine/questions/",
    "engine/training/",
    "engine/diagnosis/",
    "engine/tsql/",
    "engine/collection/",
    "engine/revisions/",
)
BANNED_CALLS = frozenset(
    {
        "datetime.date.today",
        "datetime.datetime.now",
        "datetime.datetime.today",
        "datetime.datetime.utcnow",
        "os.getrandom",
        "os.urandom",
        "time.monotonic",
        "time.monotonic_ns",
        "time.perf_counter",
        "time.sleep",
        "time.time",
        "time.time_ns",
        "uuid.uuid1",
        "uuid.uuid4",
    }
)
BANNED_MODULES = frozenset({"asyncio", "random", "secrets", "socket", "sqlite3", "subprocess", "threading", "time"})
# The simulator's seeded entropy is the one place where chance is made.
MAY_IMPORT = {"engine/sim/entropy.py": frozenset({"random"})}

# Tests that sleep long are slow, and fail by chance where the machine is slower than they thought: they wait for a
# state, for an event, or move time by hand (tests/support/hand_clock).
SLEEP_CALLS = frozenset({"asyncio.sleep", "time.sleep"})
SLEEP_SECONDS_MAX = 0.1
MAY_SLEEP = {
    "tests/benchmarks/": "what is measured is measured for a while",
    "tests/chaos/": "faults come at any moment, and what came twice would come later",
    "tests/support/compose.py": "each look starts a command in a container",
    "tests/support/faulty_proxy.py": "a network that is silent for a while is one of its faults",
    "tests/support/live_tab.py": "a tab that is slow is one of its kinds",
    "tests/brokerweb/test_live_survives.py": "a part of the product is away for a while",
    "tests/brokerweb/test_channel_layer.py": "what hangs is given up",
}
"""Places that may, and why: a file, or a folder with a slash behind it."""

# Threads of earlier tests go on in the same process. One of them took the interrupt that a test had put into
# `time.sleep` for itself, and the test waited for ever.
OF_ALL = sys.stdlib_module_names | {"django.utils.timezone"}

_UNFINISHED = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X])\b")
_HOME_PATH = re.compile(r"(?<![\w.$}])/(?:root|work|workspace|home/\w+|Users/\w+)/")

_TEXT_SUFFIXES = frozenset(
    {
        ".py",
        ".toml",
        ".ts",
        ".tsx",
        ".js",
        ".css",
        ".html",
        ".sql",
        ".lark",
        ".md",
        ".yml",
        ".yaml",
        ".json",
        ".sh",
        "",
    }
)
_SKIPPED_FOLDERS = frozenset({"node_modules", "dist", "build", "htmlcov", "test-results", "__pycache__"})
_KEPT_DOT_NAMES = frozenset({".ci", ".requirements", ".gitignore", ".gitattributes", ".editorconfig", ".npmrc"})


def text_files() -> Iterator[tuple[str, str]]:
    """Give the path and the text of every file of the repository that a person may have written."""
    yield from _walk(ROOT)


def _walk(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") and path.name not in _KEPT_DOT_NAMES
        if hidden or path.is_symlink():
            continue
        if path.is_dir():
            if path.name not in _SKIPPED_FOLDERS and not path.name.endswith(".egg-info"):
                yield from _walk(path)
        elif path.suffix in _TEXT_SUFFIXES:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def is_generated(path: str) -> bool:
    """Tell files that a tool writes; sizes are no concern there."""
    return "/migrations/" in path or "/generated/" in path or path.endswith(("package-lock.json", "openapi.json"))


def sizes(path: str, text: str) -> dict[str, int]:
    """Measure what is too long: the file under its path, a function under `path::function`."""
    if is_generated(path) or not path.endswith((".py", ".ts", ".tsx")):
        return {}
    found = {}
    file_lines = len(text.splitlines())
    if file_lines > FILE_LINES_MAX:
        found[path] = file_lines
    if path.endswith(".py"):
        for name, lines in _function_sizes(ast.parse(text)):
            if lines > FUNCTION_LINES_MAX:
                found[f"{path}::{name}"] = lines
    return found


def _function_sizes(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            if not isinstance(child, ast.ClassDef):
                assert child.end_lineno is not None
                yield name, child.end_lineno - child.lineno + 1
            name += "."
        yield from _function_sizes(child, name)


def ratchet(measured: Mapping[str, int], grandfathered: Mapping[str, int]) -> list[str]:
    """Compare what is too long with what may be: an exception shrinks, never grows, goes when not needed."""
    complaints = []
    for name, lines in measured.items():
        allowed = grandfathered.get(name)
        if allowed is None:
            limit = FUNCTION_LINES_MAX if "::" in name else FILE_LINES_MAX
            complaints.append(f"{name}: {lines} lines, at most {limit}: split it")
        elif lines > allowed:
            complaints.append(f"{name}: {lines} lines, grown from {allowed}: exceptions only shrink")
    for name, allowed in grandfathered.items():
        lines = measured.get(name, 0)
        if lines < allowed:
            now = lines or "within the limit"
            complaints.append(f"{name}: now {now}: lower or remove its exception ({allowed})")
    return complaints


def impure(path: str, text: str) -> list[str]:
    """Find clocks, chance and I/O in the rooms that must be pure."""
    if not path.startswith(PURE_ROOMS) or not path.endswith(".py"):
        return []
    tree = ast.parse(text)
    banned_modules = BANNED_MODULES - MAY_IMPORT.get(path, frozenset())
    names: dict[str, str] = {}
    complaints = []
    for line, local, called, full in _imports(tree):
        names[local] = called
        if full.split(".")[0] in banned_modules:
            complaints.append(f"{path}:{line}: imports {full}: a pure room takes it as a value")
    for node in ast.walk(tree):
        called = _dotted(node, names)
        if called in BANNED_CALLS:
            complaints.append(f"{path}:{node.lineno}: uses {called}: a pure room takes it as a value")
    return complaints


def _imports(tree: ast.AST) -> Iterator[tuple[int, str, str, str]]:
    """Give the line of each import, the name here, what that name stands for, and what is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name.split(".")[0]
                yield node.lineno, local, alias.name if alias.asname else local, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield node.lineno, alias.asname or alias.name, full, full


def _dotted(node: ast.AST, names: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, names)
        return None if before is None else f"{before}.{node.attr}"
    return None


def long_sleeps(path: str, text: str) -> list[str]:
    """Find tests that sleep longer than between two looks; what their own module does not say is believed."""
    if not path.startswith("tests/") or not path.endswith(".py") or "sleep" not in text or _may_sleep(path):
        return []
    tree = ast.parse(text)
    names = {local: called for _, local, called, _ in _imports(tree)}
    known: dict[str, float] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        seconds = _number(getattr(node, "value", None), known)
        known |= {target.id: seconds for target in targets if isinstance(target, ast.Name) and seconds is not None}
    return [
        f"{path}:{node.lineno}: sleeps for {seconds:g} s: wait for a state, or move time by hand"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _dotted(node.func, names) in SLEEP_CALLS and node.args
        if (seconds := _number(node.args[0], known)) is not None and seconds > SLEEP_SECONDS_MAX
    ]


def changed_for_all(path: str, text: str) -> list[str]:
    """Find tests that change a module of the standard library, or the clock of Django, for every thread."""
    if not path.startswith("tests/") or not path.endswith(".py") or "setattr" not in text:
        return []
    tree = ast.parse(text)
    names = {local: called for _, local, called, _ in _imports(tree)}
    return [
        f"{path}:{node.lineno}: changes `{target}` for every thread: put a stand-in into the module that uses it"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "setattr" and len(node.args) == 3
        if (target := _dotted(node.args[0], names)) and (target in OF_ALL or target.split(".")[-1] in OF_ALL)
    ]


def _may_sleep(path: str) -> bool:
    return any(path == place or (place.endswith("/") and path.startswith(place)) for place in MAY_SLEEP)


def _number(node: ast.AST | None, known: Mapping[str, float]) -> float | None:
    """The value of a number, a constant of the module, a sum or product of them, or `Duration` of one."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id=name):
            return known.get(name)
        case ast.Call(func=ast.Name(id="Duration" | "float"), args=[argument]):
            return _number(argument, known)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as operator, right=right):
            first, second = _number(left, known), _number(right, known)
            if first is None or second is None:
                return None
            return _OPERATORS[type(operator)](first, second)
    return None


_OPERATORS = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}


def hidden_wiring(path: str) -> list[str]:
    """Find modules for Django signals: what happens on a write stands in the service that writes."""
    if path.endswith("/signals.py"):
        return [f"{path}: no signals; call the next step from the service"]
    return []


def unfinished(path: str, text: str) -> list[str]:
    """Find notes of unfinished work: they belong in the issue tracker."""
    return _lines_with(_UNFINISHED, path, text, "unfinished work belongs in an issue")


def machine_paths(path: str, text: str) -> list[str]:
    """Find paths that exist on one person's machine only."""
    return _lines_with(_HOME_PATH, path, text, "a path of one machine")


def _lines_with(pattern: re.Pattern[str], path: str, text: str, rule: str) -> list[str]:
    return [
        f"{path}:{number}: {rule}: {found.group().strip()}"
        for number, line in enumerate(text.splitlines(), start=1)
        if (found := pattern.search(line))
    ]
