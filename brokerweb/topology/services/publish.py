"""From wanted to applied: the outbox's messages reach the engine, and what it has is written down.

Delivery repeats until the engine has the revision. The engine applies a revision only on top of the one it was
made from; when it is somewhere else (its store was lost, or an older copy restored), it gets everything that it
misses, out of the history.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final
from uuid import uuid4

from brokerweb.common.outbox.deliveries import Deliveries
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.common.outbox.services import DeliveryFailed, outbox_changes, outbox_drain
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.common.web_queue import WEB_QUEUE
from brokerweb.topology.changes import changes_from_json
from brokerweb.topology.models import Instance, TopologyRevision
from brokerweb.topology.selectors.parts import pieces_of
from brokerweb.topology.selectors.places import InstancePlace
from engine import api as engine

logger = logging.getLogger(__name__)

PUBLISH_TASK = "brokerweb.topology.publish"
REVISION_MISMATCH = 9797
"""The engine's refusal of changes that were made from another revision than the one it has."""
DELIVERY_SECONDS = 20
"""How long the engine may take to answer; well below the outbox's claim."""

REVISIONS_AT_ONCE = 50
"""Of the history, read at once; those of before there were parts may each hold an import."""

Execute = Callable[[Sequence[engine.Command]], Sequence[engine.Reply]]
"""Carries out commands on one instance."""

DELIVERIES: Final = Deliveries()
"""Of this process."""


def publish_soon() -> None:
    """Ask a worker to deliver what is waiting. If no worker hears it, the regular look at the outbox will do it."""
    try:
        engine.celery_app.send_task(PUBLISH_TASK, queue=WEB_QUEUE, ignore_result=True)
    except Exception:
        logger.warning("No worker could be told that changes are waiting; they go out a little later.", exc_info=True)


def publish_pending() -> int:
    """Deliver everything that is due; answers how many messages went out."""
    return outbox_drain(_deliver, DELIVERIES)


def publish_over(session: engine.EngineSession, place: InstancePlace) -> int:
    """Deliver what is due for one instance over a session of this process; answers how many messages went out.

    For a process that no worker of its own serves: nothing has to look at the outbox first. A delivery that fails is
    repeated by the process that hosts.
    """
    deliver = partial(_deliver, execute=session.execute)
    return outbox_drain(deliver, DELIVERIES, instance=(place.estate, place.instance))


def publish_begin() -> None:
    """Deliver from now on, also where `publish_stop` was called before."""
    DELIVERIES.begin()


def publish_stop(seconds_max: float) -> None:
    """This process is about to end: what it delivers goes out, and what else is due waits for the next one."""
    if not DELIVERIES.end(seconds_max):
        logger.warning("An instance still takes its changes after %g seconds; they go out again later.", seconds_max)


def _deliver(message: OutboxMessage, execute: Execute | None = None) -> None:
    """`execute` is of an instance that is hosted; without it the instance is opened, and asked by tasks."""
    instance = (
        Instance.objects.select_related("estate")
        .filter(estate__name=message.estate_name, name=message.instance_name)
        .first()
    )
    if instance is None:
        return  # The estate was deleted after the decision; there is nothing to bring up to date.
    try:
        revision = _apply(instance, message, execute)
    except engine.EngineUnavailable as error:
        raise DeliveryFailed(str(error)) from error
    except DeliveryFailed as failure:
        _record(instance, applied_revision=None, error=str(failure))
        raise
    _record(instance, applied_revision=revision, error="")


def _apply(instance: Instance, message: OutboxMessage, execute: Execute | None) -> int:
    """Bring the instance to the message's revision; answers the revision that it has then."""
    estate = instance.estate
    if execute is None:
        engine.open_instance(
            estate.name,
            instance.name,
            pace=estate.pace,
            key_suite=engine.KeySuite(estate.key_suite),
            # Who had a revision has a store; should it be gone, an empty one would be taken for it.
            makes=not instance.applied_revision,
            timeout_seconds=DELIVERY_SECONDS,
        )
        execute = partial(engine.execute, estate.name, instance.name, timeout_seconds=DELIVERY_SECONDS)
    reply = _send(execute, message.base_revision, message.revision, outbox_changes(message))
    if isinstance(reply, engine.Refusal) and reply.number == REVISION_MISMATCH:
        has = engine.read_view(estate.name, instance.name, rows_max=0).revision
        reply = _send(execute, has, message.revision, _missed_changes(instance, has, message.revision))
    if isinstance(reply, engine.Refusal):
        raise DeliveryFailed(f"{reply.number}: {reply.text}")
    if reply.revision > instance.desired_revision:
        raise DeliveryFailed(
            f"The engine has revision {reply.revision} of {instance.name}, later than the wanted revision "
            f"{instance.desired_revision}. The dashboard's database is older than the engine's stores: restore both "
            "from the same moment."
        )
    return reply.revision


def _send(execute: Execute, base: int, revision: int, changes: Iterable[Any]) -> engine.CatalogRevised | engine.Refusal:
    # A key of its own for every attempt: the revisions already make a repeated delivery harmless, and a remembered
    # refusal must not answer for an instance that has moved on.
    command = engine.ApplyCatalog(
        command_id=engine.CommandId(uuid4()),
        base=engine.CatalogRevision(base),
        revision=engine.CatalogRevision(revision),
        changes=changes_from_json(changes),
    )
    (reply,) = execute([command])
    assert isinstance(reply, engine.CatalogRevised | engine.Refusal)
    return reply


def _missed_changes(instance: Instance, has: int, wanted: int) -> Iterator[Any]:
    """Every change to the instance after the revision it has, up to the wanted one, oldest first."""
    revisions = TopologyRevision.objects.filter(
        estate_id=instance.estate_id, number__gt=has, number__lte=wanted
    ).order_by("number")
    for revision in revisions.iterator(chunk_size=REVISIONS_AT_ONCE):
        for piece in pieces_of(revision, "changes"):
            yield from piece.get(instance.name, ())


def _record(instance: Instance, *, applied_revision: int | None, error: str) -> None:
    fields: dict[str, Any] = {"apply_error": error}
    if applied_revision is not None:
        fields["applied_revision"] = applied_revision
    changed = Instance.objects.filter(pk=instance.pk).exclude(**fields).update(**fields)
    if changed:
        wake_topology_watchers(instance.estate.name)
