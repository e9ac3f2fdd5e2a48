"""The pages that the server makes by itself, and its refusals, speak the language that is asked for."""

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import login_link_create, login_link_use, user_create
from tests.support.catalogues import LOCALE, compiled, messages, sources

BROKERWEB = LOCALE.parent
_MARKED = re.compile(r'\{% translate "([^"]+)" %\}')
_PLACEHOLDER = re.compile(r"%\(\w+\)\w|\{[^}]*\}")
_MARKERS = {"_", "gettext", "gettext_lazy", "ngettext"}

pytestmark = pytest.mark.django_db


def marked_in(source: Path) -> Iterator[str]:
    """The texts that a module marks, with the parts of a literal put together."""
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MARKERS:
            text = node.args[0]
            assert isinstance(text, ast.Constant), f"{source}:{node.lineno} marks what is no literal"
            yield str(text.value)


def marked_texts() -> set[str]:
    """Every text of the web that is marked as one to translate."""
    pages = BROKERWEB.glob("templates/**/*.html")
    found = {text for each in pages for text in _MARKED.findall(each.read_text("utf-8"))}
    return found | {text for each in BROKERWEB.rglob("*.py") for text in marked_in(each)}


@pytest.mark.parametrize(
    ("header", "language", "heading"),
    [
        ("fr-CA,fr;q=0.8", "fr", "Se connecter"),
        ("de-AT", "de", "Anmelden"),
        ("pt-BR", "en", "Log in"),
        ("", "en", "Log in"),
    ],
)
def test_the_login_page_speaks_the_language_of_the_browser(client, header, language, heading):
    page = client.get("/login", headers={"Accept-Language": header}).content.decode()
    assert f'<html lang="{language}">' in page
    assert f"<h1>{heading}</h1>" in page


def test_a_used_link_says_so_in_german_with_the_way_to_the_login_page(client):
    token = login_link_create(user_create("admin", Role.ADMIN))
    login_link_use(token)
    page = client.get(f"/login/link/{token}", headers={"Accept-Language": "de"}).content.decode()
    assert "Dieser Anmeldelink wurde schon benutzt" in page
    assert '<a href="/login">hier anmelden</a>' in page


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.parts[-3])
def test_every_marked_text_is_translated_with_its_placeholders_and_compiled(source):
    said = messages(source.read_text("utf-8"))
    texts = {key.split("\0")[0] for key in said if key}
    assert texts == marked_texts() | {'With a password you can <a href="%(login_page)s">log in here</a>.'}
    for text, words in said.items():
        for form in words.split("\0"):
            assert set(_PLACEHOLDER.findall(form)) == set(_PLACEHOLDER.findall(text)), text
    target = source.with_suffix(".mo")
    assert target.read_bytes() == compiled(said), "stale: run `make docs`"
    with target.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)
    assert all(catalogue.gettext(text) != "" for text in texts)
