"""The admin shows everything that is kept and changes nothing."""

import pytest
from django.contrib import admin
from django.urls import reverse

from brokerweb.accounts.models import ApiToken, LoginLink, User
from brokerweb.accounts.rights import Right, Role
from brokerweb.accounts.services import login_link_create, user_create
from brokerweb.accounts.tokens import token_create
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.fixture
def administrator(client):
    user = user_create("admin", Role.ADMIN)
    login_link_create(user)
    client.force_login(user)
    make_estate(pair_catalogs())
    return client


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_list_and_every_first_object_opens(administrator, model):
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    assert administrator.get(reverse(f"{name}_changelist")).status_code == 200
    row = model.objects.first()
    if row is not None:
        assert administrator.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_nothing_is_added_changed_or_deleted_there(administrator, model):
    row = model.objects.first()
    before = list(model.objects.order_by("pk").values())
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    assert administrator.post(reverse(f"{name}_add"), {"name": "new", "username": "new"}).status_code == 403
    # An action over several rows is taken from those that are offered; none is.
    chosen = {"action": "delete_selected", "_selected_action": [each["id"] for each in before if "id" in each]}
    administrator.post(reverse(f"{name}_changelist"), {**chosen, "post": "yes"})
    if row is not None:
        for what in ("change", "delete"):
            address = reverse(f"{name}_{what}", args=[row.pk])
            assert administrator.post(address, {"name": "changed", "post": "yes"}).status_code == 403
    assert list(model.objects.order_by("pk").values()) == before


def test_no_password_is_set_there(administrator):
    oscar = user_create("oscar", Role.VIEWER, "a long enough secret")
    form = {"usable_password": "true", "password1": "another secret 12", "password2": "another secret 12"}
    assert administrator.post(f"/admin/accounts/user/{oscar.pk}/password/", form).status_code in (302, 404)
    own = User.objects.get(username="admin")
    own.set_password("a long enough secret")
    own.save()
    administrator.force_login(own)
    fields = {"old_password": "a long enough secret", "new_password1": "another 12", "new_password2": "another 12"}
    assert administrator.post("/admin/password_change/", fields)["Location"] == "/account"
    assert {each.check_password("a long enough secret") for each in User.objects.all()} == {True}


def test_no_hash_of_a_secret_is_shown(administrator):
    token_create(User.objects.get(username="admin"), "script", [Right.VIEW], 7)
    for model in (User, LoginLink, ApiToken):
        row = model.objects.get()
        page = administrator.get(reverse(f"admin:accounts_{model._meta.model_name}_change", args=[row.pk]))
        secret = row.password if model is User else row.token_hash
        assert secret not in page.content.decode()
        assert "pbkdf2" not in page.content.decode()


def test_only_administrators_enter(client):
    client.force_login(user_create("trainer", Role.TRAINER))
    assert client.get("/admin/").status_code == 302
    assert client.get("/admin").status_code == 302


def test_a_superuser_of_the_command_line_is_an_administrator():
    assert User.objects.create_superuser("root", password="a long enough secret").role == Role.ADMIN
