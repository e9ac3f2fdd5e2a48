"""The admin shows everything that is kept and changes nothing of the topology."""

import pytest
from django.contrib import admin
from django.urls import reverse

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import login_link_create, user_create
from brokerweb.topology.models import Route
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


def test_a_route_cannot_be_changed_or_removed_behind_the_engine_s_back(administrator):
    route = Route.objects.first()
    address = reverse("admin:topology_route_change", args=[route.pk])
    assert administrator.post(address, {"name": "changed"}).status_code == 403
    assert administrator.post(reverse("admin:topology_route_delete", args=[route.pk])).status_code == 403
    assert administrator.get(reverse("admin:topology_route_add")).status_code == 403


def test_only_administrators_enter(client):
    client.force_login(user_create("trainer", Role.TRAINER))
    assert client.get("/admin/").status_code == 302
    assert client.get("/admin").status_code == 302


def test_a_user_made_there_has_the_role_that_was_chosen_and_what_belongs_to_it(administrator):
    for role in (Role.EDITOR, Role.ADMIN):
        secret = "a long enough secret"
        fields = {"username": f"erika-{role}", "role": role, "usable_password": "true"}
        answer = administrator.post(
            reverse("admin:accounts_user_add"), {**fields, "password1": secret, "password2": secret}
        )
        assert answer.status_code == 302
        user = User.objects.get(username=f"erika-{role}")
        assert user.role == role
        assert user.is_staff is user.is_superuser is (role is Role.ADMIN)


def test_a_superuser_of_the_command_line_is_an_administrator():
    assert User.objects.create_superuser("root", password="a long enough secret").role == Role.ADMIN
