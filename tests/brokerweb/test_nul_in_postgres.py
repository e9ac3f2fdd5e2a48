"""A NUL is in no text that PostgreSQL keeps or looks for: whoever sends one is told so."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.brokerweb.postgres_dashboard import dashboard_in

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
VENTES = f"{ESTATE}/instances/PARIS/databases/Ventes"
OFF = {"change": "broker-switched", "database": "Ventes", "is_enabled": False}
SCRIPT = ":CONNECT X\nCREATE DATABASE y;"
ASKED = (
    ("GET", f"{ESTATE}%00", None),
    ("GET", f"{ESTATE}/objects/route?state=%00", None),
    ("GET", f"{ESTATE}/objects/route?database=%00", None),
    ("GET", f"{ESTATE}/objects/route?instance=a%00", None),
    ("GET", f"{ESTATE}/objects/route/object?instance=%00&name=%00", None),
    ("GET", f"{ESTATE}/audit?author=%00", None),
    ("GET", f"{ESTATE}/audit?object=%00", None),
    ("GET", f"{ESTATE}/audit?instance=%00", None),
    ("GET", "/users?search=%00", None),
    ("DELETE", f"{VENTES}/routes/a%00", None),
    ("POST", f"{ESTATE}/change-sets", {"title": "a\0b"}),
    ("POST", f"{ESTATE}/objects/user", {"instance": "a\0", "database": "Ventes", "name": "x", "fields": {}}),
    ("POST", f"{ESTATE}/objects/user", {"instance": "PARIS", "database": "Ventes", "name": "x", "fields": {"a\0": 1}}),
    ("POST", f"{ESTATE}/changes", {"summary": "a\0", "changes": {"PARIS": [OFF]}}),
    ("POST", f"{ESTATE}/changes", {"summary": "a", "changes": {"PARIS\0": [OFF]}}),
    ("POST", f"{VENTES}/routes", {"name": "a\0", "address": "LOCAL"}),
    ("POST", "/login", {"username": "a\0", "password": "x"}),
    ("POST", "/me/tokens", {"name": "a\0", "scopes": ["view"]}),
    ("POST", "/imports", {"estate": "neu", "files": [{"name": "a\0.sql", "text": SCRIPT}], "dry_run": False}),
    ("POST", "/imports", {"estate": "neu", "files": [{"name": "a.sql", "text": SCRIPT + "\0"}], "dry_run": False}),
)


def test_a_nul_is_refused_wherever_it_stands(postgres_database):
    with dashboard_in(postgres_database):
        make_estate(pair_catalogs())
        client = ApiClient()
        client.force_login(user_create("root", Role.ADMIN, reads_payloads=True))
        answers = [client.ask(method, path, body, If_Match='"1"') for method, path, body in ASKED]
        told = [(asked, answer.status_code) for asked, answer in zip(ASKED, answers, strict=True)]
        assert [asked for asked, status in told if status not in (400, 404, 422)] == []
