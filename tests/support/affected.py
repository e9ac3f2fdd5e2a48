"""Test impact analysis: the test files that the changes since a revision can affect, and why.

`python -m tests.support.affected [--base REVISION]` prints each file with the shortest chain that leads from it to a
change; `pytest --affected` collects only these files (`affected_plugin.py`). The chains follow the imports as grimp
reads them, and what no import shows: READERS, REACHED_BY_NAME, and names of modules and folders within the sources.
One test too many costs seconds and one too few hides an error: a file that no rule knows affects every test.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Final

import grimp
from grimp.exceptions import SourceSyntaxError

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("engine", "brokerweb", "tests")

READERS: Final[Mapping[str, tuple[str, ...]]] = {
    "*": ("tests.architecture.test_affected", "tests.architecture.test_tidy"),
    "engine/*.py": (
        "tests.architecture.test_import_contracts",
        "tests.engine.unit.vocabulary.test_error_catalogue",
        "tests.engine.unit.vocabulary.test_phrases",
    ),
    "engine/core/*.py": ("tests.engine.route_check.test_document",),
    "tests/engine/conformance/*.py": ("tests.engine.route_check.test_document",),
    "brokerweb/*": (
        "tests.architecture.test_import_contracts",
        "tests.brokerweb.test_page_languages",
        "tests.brokerweb.test_sayings",
    ),
    # pytest-django sets Django up before any test, and with it the engine of the process.
    "brokerweb/config/settings/*": ("tests.conftest",),
    "brokerweb/config/apps.py": ("tests.conftest",),
    "brokerweb/config/en[gv]*.py": ("tests.conftest",),
    # Every worker in a process with Django has this step.
    "brokerweb/traffic/generator/step.py": ("tests.engine.hosting.conftest",),
    "brokerweb/locale/*": ("tests.support.catalogues",),
    "tests/brokerweb/live_fixtures/*": ("tests.support.live_stories",),
    "brokerweb/training/scenarios/*": ("tests.support.training_files",),
    "engine/core/vocabulary/limits.py": ("tests.support.link_document",),
    "engine/tsql/samples/*": ("tests.brokerweb.test_assertion_commands",),
    "frontend/openapi.json": ("tests.brokerweb.test_openapi",),
}
"""The tests that read files of these names without importing them, or run over all of them.

Two uses are left out, as no test can fail of them alone: Celery's checks of Django import every page when an engine
starts beside Django, and the version of a sandbox is a digest of the engine's sources.
"""

REACHED_BY_NAME: Final = ("django", "manage.py", "tests.support.compose")
"""What reaches every module of brokerweb: settings, addresses, commands, tasks and migrations are named by strings."""

FOLDERS: Final = ("docs", "docker", "frontend")
"""Their files are read by the test modules that begin a string with the folder's name; the last also by browsers."""

READ_BY_NO_TEST: Final = (
    *("LICENSE", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"),
    *(".editorconfig", ".gitattributes", ".gitignore", ".dockerignore", ".pre-commit-config.yaml"),
    *("frontend/src/*.test.ts", "frontend/src/*.test.tsx", "frontend/src/testing/*"),
)
READ_BY_FRONT_END_TESTS: Final = ("frontend/*", "tests/brokerweb/live_fixtures/*")
READ_AS_TEXT: Final = ("frontend/src/contracts/generated/*",)
"""A test of the front end opens these without importing them, so that vitest does not know what a change affects."""

_OWN_PATH: Final = Path(__file__).resolve().relative_to(ROOT).as_posix()
_NAME: Final = re.compile(r"(?<![\w./])(?:engine|brokerweb|tests)(?:\.\w+)+")
_FOLDER: Final = re.compile(rf"""["']({"|".join(FOLDERS)})\b|["'](manage\.py)["']""")


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(path, pattern) for pattern in patterns)


def _is_known(path: str) -> bool:
    """Whether a rule says what a file affects."""
    return path.partition("/")[0] in (*PACKAGES, *FOLDERS, "manage.py") or _matches(path, READ_BY_NO_TEST)


class Dependencies:
    """What uses what: modules by their dotted names, folders and external packages by theirs."""

    def __init__(self) -> None:
        files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
        self._texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files}
        self.paths = {_module(path): path for path in self._texts}
        self.test_files = sorted(path for path in self._texts if Path(path).name.startswith("test_"))

    @cached_property
    def users(self) -> Mapping[str, set[str]]:
        """For each module, folder or package: what fails when it is wrong, one step away."""
        graph = grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)
        users = {module: set(graph.find_modules_that_directly_import(module)) for module in graph.modules}
        for module, path in self.paths.items():
            for used in (*self._run_before(path), *self._named_in(path)):
                users.setdefault(used, set()).add(module)
            if module.startswith("brokerweb"):
                users.setdefault(module, set()).update(REACHED_BY_NAME)
        users.setdefault("frontend", set()).add("playwright")
        return users

    def _run_before(self, path: str) -> Iterable[str]:
        """The packages that a module is in; the conftest.py files that pytest loads before a test file."""
        is_loaded_by_pytest = Path(path).name.startswith(("test_", "conftest."))
        names = ("__init__", "conftest") if is_loaded_by_pytest else ("__init__",)
        beside = (f"{folder.as_posix()}/{name}.py" for folder in Path(path).parents for name in names)
        return {_module(each) for each in beside if each in self._texts and each != path}

    def _named_in(self, path: str) -> Iterable[str]:
        """The modules whose names are in a text: run as processes, patched, loaded by Django or Celery."""
        # Names in the tables of this module are no uses: every test would use them all.
        text = "" if path == _OWN_PATH else self._texts[path]
        for name in set(_NAME.findall(text)):
            while name not in self.paths and "." in name:
                name = name.rpartition(".")[0]
            # The engine never sees the web: what it names there are tasks of Celery.
            if "." in name and not (path.startswith("engine/") and name.startswith("brokerweb")):
                yield name
        if path.startswith("tests/"):
            yield from (folder or script for folder, script in _FOLDER.findall(text))

    def affected(self, changed: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The test files that changed files can affect, each with the chain from the file to a change."""
        changed = sorted(changed)
        try:
            uses = {start: path for path in changed for start in self._starts(path)}
            found = {start: (start, path) for start, path in uses.items()}
            queue = list(found)
            for used in queue:
                for user in sorted(self.users.get(used, ())):
                    if user not in found:
                        found[user] = (user, *found[used])
                        queue.append(user)
        except (UnknownFile, SourceSyntaxError) as why:
            return dict.fromkeys(self.test_files, (str(why),))
        chains = {self.paths[name]: chain[1:] for name, chain in found.items() if name in self.paths}
        return {path: chains[path] for path in self.test_files if path in chains}

    def _starts(self, path: str) -> set[str]:
        """What a changed file is, or what reads it."""
        if not _is_known(path):
            raise UnknownFile(f"{path} (any test may depend on it)")
        found = {reader for pattern, readers in READERS.items() if fnmatch(path, pattern) for reader in readers}
        top = path.partition("/")[0]
        if top in PACKAGES:
            if path in self._texts:
                return found | {_module(path)}
            return found | (self._users_of_removed(path) if path.endswith(".py") else self._modules_beside(path))
        return found if _matches(path, READ_BY_NO_TEST) else found | {top}

    def _users_of_removed(self, path: str) -> set[str]:
        """Modules that still name one that is not there any more; those that changed with it count themselves."""
        parent, _, name = _module(path).rpartition(".")
        naming = re.compile(rf"{re.escape(parent)}(?:\.|\s+import\s+(?:\([^)]*\b|[^(\n]*\b)){name}\b")
        found = {_module(each) for each, text in self._texts.items() if naming.search(text)}
        if path.startswith("brokerweb/"):
            found.update(REACHED_BY_NAME)
        if path.endswith(("/__init__.py", "/conftest.py")):
            found |= self._modules_beside(path)
        return found

    def _modules_beside(self, path: str) -> set[str]:
        """Every module below the nearest folder with modules: data is read by those it lies beside."""
        for folder in Path(path).parents:
            inside = {_module(each) for each in self._texts if folder in Path(each).parents}
            if inside:
                return inside
        return set()


class UnknownFile(Exception):
    """No rule says what a changed file affects."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What has changed since a commit, in commits and in the work tree."""

    since: str
    paths: tuple[str, ...]

    @classmethod
    def read(cls, base: str | None = None) -> Changes:
        """Since the merge base with `base`; by default with origin/main, or HEAD where there is none.

        Raises `CalledProcessError` when git does not know the base, or this is no repository.
        """
        upstream = _git("for-each-ref", "--format=%(objectname)", "refs/remotes/origin/main").strip()
        since = _git("merge-base", base or upstream or "HEAD", "HEAD").strip()
        # A rename is a removal and an addition.
        listed = _git("diff", "--name-only", "--no-renames", "--relative", "-z", since)
        listed += _git("ls-files", "--others", "--exclude-standard", "-z")
        return cls(since[:12], tuple(sorted(set(listed.split("\0")) - {""})))

    def summary(self, found: Collection[str], dependencies: Dependencies) -> str:
        """How many files are affected by how many."""
        of_all = f"{len(found)} of {len(dependencies.test_files)} test files"
        return f"affected: {of_all}, by {len(self.paths)} changed files since {self.since}"

    def front_end(self) -> str:
        """What vitest is called with: `run`, `run --changed REVISION`, or `skip` where nothing can have changed."""
        read = [path for path in self.paths if _matches(path, READ_BY_FRONT_END_TESTS) or not _is_known(path)]
        if not read:
            return "skip"
        # vitest follows the imports of what there is: it knows no use of a removed file.
        followed = (path.startswith("frontend/src/") and (ROOT / path).is_file() for path in read)
        is_whole = not all(followed) or any(_matches(path, READ_AS_TEXT) for path in read)
        return "run" if is_whole else f"run --changed {self.since}"


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Print the test files that changes can affect, each with its reason, and what vitest is called with."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.affected", description=main.__doc__)
    parser.add_argument("--base", metavar="REVISION", help="changes since the merge base with it (origin/main, HEAD)")
    parser.add_argument("--front-end", action="store_true", help="print only what vitest is called with, or `skip`")
    given = parser.parse_args()
    try:
        changes = Changes.read(given.base)
    except subprocess.CalledProcessError as error:
        parser.error(error.stderr.strip())
    lines = [changes.front_end()]
    if not given.front_end:
        dependencies = Dependencies()
        found = dependencies.affected(changes.paths)
        lines = [f"{path}: {' > '.join(chain)}" for path, chain in found.items()]
        lines += [changes.summary(found, dependencies), f"front end: {changes.front_end()}"]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
