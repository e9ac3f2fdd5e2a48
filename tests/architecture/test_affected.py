"""`pytest --affected` leaves out only what a change cannot touch: shown on the real tree, and once as it runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import affected
from tests.support.affected import ROOT, Changes, Dependencies

READ_EVERY_FILE = {"tests/architecture/test_affected.py", "tests/architecture/test_tidy.py"}


@pytest.fixture(scope="module")
def dependencies() -> Dependencies:
    return Dependencies()


def within(files: object, folder: str) -> set[str]:
    return {path for path in files if path.startswith(folder)}


def test_a_module_of_the_core_affects_every_test_that_reaches_it(dependencies):
    found = dependencies.affected(["engine/core/routing/matching.py"])
    for folder in ("tests/engine/conformance/routing/", "tests/engine/whatif/", "tests/e2e/", "tests/api/"):
        assert within(found, folder) == within(dependencies.test_files, folder) != set()
    assert not within(found, "tests/engine/unit/security/")


def test_a_chain_leads_from_the_test_to_the_change(dependencies):
    found = dependencies.affected(["tests/support/odd_estates.py"])
    tests = "tests/engine/properties/test_what_if_equals_the_simulator.py"
    assert found[tests] == ("tests.support.odd_estates", "tests/support/odd_estates.py")


def test_a_service_of_the_dashboard_affects_what_speaks_to_the_dashboard(dependencies):
    found = dependencies.affected(["brokerweb/training/services/sessions.py"])
    for folder in ("tests/brokerweb/", "tests/e2e/", "tests/api/", "tests/docker/test_compositions.py"):
        assert within(found, folder) == within(dependencies.test_files, folder) != set()
    assert "tests/engine/hosting/test_leased_workers.py" in found, "it starts manage.py"
    for folder in ("tests/engine/unit/", "tests/engine/tsql/", "tests/pipeline/"):
        assert not within(found, folder)


def test_a_module_that_only_a_string_names_is_followed(dependencies):
    assert "tests/engine/hosting/test_killed_process.py" in dependencies.affected(
        ["tests/engine/hosting/engine_process.py"]
    )


def test_a_test_file_affects_itself(dependencies):
    path = "tests/engine/unit/security/test_vault.py"
    assert dependencies.affected([path]).keys() == {path} | READ_EVERY_FILE


def test_a_conftest_affects_the_tests_below_it(dependencies):
    found = dependencies.affected(["tests/e2e/conftest.py"]).keys()
    assert found == within(dependencies.test_files, "tests/e2e/") | READ_EVERY_FILE
    assert dependencies.affected(["tests/conftest.py"]).keys() == set(dependencies.test_files)


def test_a_document_affects_what_reads_documents(dependencies):
    found = dependencies.affected(["docs/protocol/routing.md"]).keys()
    assert found >= {"tests/docs/test_generated_documents.py", "tests/engine/route_check/test_document.py"}
    assert not within(found, "tests/e2e/")


def test_data_affects_what_lies_beside_it(dependencies):
    found = dependencies.affected(["engine/tsql/grammar.lark"])
    assert within(found, "tests/engine/tsql/") == within(dependencies.test_files, "tests/engine/tsql/")
    assert "tests/engine/training/test_plays.py" in dependencies.affected(
        ["brokerweb/training/scenarios/name-case.yaml"]
    )
    found = dependencies.affected(["brokerweb/locale/de/LC_MESSAGES/django.po"])
    assert within(found, "tests/brokerweb/") == within(dependencies.test_files, "tests/brokerweb/")


def test_a_page_affects_browsers_and_the_tests_of_the_front_end(dependencies):
    path = "frontend/src/app/main.tsx"
    found = dependencies.affected([path])
    assert within(found, "tests/e2e/") == within(dependencies.test_files, "tests/e2e/") != set()
    assert not within(found, "tests/engine/")
    assert Changes("abc", (path,)).front_end() == "run --changed abc"


@pytest.mark.parametrize(
    ("paths", "asked"),
    [
        (["engine/core/routing/matching.py", "docs/questions.md", "LICENSE"], "skip"),
        (["frontend/src/app/gone.tsx"], "run"),
        (["frontend/src/contracts/generated/api.ts"], "run"),
        (["frontend/vite.config.ts", "frontend/src/app/main.tsx"], "run"),
        (["tests/brokerweb/live_fixtures/story-1.json"], "run"),
        (["Makefile"], "run"),
    ],
)
def test_when_the_tests_of_the_front_end_run(paths, asked):
    assert Changes("abc", tuple(paths)).front_end() == asked


@pytest.mark.parametrize("path", ["Makefile", "pyproject.toml", ".requirements/dev.txt", "unknown/file.bin", ".ci/run"])
def test_a_file_that_no_rule_knows_affects_every_test(dependencies, path):
    assert list(dependencies.affected([path, "LICENSE"])) == dependencies.test_files


def test_a_removed_module_affects_what_still_names_it(monkeypatch):
    path = "engine/core/routing/matching.py"
    dependencies = Dependencies()
    before = dependencies.affected([path])
    monkeypatch.delitem(dependencies._texts, path)
    assert dependencies.affected([path]).keys() == before.keys()


def test_every_module_is_in_the_graph_of_imports(dependencies):
    assert dependencies.paths.keys() - dependencies.users.keys() == set()


def test_the_table_names_files_that_there_are(dependencies):
    assert {name for readers in affected.READERS.values() for name in readers} <= dependencies.paths.keys()
    assert {pattern for pattern in affected.READERS if not list(ROOT.glob(pattern))} == set()


def test_tests_that_open_files_of_the_product_are_in_the_table(dependencies):
    opening = re.compile(r"""(?:ROOT|REPOSITORY|parents\[\d\]) / ["'](?:engine|brokerweb)\b""")
    tests = {name: ROOT / path for name, path in dependencies.paths.items() if name.startswith("tests.")}
    found = {name for name, path in tests.items() if opening.search(path.read_text("utf-8"))}
    assert "tests.support.training_files" in found
    assert found <= {name for readers in affected.READERS.values() for name in readers}


FILES = {
    ".gitignore": "__pycache__/\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = ["--import-mode=importlib"]\n',
    "engine/__init__.py": "",
    "engine/first.py": "VALUE = 1\n",
    "engine/second.py": "VALUE = 2\n",
    "brokerweb/__init__.py": "",
    "tests/conftest.py": 'pytest_plugins = ["tests.support.affected_plugin"]\n',
    "tests/test_first.py": "from engine.first import VALUE\n\ndef test_it():\n    assert VALUE\n",
    "tests/test_second.py": "def test_it():\n    from engine.second import VALUE\n    assert VALUE\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A committed product of two modules, each with a test."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in ("affected.py", "affected_plugin.py"):
        (tmp_path / "tests/support").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests/support" / name, tmp_path / "tests/support")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=First")
    return tmp_path


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def affected_run(folder: Path, *options: str) -> tuple[int, str]:
    """A run of its own with `--affected`, without plugins that it does not need; its code, and what it prints."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO", "PYTEST"))}
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "no:cacheprovider", "--affected", *options]
    environment = {**inherited, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("--numprocesses=2", "--dist=loadfile", "tests/test_first.py", "tests")])
def test_a_run_has_the_tests_that_a_change_affects(repository, options):
    (repository / "engine/second.py").write_text("VALUE = 0\n")
    code, output = affected_run(repository, *options)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "affected: 1 of 2 test files, by 1 changed files since" in output
    assert "tests/test_second.py" in output
    assert "1 failed" in output
    assert "passed" not in output


def test_a_run_without_a_change_has_no_test_and_succeeds(repository):
    code, output = affected_run(repository)
    assert (code, "0 of 2 test files" in output) == (pytest.ExitCode.OK, True)


def test_an_unknown_base_is_refused(repository):
    code, output = affected_run(repository, "--affected-base=nowhere")
    assert (code, "nowhere" in output) == (pytest.ExitCode.USAGE_ERROR, True)


def test_renamed_removed_and_new_files_have_changed(repository, monkeypatch):
    monkeypatch.setattr(affected, "ROOT", repository)
    git(repository, "mv", "engine/first.py", "engine/third.py")
    (repository / "tests/test_first.py").unlink()
    (repository / "new.txt").write_text("new")
    assert Changes.read().paths == ("engine/first.py", "engine/third.py", "new.txt", "tests/test_first.py")
