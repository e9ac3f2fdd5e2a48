from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from brokerweb.common.outbox.models import OutboxMessage


@admin.register(OutboxMessage)
class OutboxMessageAdmin(admin.ModelAdmin):
    """What has not reached the engine yet, and why. Read-only: the order of messages is the outbox's business."""

    list_display = ("estate_name", "instance_name", "revision", "attempts", "next_attempt_at", "last_error")
    list_filter = ("estate_name",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
