"""The threat model names what there is: files, commands, and every kind of person that has rights."""

import re
import subprocess
import sys

import pytest

from brokerweb.accounts.rights import Role
from tests.architecture.tidy import ROOT
from tests.support.each import for_each

DOCUMENTS = ("SECURITY.md", "docs/operations/threat-model.md")
_PLACES = ("", "docs/", "docs/operations/", "docs/protocol/")


def text_of(document: str) -> str:
    return (ROOT / document).read_text("utf-8")


@for_each("document", DOCUMENTS)
def test_every_file_that_it_names_is_there(document: str):
    named = re.findall(r"`((?:[\w.-]+/)*[\w.-]+\.(?:md|py|json|yml))`|\]\(([^)]+)\)", text_of(document))
    missing = [
        name for pair in named for name in pair if name and not any((ROOT / place / name).exists() for place in _PLACES)
    ]
    assert missing == []
    for number in re.findall(r"ADR (\d+)", text_of(document)):
        assert list((ROOT / "docs/adr").glob(f"{int(number):04}-*.md")), number


@for_each("document", DOCUMENTS)
def test_every_chapter_that_it_names_is_there(document: str):
    for place, chapter in re.findall(r"`([\w/.-]+\.md)`, \"([^\"]+)\"", text_of(document)):
        [path] = [ROOT / each / place for each in _PLACES if (ROOT / each / place).exists()]
        assert re.search(rf"^#+ {re.escape(chapter)}", path.read_text("utf-8"), re.MULTILINE), (place, chapter)


def test_it_speaks_of_everybody():
    said = text_of("docs/operations/threat-model.md").lower()
    for role in Role:
        assert role.value in said or role.label.lower() in said, role
    for actor in ("anybody who reaches", "partner's message", "peer", "another user of the machine", "administrator"):
        assert actor in said
    assert said.count("not held:") >= 6, "what does not hold is said, too"


def test_every_command_that_it_names_is_one():
    commands = {name for document in DOCUMENTS for name in re.findall(r"`manage\.py (\w+)", text_of(document))}
    assert commands
    listed = subprocess.run(
        [sys.executable, "manage.py", "help", "--commands"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert commands <= set(listed.stdout.split())
    targets = {name for document in DOCUMENTS for name in re.findall(r"`make ([\w-]+)`", text_of(document))}
    assert targets <= set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def test_make_audit_asks_about_every_lock():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = re.search(r"^audit:.*?\n\n", makefile, re.MULTILINE | re.DOTALL)
    assert recipe is not None
    for lock in sorted((ROOT / ".requirements").glob("*.txt")):
        assert f"--requirement .requirements/{lock.name}" in recipe[0]
    assert "--strict" in recipe[0], "a package that could not be looked up is no good news"
    assert "npm audit" in recipe[0].lower() or "$(NPM) audit" in recipe[0]
    assert re.search(r"^pip-audit==", (ROOT / ".requirements/dev.txt").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", ["SECURITY.md"])
def test_it_is_found_from_the_readme(name: str):
    assert f"`{name}`" in text_of("README.md")
