"""Users over the API and the command line: made, given rights, switched off, and what is kept of it."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from brokerweb.accounts.models import AccountChange, ApiToken, User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.throttling import WRONG_PER_ADDRESS

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(api_as):
    return api_as(Role.ADMIN)


def changes(username):
    rows = AccountChange.objects.filter(username=username).order_by("id")
    return [(row.author, row.what, row.before, row.after) for row in rows]


def test_a_user_is_made_let_in_and_given_more(admin):
    made = admin.ask("POST", "/users", {"username": "olga", "role": "operator"})
    assert made.status_code == 201
    assert made.json() | {"date_joined": ""} == {
        "username": "olga",
        "role": "operator",
        "reads_payloads": False,
        "is_active": True,
        "rights": ["view", "operate"],
        "has_password": False,
        "last_login": None,
        "date_joined": "",
    }
    link = admin.ask("POST", "/users/olga/login-link").json()
    olga = Client()
    assert olga.post(link["path"]).status_code == 302
    assert olga.get("/api/v1/me").json()["rights"] == ["view", "operate"]

    given = admin.ask("PATCH", "/users/olga", {"reads_payloads": True, "role": "editor"})
    assert given.json()["rights"] == ["view", "read-payloads", "operate", "edit"]
    assert olga.get("/api/v1/me").json()["rights"] == ["view", "read-payloads", "operate", "edit"]
    assert changes("olga") == [
        ("the-admin", "created", "", "operator"),
        ("the-admin", "login-link", "", ""),
        ("the-admin", "role", "operator", "editor"),
        ("the-admin", "reads-payloads", "false", "true"),
    ]
    told = admin.ask("GET", "/account-changes?username=olga&limit=3").json()
    assert [each["what"] for each in told["changes"]] == ["reads-payloads", "role", "login-link"]
    older = admin.ask("GET", f"/account-changes?username=olga&before={told['next_before']}").json()
    assert ([each["what"] for each in older["changes"]], older["next_before"]) == (["created"], None)


def test_an_account_that_is_switched_off_is_out_and_gets_no_link(admin):
    admin.ask("POST", "/users", {"username": "olga"})
    olga = Client()
    olga.post(admin.ask("POST", "/users/olga/login-link").json()["path"])
    assert admin.ask("PATCH", "/users/olga", {"is_active": False}).json()["rights"] == []
    assert olga.get("/api/v1/me").status_code == 401
    assert admin.ask("POST", "/users/olga/login-link").status_code == 400


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [("", 422, "bad-field"), ("o l", 400, "malformed"), ("a/b", 400, "malformed"), ("THE-admin", 409, "user-exists")],
)
def test_a_name_that_cannot_be_is_refused(admin, name, status, code):
    answer = admin.ask("POST", "/users", {"username": name})
    assert (answer.status_code, answer.json()["code"], answer.json()["pointer"]) == (status, code, "/username")


@pytest.mark.parametrize("change", [{"is_active": False}, {"role": "trainer"}])
def test_the_last_administrator_stays_one(admin, change):
    admin.ask("POST", "/users", {"username": "second", "role": "admin"})
    assert admin.ask("PATCH", "/users/second", change).status_code == 200
    answer = admin.ask("PATCH", "/users/the-admin", change)
    assert (answer.status_code, answer.json()["code"]) == (409, "last-administrator")
    assert admin.ask("GET", "/users/the-admin").json()["rights"][-1] == "administer"


def test_users_come_in_pages_and_by_name(admin):
    for number in range(5):
        admin.ask("POST", "/users", {"username": f"user-{number}"})
    page = admin.ask("GET", "/users?rows=2&page=2&search=USER").json()
    assert (page["total"], [each["username"] for each in page["users"]]) == (5, ["user-2", "user-3"])


def test_a_script_uses_a_token_until_it_is_revoked_or_expires(admin, client):
    made = admin.ask("POST", "/me/tokens", {"name": "backup", "scopes": ["edit", "view"], "days": 7}).json()
    assert made["scopes"] == ["view", "edit"]
    text = made["token"]
    assert text.startswith("bwt_")
    assert not ApiToken.objects.filter(token_hash__contains=text).exists()
    headers = {"Authorization": f"Bearer {text}"}
    strict = Client(enforce_csrf_checks=True)
    assert strict.get("/api/v1/me", headers=headers).json()["rights"] == ["view", "edit"]
    # No page can send a token for somebody, so a change with one needs no proof of the page.
    assert strict.post("/api/v1/samples/demo-fr-de/load", headers=headers).status_code == 201
    (listed,) = admin.ask("GET", "/me/tokens").json()
    assert listed["last_used_at"] is not None
    assert "token" not in listed

    token = ApiToken.objects.get()
    token.expires_at = timezone.now() - timedelta(seconds=1)
    token.save()
    assert client.get("/api/v1/me", headers=headers).status_code == 401
    token.expires_at = timezone.now() + timedelta(days=1)
    token.save()
    assert client.get("/api/v1/me", headers=headers).status_code == 200
    assert admin.ask("DELETE", f"/me/tokens/{made['id']}").status_code == 204
    assert client.get("/api/v1/me", headers=headers).status_code == 401
    assert [what for _, what, *_ in changes("the-admin")] == ["created", "token-created", "token-revoked"]


def test_a_token_has_no_right_that_its_owner_lost(admin, api_as, client):
    editor = api_as(Role.EDITOR)
    answer = editor.ask("POST", "/me/tokens", {"name": "x", "scopes": ["administer"]})
    assert (answer.status_code, answer.json()["pointer"]) == (400, "/scopes")
    text = editor.ask("POST", "/me/tokens", {"name": "x", "scopes": ["view", "edit"]}).json()["token"]
    admin.ask("PATCH", "/users/the-editor", {"role": "viewer"})
    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {text}"}).json()["rights"] == ["view"]


def test_nobody_revokes_the_token_of_somebody_else(admin, editor):
    made = admin.ask("POST", "/me/tokens", {"name": "x", "scopes": ["view"]}).json()
    assert editor.ask("DELETE", f"/me/tokens/{made['id']}").status_code == 404
    assert ApiToken.objects.count() == 1


def test_tokens_are_not_found_by_trying(client):
    wrong = {"headers": {"Authorization": "Bearer bwt_wrong"}, "REMOTE_ADDR": "192.0.2.77"}
    for _ in range(WRONG_PER_ADDRESS):
        assert client.get("/api/v1/me", **wrong).status_code == 401
    answer = client.get("/api/v1/me", **wrong)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0


def test_the_command_line_makes_a_user_and_prints_a_link(client):
    out = io.StringIO()
    address = "https://broker.example"
    call_command("user_create", "olga", role="operator", reads_payloads=True, address=address, stdout=out)
    link = out.getvalue().strip().splitlines()[-1]
    assert link.startswith(f"{address}/login/link/")
    assert client.post(link.removeprefix(address)).status_code == 302
    assert client.get("/api/v1/me").json()["rights"] == ["view", "read-payloads", "operate"]
    assert changes("olga")[0] == ("", "created", "", "operator, read-payloads")


def test_the_command_line_reads_a_password_where_no_history_keeps_it(client, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
    call_command("user_create", "olga", role="viewer", password=True, stdout=io.StringIO())
    body = {"username": "olga", "password": "correct horse battery"}
    assert client.post("/api/v1/login", body, content_type="application/json").status_code == 200


@pytest.mark.parametrize(("name", "secret"), [("o l", "correct horse battery"), ("olga", "short")])
def test_the_command_line_says_what_it_cannot_do(monkeypatch, name, secret):
    monkeypatch.setattr("sys.stdin", io.StringIO(secret + "\n"))
    with pytest.raises(CommandError):
        call_command("user_create", name, role="viewer", password=True, stdout=io.StringIO())
    assert not User.objects.exists()
