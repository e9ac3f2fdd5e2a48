from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from brokerweb.common.leases.models import InstanceLease


@admin.register(InstanceLease)
class InstanceLeaseAdmin(admin.ModelAdmin):
    """Who hosts what. Read-only: a lease is changed by its holder, and a fencing number by nobody else."""

    list_display = ("estate_name", "instance_name", "fence", "holder", "since", "renewed_at", "is_closed")
    list_filter = ("estate_name",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
