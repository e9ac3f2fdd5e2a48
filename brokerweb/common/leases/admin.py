from __future__ import annotations

from django.contrib import admin

from brokerweb.common.leases.models import InstanceLease
from brokerweb.common.read_only_admin import ReadOnlyAdmin


@admin.register(InstanceLease)
class InstanceLeaseAdmin(ReadOnlyAdmin):
    """Who hosts what. Read-only: a lease is changed by its holder, and a fencing number by nobody else."""

    list_display = ("estate_name", "instance_name", "fence", "holder", "since", "renewed_at", "is_closed")
    list_filter = ("estate_name",)
