"""A login link opens the dashboard once, soon, and for one person."""

import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from brokerweb.accounts.models import LoginLink, User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import (
    LinkRefusal,
    LoginLinkRefused,
    login_link_create,
    login_link_use,
    user_create,
)
from brokerweb.config.process.lock import data_directory_lock

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return user_create("admin", Role.ADMIN)


def test_a_link_logs_its_user_in_and_leads_to_the_dashboard(client, admin):
    answer = client.post(f"/login/link/{login_link_create(admin)}")
    assert answer.status_code == 302
    assert answer["Location"] == "/"
    assert answer["Referrer-Policy"] == "no-referrer"
    assert client.get("/api/v1/me").json()["username"] == "admin"


def test_a_used_link_gives_a_calm_page_with_a_way_out(client, admin):
    token = login_link_create(admin)
    login_link_use(token)
    answer = client.get(f"/login/link/{token}")
    assert answer.status_code == 410
    assert "already used" in answer.content.decode()
    assert "manage.py login_link" in answer.content.decode()
    assert client.get("/api/v1/me").status_code == 401


def test_a_link_expires(client, admin):
    token = login_link_create(admin)
    LoginLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in client.get(f"/login/link/{token}").content.decode()
    with pytest.raises(LoginLinkRefused) as refused:
        login_link_use(token)
    assert refused.value.reason is LinkRefusal.EXPIRED


def test_its_lifetime_is_the_configured_one(admin, settings):
    settings.LOGIN_LINK_SECONDS = 90
    login_link_create(admin)
    link = LoginLink.objects.get()
    assert link.expires_at - link.created_at == timedelta(seconds=90)


def test_an_unknown_link_is_told_from_a_used_one(client):
    assert "not known" in client.get("/login/link/guessed").content.decode()


def test_a_link_of_an_account_that_was_switched_off_does_nothing(client, admin):
    token = login_link_create(admin)
    admin.is_active = False
    admin.save()
    answer = client.get(f"/login/link/{token}")
    assert "switched off" in answer.content.decode()
    assert LoginLink.objects.get().used_at is None


def test_the_token_itself_is_not_kept(admin):
    token = login_link_create(admin)
    assert token not in str(LoginLink.objects.values().get())


def test_who_is_in_already_and_follows_an_old_link_gets_the_dashboard(client, admin):
    token = login_link_create(admin)
    client.post(f"/login/link/{token}")
    for ask in (client.get, client.post):
        answer = ask(f"/login/link/{token}")
        assert answer.status_code == 302
        assert answer["Location"] == "/"


@pytest.mark.parametrize("method", ["get", "head", "options", "put", "delete"])
def test_who_only_looks_at_a_link_uses_nothing_up(client, admin, method):
    link = f"/login/link/{login_link_create(admin)}"
    for _ in range(3):
        answer = getattr(client, method)(link)
        assert answer.status_code == (200 if method in ("get", "head") else 405)
    assert LoginLink.objects.get().used_at is None
    assert client.get("/api/v1/me").status_code == 401
    assert client.post(link).status_code == 302
    assert client.get("/api/v1/me").json()["username"] == "admin"


def test_no_page_of_another_site_presses_the_button(admin):
    link = f"/login/link/{login_link_create(admin)}"
    browser = Client(enforce_csrf_checks=True)
    assert browser.post(link).status_code == 403
    page = browser.get(link).content.decode()
    assert "Log in as admin" in page
    assert browser.post(link, headers={"Origin": "https://evil.example"}).status_code == 403
    assert LoginLink.objects.get().used_at is None
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    assert browser.post(link, {"csrfmiddlewaretoken": token}).status_code == 302


def test_the_page_of_a_link_speaks_the_language_of_the_browser(client, admin):
    link = f"/login/link/{login_link_create(admin)}"
    for language, words in (("fr", "Se connecter comme admin"), ("de", "Als admin anmelden")):
        assert words in client.get(link, headers={"Accept-Language": language}).content.decode()


def test_the_command_prints_a_link_that_works(client, admin, capsys):
    call_command("login_link", address="http://broker.example")
    printed = capsys.readouterr().out.strip()
    assert printed.startswith("http://broker.example/login/link/")
    assert client.post(printed.removeprefix("http://broker.example")).status_code == 302


def test_the_command_names_the_address_at_which_the_process_on_these_data_listens(admin, settings, capsys):
    with data_directory_lock(settings.ENVIRONMENT.data_directory) as record_address:
        record_address("http://127.0.0.1:8123")
        call_command("login_link")
    printed = capsys.readouterr()
    assert printed.out.startswith("http://127.0.0.1:8123/login/link/")
    assert printed.err == ""


def test_the_command_says_when_nothing_runs_and_what_it_takes_instead(admin, settings, capsys):
    call_command("login_link")
    printed = capsys.readouterr()
    assert printed.out.startswith("http://127.0.0.1:8000/login/link/")
    assert f"No `manage.py run` runs on {settings.ENVIRONMENT.data_directory}" in printed.err
    assert "--address" in printed.err


def test_the_command_says_when_the_process_is_still_starting(admin, settings, capsys):
    with data_directory_lock(settings.ENVIRONMENT.data_directory):
        call_command("login_link")
    assert "is still starting" in capsys.readouterr().err


def test_the_command_says_when_there_are_no_tables_yet(monkeypatch):
    def no_tables(**_names):
        raise OperationalError("no such table: accounts_user")

    monkeypatch.setattr(User.objects, "filter", no_tables)
    with pytest.raises(CommandError, match=r"4060: .*no such table: accounts_user\. Has brokerweb been started yet"):
        call_command("login_link")


def test_the_command_says_when_there_is_no_such_user(admin):
    with pytest.raises(CommandError, match="15151: There is no user somebody"):
        call_command("login_link", user="somebody")
