from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from brokerweb.accounts.models import AccountChange, ApiToken, LoginLink, User
from brokerweb.accounts.services import user_save
from brokerweb.common.errors import LastAdministrator

# Rights come from the role; an empty list of groups would only raise questions.
admin.site.unregister(Group)
admin.site.site_header = "brokerweb"
admin.site.site_title = "brokerweb"


@admin.register(User)
class RoleUserAdmin(UserAdmin):
    list_display = ("username", "role", "reads_payloads", "is_active", "last_login")
    list_filter = ("role", "reads_payloads", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Rights", {"fields": ("role", "reads_payloads", "is_active")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("username", "role", "reads_payloads", "password1", "password2")}),
    )
    filter_horizontal = ()

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        user_save(obj, author=request.user if isinstance(request.user, User) else None)

    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().change_view(request, *args, **kwargs)
        except LastAdministrator as problem:
            self.message_user(request, f"{problem.detail} {problem.cure}", messages.ERROR)
            return redirect(request.path)


class ShownOnly(admin.ModelAdmin):
    """Kept for looking at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(LoginLink)
class LoginLinkAdmin(ShownOnly):
    list_display = ("user", "created_at", "expires_at", "used_at")
    list_select_related = ("user",)
    exclude = ("token_hash",)


@admin.register(ApiToken)
class ApiTokenAdmin(ShownOnly):
    list_display = ("user", "name", "beginning", "created_at", "expires_at", "last_used_at")
    list_select_related = ("user",)
    exclude = ("token_hash",)


@admin.register(AccountChange)
class AccountChangeAdmin(ShownOnly):
    list_display = ("changed_at", "author", "username", "what", "before", "after", "client_address")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
