"""Who may import whom is written in pyproject.toml; here it is held, and shown to bite."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.architecture.tidy import PURE_ROOMS, ROOT

LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )


def test_every_import_keeps_the_contracts():
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_forbidden_import_is_found(tmp_path):
    """The same contracts over a copy of the packages in which the core reaches up and out."""
    for package in ("engine", "brokerweb"):
        for source in (ROOT / package).rglob("*.py"):
            copy = tmp_path / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    bad = tmp_path / "engine" / "core" / "vocabulary" / "bad.py"
    bad.write_text("import sqlite3\n\nimport django\n\nimport engine.core.catalog\n", encoding="utf-8")

    result = lint_imports(tmp_path)

    assert result.returncode != 0
    broken = [line.partition(" BROKEN")[0] for line in result.stdout.splitlines() if " BROKEN" in line]
    assert broken == [
        "core layers",
        "no I/O, no clock, no randomness in the pure part",
        "the engine never sees the web",
    ]


def contract(name: str) -> dict[str, list[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (found,) = [each for each in settings["tool"]["importlinter"]["contracts"] if each["name"] == name]
    return found


def rooms(package: str) -> set[str]:
    return {f"{package}.{path.parent.name}" for path in (ROOT / package).glob("*/__init__.py")}


def test_every_room_of_the_engine_is_behind_its_facade():
    """A new room is added to the contract together with its first module; import-linter refuses it before."""
    closed = contract("the web enters the engine through its facade")["forbidden_modules"]
    assert rooms("engine") - {"engine.contracts"} == set(closed)


def test_every_pure_room_is_kept_pure():
    pure = {room.rstrip("/").replace("/", ".") for room in PURE_ROOMS} & rooms("engine")
    assert pure == set(contract("no I/O, no clock, no randomness in the pure part")["source_modules"])


def test_every_web_app_has_its_place():
    layers = " | ".join(contract("between web apps")["layers"])
    assert rooms("brokerweb") <= set(re.findall(r"brokerweb\.\w+", layers))
