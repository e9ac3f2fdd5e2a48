"""The admin's view of the wanted topology: to look, not to change."""

from __future__ import annotations

from django.contrib import admin

from brokerweb.common.read_only_admin import ReadOnlyAdmin
from brokerweb.topology.models import (
    ChangeSet,
    Contract,
    Database,
    Decision,
    Endpoint,
    Estate,
    Instance,
    MessageType,
    Mirror,
    Queue,
    Route,
    Service,
    TopologyRevision,
)


@admin.register(Estate)
class EstateAdmin(ReadOnlyAdmin):
    list_display = ("name", "revision", "pace", "key_suite")


@admin.register(Instance)
class InstanceAdmin(ReadOnlyAdmin):
    list_display = ("name", "estate", "desired_revision", "applied_revision", "apply_error")
    list_filter = ("estate",)
    list_select_related = ("estate",)
    search_fields = ("name",)


@admin.register(Database)
class DatabaseAdmin(ReadOnlyAdmin):
    list_display = ("name", "instance", "broker_instance", "is_broker_enabled", "state")
    list_filter = ("instance__estate", "state")
    list_select_related = ("instance",)
    search_fields = ("name", "broker_instance")
    exclude = ("security",)


@admin.register(Mirror)
class MirrorAdmin(ReadOnlyAdmin):
    list_display = ("database_name", "broker_instance", "estate")
    list_select_related = ("estate",)


@admin.register(Endpoint)
class EndpointAdmin(ReadOnlyAdmin):
    list_display = ("name", "instance", "port", "state", "is_message_forwarding_enabled")
    list_select_related = ("instance",)


@admin.register(Route)
class RouteAdmin(ReadOnlyAdmin):
    list_display = ("name", "database", "service_name", "broker_instance", "address", "expires_at")
    list_filter = ("database__instance__estate", "address_kind")
    list_select_related = ("database__instance",)
    search_fields = ("name", "service_name", "address")


@admin.register(MessageType, Contract, Queue, Service)
class DefinitionAdmin(ReadOnlyAdmin):
    list_display = ("name", "database")
    list_filter = ("database__instance__estate",)
    list_select_related = ("database__instance",)
    search_fields = ("name",)


@admin.register(TopologyRevision)
class TopologyRevisionAdmin(ReadOnlyAdmin):
    list_display = ("estate", "number", "created_at", "author", "summary")
    list_filter = ("estate",)
    list_select_related = ("estate", "author")


@admin.register(ChangeSet)
class ChangeSetAdmin(ReadOnlyAdmin):
    list_display = ("estate", "number", "title", "author", "state", "base_revision", "applied_revision", "changed_at")
    list_filter = ("estate", "state")
    list_select_related = ("estate", "author")


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ("estate", "sequence", "decided_at", "author", "origin", "change_set", "revision", "summary")
    list_filter = ("estate", "origin")
    list_select_related = ("estate", "author", "change_set__estate")
    exclude = ("changes", "inverse", "objects_changed", "touched")
