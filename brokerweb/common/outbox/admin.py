from __future__ import annotations

from django.contrib import admin

from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.common.read_only_admin import ReadOnlyAdmin


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    """What has not reached the engine yet, and why. Read-only: the order of messages is the outbox's business."""

    list_display = ("estate_name", "instance_name", "revision", "attempts", "next_attempt_at", "last_error")
    list_filter = ("estate_name",)
