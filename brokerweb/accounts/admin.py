"""The admin's view of accounts: to look, not to change. The page *Administration* changes them, and keeps a record."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.models import Group

from brokerweb.accounts.models import AccountChange, ApiToken, LoginLink, User
from brokerweb.common.read_only_admin import ReadOnlyAdmin

# Rights come from the role; an empty list of groups would only raise questions.
admin.site.unregister(Group)
admin.site.site_header = "brokerweb"
admin.site.site_title = "brokerweb"


@admin.register(User)
class RoleUserAdmin(ReadOnlyAdmin):
    list_display = ("username", "role", "reads_payloads", "is_active", "last_login")
    list_filter = ("role", "reads_payloads", "is_active")
    search_fields = ("username",)
    fieldsets = (
        (None, {"fields": ("username", "first_name", "last_name", "email")}),
        ("Rights", {"fields": ("role", "reads_payloads", "is_active")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )


@admin.register(LoginLink)
class LoginLinkAdmin(ReadOnlyAdmin):
    list_display = ("user", "created_at", "expires_at", "used_at")
    list_select_related = ("user",)
    exclude = ("token_hash",)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("user", "name", "beginning", "created_at", "expires_at", "last_used_at")
    list_select_related = ("user",)
    exclude = ("token_hash",)


@admin.register(AccountChange)
class AccountChangeAdmin(ReadOnlyAdmin):
    list_display = ("changed_at", "author", "username", "what", "before", "after", "client_address")
