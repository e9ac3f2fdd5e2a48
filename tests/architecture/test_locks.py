"""The lock files name versions and hashes, and no place: whoever installs chooses the index."""

import json
import re

import pytest

from tests.architecture.tidy import ROOT

PYTHON_LOCKS = (".requirements/run.txt", ".requirements/dev.txt", ".requirements/spark.txt")
_PLACE = re.compile(r"://|^\s*-|^[^#]*@|[\s=]/\w", re.MULTILINE)
_PIN = re.compile(r"^([a-z0-9][a-z0-9.-]*)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    return {name: version for name, version, _ in _PIN.findall(text)}


def places(text: str) -> list[str]:
    bare = re.sub(r"^    --hash=sha256:[0-9a-f]+(?: \\)?$", "", text, flags=re.MULTILINE)
    bare = re.sub(r"^ +#.*$", "", bare, flags=re.MULTILINE)
    return [found.group() for found in _PLACE.finditer(bare)]


@pytest.mark.parametrize("lock", PYTHON_LOCKS)
def test_python_locks_name_no_place(lock):
    assert places((ROOT / lock).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("lock", PYTHON_LOCKS)
def test_every_python_package_has_a_version_and_hashes(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    requirements = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(requirements) == len(pins(text)) > 0


def test_what_runs_is_what_was_tested():
    run, dev, spark = (pins((ROOT / lock).read_text(encoding="utf-8")) for lock in PYTHON_LOCKS)
    assert run.items() <= dev.items()
    assert spark.items() <= dev.items()


def test_the_npm_lock_names_no_place():
    lock = json.loads((ROOT / "frontend/package-lock.json").read_text(encoding="utf-8"))
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert [path for path, entry in packages.items() if "resolved" in entry or "link" in entry] == []
    assert [path for path, entry in packages.items() if "integrity" not in entry and not entry.get("inBundle")] == []


def test_the_npm_lock_serves_every_machine():
    """`npm ci` refuses a lock that leaves out the optional packages of other processors and systems."""
    packages = json.loads((ROOT / "frontend/package-lock.json").read_text(encoding="utf-8"))["packages"]
    locked = {path.rpartition("node_modules/")[2] for path in packages}
    optional = {name for entry in packages.values() for name in entry.get("optionalDependencies", {})}
    assert optional - locked == set()


def test_npm_packages_are_pinned_exactly():
    package = json.loads((ROOT / "frontend/package.json").read_text(encoding="utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"]}
    pin = r"(npm:[a-z@/-]+@)?\d+\.\d+\.\d+"  # The part in brackets names the package behind an alias.
    assert {name: version for name, version in versions.items() if not re.fullmatch(pin, version)} == {}


@pytest.mark.parametrize(
    "line",
    ["--index-url https://pypi.example/simple", "--find-links /srv/wheels", "a @ file:///src/a", "-e ."],
)
def test_a_place_is_found(line):
    assert places(f"{line}\na==1.0 \\\n    --hash=sha256:{'0' * 64}\n")
