"""Who may import whom is written in pyproject.toml; here it is held, and shown to bite."""

import subprocess
import sys
from pathlib import Path

from tests.architecture.tidy import ROOT

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
    broken = [line.removesuffix(" BROKEN") for line in result.stdout.splitlines() if line.endswith(" BROKEN")]
    assert broken == [
        "core layers",
        "no I/O, no clock, no randomness in the pure part",
        "the engine never sees the web",
    ]
