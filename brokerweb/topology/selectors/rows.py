"""The one query plan for a whole estate: a fixed number of queries, however large it is."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Prefetch, QuerySet

from brokerweb.topology.models import Contract, Database, Instance, MessageType, Queue, Route, Service


def instances_with_everything(instances: QuerySet[Instance] | None = None) -> QuerySet[Instance]:
    """Instances with endpoint, databases and all their objects, each list in the order of its making."""
    base = Instance.objects.all() if instances is None else instances
    objects: Iterable[Prefetch[str, QuerySet[Database], str]] = (
        Prefetch("databases", Database.objects.order_by("id")),
        Prefetch("databases__message_types", MessageType.objects.order_by("id")),
        Prefetch("databases__contracts", Contract.objects.order_by("id").prefetch_related("uses")),
        Prefetch("databases__queues", Queue.objects.order_by("id")),
        Prefetch(
            "databases__services",
            Service.objects.order_by("id").select_related("queue").prefetch_related("contracts"),
        ),
        Prefetch("databases__routes", Route.objects.order_by("id")),
    )
    return base.select_related("endpoint").prefetch_related(*objects)
