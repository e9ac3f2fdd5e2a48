"""Every package that the product imports is one that pyproject.toml declares, not one that happens to come along."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions

import pytest

from tests.architecture.tidy import ROOT

PRODUCT = ("brokerweb", "engine")
FOR_PEOPLE_WHO_CHANGE_IT = "dev"
"""The extra that no user installs."""


def _imported(source: str) -> Iterator[str]:
    """Top-level packages that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            yield node.module.partition(".")[0]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(line for name in extras if name != FOR_PEOPLE_WHO_CHANGE_IT for line in extras[name]),
    ]
    return {_normal(re.split(r"[\[<>=~!; ]", line, maxsplit=1)[0]) for line in wanted}


@pytest.fixture(scope="module")
def imports() -> dict[str, list[str]]:
    """Foreign packages, each with the files that import it."""
    found: dict[str, list[str]] = {}
    for package in PRODUCT:
        for path in sorted((ROOT / package).rglob("*.py")):
            for name in set(_imported(path.read_text(encoding="utf-8"))):
                if name not in sys.stdlib_module_names and name not in PRODUCT:
                    found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


def test_every_import_is_declared(imports: dict[str, list[str]]) -> None:
    declared, providers = _declared(), packages_distributions()
    undeclared = {
        name: files for name, files in imports.items() if declared.isdisjoint(map(_normal, providers.get(name, [name])))
    }
    assert undeclared == {}


def test_the_check_sees_what_is_imported_within_a_function() -> None:
    assert set(_imported("def f():\n    from twisted.internet import reactor\n    import os.path, numpy as np\n")) == {
        "twisted",
        "os",
        "numpy",
    }
